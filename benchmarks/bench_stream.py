"""What our side of a streamed reply costs: one tool input of 200 KB in 10,000 deltas.

From bytes to stream events, against the floor: split at blank lines, `json.loads` of each event's
data. The network is in neither. The bar is twice the floor.

Usage: python benchmarks/bench_stream.py
"""

import json
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median

from gantlet.messages import dumps
from gantlet.models.messages_api.decoding import ReplyDecoder

DELTAS = 10_000
INPUT_BYTES = 200_000
ROUNDS = 15
BAR = 2.0


def transcript() -> list[bytes]:
    """Return the events of a reply that writes one large file, each as it is streamed."""
    size = INPUT_BYTES // DELTAS
    text = (r"The quick brown fox \n\"jumps\" over " * (INPUT_BYTES // 20))[:INPUT_BYTES]
    pieces = [text[at : at + size] for at in range(0, INPUT_BYTES, size)]
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


def read_with_ours(chunks: Sequence[bytes]) -> int:
    """Read a reply as the client does, and return how many events it has."""
    decoder = ReplyDecoder()
    count = 0
    for chunk in chunks:
        decoder.feed(chunk)
        while decoder.next_event() is not None:
            count += 1
    return count


def cut(body: bytes, size: int) -> list[bytes]:
    """Return a body as reads of one size."""
    return [body[at : at + size] for at in range(0, len(body), size)]


def milliseconds(run: Callable[[], int], expected: int) -> float:
    """Return how long one run takes."""
    began = time.perf_counter()
    count = run()
    spent = time.perf_counter() - began
    assert count == expected, f"{count} events instead of {expected}"
    return spent * 1000


def main() -> None:
    """Measure floor and ours in turns, and print medians."""
    events = transcript()
    body = b"".join(events)
    runs: dict[str, Callable[[], int]] = {
        "floor": partial(read_at_the_floor, body),
        "ours, reads of 64 KB": partial(read_with_ours, cut(body, 65536)),
        "ours, reads of 4 KB": partial(read_with_ours, cut(body, 4096)),
        "ours, one event a read": partial(read_with_ours, events),
    }
    spent: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(ROUNDS):
        for name, run in runs.items():
            spent[name].append(milliseconds(run, len(events)))
    floor = median(spent["floor"])
    print(f"{DELTAS} deltas, {len(body) // 1000} KB on the wire, median of {ROUNDS}; bar {BAR} x")
    for name, times in spent.items():
        ratio = median(times) / floor
        verdict = "" if ratio <= BAR else "  OVER THE BAR"
        print(f"  {name:24} {median(times):8.1f} ms  {ratio:5.2f} x{verdict}")


if __name__ == "__main__":
    main()
