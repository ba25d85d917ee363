"""Deadlines: each is kept once, in order, and what was called off leaves no trace."""

from collections.abc import Sequence

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution_kit import examples
from gantlet.execution.deadlines import Deadline, Deadlines
from gantlet.testing import VirtualClock, settle


class Watched:
    """Deadlines on a virtual clock, and what was done when."""

    def __init__(self) -> None:
        self.clock = VirtualClock()
        self.deadlines = Deadlines(self.clock)
        self.done: list[tuple[float, object]] = []

    def after(self, seconds: float, name: object) -> Deadline:
        """Note the time when a deadline has come."""
        return self.deadlines.after(seconds, lambda: self.done.append((self.clock.now(), name)))


async def test_deadlines_come_in_order_and_those_of_one_moment_as_they_were_made() -> None:
    watched = Watched()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(watched.deadlines.watch)
            for seconds, name in ((3, "c"), (1, "a"), (1, "b"), (0, "now"), (-1, "before")):
                watched.after(seconds, name)
            await watched.clock.advance(2)
            until_two = list(watched.done)
            await watched.clock.advance(2)
            group.cancel_scope.cancel()

    assert until_two == [(0.0, "before"), (0.0, "now"), (1.0, "a"), (1.0, "b")]
    assert watched.done == [*until_two, (3.0, "c")]


async def test_a_sooner_deadline_comes_first_though_the_watch_already_sleeps() -> None:
    watched = Watched()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(watched.deadlines.watch)
            watched.after(10, "late")
            await watched.clock.advance(1)
            watched.after(1, "early")
            await watched.clock.advance(1)
            group.cancel_scope.cancel()

    assert watched.done == [(2.0, "early")]


async def test_a_deadline_that_was_called_off_does_nothing() -> None:
    watched = Watched()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(watched.deadlines.watch)
            called_off = watched.after(1, "never")
            watched.after(2, "then")
            called_off.call_off()
            called_off.call_off()
            await watched.clock.advance(5)
            called_off.call_off()
            group.cancel_scope.cancel()

    assert watched.done == [(2.0, "then")]
    assert len(watched.deadlines) == 0


async def test_a_deadline_that_fails_does_not_stop_the_others() -> None:
    watched = Watched()

    def fail() -> None:
        raise RuntimeError("broken")

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(watched.deadlines.watch)
            watched.deadlines.after(1, fail)
            watched.after(1, "next")
            await watched.clock.advance(1)
            group.cancel_scope.cancel()

    assert watched.done == [(1.0, "next")]


async def test_a_deadline_may_set_another_one() -> None:
    watched = Watched()

    def set_another() -> None:
        watched.after(0, "child")

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(watched.deadlines.watch)
            watched.deadlines.after(1, set_another)
            await watched.clock.advance(1)
            group.cancel_scope.cancel()

    assert watched.done == [(1.0, "child")]


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), float("-inf")])
async def test_what_is_no_time_never_comes_and_takes_no_room(seconds: float) -> None:
    watched = Watched()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(watched.deadlines.watch)
            never = watched.after(seconds, "never")
            watched.after(1, "next")
            await watched.clock.advance(1)
            never.call_off()
            group.cancel_scope.cancel()

    assert watched.done == [(1.0, "next")]
    assert len(watched.deadlines) == 0


async def test_deadlines_that_were_called_off_do_not_pile_up() -> None:
    watched = Watched()

    for _ in range(10_000):
        watched.after(1000, "never").call_off()

    assert len(watched.deadlines) <= 200


async def test_nobody_is_woken_while_there_is_no_deadline() -> None:
    watched = Watched()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(watched.deadlines.watch)
            await settle()
            next_moment = watched.clock.next_moment
            group.cancel_scope.cancel()

    assert next_moment is None


@examples(60)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(1, 20), st.none() | st.integers(0, 20))),
)
async def test_every_deadline_comes_on_time_unless_it_was_called_off(
    plans: Sequence[tuple[int, int, int | None]],
) -> None:
    watched = Watched()

    async def plan(number: int, begin: int, seconds: int, call_off: int | None) -> None:
        await watched.clock.sleep_until(begin)
        deadline = watched.after(seconds, number)
        if call_off is not None:
            await watched.clock.sleep_until(call_off + 0.5)
            deadline.call_off()

    with anyio.fail_after(30):
        async with anyio.create_task_group() as watch:
            watch.start_soon(watched.deadlines.watch)
            async with anyio.create_task_group() as group:
                for number, (begin, seconds, call_off) in enumerate(plans):
                    group.start_soon(plan, number, begin, seconds, call_off)
                await watched.clock.advance(60)
            watch.cancel_scope.cancel()

    expected = {
        (float(begin + seconds), number)
        for number, (begin, seconds, call_off) in enumerate(plans)
        if call_off is None or max(begin, call_off + 0.5) >= begin + seconds
    }
    assert set(watched.done) == expected
    assert len(watched.done) == len(expected)
    assert [when for when, _ in watched.done] == sorted(when for when, _ in watched.done)
    assert len(watched.deadlines) == 0
