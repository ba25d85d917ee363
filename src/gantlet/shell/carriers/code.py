"""Interpreters with their code on the command line, and options whose value is a command."""

import re
from collections.abc import Sequence

from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.carriers.git_code import read_git
from gantlet.shell.carriers.load import MAX_GUESSED_WORDS, Load, carried
from gantlet.shell.carriers.running import RunningOptions, read_options, running
from gantlet.shell.options import parse_arguments
from gantlet.shell.programs.awk_program import AWK_OPTIONS, AwkProblem, awk_problem
from gantlet.shell.programs.sed_script import SED_OPTIONS, SedScript, read_sed_script

#: Which options are followed by code, for each interpreter without its version.
_CODE_OPTIONS: dict[str, str] = {
    "python": "c", "pypy": "c", "perl": "eE", "ruby": "e", "node": "ep", "nodejs": "ep",
    "bun": "e", "deno": "", "php": "rBRE", "lua": "e", "luajit": "e", "tclsh": "", "expect": "c",
    "osascript": "e", "julia": "eE", "Rscript": "e", "R": "e", "groovy": "e", "scala": "e",
    "ghc": "e", "guile": "c", "racket": "e", "elixir": "e", "erl": "", "swift": "e", "jshell": "",
    "vim": "cS", "vi": "c", "nvim": "c", "ex": "c", "view": "c", "emacs": "", "ed": "",
    "sqlite3": "", "psql": "c", "mysql": "e", "irb": "e", "pry": "e", "dc": "e", "m4": "",
    "make": "", "gmake": "", "gawk": "", "ipython": "c",
    "tsx": "ep", "ts-node": "ep", "esno": "e", "mix": "e", "iex": "e", "clojure": "e", "clj": "e",
    "kotlin": "e", "sbcl": "", "ocaml": "e", "octave": "", "gnuplot": "e", "raku": "e",
}  # fmt: skip
#: All of them; the last two have code that names files and runs nothing.
INTERPRETERS = frozenset(_CODE_OPTIONS) | {"awk", "mawk", "nawk", "original-awk", "sed", "gsed"}
INTERPRETERS |= {"bc", "jq"}

_VERSION = re.compile(r"[0-9.]+$")
_RUNS = re.compile(
    r"system|exec|popen|spawn|subprocess|child_process|qx|%x|`|Kernel|Open3|passthru|proc_open"
    r"|pcntl|pty\b|__import__|importlib|getattr|builtins|ctypes|\beval\b|\bcompile\b|\brunpy\b"
    r"|fork|sysc(?:all|md)|\bos\b|shutil|Process|Runtime|(?m:^|[;|\"' ])\s{0,8}:?!|shell|\bsh\b"
    r"|\bopen\b[^\n]{0,200}\||asyncio|multiprocessing|Command|run\(|call\(|base64|codecs|decode",
    re.IGNORECASE,
)
_WORD_BREAKS = re.compile(r"[\s'\"`,()\[\]{}<>;|&=+!]+")
_SEPARATOR = re.compile(r"[;\n]|&&|\|\||\|")


#: Options whose value is a command, for each program.
_RUNNING_OPTIONS: dict[str, RunningOptions] = {
    "tar": running(
        *("--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command"),
        *("-F", "--info-script", "--new-volume-script"),
    ),
    "rsync": running("-e", "--rsh", "--rsync-path"),
    "scp": running("-S", "-o"),
    "sftp": running("-D", "-S", "-o"),
    "hg": running("--config"),
    "strace": running("-o", "--output"),
    "man": running("-P", "--pager", "-H"),
    "sort": running("--compress-program"),
    "rg": running("--pre", "--hostname-bin"),
    "zip": running("-TT", "--unzip-command"),
    "split": running("--filter"),
    "tcpdump": running("-z"),
    "go": running("-exec", "--exec", "-toolexec", "-vettool"),
    "gdb": running("-ex", "-iex", "--eval-command"),
    "lldb": running("-o", "--one-line", "-O"),
    "nmap": running("--script"),
    "dpkg": running("--pre-invoke", "--post-invoke"),
    "apt": running("-o"),
    "apt-get": running("-o"),
    "wget": running("--use-askpass"),
    "crontab": running("-e"),
    "mutt": running("-e"),
    "emacs": running("--eval", "--execute"),
    "deno": running("eval"),
    "npm": running("--script-shell"),
    "cargo": running("--config"),
    "ansible": running("-a"),
    "sqlite3": running("-cmd"),
    "tmux": running("-c"),
    "ssh-keygen": running("-D"),
    "xterm": running("-e"),
    "gnome-terminal": running("-e", "--command"),
    "konsole": running("-e"),
    **dict.fromkeys(
        ("nc", "ncat", "netcat", "nc.traditional", "socat"),
        running("-e", "-c", "--exec", "--sh-exec", "--lua-exec"),
    ),
    "less": running("-P"),
    "more": running("-P"),
    "nu": running("-c", "-e", "--commands", "--execute"),
    **dict.fromkeys(("cmd", "cmd.exe"), RunningOptions(names=("/c", "/C", "/k", "/K"))),
    "powershell": running("-c", "-Command", "-command", "-EncodedCommand"),
    "pwsh": running("-c", "-Command", "-command"),
    "powershell.exe": running("-c", "-Command", "-command"),
}

#: Programs that run what they read, now or later.
_HANDED = frozenset({"at", "batch", "crontab", "gmake", "make"})
#: Programs whose variables are set by words, and hold the names of programs.
_MAKERS = frozenset({"gmake", "make"})
#: Programs in which `!`, `+!` or `EXEC:` begins a command.
_ESCAPING = frozenset({"less", "more", "man", "psql", "mysql", "mariadb", "socat", "vim", "vi"})
_ESCAPE = re.compile(r"^\+?:?!(.+)|\\!(.+)|^(?:EXEC|SYSTEM|SHELL):([^,]+)", re.DOTALL | re.I)
#: Programs that may carry something here.
CODE_PROGRAMS = frozenset(_RUNNING_OPTIONS) | INTERPRETERS | {"git"} | _HANDED | _ESCAPING


def base_name(name: str) -> str:
    """Return an interpreter's name without its version."""
    return _VERSION.sub("", name) if name[-1:].isdigit() and name not in _CODE_OPTIONS else name


def read_code(name: str, command: SimpleCommand, stdin: Sequence[str], load: Load) -> None:
    """Add what an interpreter's code, or an option, runs; do nothing for other programs."""
    if name in _RUNNING_OPTIONS:
        read_options(command, _RUNNING_OPTIONS[name], load)
    if name in _ESCAPING:
        _read_escapes(command, load)
    if name in _HANDED:
        _read_handed(command, stdin, load)
    if name in ("awk", "gawk", "mawk", "nawk", "original-awk"):
        _read_awk(command, load)
    elif name in ("sed", "gsed"):
        _read_sed(command, load)
    elif name == "git":
        read_git(command, load)
    elif base_name(name) in _CODE_OPTIONS:
        _read_interpreter(command, _CODE_OPTIONS[base_name(name)], stdin, load)


def _read_interpreter(
    command: SimpleCommand, letters: str, stdin: Sequence[str], load: Load
) -> None:
    """Search all text that may be code; the interpreter's own options are not followed."""
    texts = [redirect.target for redirect in command.redirects if redirect.operator[:2] == "<<"]
    for word in texts:
        _search(command, word, load)
    for text in stdin:
        _search(command, Word(text, is_literal=True, raw=text), load)
    words = command.argv[1:]
    for index, word in enumerate(words):
        before = words[index - 1].text if index else ""
        is_code = (
            before.startswith("-") and bool(set(before.lstrip("-")[-1:]) & set(letters))
        ) or before in ("--eval", "--print", "--execute", "eval", "--cmd", "-Command")
        if is_code and not word.is_literal:
            load.doubts.append(f"The code for {command.program} is not written out.")
        if is_code or len(word.text) > 2:
            _search(command, word, load)


def _search(command: SimpleCommand, word: Word, load: Load) -> None:
    """Guess at the commands in code that may start some."""
    if not _RUNS.search(word.text) or not re.search(r"[\s(]|^[-+:].*!|`", word.text):
        return
    load.doubts.append(f"Code for {command.program} may run commands.")
    guess_commands(command, word.text, f"{command.program} code", load)


def guess_commands(command: SimpleCommand, text: str, way: str, load: Load) -> None:
    """Add a command for every word of a text, whatever its quotes and brackets mean."""
    budget = 400
    for piece in _SEPARATOR.split(text):
        words = [
            Word(token, is_literal=True, raw=token) for token in _WORD_BREAKS.split(piece) if token
        ]
        for start in range(min(len(words), budget)):
            run = words[start : start + MAX_GUESSED_WORDS]
            load.guesses.append(carried(command, run, way))
        budget -= min(len(words), budget)


def _read_escapes(command: SimpleCommand, load: Load) -> None:
    """Add what stands behind the sign with which a program hands a command to a shell."""
    for word in command.argv[1:]:
        found = _ESCAPE.search(word.text)
        if found is not None:
            load.doubts.append(f"{command.program} may run a command.")
            load.add_script(command, next(filter(None, found.groups())), f"{command.program} !")


def _read_handed(command: SimpleCommand, stdin: Sequence[str], load: Load) -> None:
    """Add what is in a table, a makefile or a script that is handed over as text."""
    name = command.program or ""
    if name in _MAKERS:
        _read_variables(command, load)
    texts = [one.target.text for one in command.redirects if one.operator.startswith("<<")]
    for text in (*texts, *stdin):
        load.doubts.append(f"{name} runs what it is given.")
        load.add_script(command, text, name)
        guess_commands(command, text.replace(":", ";"), name, load)


def _read_variables(command: SimpleCommand, load: Load) -> None:
    """Add what variables of a makefile name: a shell, a compiler."""
    for word in command.argv[1:]:
        name, equals, value = word.text.partition("=")
        if equals and not name.startswith("-"):
            load.add_script(command, value, "make variable")


def _read_awk(command: SimpleCommand, load: Load) -> None:
    parsed = parse_arguments(command.argv[1:], AWK_OPTIONS, permutes=False)
    programs = command.argv[1:] if parsed.problem else parsed.operands[:1]
    for word in programs:
        problem = awk_problem(word.text)
        if problem in (AwkProblem.RUNS, AwkProblem.UNCLEAR):
            load.doubts.append("An awk program may run commands.")
            guess_commands(command, word.text, "awk code", load)
            for setting in parsed.values("-v"):
                load.add_script(command, setting.text.partition("=")[2], "awk variable")


def _read_sed(command: SimpleCommand, load: Load) -> None:
    parsed = parse_arguments(command.argv[1:], SED_OPTIONS)
    scripts = list(command.argv[1:])
    if not parsed.problem:
        scripts = parsed.values("-e") or ([] if parsed.has("-f") else parsed.operands[:1])
    for word in scripts:
        if read_sed_script(word.text) in (SedScript.RUNS, SedScript.UNCLEAR):
            load.doubts.append("A sed script may run commands.")
            guess_commands(command, word.text, "sed code", load)
