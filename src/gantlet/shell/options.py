"""Option grammars as data, and reading arguments by them.

The notation of a grammar is a list of options between blanks:

    -a              a letter without a value
    -n=             a letter with a value: `-n5` or `-n 5`
    -i[=]           a letter whose value, if any, is attached: `-i` or `-i.bak`
    --all           a word without a value
    --lines=        a word with a value: `--lines=5` or `--lines 5`
    --color[=]      a word whose value, if any, is attached
    -n,--lines=int  two names of one option
    -NUM            a number as an option: `-20`

A name behind `=` is the kind of the value: what the caller makes of it.
"""

import re
from collections.abc import Sequence
from dataclasses import field
from enum import Enum
from functools import lru_cache

from gantlet.messages.value import slotted, value
from gantlet.shell.analysis import Word

_TOKEN = re.compile(r"(?P<names>-[^=\[\s]*)(?:\[=(?P<maybe>\w*)\]|=(?P<must>\w*))?")
_LONG_DYNAMIC = re.compile(r"(--[A-Za-z][A-Za-z0-9-]*)=")
_NUMBER = re.compile(r"-[0-9]+")


class Takes(Enum):
    """Whether an option has a value."""

    NOTHING = "nothing"
    VALUE = "a value"
    ATTACHED = "perhaps an attached value"


@value
class Option:
    """One option of a grammar, by its first name."""

    name: str
    takes: Takes
    kind: str


@slotted
class Parsed:
    """Arguments read by a grammar.

    Attributes:
        found: The options in order, each with its value.
        operands: The other words.
        rest: Where the first operand stands, if options end there.
        is_unsure: An operand may turn out to be options, or any number of words.
        problem: Why the arguments do not fit the grammar, or nothing.
    """

    found: list[tuple[Option, Word | None]] = field(default_factory=list)
    operands: list[Word] = field(default_factory=list)
    rest: int = 0
    is_unsure: bool = False
    problem: str = ""

    def has(self, *names: str) -> bool:
        """Return whether one of these options is given."""
        return any(option.name in names for option, _ in self.found)

    def values(self, *names: str) -> list[Word]:
        """Return the values given to these options."""
        return [value for option, value in self.found if value and option.name in names]


class Grammar:
    """The options a program knows."""

    __slots__ = ("letters", "reads_files", "takes_numbers", "words")

    def __init__(self, notation: str) -> None:
        self.letters: dict[str, Option] = {}
        self.words: dict[str, Option] = {}
        self.takes_numbers = False
        self.reads_files = False  # whether an option names a file
        for token in notation.split():
            self._add(token)

    def _add(self, token: str) -> None:
        if token == "-NUM":
            self.takes_numbers = True
            return
        match = _TOKEN.fullmatch(token)
        if match is None:
            raise ValueError(f"{token!r} is not in the notation of options.")
        names, maybe, must = match.group("names", "maybe", "must")
        takes = Takes.NOTHING if maybe is must is None else Takes.VALUE
        if maybe is not None:
            takes = Takes.ATTACHED
        listed = names.split(",")
        option = Option(listed[0], takes, maybe or must or "text")
        self.reads_files = self.reads_files or option.kind in ("path", "tree")
        for name in listed:
            if name.startswith("--") or len(name) > 2:
                self.words[name] = option
            else:
                self.letters[name[1:]] = option

    def long(self, name: str, *, abbreviated: bool) -> Option | None:
        """Return the option of that name, or of the one name that begins so."""
        option = self.words.get(name)
        if option is not None or not abbreviated:
            return option
        matching = {found for known, found in self.words.items() if known.startswith(name)}
        return matching.pop() if len(matching) == 1 else None


@lru_cache(maxsize=512)
def grammar_of(notation: str) -> Grammar:
    """Return the grammar a notation stands for; each is read once."""
    return Grammar(notation)


def parse_arguments(
    words: Sequence[Word], grammar: Grammar, *, permutes: bool = True, abbreviates: bool = False
) -> Parsed:
    """Read the words behind a program's name.

    With `permutes`, options may follow operands; without, the first operand ends them.
    With `abbreviates`, the beginning of a long option's name will do.
    """
    parsed = Parsed()
    index, count = 0, len(words)
    while index < count and not parsed.problem:
        word = words[index]
        text = word.text
        if not word.is_literal and not _is_long_dynamic(word):
            _note_unsure(parsed, word)
        elif text.startswith("--"):
            if text == "--":
                index += 1
                break
            index = _take_long(words, index, grammar, parsed, abbreviates=abbreviates)
            continue
        elif len(text) > 1 and text[0] == "-":
            index = _take_letters(words, index, grammar, parsed)
            continue
        if not permutes:
            break
        parsed.operands.append(word)
        index += 1
    parsed.rest = index
    parsed.operands.extend(words[index:])
    if any(word.can_split for word in words[index:]):
        parsed.is_unsure = True
    return parsed


def _is_long_dynamic(word: Word) -> bool:
    """Return whether a word that is not literal is surely one long option with its value."""
    return not word.can_split and _LONG_DYNAMIC.match(word.text) is not None


def _note_unsure(parsed: Parsed, word: Word) -> None:
    if word.is_process:
        return
    if word.can_split or not word.text or word.text[0] in "-*?[$`~":
        parsed.is_unsure = True


def _take_long(
    words: Sequence[Word], index: int, grammar: Grammar, parsed: Parsed, *, abbreviates: bool
) -> int:
    word = words[index]
    name, equals, attached = word.text.partition("=")
    option = grammar.long(name, abbreviated=abbreviates)
    if option is None:
        parsed.problem = f"the option {name} is not known to be harmless"
    elif not equals:
        return _take_value(words, index, option, parsed)
    elif option.takes is Takes.NOTHING:
        parsed.problem = f"the option {name} has no value"
    else:
        parsed.found.append((option, _part(word, attached)))
    return index + 1


def _part(word: Word, text: str) -> Word:
    return Word(text, word.is_literal, word.raw, word.has_glob)


def _take_value(words: Sequence[Word], index: int, option: Option, parsed: Parsed) -> int:
    """Take the value of the option at `index`, which may be the next word."""
    if option.takes is not Takes.VALUE:
        parsed.found.append((option, None))
        return index + 1
    if index + 1 >= len(words):
        parsed.problem = f"the option {option.name} lacks its value"
        return index + 1
    value = words[index + 1]
    if value.can_split or (value.has_glob and not value.is_literal):
        parsed.is_unsure = True
    parsed.found.append((option, value))
    return index + 2


def _take_letters(words: Sequence[Word], index: int, grammar: Grammar, parsed: Parsed) -> int:
    """Take a word of option letters, the last of which may have a value."""
    word = words[index]
    text = word.text
    if text in grammar.words:  # one dash and a whole name, as some programs have it
        return _take_value(words, index, grammar.words[text], parsed)
    if grammar.takes_numbers and _NUMBER.fullmatch(text):
        parsed.found.append((Option("-NUM", Takes.NOTHING, "int"), _part(word, text[1:])))
        return index + 1
    for at, letter in enumerate(text[1:], start=2):
        option = grammar.letters.get(letter)
        if option is None:
            parsed.problem = f"the option -{letter} is not known to be harmless"
            break
        if option.takes is Takes.NOTHING:
            parsed.found.append((option, None))
            continue
        attached = text[at:]
        if not attached:
            return _take_value(words, index, option, parsed)
        parsed.found.append((option, _part(word, attached)))
        break
    return index + 1
