"""Interpreters with their code on the command line, and options whose value is a command."""

import re
from collections.abc import Sequence
from itertools import dropwhile

from gantlet.messages.value import value
from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.carriers.load import MAX_GUESSED_WORDS, Load, carried, joined
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
    "make": "", "gmake": "", "gawk": "", "bc": "", "ipython": "c", "jq": "",
}  # fmt: skip
INTERPRETERS = frozenset(_CODE_OPTIONS) | {"awk", "mawk", "nawk", "original-awk", "sed", "gsed"}

_VERSION = re.compile(r"[0-9.]+$")
_RUNS = re.compile(
    r"system|exec|popen|spawn|subprocess|child_process|qx|%x|`|Kernel|Open3|passthru|proc_open"
    r"|pcntl|pty\b|__import__|importlib|getattr|builtins|ctypes|\beval\b|\bcompile\b|\brunpy\b"
    r"|fork|syscall|\bos\b|shutil|Process|Runtime|(?m:^|[;|\"' ])\s{0,8}:?!|shell|\bsh\b"
    r"|\bopen\b[^\n]{0,200}\||asyncio|multiprocessing|Command|run\(|call\(|base64|codecs|decode",
    re.IGNORECASE,
)
_WORD_BREAKS = re.compile(r"[\s'\"`,()\[\]{}<>;|&=+!]+")
_SEPARATOR = re.compile(r"[;\n]|&&|\|\||\|")


@value
class RunningOptions:
    """Options whose value is a command: single letters, and longer names."""

    letters: str = ""
    names: tuple[str, ...] = ()

    def value(self, text: str, following: Sequence[Word]) -> str:
        """Return the command in an option, also clustered, attached or abbreviated."""
        if text in self.names:
            return joined(following)
        if text.partition("=")[0] in self.names:
            return text.partition("=")[2]
        if text.startswith("--"):
            given, equals, attached = text.partition("=")
            if len(given) < 4 or not any(name.startswith(given) for name in self.names):
                return ""
            return attached if equals else joined(following)
        if text.startswith("-"):
            for at, letter in enumerate(text[1:], start=2):
                if letter in self.letters:
                    return text[at:] or joined(following)
        return ""


def _running(*options: str) -> RunningOptions:
    letters = "".join(option[1] for option in options if len(option) == 2)
    return RunningOptions(letters, tuple(option for option in options if len(option) > 2))


#: Options whose value is a command, for each program.
_RUNNING_OPTIONS: dict[str, RunningOptions] = {
    "tar": _running(
        *("--to-command", "--checkpoint-action", "-I", "--use-compress-program", "--rsh-command"),
        *("-F", "--info-script", "--new-volume-script"),
    ),
    "rsync": _running("-e", "--rsh", "--rsync-path"),
    "scp": _running("-S", "-o"),
    "sftp": _running("-S", "-o"),
    "man": _running("-P", "--pager", "-H"),
    "sort": _running("--compress-program"),
    "rg": _running("--pre", "--hostname-bin"),
    "zip": _running("-TT", "--unzip-command"),
    "split": _running("--filter"),
    "tcpdump": _running("-z"),
    "go": _running("-exec", "--exec", "-toolexec", "-vettool"),
    "gdb": _running("-ex", "-iex", "--eval-command"),
    "lldb": _running("-o", "--one-line", "-O"),
    "nmap": _running("--script"),
    "dpkg": _running("--pre-invoke", "--post-invoke"),
    "apt": _running("-o"),
    "apt-get": _running("-o"),
    "wget": _running("--use-askpass"),
    "crontab": _running("-e"),
    "mutt": _running("-e"),
    "emacs": _running("--eval", "--execute"),
    "deno": _running("eval"),
    "npm": _running("--script-shell"),
    "cargo": _running("--config"),
    "ansible": _running("-a"),
    "sqlite3": _running("-cmd"),
    "tmux": _running("-c"),
    "ssh-keygen": _running("-D"),
    "xterm": _running("-e"),
    "gnome-terminal": _running("-e", "--command"),
    "konsole": _running("-e"),
    **dict.fromkeys(
        ("nc", "ncat", "netcat", "nc.traditional", "socat"),
        _running("-e", "-c", "--exec", "--sh-exec", "--lua-exec"),
    ),
    "less": _running("-P"),
    "more": _running("-P"),
    "nu": _running("-c", "-e", "--commands", "--execute"),
    **dict.fromkeys(("cmd", "cmd.exe"), RunningOptions(names=("/c", "/C", "/k", "/K"))),
    "powershell": _running("-c", "-Command", "-command", "-EncodedCommand"),
    "pwsh": _running("-c", "-Command", "-command"),
    "powershell.exe": _running("-c", "-Command", "-command"),
}

#: How words begin that give a command of git another name.
_ALIAS = ("alias.", "-calias.")
#: The same for git, by subcommand.
_GIT_OPTIONS: dict[str, RunningOptions] = {
    "rebase": _running("-x", "--exec"),
    "difftool": _running("-x", "--extcmd"),
    "grep": _running("-O", "--open-files-in-pager"),
    "filter-branch": _running(
        *("--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--parent-filter"),
        *("--commit-filter", "--tag-name-filter", "--setup"),
    ),
    "push": _running("--receive-pack", "--exec"),
    "archive": _running("--exec"),
    "send-email": _running(
        *("--sendmail-cmd", "--smtp-server", "--to-cmd", "--cc-cmd", "--header-cmd"),
    ),
    "instaweb": _running("-d", "--httpd", "-b", "--browser"),
    **dict.fromkeys(
        ("clone", "fetch-pack", "ls-remote", "fetch", "pull"), _running("-u", "--upload-pack")
    ),
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
        _read_options(command, _RUNNING_OPTIONS[name], load)
    if name in _ESCAPING:
        _read_escapes(command, load)
    if name in _HANDED:
        _read_handed(command, stdin, load)
    if name in _MAKERS:
        _read_variables(command, load)
    if name in ("awk", "gawk", "mawk", "nawk", "original-awk"):
        _read_awk(command, load)
    elif name in ("sed", "gsed"):
        _read_sed(command, load)
    elif name == "git":
        _read_git(command, load)
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


def _read_options(command: SimpleCommand, names: RunningOptions, load: Load) -> None:
    words = command.argv[1:]
    for index, word in enumerate(words):
        value = names.value(word.text, words[index + 1 : index + 2])
        if value:
            way = f"{command.program} option"
            load.add_script(command, value, way)
            load.add_script(command, value.partition("=")[2].lstrip("!").strip("\"' "), way)
            if value.startswith(("shell ", "platform shell ", "!")):  # how debuggers run a command
                inner = value.removeprefix("platform ").removeprefix("shell").lstrip("!")
                load.add_script(command, inner, way)


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


def _read_git(command: SimpleCommand, load: Load) -> None:
    """Add what git hands to a shell: configuration, aliases, `bisect run`, and so on."""
    words = command.argv[1:]
    for index, word in enumerate(words):
        text = word.text
        if text.startswith(_ALIAS):
            _add_alias(command, text, words[index + 1 :], load)
        elif text in ("-c", "--config", "--config-env") and index + 1 < len(words):
            _add_setting(command, words[index + 1].text, load)
        elif text.startswith(("-c", "--config=")) and "=" in text:
            _add_setting(command, text.removeprefix("--config=").removeprefix("-c"), load)
        elif text.startswith("ext::"):
            address = text[len("ext::") :]
            load.add_script(command, address, "git ext::")
            load.add_script(command, address.replace("%", ""), "git ext::")  # `% ` is a blank
        elif "=!" in text or text.startswith("!"):
            load.doubts.append("git may run a command of its configuration.")
            load.add_script(command, text.partition("!")[2], "git alias")
        elif text in _GIT_OPTIONS:
            _read_options(command, _GIT_OPTIONS[text], load)
        elif text in ("bisect", "submodule"):
            _add_each(command, words[index + 1 :], load)


def _add_alias(
    command: SimpleCommand, text: str, following: Sequence[Word], load: Load
) -> None:
    """Add what another name for a command of git stands for, with the words behind its use."""
    name, equals, value = text.removeprefix("-c").partition("=")
    rest = following if equals else following[1:]
    value = value if equals else joined(following[:1])
    load.doubts.append("git may run a command of its configuration.")
    texts = [word.text for word in rest]
    short = name.removeprefix("alias.")
    words = joined(rest[texts.index(short) + 1 :]) if short in texts else ""
    script = value[1:] if value.startswith("!") else f"git {value}"
    load.add_script(command, f"{script} {words}", "git alias")


def _add_setting(command: SimpleCommand, text: str, load: Load) -> None:
    """Add the value of a setting, which may be a command."""
    value = text.partition("=")[2]
    if value.startswith("!"):
        load.doubts.append("git may run a command of its configuration.")
    if " " in value or value.startswith("!") or "/" in value:
        load.add_script(command, value.lstrip("!"), "git -c")


def _add_each(command: SimpleCommand, words: Sequence[Word], load: Load) -> None:
    """Add the command of `bisect run` or `submodule foreach`."""
    if words and words[0].text in ("run", "foreach"):
        rest = list(dropwhile(lambda word: word.text.startswith("-"), words[1:]))
        load.add_command(command, rest, f"git {words[0].text}")
        load.add_script(command, joined(rest), f"git {words[0].text}")
