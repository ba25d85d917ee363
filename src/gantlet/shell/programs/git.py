"""Forms of git that only read."""

import re

from gantlet.shell.analysis import PathUse, Word
from gantlet.shell.options import Parsed
from gantlet.shell.programs.spec import Check, Operands, Program, paths

_TREE = PathUse(".", is_tree=True)
_REVISION_PATH = re.compile(r"[^:]*:(?:\./)?(.+)", re.DOTALL)
_LINE_RANGE = re.compile(r".*:(.+)", re.DOTALL)
_RUNS_GPG = re.compile(r"%G|%\(signature")

_DIFF = (
    "-p,-u,--patch -s,--no-patch -U,--unified= --raw --patch-with-raw --indent-heuristic "
    "--no-indent-heuristic --minimal --patience --histogram --anchored= --diff-algorithm= "
    "--stat[=] --compact-summary --numstat --shortstat -X,--dirstat[=] --cumulative --summary "
    "--patch-with-stat -z --name-only --name-status --color[=] --no-color --color-moved[=] "
    "--no-color-moved --color-moved-ws= --word-diff[=] --word-diff-regex= --color-words[=] "
    "--no-renames --rename-empty --no-rename-empty --check --ws-error-highlight= --full-index "
    "--binary --abbrev[=] -B,--break-rewrites[=] -M,--find-renames[=] -C,--find-copies[=] "
    "--find-copies-harder -D,--irreversible-delete -l= --diff-filter= -S= -G= --find-object= "
    "--pickaxe-all --pickaxe-regex --skip-to= --rotate-to= -R --relative[=] --no-relative "
    "-a,--text --ignore-cr-at-eol --ignore-space-at-eol -b,--ignore-space-change "
    "-w,--ignore-all-space --ignore-blank-lines -I,--ignore-matching-lines= "
    "--inter-hunk-context= -W,--function-context --exit-code --quiet --no-ext-diff --no-textconv "
    "--ignore-submodules[=] --src-prefix= --dst-prefix= --no-prefix --default-prefix "
    "--line-prefix= --submodule[=] --stat-width= --stat-count= --no-stat"
)
_LOG = (
    " --follow --no-decorate --decorate[=] --decorate-refs= --decorate-refs-exclude= --source "
    "--mailmap --use-mailmap --no-mailmap --full-diff --log-size -L= -n,--max-count= -NUM "
    "--skip= --since= --after= --until= --before= --author= --committer= --grep-reflog= --grep= "
    "--all-match --invert-grep -i,--regexp-ignore-case --basic-regexp -E,--extended-regexp "
    "-F,--fixed-strings -P,--perl-regexp --remove-empty --merges --no-merges --min-parents= "
    "--max-parents= --no-min-parents --no-max-parents --first-parent --exclude-first-parent-only "
    "--not --all --branches[=] --tags[=] --remotes[=] --glob= --exclude= --exclude-hidden= "
    "--reflog --single-worktree --ignore-missing --bisect --cherry-mark --cherry-pick "
    "--left-only --right-only --cherry -g,--walk-reflogs --merge --boundary "
    "--simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges "
    "--ancestry-path[=] --date-order --author-date-order --topo-order --reverse --no-walk[=] "
    "--do-walk --pretty[=] --format= --abbrev-commit --no-abbrev-commit --oneline --encoding= "
    "--expand-tabs[=] --no-expand-tabs --notes[=] --no-notes --show-notes[=] --relative-date "
    "--date= --parents --children --left-right --graph --no-graph --show-linear-break[=] -c --cc "
    "-m --diff-merges= --no-diff-merges --combined-all-paths -t --count"
)
_REFUSED = "`--output`, `--ext-diff`, `--textconv`, `-O`, `--show-signature`, `%G` formats"


def _reads(words: list[Word], *, shows_content: bool) -> list[PathUse]:
    """Return revisions and paths as uses: `HEAD:file` reads the file, in an older form."""
    reads = [_TREE] if shows_content else []
    for word in words:
        text = word.text
        found = _REVISION_PATH.fullmatch(text)
        if found and not text.startswith(("/", "./", "../", ":")):
            reads.append(PathUse(found.group(1)))
        else:
            reads.extend(paths([word]))
    return reads


def _problem(parsed: Parsed) -> str:
    """Return what may make git run another program, or nothing."""
    if any(not word.is_literal for word in parsed.operands):
        return "a word is not written out"
    for option, value in parsed.found:
        if value is None:
            continue
        if option.name in ("--format", "--pretty") and (
            _RUNS_GPG.search(value.text) or not value.is_literal
        ):
            return "the format may run programs"
    return ""


def _content(parsed: Parsed) -> list[PathUse] | str:
    """Accept what shows the content of files."""
    ranges = [
        PathUse(found.group(1))
        for value in parsed.values("-L")
        if (found := _LINE_RANGE.fullmatch(value.text))
    ]
    return _problem(parsed) or [*_reads(parsed.operands, shows_content=True), *ranges]


def _names(parsed: Parsed) -> list[PathUse] | str:
    """Accept what shows names and numbers."""
    return _problem(parsed) or _reads(parsed.operands, shows_content=False)


def _searched(parsed: Parsed) -> list[PathUse] | str:
    """Accept a search; the first operand is the pattern unless an option gives it."""
    operands = parsed.operands if parsed.has("-e") else parsed.operands[1:]
    return _problem(parsed) or _reads(operands, shows_content=True)


def _lists(*options: str) -> Check:
    """Return a check: operands are patterns only with one of these options."""

    def check(parsed: Parsed) -> list[PathUse] | str:
        if parsed.operands and not parsed.has(*options):
            return "an operand without --list makes something new"
        return _problem(parsed) or []

    return check


def _most(count: int) -> Check:
    """Return a check: more operands change something."""

    def check(parsed: Parsed) -> list[PathUse] | str:
        if len(parsed.operands) > count:
            return "it has more operands than are known to be harmless"
        return _problem(parsed) or []

    return check


def _config(parsed: Parsed) -> list[PathUse] | str:
    """Accept getting and listing; a second operand sets."""
    if parsed.has("--get", "--get-all", "--get-regexp", "--get-urlmatch"):
        return _problem(parsed) or []
    if parsed.has("-l"):
        return [] if not parsed.operands else "--list has no operands"
    if len(parsed.operands) != 1 or "." not in parsed.operands[0].text:
        return "it may set a value"
    return _problem(parsed) or []


def _git(name: str, options: str, check: Check, refused: str = "") -> Program:
    return Program(
        f"git {name}", options, Operands.PATHS, refuses_globs=True, check=check, refused=refused
    )


def _group(name: str, **subcommands: Program) -> Program:
    return Program(f"git {name}", subcommands=subcommands)


_REF_FORMAT = (
    "--sort= --format= --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= "
    "-i,--ignore-case --color[=] --no-color --column[=] --no-column"
)
_GREP = (
    "-i,--ignore-case -I -a,--text --no-textconv --cached --untracked --no-exclude-standard "
    "--exclude-standard -v,--invert-match -w,--word-regexp -E,--extended-regexp -G,--basic-regexp "
    "-P,--perl-regexp -F,--fixed-strings -n,--line-number --column -l,--files-with-matches "
    "--name-only -L,--files-without-match -z,--null -o,--only-matching -c,--count --color[=] "
    "--no-color --break --heading -p,--show-function -A,--after-context= -B,--before-context= "
    "-C,--context= -NUM -W,--function-context -m,--max-count= --threads= -e= --and --or --not "
    "--all-match -q,--quiet --max-depth= -r,--recursive --no-recursive --full-name -h -H"
)
_STATUS = (
    "-s,--short -b,--branch --show-stash --porcelain[=] --long -v,--verbose "
    "-u,--untracked-files[=] --ignore-submodules[=] --ignored[=] -z --column[=] --no-column "
    "--ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=]"
)
_BRANCH = "-a,--all -r,--remotes -v,--verbose -q,--quiet --show-current -l,--list --abbrev[=] --no-abbrev "
_LS_FILES = (
    "-c,--cached -d,--deleted -m,--modified -o,--others -i,--ignored -s,--stage -u,--unmerged "
    "-k,--killed --directory --no-empty-directory -z --eol --deduplicate -x,--exclude= "
    "--exclude-standard --error-unmatch -t -v -f --full-name --abbrev[=] --debug --format="
)
_REV_PARSE = (
    "--abbrev-ref[=] --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir "
    "--git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository "
    "--is-shallow-repository --short[=] --verify -q,--quiet --symbolic --symbolic-full-name --all "
    "--branches[=] --tags[=] --remotes[=] --show-object-format[=] --show-superproject-working-tree "
    "--revs-only --no-revs --flags --no-flags --default= --not --path-format= --git-path="
)

_SUBCOMMANDS = {
    "": Program("git", "-v,--version -h,--help --html-path --man-path --info-path", Operands.NONE),
    "status": _git("status", _STATUS, _names),
    "log": _git("log", _DIFF + _LOG, _content, _REFUSED),
    "show": _git("show", _DIFF + _LOG, _content, _REFUSED),
    "whatchanged": _git("whatchanged", _DIFF + _LOG, _content, _REFUSED),
    "diff": _git(
        "diff",
        f"{_DIFF} --cached --staged --merge-base --no-index --cc -c -m -0 -1 -2 -3",
        _content,
        _REFUSED,
    ),
    "diff-tree": _git(
        "diff-tree",
        f"{_DIFF} -r -t --root -m -c --cc --no-commit-id -v --pretty[=]",
        _content,
        _REFUSED,
    ),
    "diff-index": _git("diff-index", f"{_DIFF} --cached -m", _content, _REFUSED),
    "diff-files": _git("diff-files", _DIFF, _content, _REFUSED),
    "shortlog": _git(
        "shortlog", f"{_LOG} -n,--numbered -s,--summary -e,--email -w[=] --group=", _names
    ),
    "rev-list": _git("rev-list", f"--objects --disk-usage[=] --timestamp --header {_LOG}", _names),
    "blame": _git(
        "blame",
        "-b --root --show-stats -L= -l -t -S= --reverse= --first-parent -p,--porcelain "
        "--line-porcelain --encoding= --since= -M[=] -C[=] -h -c --score-debug -f,--show-name "
        "-n,--show-number -s -e,--show-email -w --abbrev= --date= --color-lines --color-by-age",
        _content,
        "`--contents`, `--ignore-revs-file`",
    ),
    "grep": _git(
        "grep", _GREP, _searched, "`-O` runs a pager, `-f` and `--no-index` read other files"
    ),
    "branch": _git(
        "branch",
        _BRANCH + _REF_FORMAT,
        _lists("-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
        "all that makes, moves or deletes a branch",
    ),
    "tag": _git(
        "tag",
        "-l,--list -n[=] " + _REF_FORMAT,
        _lists("-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
        "all that makes, signs, verifies or deletes a tag",
    ),
    "for-each-ref": _git(
        "for-each-ref", f"--count= --exclude= --include-root-refs {_REF_FORMAT}", _names
    ),
    "remote": Program(
        "git remote",
        "-v,--verbose",
        subcommands={
            "": Program("git remote", "-v,--verbose", Operands.NONE),
            "get-url": _git("remote get-url", "--push --all", _most(1)),
        },
        refused="`show` and `update` ask the network; the rest changes",
    ),
    "stash": _group(
        "stash",
        list=_git("stash list", _DIFF + _LOG, _content, _REFUSED),
        show=_git(
            "stash show", f"{_DIFF} --include-untracked --only-untracked", _content, _REFUSED
        ),
    ),
    "worktree": _group("worktree", list=_git("worktree list", "-v --porcelain -z", _most(0))),
    "reflog": Program(
        "git reflog",
        _DIFF + _LOG,
        subcommands={
            "": _git("reflog", _DIFF + _LOG, _content, _REFUSED),
            "show": _git("reflog show", _DIFF + _LOG, _content, _REFUSED),
        },
        refused="`expire` and `delete`",
    ),
    "config": _git(
        "config",
        "--get --get-all --get-regexp --get-urlmatch -l,--list --global --system --local "
        "--worktree -z,--null --name-only --show-origin --show-scope --type= --bool --int --path "
        "--includes "
        "--no-includes --default=",
        _config,
        "all that sets; `-f` and `--blob` read other files",
    ),
    "rev-parse": _git("rev-parse", _REV_PARSE, _names),
    "describe": _git(
        "describe",
        "--dirty[=] --broken[=] --all --tags --contains --abbrev[=] --candidates= --exact-match "
        "--debug --long --match= --exclude= --always --first-parent",
        _names,
    ),
    "ls-files": _git(
        "ls-files", _LS_FILES, _names, "`-X` and `--exclude-per-directory` read files"
    ),
    "ls-tree": _git(
        "ls-tree",
        "-d -r -t -l,--long -z --name-only --name-status --object-only --full-name --full-tree --abbrev[=] --format=",
        _names,
    ),
    "cat-file": _git(
        "cat-file", "-t -s -e -p", _content, "`--textconv`, `--filters` run programs; `--batch`"
    ),
    "show-ref": _git(
        "show-ref",
        "--head --heads --branches --tags -d,--dereference -s,--hash[=] --abbrev[=] --verify -q,--quiet --exists",
        _names,
    ),
    "name-rev": _git(
        "name-rev", "--tags --refs= --exclude= --all --name-only --always --no-undefined", _names
    ),
    "merge-base": _git(
        "merge-base", "-a,--all --octopus --is-ancestor --independent --fork-point", _names
    ),
    "count-objects": _git("count-objects", "-v,--verbose -H,--human-readable", _most(0)),
    "check-ignore": _git(
        "check-ignore", "-q,--quiet -v,--verbose -n,--non-matching --no-index -z", _names
    ),
    "check-attr": _git("check-attr", "-a,--all --cached -z", _names),
    "symbolic-ref": _git(
        "symbolic-ref",
        "-q,--quiet --short --recurse --no-recurse",
        _most(1),
        "a second operand sets",
    ),
    "cherry": _git("cherry", "-v --abbrev[=]", _names),
    "version": _git("version", "--build-options", _most(0)),
}

GIT = Program(
    "git",
    "-P,--no-pager --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs "
    "--noglob-pathspecs --icase-pathspecs --no-lazy-fetch --no-advice",
    subcommands=_SUBCOMMANDS,
    refused="`-c`, `-C` elsewhere, `--git-dir`, `--work-tree`, `--exec-path`, `-p`, any glob",
)
