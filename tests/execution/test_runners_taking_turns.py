"""One task runs many calls; nobody can tell, whatever one of them does."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from itertools import pairwise

import anyio
import pytest
from anyio.lowlevel import checkpoint

from gantlet.execution import Bodies
from gantlet.execution.runners import Host
from gantlet.testing import VirtualClock

_SPOKEN: ContextVar[str] = ContextVar("_SPOKEN", default="nothing")


@contextmanager
def within_a_while() -> Iterator[None]:
    """Let no test of this file wait for ever."""
    with anyio.fail_after(30):
        yield


async def test_runs_that_do_not_wait_share_a_task_and_keep_their_order() -> None:
    seen: list[tuple[int, str]] = []

    async def run(number: int, _: Host) -> None:
        task = asyncio.current_task()
        assert task is not None
        seen.append((number, task.get_name()))

    with within_a_while():
        async with Bodies(VirtualClock()) as bodies:
            for number in range(500):
                bodies.start(partial(run, number))
            while len(seen) < 500:
                await checkpoint()

    assert [number for number, _ in seen] == list(range(500))
    tasks = [before for (_, before), (_, after) in pairwise(seen) if before is not after]
    assert len(tasks) < 250


async def test_a_run_that_waits_holds_nobody_up() -> None:
    seen: list[str] = []
    may_end = anyio.Event()

    async def slow() -> None:
        seen.append("slow began")
        await may_end.wait()
        seen.append("slow ended")

    async def quick() -> None:
        seen.append("quick")
        may_end.set()

    with within_a_while():
        async with Bodies(VirtualClock()) as bodies:
            bodies.start(lambda _: slow())
            bodies.start(lambda _: quick())
            while len(seen) < 3:
                await checkpoint()

    assert seen == ["slow began", "quick", "slow ended"]


async def test_what_is_started_later_runs_beside_what_waits() -> None:
    seen: list[str] = []
    may_end = anyio.Event()

    async def slow() -> None:
        await may_end.wait()
        seen.append("slow")

    async def late() -> None:
        seen.append("late")

    with within_a_while():
        async with Bodies(VirtualClock()) as bodies:
            bodies.start(lambda _: slow())
            await checkpoint()
            bodies.start(lambda _: late())
            while not seen:
                await checkpoint()
            may_end.set()
            while len(seen) < 2:
                await checkpoint()

    assert seen == ["late", "slow"]


@pytest.mark.parametrize("waits", [False, True], ids=["at once", "after a wait"])
async def test_what_one_run_sets_in_its_context_is_not_seen_by_the_next(waits: bool) -> None:
    seen: list[str] = []

    async def speak() -> None:
        _SPOKEN.set("something")
        if waits:
            await checkpoint()
        seen.append(_SPOKEN.get())

    async def listen() -> None:
        seen.append(_SPOKEN.get())

    with within_a_while():
        async with Bodies(VirtualClock()) as bodies:
            bodies.start(lambda _: speak())
            bodies.start(lambda _: listen())
            while len(seen) < 2:
                await checkpoint()

    assert sorted(seen) == ["nothing", "something"]
    assert _SPOKEN.get() == "nothing"


async def test_what_has_not_begun_when_the_session_ends_is_begun_and_cancelled() -> None:
    seen: list[str] = []

    async def wait(name: str) -> None:
        try:
            await anyio.sleep_forever()
        finally:
            seen.append(name)

    with within_a_while():
        async with Bodies(VirtualClock()) as bodies:
            bodies.start(lambda _: wait("first"))
            bodies.start(lambda _: wait("second"))

    assert sorted(seen) == ["first", "second"]
