"""Programs that look at files."""

from gantlet.shell.analysis import PathUse
from gantlet.shell.programs.spec import Operands, Program

_UNPACK = (
    "-c,--stdout,--to-stdout -d,--decompress,--uncompress -l,--list -t,--test -k,--keep -q,--quiet "
    "-v,--verbose -n,--no-name -N,--name -NUM --fast --best --help -V,--version"
)
_UNPACK_NEEDS = ("-c", "-l", "-t", "--help", "-V")

FILE_PROGRAMS = (
    *(
        Program(name, _UNPACK, needs=_UNPACK_NEEDS, refused="without `-c`, `-l` or `-t` it writes")
        for name in ("gzip", "gunzip")
    ),
    Program(
        "shasum",
        "-a,--algorithm= -b,--binary -t,--text -s,--status -w,--warn -q,--quiet -h,--help -v",
        is_tame=True,
        refused="`-c` reads the names of files from a file",
    ),
    Program(
        "ls",
        (
            "-a,--all -A,--almost-all --author -b,--escape --block-size= -B,--ignore-backups -c "
            "-C --color[=] -d,--directory -D,--dired -f -F,--classify[=] --file-type --format= "
            "--full-time -g --group-directories-first -G,--no-group -h,--human-readable --si "
            "-H,--dereference-command-line --hide= --hyperlink[=] --indicator-style= -i,--inode "
            "-I,--ignore= -k,--kibibytes -l -L,--dereference -m -n,--numeric-uid-gid "
            "-N,--literal -o -p -q,--hide-control-chars --show-control-chars -Q,--quote-name "
            "--quoting-style= -r,--reverse -R,--recursive -s,--size -S --sort= --time= "
            "--time-style= -t -T,--tabsize= -u -U -v -w,--width= -x -X -Z,--context -1 -O -@ -e "
            "-W --help --version"
        ),
        default=PathUse("."),
        recursive=("-R",),
        is_tame=True,
    ),
    Program(
        "cat",
        (
            "-A,--show-all -b,--number-nonblank -e -E,--show-ends -n,--number -s,--squeeze-blank "
            "-t -T,--show-tabs -u -v,--show-nonprinting --help --version"
        ),
        is_tame=True,
    ),
    Program(
        "head",
        (
            "-n,--lines= -c,--bytes= -q,--quiet,--silent -v,--verbose -z,--zero-terminated -NUM "
            "--help --version"
        ),
        is_tame=True,
    ),
    Program(
        "tail",
        (
            "-n,--lines= -c,--bytes= -f,--follow[=] -F --retry --pid= -s,--sleep-interval= "
            "--max-unchanged-stats= -q,--quiet,--silent -v,--verbose -z,--zero-terminated -r -NUM "
            "--help --version"
        ),
        is_tame=True,
    ),
    Program(
        "wc",
        (
            "-c,--bytes -m,--chars -l,--lines -L,--max-line-length -w,--words --total= --help "
            "--version"
        ),
        is_tame=True,
        refused="`--files0-from` reads the names of files from a file",
    ),
    Program(
        "stat",
        (
            "-L,--dereference -f,--file-system -c,--format= --printf= -t,--terse --cached= -x -s "
            "-n -l -q --help --version"
        ),
        is_tame=True,
    ),
    Program(
        "file",
        (
            "-b,--brief -i,--mime --mime-type --mime-encoding -k,--keep-going -L,--dereference "
            "-h,--no-dereference -n,--no-buffer -N,--no-pad -p,--preserve-date -r,--raw "
            "-s,--special-files -0,--print0 -e,--exclude= -F,--separator= -P,--parameter= -E -I "
            "--extension --help --version"
        ),
        refused="`-m`, `-M` and `-f` read other files, `-C` writes, `-z` runs programs",
    ),
    Program(
        "du",
        (
            "-0,--null -a,--all --apparent-size -B,--block-size= -b,--bytes -c,--total "
            "-D,--dereference-args -d,--max-depth= -h,--human-readable -H --inodes -k "
            "-L,--dereference -l,--count-links -m -P,--no-dereference -S,--separate-dirs --si "
            "-s,--summarize -t,--threshold= --time[=] --time-style= -X,--exclude-from=path "
            "--exclude= -x,--one-file-system --help --version"
        ),
        Operands.TREES,
        is_tame=True,
        refused="`--files0-from` reads the names of files from a file",
    ),
    Program(
        "df",
        (
            "-a,--all -B,--block-size= -h,--human-readable -H,--si -i,--inodes -k -l,--local "
            "--no-sync --output[=] -P,--portability --total -t,--type= -T,--print-type "
            "-x,--exclude-type= -m -g --help --version"
        ),
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "tree",
        (
            "-a -d -l -f -x -L= -P= -I= -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n "
            "-C -J -X --noreport --du --si --inodes --device --dirsfirst --filesfirst "
            "--filelimit= --timefmt= --matchdirs --ignore-case --prune --gitignore --sort[=] "
            "--charset= --nolinks --help --version"
        ),
        Operands.TREES,
        refused="`-o`, `-R` and `-H` write pages; `--fromfile` and `--gitfile` read lists",
    ),
    Program(
        "diff",
        (
            "-q,--brief -s,--report-identical-files -c -C= --context[=] -u -U= --unified[=] "
            "-e,--ed -n,--rcs -y,--side-by-side -W,--width= --left-column "
            "--suppress-common-lines -p,--show-c-function -F,--show-function-line= --label= -L= "
            "-t,--expand-tabs -T,--initial-tab --tabsize= --suppress-blank-empty -r,--recursive "
            "--no-dereference -N,--new-file --unidirectional-new-file --ignore-file-name-case "
            "-x,--exclude= -X,--exclude-from=path -S,--starting-file= --from-file=path "
            "--to-file=path -i,--ignore-case -E,--ignore-tab-expansion "
            "-Z,--ignore-trailing-space -b,--ignore-space-change -w,--ignore-all-space "
            "-B,--ignore-blank-lines -I,--ignore-matching-lines= -a,--text --strip-trailing-cr "
            "-d,--minimal --horizon-lines= --speed-large-files --color[=] --palette= --normal "
            "-NUM --help --version"
        ),
        Operands.TREES,
        follows=("-r",),
        most=2,
        refused="`-l` runs `pr`",
    ),
    Program(
        "cmp",
        (
            "-b,--print-bytes -i,--ignore-initial= -l,--verbose -n,--bytes= -s,--quiet,--silent "
            "--help --version"
        ),
        most=4,
    ),
    Program(
        "comm",
        (
            "-1 -2 -3 --check-order --nocheck-order --output-delimiter= --total "
            "-z,--zero-terminated --help --version"
        ),
        most=2,
    ),
    Program(
        "md5sum",
        "-b,--binary -t,--text --tag -z,--zero --help --version",
        is_tame=True,
        refused="`-c` reads the names of files from a file",
    ),
    Program(
        "sha1sum",
        "-b,--binary -t,--text --tag -z,--zero --help --version",
        is_tame=True,
        refused="`-c` reads the names of files from a file",
    ),
    Program(
        "sha256sum",
        "-b,--binary -t,--text --tag -z,--zero --help --version",
        is_tame=True,
        refused="`-c` reads the names of files from a file",
    ),
    Program(
        "sha512sum",
        "-b,--binary -t,--text --tag -z,--zero --help --version",
        is_tame=True,
        refused="`-c` reads the names of files from a file",
    ),
    Program(
        "b2sum",
        "-l,--length= -b,--binary -t,--text --tag -z,--zero --help --version",
        is_tame=True,
        refused="`-c` reads the names of files from a file",
    ),
    Program(
        "cksum",
        (
            "-a,--algorithm= --base64 --raw --untagged -l,--length= --debug -z,--zero --help "
            "--version"
        ),
        is_tame=True,
        refused="`-c` reads the names of files from a file",
    ),
    Program(
        "od",
        (
            "-A,--address-radix= --endian= -j,--skip-bytes= -N,--read-bytes= -S,--strings= "
            "-t,--format= -v,--output-duplicates -w,--width[=] --traditional -a -b -c -d -f -i "
            "-l -o -s -x --help --version"
        ),
        is_tame=True,
    ),
    Program(
        "xxd",
        (
            "-a -b -c= -C -d -e -E -g= -h -i -l= -n= -o= -p -s= -u -v -ps -plain -postscript -len= "
            "-cols= -seek= -r -revert"
        ),
        most=1,
        refused="a second operand is written to",
    ),
    Program(
        "hexdump",
        "-b -c -C -d -e= -n= -o -s= -v -x -L[=] --help --version",
        is_tame=True,
        refused="`-f` reads a file of formats",
    ),
    Program(
        "strings",
        (
            "-a,--all -d,--data -f,--print-file-name -n,--bytes= -o -t,--radix= -e,--encoding= "
            "-s,--output-separator= -w,--include-all-whitespace -NUM --help --version"
        ),
        is_tame=True,
    ),
    Program(
        "base64",
        "-d,-D,--decode -i,--ignore-garbage -w,--wrap= --help --version",
        most=1,
    ),
    Program(
        "zcat",
        "-f -q --help --version",
        refused="other options of the script behind it",
    ),
    Program(
        "readlink",
        (
            "-f,--canonicalize -e,--canonicalize-existing -m,--canonicalize-missing "
            "-n,--no-newline -q,--quiet -s,--silent -v,--verbose -z,--zero --help --version"
        ),
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "realpath",
        (
            "-e,--canonicalize-existing -m,--canonicalize-missing -L,--logical -P,--physical "
            "-q,--quiet --relative-to= --relative-base= -s,--strip,--no-symlinks -z,--zero --help "
            "--version"
        ),
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "basename",
        "-a,--multiple -s,--suffix= -z,--zero --help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "dirname",
        "-z,--zero --help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "unzip",
        "-l -v -p -q -Z -1",
        needs=("-l", "-v", "-p", "-Z"),
        refused="all that extracts to files",
    ),
)
