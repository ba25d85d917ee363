"""Time that a test owns: it moves only when everything waits, and then to the next moment."""

import asyncio
from functools import partial

import anyio
import pytest

from gantlet.testing import VirtualClock, settle


async def test_time_jumps_from_sleeper_to_sleeper_in_order() -> None:
    clock = VirtualClock(100.0)
    seen: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        seen.append((name, clock.now()))

    with anyio.fail_after(30):
        async with clock, anyio.create_task_group() as group:
            group.start_soon(sleeper, "late", 5)
            group.start_soon(sleeper, "early", 1)
            group.start_soon(sleeper, "also early", 1)

    assert seen == [("early", 101.0), ("also early", 101.0), ("late", 105.0)]


async def test_a_moment_that_has_passed_is_not_waited_for() -> None:
    clock = VirtualClock(10.0)

    with anyio.fail_after(30):
        await clock.sleep_until(3.0)
        await clock.sleep(0)

    assert clock.now() == 10.0


async def test_time_moved_by_hand_wakes_those_who_are_due_and_no_others() -> None:
    clock = VirtualClock()
    seen: list[tuple[str, float]] = []

    async def sleeper(name: str, seconds: float) -> None:
        await clock.sleep(seconds)
        seen.append((name, clock.now()))
        await clock.sleep(1)
        seen.append((f"{name} again", clock.now()))

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(sleeper, "a", 1)
            group.start_soon(sleeper, "b", 3)
            await clock.advance(2.5)
            group.cancel_scope.cancel()

    assert seen == [("a", 1.0), ("a again", 2.0)]
    assert clock.now() == 2.5


async def test_nobody_is_woken_before_everything_waits() -> None:
    clock = VirtualClock()
    seen: list[float] = []

    async def busy() -> None:
        for _ in range(50):
            await anyio.lowlevel.checkpoint()
            seen.append(clock.now())

    with anyio.fail_after(30):
        async with clock, anyio.create_task_group() as group:
            group.start_soon(clock.sleep, 1)
            group.start_soon(busy)

    assert seen == [0.0] * 50


async def test_time_does_not_move_while_a_callback_still_has_to_wake_a_task() -> None:
    clock = VirtualClock()
    signal: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    seen: list[float] = []

    async def set_signal() -> None:
        await clock.sleep(1)
        signal.set_result(None)

    async def wait_through_callbacks() -> None:
        await asyncio.wait([asyncio.shield(asyncio.shield(signal))])
        seen.append(clock.now())

    with anyio.fail_after(30):
        async with clock, anyio.create_task_group() as group:
            group.start_soon(clock.sleep, 2)
            group.start_soon(set_signal)
            group.start_soon(wait_through_callbacks)

    assert seen == [1.0]


async def test_time_does_not_jump_to_a_moment_for_which_nobody_waits_any_more() -> None:
    clock = VirtualClock()
    seen: list[float] = []

    async def impatient() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(clock.sleep, 100)
            await clock.sleep(1)
            group.cancel_scope.cancel()
        await clock.sleep(200)
        seen.append(clock.now())

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(impatient)
            await clock.advance(1)
            next_moment = clock.next_moment
            await clock.advance(200)

    assert next_moment == 201.0
    assert seen == [201.0]


async def test_a_test_may_settle_while_the_clock_moves_by_itself() -> None:
    clock = VirtualClock()
    seen: list[float] = []

    with anyio.fail_after(30):
        async with clock, anyio.create_task_group() as group:
            group.start_soon(clock.sleep, 1)
            for _ in range(3):
                await settle()
                seen.append(clock.now())

    assert seen == [0.0, 0.0, 0.0]


async def test_two_may_settle_at_once() -> None:
    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(settle)
            group.start_soon(settle)


async def test_settling_waits_for_everybody_else_to_wait() -> None:
    steps: list[int] = []

    async def busy() -> None:
        for number in range(20):
            await anyio.lowlevel.checkpoint()
            steps.append(number)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(busy)
            await settle()
            counted = len(steps)

    assert counted == 20


async def test_the_clock_waits_for_a_thread_without_moving() -> None:
    clock = VirtualClock()

    with anyio.fail_after(30):
        async with clock:
            await anyio.to_thread.run_sync(partial(sum, [1, 2]))

    assert clock.now() == 0.0


def test_a_clock_is_made_without_an_event_loop_and_may_move_by_itself_again_and_again() -> None:
    clock = VirtualClock()

    async def sleep_twice() -> None:
        with anyio.fail_after(30):
            for _ in range(2):
                async with clock:
                    await clock.sleep(1)

    anyio.run(sleep_twice)
    anyio.run(sleep_twice)

    assert clock.now() == 4.0


async def test_a_failure_inside_passes_through_the_clock() -> None:
    with pytest.RaisesGroup(ValueError), anyio.fail_after(30):
        async with VirtualClock():
            raise ValueError
