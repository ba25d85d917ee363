"""Lists and pipelines."""

import re

from gantlet.shell.grammar.compounds import COMPOUND, read_function
from gantlet.shell.grammar.conditions import read_arithmetic_command, read_condition
from gantlet.shell.grammar.heredocs import skip_lines, take
from gantlet.shell.grammar.scan import MAX_DEPTH, Grammar, Scan
from gantlet.shell.grammar.simple import read_simple
from gantlet.shell.grammar.syntax import (
    AndOr,
    Compound,
    Kind,
    Notes,
    Pipeline,
    RedirectNode,
    Script,
    Simple,
)

_FUNCTION = re.compile(r"[^\s;|&<>()'\"\\$`{}=]+[ \t]*\([ \t]*\)")
_TIME_OPTIONS = re.compile(r"(?:[ \t]+(?:-p|--)(?=[ \t\n;|&]|\Z))*")


def parse(source: str, notes: Notes, depth: int = 0) -> Script:
    """Read a source to its end. Never raises; what is not sure is in the notes."""
    return _read_script(Scan(source, _GRAMMAR, notes, depth), "")


def _read_script(scan: Scan, closer: str) -> Script:
    """Read up to a closing character or the end; stray operators are doubted and passed over."""
    items: list[AndOr] = []
    while True:
        items.extend(_read_items(scan, frozenset()))
        character = scan.peek()
        if not character or character == closer:
            if scan.pending and not character:
                scan.lose("A here-document has no text.")
            return Script(tuple(items))
        operator = scan.peek_operator() or character
        scan.lose(f"`{operator}` stands where nothing can be ended by it.")
        scan.position += len(operator)


def _read_section(scan: Scan, stops: frozenset[str]) -> Script:
    """Read a list up to one of the reserved words, which is left standing."""
    return Script(tuple(_read_items(scan, stops)))


def _read_items(scan: Scan, stops: frozenset[str]) -> list[AndOr]:
    """Read commands up to a reserved word of `stops`, or to what ends no command."""
    items: list[AndOr] = []
    while True:
        skip_lines(scan)
        if not scan.peek() or scan.peek() == ")":
            return items
        word = scan.peek_reserved()
        if word and word in stops:
            return items
        before = scan.position
        links = _read_links(scan, word)
        if scan.position == before:
            return items
        operator = scan.peek_operator()
        is_ended = operator in (";", "&", "\n")
        if is_ended:
            take(scan, operator)
        items.append(AndOr(tuple(links), is_background=operator == "&"))
        if not is_ended:
            return items


def _read_links(scan: Scan, word: str) -> list[tuple[str, Pipeline]]:
    start = scan.position
    links = [("", _read_pipeline(scan, word))]
    if scan.position == start:
        return links
    while (operator := scan.peek_operator()) in ("&&", "||"):
        scan.take_operator(operator)
        skip_lines(scan)
        before = scan.position
        links.append((operator, _read_pipeline(scan, scan.peek_reserved())))
        if scan.position == before:
            scan.lose(f"Nothing follows `{operator}`.")
            break
    return links


def _read_pipeline(scan: Scan, word: str) -> Pipeline:
    is_negated = False
    while word in ("!", "time"):
        scan.position += len(word)
        if word == "time":
            found = _TIME_OPTIONS.match(scan.source, scan.position)
            scan.position = found.end() if found else scan.position
        is_negated = is_negated or word == "!"
        scan.skip_blanks()
        word = scan.peek_reserved()
    start = scan.position
    commands = [_read_command(scan, word)]
    if scan.position == start:
        return Pipeline(tuple(commands), is_negated)
    while (operator := scan.peek_operator()) in ("|", "|&"):
        scan.take_operator(operator)
        skip_lines(scan)
        before = scan.position
        commands.append(_read_command(scan, scan.peek_reserved()))
        if scan.position == before:
            scan.lose("Nothing follows a pipe.")
            break
    return Pipeline(tuple(commands), is_negated)


def _read_command(scan: Scan, word: str) -> Simple | Compound:
    """Read one command; `word` is the reserved word that stands here, if any."""
    start = scan.position
    if word == "[[":
        return _with_redirects(scan, read_condition(scan))
    if scan.source.startswith("((", start):
        return _with_redirects(scan, read_arithmetic_command(scan))
    read = COMPOUND.get(word or ("(" if scan.peek() == "(" else ""))
    if read is None:
        if word and word != "in":
            scan.lose(f"`{word}` stands where it has no meaning.")
        if not _FUNCTION.match(scan.source, start):
            return read_simple(scan)
        read = read_function
    if scan.depth >= MAX_DEPTH:
        scan.give_up("The command is nested too deeply.")
        return read_simple(scan)
    names, moves = len(scan.notes.assigned), scan.notes.moves
    scan.depth += 1
    scan.position += len(word)
    compound = read(scan)
    scan.depth -= 1
    has_moved = scan.notes.moves > moves
    if compound.kind is Kind.SUBSHELL:
        scan.notes.moves = moves  # what moves inside stays inside
    redirects = _read_redirects(scan)
    return Compound(
        compound.kind,
        compound.sections,
        redirects,
        compound.words,
        compound.name,
        frozenset(node.name for node in scan.notes.assigned[names:]),
        has_moved,
        scan.source[start : scan.position],
    )


def _with_redirects(scan: Scan, simple: Simple) -> Simple:
    redirects = _read_redirects(scan)
    return Simple(simple.words, simple.assignments, redirects, simple.raw)


def _read_redirects(scan: Scan) -> tuple[RedirectNode, ...]:
    """Read what may follow a compound command: redirections and nothing else."""
    scan.skip_blanks()
    if not scan.peek() or scan.peek() in "\n;|)":
        return ()
    tail = read_simple(scan)
    if tail.words or tail.assignments:
        scan.lose("Words follow the end of a compound command.")
    return tail.redirects


_GRAMMAR = Grammar(_read_script, _read_section, _read_command)
