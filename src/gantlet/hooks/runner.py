"""Runs the user's hooks: finds who listens, runs them side by side, puts their words together."""

from collections.abc import Iterable
from functools import partial
from types import TracebackType
from typing import Self

from gantlet.hooks.background import Background
from gantlet.hooks.calls import (
    after_call,
    after_occasion,
    before_call,
    call_occasion,
    failure_occasion,
)
from gantlet.hooks.choosing import chosen
from gantlet.hooks.contract import AfterCall, BeforeCall
from gantlet.hooks.handlers import HookEntry
from gantlet.hooks.names import HookEvent
from gantlet.hooks.occasion import HookSession, Moment, Occasion
from gantlet.hooks.ports import HookPorts
from gantlet.hooks.sayings import NOTHING_SAID, Said
from gantlet.hooks.settings import HookSettings
from gantlet.tool import ToolResult


class HookRunner:
    """The hooks of one session. As a context manager it owns what they do in the background."""

    def __init__(
        self,
        session: HookSession,
        entries: Iterable[HookEntry] = (),
        *,
        settings: HookSettings | None = None,
        ports: HookPorts | None = None,
    ) -> None:
        self.session = session
        self._settings = settings or HookSettings()
        self._ports = ports or HookPorts()
        self._background = Background()
        self._late: list[str] = []
        self._has_run: set[object] = set()
        self._by_event: dict[HookEvent, tuple[HookEntry, ...]] = {}
        self._own: tuple[HookEntry, ...] = ()
        self.use(entries, self._settings)

    def use(self, entries: Iterable[HookEntry], settings: HookSettings) -> None:
        """Take the hooks of settings, in place of those taken before; those added in code stay."""
        self._settings = settings
        self._from_settings = tuple(entries)
        by_event: dict[HookEvent, list[HookEntry]] = {}
        for entry in (*settings.usable(self._from_settings), *self._own):
            by_event.setdefault(entry.event, []).append(entry)
        self._by_event = {event: tuple(found) for event, found in by_event.items()}

    def add(self, entry: HookEntry) -> None:
        """Add a hook that a program brings itself."""
        self._own = (*self._own, entry)
        self.use(self._from_settings, self._settings)

    @property
    def has_entries(self) -> bool:
        """Whether there is any hook at all."""
        return bool(self._by_event)

    async def __aenter__(self) -> Self:
        await self._background.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        return await self._background.__aexit__(kind, error, trace)

    def wants(self, event: HookEvent, subject: str = "") -> bool:
        """Return whether any hook listens."""
        entries = self._by_event.get(event)
        if entries is None:
            return False
        return not subject or any(entry.matcher.matches((subject,)) for entry in entries)

    async def before(self, moment: Moment) -> BeforeCall:
        """Run the hooks before a call."""
        said = await self.fire(call_occasion(HookEvent.PRE_TOOL_USE, moment))
        return before_call(said, moment.tool.name)

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        """Run the hooks after a call that succeeded."""
        return after_call(await self.fire(after_occasion(moment, output)))

    async def after_failure(
        self, moment: Moment, message: str, *, was_interrupted: bool
    ) -> AfterCall:
        """Run the hooks after a call that failed."""
        happened = failure_occasion(moment, message, was_interrupted=was_interrupted)
        return after_call(await self.fire(happened))

    def interrupted(self, moment: Moment, message: str) -> None:
        """Run the hooks after a call that was interrupted, without anybody waiting."""
        if self._background.is_open:
            happened = failure_occasion(moment, message, was_interrupted=True)
            self._background.start(partial(self._fire_late, happened))

    async def fire(self, occasion: Occasion) -> Said:
        """Run the hooks of an event, all at once, and return what they said together.

        Hooks that settings hold no longer, or that are not trusted any more, are not run.
        """
        entries = self._by_event.get(occasion.event)
        if entries is None:
            return NOTHING_SAID
        if occasion.event is not HookEvent.CONFIG_CHANGE:  # which a change itself waits for
            await self._ports.refresh()
            entries = self._by_event.get(occasion.event, ())
        wanted = chosen(entries, occasion, self._ports.condition, self._has_run)
        if not wanted:
            return NOTHING_SAID
        from gantlet.hooks.firing import Firing  # noqa: PLC0415 - only those with hooks pay for it

        firing = Firing(
            self.session, self._settings, self._ports, self._background, self._late.append
        )
        return await firing.fire(wanted, occasion)

    async def _fire_late(self, occasion: Occasion) -> None:
        """Run hooks whose words come too late for the call they are about."""
        self._late += (await self.fire(occasion)).context

    def take_late(self) -> tuple[str, ...]:
        """Return, once, what hooks in the background want the model to read."""
        if not self._late:
            return ()
        late, self._late[:] = tuple(self._late), []
        return late
