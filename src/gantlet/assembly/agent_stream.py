"""The events of one prompt, for a program that reads them as they come."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, contextmanager
from types import TracebackType
from typing import Self

import anyio

from gantlet.assembly.run_result import RunResult
from gantlet.execution import Mailbox
from gantlet.loop import Loop
from gantlet.messages import Event


class AgentStream:
    """The events of one prompt. Leaving early stops the prompt; every call still has its result."""

    def __init__(
        self,
        hold: Callable[[Mailbox], AbstractAsyncContextManager[Loop]],
        run: Callable[[Loop], Awaitable[RunResult]],
    ) -> None:
        self._hold = hold
        self._run_prompt = run
        self._mailbox = Mailbox()
        self._stack = AsyncExitStack()
        self._loop: Loop | None = None
        self._result: RunResult | None = None

    @property
    def result(self) -> RunResult:
        """What came of the prompt, once it has ended."""
        if self._result is None:
            raise RuntimeError("The prompt has not ended yet: read the events to their end.")
        return self._result

    async def __aenter__(self) -> Self:
        if self._loop is not None:
            raise RuntimeError("A stream is read once: ask the agent for another one.")
        self._loop = await self._stack.enter_async_context(self._hold(self._mailbox))
        group = await self._stack.enter_async_context(anyio.create_task_group())
        group.start_soon(self._run, self._loop)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if self._result is None and self._loop is not None:
            self._loop.interrupt()
        with unwrapped():
            return await self._stack.__aexit__(kind, error, trace)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> Event:
        if self._loop is None:
            raise RuntimeError("Open the stream first: async with agent.stream(…) as events.")
        event = await self._mailbox.get()
        if event is None:
            raise StopAsyncIteration
        return event

    async def _run(self, loop: Loop) -> None:
        """Run the prompt; close the mailbox whatever happens."""
        try:
            self._result = await self._run_prompt(loop)
        finally:
            self._mailbox.close()


@contextmanager
def unwrapped() -> Iterator[None]:
    """Raise the one error that a task group has wrapped, as it was."""
    try:
        yield
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            error = error.exceptions[0]
        if error is group:
            raise
        raise error from error.__cause__
