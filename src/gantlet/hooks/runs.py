"""One run of one handler, told to whoever listens from its start to its end."""

import logging
import time
from collections.abc import Callable
from functools import partial
from uuid import uuid4

import anyio

from gantlet.hooks.combining import Voice
from gantlet.hooks.handlers import Callback, Command, Function, Http, McpTool, Prompt, Work
from gantlet.hooks.hearing import BLOCKING_EXIT, Heard
from gantlet.hooks.performing import Performance
from gantlet.hooks.programs import Detached, Program
from gantlet.hooks.sayings import NOTHING, RunInfo, Saying
from gantlet.messages import (
    HookEffect,
    HookEffectKind,
    HookOutcome,
    HookRan,
    HookStarted,
    Notice,
    NoticeLevel,
)
from gantlet.messages.value import replace

_log = logging.getLogger(__name__)

#: What is left of words that cannot be saved whole.
_CUT_CHARS = 3_000
#: What a run in the background says at once.
_LATER = Heard(replace(NOTHING, is_async=True))


class HookRun:
    """Runs a handler once, and tells of it."""

    def __init__(self, performance: Performance, say_late: Callable[[str], None]) -> None:
        self._performance = performance
        self._occasion = performance.occasion
        self._emit = performance.ports.emit
        self._say_late = say_late
        self._id = uuid4().hex
        self._began = time.monotonic()

    async def voice(self) -> Voice:
        """Run the handler and return what it said; what it says later, the model reads later."""
        handler, occasion = self._performance.handler, self._occasion
        self._began = time.monotonic()
        self._emit(
            HookStarted(
                self._id,
                str(occasion.event),
                occasion.name,
                occasion.call_id,
                handler.status_message,
            )
        )
        work, background = handler.work, self._performance.background
        if isinstance(work, Command) and work.is_async and background.is_open:
            background.start(partial(self._attend, work, None))
            return self._voice(_LATER)
        try:
            heard = await self._performance.heard()
        except anyio.get_cancelled_exc_class():
            self._tell(Heard(is_cancelled=True))
            raise
        if isinstance(heard, Detached):
            assert isinstance(work, Command)
            background.start(partial(self._attend, work, heard))
            return self._voice(_LATER)
        heard = self._masked(heard)
        saying = await self._fitted(heard.saying)
        self._tell(heard)
        return self._voice(replace(heard, saying=saying))

    def _voice(self, heard: Heard) -> Voice:
        """Return what was said, with who said it."""
        info = RunInfo(
            name_of(self._performance.handler.work),
            time.monotonic() - self._began,
            heard.failure,
        )
        return Voice(heard.saying, info)

    async def _attend(self, work: Command, detached: Detached | None) -> None:
        """Wait for a program in the background, and pass on what it wants the model to know."""
        program = self._performance.program(work)
        try:
            heard = self._masked(await self._late(program, detached))
        except anyio.get_cancelled_exc_class():
            self._tell(Heard(is_cancelled=True))
            raise
        self._tell(heard)
        for text in (await self._fitted(heard.saying)).context:
            self._say_late(text)
        if work.rewakes and heard.exit_code == BLOCKING_EXIT:
            self._performance.ports.wake(heard.saying.reason)

    async def _late(self, program: Program, detached: Detached | None) -> Heard:
        """Return what a program said in the end."""
        if detached is None:
            heard = await program.run(self._performance.background)
            return heard if isinstance(heard, Heard) else Heard()
        child = detached.child
        try:
            result = await child.result(detached.seconds)
            _, _, said = result.stdout.partition(b"\n")
            later = replace(program, seconds=detached.seconds)
            return later.heard(replace(result, stdout=said))
        finally:
            await child.end()

    def _masked(self, heard: Heard) -> Heard:
        """Return what was heard without the secrets in its words; what a call is given stays."""
        mask = self._performance.ports.mask
        return replace(
            heard,
            saying=heard.saying.with_words(mask),
            failure=mask(heard.failure),
            stdout=mask(heard.stdout),
            stderr=mask(heard.stderr),
        )

    async def _fitted(self, saying: Saying) -> Saying:
        """Return a saying whose words for the model are not too long."""
        fit = self._performance.ports.fit
        if not saying.words:
            return saying
        try:
            fitted = {text: await fit(text) for text in saying.words}
        except Exception:  # noqa: BLE001 - what a hook decided must not be lost to a full disk
            _log.exception("What a hook said cannot be saved; it is cut.")
            return saying.with_words(lambda text: text[:_CUT_CHARS])
        return saying.with_words(lambda text: fitted.get(text, text))

    def _tell(self, heard: Heard) -> None:
        """Tell how it ended, and the user what they should know."""
        occasion = self._occasion
        self._emit(
            HookRan(
                self._id,
                str(occasion.event),
                occasion.name,
                _outcome(heard),
                occasion.call_id,
                heard.stdout,
                heard.stderr,
                heard.exit_code,
                _effects(occasion.name, heard),
            )
        )
        if heard.failure:
            text = f"{occasion.name} hook error: {heard.failure} ({self._who()})"
            self._emit(Notice(NoticeLevel.WARNING, text, occasion.call_id))
        if heard.saying.system_message:
            self._emit(Notice(NoticeLevel.NOTICE, heard.saying.system_message, occasion.call_id))

    def _who(self) -> str:
        """Return which handler it is, for a person."""
        return name_of(self._performance.handler.work)


def name_of(work: Work) -> str:
    """Return by what a person knows a handler."""
    match work:
        case Command(command, args):
            name = command if args is None else " ".join((command, *args))
        case Http(url):
            name = url
        case McpTool(server, tool):
            name = f"{server}/{tool}"
        case Prompt(prompt):
            name = prompt
        case Callback(callback_id):
            name = f"callback {callback_id}"
        case Function(function):
            name = getattr(function, "__qualname__", None) or repr(function)
    return name if len(name) <= 200 else f"{name[:199]}…"


def _outcome(heard: Heard) -> HookOutcome:
    """Return how a run ended."""
    if heard.is_cancelled or heard.timed_out:
        return HookOutcome.CANCELLED
    if heard.failure or heard.exit_code not in {None, 0}:
        return HookOutcome.ERROR
    return HookOutcome.SUCCESS


def _effects(name: str, heard: Heard) -> tuple[HookEffect, ...]:
    """Return what a run meant for the turn."""
    saying = heard.saying
    effects = []
    if heard.is_cancelled or heard.timed_out:
        text = heard.failure or "It was ended before it had answered."
        effects.append(HookEffect(HookEffectKind.CANCELLED, f"{name}: {text}"))
    elif heard.failure:
        effects.append(
            HookEffect(HookEffectKind.ERROR_DURING_EXECUTION, f"{name}: {heard.failure}")
        )
    if saying.stops:
        text = saying.stop_reason or "It stopped the turn."
        effects.append(HookEffect(HookEffectKind.STOPPED_CONTINUATION, text))
    if saying.decision is not None or saying.blocks:
        word = "block" if saying.decision is None else str(saying.decision)
        reason = saying.decision_reason or saying.reason
        text = f"{word}: {reason}" if reason else word
        effects.append(HookEffect(HookEffectKind.PERMISSION_DECISION, text))
    effects += [HookEffect(HookEffectKind.ADDITIONAL_CONTEXT, text) for text in saying.context]
    return tuple(effects)
