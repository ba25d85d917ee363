"""Programs that search: grep and its kin, find, fd."""

from collections.abc import Sequence

from gantlet.shell.analysis import NotKnown, PathUse, ReadOnly, Word
from gantlet.shell.programs.spec import Operands, Program, path_of

_GREP = (
    "-E,--extended-regexp -F,--fixed-strings -G,--basic-regexp -P,--perl-regexp -e,--regexp= "
    "-f,--file=path -i,--ignore-case --no-ignore-case -y -v,--invert-match -w,--word-regexp "
    "-x,--line-regexp -c,--count --color[=] --colour[=] -L,--files-without-match "
    "-l,--files-with-matches -m,--max-count= -o,--only-matching -q,--quiet,--silent "
    "-s,--no-messages -b,--byte-offset -H,--with-filename -h,--no-filename --label= "
    "-n,--line-number -T,--initial-tab -u -Z,--null -A,--after-context= -B,--before-context= "
    "-C,--context= -NUM -a,--text --binary-files= -D,--devices= -d,--directories= --exclude= "
    "--exclude-from=path --exclude-dir= -I --include= -r,--recursive -R,--dereference-recursive "
    "--line-buffered -U,--binary -z,--null-data --help -V,--version"
)
_RG = (
    "-A,--after-context= -B,--before-context= -C,--context= -c,--count --count-matches "
    "-e,--regexp= -f,--file=path -F,--fixed-strings -g,--glob= --iglob= --glob-case-insensitive "
    "-H,--with-filename -I,--no-filename -i,--ignore-case -j,--threads= -l,--files-with-matches "
    "--files-without-match -m,--max-count= -M,--max-columns= --max-columns-preview "
    "-n,--line-number -N,--no-line-number -o,--only-matching -p,--pretty -P,--pcre2 -q,--quiet "
    "-r,--replace= -s,--case-sensitive -S,--smart-case -t,--type= -T,--type-not= --type-list "
    "--type-add= -u,--unrestricted -U,--multiline --multiline-dotall -v,--invert-match "
    "-w,--word-regexp -x,--line-regexp -0,--null --null-data -a,--text -b,--byte-offset "
    "-d,--max-depth= --maxdepth= -.,--hidden --no-hidden --no-ignore --no-ignore-vcs "
    "--no-ignore-parent --no-ignore-dot --no-ignore-global --ignore-file=path "
    "--ignore-file-case-insensitive --files --sort= --sortr= --stats --json --vimgrep --column "
    "--no-column --heading --no-heading --color= --colors= --trim --passthru "
    "--context-separator= --field-match-separator= --no-messages --max-filesize= "
    "--one-file-system --crlf --no-config --no-mmap --mmap --line-buffered --block-buffered "
    "-E,--encoding= --engine= --auto-hybrid-regex --no-require-git --include-zero "
    "--path-separator= --no-unicode --debug --trace --pcre2-version --help -V,--version"
)
_FD = (
    "-H,--hidden -I,--no-ignore -u,--unrestricted --no-ignore-vcs --no-ignore-parent "
    "-s,--case-sensitive -i,--ignore-case -g,--glob --regex -F,--fixed-strings --and= "
    "-a,--absolute-path -p,--full-path -d,--max-depth= --min-depth= --exact-depth= --prune "
    "-t,--type= -e,--extension= -S,--size= --changed-within= --changed-before= --newer= --older= "
    "-o,--owner= -E,--exclude= --ignore-file=path -c,--color= -j,--threads= --max-results= -1 "
    "-q,--quiet --show-errors --base-directory=tree --search-path=tree --path-separator= "
    "--strip-cwd-prefix -0,--print0 --one-file-system --mount --help -V,--version"
)

#: Tests and actions of `find` that only look, with the number of their arguments.
_FIND_TESTS = dict.fromkeys(
    (
        *(
            "-print",
            "-print0",
            "-ls",
            "-prune",
            "-quit",
            "-depth",
            "-d",
            "-follow",
            "-mount",
            "-xdev",
        ),
        *(
            "-empty",
            "-true",
            "-false",
            "-nouser",
            "-nogroup",
            "-readable",
            "-writable",
            "-executable",
        ),
        *("-daystart", "-noleaf", "-warn", "-nowarn", "-ignore_readdir_race", "-a", "-and", "-o"),
        *("-or", "-not", "!", "(", ")", ",", "-noignore_readdir_race"),
    ),
    0,
) | dict.fromkeys(
    (
        *("-name", "-iname", "-path", "-ipath", "-wholename", "-iwholename", "-regex", "-iregex"),
        *("-lname", "-ilname", "-type", "-xtype", "-size", "-mtime", "-mmin", "-atime", "-amin"),
        *(
            "-ctime",
            "-cmin",
            "-used",
            "-perm",
            "-user",
            "-group",
            "-uid",
            "-gid",
            "-links",
            "-inum",
        ),
        *("-maxdepth", "-mindepth", "-regextype", "-fstype", "-printf", "-context"),
        *("-newer", "-anewer", "-cnewer", "-samefile", "-newermt", "-newerat", "-newerct"),
    ),
    1,
)
_FIND_FILES = frozenset({"-newer", "-anewer", "-cnewer", "-samefile"})
_FIND_SWITCHES = frozenset({"-H", "-L", "-P", "-E", "-X", "-s", "-x"})


def judge_find(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `find` with tests and actions that only look."""
    for word in words:
        if not word.is_literal:
            return NotKnown("find: a word is a glob or not written out.")
    roots, index = _find_roots(words)
    count = len(words)
    while index < count:
        name = words[index].text
        arguments = _FIND_TESTS.get(name)
        if arguments is None or index + arguments >= count:
            return NotKnown(f"find: {name!r} is not known to be harmless.")
        if name in _FIND_FILES:
            roots.append(PathUse(path_of(words[index + 1])))
        index += 1 + arguments
    return ReadOnly("find", tuple(roots))


def _find_roots(words: Sequence[Word]) -> tuple[list[PathUse], int]:
    """Return where `find` begins to look, and where its tests begin."""
    index = 0
    while index < len(words) and words[index].text in _FIND_SWITCHES:
        index += 1
    roots: list[PathUse] = []
    while index < len(words) and not _begins_test(words[index].text):
        roots.append(PathUse(path_of(words[index]), is_tree=True))
        index += 1
    return roots or [PathUse(".", is_tree=True)], index


def _begins_test(text: str) -> bool:
    return text.startswith("-") or text in ("(", ")", "!", ",")


SEARCH_PROGRAMS = (
    *(
        Program(
            name,
            _GREP,
            Operands.PATTERN_PATHS,
            recursive=("-r", "-R", "-d"),
            follows=("-R",),
            pattern_options=("-e", "-f"),
            is_tame=True,
        )
        for name in ("grep", "egrep", "fgrep")
    ),
    Program(
        "rg",
        _RG,
        Operands.PATTERN_TREES,
        pattern_options=("-e", "-f", "--files", "--type-list"),
        refused="`--pre` and `--hostname-bin` run programs, `-z` too, `-L` follows links",
    ),
    Program(
        "fd",
        _FD,
        Operands.PATTERN_TREES,
        refused="`-x`, `-X` and `-l` run programs, `-L` follows links",
    ),
    Program(
        "find",
        judge=judge_find,
        refused="`-exec`, `-ok`, `-delete`, `-fprint` and their like, any glob",
    ),
)
