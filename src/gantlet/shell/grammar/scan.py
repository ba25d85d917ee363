"""Where reading stands in a source, and the tokens between words."""

import re
from collections.abc import Callable
from dataclasses import field

from gantlet.messages.value import slotted, value
from gantlet.shell.grammar.syntax import Compound, Notes, RedirectNode, Script, Simple

MAX_DEPTH = 50

_BLANKS = re.compile(r"[ \t]*")
_PLAIN_BLANKS = re.compile(r"[ \t]*+(?![\\#])")  # neither a continued line nor a comment follows
_OPERATOR = re.compile(r"\|\||\|&|\||&&|&(?!>)|;;&|;;|;&|;|\n|\(|\)")
_RESERVED = re.compile(
    r"(?:if|then|elif|else|fi|do|done|case|esac|while|until|for|select|function|coproc|time|in"
    r"|\[\[|[{}!])(?=[ \t\n;|&<>()]|\\\n|\Z)"
)
_COMMENT = re.compile(r"[^\n]*")


def _end(found: re.Match[str] | None) -> int:
    return found.end() if found else 0  # the patterns match nothing too, so something is found


@value
class Grammar:
    """What reading one thing needs of another that is read with it in turn.

    Attributes:
        read_script: Reads a list of commands up to a closing character.
        read_section: Reads a list of commands up to one of some reserved words.
        read_command: Reads one command; the reserved word that stands there is given.
    """

    read_script: Callable[["Scan", str], Script]
    read_section: Callable[["Scan", frozenset[str]], Script]
    read_command: Callable[["Scan", str], Simple | Compound]


@slotted
class Scan:
    """A source being read from left to right.

    Attributes:
        depth: How deeply what is read is nested.
        level: How many substitutions it is in.
        pending: Here-documents whose texts follow the current line, with their level.
    """

    source: str
    grammar: Grammar
    notes: Notes
    depth: int = 0
    level: int = 0
    position: int = 0
    is_lost: bool = False
    pending: list[tuple[int, RedirectNode]] = field(default_factory=list)

    def doubt(self, reason: str) -> None:
        """Note that something is understood but not proved."""
        self.notes.doubts[reason] = None

    def lose(self, reason: str) -> None:
        """Note that the structure is lost: from here on anything may be a command."""
        self.notes.doubts[reason] = None
        if not self.is_lost:
            self.is_lost = True
            self.notes.lost.append(self.source)

    def give_up(self, reason: str) -> None:
        """Lose the structure and read no further."""
        self.lose(reason)
        self.position = len(self.source)

    def peek(self) -> str:
        """Return the next character, or nothing at the end."""
        return self.source[self.position : self.position + 1]

    def skip_blanks(self) -> None:
        """Go to the next token of the line: past blanks, continued lines and a comment."""
        source = self.source
        plain = _PLAIN_BLANKS.match(source, self.position)
        if plain:
            self.position = plain.end()
            return
        position = _end(_BLANKS.match(source, self.position))
        while source.startswith("\\\n", position):
            if position and not self._is_between(position):
                self.lose("A line is continued in the middle of a word or an operator.")
            position = _end(_BLANKS.match(source, position + 2))
        if source.startswith("#", position) and self._starts_word(position):
            position = _end(_COMMENT.match(source, position))
        self.position = position

    def _is_between(self, position: int) -> bool:
        """Return whether a line that is continued here ends behind a word or an operator."""
        before, after = self.source[position - 1], self.source[position + 2 : position + 3]
        return before in " \t\n" or (before in ";|&" and after not in "&|;<>(\\")

    def _starts_word(self, position: int) -> bool:
        return position == 0 or self.source[position - 1] in " \t\n;|&()<>"

    def peek_operator(self) -> str:
        """Return the control operator that stands here, or nothing."""
        found = _OPERATOR.match(self.source, self.position)
        return found.group() if found else ""

    def take_operator(self, operator: str) -> None:
        """Go past an operator that stands here."""
        self.position += len(operator)
        if self.source.startswith("\\\n", self.position) and operator != "\n":
            follows = self.source[self.position + 2 : self.position + 3]
            if follows and follows in "&|;<>(":
                self.lose("A line is continued in the middle of an operator.")

    def peek_reserved(self) -> str:
        """Return the reserved word that stands here, or nothing."""
        found = _RESERVED.match(self.source, self.position)
        return found.group() if found else ""
