"""A command line as permission sees it: its commands, their texts for rules, and their paths."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from gantlet.permissions.facts import Touch, spot
from gantlet.shell import (
    Analysis,
    Judgement,
    NotKnown,
    PathUse,
    ReadOnly,
    SimpleCommand,
    Writes,
    analyse,
    judge,
    strip_for_allow,
    strip_for_rules,
    text_of,
)
from gantlet.tool import PathKind

#: Programs that look at names and not into files, so that a file below forbids nothing.
_LISTS_NAMES = frozenset(
    {
        "[", "basename", "cd", "dirname", "du", "find", "ls", "pwd", "readlink", "realpath", "stat",
        "test", "tree",
    }
)  # fmt: skip
#: How many words of one command that may be paths are looked at.
MAX_MENTIONS = 200


@dataclass(frozen=True, slots=True)
class Use:
    """One path a command names, seen from the command's directory."""

    path: str
    kind: PathKind = "read"
    is_tree: bool = False
    is_glob: bool = False
    is_guess: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """One command of a line.

    Attributes:
        rule_texts: Every form in which a deny or ask rule may mean it.
        allow_texts: The forms in which an allow rule may mean it.
        judgement: What is known of its words, redirections apart.
        operands: What its words name, as far as that is known.
        redirects: What it is redirected to and from.
        directory: Where it runs, if that is not where the line starts.
        obstacle: Why it cannot be allowed for itself, or nothing.
        has_more_mentions: There are more words than were taken for paths.
    """

    command: SimpleCommand
    shown: str
    rule_texts: tuple[str, ...]
    allow_texts: tuple[str, ...]
    judgement: Judgement
    operands: tuple[Use, ...] = ()
    redirects: tuple[Use, ...] = ()
    directory: Use | None = None
    obstacle: str = ""
    has_more_mentions: bool = False

    @property
    def must_be_covered(self) -> bool:
        """Whether an allow has to cover it; what another command runs is covered with that."""
        return not self.command.is_carried

    @property
    def uses(self) -> tuple[Use, ...]:
        """Every path the command names."""
        where = () if self.directory is None else (self.directory,)
        return (*where, *self.operands, *self.redirects)

    def touch(self, use: Use, cwd: str) -> Touch:
        """Return a path as seen from where the line starts."""
        inside = "." if use is self.directory else self.command.cwd or "."
        seen_from = cwd if inside == "." else spot(inside, cwd)
        where = spot(use.path, seen_from)
        return Touch(use.path, where, use.kind, use.is_tree, use.is_glob, use.is_guess)


@dataclass(frozen=True, slots=True)
class Reading:
    """A command line taken apart. The same text always gives the same reading."""

    analysis: Analysis
    parts: tuple[Part, ...]

    @property
    def is_read_only(self) -> bool:
        """Whether the line is proved to change nothing."""
        return self.analysis.is_proved and all(
            isinstance(part.judgement, ReadOnly)
            and not part.obstacle
            and all(use.kind == "read" for use in part.redirects)
            for part in self.parts
            if part.must_be_covered
        )

    def touches(self, cwd: str) -> tuple[Touch, ...]:
        """Return every path the line names, each once."""
        found = (part.touch(use, cwd) for part in self.parts for use in part.uses)
        return tuple(dict.fromkeys(found))


@lru_cache(maxsize=128)
def read_shell(command: str, start: str) -> Reading:
    """Take a command line apart that starts in a directory.

    Pure, so what was read once is not read again.
    """
    analysis = analyse(command)
    return Reading(analysis, tuple(_part(one, start) for one in dict.fromkeys(analysis.commands)))


def _part(command: SimpleCommand, start: str) -> Part:
    """Return one command as permission sees it."""
    words = replace(command, redirects=()) if command.redirects else command
    judgement = judge(words, start)
    redirects, problem = _redirects(command)
    return Part(
        command=command,
        shown=command.raw or text_of(command),
        rule_texts=_texts(strip_for_rules(command), command.raw),
        allow_texts=_texts(strip_for_allow(command), "" if command.redirects else command.raw),
        judgement=judgement,
        operands=tuple(_operands(judgement)),
        redirects=redirects,
        directory=None if command.cwd in (".", None) else Use(str(command.cwd)),
        obstacle="the directory it runs in is not known" if command.cwd is None else problem,
        has_more_mentions=isinstance(judgement, NotKnown)
        and len(judgement.mentions) > MAX_MENTIONS,
    )


def _texts(forms: Iterable[SimpleCommand], raw: str) -> tuple[str, ...]:
    """Return the texts of a command's forms, and the text as it was written."""
    found = dict.fromkeys(text_of(form) for form in forms)
    if raw:
        found[raw] = None
    return tuple(found)


def _redirects(command: SimpleCommand) -> tuple[tuple[Use, ...], str]:
    """Return the files a command is redirected to and from, or why they are not known."""
    if not command.redirects:
        return (), ""
    alone = SimpleCommand((), redirects=command.redirects, cwd=command.cwd)
    judgement = judge(alone)
    if isinstance(judgement, NotKnown):
        uses = tuple(_mentioned(judgement.mentions))
        return uses, "where it is redirected to is not known"
    return tuple(_operands(judgement)), ""


def _operands(judgement: Judgement) -> Iterator[Use]:
    """Yield the paths a command names; of an unknown program, words that may be paths."""
    match judgement:
        case ReadOnly(entry, reads):
            yield from (_use(path, "read", entry) for path in reads)
        case Writes(entry, reads, writes):
            yield from (_use(path, "read", entry) for path in reads)
            yield from (_use(path, "edit", entry) for path in writes)
        case NotKnown(_, mentions):
            yield from _mentioned(mentions)


def _use(path: PathUse, kind: PathKind, entry: str) -> Use:
    """Return a path a known program names."""
    lists_names = kind == "read" and entry.split(maxsplit=1)[0] in _LISTS_NAMES
    return Use(path.path, kind, path.is_tree and not lists_names, path.is_glob)


def _mentioned(mentions: tuple[PathUse, ...]) -> Iterator[Use]:
    """Yield what may be a path."""
    for path in mentions[:MAX_MENTIONS]:
        if "\n" not in path.path:
            yield Use(path.path, is_glob=path.is_glob, is_guess=True)
