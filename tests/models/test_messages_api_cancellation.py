"""An interrupt ends everything at once and leaves no connection behind."""

import gc
from pathlib import Path

import anyio
import pytest

from gantlet.testing import VirtualClock
from models.messages_api_kit import (
    CLOSE,
    DROP,
    EVENTS,
    HOLD,
    REPLY,
    START,
    Script,
    answer,
    chunks,
    head,
    request,
    sse,
    streamed,
    talk,
)

pytestmark = pytest.mark.usefixtures("each_transport")


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([], id="before the headers"),
        pytest.param([b"HTTP/1.1 200 OK\r\n"], id="in the headers"),
        pytest.param([head()], id="before the first event"),
        pytest.param([head() + chunks(sse(START)[:30])], id="in the first event"),
        pytest.param([answer(200, {})[:-1]], id="in a whole reply"),
        pytest.param([answer(500, b"xyz")[:-1]], id="in the reason for a failure"),
    ],
)
@pytest.mark.parametrize("is_whole", [True, False], ids=["whole", "streamed"])
async def test_an_interrupt_while_waiting_closes_the_connection(
    script: Script, is_whole: bool
) -> None:
    is_waiting = anyio.Event()
    interrupt = anyio.CancelScope()

    async def wait_for_a_reply() -> None:
        with interrupt:
            if is_whole:
                await conversation.model.complete(request())
            else:
                async with conversation.model.stream(request()):
                    pytest.fail("there was no event")

    async def note() -> None:
        is_waiting.set()

    async with talk([*script, note, HOLD], max_retries=3) as conversation:
        with anyio.fail_after(10):
            async with anyio.create_task_group() as group:
                group.start_soon(wait_for_a_reply)
                await is_waiting.wait()
                interrupt.cancel()
            await conversation.server.gone.wait()

    assert interrupt.cancelled_caught
    assert len(conversation.server.requests) == 1


@pytest.mark.parametrize("count", [1, 4, len(REPLY) - 1])
async def test_an_interrupt_between_events_closes_the_connection(count: int) -> None:
    interrupt = anyio.CancelScope()
    heard = []

    async with talk([head() + chunks(sse(*REPLY[:count])), HOLD]) as conversation:
        with anyio.fail_after(10):
            with interrupt:
                async with conversation.model.stream(request()) as events:
                    async for event in events:
                        heard.append(event)
                        if len(heard) == count:
                            interrupt.cancel()
            await conversation.server.gone.wait()

    assert interrupt.cancelled_caught
    assert heard == EVENTS[:count]


async def test_an_interrupt_ends_the_wait_for_a_retry() -> None:
    clock = VirtualClock()  # stands still
    interrupt = anyio.CancelScope()

    async with talk([answer(500, b"")], clock=clock, max_retries=3) as conversation:
        with anyio.fail_after(10), interrupt:
            await conversation.model.complete(request(), lambda **facts: interrupt.cancel())

    assert interrupt.cancelled_caught
    assert len(conversation.server.requests) == 1


async def test_a_failure_of_whoever_listens_closes_the_connection() -> None:
    async with talk([head() + chunks(sse(START)), HOLD]) as conversation:
        with pytest.raises(RuntimeError, match="my own"):
            async with conversation.model.stream(request()):
                raise RuntimeError("my own")
        with anyio.fail_after(5):
            await conversation.server.gone.wait()


async def test_after_an_interrupt_the_model_still_works() -> None:
    interrupt = anyio.CancelScope()

    async with talk([head() + chunks(sse(START)), HOLD], streamed(*REPLY)) as conversation:
        with interrupt:
            async with conversation.model.stream(request()) as events:
                await anext(events)
                interrupt.cancel()
                await anext(events)
        heard = await conversation.hear()

    assert heard.events == EVENTS


def open_sockets() -> int:
    return sum(link.is_socket() for link in Path("/proc/self/fd").iterdir())


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="nowhere to count open sockets")
async def test_no_failure_leaves_a_socket_open() -> None:
    gc.collect()  # what earlier tests left open is closed now, and not while we count
    before = open_sockets()
    failures: list[Script] = [
        [CLOSE],
        [DROP],
        [head(), DROP],
        [head() + chunks(sse(START)[:30]), CLOSE],
        [head() + chunks(sse(START)), DROP],
        [head() + chunks(sse(START)), HOLD],
        [head() + chunks(sse(*REPLY)), HOLD],
        [head() + chunks(b"data: {\n\n"), HOLD],
        [head(200, "text/html"), HOLD],
        [answer(500, b"xyz")[:-1], HOLD],
        [answer(400, b"xyz")],
        streamed(*REPLY),
    ]

    async with talk(*failures, idle_seconds=0.3) as conversation:
        for _ in failures:
            await conversation.hear()

    assert len(conversation.server.requests) == len(failures)
    assert open_sockets() <= before


async def test_a_model_that_is_closed_while_cancelled_leaves_no_connection() -> None:
    async with talk(streamed(*REPLY)) as conversation:
        await conversation.hear()
        with anyio.CancelScope() as scope:
            scope.cancel()
            await conversation.model.aclose()

    assert conversation.server.connections == 1
