"""Streams are decoded to the same events and the same fault as a slow reading of them gives.

The slow one splits all the bytes into lines, parses the data of each frame as JSON, and reads the
event by the tables of the wire. However a server writes its frames, whatever happens to the bytes
on the way and wherever they are cut: what the decoder makes of them may not differ.
"""

import json
import re
from collections.abc import Callable, Iterable
from itertools import cycle, pairwise
from typing import Any, TypeAlias

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gantlet.messages import StreamError, StreamEvent, UnknownEvent, loads
from gantlet.messages.stream_wire import _EVENTS
from gantlet.models.messages_api.decoding import ReplyDecoder
from gantlet.models.messages_api.failures import error_in
from models.messages_api_kit import PING, REPLY, START, STOP, block, call_block, end

BOM = b"\xef\xbb\xbf"
Outcome: TypeAlias = tuple[list[StreamEvent], str | None]
"""The events of a stream up to its fault, and what that is."""


def slowly(content: bytes, limit: int) -> Outcome:
    """Return what a stream says, with no thought of speed."""
    events: list[StreamEvent] = []
    name, data, size = b"", list[bytes](), 0
    lines = re.split(rb"\r\n|\n|\r", content.removeprefix(BOM))
    for line in lines[:-1]:
        field, _, value = line.partition(b":")
        size += len(line)
        if size > limit:
            return events, f"an event is longer than {limit} bytes"
        if not line:
            try:
                events += [_event(name, b"\n".join(data))] if data else []
            except ValueError as error:
                return events, str(error)
            name, data, size = b"", [], 0
        elif field == b"data":
            data.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ")
    return events, f"an event is longer than {limit} bytes" if len(lines[-1]) > limit else None


def _event(name: bytes, data: bytes) -> StreamEvent:
    try:
        wire = loads(data.decode() if data else "{}")
    except ValueError:
        if name != b"error":
            raise
        wire = {"error": data.decode("utf-8", "replace")}
    if isinstance(wire, dict) and "type" not in wire and name:
        wire = {"type": name.decode(), **wire}
    event = _EVENTS.read(wire)
    details = error_in(wire, is_named_error=name == b"error")
    return StreamError(details) if isinstance(event, UnknownEvent) and details else event


def decoded(chunks: Iterable[bytes], limit: int, takes_all: Callable[[], bool]) -> Outcome:
    """Return what the decoder makes of a stream, event by event or all that are ready."""
    decoder = ReplyDecoder(limit)
    events: list[StreamEvent] = []
    try:
        for chunk in chunks:
            decoder.feed(chunk)
            while True:
                if takes_all():
                    found = decoder.ready_events()
                else:
                    event = decoder.next_event()
                    found = [] if event is None else [event]
                if not found:
                    break
                events += found
    except ValueError as error:
        return events, str(error)
    return events, None


def cut_at(content: bytes, places: Iterable[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(content) + 1) for place in places), len(content)]
    return [content[start:end] for start, end in pairwise(edges)]


texts = st.text(max_size=6) | st.sampled_from(
    ["", '"', "\\", '{"a":', '":"', '"}}', "\n\nevent: ", "\ndata: ", "\u2028\x85", "é😀", "\x7f"]
)
indexes = st.sampled_from([0, 0, 0, 1, 1, 2, 7, -1, 10**30, True, "0", None])
deltas = st.one_of(
    st.builds(lambda text: {"type": "input_json_delta", "partial_json": text}, texts),
    st.builds(lambda text: {"type": "text_delta", "text": text}, texts),
    st.builds(lambda text: {"type": "thinking_delta", "thinking": text}, texts),
    st.builds(lambda text: {"type": "signature_delta", "signature": text}, texts),
    st.sampled_from([{}, None, {"type": "text_delta", "text": 1}, {"type": "text_delta"}]),
)
blocks = st.one_of(
    st.builds(
        lambda own, name: {"type": "tool_use", "id": own, "name": name, "input": {}}, texts, texts
    ),
    st.sampled_from(
        [
            {"type": "text", "text": ""},
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
            {"type": "tool_use", "id": "a", "name": "b", "input": {"c": [1]}},
            {"type": "tool_use", "id": "a", "name": "b", "input": {}, "caller": {"type": "x"}},
            {"type": "tool_use", "name": "b", "id": "a", "input": {}},
            {"type": "new"},
        ]
    ),
)
wires: st.SearchStrategy[Any] = st.one_of(
    st.builds(lambda at, what: block(at, what)[0], indexes, blocks),
    st.builds(lambda at, what: block(at, {}, what)[1], indexes, deltas),
    st.builds(lambda at: block(at, {})[1], indexes),
    st.sampled_from([START, PING, STOP, end("tool_use"), {"type": "new"}, {"index": 0}, [], 3, {}]),
    st.sampled_from(
        [
            {"type": "error", "error": {"type": "overloaded_error", "message": "no"}},
            {"type": "error", "message": "no"},
            {"error": "no"},
        ]
    ),
)
calls: st.SearchStrategy[list[Any]] = st.builds(
    lambda at, pieces: call_block(at, "Read", *pieces),
    st.integers(0, 3),
    st.lists(texts, max_size=4),
)
replies: st.SearchStrategy[list[Any]] = st.lists(
    calls | wires.map(lambda one: [one]), max_size=8
).map(lambda lists: [wire for some in lists for wire in some])


def compact(wire: Any) -> str:
    return json.dumps(wire, ensure_ascii=False, separators=(",", ":"))


def padded(wire: Any) -> str:
    text = compact(wire)
    return text[:-1] + "    " + text[-1:]


writings: st.SearchStrategy[Callable[[Any], str]] = st.sampled_from(
    [
        compact,
        padded,
        json.dumps,
        lambda wire: json.dumps(wire, separators=(",", ":")),
        lambda wire: compact(wire) + " ",
        lambda wire: compact(wire).replace('"type"', '"type":0,"type"'),
        lambda wire: compact(wire).replace(":", ":\t"),
    ]
)
noises = st.sampled_from(
    [b""] * 6
    + [b": note\n", b": note\n\n", b"\n", b"\n\n", b"id: 3\n", b"event: x\n\n", BOM, b"\r"]
)


def framed(wire: Any, text: str, frame: str, noise: bytes) -> bytes:
    name = wire.get("type", "") if isinstance(wire, dict) else "odd"
    return noise + frame.format(name=name, data=text).encode("utf-8", "surrogatepass")


frames = st.sampled_from(
    ["event: {name}\ndata: {data}\n\n"] * 6
    + [
        "event: {name}\r\ndata: {data}\r\n\r\n",
        "data: {data}\n\n",
        "event:{name}\ndata:{data}\n\n",
        "data: {data}\nevent: {name}\n\n",
        "event: {name}\ndata: {data}\nid: 1\n\n",
        "event: {name}\nid: 1\ndata: {data}\n\n",
        "event: {name}\ndata: \ndata: {data}\n\n",
        "event: {name}\ndata: {data}\n}}\n\n",
        "event: ping\ndata: {data}\n\n",
        "event: error\ndata: {data}\n\n",
        "event: {name}\ndata: \n\n",
        "event: {name}\n\n",
    ]
)


@st.composite
def streams(draw: st.DrawFn) -> bytes:
    """Return a stream that a server may write, more or less."""
    writing, frame = draw(writings), draw(frames)
    parts = []
    for wire in draw(replies):
        if draw(st.integers(0, 9)) == 0:
            writing, frame = draw(writings), draw(frames)
        parts.append(framed(wire, writing(wire), frame, draw(noises)))
    return b"".join(parts)


def damaged(content: bytes, damages: list[tuple[int, int, bytes]]) -> bytes:
    """Return a stream some of whose bytes were replaced."""
    for place, length, instead in damages:
        at = place % (len(content) + 1)
        content = content[:at] + instead + content[at + length :]
    return content


DAMAGES = st.lists(
    st.tuples(
        st.integers(0, 3000),
        st.integers(0, 3),
        st.sampled_from([b"", b"\n", b"\r", b"\n\n", b'"', b"\\", b"}", b" ", b"\xff", b","])
        | st.binary(max_size=2),
    ),
    max_size=3,
)  # fmt: skip
PLACES = st.lists(st.integers(0, 3000), max_size=12)
LIMITS = st.sampled_from([1 << 24] * 4 + [60, 200, 500])
WHOLE = b"".join(
    framed(wire, compact(wire), "event: {name}\ndata: {data}\n\n", b"") for wire in REPLY
)


@given(streams(), DAMAGES, PLACES, LIMITS, st.data())
def test_a_stream_says_the_same_however_it_is_read(
    content: bytes,
    damages: list[tuple[int, int, bytes]],
    places: list[int],
    limit: int,
    data: st.DataObject,
) -> None:
    content = damaged(content, damages)

    expected = slowly(content, limit)

    taking = data.draw(st.sampled_from([(True,), (False,), (True, False), (False, False, True)]))
    turns = cycle(taking)
    assert decoded(cut_at(content, places), limit, lambda: next(turns)) == expected
    assert decoded([content], limit, lambda: True) == expected


@given(st.integers(0, 3000), st.integers(0, 3), st.binary(max_size=2), PLACES)
@example(0, 0, BOM, [1, 2])
def test_one_damage_to_a_plain_reply_is_read_the_same(
    place: int, length: int, instead: bytes, places: list[int]
) -> None:
    content = damaged(WHOLE, [(place, length, instead)])

    assert decoded(cut_at(content, places), 1 << 24, lambda: True) == slowly(content, 1 << 24)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, 5000])
def test_a_plain_reply_is_read_in_pieces_of_any_size(size: int) -> None:
    pieces = [WHOLE[at : at + size] for at in range(0, len(WHOLE), size)]

    events, fault = decoded(pieces, 1 << 24, lambda: True)

    assert (events, fault) == ([_EVENTS.read(wire) for wire in REPLY], None)


def frame(data: str, name: str = "content_block_delta") -> bytes:
    return f"event: {name}\ndata: {data}\n\n".encode()


PIECE = (
    '{"type":"content_block_delta","index":1,"delta":'
    '{"type":"input_json_delta","partial_json":"%s"}}'
)
CALL = (
    '{"type":"content_block_start","index":%d,"content_block":'
    '{"type":"tool_use","id":"%s","name":"%s","input":%s}}'
)
OPENED = frame(CALL % (1, "a", "Read", "{}"), "content_block_start")


ODD = [
    frame(PIECE % "a\\x"),
    frame(PIECE % "\\ud800"),
    frame(PIECE % 'a","partial_json":"b'),
    frame(PIECE % 'a","more":"b'),
    frame(PIECE % 'a"},"index":2,"delta":{"type":"text_delta","text":"b'),
    frame(PIECE % "a\tb"),
    frame(PIECE % "a" + "}"),
    frame(PIECE % "a" + " "),
    frame((PIECE % "a")[:-1]),
    frame((PIECE % "a")[:-2] + "\n}}"),
    frame((PIECE % "a")[:-2] + "} }"),
    frame((PIECE % "a")[:-2] + "}\xa0}"),
    frame((PIECE % "a").replace('"index":1', '"index":01')),
    frame((PIECE % "a").replace('"index":1', '"index":1.0')),
    frame((PIECE % "a").replace('"index":1', '"index":1e999')),
    frame((PIECE % "a").replace('"index":1', '"index":NaN')),
    frame("[" * 100_000),
    frame('{"type":"content_block_stop","index":1}\n', "content_block_stop"),
    frame('{"type":"content_block_stop",\n"index":1}', "content_block_stop"),
    frame('{"type":"content_block_stop","index":1}', "content_block_stop\nid: 1"),
    frame('{"index":1}', "content_block_stop"),
    frame("", "ping"),
    frame((PIECE % "a").replace('"index":1', '"index":-1')),
    frame('{"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"a"}}'),
    BOM + b'data: {"type":"ping"}\n\n',
    b'event: ping\ndata: {"type":"ping"}\rdata: x\n\n',
    b'event: ping\ndata: {"type":"ping"}\r\rdata: {}\n\n',
    frame("mere words", "error"),
    frame('{"type":"odd"}', "error"),
    b"event: error\ndata: \xff\n\n",
    frame('{"error":"no"}', "odd"),
    b"event: ping\n\n",
    b"event: content_block_stop\n\nevent: x\ndata: {}\ndata: \n\n",
    frame(CALL % (2, "b", "Read", '{},"more":1'), "content_block_start"),
    frame(CALL % (2, "b", "Read", "{ }"), "content_block_start"),
    frame(CALL % (2, 'b","id":"c', "Read", "{}"), "content_block_start"),
    frame(CALL % (2, "b", 'Read","name":"Write', "{}"), "content_block_start"),
    frame(CALL % (2, "\\q", "Read", "{}"), "content_block_start"),
    frame(CALL % (2, "b", "\\u12", "{}"), "content_block_start"),
    frame("{" + CALL % (2, "b", "Read", "{}"), "content_block_start"),
    frame(CALL.replace("input", "in put") % (2, "b", "Read", "{}"), "content_block_start"),
    frame(CALL.replace("input", "input ") % (2, "b", "Read", "{}"), "content_block_start"),
    frame(CALL.replace('"input"', ' "input" ') % (2, "b", "Read", "{}"), "content_block_start"),
]


@pytest.mark.parametrize("odd", ODD, ids=[str(at) for at in range(len(ODD))])
@pytest.mark.parametrize(
    "before", [b"", OPENED, OPENED + frame(PIECE % "a")], ids=["first", "opened", "growing"]
)
def test_what_is_nearly_plain_is_read_as_it_is_written(before: bytes, odd: bytes) -> None:
    parts = [before, odd, frame(PIECE % "after")]

    expected = slowly(b"".join(parts), 1 << 24)

    assert decoded([b"".join(parts)], 1 << 24, lambda: True) == expected
    assert decoded(parts, 1 << 24, lambda: True) == expected


def test_two_frames_that_are_broken_alone_are_not_one_that_is_whole() -> None:
    content = OPENED + frame('{"type":"ping","a":[1') + frame("2]}")

    events, fault = decoded([content], 1 << 24, lambda: True)

    assert len(events) == 1
    assert fault is not None
    assert "char 21" in fault


def test_events_that_are_put_back_come_again() -> None:
    decoder = ReplyDecoder()
    decoder.feed(WHOLE)
    events = decoder.ready_events()

    decoder.put_back(events[3:])

    assert decoder.next_event() == events[3]
    assert decoder.ready_events() == events[4:]
    assert decoder.ready_events() == []
