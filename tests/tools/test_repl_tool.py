"""REPL: Python that stays from call to call."""

from pathlib import Path

import pytest

from bash_kit import bench, call_of, said, until
from gantlet.execution import Failed, Interrupted
from gantlet.execution.abort import AbortKind
from patience import DEADLINES

pytestmark = pytest.mark.anyio


async def test_variables_last_and_the_last_value_is_shown(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        first = await here.call("REPL", code="import math\nx = 40\nprint('set')")
        second = await here.call("REPL", code="x + int(math.sqrt(4))")
        third = await here.call("REPL", code="_ * 2")

    assert [said(one) for one in (first, second, third)] == ["set", "42", "84"]


@pytest.mark.parametrize(
    ("code", "text"),
    [
        pytest.param("1 / 0", "ZeroDivisionError: division by zero", id="raises"),
        pytest.param("def f(:", "SyntaxError: invalid syntax", id="no-python"),
        pytest.param("input()", "EOFError: EOF when reading a line", id="no-input"),
        pytest.param("exit(3)", "SystemExit: 3; the REPL goes on.", id="leaves"),
    ],
)
async def test_code_that_fails_says_why_and_the_process_stays(
    tmp_path: Path, code: str, text: str
) -> None:
    async with bench(tmp_path) as here:
        await here.call("REPL", code="x = 1")
        answer = await here.call("REPL", code=code)
        after = await here.call("REPL", code="x")

    assert isinstance(answer.outcome, Failed)
    assert said(answer).endswith(text)
    assert said(after) == "1"


async def test_code_that_takes_too_long_is_interrupted_and_its_variables_stay(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path) as here:
        for seconds in DEADLINES:  # an interrupt is for code that runs: it has to have begun
            await here.call("REPL", code="x = 1")
            answer = await here.call("REPL", code="while True: pass", timeout=seconds * 1000)
            if "Variables are kept." in said(answer):
                break
        after = await here.call("REPL", code="x")

    assert (
        said(answer)
        .removesuffix("</tool_use_error>")
        .endswith(
            f"KeyboardInterrupt\nThe code was stopped after {seconds:g}s. Variables are kept."
        )
    )
    assert said(after) == "1"


async def test_code_that_heeds_nothing_costs_its_process(tmp_path: Path) -> None:
    stubborn = (
        "import time\nwhile True:\n    try:\n        time.sleep(100)\n"
        "    except KeyboardInterrupt:\n        pass"
    )
    async with bench(tmp_path) as here:
        for seconds in DEADLINES:  # an interrupt that comes too early finds it unprepared
            await here.call("REPL", code="x = 1")
            answer = await here.call("REPL", code=stubborn, timeout=seconds * 1000)
            if "Variables are kept." not in said(answer):
                break
        after = await here.call("REPL", code="x")

    assert "Its process was restarted: variables and imports are lost." in said(answer)
    assert "NameError: name 'x' is not defined" in said(after)


async def test_a_process_that_ends_is_said_and_started_again(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.call("REPL", code="import os; os._exit(5)")
        after = await here.call("REPL", code="'again'")

    assert "The process ended (failed (exit code 5)); it is started again" in said(answer)
    assert said(after) == "'again'"


async def test_an_interrupt_ends_the_code(tmp_path: Path) -> None:
    started = tmp_path / "started"
    code = f"open({str(started)!r}, 'w').close()\nimport time; time.sleep(1000)"
    async with bench(tmp_path) as here:
        executor = here.executor()
        async with executor:
            executor.submit(call_of("REPL", code=code))
            await until(started.exists)
            executor.abort(AbortKind.USER)
            [answer] = await executor.drain()
        after = await here.call("REPL", code="2")

    assert isinstance(answer.outcome, Interrupted)
    assert said(after) == "2"
