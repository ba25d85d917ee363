"""Lines that leave: whole, in order, bounded, and found again when they are answers."""

import json
import os
from pathlib import Path

import anyio
import pytest

from gantlet.messages import JsonValue
from gantlet.surfaces.headless.control import Control, ControlError
from gantlet.surfaces.headless.outlet import MAX_LINE_BYTES, Outlet

pytestmark = pytest.mark.anyio


def test_lines_leave_in_order(tmp_path: Path) -> None:
    path = tmp_path / "out"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    outlet = Outlet(descriptor)
    for number in range(1000):
        outlet.put({"number": number})

    assert outlet.close()
    os.close(descriptor)
    numbers = [json.loads(line)["number"] for line in path.read_text().splitlines()]
    assert numbers == list(range(1000))


def test_a_line_is_never_longer_than_readers_take(tmp_path: Path) -> None:
    path = tmp_path / "out"
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT)
    outlet = Outlet(descriptor)
    big: dict[str, JsonValue] = {
        "type": "user",
        "uuid": "u",
        "parts": ["x" * 900_000, "é" * 900_000, {"deep": "y" * 9}],
    }
    outlet.put(big)
    outlet.close()
    os.close(descriptor)

    line = path.read_bytes()
    told = json.loads(line)

    assert len(line) <= MAX_LINE_BYTES + 1
    assert (told["type"], told["uuid"], told["parts"][2]) == ("user", "u", {"deep": "y" * 9})
    assert "cut" in told["parts"][0]


def test_a_reader_that_is_gone_is_no_failure() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    outlet = Outlet(writing)
    outlet.put({"a": 1})

    assert not outlet.close()
    assert outlet.is_broken
    os.close(writing)


class Other:
    """The other side: keeps what it is sent."""

    def __init__(self) -> None:
        self.heard: list[dict[str, object]] = []
        self.control = Control(lambda frame: self.heard.append(dict(frame)))

    def answer(self, told: dict[str, object], number: int = -1) -> None:
        request_id = self.heard[number]["request_id"]
        self.control.answered({"response": {"request_id": request_id, **told}})  # type: ignore[dict-item]


async def asked(other: Other, told: list[dict[str, object]]) -> object:
    outcome: list[object] = []

    async def ask() -> None:
        try:
            outcome.append(await other.control.ask("can_use_tool", seconds=None))
        except ControlError as error:
            outcome.append(str(error))

    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        for one in told:
            other.answer(one, 0)
    return outcome[0]


async def test_an_answer_finds_its_question() -> None:
    assert await asked(Other(), [{"subtype": "success", "response": {"a": 1}}]) == {"a": 1}


async def test_a_second_answer_does_nothing() -> None:
    told = [{"subtype": "success", "response": {"a": 1}}, {"subtype": "error", "error": "no"}]

    assert await asked(Other(), told) == {"a": 1}  # type: ignore[arg-type]


async def test_an_error_is_an_error() -> None:
    assert await asked(Other(), [{"subtype": "error", "error": "broken"}]) == "broken"


async def test_an_answer_that_is_nonsense_is_empty() -> None:
    assert await asked(Other(), [{"subtype": "success", "response": "?"}]) == {}


async def test_who_is_gone_answers_nothing() -> None:
    other = Other()
    other.control.close()

    with pytest.raises(ControlError, match="is gone"):
        await other.control.ask("can_use_tool")


async def test_a_question_that_is_taken_back_is_cancelled_there() -> None:
    other = Other()
    with anyio.move_on_after(0):
        await other.control.ask("can_use_tool", seconds=None)

    assert [told["type"] for told in other.heard] == ["control_request", "control_cancel_request"]
    other.answer({"subtype": "success"}, 0)
