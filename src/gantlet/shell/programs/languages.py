"""Package tools that list what is there, and programs that tell their version."""

import re
from collections.abc import Sequence

from gantlet.shell.analysis import NotKnown, PathUse, ReadOnly, Word
from gantlet.shell.options import Parsed
from gantlet.shell.programs.containers import CONTAINER_PROGRAMS
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
        *("less", "xz", "zip", "mypy", "black", "isort", "gem", "brew", "terraform", "aws"),
        *("gcloud", "hugo", "protoc", "npx", "tsc", "kustomize", "minikube", "packer"),
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
    "helm": ("version",),
    "terraform": ("version", "-version", "-v"),
    "ssh": ("-V",),
    "tmux": ("-V",),
    **dict.fromkeys(("deno", "uv", "ruff", "psql"), ("-V",)),
    **dict.fromkeys(("rustc", "cargo"), ("-V", "-vV", "-Vv", "--version --verbose")),
    **dict.fromkeys(("python", "python2", "python3"), ("-V",)),
    **dict.fromkeys(("python3.10", "python3.11", "python3.12", "python3.13"), ("-V",)),
}


def _judge_version(name: str, shorter: tuple[str, ...]) -> Judge:
    """Return a judge that accepts the one question for the version."""

    def judge(words: Sequence[Word]) -> ReadOnly | NotKnown:
        asked = " ".join(word.text for word in words)
        if all(word.is_literal for word in words) and asked in ("--version", *shorter):
            return ReadOnly(f"{name} --version", ())
        return NotKnown(f"{name}: only the question for its version is known to read.")

    return judge


#: What `go` only lists. Its options are words behind one dash or two.
_GO_FLAG = re.compile(r"--?([a-z]+)(?:=(.*))?", re.DOTALL)
_GO_NAME = re.compile(r"(?!/|~)[\w./@*-]+")
_ANY_VALUE = re.compile(r".*", re.DOTALL)
#: Values that options must have; all fields at once would include how git stands.
_GO_VALUES = {"mod": re.compile("readonly|vendor"), "json": re.compile(r"(?!.*Stale)[A-Za-z,]+")}
_GO_LISTS: dict[tuple[str, ...], frozenset[str]] = {
    ("list",): frozenset({"m", "f", "json", "deps", "e", "find", "test", "mod"}),
    ("mod", "graph"): frozenset(),
    ("mod", "why"): frozenset({"m", "vendor"}),
    ("doc",): frozenset({"all", "c", "cmd", "short", "src", "u"}),
}


def _judge_go_list(flags: frozenset[str], words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept a list with options that neither build nor fetch; `-f` has a value.

    Of modules, all fields may be shown: git is asked about packages only.
    """
    waiting = [word.text for word in words]
    if "-m" in waiting:
        waiting = [text for text in waiting if text != "-json"]
    while waiting:
        text = waiting.pop(0)
        found = _GO_FLAG.fullmatch(text)
        if found is None:
            if _GO_NAME.fullmatch(text) is None or ".." in text.split("/"):
                return NotKnown(f"go: {text!r} may be elsewhere.")
            continue
        name, value = found.groups()
        if name not in flags or not _GO_VALUES.get(name, _ANY_VALUE).fullmatch(value or ""):
            return NotKnown(f"go: -{name} may build, fetch or write.")
        if name == "f" and value is None and waiting:
            waiting.pop(0)
    return ReadOnly("go list", (PathUse(".", is_tree=True),))


def judge_go(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `go version`, `go env NAME`, and lists of packages and modules."""
    texts = [word.text for word in words]
    if any(not word.is_literal for word in words):
        return NotKnown("go: a word is not written out.")
    for name, listing in _GO_LISTS.items():
        if texts[: len(name)] == list(name):
            return _judge_go_list(listing, words[len(name) :])
    if texts == ["version"]:
        return ReadOnly("go version", ())
    names = [text for text in texts[1:] if text != "-json"]
    if texts[:1] == ["env"] and all(text.isupper() and text.isalnum() for text in names):
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
    "check": Program("pip check", "--disable-pip-version-check --no-color", Operands.NONE),
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
_NPM_WHY = Program("npm explain", "--json -g,--global", Operands.TEXT)


def _npm_setting(parsed: Parsed) -> list[PathUse] | str:
    """Accept names of settings that hold no secret."""
    is_plain = all(_PLAIN_SETTING.fullmatch(word.text) for word in parsed.operands)
    return [] if is_plain and parsed.operands else "a setting may hold a secret"


_PLAIN_SETTING = re.compile(r"(?!.*(?:auth|token|pass|key|cert|user|email|otp))[a-z][a-z-]*")
_NPM = {
    "explain": _NPM_WHY,
    "why": _NPM_WHY,
    "config": Program(
        "npm config",
        subcommands={
            "get": Program("npm config get", "", Operands.TEXT, check=_npm_setting),
        },
    ),
    "pkg": Program("npm pkg", subcommands={"get": Program("npm pkg get", "--json", Operands.TEXT)}),
    "ls": _NPM_LIST,
    "list": _NPM_LIST,
    "run": Program("npm run", "--json", Operands.NONE, refused="an operand runs a script"),
    "root": _NPM_PLACE,
    "prefix": _NPM_PLACE,
    "": Program("npm --version", "-v,--version", Operands.NONE, needs=("-v",)),
}
_CARGO_COMMON = (
    "-q,--quiet -v,--verbose --offline --locked --frozen --all-features --no-default-features "
    "-F,--features= --color="
)
#: What cargo only reads, where no project names a compiler of its own.
CARGO = Program(
    "cargo",
    subcommands={
        "tree": Program(
            "cargo tree",
            f"{_CARGO_COMMON} -d,--duplicates -e,--edges= -i,--invert= --depth= --prefix= "
            "--no-dedupe --charset= -f,--format= -p,--package= --workspace --exclude= --prune= "
            "--target=",
            Operands.NONE,
        ),
        "metadata": Program(
            "cargo metadata",
            f"{_CARGO_COMMON} --no-deps --format-version= --filter-platform=",
            Operands.NONE,
        ),
        "pkgid": Program("cargo pkgid", f"{_CARGO_COMMON} -p,--package=", Operands.TEXT),
        "locate-project": Program(
            "cargo locate-project", f"{_CARGO_COMMON} --workspace --message-format=", Operands.NONE
        ),
    },
)

LANGUAGE_PROGRAMS = (
    *(
        Program(
            name,
            judge=_judge_version(name, shorter),
            refused="all but the question for its version",
        )
        for name, shorter in TELL_VERSION.items()
    ),
    Program("go", judge=judge_go, refused="all that builds, fetches or writes"),
    Program("pip", subcommands=_PIP, refused="all but `list`, `show`, `freeze`, `check`"),
    Program("pip3", subcommands=_PIP, refused="all but `list`, `show`, `freeze`, `check`"),
    Program("npm", subcommands=_NPM, refused="all that asks the network or runs"),
    *CONTAINER_PROGRAMS,
)
