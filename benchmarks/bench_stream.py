"""What our side of a streamed reply costs: one tool input of 200 KB in 10,000 deltas.

Against the floor: split at blank lines, `json.loads` of each event's data. The network is in
neither. Ours is taken twice: from bytes to stream events, and the whole way through the client to a
call that is ready to run. The bar is twice the floor. Where each event is a read of its own, it is
one for the floor too; everywhere else the floor has the whole body at once.

Usage: python benchmarks/bench_stream.py
"""

import json
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import partial
from math import inf
from statistics import median
from typing import TypeAlias

import anyio

from gantlet.loop.reply import CallReady, Reply
from gantlet.messages import ModelRequest, dumps
from gantlet.models.messages_api import Endpoint, MessagesApi
from gantlet.models.messages_api.decoding import ReplyDecoder

DELTAS = 10_000
INPUT_BYTES = 200_000
SMALL_BYTES = 2_000
ROUNDS = 15
BAR = 2.0
ONE_EVENT = "one event a read"
FLOOR = "floor"
FLOOR_OF_EVENTS = f"floor, {ONE_EVENT}"

Run: TypeAlias = Callable[[], int | Awaitable[int]]


def transcript(input_bytes: int = INPUT_BYTES) -> list[bytes]:
    """Return the events of a reply that writes one file, each as it is streamed."""
    size = INPUT_BYTES // DELTAS
    words = (r"The quick brown fox \n\"jumps\" over " * (input_bytes // 20))[: input_bytes - 17]
    text = f'{{"content":"{words}.."}}'
    pieces = [text[at : at + size] for at in range(0, input_bytes, size)]
    start = {"type": "tool_use", "id": "toolu_1", "name": "Write", "input": {}}
    message = {"id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m"}
    events: list[dict[str, object]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": start},
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": piece},
            }
            for piece in pieces
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {}},
        {"type": "message_stop"},
    ]
    return [f"event: {event['type']}\ndata: ".encode() + dumps(event) + b"\n\n" for event in events]


def read_at_the_floor(body: bytes) -> int:
    """Read a reply with the least that Python can do, and return how many events it has."""
    count = 0
    for event in body.split(b"\n\n"):
        if event:
            json.loads(event[event.index(b"\ndata: ") + 7 :])
            count += 1
    return count


def read_events_at_the_floor(events: Sequence[bytes]) -> int:
    """Do the same where each event comes by itself, and may be only a part of one."""
    count, held = 0, b""
    for chunk in events:
        *whole, held = (held + chunk).split(b"\n\n")
        for event in whole:
            json.loads(event[event.index(b"\ndata: ") + 7 :])
            count += 1
    return count


def read_with_ours(chunks: Sequence[bytes]) -> int:
    """Read a reply as the client does, and return how many events it has."""
    decoder = ReplyDecoder()
    count = 0
    for chunk in chunks:
        decoder.feed(chunk)
        while decoder.next_event() is not None:
            count += 1
    return count


class Heard:
    """A response whose body has been heard already."""

    status = 200
    headers: Mapping[str, str] = {"content-type": "text/event-stream"}
    is_at_end = True
    retry_after_seconds = None

    def __init__(self, chunks: Sequence[bytes]) -> None:
        self._chunks: Iterator[bytes] = iter(chunks)

    async def read(self, until: float = inf) -> bytes:
        """Return the next chunk."""
        return next(self._chunks, b"")

    async def aclose(self) -> None:
        """Do nothing."""


class Memory:
    """A way to a server that is none."""

    def __init__(self, chunks: Sequence[bytes]) -> None:
        self._chunks = chunks

    async def post(
        self, path: str, headers: Mapping[str, str], parts: Sequence[bytes], until: float = inf
    ) -> Heard:
        """Return the response."""
        return Heard(self._chunks)

    async def aclose(self) -> None:
        """Do nothing."""


async def take_the_whole_way(chunks: Sequence[bytes]) -> int:
    """Read a reply with the client, put its call together, and return how many events it had."""
    model = MessagesApi(Endpoint("http://127.0.0.1"), transport=lambda endpoint: Memory(chunks))
    reply, count, ready = Reply(), 0, 0
    async with model.stream(ModelRequest("m", 1, [])) as events:
        async for event in events:
            count += 1
            for step in reply.feed(event):
                ready += isinstance(step, CallReady) and not step.problem
    assert ready == 1
    return count


def cut(body: bytes, size: int) -> list[bytes]:
    """Return a body as reads of one size."""
    return [body[at : at + size] for at in range(0, len(body), size)]


async def milliseconds(run: Run, expected: int) -> float:
    """Return how long one run takes."""
    began = time.perf_counter()
    count = run()
    count = count if isinstance(count, int) else await count
    spent = time.perf_counter() - began
    assert count == expected, f"{count} events instead of {expected}"
    return spent * 1000


async def main() -> None:
    """Measure floor and ours in turns, and print medians."""
    events = transcript()
    body = b"".join(events)
    ways = {
        "reads of 64 KB": cut(body, 65536),
        "reads of 4 KB": cut(body, 4096),
        ONE_EVENT: events,
    }
    runs: dict[str, Run] = {
        FLOOR: partial(read_at_the_floor, body),
        FLOOR_OF_EVENTS: partial(read_events_at_the_floor, events),
    }
    runs |= {f"to events, {name}": partial(read_with_ours, way) for name, way in ways.items()}
    runs |= {f"to a call, {name}": partial(take_the_whole_way, way) for name, way in ways.items()}
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            spent[name].append(await milliseconds(run, len(events)))
    print(f"{DELTAS} deltas, {len(body) // 1000} KB on the wire, median of {ROUNDS}; bar {BAR} x")
    for name, times in spent.items():
        floor = FLOOR_OF_EVENTS if name.endswith(ONE_EVENT) else FLOOR
        ratio = median(times) / median(spent[floor])
        verdict = "" if ratio <= BAR else "  OVER THE BAR"
        print(f"  {name:28} {median(times):8.1f} ms  {ratio:5.2f} x{verdict}")
    await compare_sizes()


async def compare_sizes() -> None:
    """Print what a byte of a large input costs against one of a small input, the whole way."""
    small, large = transcript(SMALL_BYTES), transcript()
    spent: dict[int, list[float]] = {SMALL_BYTES: [], INPUT_BYTES: []}
    for _ in range(ROUNDS):
        ten = [
            await milliseconds(partial(take_the_whole_way, small), len(small)) for _ in "0123456789"
        ]
        spent[SMALL_BYTES].append(median(ten) / SMALL_BYTES)
        took = await milliseconds(partial(take_the_whole_way, large), len(large))
        spent[INPUT_BYTES].append(took / INPUT_BYTES)
    ratio = median(spent[INPUT_BYTES]) / median(spent[SMALL_BYTES])
    sizes = f"{INPUT_BYTES // 1000} KB against one of {SMALL_BYTES // 1000} KB"
    print(f"  a byte of {sizes}: {ratio:.2f} x")


if __name__ == "__main__":
    anyio.run(main)
