"""What a simple command may change in its own shell: names, and the directory."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.scan import Scan
from gantlet.shell.grammar.syntax import AssignmentNode, Notes, WordNode

#: Stands for any name where names that may be assigned are gathered.
ANY_NAME = "*"
#: Builtins after which the directory may be another one.
MOVERS = frozenset({"cd", "pushd", "popd", "eval", "source", ".", "trap", "set", "shopt"})
#: Builtins that give the names among their words a value.
_NAMERS = frozenset(
    {
        *("export", "declare", "typeset", "local", "readonly", "read", "unset", "getopts"),
        *("mapfile", "readarray", "wait"),
    }
)
#: Builtins after which any name may have another value.
_SHAKERS = frozenset({"eval", "source", ".", "trap", "let", "coproc"})
#: Builtins after which names may have other values.
CHANGERS = _NAMERS | _SHAKERS | {"printf"}

_NAMED = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?=|\[|\Z)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NOT_KNOWN = WordNode(Word("", is_literal=False, raw=""))


def note_command(
    scan: Scan, words: Sequence[WordNode], assignments: Sequence[AssignmentNode]
) -> bool:
    """Note what a command may change, and return whether all its words are literal."""
    is_literal = True
    for node in words:
        if not node.word.is_literal:
            is_literal = False
            if node.has_braces:
                scan.doubt("Braces make several words of one.")
    for assignment in assignments:
        scan.notes.assign(assignment)
        if assignment.value.has_braces:
            scan.doubt("Braces make several words of one.")
    if words:
        if not words[0].word.is_literal:
            scan.doubt("The program's name is not written out.")
        _note_program(scan.notes, _without_prefixes(words))
    return is_literal


def _note_program(notes: Notes, words: Sequence[WordNode]) -> None:
    if not words:
        return
    first = words[0].word
    if first.text in MOVERS or not first.is_literal:
        notes.moves += 1
    if first.text in CHANGERS or not first.is_literal:
        for change in _changes(words):
            notes.assign(change)
            notes.lasting[change.name] = None
        notes.lasting.update(dict.fromkeys(_named_otherwise(words)))


def _named_otherwise(words: Sequence[WordNode]) -> Iterator[str]:
    """Yield the names that `printf -v` and `let` set."""
    texts = [node.word.text for node in words]
    if texts[0] == "let":
        yield from (name for text in texts for name in _NAME.findall(text))
    elif texts[0] == "printf":
        yield from (name for option, name in pairwise(texts) if option == "-v")
        yield from (text.removeprefix("-v") for text in texts[1:2] if text.startswith("-v"))


def _without_prefixes(words: Sequence[WordNode]) -> Sequence[WordNode]:
    start = 0
    while start < len(words) and words[start].word.text in ("command", "builtin"):
        start += 1
        while start < len(words) and words[start].word.text.startswith("-"):
            start += 1
    return words[start:] if start else words


def _changes(words: Sequence[WordNode]) -> Iterator[AssignmentNode]:
    """Yield the assignments a builtin may make."""
    name = words[0].word.text
    if name == "printf":
        is_named = len(words) > 2 and words[1].word.text == "-v"
        attached = len(words) > 1 and words[1].word.text.startswith("-v")
        if is_named or attached or (len(words) > 1 and not words[1].word.is_literal):
            yield AssignmentNode(ANY_NAME, _NOT_KNOWN, is_exact=False)
        return
    if name not in _NAMERS:
        yield AssignmentNode(ANY_NAME, _NOT_KNOWN, is_exact=False)
        return
    for node in words[1:]:
        text = node.word.text
        found = _NAMED.match(text)
        if found and found.group(2) == "=":
            value = value_of(node, found.end())
            yield AssignmentNode(found.group(1), value, is_exact=False)
        elif found:
            yield AssignmentNode(found.group(1), _NOT_KNOWN, is_exact=False)
        elif not node.word.is_literal or (text.startswith("-") and set(text) & set("nip")):
            yield AssignmentNode(ANY_NAME, _NOT_KNOWN, is_exact=False)


def value_of(node: WordNode, cut: int) -> WordNode:
    """Return the value's part of a word that begins with `name=`."""
    word = node.word
    value = Word(
        word.text[cut:],
        word.is_literal or (word.has_glob and not node.stretches),  # nothing globs here
        word.raw[cut:],
    )
    stretches = node.stretches
    if stretches:
        first = stretches[0]
        kept = type(first)(first.piece, first.text[cut:], first.is_quoted)
        stretches = (kept, *stretches[1:])
    return WordNode(value, node.is_plain, stretches, node.nested, node.has_braces)
