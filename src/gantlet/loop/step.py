"""One request to the model and the calls of its reply."""

from collections.abc import Callable, Iterable
from enum import Enum

import anyio

from gantlet.execution import (
    AbortScope,
    Answer,
    Bodies,
    Effects,
    ExecutionSettings,
    Executor,
    Services,
)
from gantlet.loop.reply import BlockEnded, CallReady, Reply, Spoken, Step, reply_from
from gantlet.loop.retries import retry_teller
from gantlet.messages import (
    AssistantMessage,
    Block,
    BlockFinished,
    Model,
    ModelError,
    ModelErrorKind,
    ModelRequest,
    Notice,
    NoticeLevel,
    ReplyLost,
    StreamAdvanced,
    StreamEvent,
    TextSpoken,
    ThinkingSpoken,
    ToolUse,
    Usage,
)
from gantlet.messages.value import replace, slotted, value
from gantlet.tool import Surroundings


@value
class StepResult:
    """What came of a request: the reply as it enters history, and an answer to each call.

    Attributes:
        usage: What it took, with what a lost reply had taken before.
    """

    message: AssistantMessage | None
    answers: tuple[Answer, ...]
    stop_reason: str | None
    usage: Usage
    surroundings: Surroundings
    was_aborted_speaking: bool = False


#: Failures of the stream itself, against which a reply in one piece may help.
_STREAM_FAILED = frozenset({ModelErrorKind.BROKEN_STREAM, ModelErrorKind.STALLED})


class _Heard(Enum):
    """How much of a reply was heard."""

    WHOLE = "whole"
    CUT = "cut"
    LOST = "lost"


@slotted
class StepRunner:
    """Takes steps. Calls start while the reply streams; a lost reply is asked for again whole.

    `abort` is the turn's scope: aborting it ends the stream at once and the calls as they say.
    """

    model: Model
    services: Services
    bodies: Bodies
    execution: ExecutionSettings
    effects: Effects
    abort: AbortScope
    cut_off: StepResult | None = None
    _why_lost: str = ""
    _is_heard: bool = True

    async def take(
        self, request: ModelRequest, surroundings: Surroundings, taken: frozenset[str]
    ) -> StepResult:
        """Ask the model, run what it asks for, and return both.

        `taken` are the ids of earlier calls; a call that repeats one gets another. When this is
        cancelled, or something breaks, `cut_off` holds what had come.

        Raises:
            ModelError: There is no reply, not even a whole one after a broken stream.
        """
        reply = Reply(taken=taken)
        executor = self._executor(surroundings)
        try:
            async with executor:
                heard = await self._listen(request, reply, executor)
                if heard is not _Heard.LOST:
                    answers = await executor.drain()
                    was_cut = heard is _Heard.CUT
                    return self._result(reply, answers, executor, was_aborted=was_cut)
                self.effects.add(await executor.discard())
                self._tell_lost(executor)
        except ModelError:
            raise
        except BaseException:
            self._note(reply, executor)
            raise
        result = await self._take_whole(request, surroundings, taken)
        return replace(result, usage=reply.usage.added(result.usage))

    async def run_again(self, call: ToolUse, surroundings: Surroundings) -> StepResult:
        """Run a call of an earlier reply that was put off, without asking the model."""
        executor = self._executor(surroundings)
        try:
            async with executor:
                executor.submit(call)
                answers = await executor.drain()
        except BaseException:
            self._note(Reply(), executor)
            raise
        return self._result(Reply(), answers, executor, was_aborted=False)

    async def _take_whole(
        self, request: ModelRequest, surroundings: Surroundings, taken: frozenset[str]
    ) -> StepResult:
        """Ask again without a stream; what already happened is not done twice."""
        message: AssistantMessage | None = None
        with anyio.CancelScope() as asking:
            scope = self.abort.child(lambda _: asking.cancel())
            try:
                if self.abort.reason is None:
                    message = await self.model.complete(request, retry_teller(self.services.emit))
            finally:
                scope.close()
        if message is None:
            return StepResult(None, (), None, Usage(), surroundings, was_aborted_speaking=True)
        reply, steps = reply_from(message, taken)
        executor = self._executor(surroundings)
        try:
            async with executor:
                self._handle(steps, reply, executor)
                answers = await executor.drain()
        except BaseException:
            self._note(reply, executor)
            raise
        return self._result(reply, answers, executor, was_aborted=False)

    def _note(self, reply: Reply, executor: Executor) -> None:
        """Keep what has come of a step that breaks off, with an answer to each of its calls."""
        reply.cut()
        self.cut_off = self._result(reply, executor.answers(), executor, was_aborted=True)

    def _executor(self, surroundings: Surroundings) -> Executor:
        """Return an executor for one reply."""
        return Executor(
            self.services,
            self.bodies,
            surroundings,
            self.execution,
            effects=self.effects,
            turn=self.abort,
        )

    async def _listen(self, request: ModelRequest, reply: Reply, executor: Executor) -> _Heard:
        """Read the stream to its end; say how it ended.

        Raises:
            ModelError: It never began.
        """
        with anyio.CancelScope() as listening:
            scope = self.abort.child(lambda _: listening.cancel())
            try:
                if self.abort.reason is not None:
                    listening.cancel()
                await self._read(request, reply, executor)
            except ModelError as error:
                if not (error.has_begun or reply.has_begun or error.kind in _STREAM_FAILED):
                    raise
                self._why_lost = str(error)
                return _Heard.LOST
            finally:
                scope.close()
        if listening.cancelled_caught:
            reply.cut()
            return _Heard.CUT
        return _Heard.WHOLE

    async def _read(self, request: ModelRequest, reply: Reply, executor: Executor) -> None:
        """Read the stream and submit calls as they are ready; events that came together at once."""
        is_heard = self._is_heard = self.services.is_heard()
        async with self.model.stream(request, retry_teller(self.services.emit)) as events:
            ready_events: Callable[[], Iterable[StreamEvent]] = getattr(
                events, "ready_events", tuple
            )
            watch_calls = getattr(events, "watch_calls", None)
            if watch_calls is not None:
                watch_calls(executor.progress)
            async for first in events:
                for event in (first, *ready_events()):
                    if is_heard:
                        self.services.emit(StreamAdvanced(event))
                    steps = reply.feed(event)
                    if steps:
                        self._handle(steps, reply, executor)

    def _handle(self, steps: Iterable[Step], reply: Reply, executor: Executor) -> None:
        """Pass on what was said, and submit what is to be done."""
        for step in steps:
            if isinstance(step, CallReady):
                self._tell_block(step.call, reply)
                executor.submit(step.call, reply.id or "", step.problem)
            elif isinstance(step, BlockEnded):
                self._tell_block(step.block, reply)
            elif isinstance(step, Spoken):
                self.services.emit(TextSpoken(step.text))
            else:
                self.services.emit(ThinkingSpoken(step.text))

    def _tell_block(self, block: Block, reply: Reply) -> None:
        """Say that a block is complete, if somebody hears it."""
        if self._is_heard:
            self.services.emit(BlockFinished(block, reply.id, reply.model))

    @staticmethod
    def _result(
        reply: Reply, answers: Iterable[Answer], executor: Executor, *, was_aborted: bool
    ) -> StepResult:
        """Return what came of the request."""
        return StepResult(
            message=reply.message(),
            answers=tuple(answers),
            stop_reason=reply.stop_reason,
            usage=reply.usage,
            surroundings=executor.surroundings,
            was_aborted_speaking=was_aborted,
        )

    def _tell_lost(self, executor: Executor) -> None:
        """Say that a reply broke off, and which of its calls are not told of any more."""
        calls = tuple(answer.call.id for answer in executor.answers())
        self.services.emit(ReplyLost(calls, self._why_lost))
        text = f"The reply broke off ({self._why_lost}); it is asked for again as a whole."
        self.services.emit(Notice(NoticeLevel.WARNING, text))
