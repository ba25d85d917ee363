"""The handlers of one event, run side by side. Imported when the first hook is run."""

import logging
from collections.abc import Callable, Sequence

import anyio

from gantlet.hooks.background import Background
from gantlet.hooks.combining import Voice, combine
from gantlet.hooks.handlers import HookEntry
from gantlet.hooks.occasion import HookSession, Occasion
from gantlet.hooks.performing import Performance
from gantlet.hooks.ports import HookPorts
from gantlet.hooks.runs import HookRun
from gantlet.hooks.sayings import Said
from gantlet.hooks.settings import HookSettings
from gantlet.messages import Event
from gantlet.messages.value import replace, value

_log = logging.getLogger(__name__)

#: So many handlers of one event run at the same time.
AT_ONCE = 32


@value
class Firing:
    """What every run of a session shares."""

    session: HookSession
    settings: HookSettings
    ports: HookPorts
    background: Background
    say_late: Callable[[str], None]

    async def fire(self, entries: Sequence[HookEntry], occasion: Occasion) -> Said:
        """Run handlers and return what they said together, in the order they are written."""
        payload = occasion.payload(self.session)
        ports = replace(self.ports, emit=self._tell)
        runs = [
            HookRun(
                Performance(
                    entry.handler,
                    occasion,
                    payload,
                    self.session,
                    self.settings.for_hook(entry),
                    ports,
                    self.background,
                ),
                self.say_late,
            )
            for entry in entries
        ]
        return combine(await _voices(runs))

    def _tell(self, event: Event) -> None:
        """Tell whoever listens; one who breaks must not make a hook's word go unheard."""
        try:
            self.ports.emit(event)
        except Exception:  # noqa: BLE001 - a foreign failure becomes a log line here
            _log.exception("Telling of %s failed.", type(event).__name__)


async def _voices(runs: Sequence[HookRun]) -> list[Voice]:
    """Run handlers side by side; return what they said in the order they are written.

    Hundreds of them take turns: one that could not be started for want of files would abstain.
    """
    if len(runs) == 1:
        return [await runs[0].voice()]
    voices: dict[int, Voice] = {}
    turns = anyio.CapacityLimiter(AT_ONCE)

    async def take(number: int, run: HookRun) -> None:
        async with turns:
            voices[number] = await run.voice()

    async with anyio.create_task_group() as tasks:
        for number, run in enumerate(runs):
            tasks.start_soon(take, number, run)
    return [voices[number] for number in range(len(runs))]
