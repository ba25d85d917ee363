"""How a program that only reads is described, and how its arguments are held against that."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import Enum

from gantlet.messages.value import replace, value
from gantlet.shell.analysis import NotKnown, PathUse, ReadOnly, Word
from gantlet.shell.options import Grammar, Parsed, grammar_of, parse_arguments

#: Extra rules of one program: the paths it reads, or why it is not known to read only.
Check = Callable[[Parsed], list[PathUse] | str]

#: Reads the words behind a program's name, for programs with a grammar of their own.
Judge = Callable[[Sequence[Word]], ReadOnly | NotKnown]


class Operands(Enum):
    """What the words are that are no options."""

    NONE = "none"
    TEXT = "text"
    PATHS = "paths"
    TREES = "trees"
    PATTERN_PATHS = "a pattern, then paths"
    PATTERN_TREES = "a pattern, then trees"


_HAS_PATTERN = (Operands.PATTERN_PATHS, Operands.PATTERN_TREES)
_ARE_TREES = (Operands.TREES, Operands.PATTERN_TREES)


@value
class Program:
    """One entry of the table.

    Attributes:
        name: The name, with its subcommand if it has one.
        options: The options that only read, in the notation of `options`.
        operands: What the other words are.
        most: How many operands it may have, if there is a limit.
        default: What it reads without operands.
        recursive: Options with which its operands are trees.
        pattern_options: Options that take the pattern's place.
        permutes: Whether options may follow operands.
        is_tame: No option of the program, listed or not, changes or runs anything; so a glob
            that becomes options does no harm.
        refuses_globs: It is asked about with any glob, as the contract has it.
        needs: Options of which one must be given; without, it does something else.
        check: Rules beyond the table.
        judge: Reads the words in place of all the rest.
        subcommands: The table of its subcommands; then `options` are those before them.
        refused: What is left out on purpose, for people.
    """

    name: str
    options: str = ""
    operands: Operands = Operands.PATHS
    most: int | None = None
    default: PathUse | None = None
    recursive: tuple[str, ...] = ()
    follows: tuple[str, ...] = ()
    pattern_options: tuple[str, ...] = ()
    permutes: bool = True
    is_tame: bool = False
    refuses_globs: bool = False
    needs: tuple[str, ...] = ()
    check: Check | None = None
    judge: Judge | None = None
    subcommands: Mapping[str, "Program"] = field(default_factory=dict)
    refused: str = ""

    @property
    def grammar(self) -> Grammar:
        """The options, read once."""
        return grammar_of(self.options)


def judge_words(program: Program, words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Hold the words behind a program's name against its entry."""
    if program.judge is not None:
        return program.judge(words)
    if program.subcommands:
        return _judge_subcommand(program, words)
    parsed = parse_arguments(words, program.grammar, permutes=program.permutes)
    problem = parsed.problem or _odd_words(program, parsed)
    if problem:
        return NotKnown(f"{program.name}: {problem}.")
    if program.check is not None:
        reads = program.check(parsed)
        if isinstance(reads, str):
            return NotKnown(f"{program.name}: {reads}.")
    else:
        reads = _operand_reads(program, parsed)
    reads.extend(_option_reads(parsed))
    return ReadOnly(program.name, tuple(reads))


def _judge_subcommand(program: Program, words: Sequence[Word]) -> ReadOnly | NotKnown:
    bare = program.subcommands.get("")
    if bare is not None and all(word.text.startswith("-") for word in words):
        return judge_words(bare, words)
    parsed = parse_arguments(words, program.grammar, permutes=False)
    if parsed.problem or not parsed.operands:
        return NotKnown(f"{program.name}: {parsed.problem or 'it has no subcommand'}.")
    first = parsed.operands[0]
    found = program.subcommands.get(first.text) if first.is_literal else None
    if found is None:
        return NotKnown(f"{program.name}: {first.text!r} is not known to read only.")
    return judge_words(found, parsed.operands[1:])


def _odd_words(program: Program, parsed: Parsed) -> str:
    """Return why the words of a program cannot be accepted, or nothing."""
    if program.most is not None and len(parsed.operands) > program.most:
        return "it has more operands than are known to be harmless"
    if program.operands is Operands.NONE and parsed.operands:
        return "it has an operand"
    if program.needs and not parsed.has(*program.needs):
        return f"it only reads with one of {', '.join(program.needs)}"
    odd = [word for word in parsed.operands if not word.is_literal and not word.is_process]
    values = [value for option, value in parsed.found if value and option.kind != "text"]
    if not odd and not parsed.is_unsure and all(value.is_literal for value in values):
        return ""
    return _unwritten_words(program, parsed, odd, values)


def _unwritten_words(
    program: Program, parsed: Parsed, odd: Sequence[Word], values: Sequence[Word]
) -> str:
    """Return why words that are not written out cannot be accepted, or nothing."""
    if any(not value.is_literal and not value.has_glob for value in values):
        return "an option's file is not written out"
    has_glob = any(word.has_glob for word in (*odd, *values))
    if has_glob and (program.refuses_globs or program.most is not None):
        return "a glob stands among its words"
    if parsed.is_unsure and not program.is_tame:
        return "a word may turn out to be an option"
    dynamic = [word for word in odd if not word.has_glob]
    if dynamic and (_takes_paths(program, dynamic, parsed.operands) or _may_read(program, parsed)):
        return "a word is not written out"
    return ""


def _may_read(program: Program, parsed: Parsed) -> bool:
    """Return whether a word that may be an option may then name a file."""
    return parsed.is_unsure and program.grammar.reads_files


def _takes_paths(program: Program, dynamic: Sequence[Word], operands: Sequence[Word]) -> bool:
    """Return whether one of the words that are not known stands for a path."""
    if program.check is not None:
        return program.operands is not Operands.TEXT
    if program.operands in (Operands.NONE, Operands.TEXT):
        return False
    if program.operands in _HAS_PATTERN:
        return any(word is not operands[0] or word.can_split for word in dynamic)
    return True


def _operand_reads(program: Program, parsed: Parsed) -> list[PathUse]:
    if program.operands in (Operands.NONE, Operands.TEXT):
        return [program.default] if program.default else []
    operands = parsed.operands
    if program.operands in _HAS_PATTERN and not parsed.has(*program.pattern_options):
        operands = operands[1:]
    is_tree = program.operands in _ARE_TREES or parsed.has(*program.recursive)
    follows = is_tree and parsed.has(*program.follows) and not parsed.has("--no-dereference")
    if not operands:
        if is_tree:
            return [PathUse(".", is_tree=True, follows=follows)]
        return [program.default] if program.default else []
    found = paths(operands, is_tree=is_tree)
    return [replace(use, follows=True) for use in found] if follows else found


def _option_reads(parsed: Parsed) -> list[PathUse]:
    reads: list[PathUse] = []
    for option, given in parsed.found:
        if given is not None and option.kind in ("path", "tree"):
            reads.extend(paths([given], is_tree=option.kind == "tree"))
    return reads


def paths(words: Sequence[Word], *, is_tree: bool = False) -> list[PathUse]:
    """Return words as paths that are used; `-` and pipes are none."""
    return [
        PathUse(path_of(word), is_tree, word.has_glob)
        for word in words
        if not word.is_process and word.text != "-"
    ]


def path_of(word: Word) -> str:
    """Return a word as a path; only an unquoted `~` means home."""
    text = word.text or "."
    if text.startswith("~") and not word.raw.startswith("~"):
        return f"./{text}"
    return text
