"""Words with known variables in them: their possible texts."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.syntax import Piece, WordNode

MAX_ALTERNATIVES = 32

_UNSPLIT = re.compile(r"[^\s*?\[\\]+")

Values = Mapping[str, tuple[Word, ...]]


def settings(nodes: Sequence[WordNode], values: Values) -> Iterator[Mapping[str, Word]]:
    """Yield the possible values of the variables in these words, taken together."""
    names = {
        stretch.text: None
        for node in nodes
        for stretch in node.stretches
        if stretch.piece is Piece.VARIABLE and stretch.text in values
    }
    count = 1
    for name in names:
        count *= len(values[name])
    if not names or count > MAX_ALTERNATIVES:
        yield {}
        return
    for chosen in product(*(values[name] for name in names)):
        yield dict(zip(names, chosen, strict=True))


def resolve(node: WordNode, setting: Mapping[str, Word]) -> Word:
    """Return the word with its variables replaced if all of it is then known."""
    if not node.stretches or not setting:
        return node.word
    texts: list[str] = []
    has_glob = node.word.has_glob
    for stretch in node.stretches:
        if stretch.piece is Piece.LITERAL:
            texts.append(stretch.text)
            continue
        value = setting.get(stretch.text) if stretch.piece is Piece.VARIABLE else None
        if value is None or not _is_one_word(value, is_quoted=stretch.is_quoted):
            return node.word
        has_glob = has_glob or value.has_glob
        texts.append(value.text)
    return Word("".join(texts), not has_glob, node.word.raw, has_glob)


def _is_one_word(value: Word, *, is_quoted: bool) -> bool:
    if is_quoted:
        return True
    return value.is_literal and _UNSPLIT.fullmatch(value.text) is not None


def loop_values(nodes: Sequence[WordNode], values: Values) -> tuple[Word, ...]:
    """Return what a loop's variable may be, or nothing if that is not known."""
    found: dict[Word, None] = {}
    for node in nodes:
        for setting in islice(settings([node], values), MAX_ALTERNATIVES):
            found[resolve(node, setting)] = None
    is_known = all(
        (word.is_literal or (word.has_glob and not word.can_split)) and not node_is_odd(word)
        for word in found
    ) and not any(node.has_braces for node in nodes)
    return tuple(found) if is_known and len(found) <= MAX_ALTERNATIVES else ()


def node_is_odd(word: Word) -> bool:
    """Return whether a word's text is not all there is to know about it."""
    return word.raw.startswith("~") or (not word.is_literal and "$" in word.text)
