"""What wrappers run."""

from collections.abc import Callable

from gantlet.messages.value import replace
from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.carriers.finding import add_found, find_command
from gantlet.shell.carriers.load import Load, joined
from gantlet.shell.carriers.odd_wrappers import ODD_WRAPPERS
from gantlet.shell.carriers.wrappers import WRAPPERS

#: What `xargs` appends to its words: nobody can say.
_MORE_WORDS = Word("", is_literal=False, raw="", can_split=True)


def unwrap(name: str, command: SimpleCommand, load: Load) -> None:
    """Add what a wrapper runs; do nothing for other programs."""
    special = _SPECIAL.get(name)
    if special is not None:
        special(command, load)
        return
    wrapper = WRAPPERS.get(name)
    if wrapper is None:
        return
    found = find_command(command, wrapper)
    if found is None:
        return
    add_found(command, wrapper, found, load)


def _unwrap_env(command: SimpleCommand, load: Load) -> None:
    """Add the command of `env`; `-S` splits a string into words first."""
    found = find_command(command, WRAPPERS["env"])
    if found is None:
        return
    splits = found.parsed.values("-S")
    if splits:
        load.doubts.append("`env -S` splits a string by rules of its own.")
        text = " ".join([*(value.text for value in splits), joined(command.argv[found.start :])])
        load.add_script(command, text, "env -S")
        load.add_script(command, text.replace("\\_", " ").replace("\\c", " "), "env -S")
        load.add_script(command, f"env {text}", "env -S")
    add_found(command, WRAPPERS["env"], found, load)


def _unwrap_command(command: SimpleCommand, load: Load) -> None:
    """Add the command of `command`, unless it only asks where one is."""
    options = [word.text for word in command.argv[1:] if word.text.startswith("-")]
    if any(letter in "vV" for option in options[:1] for letter in option):
        return
    found = find_command(command, WRAPPERS["command"])
    if found is not None:
        add_found(command, WRAPPERS["command"], found, load)


def _unwrap_sudo(command: SimpleCommand, load: Load) -> None:
    """Add the command of `sudo`; with `-s` or `-i` a shell gets it."""
    found = find_command(command, WRAPPERS["sudo"])
    if found is None:
        return
    if found.parsed.has("-s", "-i"):
        load.add_script(command, joined(command.argv[found.start :]), "sudo")
    add_found(command, WRAPPERS["sudo"], found, load)


def _unwrap_xargs(command: SimpleCommand, load: Load) -> None:
    """Add the command of `xargs` with words that nobody knows."""
    found = find_command(command, WRAPPERS["xargs"])
    if found is None:
        return
    words = list(command.argv[found.start :])
    marks = [value.text for value in found.parsed.values("-I", "-i", "--replace", "-J")]
    if not marks and found.parsed.has("-i", "--replace"):
        marks = ["{}"]
    if marks:
        words = [
            replace(word, is_literal=False) if any(m in word.text for m in marks) else word
            for word in words
        ]
    elif words:
        words.append(_MORE_WORDS)
    if len(words) > 1 and words[0].text in _TOLD_BY_WORD and not words[1].is_literal:
        load.doubts.append("The word behind the program's name is not written out.")
    marked = replace(command, argv=(*command.argv[: found.start], *words))
    add_found(marked, WRAPPERS["xargs"], found, load)


#: Programs that are told by their first word what to do.
_TOLD_BY_WORD = frozenset(
    {
        "apt", "apt-get", "aws", "az", "brew", "cargo", "docker", "gcloud", "gh", "git", "go",
        "helm", "kubectl", "npm", "pip", "pip3", "pnpm", "podman", "poetry", "systemctl",
        "terraform", "uv", "yarn",
    }
)  # fmt: skip

_SPECIAL: dict[str, Callable[[SimpleCommand, Load], None]] = {
    "env": _unwrap_env,
    "command": _unwrap_command,
    "sudo": _unwrap_sudo,
    "sudoedit": _unwrap_sudo,
    "xargs": _unwrap_xargs,
    "gxargs": _unwrap_xargs,
    **ODD_WRAPPERS,
}

#: Programs through which others run, for suggestions: none of them gets a rule with `*`.
CARRIERS = (frozenset(WRAPPERS) | frozenset(_SPECIAL)) - {"jobs"}
