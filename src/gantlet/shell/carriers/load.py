"""What a command carries: further commands, scripts to be read, and doubts."""

from collections.abc import Iterable, Sequence
from dataclasses import field

from gantlet.messages.value import replace, slotted, value
from gantlet.shell.analysis import SimpleCommand, Word


@value
class ScriptText:
    """Text that a shell will read."""

    text: str
    way: str
    cwd: str | None


@slotted
class Load:
    """What one command carries.

    Attributes:
        commands: Simple commands it runs.
        guesses: Simple commands it may run, where its words are not understood.
        scripts: Texts it hands to a shell, or may hand.
        doubts: Why that is not proved.
        is_cut: There is more than was followed.
    """

    commands: list[SimpleCommand] = field(default_factory=list)
    guesses: list[SimpleCommand] = field(default_factory=list)
    scripts: list[ScriptText] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    is_cut: bool = False

    def add_command(self, carrier: SimpleCommand, words: Sequence[Word], way: str) -> None:
        """Add words as a command that runs where its carrier runs."""
        if words:
            self.commands.append(carried(carrier, words, way))

    def add_script(self, carrier: SimpleCommand, text: str, way: str) -> None:
        """Add text for a shell that runs where its carrier runs."""
        if text.strip():
            self.scripts.append(ScriptText(text, way, carrier.cwd))

    def add_any(self, carrier: SimpleCommand, words: Sequence[Word], way: str) -> None:
        """Add a command for every word at which one may begin."""
        self.is_cut = self.is_cut or len(words) > MAX_GUESSES
        for start in range(min(len(words), MAX_GUESSES)):
            if not words[start].text.startswith("-"):
                run = words[start : start + MAX_GUESSED_WORDS]
                self.guesses.append(carried(carrier, run, way))


#: Guesses are for rules that deny; those look at the first few words.
MAX_GUESSES = 256
MAX_GUESSED_WORDS = 64


def carried(carrier: SimpleCommand, words: Sequence[Word], way: str) -> SimpleCommand:
    """Return words as a command carried by another."""
    return replace(
        carrier,
        argv=tuple(words),
        assignments=(),
        raw=" ".join(word.raw for word in words),
        via=(*carrier.via, way),
    )


def joined(words: Iterable[Word]) -> str:
    """Return words as the text a shell gets when a program joins them."""
    return " ".join(word.text for word in words)
