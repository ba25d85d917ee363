"""Words: plain ones at once, the others stretch by stretch."""

import re
from collections.abc import Callable
from functools import lru_cache

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.builder import WordBuilder
from gantlet.shell.grammar.expansions import (
    read_backticks,
    read_dollar,
    read_double_quotes,
    read_inside,
    read_single_quotes,
)
from gantlet.shell.grammar.scan import Scan
from gantlet.shell.grammar.syntax import Nested, Piece, WordNode

_ENDS = " \t\n;|&<>()"
_PLAIN = re.compile(r"[\w./:@%+,=^-]+")
_RUN = re.compile(r"[\w./:@%+=^-]+")
_TILDE_NAME = re.compile(r"[^/ \t\n;|&<>()]*")
_ASSIGNS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=")


def _make_word(text: str) -> WordNode:
    return WordNode(Word(text, is_literal=True, raw=text))


#: Plain words come again and again, and nobody changes them.
_MAX_KEPT = 24
_plain_word = lru_cache(maxsize=2048)(_make_word)


def read_word(scan: Scan) -> WordNode:
    """Read the word that begins at the scan's position. At least one character is read."""
    source, start = scan.source, scan.position
    found = _PLAIN.match(source, start)
    if found:
        end = found.end()
        if end == len(source) or source[end] in " \t\n;|&)":
            scan.position = end
            text = found.group()
            return _plain_word(text) if end - start <= _MAX_KEPT else _make_word(text)
    builder = WordBuilder()
    _read_stretches(scan, builder, start)
    return builder.finish(source[start : scan.position])


def _read_stretches(scan: Scan, builder: WordBuilder, start: int) -> None:
    source, length = scan.source, len(scan.source)
    while scan.position < length:
        run = _RUN.match(source, scan.position)
        if run:
            text = run.group()
            if builder.braces and ".." in text:
                builder.braces.append(",")
            builder.literal(text)
            scan.position = run.end()
            continue
        character = source[scan.position]
        if character in _ENDS:
            if character in "<>" and source.startswith("(", scan.position + 1):
                _read_process(scan, builder)
                continue
            if scan.position == start:  # nobody should begin a word here; go on all the same
                scan.position += 1
                scan.lose("An operator stands where a word should.")
            return
        if character == "~":
            _read_tilde(scan, builder, start)
        else:
            _STEPS.get(character, _read_itself)(scan, builder)


def _read_itself(scan: Scan, builder: WordBuilder) -> None:
    builder.literal(scan.source[scan.position])
    scan.position += 1


def _read_process(scan: Scan, builder: WordBuilder) -> None:
    start = scan.position
    scan.position += 2
    script = read_inside(scan)
    written = scan.source[start : scan.position]
    builder.nested.append(Nested("process substitution", script))
    builder.expansion(Piece.OTHER, written, written, is_quoted=True, script=None)
    builder.processes += 1


def _read_escape(scan: Scan, builder: WordBuilder) -> None:
    source = scan.source
    after = source[scan.position + 1 : scan.position + 2]
    scan.position += 1 + len(after)
    if after == "\n":
        if source[scan.position : scan.position + 1] not in (" ", "\t", "\n", ""):
            scan.lose("A line is continued in the middle of a word.")
        return
    if not after:
        scan.doubt("The command ends with a backslash.")
    builder.is_plain = False
    builder.literal(after or "\\")


def _read_tilde(scan: Scan, builder: WordBuilder, start: int) -> None:
    """Read an unquoted `~`: home, somebody's home, or itself."""
    source, position = scan.source, scan.position
    scan.position += 1
    if position > start:
        is_value = source[position - 1] in "=:" and _ASSIGNS.match(source, start)
        if is_value:
            builder.expansion(Piece.OTHER, "~", "~", is_quoted=True, script=None)
        else:
            builder.literal("~")
        return
    name = _TILDE_NAME.match(source, scan.position)
    if name and name.group():
        builder.expansion(Piece.OTHER, "~", "~", is_quoted=True, script=None)
    else:
        builder.literal("~")


def _read_glob(scan: Scan, builder: WordBuilder) -> None:
    character = scan.source[scan.position]
    scan.position += 1
    builder.globs.append(character)
    builder.literal(character)


def _read_brace(scan: Scan, builder: WordBuilder) -> None:
    character = scan.source[scan.position]
    scan.position += 1
    builder.braces.append(character)
    builder.literal(character)


def _read_dollar(scan: Scan, builder: WordBuilder) -> None:
    read_dollar(scan, builder, is_quoted=False)


def _read_backticks(scan: Scan, builder: WordBuilder) -> None:
    read_backticks(scan, builder, is_quoted=False)


_STEPS: dict[str, Callable[[Scan, WordBuilder], None]] = {
    "'": read_single_quotes,
    '"': read_double_quotes,
    "\\": _read_escape,
    "$": _read_dollar,
    "`": _read_backticks,
    "*": _read_glob,
    "?": _read_glob,
    "[": _read_glob,
    "{": _read_brace,
    "}": _read_brace,
    ",": _read_brace,
}
