"""The proxy by itself: what it lets pass, and what tries to trick it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import anyio
import pytest
from anyio.abc import SocketAttribute, SocketStream
from hypothesis import given
from hypothesis import strategies as st

from gantlet.config.sandbox_hosts import read_hosts
from gantlet.system.sandbox.addresses import could_be_address, is_public, read_address
from gantlet.system.sandbox.policy import NetworkList
from gantlet.system.sandbox.proxy import Proxy
from gantlet.system.sandbox.requests import BadRequestError, read_request
from patience import PATIENCE_SECONDS


@asynccontextmanager
async def echo_server(until: bytes) -> AsyncIterator[int]:
    """Serve connections by reading to some words and sending back what came."""

    async def serve(stream: SocketStream) -> None:
        async with stream:
            read = b""
            while until not in read:
                read += await stream.receive()
            await stream.send(b"<" + read + b">")

    async with (
        await anyio.create_tcp_listener(local_host="127.0.0.1") as listener,
        anyio.create_task_group() as group,
    ):
        group.start_soon(listener.serve, serve)
        yield listener.extra(SocketAttribute.local_port)
        group.cancel_scope.cancel()


async def asked(
    request: str, *allowed: str, names: dict[str, list[str]] | None = None, more: bytes = b""
) -> tuple[str, list[str]]:
    """Send a request to a proxy and return its answer, and which names were looked up."""
    hosts, _ = read_hosts(allowed, ("denied.test",))
    looked_up: list[str] = []

    async def resolver(host: str, port: int) -> list[str]:
        looked_up.append(host)
        return (names or {}).get(host, [])

    with anyio.fail_after(PATIENCE_SECONDS):
        async with anyio.create_task_group() as group:
            proxy = Proxy(NetworkList(hosts), group, resolver=resolver)
            await proxy.start()
            answer = b""
            async with await anyio.connect_unix(proxy.path) as stream:
                with suppress(anyio.BrokenResourceError):  # it left before it heard all
                    await stream.send(request.encode("latin-1") + more)
                    await stream.send_eof()
                with suppress(anyio.BrokenResourceError):
                    async for piece in stream:
                        answer += piece
            proxy.close()
            group.cancel_scope.cancel()
    return answer.decode("latin-1"), looked_up


def connect(place: str) -> str:
    """Return a request for a tunnel."""
    return f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\n\r\n"


async def test_a_tunnel_carries_bytes_both_ways() -> None:
    async with echo_server(b"hello") as port:
        answer, _ = await asked(
            connect(f"api.test:{port}"),
            "*.test",
            "api.test",
            "127.0.0.1",
            names={"api.test": ["127.0.0.1"]},
            more=b"hello",
        )

    assert answer == "HTTP/1.1 200 Connection established\r\n\r\n<hello>"


async def test_a_plain_request_is_rewritten_and_sent_once() -> None:
    async with echo_server(b"body") as port:
        answer, _ = await asked(
            f"POST http://api.test:{port}/a?b HTTP/1.1\r\nHost: evil.test\r\n"
            "Proxy-Authorization: x\r\nContent-Length: 4\r\nX-Mine: 1\r\n\r\n",
            "api.test",
            "127.0.0.1",
            names={"api.test": ["127.0.0.1"]},
            more=b"bodyGET / HTTP/1.1\r\nHost: evil.test\r\n\r\n",
        )

    assert answer == (
        f"<POST /a?b HTTP/1.1\r\nHost: api.test:{port}\r\nContent-Length: 4\r\nX-Mine: 1\r\n"
        "Connection: close\r\n\r\nbody>"
    )


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("other.test:443", "not among the allowed"),
        ("denied.test:443", "is denied"),
        ("sub.denied.test:443", "is denied"),
        ("api.test.evil.test:443", "not among the allowed"),
        ("evilapi.test:443", "not among the allowed"),
        ("127.0.0.1:80", "addresses are refused"),
        ("[::1]:80", "addresses are refused"),
        ("[::ffff:127.0.0.1]:80", "addresses are refused"),
        ("2130706433:80", "addresses are refused"),
        ("0x7f000001:80", "addresses are refused"),
        ("127.1:80", "addresses are refused"),
        ("0177.0.0.1:80", "addresses are refused"),
        ("169.254.169.254:80", "addresses are refused"),
        ("1.1.1.1:443", "addresses are refused"),
    ],
)
async def test_other_hosts_are_refused_before_anything_is_looked_up(place: str, why: str) -> None:
    answer, looked_up = await asked(connect(place), "api.test", "*.api.test", "denied.test")

    assert answer.startswith("HTTP/1.1 403 Forbidden\r\n")
    assert why in answer
    assert looked_up == []


@pytest.mark.parametrize(
    "addresses",
    [
        ["127.0.0.1"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["93.184.216.34", "127.0.0.1"],
        ["::1"],
        ["fd00:ec2::254"],
        ["::ffff:10.0.0.1"],
        ["64:ff9b::7f00:1"],
        ["2002:7f00:1::"],
        ["100.64.0.1"],
        ["0.0.0.0"],
        ["224.0.0.1"],
        ["fe80::1%eth0"],
    ],
    ids=",".join,
)
async def test_an_allowed_name_that_leads_inside_is_refused(addresses: list[str]) -> None:
    answer, _ = await asked(connect("api.test:80"), "*", names={"api.test": addresses})

    assert answer.startswith("HTTP/1.1 403 Forbidden\r\n")
    assert "not an address of the public network" in answer


@pytest.mark.parametrize(
    "request_text",
    [
        "GET / HTTP/1.1\r\nHost: api.test\r\n\r\n",
        "GET https://api.test/ HTTP/1.1\r\n\r\n",
        "GET ftp://api.test/ HTTP/1.1\r\n\r\n",
        "CONNECT api.test HTTP/1.1\r\n\r\n",
        "CONNECT api.test:0 HTTP/1.1\r\n\r\n",
        "CONNECT api.test:99999 HTTP/1.1\r\n\r\n",
        "CONNECT user@api.test:443 HTTP/1.1\r\n\r\n",
        "CONNECT evil.test%00.api.test:443 HTTP/1.1\r\n\r\n",
        "CONNECT evil.test\0.api.test:443 HTTP/1.1\r\n\r\n",
        "CONNECT evil.test/api.test:443 HTTP/1.1\r\n\r\n",
        "CONNECT api.test:443 HTTP/2\r\n\r\n",
        "GET http://evil.test\\@api.test/ HTTP/1.1\r\n\r\n",
        "GET http://api.test/ HTTP/1.1\r\nA b: c\r\n\r\n",
        "GET http://api.test/ HTTP/1.1\r\nX: a\nHost: evil\r\n\r\n",
        "POST http://api.test/ HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        "POST http://api.test/ HTTP/1.1\r\nContent-Length: +1\r\n\r\nx",
        "POST http://api.test/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "\x16\x03\x01 HTTP/1.1\r\n\r\n",
        "GET http://\xe4pi.test/ HTTP/1.1\r\n\r\n",
    ],
)
async def test_requests_that_could_be_read_in_two_ways_are_refused(request_text: str) -> None:
    answer, looked_up = await asked(request_text, "*")

    assert answer.startswith("HTTP/1.1 400 Bad Request\r\n")
    assert looked_up == []


async def test_a_head_without_end_is_refused() -> None:
    answer, _ = await asked("GET http://api.test/" + "a" * 200_000, "*")

    assert answer == "" or answer.startswith("HTTP/1.1 400")


async def test_a_host_that_does_not_answer_is_said() -> None:
    answer, _ = await asked(connect("api.test:9"), "api.test", names={})

    assert answer.startswith("HTTP/1.1 502 Bad Gateway\r\n")


@given(st.text(max_size=40))
def test_no_host_passes_a_list_that_does_not_name_it(text: str) -> None:
    hosts, _ = read_hosts(("good.test", "*.good.test"), ())

    if hosts.refusal(text) is None:
        plain = text.lower().removesuffix(".")
        assert plain == "good.test" or plain.endswith(".good.test") or not text.isascii()


@given(st.binary(max_size=200))
def test_reading_a_request_ends_in_a_request_or_a_refusal(head: bytes) -> None:
    try:
        request = read_request(head)
    except BadRequestError:
        return

    assert request.host
    assert 0 < request.port < 65_536


@given(st.ip_addresses())
def test_what_is_an_address_is_seen_as_one(address: object) -> None:
    assert could_be_address(str(address))
    read = read_address(str(address))
    assert read is not None
    assert is_public(read) in {True, False}


@pytest.mark.parametrize("allowed", [["exa mple"], ["1.2.3"], ["http://x.test"], [""], ["*.0x1"]])
def test_entries_that_are_no_hosts_are_said_and_allow_nothing(allowed: list[str]) -> None:
    hosts, bad = read_hosts(allowed, ())

    assert bad == tuple(allowed)
    assert hosts.refusal("x.test") is not None


def test_an_entry_that_denies_and_cannot_be_read_denies_everything() -> None:
    hosts, bad = read_hosts(["good.test", "127.0.0.1"], ["not a host"])

    assert bad == ("not a host",)
    assert hosts.refusal("good.test") is not None
    assert not hosts.names_address("127.0.0.1")
