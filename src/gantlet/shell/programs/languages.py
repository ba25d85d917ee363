"""Package tools that list what is there, and programs that tell their version."""

from collections.abc import Sequence

from gantlet.shell.analysis import NotKnown, ReadOnly, Word
from gantlet.shell.programs.spec import Judge, Operands, Program

#: Programs that tell their version, and the shorter ways to ask beside `--version`.
TELL_VERSION: dict[str, tuple[str, ...]] = dict.fromkeys(
    (
        *("gcc", "g++", "cc", "c++", "clang", "clang++", "cmake", "ninja", "rustup", "bun", "bash"),
        *("zsh", "sh", "fish", "curl", "wget", "sqlite3", "mysql", "vim", "nvim", "nano", "emacs"),
        *(
            "gh",
            "swift",
            "ghc",
            "julia",
            "R",
            "elixir",
            "gdb",
            "lldb",
            "convert",
            "pandoc",
            "rsync",
        ),
        *("less", "gzip", "xz", "zip"),
    ),
    (),
) | {
    "node": ("-v",),
    "nodejs": ("-v",),
    "ruby": ("-v",),
    "perl": ("-v",),
    "php": ("-v",),
    "lua": ("-v",),
    "make": ("-v",),
    "gmake": ("-v",),
    "java": ("-version",),
    "javac": ("-version",),
    "ffmpeg": ("-version",),
    "openssl": ("version",),
    "ssh": ("-V",),
    "tmux": ("-V",),
    **dict.fromkeys(("rustc", "cargo", "deno", "uv", "ruff", "psql"), ("-V",)),
    **dict.fromkeys(("python", "python2", "python3"), ("-V",)),
    **dict.fromkeys(("python3.10", "python3.11", "python3.12", "python3.13"), ("-V",)),
}


def _judge_version(name: str, shorter: tuple[str, ...]) -> Judge:
    """Return a judge that accepts the one question for the version."""

    def judge(words: Sequence[Word]) -> ReadOnly | NotKnown:
        if len(words) == 1 and words[0].is_literal and words[0].text in ("--version", *shorter):
            return ReadOnly(f"{name} --version", ())
        return NotKnown(f"{name}: only the question for its version is known to read.")

    return judge


def judge_go(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `go version` and `go env NAME`."""
    texts = [word.text for word in words]
    if any(not word.is_literal for word in words):
        return NotKnown("go: a word is not written out.")
    if texts == ["version"]:
        return ReadOnly("go version", ())
    if texts[:1] == ["env"] and all(text.isupper() and text.isalnum() for text in texts[1:]):
        return ReadOnly("go env", ())
    return NotKnown("go: it may build or fetch.")


_PIP = {
    "list": Program(
        "pip list",
        "-l,--local -e,--editable --user --format= --not-required --exclude= -v,--verbose "
        "--include-editable --exclude-editable --disable-pip-version-check --no-color",
        Operands.NONE,
        refused="`--outdated` asks the network",
    ),
    "show": Program(
        "pip show",
        "-f,--files -v,--verbose --disable-pip-version-check --no-color",
        Operands.TEXT,
    ),
    "freeze": Program(
        "pip freeze",
        "-l,--local --user --all --exclude-editable --exclude= --disable-pip-version-check",
        Operands.NONE,
    ),
    "": Program("pip --version", "-V,--version", Operands.NONE, needs=("-V",)),
}
_NPM_LIST = Program(
    "npm ls",
    "-a,--all -g,--global --depth= --json --long -l -p,--parseable --prod --production --dev "
    "--link "
    "--omit= --include= --package-lock-only",
    Operands.TEXT,
)
_NPM_PLACE = Program("npm root", "-g,--global", Operands.NONE)
_NPM = {
    "ls": _NPM_LIST,
    "list": _NPM_LIST,
    "root": _NPM_PLACE,
    "prefix": _NPM_PLACE,
    "": Program("npm --version", "-v,--version", Operands.NONE, needs=("-v",)),
}
_DOCKER_LIST = "-a,--all -q,--quiet --no-trunc -f,--filter= --format="
_DOCKER = {
    "ps": Program("docker ps", f"{_DOCKER_LIST} -n,--last= -l,--latest -s,--size", Operands.NONE),
    "images": Program("docker images", f"{_DOCKER_LIST} --digests --tree", Operands.TEXT),
    "version": Program("docker version", "-f,--format=", Operands.NONE),
    "": Program("docker --version", "-v,--version", Operands.NONE, needs=("-v",)),
}

LANGUAGE_PROGRAMS = (
    *(
        Program(
            name,
            judge=_judge_version(name, shorter),
            refused="all but the question for its version",
        )
        for name, shorter in TELL_VERSION.items()
    ),
    Program("go", judge=judge_go, refused="all but `version` and `env NAME`"),
    Program("pip", subcommands=_PIP, refused="all but `list`, `show`, `freeze`"),
    Program("pip3", subcommands=_PIP, refused="all but `list`, `show`, `freeze`"),
    Program("npm", subcommands=_NPM, refused="all that asks the network or runs"),
    Program("docker", subcommands=_DOCKER, refused="`-H`, `-c`, all that changes"),
)
