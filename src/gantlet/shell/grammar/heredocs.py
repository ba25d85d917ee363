"""Here-documents: the delimiter where it is named, the text when its line comes."""

import re

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.builder import WordBuilder
from gantlet.shell.grammar.expansions import read_backticks, read_dollar, read_quoted_escape
from gantlet.shell.grammar.scan import Scan
from gantlet.shell.grammar.syntax import RedirectNode, WordNode
from gantlet.shell.grammar.words import read_word

_LITERAL = re.compile(r"[^\\$`]+")


def read_delimiter(scan: Scan, operator: str, fd: int | None) -> RedirectNode:
    """Read the delimiter of a here-document and remember that its text follows."""
    delimiter = read_word(scan)
    if not delimiter.word.text or delimiter.stretches or "$" in delimiter.word.raw:
        scan.lose("The delimiter of a here-document is not plain.")
    node = RedirectNode(operator, fd, delimiter, is_body_raw=not delimiter.is_plain)
    scan.pending.append((scan.level, node))
    return node


def read_bodies(scan: Scan) -> None:
    """Read the texts that follow the line just ended."""
    pending = scan.pending
    scan.pending = []
    for level, node in pending:
        if level != scan.level:
            scan.lose("A here-document begins outside a substitution and its text is inside.")
        _read_body(scan, node)


def _read_body(scan: Scan, node: RedirectNode) -> None:
    delimiter = node.target.word.text
    strips = node.operator == "<<-"
    lines: list[str] = []
    source, length = scan.source, len(scan.source)
    is_closed = False
    while scan.position < length:
        end = source.find("\n", scan.position)
        end = length if end < 0 else end
        line = source[scan.position : end]
        scan.position = min(end + 1, length)
        line = line.lstrip("\t") if strips else line
        if line == delimiter:
            is_closed = True
            break
        if line.endswith("\\") and not node.is_body_raw:
            scan.lose("A line of a here-document is continued.")
        lines.append(f"{line}\n")
    if not is_closed:
        scan.lose("A here-document is not closed.")
    body = "".join(lines)
    node.target = _raw(body) if node.is_body_raw else _expanded(scan, body)


def _raw(body: str) -> WordNode:
    return WordNode(Word(body, is_literal=True, raw=body), is_plain=False)


def _expanded(scan: Scan, body: str) -> WordNode:
    """Read a body as the shell does when the delimiter is not quoted."""
    inner = Scan(body, scan.grammar, scan.notes, scan.depth, scan.level)
    builder = WordBuilder()
    builder.is_plain = False
    while inner.position < len(body):
        found = _LITERAL.match(body, inner.position)
        if found:
            builder.literal(found.group())
            inner.position = found.end()
        elif body[inner.position] == "$":
            read_dollar(inner, builder, is_quoted=True)
        elif body[inner.position] == "`":
            read_backticks(inner, builder, is_quoted=True)
        else:
            read_quoted_escape(inner, builder, "\\$`")
    node = builder.finish(body)
    if node.stretches:
        scan.doubt("A here-document with an unquoted delimiter holds expansions.")
    return node


def take(scan: Scan, operator: str) -> None:
    """Go past an operator; a line end brings the texts of here-documents."""
    scan.take_operator(operator)
    if operator == "\n" and scan.pending:
        read_bodies(scan)


def skip_lines(scan: Scan) -> None:
    """Go to the next token, past line ends."""
    scan.skip_blanks()
    while scan.peek() == "\n":
        take(scan, "\n")
        scan.skip_blanks()
