"""What words that are not written out may become, for rules that deny."""

import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice, product

from gantlet.shell.analysis import Word
from gantlet.shell.grammar.syntax import Piece, Script, Simple, Stretch, WordNode
from gantlet.shell.meaning.braces import expand_braces
from gantlet.shell.meaning.spoken import spoken

_MAX_TEXTS = 8
_MAX_COMMANDS = 24
_DEFAULT = re.compile(r"\$\{[A-Za-z_0-9@*#!]+(?:\[[^\]]*\])?:?[-=+?](.*)\}", re.DOTALL)
_EXPANSION = re.compile(r"\$(?:[A-Za-z_]\w*|[0-9@*#?$!-]|\{[^}]*\})")
_NAME = re.compile(r"\$\{!?#?([A-Za-z_][A-Za-z0-9_]*)")
_POSITIONAL = re.compile(r"[0-9]+|[@*]")
_QUOTES = re.compile(r"[\"'\\]")

Known = Mapping[str, Sequence[str]]


def guess_commands(
    nodes: Sequence[WordNode], known: Known, programs: Sequence[str]
) -> list[tuple[Word, ...]]:
    """Return the commands that the words may make, as far as the source tells.

    `known` holds every text that is assigned to a name anywhere; `programs` the names a glob in
    the place of the program may match.
    """
    choices = [_guess(node, known) for node in nodes]
    if nodes and nodes[0].word.has_glob:
        choices[0] = _matching(nodes[0].word.text, programs) or choices[0]
    commands = []
    limit = max(_MAX_COMMANDS, len(choices[0])) if choices else 0
    for chosen in islice(product(*reversed(choices)), limit):  # the first word varies fastest
        words = tuple(word for group in reversed(chosen) for word in group)
        if words:
            commands.append(words)
    return commands


def _guess(node: WordNode, known: Known) -> list[list[Word]]:
    """Return the groups of words one word may become; the first is the likeliest."""
    if node.has_braces:
        return _braced(expand_braces(node.word.text))
    if not node.stretches:
        return [[node.word]]
    texts = [_texts(stretch, known) for stretch in node.stretches]
    groups = []
    for chosen in islice(product(*texts), _MAX_TEXTS):
        text = "".join(chosen)
        if node.word.can_split:
            groups.append([_literal(part) for part in text.split()])
        else:
            groups.append([_literal(text)])
    return groups


def _braced(texts: Sequence[str]) -> list[list[Word]]:
    """Return what braces become: as they are written, and with variables that are empty."""
    written = [_literal(text) for text in texts]
    if not any("$" in text for text in texts):
        return [written]
    bare = [_EXPANSION.sub("", text) for text in texts]
    return [written, [_literal(text) for text in bare if text]]


def _texts(stretch: Stretch, known: Known) -> list[str]:
    """Return what one stretch may become."""
    if stretch.piece is Piece.LITERAL:
        return [stretch.text]
    if stretch.piece is Piece.VARIABLE:
        if stretch.text == "IFS":
            return [" "]
        return [*known.get(stretch.text, ()), ""][:_MAX_TEXTS]
    if stretch.piece is Piece.SUBSTITUTION:
        said = _said(stretch.script)
        return [*said, ""] if said else [""]
    default = _DEFAULT.fullmatch(stretch.text)
    name = _NAME.match(stretch.text)
    texts = [_QUOTES.sub("", default.group(1))] if default else []
    texts.extend(known.get(name.group(1), ()) if name else ())
    if name and name.group(1) == "IFS":
        return [" "]
    return [*texts, ""][:_MAX_TEXTS]


def _said(script: Script | None) -> list[str]:
    """Return what a substitution prints, if it is plain `echo` or `printf`."""
    if script is None or len(script.items) != 1:
        return []
    links = script.items[0].links
    if len(links) != 1 or not links[0][1].commands:
        return []
    last = links[0][1].commands[-1]
    return [text.rstrip("\n") for text in spoken(last)] if isinstance(last, Simple) else []


def is_quotation(node: WordNode) -> bool:
    """Return whether a word is text and what `cat` prints of a here-document that is text."""
    return bool(node.stretches) and all(
        stretch.piece is Piece.LITERAL or (stretch.is_quoted and _quotes(stretch.script))
        for stretch in node.stretches
    )


def _quotes(script: Script | None) -> bool:
    """Return whether a substitution is `cat` with one here-document and nothing else."""
    if script is None or len(script.items) != 1 or len(script.items[0].links) != 1:
        return False
    commands = script.items[0].links[0][1].commands
    if len(commands) != 1 or not isinstance(commands[0], Simple):
        return False
    only = commands[0]
    is_cat = [node.word.text for node in only.words] == ["cat"] and not only.assignments
    return is_cat and [
        (node.operator.removesuffix("-"), node.target.word.is_literal) for node in only.redirects
    ] == [("<<", True)]


def _matching(pattern: str, programs: Sequence[str]) -> list[list[Word]]:
    name = pattern.rpartition("/")[2]
    return [[_literal(program)] for program in programs if fnmatchcase(program, name)]


def _literal(text: str) -> Word:
    return Word(text, is_literal=True, raw=text)


def is_positional(name: str) -> bool:
    """Return whether a variable is an argument of a script or function."""
    return _POSITIONAL.fullmatch(name) is not None
