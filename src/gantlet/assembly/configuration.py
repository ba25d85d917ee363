"""Settings, trust and the permission engine of a session, opened together and kept up to date."""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from types import MappingProxyType
from typing import TypeAlias

import anyio

from gantlet.config import (
    ChangedFile,
    FileRead,
    RuleWriter,
    Settings,
    SettingsRequest,
    SettingsWatch,
    carried_over,
)
from gantlet.messages import Event, ToolUse
from gantlet.messages.value import lazy, replace, slotted, value
from gantlet.permissions import (
    AddDirectories,
    AddRules,
    Asker,
    ContextHolder,
    Decision,
    Destination,
    Engine,
    PermissionContext,
    Request,
)
from gantlet.rules import BadRule, SourceKind
from gantlet.system import Environment, Scout, directory_names, run_in_thread
from gantlet.tool import AnyTool, Mode, Problem, Surroundings, Traits, UserError

_log = logging.getLogger(__name__)

#: Asked about a file that changed; no keeps what held before. A policy is never asked about.
ChangeGate: TypeAlias = Callable[[ChangedFile], Awaitable[bool]]


#: Which reading of settings the current code is part of, if any.
_reading: ContextVar[object] = ContextVar("_reading", default=None)


@value
class SettingsChange:
    """Settings that were read again because files changed."""

    before: Settings
    after: Settings
    files: tuple[ChangedFile, ...]


def open_configuration(request: SettingsRequest) -> "Configuration":
    """Open everything about settings for a folder: the values, trust, and the engine.

    Raises:
        UserError: Settings that were given for this session cannot be used.
    """
    watch, settings = _read(request)
    _check_given(settings)
    _adopt(request, settings)
    return Configuration(request, settings, watch)


class Configuration:
    """The settings of a session. It is replaced as a whole when files change, between calls."""

    def __init__(self, request: SettingsRequest, settings: Settings, watch: SettingsWatch) -> None:
        self.request = request
        self.settings = settings
        self.gate: ChangeGate | None = None
        self.listeners: list[Callable[[SettingsChange], None]] = []
        self._watch = watch
        self._kept: dict[str, FileRead] = {}
        self._pending: dict[str, ChangedFile] = {}  # seen, and not in place yet
        self._reading: object | None = None  # the one for which hooks are asked now
        self._engine: Engine | None = None
        self._context: Callable[[Settings], PermissionContext] | None = None

    @lazy
    def _lock(self) -> anyio.Lock:
        """Held by whoever reads settings again. Making one takes long, and most never do."""
        return anyio.Lock()

    @property
    def environment(self) -> Environment:
        """The environment as the program itself sees it: with what settings say about it."""
        return _environment(self.request.environment, self.settings)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What does not count as written."""
        return tuple(_problems(self.settings))

    def open_engine(
        self,
        mode: Mode | None,
        emit: Callable[[Event], None],
        asker: Asker | None = None,
        *,
        directories: tuple[str, ...] = (),
        rules: Sequence[AddRules] = (),
        bypass_available: bool = False,
        avoid_prompts: bool | None = None,
    ) -> Engine:
        """Return the engine that judges calls. Without an asker nobody can be asked.

        Args:
            mode: The mode to start in; None takes what the settings say.
            emit: Is told when somebody is asked.
            asker: Whom the engine asks.
            directories: More working directories, as the command line gives them.
            rules: More rules, as the command line gives them.
            bypass_available: bypassPermissions may be entered later.
            avoid_prompts: No person can be asked, though there is an asker.
        """
        nobody = asker is None if avoid_prompts is None else avoid_prompts

        def context(settings: Settings) -> PermissionContext:
            return settings.context(
                mode,
                auto_available=mode is Mode.AUTO,
                bypass_available=bypass_available,
                avoid_prompts=nobody,
            )

        holder = ContextHolder(context(self.settings), self.saver(), directory_names)
        if directories:
            holder.apply(AddDirectories(directories, Destination.COMMAND_LINE))
        for update in rules:
            holder.apply(update)
        self._context = context
        self._engine = Engine(holder, asker, eyes=Scout(), emit=emit)
        return self._engine

    @property
    def is_stale(self) -> bool:
        """Whether files changed since they were read, also while they are being read again."""
        return bool(self._pending) or self._watch.has_changed()

    def saver(self) -> RuleWriter:
        """Return whoever writes changes to settings files, and keeps trust in step."""
        return RuleWriter(self.settings.places, self.request)

    async def refresh(self) -> SettingsChange | None:
        """Read the settings again if files changed, and put them in place at once.

        A call that is being judged goes on with what it began with; one that comes while they are
        read waits for them. Whoever is cancelled meanwhile leaves it to the next one.
        """
        if not self.is_stale or self._is_for_the_reading:
            return None
        async with self._lock:
            self._pending |= {file.file: file for file in self._watch.look()}
            changed = tuple(self._pending.values())
            if not changed:
                return None  # somebody else has read them meanwhile
            change = await self._read_again(changed)
            self._pending.clear()
        if change is not None:
            for listener in self.listeners:
                listener(change)
        return change

    @property
    def _is_for_the_reading(self) -> bool:
        """Whether whoever asks is a hook that has its say about the change, or was started by one.

        The change waits for it; until it has said yes, what was there before holds.
        """
        return self._reading is not None and _reading.get() is self._reading

    async def _read_again(self, changed: tuple[ChangedFile, ...]) -> SettingsChange | None:
        """Put changed settings in place, unless all changes are refused."""
        self._reading = object()
        before = _reading.get()
        _reading.set(self._reading)
        try:
            refused = await self._refused(changed)
        finally:
            _reading.set(before)
            self._reading = None
        names = {file.file for file in changed}
        kept = {name: read for name, read in self._kept.items() if name not in names} | refused
        self._kept = kept
        if len(refused) == len(changed):
            return None
        watch, fresh = await run_in_thread(lambda: _read(self.request, kept))
        taken = tuple(file for file in changed if file.file not in refused)
        change = SettingsChange(self.settings, fresh, taken)
        self.settings, self._watch = fresh, watch
        self._put_in_place(fresh)
        return change

    async def _refused(self, changed: tuple[ChangedFile, ...]) -> dict[str, FileRead]:
        """Ask about changed settings files; return those refused as they were before.

        The trust store is no settings file: what is taken back there counts at once.
        """
        if self.gate is None:
            return {}
        before = {read.file: read for read in self.settings.files}
        asked = [file for file in changed if file.file in before]
        refused = [file for file in asked if not await self.gate(file)]
        return {
            file.file: before[file.file] for file in refused if file.kind is not SourceKind.POLICY
        }

    def _put_in_place(self, settings: Settings) -> None:
        """Let the engine judge by other settings from now on."""
        if self._engine is not None and self._context is not None:
            holder = self._engine.holder
            holder.replace(carried_over(holder.current, self._context(settings)))


@slotted
class FreshPermission:
    """Judges each call by the settings as they are when it is judged."""

    engine: Engine
    configuration: Configuration
    _looked: int = 0

    async def decide(self, request: Request) -> Decision:
        """Judge one call, after a look at whether settings changed."""
        await self.configuration.refresh()
        return await self.engine.decide(request)

    def known(
        self, call: ToolUse, tool: AnyTool, traits: Traits, surroundings: Surroundings, stretch: int
    ) -> Decision | None:
        """Return what was decided for such a call before, if no settings changed since.

        Settings are looked at once in a stretch, in which nobody could have changed them.
        """
        decision = self.engine.known(call, tool, traits, surroundings)
        if decision is None or (stretch and stretch == self._looked):
            return decision
        if self.configuration.is_stale:
            return None
        self._looked = stretch
        return decision


def _read(
    request: SettingsRequest, kept: Mapping[str, FileRead] = MappingProxyType({})
) -> tuple[SettingsWatch, Settings]:
    """Read settings, but for files that stay as they were; what changes from now on is seen."""
    places = request.places()
    began = time.time_ns()
    watch = SettingsWatch(request.watched(places))
    settings = request.read(places, kept)
    watch.add(((SourceKind.PROJECT, program) for program in settings.programs), began)
    return watch, settings


def _adopt(request: SettingsRequest, settings: Settings) -> None:
    """Make another program's yes our own: from now on a change is seen."""
    trust = settings.trust
    if not trust.is_adopted or not trust.parts:
        return
    if request.question(settings.places).store is None:
        return
    try:
        request.store.put(trust.root, [part.found for part in trust.parts])
    except UserError:
        _log.warning("The trust of %s could not be written down.", trust.root, exc_info=True)


def _environment(base: Environment, settings: Settings) -> Environment:
    """Return an environment with what settings say: some of it for us, all of it for children."""
    if not settings.counted.get("env"):
        return base
    own, children = settings.own_env, settings.child_env
    if not own and not children:
        return base
    return replace(base, variables={**base.variables, **own}, for_children=children)


def _check_given(settings: Settings) -> None:
    """Refuse settings that were handed over for this session and are broken: somebody is there.

    Those that a program gives in code have to be right in every entry.

    Raises:
        UserError: They cannot be used.
    """
    for read in settings.files:
        if read.kind is not SourceKind.COMMAND_LINE:
            continue
        bad = [rule for rule in read.rules.rules if isinstance(rule, BadRule)]
        told = {rule.message.rstrip(".") + "." for rule in bad}
        wrong = [one for one in read.problems if one.message not in told]
        if wrong and (read.rules.may_hide_denies or not read.file or read.located is None):
            where = f"{wrong[0].file}:{wrong[0].line}: " if read.file else ""
            raise UserError(f"The settings cannot be used: {where}{wrong[0].message}")
        strange = [one.key for one in read.unknown if one.key.startswith("permissions.")]
        if strange and not read.file:
            raise UserError(f"{strange[0]!r} in the settings is not known.")


def _problems(settings: Settings) -> list[Problem]:
    """Return what does not count, as an agent tells it."""
    bad = [rule for rule in settings.rules if isinstance(rule, BadRule)]
    told = {f"{rule.source.file}:{rule.source.line}: {rule.message}" for rule in bad}
    problems = [Problem(rule.text, f"as a rule{_place(rule)}: {rule.reason}") for rule in bad]
    others = [text for text in settings.remarks if text not in told and not text.startswith(":")]
    return [*problems, *(Problem("settings", text) for text in others)]


def _place(rule: BadRule) -> str:
    """Return where a rule stands, for one that stands in a file."""
    source = rule.source
    return f" ({source.file}:{source.line}, {source.key})" if source.file else ""
