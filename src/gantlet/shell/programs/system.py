"""Programs that tell about the machine."""

from gantlet.shell.analysis import PathUse
from gantlet.shell.options import Parsed
from gantlet.shell.programs.spec import Operands, Program

_TERMINAL_FACTS = frozenset(
    {"bold", "cols", "colors", "dim", "lines", "longname", "rev", "setab", "setaf", "sgr0", "smul"}
)


def _check_terminal(parsed: Parsed) -> list[PathUse] | str:
    """Accept what tells about the terminal, and colours."""
    names = [word.text for word in parsed.operands]
    if names[:1] and names[0] in _TERMINAL_FACTS and all(name.isdigit() for name in names[1:]):
        return []
    return "it may set the terminal up"


SYSTEM_PROGRAMS = (
    Program(
        "uname",
        (
            "-a,--all -s,--kernel-name -n,--nodename -r,--kernel-release -v,--kernel-version "
            "-m,--machine -p,--processor -i,--hardware-platform -o,--operating-system --help "
            "--version"
        ),
        Operands.NONE,
    ),
    Program(
        "arch",
        "--help --version",
        Operands.NONE,
    ),
    Program(
        "whoami",
        "--help --version",
        Operands.NONE,
    ),
    Program(
        "logname",
        "--help --version",
        Operands.NONE,
    ),
    Program(
        "nproc",
        "--all --ignore= --help --version",
        Operands.NONE,
    ),
    Program(
        "id",
        "-a -g,--group -G,--groups -n,--name -r,--real -u,--user -z,--zero -Z --help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "groups",
        "--help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "who",
        (
            "-a,--all -b,--boot -d,--dead -H,--heading -l,--login -m -p,--process -q,--count "
            "-r,--runlevel -s,--short -t,--time -T,-w,--mesg -u,--users --help --version"
        ),
        Operands.NONE,
    ),
    Program(
        "tty",
        "-s,--silent,--quiet --help --version",
        Operands.NONE,
    ),
    Program(
        "hostname",
        "-s,--short -I,--all-ip-addresses",
        Operands.NONE,
        refused="an operand, `-F` and `-b` set the name; `-f` and others ask the network",
    ),
    Program(
        "uptime",
        "-p,--pretty -s,--since --help --version",
        Operands.NONE,
    ),
    Program(
        "free",
        (
            "-b,--bytes -k,--kibi -m,--mebi -g,--gibi -h,--human -l,--lohi -t,--total -w,--wide -v "
            "--mega --giga --tera --si --help --version"
        ),
        Operands.NONE,
    ),
    Program(
        "lscpu",
        (
            "-a,--all -b,--online -c,--offline -e,--extended[=] -p,--parse[=] -J,--json -y "
            "--output-all --help --version"
        ),
        Operands.NONE,
    ),
    Program(
        "lsblk",
        (
            "-a,--all -b,--bytes -d,--nodeps -f,--fs -i,--ascii -J,--json -l,--list -m,--perms "
            "-n,--noheadings -o,--output= -O,--output-all -p,--paths -P,--pairs -r,--raw -S,--scsi "
            "-t,--topology --help --version"
        ),
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "getconf",
        "-a",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "locale",
        "-a,--all-locales -m,--charmaps -c,--category-name -k,--keyword-name --help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "cal",
        "-1 -3 -s -m -j -y -Y -w -h -n= -M -S --help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "pgrep",
        (
            "-a,--list-full -c,--count -d,--delimiter= -f,--full -g,--pgroup= -G,--group= "
            "-i,--ignore-case -l,--list-name -n,--newest -o,--oldest -P,--parent= -s,--session= "
            "-t,--terminal= -u,--euid= -U,--uid= -v,--inverse -x,--exact --help --version"
        ),
        Operands.TEXT,
        refused="`-F` reads a file",
    ),
    Program(
        "pidof",
        "-c -q -s -x -o= -S=",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "tput",
        "",
        Operands.TEXT,
        check=_check_terminal,
        refused="`-S` reads commands; `init` and `reset` send files to the terminal",
    ),
    Program(
        "pstree",
        "-a -A -c -g -h -l -n -p -s -S -t -T -u -U -V",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "which",
        "-a,--all -s --help --version",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "whereis",
        "-b -m -s -u -l",
        Operands.TEXT,
        refused="`-B`, `-M` and `-S` look in other places",
    ),
    Program(
        "dpkg",
        (
            "-l,--list -L,--listfiles -s,--status -S,--search -p,--print-avail "
            "--print-architecture --get-selections --version"
        ),
        Operands.TEXT,
        needs=(
            "-l",
            "-L",
            "-s",
            "-S",
            "-p",
            "--print-architecture",
            "--get-selections",
            "--version",
        ),
        refused="all that installs or removes",
    ),
    Program(
        "ss",
        (
            "-t,--tcp -u,--udp -l,--listening -n,--numeric -p,--processes -a,--all -x,--unix "
            "-4,--ipv4 -6,--ipv6 -s,--summary -e,--extended -m,--memory -o,--options -i,--info "
            "-H,--no-header -w,--raw"
        ),
        Operands.NONE,
        needs=("-n",),
        refused="without `-n` names are looked up; `-K` ends connections, `-D` writes",
    ),
    Program(
        "netstat",
        (
            "-t,--tcp -u,--udp -l,--listening -n,--numeric -p,--programs -a,--all -x -r,--route "
            "-i,--interfaces -s,--statistics -e,--extend -4 -6 -w"
        ),
        Operands.NONE,
        needs=("-n",),
        refused="without `-n` names are looked up",
    ),
    Program(
        "pwd",
        "-L -P",
        Operands.NONE,
    ),
    Program(
        "type",
        "-a -f -p -P -t",
        Operands.TEXT,
        is_tame=True,
    ),
    Program(
        "ulimit",
        "-a -H -S -c -d -f -l -m -n -s -t -u -v",
        Operands.NONE,
        refused="an operand sets a limit",
    ),
    Program(
        "umask",
        "-S -p",
        Operands.NONE,
        refused="an operand sets the mask",
    ),
    Program(
        "jobs",
        "-l -n -p -r -s",
        Operands.NONE,
        refused="`-x` runs a command",
    ),
    Program(
        "dirs",
        "-l -p -v",
        Operands.NONE,
        refused="`-c` and operands change the list",
    ),
)
