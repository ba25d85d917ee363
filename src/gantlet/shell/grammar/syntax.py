"""The tree a command line is read into.

Nobody changes a node once it is made, but for here-documents. They are not frozen all the same:
there are many of them, and a frozen one takes twice the time.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum

from gantlet.messages.value import slotted, value
from gantlet.shell.analysis import Word


class Piece(Enum):
    """What a stretch of a word is."""

    LITERAL = "literal"
    VARIABLE = "variable"
    SUBSTITUTION = "substitution"
    OTHER = "other"  # expansions we do not follow


@slotted
class Stretch:
    """One stretch of a word that is not all literal.

    `text` is the literal text, the variable's name, or the expansion as written.
    """

    piece: Piece
    text: str
    is_quoted: bool
    script: Script | None = None


@slotted
class Nested:
    """A script inside a word, and by which way it runs."""

    way: str
    script: Script


@slotted
class WordNode:
    """A word as read. `stretches` is empty if the word is literal or only a glob."""

    word: Word
    is_plain: bool = True  # nothing in it is quoted or expanded
    stretches: tuple[Stretch, ...] = ()
    nested: tuple[Nested, ...] = ()
    has_braces: bool = False


@slotted
class RedirectNode:
    """A redirection as read. A here-document gets its body when the next line is read."""

    operator: str
    fd: int | None
    target: WordNode
    is_body_raw: bool = False  # a here-document with a quoted delimiter


@slotted
class AssignmentNode:
    """`name=value`; `is_exact` unless it appends or names an element."""

    name: str
    value: WordNode
    is_exact: bool = True


@slotted
class Simple:
    """A program with its words, or only assignments and redirections.

    It is plain if it has nothing but words, and all of them are literal.
    """

    words: tuple[WordNode, ...]
    assignments: tuple[AssignmentNode, ...]
    redirects: tuple[RedirectNode, ...]
    raw: str
    is_plain: bool = False


class Kind(Enum):
    """The compound commands."""

    SUBSHELL = "subshell"
    GROUP = "group"
    IF = "if"
    LOOP = "loop"
    FOR = "for"
    CASE = "case"
    FUNCTION = "function"
    COPROCESS = "coproc"


@value
class Compound:
    """A command that holds lists of commands.

    Attributes:
        sections: IF: condition, body, condition, body, …, and perhaps a last body.
        name: The loop variable or the function's name.
        words: What a loop goes over, or a case compares.
        assigned: The names that are assigned anywhere inside.
        moves: Whether the directory may change inside.
    """

    kind: Kind
    sections: tuple[Script, ...]
    redirects: tuple[RedirectNode, ...] = ()
    words: tuple[WordNode, ...] = ()
    name: str = ""
    assigned: frozenset[str] = frozenset()
    moves: bool = False
    raw: str = ""


@slotted
class Pipeline:
    """Commands joined by pipes."""

    commands: tuple[Simple | Compound, ...]
    is_negated: bool = False


@slotted
class AndOr:
    """Pipelines joined by `&&` and `||`; the first operator is empty."""

    links: tuple[tuple[str, Pipeline], ...]
    is_background: bool = False


@slotted
class Script:
    """A list of commands."""

    items: tuple[AndOr, ...]


@slotted
class Notes:
    """What reading found beside the tree, shared by a source and all that is inside it."""

    doubts: dict[str, None] = field(default_factory=dict)
    assigned: list[AssignmentNode] = field(default_factory=list)
    names: set[str] = field(default_factory=set)  # of all that is assigned
    lasting: dict[str, None] = field(default_factory=dict)  # of what builtins and loops set
    turns: list[AssignmentNode] = field(default_factory=list)  # the values of loops
    functions: dict[str, None] = field(default_factory=dict)
    moves: int = 0
    lost: list[str] = field(default_factory=list)  # sources whose structure was lost

    def doubt(self, reason: str) -> None:
        """Note why the reading is not proved."""
        self.doubts[reason] = None

    def assign(self, assignment: AssignmentNode) -> None:
        """Note that a name may be assigned."""
        self.assigned.append(assignment)
        self.names.add(assignment.name)
