"""Options whose value is a command."""

from collections.abc import Sequence

from gantlet.messages.value import value
from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.carriers.load import Load, joined


@value
class RunningOptions:
    """Options whose value is a command: single letters, and longer names."""

    letters: str = ""
    names: tuple[str, ...] = ()

    def value(self, text: str, following: Sequence[Word]) -> str:
        """Return the command in an option, also clustered, attached or abbreviated."""
        given, _, attached = text.partition("=")
        if given in self.names:
            return joined(following) if given == text else attached
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


def running(*options: str) -> RunningOptions:
    """Return options that take a command, told apart by their length."""
    letters = "".join(option[1] for option in options if len(option) == 2)
    return RunningOptions(letters, tuple(option for option in options if len(option) > 2))


def read_options(command: SimpleCommand, names: RunningOptions, load: Load) -> None:
    """Add the commands that stand in options."""
    words = command.argv[1:]
    for index, word in enumerate(words):
        if word.text[:1] != "-" and word.text.partition("=")[0] not in names.names:
            continue
        value = names.value(word.text, words[index + 1 : index + 2])
        if value:
            way = f"{command.program} option"
            load.add_script(command, value, way)
            load.add_script(command, value.partition("=")[2].lstrip("!").strip("\"' "), way)
            if value.startswith("|"):
                load.add_script(command, value[1:], way)
            if value.startswith(("shell ", "platform shell ", "!")):  # how debuggers run a command
                inner = value.removeprefix("platform ").removeprefix("shell").lstrip("!")
                load.add_script(command, inner, way)
