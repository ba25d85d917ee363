"""The loop that tests run on: no deadline passes while whoever has to answer is kept from it."""

import time

import anyio
import pytest

from fair_loop import FairLoop


async def test_tests_run_on_it() -> None:
    with anyio.fail_after(0.05):
        time.sleep(0.2)  # noqa: ASYNC251 - the whole process stands still
        await anyio.lowlevel.checkpoint()


async def test_a_deadline_passes_while_everybody_waits() -> None:
    with pytest.raises(TimeoutError), anyio.fail_after(0.05):
        await anyio.sleep_forever()


async def test_a_deadline_passes_while_somebody_works_without_end() -> None:
    async def work() -> None:
        while True:
            await anyio.lowlevel.checkpoint()

    with pytest.raises(TimeoutError), anyio.fail_after(0.05):
        await work()


def test_its_time_goes_forward() -> None:
    loop = FairLoop()
    try:
        before = loop.time()
        loop.run_until_complete(anyio.sleep(0.02))
        assert loop.time() >= before + 0.02
    finally:
        loop.close()
