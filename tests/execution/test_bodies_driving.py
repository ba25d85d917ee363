"""A body is a coroutine that can be dropped; otherwise awaiting it is awaiting the coroutine."""

import asyncio

import anyio
import pytest
from anyio.lowlevel import checkpoint

from execution_kit import is_idle
from gantlet.execution.bodies import AbandonedError, Bodies, Body
from gantlet.testing import VirtualClock, settle


async def test_a_body_returns_what_its_coroutine_returns() -> None:
    async def add() -> int:
        await checkpoint()
        return 1 + 1

    with anyio.fail_after(30):
        assert await Body(add()) == 2


async def test_a_body_raises_what_its_coroutine_raises() -> None:
    async def fail() -> None:
        await checkpoint()
        raise ValueError("no")

    with anyio.fail_after(30), pytest.raises(ValueError, match="no"):
        await Body(fail())


async def test_cancelling_around_a_body_cancels_inside() -> None:
    seen: list[str] = []

    async def wait() -> None:
        try:
            await anyio.sleep_forever()
        except asyncio.CancelledError:
            seen.append("cancelled inside")
            raise

    with anyio.fail_after(30), anyio.CancelScope() as scope:
        scope.cancel()
        await Body(wait())

    assert scope.cancelled_caught
    assert seen == ["cancelled inside"]


async def test_scopes_and_groups_inside_a_body_work_as_usual() -> None:
    seen: list[str] = []

    async def work() -> str:
        with anyio.move_on_after(0):
            await anyio.sleep_forever()
        async with anyio.create_task_group() as group:
            group.start_soon(checkpoint)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await anyio.sleep_forever()
        seen.append("after")
        return "done"

    with anyio.fail_after(30):
        assert await Body(work()) == "done"

    assert seen == ["after"]


async def test_its_own_timeouts_are_no_sign_of_bad_will_until_it_is_asked_to_end() -> None:
    async def poll() -> str:
        for _ in range(1000):
            with anyio.CancelScope() as scope:
                scope.cancel()
                await anyio.sleep_forever()
        return "done"

    polite, asked = Body(poll()), Body(poll())
    asked.ask_to_end()

    with anyio.fail_after(30):
        assert await polite == "done"
        with pytest.raises(AbandonedError):
            await asked


async def test_abandoning_a_body_that_has_ended_does_nothing() -> None:
    async def work() -> str:
        return "done"

    body = Body(work())
    with anyio.fail_after(30):
        result = await body
        body.abandon()
        await checkpoint()

    assert result == "done"


class StubbornContext:
    """Something that, once entered, is never left."""

    async def __aenter__(self) -> None:
        pass

    async def __aexit__(self, *error: object) -> None:
        while True:
            try:
                await anyio.sleep_forever()
            except BaseException:  # noqa: BLE001 - what this test is about
                continue


async def test_whatever_is_abandoned_leaves_the_task_as_it_found_it() -> None:
    async def never_leave() -> None:
        with anyio.CancelScope(shield=True), anyio.move_on_after(1000):
            async with anyio.create_task_group() as group:
                group.start_soon(anyio.sleep_forever)
                async with StubbornContext():
                    await anyio.sleep_forever()

    body = Body(never_leave())
    errors: list[str] = []

    async def drive() -> None:
        with anyio.CancelScope() as around:
            try:
                await body
            except AbandonedError as error:
                errors.append(type(error).__name__)
            await checkpoint()
            around.cancel()
            await anyio.sleep_forever()
        errors.append("went on")

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(drive)
            await settle()
            body.abandon()
            body.abandon()

    assert errors == ["AbandonedError", "went on"]


async def test_what_is_abandoned_still_cleans_up_as_far_as_it_can_without_waiting() -> None:
    seen: list[str] = []

    async def work() -> None:
        try:
            with anyio.CancelScope(shield=True):
                async with anyio.create_task_group() as group:
                    group.start_soon(anyio.sleep_forever)
                    await anyio.sleep_forever()
        finally:
            seen.append("cleaned up")

    body = Body(work())

    async def drive() -> None:
        with pytest.raises(AbandonedError):
            await body

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(drive)
            await settle()
            body.abandon()

    assert seen == ["cleaned up"]


async def test_a_part_is_abandoned_in_place_of_the_whole() -> None:
    seen: list[str] = []

    async def part() -> None:
        with anyio.CancelScope(shield=True):
            await anyio.sleep_forever()

    async def whole() -> str:
        try:
            await body.drive(Body(part()))
        except AbandonedError:
            seen.append("part abandoned")
        await checkpoint()
        return "whole done"

    body = Body(whole())

    async def drive() -> None:
        seen.append(await body)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            group.start_soon(drive)
            await settle()
            assert body.is_in_part
            body.abandon()

    assert not body.is_in_part
    assert seen == ["part abandoned", "whole done"]


async def test_leaving_the_session_cancels_what_runs_and_waits_for_it() -> None:
    clock = VirtualClock()
    seen: list[str] = []

    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            with anyio.CancelScope(shield=True):
                await clock.sleep(2)
            seen.append(f"ended at {clock.now():g}")

    with anyio.fail_after(30):
        async with clock:
            async with Bodies(clock) as bodies:
                bodies.start(lambda _: work())
                await settle()
            seen.append("left")

    assert seen == ["ended at 2", "left"]


async def test_a_failure_in_the_session_passes_and_ends_what_runs() -> None:
    ended: list[str] = []

    async def work() -> None:
        try:
            await anyio.sleep_forever()
        finally:
            ended.append("work")

    with anyio.fail_after(30), pytest.RaisesGroup(ValueError):
        async with Bodies(VirtualClock()) as bodies:
            bodies.start(lambda _: work())
            await settle()
            raise ValueError

    assert ended == ["work"]


async def test_an_idle_session_does_nothing() -> None:
    with anyio.fail_after(30):
        async with Bodies(VirtualClock()):
            idle = await is_idle()

    assert idle


async def test_a_session_on_the_real_clock_keeps_its_deadlines() -> None:
    done = anyio.Event()

    with anyio.fail_after(30):
        async with Bodies() as bodies:
            bodies.deadlines.after(0, done.set)
            await done.wait()

    assert done.is_set()
