"""Reading HTTP/1.1: any cut gives the same body, and what is odd is refused."""

import gzip
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.models.messages_api.http1 import (
    MAX_INFLATED_BYTES,
    Head,
    Inflated,
    ProtocolError,
    body_of,
    encoding_of,
)

CHUNKED = Head(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked")


def read(head: Head, pieces: list[bytes]) -> tuple[bytes, bool, bytes]:
    """Return the content, whether it is whole, and what came behind it."""
    body = body_of(head)
    content = b""
    rest = b""
    for piece in pieces:
        if body.is_at_end:
            rest += piece
        else:
            content += body.feed(piece)
    return content, body.is_at_end, body.rest + rest


def cut(raw: bytes, cuts: list[int]) -> list[bytes]:
    """Return the bytes in pieces."""
    places = sorted({at % (len(raw) + 1) for at in cuts} | {0, len(raw)})
    return [raw[a:b] for a, b in pairwise(places) if a < b]


@given(
    chunks=st.lists(st.binary(min_size=1, max_size=40), max_size=5),
    trailer=st.sampled_from([b"", b"x-sum: 1\r\n", b"a: b\r\nc: d\r\n"]),
    behind=st.binary(max_size=5),
    cuts=st.lists(st.integers(0, 400), max_size=12),
)
def test_chunks_come_out_the_same_however_they_are_cut(
    chunks: list[bytes], trailer: bytes, behind: bytes, cuts: list[int]
) -> None:
    raw = b"".join(b"%x;note\r\n%b\r\n" % (len(one), one) for one in chunks)
    raw += b"0\r\n" + trailer + b"\r\n"

    content, is_whole, rest = read(CHUNKED, cut(raw + behind, cuts))

    assert (content, is_whole, rest) == (b"".join(chunks), True, behind)


@given(content=st.binary(max_size=60), behind=st.binary(max_size=5), data=st.data())
def test_a_counted_body_ends_at_its_length(
    content: bytes, behind: bytes, data: st.DataObject
) -> None:
    cuts = data.draw(st.lists(st.integers(0, 70), max_size=6))
    head = Head(b"HTTP/1.1 200 OK\r\ncontent-length: %d" % len(content))

    assert read(head, cut(content + behind, cuts)) == (content, True, behind)


@given(raw=st.binary(max_size=80), cuts=st.lists(st.integers(0, 80), max_size=5))
def test_no_bytes_break_the_reader_in_another_way(raw: bytes, cuts: list[int]) -> None:
    for head in (CHUNKED, Head(b"HTTP/1.1 200 OK\r\ncontent-length: 7")):
        try:
            content, _, _ = read(head, cut(raw, cuts))
        except ProtocolError:
            continue
        assert len(content) <= len(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"zz\r\n",
        b"-1\r\n",
        b"+5\r\nhello\r\n",
        b"0x5\r\nhello\r\n",
        b"5\r\nhello!\r\n",
        b"5\r\nhellohello",
        b"\r\nhello",
        b"1" * 5000,
        b"5\nhello\n0\n\n" + b" " * 5000,
    ],
)
def test_a_chunk_that_is_none_is_refused(raw: bytes) -> None:
    with pytest.raises(ProtocolError):
        read(CHUNKED, [raw])
    with pytest.raises(ProtocolError):
        read(CHUNKED, [raw[at : at + 1] for at in range(len(raw))])


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"HTTP/2 200 OK",
        b"HTTP/1.1 20 OK",
        b"HTTP/1.1 999 No",
        b"ICY 200 OK",
        b"HTTP/1.1 200 OK\r\nno colon",
        b"HTTP/1.1 200 OK\r\nspace : x",
        b"HTTP/1.1 200 OK\r\na: b\r\n folded",
        b"HTTP/1.1 200 OK\r\na: \x00",
        b"HTTP/1.1 200 OK\na: b",
        b"HTTP/1.1 200 OK\r\ncontent-length: -1",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1, 2",
        b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2",
        b"HTTP/1.1 200 OK\r\ncontent-length: \xb2",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked",
        b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3",
        b"HTTP/1.1 200 OK\r\ncontent-encoding: br",
    ],
)
def test_a_head_that_is_unclear_is_refused(raw: bytes) -> None:
    with pytest.raises(ProtocolError):
        _understood(raw)


def _understood(raw: bytes) -> None:
    head = Head(raw)
    body_of(head)
    encoding_of(head)


@pytest.mark.parametrize(
    ("raw", "keeps_alive"),
    [
        (b"HTTP/1.1 200 OK", True),
        (b"HTTP/1.1 200", True),
        (b"HTTP/1.1 200 OK\r\nConnection: Close", False),
        (b"HTTP/1.0 200 OK", False),
        (b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive", True),
    ],
)
def test_the_head_says_whether_the_connection_serves_again(raw: bytes, keeps_alive: bool) -> None:
    assert Head(raw).keeps_alive is keeps_alive


def test_a_few_bytes_that_hold_millions_come_out_in_pieces() -> None:
    content = bytes(20_000_000)
    inflated = Inflated()

    pieces = [inflated.feed(gzip.compress(content))]
    while inflated.has_more:
        pieces.append(inflated.feed())

    assert max(map(len, pieces)) <= MAX_INFLATED_BYTES
    assert b"".join(pieces) == content


def test_headers_are_found_by_lower_case_name_and_joined() -> None:
    head = Head(b"HTTP/1.1 200 OK\r\nA-b: \t x y \t\r\na-B: z\r\nEmpty:")

    assert head.headers == {"a-b": "x y, z", "empty": ""}
    assert body_of(head).ends_with_connection
    assert body_of(Head(b"HTTP/1.1 204 No\r\ncontent-length: 9")).is_at_end
