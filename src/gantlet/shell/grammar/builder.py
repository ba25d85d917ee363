"""A word while it is being read."""

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.syntax import Nested, Piece, Script, Stretch, WordNode


class WordBuilder:
    """Gathers the stretches of one word."""

    __slots__ = (
        "_stretches",
        "_texts",
        "_unkept",
        "braces",
        "can_split",
        "globs",
        "is_plain",
        "nested",
        "processes",
    )

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._unkept = 0  # from which text on nothing is in `_stretches` yet
        self._stretches: list[Stretch] = []
        self.nested: list[Nested] = []
        self.is_plain = True
        self.can_split = False
        self.globs: list[str] = []
        self.braces: list[str] = []
        self.processes = 0

    def literal(self, text: str) -> None:
        """Add text that stands for itself."""
        self._texts.append(text)

    def expansion(
        self, piece: Piece, text: str, written: str, *, is_quoted: bool, script: Script | None
    ) -> None:
        """Add something whose value is not in the source."""
        self._keep()
        self._stretches.append(Stretch(piece, text, is_quoted, script))
        self._texts.append(written)
        self._unkept = len(self._texts)
        self.is_plain = False
        if not is_quoted or text == "@":
            self.can_split = True

    def _keep(self) -> None:
        text = "".join(self._texts[self._unkept :])
        if text:
            self._stretches.append(Stretch(Piece.LITERAL, text, is_quoted=True))

    def finish(self, raw: str) -> WordNode:
        """Return the word."""
        if self._stretches:
            self._keep()
        has_glob = bool(self.globs) and _is_glob(self.globs, raw)
        has_braces = bool(self.braces) and _has_braces(self.braces)
        word = Word(
            "".join(self._texts),
            not (self._stretches or has_glob or has_braces),
            raw,
            has_glob,
            self.can_split or has_braces,
            self.processes == 1 and len(self._stretches) == 1,
        )
        stretches, nested = tuple(self._stretches), tuple(self.nested)
        return WordNode(word, self.is_plain, stretches, nested, has_braces)


def _is_glob(marks: list[str], raw: str) -> bool:
    if "*" in marks or "?" in marks:
        return True
    return "]" in raw[raw.index("[") :] and len(raw) > 1


def _has_braces(marks: list[str]) -> bool:
    """Return whether an unquoted `{` with `,` or `..` in it may be closed."""
    depth = 0
    has_comma = False
    for mark in marks:
        if mark == "{":
            depth += 1
        elif mark == "," and depth:
            has_comma = True
        elif mark == "}" and depth:
            if has_comma:
                return True
            depth -= 1
    return False
