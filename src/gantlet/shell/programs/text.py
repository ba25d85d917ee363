"""Programs that take text apart."""

from gantlet.shell.programs.spec import Operands, Program

TEXT_PROGRAMS = (
    Program(
        "nl",
        (
            "-b,--body-numbering= -d,--section-delimiter= -f,--footer-numbering= "
            "-h,--header-numbering= -i,--line-increment= -l,--join-blank-lines= "
            "-n,--number-format= -p,--no-renumber -s,--number-separator= "
            "-v,--starting-line-number= -w,--number-width= --help --version"
        ),
        is_tame=True,
    ),
    Program(
        "tac",
        "-b,--before -r,--regex -s,--separator= --help --version",
        is_tame=True,
    ),
    Program(
        "rev",
        "--help --version",
        is_tame=True,
    ),
    Program(
        "paste",
        "-d,--delimiters= -s,--serial -z,--zero-terminated --help --version",
        is_tame=True,
    ),
    Program(
        "join",
        (
            "-a= -e= -i,--ignore-case -j= -o= -t= -v= -1= -2= --check-order --nocheck-order "
            "--header -z,--zero-terminated --help --version"
        ),
        is_tame=True,
    ),
    Program(
        "fold",
        "-b,--bytes -s,--spaces -w,--width= -NUM --help --version",
        is_tame=True,
    ),
    Program(
        "fmt",
        (
            "-c,--crown-margin -p,--prefix= -s,--split-only -t,--tagged-paragraph "
            "-u,--uniform-spacing -w,--width= -g,--goal= -NUM --help --version"
        ),
        is_tame=True,
    ),
    Program(
        "expand",
        "-i,--initial -t,--tabs= -NUM --help --version",
        is_tame=True,
    ),
    Program(
        "unexpand",
        "-a,--all --first-only -t,--tabs= --help --version",
        is_tame=True,
    ),
    Program(
        "column",
        (
            "-t,--table -s,--separator= -n,--table-name= -c,--output-width= -N,--table-columns= "
            "-R,--table-right= -H,--table-hide= -T,--table-truncate= -W,--table-wrap= "
            "-o,--output-separator= -e,--table-header-repeat -x,--fillrows -L,--keep-empty-lines "
            "-J,--json --help --version"
        ),
        is_tame=True,
    ),
    Program(
        "cut",
        (
            "-b,--bytes= -c,--characters= -d,--delimiter= -f,--fields= -n --complement "
            "-s,--only-delimited --output-delimiter= -z,--zero-terminated -w --help --version"
        ),
        is_tame=True,
    ),
    Program(
        "tr",
        "-c,-C,--complement -d,--delete -s,--squeeze-repeats -t,--truncate-set1 --help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "uniq",
        (
            "-c,--count -d,--repeated -D --all-repeated[=] -f,--skip-fields= --group[=] "
            "-i,--ignore-case -s,--skip-chars= -u,--unique -z,--zero-terminated -w,--check-chars= "
            "--help --version"
        ),
        most=1,
        refused="a second operand is written to",
    ),
    Program(
        "sort",
        (
            "-b,--ignore-leading-blanks -d,--dictionary-order -f,--ignore-case "
            "-g,--general-numeric-sort -i,--ignore-nonprinting -M,--month-sort "
            "-h,--human-numeric-sort -n,--numeric-sort -R,--random-sort --random-source=path "
            "-r,--reverse --sort= -V,--version-sort -c,--check[=] -C --debug -k,--key= -m,--merge "
            "-s,--stable -S,--buffer-size= -t,--field-separator= -u,--unique -z,--zero-terminated "
            "--parallel= --batch-size= --help --version"
        ),
        refuses_globs=True,
        refused=(
            "`-o` writes, `--compress-program` runs, `-T` writes elsewhere, `--files0-from` reads "
            "names"
        ),
    ),
    Program(
        "shuf",
        (
            "-e,--echo -i,--input-range= -n,--head-count= -r,--repeat --random-source=path "
            "-z,--zero-terminated --help --version"
        ),
        refused="`-o` writes",
    ),
    Program(
        "numfmt",
        (
            "-d,--delimiter= --field= --format= --from= --from-unit= --grouping --header[=] "
            "--invalid= --padding= --round= --suffix= --to= --to-unit= -z,--zero-terminated "
            "--help --version"
        ),
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "factor",
        "-h,--exponents --help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "bc",
        "-l,--mathlib -q,--quiet -s,--standard -w,--warn -v,--version -h,--help",
        is_tame=True,
    ),
    Program(
        "seq",
        "-f,--format= -s,--separator= -w,--equal-width -NUM --help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "sleep",
        "--help --version",
        Operands.TEXT,
        is_tame=True,
    ),
)
