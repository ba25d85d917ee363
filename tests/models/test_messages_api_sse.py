"""The parser of server-sent events agrees with a plain reading of the rules, for any cut."""

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import StreamEvent
from gantlet.models.messages_api.decoding import ReplyDecoder
from gantlet.models.messages_api.sse import Frame, SseParser
from models.messages_api_kit import EVENTS, REPLY, sse

pieces = st.sampled_from(
    [
        b"data",
        b"data:",
        b"data: ",
        b"event: ",
        b"event:x",
        b"id: 3",
        b": note",
        b":",
        b" ",
        b"\r",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"\r\r",
        b"\xef\xbb\xbf",
        "é€😀".encode(),
        b"\xff",
        b"\x0b\x0c\x1c\x85",
        b"{}",
    ]
)
streams = st.lists(pieces | st.binary(max_size=4), max_size=30).map(b"".join)


def read_at_once(content: bytes) -> list[Frame]:
    """Return the frames by the rules, with no thought of speed."""
    frames: list[Frame] = []
    name, lines = b"", list[bytes]()
    for line in re.split(rb"\r\n|\n|\r", content.removeprefix(b"\xef\xbb\xbf"))[:-1]:
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if not line:
            if lines:
                frames.append((name, b"\n".join(lines)))
            name, lines = b"", []
        elif field == b"data":
            lines.append(value)
        elif field == b"event":
            name = value
    return frames


def cut_at(content: bytes, places: list[int]) -> list[bytes]:
    """Return `content` cut at these places."""
    edges = [0, *sorted(place % (len(content) + 1) for place in places), len(content)]
    return [content[start:end] for start, end in pairwise(edges)]


@given(streams)
def test_frames_are_what_the_rules_say(content: bytes) -> None:
    assert SseParser().feed(content) == read_at_once(content)


@given(streams, st.lists(st.integers(0, 200), max_size=20), st.integers(1, 60))
def test_frames_do_not_depend_on_where_the_bytes_were_cut(
    content: bytes, places: list[int], limit: int
) -> None:
    whole, cut = SseParser(limit), SseParser(limit)

    at_once = whole.feed(content)
    in_parts = [frame for chunk in cut_at(content, places) for frame in cut.feed(chunk)]

    assert in_parts == at_once
    assert cut.is_overfull == whole.is_overfull


@given(streams)
def test_frames_come_byte_by_byte_too(content: bytes) -> None:
    parser = SseParser()

    frames = [frame for at in range(len(content)) for frame in parser.feed(content[at : at + 1])]

    assert frames == read_at_once(content)


@given(st.lists(st.integers(0, 2000), max_size=40), st.sampled_from(["\n", "\r", "\r\n"]))
def test_events_do_not_depend_on_where_the_bytes_were_cut(places: list[int], ending: str) -> None:
    decoder = ReplyDecoder()
    events: list[StreamEvent] = []

    for chunk in cut_at(sse(*REPLY, line_end=ending), places):
        decoder.feed(chunk)
        while (event := decoder.next_event()) is not None:
            events.append(event)

    assert events == EVENTS


@pytest.mark.parametrize(
    ("content", "frames"),
    [
        (b"data: a\n\n", [(b"", b"a")]),
        (b"data:a\n\n", [(b"", b"a")]),
        (b"data:  a\n\n", [(b"", b" a")]),
        (b"data\n\n", [(b"", b"")]),
        (b"data: a\rdata: b\r\r", [(b"", b"a\nb")]),
        (b"event: x\r\ndata: a\r\n\r\n", [(b"x", b"a")]),
        (b"event: x\n\ndata: a\n\n", [(b"", b"a")]),
        (b"event: x\nevent: y\ndata: a\n\n", [(b"y", b"a")]),
        (b"\xef\xbb\xbfdata: a\n\n", [(b"", b"a")]),
        (b"\n\xef\xbb\xbfdata: a\n\n", []),
        (b": note\ndata: a\n: note\n\n", [(b"", b"a")]),
        (b"Data: a\n\n", []),
        (b"data: a\x0bb\x1cc\n\n", [(b"", b"a\x0bb\x1cc")]),
        (b"data: a\n", []),
        (b"data: a", []),
        (b"", []),
    ],
)
def test_each_rule_has_an_example(content: bytes, frames: list[Frame]) -> None:
    assert SseParser().feed(content) == frames
    assert read_at_once(content) == frames


@pytest.mark.parametrize(
    "content",
    [
        b"data: " + b"x" * 100 + b"\n\n",
        b"data: xxxxxxxxxx\n" * 10 + b"\n",
        b": " + b"x" * 100 + b"\n\n",
        b"x" * 101,
    ],
)
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_what_is_too_long_ends_the_reading(content: bytes, size: int) -> None:
    parser = SseParser(max_event_bytes=100)
    content = b"data: before\n\n" + content + b"data: after\n\n"

    parts = [content[at : at + size] for at in range(0, len(content), size)]
    frames = [frame for part in parts for frame in parser.feed(part)]

    assert frames == [(b"", b"before")]
    assert parser.is_overfull


def test_an_event_just_short_enough_is_read() -> None:
    parser = SseParser(max_event_bytes=100)

    assert parser.feed(b"data: " + b"x" * 94 + b"\n\n") == [(b"", b"x" * 94)]
    assert not parser.is_overfull


def test_a_long_line_in_small_pieces_takes_linear_time() -> None:
    parser = SseParser()
    parser.feed(b"data: ")
    for _ in range(200_000):
        parser.feed(b"0123456789")

    frames = parser.feed(b"\n\n")

    assert [len(data) for _, data in frames] == [2_000_000]
