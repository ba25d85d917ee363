"""Reading HTTP/1.1: any cut gives the same body, and what is odd is refused."""

import gzip
import zlib
from contextlib import suppress
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.models.messages_api.http1 import Head, ProtocolError, body_of
from gantlet.models.messages_api.inflating import MAX_INFLATED_BYTES, encoding_of

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
        b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip, gzip",
    ],
)
def test_a_head_that_is_unclear_is_refused(raw: bytes) -> None:
    with pytest.raises(ProtocolError):
        _understood(raw)


def _understood(raw: bytes) -> None:
    head = Head(raw)
    body_of(head)
    encoding_of(head.headers)


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


def inflated_by(coding: str, pieces: list[bytes]) -> tuple[bytes, bool]:
    """Return what a compressed body holds, and whether it may end there."""
    inflated = encoding_of({"content-encoding": coding})
    assert inflated is not None
    content: list[bytes] = []
    for piece in pieces:
        content.append(inflated.feed(piece))
        while inflated.has_more:
            content.append(inflated.feed())
    assert all(len(one) <= MAX_INFLATED_BYTES for one in content)
    return b"".join(content), inflated.is_complete


def deflated(content: bytes, wbits: int) -> bytes:
    """Return content as zlib compresses it, with a head or without."""
    packer = zlib.compressobj(wbits=wbits)
    return packer.compress(content) + packer.flush()


@pytest.mark.parametrize("members", [1, 3])
def test_a_few_bytes_that_hold_millions_come_out_in_pieces(members: int) -> None:
    content = bytes(20_000_000)

    assert inflated_by("gzip", [gzip.compress(content) * members]) == (content * members, True)


@given(
    st.lists(st.binary(max_size=40), max_size=5),
    st.integers(0, 3),
    st.lists(st.integers(0, 500), max_size=8),
)
def test_a_body_of_several_members_is_all_of_them_however_it_is_cut(
    members: list[bytes], zeros: int, cuts: list[int]
) -> None:
    raw = b"".join(gzip.compress(member) for member in members)
    raw += bytes(zeros) if members else b""

    assert inflated_by("gzip", cut(raw, cuts)) == (b"".join(members), True)


def test_thousands_of_members_are_read_however_they_lie() -> None:
    members = [bytes(size % 7) for size in range(3_000)]
    raw = b"".join(gzip.compress(member) for member in members) + bytes(20_000)

    for size in (1, 8_191, 8_192, 8_193, len(raw)):
        pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
        assert inflated_by("gzip", pieces) == (b"".join(members), True)


@pytest.mark.parametrize("wbits", [15, 9, -15, -9], ids=["zlib", "small", "raw", "small raw"])
@given(content=st.binary(max_size=200), cuts=st.lists(st.integers(0, 300), max_size=8))
def test_deflate_is_read_with_and_without_its_head(
    wbits: int, content: bytes, cuts: list[int]
) -> None:
    raw = deflated(content, wbits)

    assert inflated_by("deflate", cut(raw, cuts)) == (content, True)


@given(st.binary(min_size=1, max_size=50), st.integers(1, 60))
def test_a_body_that_is_cut_off_may_not_end_there(content: bytes, left: int) -> None:
    raw = gzip.compress(content)
    short = raw[: min(left, len(raw) - 1)]

    assert inflated_by("gzip", [short])[1] is False
    assert inflated_by("gzip", [raw, short])[1] is False


@pytest.mark.parametrize(
    ("coding", "raw", "why"),
    [
        ("gzip", b"this is not gzip", "cannot be decompressed"),
        ("gzip", gzip.compress(b"x") + b"and more", "more follows the end"),
        ("gzip", gzip.compress(b"x")[:-8] + bytes(8), "cannot be decompressed"),
        ("gzip", gzip.compress(b"x") + b"\x1f\x8bnonsense", "cannot be decompressed"),
        ("deflate", deflated(b"x", 15) + b"and more", "more follows the end"),
        ("deflate", b"\xff\xff\xff\xff", "cannot be decompressed"),
    ],
    ids=["no gzip", "more", "wrong sum", "no member", "more deflate", "no deflate"],
)
def test_what_is_compressed_wrongly_is_refused(coding: str, raw: bytes, why: str) -> None:
    with pytest.raises(ProtocolError, match=why):
        inflated_by(coding, [raw])


@given(st.sampled_from(["gzip", "deflate"]), st.lists(st.binary(max_size=30), max_size=6))
def test_any_bytes_are_content_or_refused(coding: str, pieces: list[bytes]) -> None:
    with suppress(ProtocolError):
        inflated_by(coding, pieces)


def test_headers_are_found_by_lower_case_name_and_joined() -> None:
    head = Head(b"HTTP/1.1 200 OK\r\nA-b: \t x y \t\r\na-B: z\r\nEmpty:")

    assert head.headers == {"a-b": "x y, z", "empty": ""}
    assert body_of(head).ends_with_connection
    assert body_of(Head(b"HTTP/1.1 204 No\r\ncontent-length: 9")).is_at_end
