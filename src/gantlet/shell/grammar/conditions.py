"""`[[ … ]]` and `(( … ))`: commands with a grammar of their own."""

import re

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.builder import WordBuilder
from gantlet.shell.grammar.expansions import read_arithmetic_body
from gantlet.shell.grammar.scan import Scan
from gantlet.shell.grammar.syntax import Simple, WordNode
from gantlet.shell.grammar.words import read_word

#: These evaluate their operands as arithmetic or as names, and so may run commands.
_EVALUATING = frozenset({"-v", "-R", "-o", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"})
_NUMBER = re.compile(r"-?[0-9]+")
_JOINT = re.compile(r"&&|\|\||[()<>]")
_REGEX = re.compile(r"[^\s$`'\"\\;&<>]+")


def read_condition(scan: Scan) -> Simple:
    """Read `[[ … ]]`; the scan stands on it."""
    start = scan.position
    scan.position += 2
    words = [_literal("[[")]
    while True:
        _skip_lines(scan)
        if not scan.peek() or (scan.peek() in ";|&" and not _is_joint(scan)):
            scan.lose("A `[[` is not closed.")
            break
        words.append(_read_operand(scan, words[-1]))
        if words[-1].word.raw == "]]":
            break
    _doubt_evaluation(scan, words)
    return Simple(tuple(words), (), (), scan.source[start : scan.position])


def _is_joint(scan: Scan) -> bool:
    return _JOINT.match(scan.source, scan.position) is not None


def _read_operand(scan: Scan, before: WordNode) -> WordNode:
    if before.word.raw == "=~":
        found = _REGEX.match(scan.source, scan.position)
        if found:
            scan.position = found.end()
            return _literal(found.group())
    joint = _JOINT.match(scan.source, scan.position)
    if joint and not scan.source.startswith(("<(", ">("), scan.position):
        scan.position = joint.end()
        return _literal(joint.group())
    return read_word(scan)


def _doubt_evaluation(scan: Scan, words: list[WordNode]) -> None:
    """Doubt operands that are evaluated, unless they are numbers."""
    for index, node in enumerate(words):
        if not node.is_plain or node.word.text not in _EVALUATING:
            continue
        operands = [words[at].word for at in (index - 1, index + 1) if 0 < at < len(words)]
        if node.word.text in ("-v", "-R", "-o") or not all(
            operand.is_literal and _NUMBER.fullmatch(operand.text) for operand in operands
        ):
            scan.doubt("`[[` evaluates an operand, which may run commands.")


def read_arithmetic_command(scan: Scan) -> Simple:
    """Read `(( … ))`; the scan stands on it."""
    start = scan.position
    scan.position += 2
    builder = WordBuilder()
    builder.is_plain = False
    read_arithmetic_body(scan, builder)
    raw = scan.source[start : scan.position]
    builder.literal(raw[2:-2])
    return Simple((_literal("(("), builder.finish(raw[2:-2])), (), (), raw)


def _skip_lines(scan: Scan) -> None:
    scan.skip_blanks()
    while scan.peek() == "\n":
        if scan.pending:
            scan.lose("A here-document begins before a `[[` that goes on.")
        scan.position += 1
        scan.skip_blanks()


def _literal(text: str) -> WordNode:
    return WordNode(Word(text, is_literal=True, raw=text))
