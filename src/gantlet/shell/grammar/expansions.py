"""What begins with `$` or a backtick, and double quotes, where they work too."""

import re

from gantlet.shell.grammar import ansi_quotes
from gantlet.shell.grammar.builder import WordBuilder
from gantlet.shell.grammar.scan import MAX_DEPTH, Scan
from gantlet.shell.grammar.syntax import Nested, Piece, Script

_NAME = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*|[0-9@*#?$!-])")
_BRACED_NAME = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*|[0-9]+|[@*?$!-])\}")
_NUMBERS = re.compile(r"[-+*/%0-9 \t<>=!&|^~?:,]+")
_ARITHMETIC = re.compile(r"[^()\"'`\\$]+")
_PARAMETER = re.compile(r"[^}\"'`\\$]+")
_QUOTED = re.compile(r"[^\"\\$`]+")
_BACKTICKS = re.compile(r"`([^`\\]*(?:\\.[^`\\]*)*)`", re.DOTALL)
_BACKTICK_ESCAPE = re.compile(r"\\([$`\\])")
_BACKTICK_ESCAPE_QUOTED = re.compile(r"\\([$`\\\"])")


def read_dollar(scan: Scan, builder: WordBuilder, *, is_quoted: bool) -> None:
    """Read what begins with the `$` at the scan's position."""
    source, start = scan.source, scan.position
    builder.is_plain = False
    found = _NAME.match(source, start) or _BRACED_NAME.match(source, start)
    if found:
        scan.position = found.end()
        name = found.group(1)
        builder.expansion(Piece.VARIABLE, name, found.group(), is_quoted=is_quoted, script=None)
        return
    after = source[start + 1 : start + 2]
    if after == "(":
        if source.startswith("((", start + 1):
            _read_arithmetic(scan, builder, is_quoted=is_quoted)
        else:
            scan.position += 2
            read_substitution(scan, builder, is_quoted=is_quoted)
    elif after == "{":
        _read_parameter(scan, builder, is_quoted=is_quoted)
    elif after == "[":
        scan.give_up("`$[` is arithmetic of a kind that is not followed.")
    elif after in ("'", '"') and not is_quoted:
        _read_dollar_quote(scan, builder, after)
    else:
        if source.startswith("\\\n", start + 1):
            scan.lose("A line is continued in the middle of an expansion.")
        scan.position += 1
        builder.literal("$")


def _read_dollar_quote(scan: Scan, builder: WordBuilder, quote: str) -> None:
    start = scan.position + 2
    if quote == '"':
        scan.doubt('`$"` is text that may be translated.')
        scan.position += 1  # the quotes themselves are read next
        return
    end = ansi_quotes.find_end(scan.source, start)
    if end < 0:
        scan.give_up("A quote is not closed.")
        return
    text, is_sure = ansi_quotes.decode(scan.source[start : end - 1])
    if not is_sure:
        scan.doubt("An escape in `$'…'` gives a character that is not plain text.")
    scan.position = end
    builder.literal(text)


def read_substitution(
    scan: Scan, builder: WordBuilder, *, is_quoted: bool, way: str = "substitution"
) -> None:
    """Read a script up to its `)`; the scan stands behind the opening."""
    start = scan.position
    script = read_inside(scan)
    written = f"$({scan.source[start : scan.position]}"
    builder.nested.append(Nested(way, script))
    builder.expansion(Piece.SUBSTITUTION, written, written, is_quoted=is_quoted, script=script)


def read_inside(scan: Scan) -> Script:
    """Read a script up to and including its `)`, one level down."""
    if scan.depth >= MAX_DEPTH:
        scan.give_up("The command is nested too deeply.")
        return Script(())
    scan.depth += 1
    scan.level += 1
    moves = scan.notes.moves
    script = scan.grammar.read_script(scan, ")")
    scan.notes.moves = moves  # what moves inside stays inside
    if scan.pending and any(level >= scan.level for level, _ in scan.pending):
        scan.lose("A here-document begins in a substitution and ends outside it.")
    scan.level -= 1
    scan.depth -= 1
    if scan.peek() == ")":
        scan.position += 1
    else:
        scan.lose("A `(` is not closed.")
    return script


def _read_arithmetic(scan: Scan, builder: WordBuilder, *, is_quoted: bool) -> None:
    start = scan.position
    scan.position += 3
    scan.depth += 1
    if scan.depth > MAX_DEPTH:
        scan.give_up("The command is nested too deeply.")
    is_arithmetic = read_arithmetic_body(scan, builder)
    scan.depth -= 1
    if not is_arithmetic:
        return
    written = scan.source[start : scan.position]
    builder.expansion(Piece.OTHER, written, written, is_quoted=is_quoted, script=None)


def read_arithmetic_body(scan: Scan, builder: WordBuilder) -> bool:
    """Read up to and including `))`. Doubt all but numbers; return whether it was arithmetic."""
    source = scan.source
    depth = 0
    while scan.position < len(source):
        found = _NUMBERS.match(source, scan.position)
        if found:
            scan.position = found.end()
            continue
        character = source[scan.position]
        if character == ")" and not depth:
            if not source.startswith("))", scan.position):
                break
            scan.position += 2
            return True
        if character in "()":
            depth += 1 if character == "(" else -1
            scan.position += 1
        else:
            _read_arithmetic_name(scan, builder)
    scan.give_up("`((` is not closed as arithmetic.")
    return False


def _read_arithmetic_name(scan: Scan, builder: WordBuilder) -> None:
    scan.doubt("Arithmetic with names may run what their values say.")
    found = _ARITHMETIC.match(scan.source, scan.position)
    if found:
        scan.position = found.end()
    else:
        _read_special(scan, builder, is_quoted=True)


def _read_parameter(scan: Scan, builder: WordBuilder, *, is_quoted: bool) -> None:
    source, start = scan.source, scan.position
    scan.position += 2
    if scan.peek() in (" ", "\t", "\n", "|", "("):
        scan.give_up("`${ …}` runs a command in newer shells.")
        return
    scan.depth += 1
    if scan.depth > MAX_DEPTH:
        scan.give_up("The command is nested too deeply.")
    scan.doubt("A parameter expansion does more than to name a variable.")
    while scan.position < len(source):
        found = _PARAMETER.match(source, scan.position)
        if found:
            scan.position = found.end()
            continue
        if source[scan.position] == "}":
            scan.position += 1
            scan.depth -= 1
            written = source[start : scan.position]
            builder.expansion(Piece.OTHER, written, written, is_quoted=is_quoted, script=None)
            return
        if source[scan.position] == "'" and is_quoted:
            scan.give_up("Quotes in a quoted parameter expansion are read in two ways.")
            return
        _read_special(scan, builder, is_quoted=is_quoted)
    scan.depth -= 1
    scan.lose("A `${` is not closed.")


def _read_special(scan: Scan, builder: WordBuilder, *, is_quoted: bool) -> None:
    """Read one quote, escape or expansion inside another expansion, for what it runs."""
    inner = WordBuilder()
    character = scan.source[scan.position]
    if character == "$":
        read_dollar(scan, inner, is_quoted=is_quoted)
    elif character == "`":
        read_backticks(scan, inner, is_quoted=is_quoted)
    elif character == "\\":
        scan.position += 2
    elif character == '"':
        read_double_quotes(scan, inner)
    else:
        read_single_quotes(scan, inner)
    builder.nested.extend(inner.nested)


def read_single_quotes(scan: Scan, builder: WordBuilder) -> None:
    """Read the text in single quotes; the scan stands on the first."""
    builder.is_plain = False
    end = scan.source.find("'", scan.position + 1)
    if end < 0:
        scan.give_up("A quote is not closed.")
        return
    _put(scan, builder, scan.source[scan.position + 1 : end])
    scan.position = end + 1


def read_double_quotes(scan: Scan, builder: WordBuilder) -> None:
    """Read what double quotes hold; the scan stands on the first."""
    builder.is_plain = False
    builder.literal("")
    scan.position += 1
    source, length = scan.source, len(scan.source)
    while scan.position < length:
        found = _QUOTED.match(source, scan.position)
        if found:
            _put(scan, builder, found.group())
            scan.position = found.end()
            continue
        character = source[scan.position]
        if character == '"':
            scan.position += 1
            return
        if character == "$":
            read_dollar(scan, builder, is_quoted=True)
        elif character == "`":
            read_backticks(scan, builder, is_quoted=True)
        else:
            read_quoted_escape(scan, builder, '"\\$`')
    scan.lose("A quote is not closed.")


def _put(scan: Scan, builder: WordBuilder, text: str) -> None:
    if scan.pending and "\n" in text:
        scan.lose("A quoted line end stands between a here-document and its text.")
    builder.literal(text)


def read_quoted_escape(scan: Scan, builder: WordBuilder, special: str) -> None:
    """Read a backslash where only the `special` characters lose it."""
    after = scan.source[scan.position + 1 : scan.position + 2]
    scan.position += 1 + len(after)
    if after == "\n":
        return
    builder.literal(after if after and after in special else f"\\{after}")


def read_backticks(scan: Scan, builder: WordBuilder, *, is_quoted: bool) -> None:
    """Read a substitution in backticks; the scan stands on the first."""
    builder.is_plain = False
    found = _BACKTICKS.match(scan.source, scan.position)
    if not found:
        scan.give_up("A backtick is not closed.")
        return
    scan.position = found.end()
    escape = _BACKTICK_ESCAPE_QUOTED if is_quoted else _BACKTICK_ESCAPE
    body = escape.sub(r"\1", found.group(1))
    inner = Scan(body, scan.grammar, scan.notes, scan.depth + 1, scan.level + 1)
    if inner.depth > MAX_DEPTH:
        inner.give_up("The command is nested too deeply.")
    script = scan.grammar.read_script(inner, "")
    builder.nested.append(Nested("substitution", script))
    builder.expansion(
        Piece.SUBSTITUTION, found.group(), found.group(), is_quoted=is_quoted, script=script
    )
