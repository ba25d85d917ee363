"""How many tools run at once, and who is next."""

import anyio
import pytest

from gantlet.execution.slots import Slots
from gantlet.testing import settle


async def test_as_many_go_as_there_are_places_and_then_the_earliest_first() -> None:
    slots = Slots(2)
    took: list[int] = []

    async def take(position: int) -> None:
        await slots.take(position)
        took.append(position)

    with anyio.fail_after(30):
        async with anyio.create_task_group() as group:
            for position in (5, 4, 3, 2, 1):
                group.start_soon(take, position)
            await settle()
            first = list(took)
            slots.give()
            await settle()
            slots.give()
            slots.give()

    assert first == [5, 4]
    assert took == [5, 4, 1, 2, 3]


async def test_without_a_limit_nobody_waits() -> None:
    slots = Slots(float("inf"))

    with anyio.fail_after(30):
        for position in range(1000):
            await slots.take(position)

    assert slots.free == float("inf")


async def test_whoever_stops_waiting_leaves_the_place_to_others() -> None:
    slots = Slots(1)
    took: list[int] = []

    async def take(position: int) -> None:
        await slots.take(position)
        took.append(position)

    with anyio.fail_after(30):
        await slots.take(0)
        async with anyio.create_task_group() as waiting:
            waiting.start_soon(take, 1)
            await settle()
            waiting.cancel_scope.cancel()
        slots.give()
        await take(2)
        slots.give()

    assert took == [2]
    assert slots == Slots(1)


async def test_a_place_that_comes_too_late_goes_on_to_the_next() -> None:
    slots = Slots(1)
    took: list[int] = []
    impatient = anyio.CancelScope()

    async def give_up() -> None:
        with impatient:
            await slots.take(1)
            await anyio.lowlevel.checkpoint()
            took.append(1)

    async def take(position: int) -> None:
        await slots.take(position)
        took.append(position)

    with anyio.fail_after(30):
        await slots.take(0)
        async with anyio.create_task_group() as group:
            group.start_soon(give_up)
            group.start_soon(take, 2)
            await settle()
            impatient.cancel()
            slots.give()

    assert took == [2]


@pytest.mark.parametrize("places", [0, -1, 0.5, float("nan")])
def test_without_a_single_place_nothing_could_ever_run(places: float) -> None:
    with pytest.raises(ValueError, match="at least one"):
        Slots(places)
