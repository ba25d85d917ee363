"""Finding the command in a wrapper's arguments."""

import posixpath
import re
from collections.abc import Sequence

from gantlet.messages.value import replace, value
from gantlet.shell.analysis import Assignment, SimpleCommand, Word
from gantlet.shell.carriers.load import Load, carried, joined
from gantlet.shell.carriers.wrappers import Wrapper
from gantlet.shell.options import Parsed, parse_arguments

_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=")
_PROXY_OPTION = re.compile(r"\s*(?:ProxyCommand|LocalCommand|RemoteCommand)[ =]+", re.IGNORECASE)


@value
class Unwrapped:
    """A wrapper's command: where its words begin, and what is known beside them."""

    parsed: Parsed
    start: int
    assignments: tuple[Assignment, ...] = ()


def find_command(command: SimpleCommand, wrapper: Wrapper) -> Unwrapped | None:
    """Return where a wrapper's command begins, or None if it is not used as a wrapper."""
    words = command.argv[1:]
    offset = 1
    if wrapper.subcommands:
        at = _subcommand(words)
        if at < 0 or words[at].text not in wrapper.subcommands:
            return None
        offset += at + 1
        words = words[at + 1 :]
    parsed = parse_arguments(words, wrapper.grammar, permutes=False, abbreviates=True)
    start = parsed.rest + wrapper.skips
    if wrapper.skips and len(words) > start and words[start].text == "--":
        start += 1
    assignments: list[Assignment] = []
    if wrapper.assigns and len(words) > start and words[start].text == "-":
        start += 1  # `env -` is `env -i`
    while wrapper.assigns and start < len(words):
        match = _ASSIGNMENT.match(words[start].text)
        if match is None:
            break
        value = words[start]
        text = value.text[match.end() :]
        assignments.append(Assignment(match.group(1), Word(text, value.is_literal, text)))
        start += 1
    return Unwrapped(parsed, offset + start, tuple(assignments))


def _subcommand(words: Sequence[Word]) -> int:
    """Return where the first word stands that is no option."""
    for index, word in enumerate(words):
        if not word.text.startswith("-"):
            return index
    return -1


def add_found(command: SimpleCommand, wrapper: Wrapper, found: Unwrapped, load: Load) -> None:
    """Add the command that was found, or all it may be if the options are not understood."""
    name, parsed = command.program or "", found.parsed
    words = command.argv[found.start :]
    skipped = command.argv[1 : found.start]
    if wrapper.is_runner:
        add_after_dashes(command, load)
    if parsed.problem or (parsed.is_unsure and not wrapper.is_runner):
        if not wrapper.is_runner:
            load.doubts.append(f"The options of {name} are not understood.")
        load.add_any(command, command.argv[1:], name)
        return
    if any(not word.is_literal for word in skipped) and not wrapper.is_runner:
        load.doubts.append(f"A word before the command of {name} is not written out.")
    _add_option_values(command, parsed, load)
    if wrapper.joins:
        load.add_script(replace(command, cwd=None), joined(words), name)
        load.add_any(command, words[:1], name)
    elif words and words[0].text == "-c" and len(words) > 1:
        load.add_script(command, words[1].text, name)  # flock's form, and that of some runners
    elif words:
        inner = carried(_moved(command, parsed), words, name)
        load.commands.append(replace(inner, assignments=found.assignments))


def add_after_dashes(command: SimpleCommand, load: Load) -> None:
    """Add what stands behind `--`, where most runners have their command."""
    texts = [word.text for word in command.argv]
    if "--" in texts:
        load.add_command(command, command.argv[texts.index("--") + 1 :], command.program or "")


def _add_option_values(command: SimpleCommand, parsed: Parsed, load: Load) -> None:
    for option, given in parsed.found:
        if given is None:
            continue
        if option.kind == "script":
            load.add_script(command, given.text, command.program or "")
            if not given.is_literal:
                load.doubts.append("A script is not written out.")
        elif option.name == "-o" and _PROXY_OPTION.match(given.text):
            load.add_script(command, _PROXY_OPTION.sub("", given.text), "ssh -o")


def _moved(command: SimpleCommand, parsed: Parsed) -> SimpleCommand:
    """Return the carrier as if it stood in the directory its options name."""
    directories = [value for option, value in parsed.found if value and option.kind == "dir"]
    if not directories:
        return command
    last = directories[-1]
    if command.cwd is None or not last.is_literal or last.raw.startswith("~"):
        return replace(command, cwd=None)
    return replace(command, cwd=posixpath.join(command.cwd, last.text))
