"""A started command, told of by one thread and read by another: nothing it said is lost."""

import os
import threading
from collections.abc import Callable

import anyio

from gantlet.system.supervisor.pump import Pump, Readable
from gantlet.system.supervisor.running import Running
from gantlet.system.supervisor.values import Exited, Launch
from patience import PATIENCE_SECONDS

ENDED: dict[str, object] = {"ended": 0, "out_of_memory": False, "place": "", "left": []}
LEFT: dict[str, object] = {**ENDED, "left": [[1, "sleep"]]}


class Keeper:
    """A keeper to whom nothing is said."""

    def say(self, word: str, seconds: float = 0.0) -> None:
        raise AssertionError(word)


class SlowPump(Pump):
    """A pump that has not come to read yet."""

    def watch(self, readable: int | Readable, on_ready: Callable[[], object]) -> None:
        pass


def running(pump: Pump, output: int, on_output: Callable[[bytes], None]) -> Running:
    launch = Launch(argv=("x",), cwd="/", env={})
    return Running(launch, Keeper(), pump, output, on_output)


def test_what_was_said_before_the_end_is_read_though_something_goes_on() -> None:
    output, said = os.pipe()
    os.write(said, b"words")
    heard: list[bytes] = []
    pump = SlowPump()
    command = running(pump, output, heard.append)

    command.note(LEFT)

    assert heard == [b"words"]
    assert command.ended.is_set()
    assert not command.gone.is_set()
    os.close(said)
    command.stop_reading()
    pump.close()


async def test_what_is_about_to_end_is_waited_for_as_long_as_the_launch_says() -> None:
    output, said = os.pipe()
    os.close(said)
    pump = Pump()
    launch = Launch(argv=("x",), cwd="/", env={}, aftermath_seconds=PATIENCE_SECONDS)
    command = Running(launch, Keeper(), pump, output, lambda data: None)
    left: list[int] = []

    async def wait() -> None:
        await command.wait()
        left.append(len(command.left))

    command.note(LEFT)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wait)
        await anyio.sleep(0.3)  # longer than anything else is waited for
        command.note({"gone": True})

    assert left == [0]
    pump.close()


def test_whoever_is_told_of_the_end_has_heard_all_that_was_said() -> None:
    output, said = os.pipe()
    is_hearing, may_go_on = threading.Event(), threading.Event()
    order: list[str] = []

    def hear(data: bytes) -> None:
        is_hearing.set()
        may_go_on.wait(PATIENCE_SECONDS)
        order.append("said")

    pump = Pump()
    command = running(pump, output, hear)
    command.when_gone(lambda: order.append("gone"))
    os.write(said, b"words")
    os.close(said)
    assert is_hearing.wait(PATIENCE_SECONDS)
    teller = threading.Thread(target=command.note, args=(ENDED,))
    teller.start()
    threading.Timer(0.2, may_go_on.set).start()  # time enough to tell of the end too early
    teller.join(PATIENCE_SECONDS)

    assert order == ["said", "gone"]
    assert command.ending == Exited(0)
    pump.close()
