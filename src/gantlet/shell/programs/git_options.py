"""The options of git that only read."""

DIFF = (
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
LOG = (
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
REF_FORMAT = (
    "--sort= --format= --contains[=] --no-contains[=] --merged[=] --no-merged[=] --points-at= "
    "-i,--ignore-case --color[=] --no-color --column[=] --no-column"
)
GREP = (
    "-i,--ignore-case -I -a,--text --no-textconv --cached --untracked --no-exclude-standard "
    "--exclude-standard -v,--invert-match -w,--word-regexp -E,--extended-regexp -G,--basic-regexp "
    "-P,--perl-regexp -F,--fixed-strings -n,--line-number --column -l,--files-with-matches "
    "--name-only -L,--files-without-match -z,--null -o,--only-matching -c,--count --color[=] "
    "--no-color --break --heading -p,--show-function -A,--after-context= -B,--before-context= "
    "-C,--context= -NUM -W,--function-context -m,--max-count= --threads= -e= --and --or --not "
    "--all-match -q,--quiet --max-depth= -r,--recursive --no-recursive --full-name -h -H"
)
STATUS = (
    "-s,--short -b,--branch --show-stash --porcelain[=] --long -v,--verbose "
    "-u,--untracked-files[=] --ignore-submodules[=] --ignored[=] -z --column[=] --no-column "
    "--ahead-behind --no-ahead-behind --renames --no-renames --find-renames[=]"
)
BRANCH = (
    "-a,--all -r,--remotes -v,--verbose -q,--quiet --show-current -l,--list --abbrev[=] "
    "--no-abbrev "
)
LS_FILES = (
    "-c,--cached -d,--deleted -m,--modified -o,--others -i,--ignored -s,--stage -u,--unmerged "
    "-k,--killed --directory --no-empty-directory -z --eol --deduplicate -x,--exclude= "
    "--exclude-standard --error-unmatch -t -v -f --full-name --abbrev[=] --debug --format="
)
REV_PARSE = (
    "--abbrev-ref[=] --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir "
    "--git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository "
    "--is-shallow-repository --short[=] --verify -q,--quiet --symbolic --symbolic-full-name --all "
    "--branches[=] --tags[=] --remotes[=] --show-object-format[=] --show-superproject-working-tree "
    "--revs-only --no-revs --flags --no-flags --default= --not --path-format= --git-path="
)
