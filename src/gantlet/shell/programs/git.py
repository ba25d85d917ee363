"""Forms of git that only read."""

import re

from gantlet.shell.analysis import PathUse, Word
from gantlet.shell.options import Parsed
from gantlet.shell.programs.git_options import (
    BRANCH,
    DIFF,
    GREP,
    LOG,
    LS_FILES,
    REF_FORMAT,
    REV_PARSE,
    STATUS,
)
from gantlet.shell.programs.spec import Check, Operands, Program, paths

_TREE = PathUse(".", is_tree=True)
_REVISION_PATH = re.compile(r"[^:]*:(?:[0-3]:)?(?:\./)?(.+)", re.DOTALL)
_LINE_RANGE = re.compile(r".*:(.+)", re.DOTALL)
_RUNS_GPG = re.compile(r"%G|%\(\*?signature")

_REFUSED = "`--output`, `--ext-diff`, `--textconv`, `-O`, `--show-signature`, `%G` formats"


def _reads(words: list[Word], *, shows_content: bool) -> list[PathUse]:
    """Return revisions and paths as uses: `HEAD:file` reads the file, in an older form."""
    reads = [_TREE] if shows_content else []
    for word in words:
        text = word.text
        found = _REVISION_PATH.fullmatch(text)
        if found and not text.startswith(("/", "./", "../", ":(", ":!", ":^")):
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


def _status(parsed: Parsed) -> list[PathUse] | str:
    """Accept what shows which files changed; with `-v` it shows how."""
    return _content(parsed) if parsed.has("-v") else _names(parsed)


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


_SUBCOMMANDS = {
    "": Program("git", "-v,--version -h,--help --html-path --man-path --info-path", Operands.NONE),
    "status": _git("status", STATUS, _status),
    "log": _git("log", DIFF + LOG, _content, _REFUSED),
    "show": _git("show", DIFF + LOG, _content, _REFUSED),
    "whatchanged": _git("whatchanged", DIFF + LOG, _content, _REFUSED),
    "diff": _git(
        "diff",
        f"{DIFF} --cached --staged --merge-base --no-index --cc -c -m -0 -1 -2 -3",
        _content,
        _REFUSED,
    ),
    "diff-tree": _git(
        "diff-tree",
        f"{DIFF} -r -t --root -m -c --cc --no-commit-id -v --pretty[=]",
        _content,
        _REFUSED,
    ),
    "diff-index": _git("diff-index", f"{DIFF} --cached -m", _content, _REFUSED),
    "diff-files": _git("diff-files", DIFF, _content, _REFUSED),
    "shortlog": _git(
        "shortlog", f"{LOG} -n,--numbered -s,--summary -e,--email -w[=] --group=", _names
    ),
    "rev-list": _git("rev-list", f"--objects --disk-usage[=] --timestamp --header {LOG}", _names),
    "blame": _git(
        "blame",
        "-b --root --show-stats -L= -l -t -S=path --reverse= --first-parent -p,--porcelain "
        "--line-porcelain --encoding= --since= -M[=] -C[=] -h -c --score-debug -f,--show-name "
        "-n,--show-number -s -e,--show-email -w --abbrev= --date= --color-lines --color-by-age",
        _content,
        "`--contents`, `--ignore-revs-file`",
    ),
    "grep": _git(
        "grep", GREP, _searched, "`-O` runs a pager, `-f` and `--no-index` read other files"
    ),
    "branch": _git(
        "branch",
        BRANCH + REF_FORMAT,
        _lists("-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
        "all that makes, moves or deletes a branch",
    ),
    "tag": _git(
        "tag",
        "-l,--list -n[=] " + REF_FORMAT,
        _lists("-l", "--contains", "--no-contains", "--merged", "--no-merged", "--points-at"),
        "all that makes, signs, verifies or deletes a tag",
    ),
    "for-each-ref": _git(
        "for-each-ref", f"--count= --exclude= --include-root-refs {REF_FORMAT}", _names
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
        list=_git("stash list", DIFF + LOG, _content, _REFUSED),
        show=_git("stash show", f"{DIFF} --include-untracked --only-untracked", _content, _REFUSED),
    ),
    "range-diff": _git(
        "range-diff",
        f"{DIFF} --creation-factor= --no-dual-color --left-only --right-only",
        _content,
        _REFUSED,
    ),
    "notes": _group("notes", list=_git("notes list", "", _most(1))),
    "bisect": _group("bisect", log=_git("bisect log", "", _most(0))),
    "worktree": _group("worktree", list=_git("worktree list", "-v --porcelain -z", _most(0))),
    "reflog": Program(
        "git reflog",
        DIFF + LOG,
        subcommands={
            "": _git("reflog", DIFF + LOG, _content, _REFUSED),
            "show": _git("reflog show", DIFF + LOG, _content, _REFUSED),
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
    "rev-parse": _git("rev-parse", REV_PARSE, _names),
    "describe": _git(
        "describe",
        "--dirty[=] --broken[=] --all --tags --contains --abbrev[=] --candidates= --exact-match "
        "--debug --long --match= --exclude= --always --first-parent",
        _names,
    ),
    "ls-files": _git("ls-files", LS_FILES, _names, "`-X` and `--exclude-per-directory` read files"),
    "ls-tree": _git(
        "ls-tree",
        "-d -r -t -l,--long -z --name-only --name-status --object-only "
        "--full-name --full-tree --abbrev[=] --format=",
        _names,
    ),
    "cat-file": _git(
        "cat-file", "-t -s -e -p", _content, "`--textconv`, `--filters` run programs; `--batch`"
    ),
    "show-ref": _git(
        "show-ref",
        "--head --heads --branches --tags -d,--dereference -s,--hash[=] --abbrev[=] "
        "--verify -q,--quiet --exists",
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
