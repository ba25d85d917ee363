"""Compound commands: groups, conditions, loops, cases, functions."""

import re
from collections.abc import Callable

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.builder import WordBuilder
from gantlet.shell.grammar.expansions import read_arithmetic_body
from gantlet.shell.grammar.heredocs import skip_lines
from gantlet.shell.grammar.scan import Scan
from gantlet.shell.grammar.syntax import (
    AndOr,
    AssignmentNode,
    Compound,
    Kind,
    Pipeline,
    Script,
    WordNode,
)
from gantlet.shell.grammar.words import read_word

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
#: How many values of a loop's variable are remembered.
_MAX_TURNS = 16


def _section(scan: Scan, *stops: str) -> Script:
    return scan.grammar.read_section(scan, frozenset(stops))


def _expect(scan: Scan, word: str) -> bool:
    """Go past a reserved word that must stand here."""
    skip_lines(scan)
    if scan.peek_reserved() == word:
        scan.position += len(word)
        return True
    scan.lose(f"`{word}` is missing.")
    return False


def _read_subshell(scan: Scan) -> Compound:
    scan.position += 1
    script = scan.grammar.read_script(scan, ")")
    if scan.peek() == ")":
        scan.position += 1
    else:
        scan.lose("A `(` is not closed.")
    return Compound(Kind.SUBSHELL, (script,))


def _read_group(scan: Scan) -> Compound:
    script = _section(scan, "}")
    _expect(scan, "}")
    return Compound(Kind.GROUP, (script,))


def _read_if(scan: Scan) -> Compound:
    sections = [_section(scan, "then")]
    while _expect(scan, "then"):
        sections.append(_section(scan, "elif", "else", "fi"))
        word = scan.peek_reserved()
        if word not in ("elif", "else"):
            break
        scan.position += len(word)
        if word == "else":
            sections.append(_section(scan, "fi"))
            break
        sections.append(_section(scan, "then"))
    _expect(scan, "fi")
    return Compound(Kind.IF, tuple(sections))


def _read_while(scan: Scan) -> Compound:
    condition = _section(scan, "do")
    return Compound(Kind.LOOP, (condition, _read_body(scan)))


def _read_body(scan: Scan) -> Script:
    """Read `do … done`."""
    _expect(scan, "do")
    body = _section(scan, "done")
    _expect(scan, "done")
    return body


def _read_for(scan: Scan) -> Compound:
    scan.skip_blanks()
    if scan.source.startswith("((", scan.position):
        scan.position += 2
        scan.doubt("A loop counts with arithmetic.")
        builder = WordBuilder()
        read_arithmetic_body(scan, builder)
        _skip_separator(scan)
        counted = builder.finish("")
        return Compound(Kind.FOR, (_read_body(scan),), words=(counted,))
    name = _NAME.match(scan.source, scan.position)
    if not name:
        scan.lose("A loop has no variable.")
        return Compound(Kind.FOR, (_read_body(scan),))
    scan.position = name.end()
    scan.notes.names.add(name.group())
    scan.notes.lasting[name.group()] = None
    skip_lines(scan)
    words: tuple[WordNode, ...] = (WordNode(Word("$@", is_literal=False, raw="", can_split=True)),)
    if scan.peek_reserved() == "in":
        scan.position += len("in")
        scan.skip_blanks()
        words = _read_words(scan)
        for node in words[:_MAX_TURNS]:
            if node.word.is_literal:
                scan.notes.turns.append(AssignmentNode(name.group(), node))
    _skip_separator(scan)
    return Compound(Kind.FOR, (_read_body(scan),), words=words, name=name.group())


def _read_words(scan: Scan) -> tuple[WordNode, ...]:
    """Read words up to the end of the line or a `;`."""
    words: list[WordNode] = []
    scan.skip_blanks()
    while scan.peek() and scan.peek() not in "\n;":
        node = read_word(scan)
        if node.has_braces:
            scan.doubt("Braces make several words of one.")
        words.append(node)
        scan.skip_blanks()
    return tuple(words)


def _skip_separator(scan: Scan) -> None:
    scan.skip_blanks()
    if scan.peek() == ";" and scan.peek_operator() == ";":
        scan.position += 1
    skip_lines(scan)


def _read_select(scan: Scan) -> Compound:
    scan.doubt("`select` reads what to do.")
    return _read_for(scan)


def _read_case(scan: Scan) -> Compound:
    scan.skip_blanks()
    words = [read_word(scan)] if scan.peek() and scan.peek() not in "\n;|&)" else []
    _expect(scan, "in")
    sections: list[Script] = []
    while True:
        skip_lines(scan)
        if not scan.peek() or scan.peek_reserved() == "esac":
            break
        before = scan.position
        words.extend(_read_patterns(scan))
        sections.append(_section(scan, "esac"))
        operator = scan.peek_operator()
        if operator in (";;", ";&", ";;&"):
            scan.position += len(operator)
        elif scan.peek_reserved() != "esac" or scan.position == before:
            break
    _expect(scan, "esac")
    return Compound(Kind.CASE, tuple(sections), words=tuple(words))


def _read_patterns(scan: Scan) -> list[WordNode]:
    """Read `(a | b)` of a case, with or without its opening."""
    patterns: list[WordNode] = []
    if scan.peek() == "(":
        scan.position += 1
    while True:
        scan.skip_blanks()
        if not scan.peek() or scan.peek() in "\n;&(":
            scan.lose("A pattern of a `case` is not closed.")
            return patterns
        if scan.peek() not in "|)":
            patterns.append(read_word(scan))
            continue
        scan.position += 1
        if scan.source[scan.position - 1] == ")":
            return patterns


def read_function(scan: Scan) -> Compound:
    """Read `name() …` or what follows `function`."""
    scan.doubt("A function is defined.")
    scan.notes.moves += 1
    scan.skip_blanks()
    name = read_word(scan).word.text if scan.peek() not in ("", "\n", "(") else ""
    scan.skip_blanks()
    if scan.peek() == "(":
        scan.position += 1
        scan.skip_blanks()
        if scan.peek() == ")":
            scan.position += 1
        else:
            scan.lose("A function's `(` is not closed.")
    skip_lines(scan)
    scan.notes.functions[name] = None
    body = scan.grammar.read_command(scan, scan.peek_reserved())
    script = Script((AndOr((("", Pipeline((body,))),)),))
    return Compound(Kind.FUNCTION, (script,), name=name)


def _read_coproc(scan: Scan) -> Compound:
    scan.doubt("`coproc` runs a command beside this one.")
    scan.skip_blanks()
    body = scan.grammar.read_command(scan, scan.peek_reserved())
    script = Script((AndOr((("", Pipeline((body,))),)),))
    return Compound(Kind.COPROCESS, (script,))


COMPOUND: dict[str, Callable[[Scan], Compound]] = {
    "(": _read_subshell,
    "{": _read_group,
    "if": _read_if,
    "while": _read_while,
    "until": _read_while,
    "for": _read_for,
    "select": _read_select,
    "case": _read_case,
    "function": read_function,
    "coproc": _read_coproc,
}
