"""Run a child: its input, what it says up to a bound, a deadline, and its whole group's end.

A child leads a session and a process group of its own. It is watched by the event loop, without a
thread where the kernel allows it.
"""

import subprocess
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Protocol, TypeAlias

import anyio

from gantlet.messages.value import value
from gantlet.system.child_life import Leftover, Life, OwnLife
from gantlet.system.child_pipes import Inflow, Outflow

#: A line for `/bin/sh`, or a program and its arguments.
ProcessCommand: TypeAlias = str | Sequence[str]

#: How much of each stream is kept.
MAX_OUTPUT_BYTES = 1_000_000
#: How long a group has between the request to end and its end.
GRACE_SECONDS = 1.0
#: How long the streams of a child that has ended may stay open because another holds them.
LINGER_SECONDS = 0.25


@value
class ChildResult:
    """How a child ended, and what it said.

    Attributes:
        exit_code: Its exit code; minus the signal's number if a signal ended it; None if it did
            not end by itself before the deadline, or said too much.
        timed_out: The deadline passed first.
        overflowed: It said more than was to be kept, and was ended for it.
        was_held: It ended, but another process still held its streams.
    """

    exit_code: int | None
    stdout: bytes = b""
    stderr: bytes = b""
    timed_out: bool = False
    overflowed: bool = False
    was_held: bool = False

    @property
    def is_clean(self) -> bool:
        """Whether it ended by itself, and all it said was heard."""
        return self.exit_code is not None and not self.was_held


class Child:
    """A running child. Whoever opened it ends it."""

    def __init__(self, life: Life, inflow: Inflow, out: Outflow, err: Outflow) -> None:
        self._life = life
        self._inflow = inflow
        self._out = out
        self._err = err
        self._is_left = False

    async def result(
        self,
        seconds: float | None,
        linger: float = LINGER_SECONDS,
        until: Callable[[bytes], bool] | None = None,
    ) -> ChildResult:
        """Wait until the child has ended and was heard to the end, or `seconds` have passed.

        With `until`, also no longer than that says yes to what was said so far.

        Raises:
            OSError: It turned out that the child could not be started.
        """
        if until is not None:
            self._out.watch_for(until, self._life.wake)
        ended = False
        with anyio.move_on_after(seconds) as deadline:
            ended = await self._ended()
        exit_code = self._life.exit_code() if ended else None
        was_held = False
        if ended:
            was_held = not await self._heard(linger)
        overflowed = self._out.is_full or self._err.is_full
        return ChildResult(
            exit_code=None if overflowed else exit_code,
            stdout=self._out.taken(),
            stderr=self._err.taken(),
            timed_out=deadline.cancelled_caught and not overflowed,
            overflowed=overflowed,
            was_held=was_held and not overflowed,
        )

    async def _ended(self) -> bool:
        """Wait for the end, or until it has said too much."""
        self._out.when_full(self._life.wake)
        self._err.when_full(self._life.wake)
        if not self._life.has_ended:
            await self._life.wait()
        return self._life.has_ended

    async def _heard(self, linger: float) -> bool:
        """Wait a little for the ends of both streams. Return whether they came.

        What is there is taken even if the wait is over: it may be we who were kept from it.
        """
        with anyio.move_on_after(linger):
            await self._out.ended()
            await self._err.ended()
        has_ended = [flow.has_said_all() for flow in (self._out, self._err)]
        return all(has_ended)

    @property
    def is_running(self) -> bool:
        """Whether the child itself still runs."""
        return not self._life.has_ended

    def leave(self) -> Leftover | None:
        """Hand what the child left running, if it ended and did, to the caller, who ends it."""
        left = self._life.leftover()
        self._is_left = left is not None
        return left

    async def end(self, grace: float = GRACE_SECONDS) -> None:
        """End what belongs to it and whoever holds the streams; close everything."""
        with anyio.CancelScope(shield=True):
            try:
                if not self._is_left:
                    await self._life.end(grace)
                    await self._end_holders()
            finally:
                self._close()

    async def _end_holders(self) -> None:
        """End whoever still holds the streams."""
        if not (self._out.has_ended and self._err.has_ended):
            await self._heard(0.01)
            self._out.end_holders()
            self._err.end_holders()

    def _close(self) -> None:
        """Close our ends of the streams."""
        self._life.close()
        self._inflow.close()
        self._out.close()
        self._err.close()


class ChildStarter(Protocol):
    """Starts children, and ends what is left of them when it is closed."""

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        stdin: bytes = b"",
        max_bytes: int = MAX_OUTPUT_BYTES,
    ) -> Child:
        """Start a child. Whoever does so awaits its `end`, whatever happens.

        Raises:
            OSError: The child could not be started. Some reasons only its result tells.
            ValueError: The command, a variable or the directory holds a NUL character.
        """

    async def close(self) -> None:
        """End everything that still runs."""


async def run_child(
    command: ProcessCommand,
    *,
    env: Mapping[str, str],
    cwd: str | None = None,
    stdin: bytes = b"",
    seconds: float | None,
    max_bytes: int = MAX_OUTPUT_BYTES,
    grace: float = GRACE_SECONDS,
) -> ChildResult:
    """Run a child to its end and return what it said. Afterwards nothing of its group is left.

    `seconds` after its start it is ended with its group.
    A child that says more than `max_bytes` on one stream is ended at once. A cancelled caller
    waits until the group has ended.

    Raises:
        OSError: The child could not be started.
        ValueError: The command, a variable or the directory holds a NUL character.
    """
    async with open_child(
        command, env=env, cwd=cwd, stdin=stdin, max_bytes=max_bytes, grace=grace
    ) as child:
        return await child.result(seconds)


@asynccontextmanager
async def open_child(
    command: ProcessCommand,
    *,
    env: Mapping[str, str],
    cwd: str | None = None,
    stdin: bytes = b"",
    max_bytes: int = MAX_OUTPUT_BYTES,
    grace: float = GRACE_SECONDS,
) -> AsyncIterator[Child]:
    """Start a child and end it when the block is left.

    Raises:
        OSError: The child could not be started.
        ValueError: The command, a variable or the directory holds a NUL character.
    """
    child = start_child(command, env=env, cwd=cwd, stdin=stdin, max_bytes=max_bytes)
    try:
        yield child
    finally:
        await child.end(grace)


def start_child(
    command: ProcessCommand,
    *,
    env: Mapping[str, str],
    cwd: str | None = None,
    stdin: bytes = b"",
    max_bytes: int = MAX_OUTPUT_BYTES,
) -> Child:
    """Start a child. Whoever does so awaits its `end`, whatever happens.

    Raises:
        OSError: The child could not be started.
        ValueError: The command, a variable or the directory holds a NUL character.
    """
    inflow, out, err = Inflow(stdin), Outflow(max_bytes), Outflow(max_bytes)
    try:
        process = subprocess.Popen(
            command,
            shell=isinstance(command, str),
            stdin=inflow.childs_end,
            stdout=out.childs_end,
            stderr=err.childs_end,
            cwd=cwd,
            env=env,
            start_new_session=True,
        )
    except BaseException:
        for flow in (inflow, out, err):
            flow.close()
        raise
    for flow in (inflow, out, err):
        flow.begin()
    return Child(OwnLife(process), inflow, out, err)
