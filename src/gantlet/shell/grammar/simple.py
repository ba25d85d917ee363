"""Simple commands: assignments, words and redirections up to the next operator."""

import re

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.changes import note_command, value_of
from gantlet.shell.grammar.heredocs import read_delimiter
from gantlet.shell.grammar.scan import Scan
from gantlet.shell.grammar.syntax import AssignmentNode, RedirectNode, Simple, WordNode
from gantlet.shell.grammar.words import read_word

_REDIRECT = re.compile(
    r"(?P<fd>[0-9]+|\{[A-Za-z_][A-Za-z0-9_]*(?:\[[^\]]{0,64}\])?\})?"
    r"(?P<operator><<<|<<-|<<|<&|<>|<(?!\()|>>|>&|>\||>(?!\()|&>>|&>)"
)
#: Where something else than a plain word may begin, or the command ends.
_SPECIAL_STARTS = frozenset("\n;|)&<>0123456789{(")
_AMPERSAND = re.compile(r"&(?!>)")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(?:(\+?)=|(?=\[))")
_FILE_DESCRIPTOR = re.compile(r"[0-9]{1,2}|-")


def read_simple(scan: Scan) -> Simple:
    """Read one simple command. Nothing may be read if an operator stands here."""
    start = end = scan.position
    words: list[WordNode] = []
    assignments: list[AssignmentNode] = []
    redirects: list[RedirectNode] = []
    source, length = scan.source, len(scan.source)
    while scan.position < length:
        character = source[scan.position]
        if character in _SPECIAL_STARTS:
            if character in "\n;|)" or _AMPERSAND.match(source, scan.position):
                break
            _read_special(scan, words, redirects)
        elif words or not _reads_assignment(scan, assignments):
            words.append(read_word(scan))
        end = scan.position
        scan.skip_blanks()
    is_plain = note_command(scan, words, assignments) and not (assignments or redirects)
    raw = source[start:end]
    return Simple(tuple(words), tuple(assignments), tuple(redirects), raw, is_plain)


def _read_special(scan: Scan, words: list[WordNode], redirects: list[RedirectNode]) -> None:
    """Read a redirection, or what only seems to begin one."""
    found = _REDIRECT.match(scan.source, scan.position)
    if found:
        redirects.append(_read_redirect(scan, found))
    elif scan.peek() == "(":
        scan.position += 1
        scan.lose("A `(` stands inside a command.")
    else:
        words.append(read_word(scan))


def _reads_assignment(scan: Scan, assignments: list[AssignmentNode]) -> bool:
    """Read an assignment if one stands here."""
    source, start = scan.source, scan.position
    found = _ASSIGNMENT.match(source, start)
    if not found:
        return False
    name, appends = found.groups()
    if appends is None:
        return _reads_element(scan, assignments)
    if source.startswith("(", found.end()):
        scan.position = found.end() + 1
        scan.doubt("An array is assigned.")
        _read_array(scan, name, assignments)
        return True
    if found.end() == len(source) or source[found.end()] in " \t\n;|&)<>":
        scan.position = found.end()
        value = WordNode(Word("", is_literal=True, raw=""))
        if source[found.end() : found.end() + 1] in ("<", ">") and source.startswith(
            "(", found.end() + 1
        ):
            value = read_word(scan)
    else:
        value = value_of(read_word(scan), found.end() - start)
    assignments.append(AssignmentNode(name, value, is_exact=not appends))
    return True


def _reads_element(scan: Scan, assignments: list[AssignmentNode]) -> bool:
    """Read `name[index]=value` as a word that is not proved; the index may run commands."""
    start = scan.position
    node = read_word(scan)
    if "]=" not in node.word.raw and "]+=" not in node.word.raw:
        scan.position = start
        return False
    scan.doubt("An element of an array is assigned.")
    name = node.word.raw.partition("[")[0]
    assignments.append(AssignmentNode(name, node, is_exact=False))
    return True


def _read_array(scan: Scan, name: str, assignments: list[AssignmentNode]) -> None:
    while True:
        scan.skip_blanks()
        character = scan.peek()
        if character == "\n":
            scan.position += 1
        elif character == ")":
            scan.position += 1
            return
        elif not character or character in ";|&<>(":
            scan.lose("An array is not closed.")
            return
        else:
            assignments.append(AssignmentNode(name, read_word(scan), is_exact=False))


def _read_redirect(scan: Scan, found: re.Match[str]) -> RedirectNode:
    """Read a redirection whose operator was found."""
    scan.position = found.end()
    operator, digits = found.group("operator"), found.group("fd")
    fd = int(digits) if digits and digits.isdigit() and len(digits) <= 2 else None
    if digits and fd is None:
        scan.doubt("A redirection names its file descriptor in an unusual way.")
    scan.skip_blanks()
    if not scan.peek() or scan.peek() in "\n;|&)" or _lacks_target(scan, operator):
        scan.lose("A redirection has no target.")
        return RedirectNode(operator, fd, WordNode(Word("", is_literal=False, raw="")))
    if operator in ("<<", "<<-"):
        return read_delimiter(scan, operator, fd)
    target = read_word(scan)
    _doubt_target(scan, operator, target)
    return RedirectNode(operator, fd, target)


def _lacks_target(scan: Scan, operator: str) -> bool:
    """Return whether another redirection stands where the target should."""
    return operator not in (">&", "<&") and bool(_REDIRECT.match(scan.source, scan.position))


def _doubt_target(scan: Scan, operator: str, target: WordNode) -> None:
    word = target.word
    if target.has_braces:
        scan.doubt("Braces make several words of one.")
    if operator == "<<<":
        return
    if operator in (">&", "<&"):
        if not _FILE_DESCRIPTOR.fullmatch(word.text) or not word.is_literal:
            scan.doubt(f"`{operator}` with something that is no file descriptor.")
    elif operator == "<>":
        scan.doubt("`<>` opens a file for reading and writing.")
    elif not word.is_literal and not word.is_process:
        scan.doubt("The target of a redirection is not written out.")
