"""A command line as permission sees it: its commands, their texts for rules, and their paths."""

from collections.abc import Iterator
from functools import lru_cache

from gantlet.messages.value import lazy, replace, value
from gantlet.permissions.facts import Facts, Touch, behind_process
from gantlet.permissions.trees import ALL, LeftOut, left_out, lists_names
from gantlet.shell import (
    Analysis,
    Judgement,
    NotKnown,
    Otherwise,
    PathUse,
    Reach,
    ReadOnly,
    Redirect,
    SimpleCommand,
    Sweep,
    Writes,
    analyse,
    judge,
    strip_for_allow,
    strip_for_rules,
    sweeps_of,
    text_of,
)
from gantlet.system import FileKind
from gantlet.tool import PathKind, spot

#: Programs that run what follows them in a way no prefix can vouch for.
_EXACT_ONLY = frozenset({"flock", "ionice", "setsid", "watch"})
_FIND_ACTIONS = frozenset(
    {
        "-delete", "-exec", "-execdir", "-fls", "-fprint", "-fprint0", "-fprintf", "-ok", "-okdir",
    }
)  # fmt: skip
#: How many words of one command that may be paths are looked at.
MAX_MENTIONS = 200


@value
class Form:
    """A text in which an allow rule may mean a command, and whether it takes the very text."""

    text: str
    needs_exact: bool


@value
class Part:
    """One command of a line.

    Attributes:
        judgement: What is known of its words, redirections apart.
        operands: What its words name, as far as that is known.
        redirects: What it is redirected to and from.
        directory: Where it runs, if that is not where the line starts.
        obstacle: Why it cannot be allowed for itself, or nothing.
        otherwise: What it is after all, if files are as they should be.
        reads_otherwise: The paths it then reads.
        conditions: The paths to look at for that.
        has_more_mentions: There are more words than were taken for paths.
        sweeps: What it changes without naming it.
    """

    command: SimpleCommand
    shown: str
    judgement: Judgement
    operands: tuple[Touch, ...] = ()
    redirects: tuple[Touch, ...] = ()
    directory: Touch | None = None
    obstacle: str = ""
    has_more_mentions: bool = False
    otherwise: Otherwise | None = None
    reads_otherwise: tuple[Touch, ...] = ()
    conditions: tuple[Touch, ...] = ()
    sweeps: tuple[Sweep, ...] = ()

    @lazy
    def rule_texts(self) -> tuple[str, ...]:
        """Every form in which a deny or ask rule may mean it."""
        return _rule_texts(self.command, self._text)

    @lazy
    def allow_forms(self) -> tuple[Form, ...]:
        """The forms in which an allow rule may mean it."""
        return () if self.command.is_carried else tuple(_allow_forms(self.command, self._text))

    @lazy
    def _text(self) -> str:
        """The command itself as text."""
        return text_of(self.command)

    @property
    def must_be_covered(self) -> bool:
        """Whether an allow has to cover it; what another command runs is covered with that."""
        return not self.command.is_carried

    @property
    def touches(self) -> tuple[Touch, ...]:
        """Every path the command names."""
        where = () if self.directory is None else (self.directory,)
        further = (*self.reads_otherwise, *self.conditions)
        return (*where, *self.operands, *self.redirects, *further)


@value
class Reading:
    """A command line taken apart, with every path it names."""

    analysis: Analysis
    parts: tuple[Part, ...]
    touches: tuple[Touch, ...]

    @property
    def sweeps(self) -> tuple[Sweep, ...]:
        """All that is changed without being named."""
        return tuple(sweep for part in self.parts for sweep in part.sweeps)

    @property
    def may_be_safe(self) -> bool:
        """Whether something is known of every command, so that it may need no rule."""
        return not any(
            isinstance(part.judgement, NotKnown) and part.otherwise is None
            for part in self.parts
            if part.must_be_covered
        )

    def is_read_only(self, facts: Facts) -> bool:
        """Return whether the line is proved to change nothing."""
        return self.analysis.is_proved and all(
            (isinstance(part.judgement, ReadOnly) or self.holds(part, facts))
            and not part.obstacle
            and all(touch.kind == "read" for touch in part.redirects)
            for part in self.parts
            if part.must_be_covered
        )

    def holds(self, part: Part, facts: Facts) -> bool:
        """Return whether files are such that a command only reads after all.

        Not if another command of the line may change them before.
        """
        if part.otherwise is None or not all(map(_changes_nothing, self.parts)):
            return False
        place, *absent = part.conditions
        is_straight = _is_straight(place, facts, may_be_missing=part.otherwise.is_start)
        return is_straight and all(_is_missing(touch, facts) for touch in absent)


def _changes_nothing(part: Part) -> bool:
    """Return whether a command of a line leaves files as they are."""
    is_harmless = isinstance(part.judgement, ReadOnly) or part.otherwise is not None
    return is_harmless and all(touch.kind == "read" for touch in part.redirects)


def _is_straight(touch: Touch, facts: Facts, *, may_be_missing: bool) -> bool:
    """Return whether a directory stands where it is written, or nothing does."""
    places = facts.places.get(touch.spot) or ()
    kinds = {FileKind.DIRECTORY, FileKind.MISSING} if may_be_missing else {FileKind.DIRECTORY}
    return any(place.kind in kinds and place.lexical == place.real for place in places)


def _is_missing(touch: Touch, facts: Facts) -> bool:
    """Return whether it was seen that nothing stands at a path."""
    places = facts.places.get(touch.spot) or ()
    return bool(places) and all(place.kind is FileKind.MISSING for place in places)


@lru_cache(maxsize=128)
def read_shell(command: str, start: str) -> Reading:
    """Take a command line apart that starts in a directory.

    Pure, so what was read once is not read again.
    """
    analysis = analyse(command)
    parts = tuple(_part(one, start) for one in analysis.commands)
    touches = dict.fromkeys(touch for part in parts for touch in part.touches)
    return Reading(analysis, parts, tuple(touches))


def _part(command: SimpleCommand, start: str) -> Part:
    """Return one command as permission sees it."""
    words = replace(command, redirects=_texts_in(command)) if command.redirects else command
    judgement = judge(words, start)
    cwd = start if command.cwd in (".", None) else spot(str(command.cwd), start)
    redirects, problem = _redirects(command, cwd)
    otherwise = judgement.otherwise if isinstance(judgement, NotKnown) else None
    return Part(
        command=command,
        shown=command.raw or text_of(command),
        judgement=judgement,
        operands=tuple(_operands(judgement, cwd, words)),
        redirects=redirects,
        directory=None if cwd is start else Touch(str(command.cwd), cwd),
        obstacle="the directory it runs in is not known" if command.cwd is None else problem,
        has_more_mentions=isinstance(judgement, NotKnown)
        and len(judgement.mentions) > MAX_MENTIONS,
        otherwise=otherwise,
        reads_otherwise=tuple(_operands(otherwise.read_only, cwd, words)) if otherwise else (),
        conditions=_conditions(otherwise) if otherwise is not None else (),
        sweeps=tuple(_seen_from(cwd, sweep) for sweep in sweeps_of(command)),
    )


def _seen_from(cwd: str, sweep: Sweep) -> Sweep:
    """Return what a command changes with whole paths; `~` is left for who looks."""
    place = "" if sweep.reach is Reach.ALL else spot(sweep.place, cwd)
    return replace(sweep, root=spot(sweep.root, cwd), place=place)


def _texts_in(command: SimpleCommand) -> tuple[Redirect, ...]:
    """Return what hands text to a command: no file, but words that may name one."""
    return tuple(one for one in command.redirects if one.operator.startswith("<<"))


def _conditions(otherwise: Otherwise) -> tuple[Touch, ...]:
    """Return the paths that decide whether a command only reads, the directory first."""
    paths = (otherwise.place, *otherwise.absent)
    return tuple(Touch(path, path, is_condition=True) for path in paths)


def _rule_texts(command: SimpleCommand, own: str) -> tuple[str, ...]:
    """Return every text in which a rule that forbids may mean a command; `own` is its first."""
    forms = strip_for_rules(command)
    texts = [own, *[text_of(form) for form in forms[1:] if form is not command]]
    if command.raw:
        texts.append(command.raw)
    return tuple(dict.fromkeys(texts))


def _allow_forms(command: SimpleCommand, own: str) -> Iterator[Form]:
    """Yield the forms an allow may mean; as it was written only if nothing is redirected."""
    needs_exact, text = False, ""
    for form in strip_for_allow(command):
        needs_exact = needs_exact or _needs_exact(form)
        text = own if form is command else text_of(form)
        yield Form(text, needs_exact)
    if command.raw and not command.redirects and command.raw != text:
        yield Form(command.raw, needs_exact)


def _needs_exact(command: SimpleCommand) -> bool:
    """Return whether no pattern can vouch for a command."""
    program = command.program
    if program == "find":
        return any(word.text in _FIND_ACTIONS for word in command.argv)
    return (program is None and bool(command.argv)) or program in _EXACT_ONLY


def _redirects(command: SimpleCommand, cwd: str) -> tuple[tuple[Touch, ...], str]:
    """Return the files a command is redirected to and from, and why others are not known."""
    if not command.redirects:
        return (), ""
    judgement = judge(SimpleCommand((), redirects=command.redirects))
    touches = tuple(_operands(judgement, cwd))
    is_known = not isinstance(judgement, NotKnown)
    return touches, "" if is_known else "where it is redirected to is not known"


def _operands(
    judgement: Judgement, cwd: str, command: SimpleCommand | None = None
) -> Iterator[Touch]:
    """Yield the paths a command names, and where those lead that go through its own process."""
    for touch in _named(judgement, cwd, command):
        yield touch
        if "/proc/" in touch.spot:
            further = behind_process(touch, cwd)
            if further is not None:
                yield further


def _named(judgement: Judgement, cwd: str, command: SimpleCommand | None) -> Iterator[Touch]:
    """Yield the paths a command names; of an unknown program, words that may be paths."""
    match judgement:
        case ReadOnly(entry, reads):
            reads_content = command is None or not lists_names(entry, command)
            only = ALL if command is None else left_out(entry, command)
            for path in reads:
                yield _touch(path, cwd, is_tree=path.is_tree and reads_content, only=only)
        case Writes(_, reads, writes):
            yield from (_touch(path, cwd, is_tree=path.is_tree) for path in reads)
            yield from (_touch(path, cwd, "edit", is_tree=path.is_tree) for path in writes)
        case NotKnown(_, mentions):
            for path in mentions[:MAX_MENTIONS]:
                if "\n" not in path.path:
                    where = spot(path.path, cwd)
                    kind: PathKind = "edit" if path.is_written else "read"
                    yield Touch(
                        path.path,
                        where,
                        kind,
                        path.is_tree,
                        path.is_glob,
                        is_guess=True,
                        may_edit=path.may_be_written,
                    )


def _touch(
    path: PathUse, cwd: str, kind: PathKind = "read", *, is_tree: bool, only: LeftOut = ALL
) -> Touch:
    """Return a path that a known program names."""
    where = spot(path.path, cwd)
    return Touch(
        path.path,
        where,
        kind,
        is_tree,
        path.is_glob,
        tracked_only=only.tracked_only,
        skips_hidden=only.skips_hidden,
        shows=only.shows,
        named=path.named or only.named,
        follows=is_tree and path.follows,
        follows_tracked=path.tracked,
        is_split=is_tree and path.is_split,
    )
