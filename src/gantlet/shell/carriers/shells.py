"""Shells, and the builtins that hand text to one."""

import re
from collections.abc import Callable, Sequence

from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.carriers.load import Load, joined
from gantlet.shell.options import Grammar, Parsed, parse_arguments

SHELLS = frozenset(
    {
        *("sh", "bash", "dash", "zsh", "ksh", "ksh93", "mksh", "pdksh", "ash", "rbash", "yash"),
        *("fish", "tcsh", "csh", "posh", "hush", "pwsh", "powershell", "osh", "elvish", "xonsh"),
        "newgrp",
    }
)
#: Programs that hand what they read to a shell on another machine.
_REMOTE = frozenset({"ssh", "dbclient", "rsh"})
#: Shells whose first word is no script.
_LOGIN_SHELLS = frozenset({"newgrp"})

_SHELL = Grammar(
    "-a -b -c -e -f -h -i -k -l -m -n -p -r -s -t -u -v -x -B -C -D -E -H -P -T -o= -O= --login "
    "--posix --noprofile --norc --verbose --restricted --noediting --debugger --dump-strings "
    "--dump-po-strings --help --version --rcfile= --init-file= --no-rcs --emulate="
)
#: Builtins that evaluate a word as a name with an index, which may run commands.
_EVALUATING = frozenset(
    {
        *(
            "test",
            "[",
            "[[",
            "((",
            "let",
            "declare",
            "typeset",
            "local",
            "readonly",
            "export",
            "unset",
        ),
        *("read", "printf", "getopts", "wait", "mapfile", "readarray", "compgen", "complete"),
    }
)
#: The operators with which a test evaluates its operands.
_EVALUATING_OPERATORS = {
    "test": frozenset({"-v", "-R"}),
    "[": frozenset({"-v", "-R"}),
    "[[": frozenset({"-v", "-R", "-o", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"}),
}
_EVALUATED = re.compile(r"[`$]|\[[^\]]*[^\]\w\s*@'\"-]")
_SAFE_SET = re.compile(r"[-+][eufxvhBCE]+")
_SAFE_SET_NAMES = frozenset({"pipefail", "errexit", "nounset", "xtrace", "verbose", "noglob"})
_SCRIPT_VARIABLES = re.compile(
    r"(?:[A-Z]+_)*(?:(?:MAN)?PAGER|EDITOR|VISUAL|BROWSER|COMMAND|ASKPASS|SSH|DIFF|LESSOPEN|PS4"
    r"|LESSCLOSE|PROMPT_COMMAND|BASH_ENV|ENV|SHELL)"
)


def read_shell(name: str, command: SimpleCommand, stdin: Sequence[str], load: Load) -> None:
    """Add the scripts that shells and builtins get; do nothing for other programs."""
    _read_variables(command, load)
    if name in SHELLS:
        _read_shell(command, stdin, load)
        return
    if name in _REMOTE:
        _add_texts(command, stdin, load)
    builtin = _BUILTINS.get(name)
    if builtin is not None:
        builtin(command, load)
    if name in ("source", ".") and any(_is_stdin(word) for word in command.argv[1:]):
        _add_stdin(command, stdin, load)
    if name in _EVALUATING:
        _read_evaluated(command, load)


def _read_variables(command: SimpleCommand, load: Load) -> None:
    """Add what variables in front of a command have programs run."""
    for assignment in command.assignments:
        if _SCRIPT_VARIABLES.fullmatch(assignment.name):
            load.add_script(command, assignment.value.text, "variable")
        elif assignment.name.startswith("GIT_CONFIG_"):
            load.doubts.append("git may run a command of its configuration.")
            load.add_script(command, f"git {assignment.value.text}", "git alias")


def _read_shell(command: SimpleCommand, stdin: Sequence[str], load: Load) -> None:
    words = [word for word in command.argv[1:] if not word.text.startswith("+")]
    parsed = parse_arguments(words, _SHELL, permutes=False, abbreviates=True)
    way = f"{command.program} -c" if command.program == "bash" else "sh -c"
    operands = words[parsed.rest :]
    if parsed.problem or parsed.is_unsure:
        load.doubts.append("The options of a shell are not understood.")
        for word in words:
            load.add_script(command, word.text, way)
        load.add_any(command, words, way)
        return
    if parsed.has("-c"):
        _add_text(command, operands, way, load)
        return
    if _reads_stdin(parsed, operands) or command.program in _LOGIN_SHELLS:
        _add_stdin(command, stdin, load)
    elif operands and not operands[0].is_literal:
        load.doubts.append("A shell runs a file whose name is not written out.")


def _reads_stdin(parsed: Parsed, operands: Sequence[Word]) -> bool:
    if parsed.has("--version", "--help"):
        return False
    return not operands or parsed.has("-s") or _is_stdin(operands[0])


def _is_stdin(word: Word) -> bool:
    """Return whether a shell's script is what it is handed; of which it is, any text will do."""
    return word.text in ("-", "/dev/stdin") or word.text.startswith(("/dev/fd/", "/proc/self/fd/"))


def _add_text(command: SimpleCommand, operands: Sequence[Word], way: str, load: Load) -> None:
    """Add the script after `-c`, and its arguments, which it may run."""
    if not operands:
        return
    script, *arguments = operands
    load.add_script(command, script.text, way)
    if not script.is_literal:
        load.doubts.append("A script is not written out.")
    if arguments and "$" in script.text:
        load.add_command(command, arguments, way)
        load.add_command(command, arguments[1:], way)


def _add_stdin(command: SimpleCommand, stdin: Sequence[str], load: Load) -> None:
    """Add the texts that may reach a shell on its standard input, and doubt all others."""
    texts = _add_texts(command, stdin, load)
    if any(not target.is_literal for target in texts) or not texts:
        load.doubts.append("A shell runs what it reads.")


def _add_texts(command: SimpleCommand, stdin: Sequence[str], load: Load) -> list[Word]:
    """Add the texts that are written out, and return those that are handed over here."""
    texts = [redirect.target for redirect in command.redirects if redirect.operator[:2] == "<<"]
    for target in texts:
        load.add_script(command, target.text, "stdin")
    for text in stdin:
        load.add_script(command, text, "stdin")
    return texts


def _read_evaluated(command: SimpleCommand, load: Load) -> None:
    """Doubt words that a builtin evaluates although they are quoted."""
    name = command.program or ""
    texts = [word.text for word in command.argv]
    if name == "printf" and not any(text.startswith("-v") for text in texts[1:2]):
        return
    if name in _EVALUATING_OPERATORS and not _EVALUATING_OPERATORS[name] & set(texts):
        return
    for word in command.argv[1:]:
        if word.is_literal and _EVALUATED.search(word.text) and _is_name(name, word):
            load.doubts.append(f"`{name}` evaluates a word, which may run commands.")
            load.add_script(command, word.text, "evaluation")


def _is_name(program: str, word: Word) -> bool:
    """Return whether the word is a name to the builtin, and not merely text."""
    if program in ("export", "declare", "typeset", "local", "readonly"):
        return "[" in word.text.partition("=")[0]
    return True


def _eval(command: SimpleCommand, load: Load) -> None:
    words = command.argv[1:]
    if any(not word.is_literal for word in words):
        load.doubts.append("`eval` gets text that is not written out.")
    if words and words[0].text == "--":
        words = words[1:]
    load.add_script(command, joined(words), "eval")


def _trap(command: SimpleCommand, load: Load) -> None:
    words = [word for word in command.argv[1:] if word.text != "--"]
    if words and not words[0].text.startswith("-"):
        load.add_script(command, words[0].text, "trap")
        if not words[0].is_literal:
            load.doubts.append("`trap` gets text that is not written out.")


def _alias(command: SimpleCommand, load: Load) -> None:
    load.doubts.append("An alias changes what names mean.")
    for word in command.argv[1:]:
        load.add_script(command, word.text.partition("=")[2], "alias")


def _changes_names(command: SimpleCommand, load: Load) -> None:
    if len(command.argv) > 1:
        load.doubts.append(f"`{command.program}` changes what names mean.")


def _callbacks(command: SimpleCommand, load: Load) -> None:
    load.doubts.append(f"`{command.program}` may run commands of its own.")
    for word in command.argv[1:]:
        load.add_script(command, word.text, command.program or "")


def _set(command: SimpleCommand, load: Load) -> None:
    """Doubt `set`, unless it only makes the shell stricter or more talkative."""
    words = [word.text for word in command.argv[1:]]
    is_safe = all(
        _SAFE_SET.fullmatch(text.replace("o", "") + ("e" if text in ("-o", "+o") else ""))
        or text in _SAFE_SET_NAMES
        for text in words
    )
    if not words or not is_safe:
        load.doubts.append("`set` changes how the shell reads commands.")


def _declare(command: SimpleCommand, load: Load) -> None:
    """Doubt declarations that give names a special meaning."""
    for word in command.argv[1:]:
        text = word.text
        if text.startswith("-") and set(text) - set("-xrgp"):
            load.doubts.append(f"`{command.program} {text}` gives names a special meaning.")


_BUILTINS: dict[str, Callable[[SimpleCommand, Load], None]] = {
    "eval": _eval,
    "trap": _trap,
    "alias": _alias,
    "unalias": _changes_names,
    "hash": _changes_names,
    "enable": _changes_names,
    "shopt": _changes_names,
    "set": _set,
    "declare": _declare,
    "typeset": _declare,
    "local": _declare,
    "readonly": _declare,
    "export": _declare,
    "bind": _callbacks,
    "complete": _callbacks,
    "compgen": _callbacks,
    "compopt": _callbacks,
    "mapfile": _callbacks,
    "readarray": _callbacks,
    "fc": _callbacks,
}

#: Programs that may carry something here.
SHELL_PROGRAMS = SHELLS | frozenset(_BUILTINS) | _EVALUATING | _REMOTE | {"source", "."}
