"""What a sandboxed command can reach: nothing, or what passes the proxy."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gantlet.config.sandbox_hosts import read_hosts
from gantlet.system.sandbox import NetworkList, NetworkOn, Policy
from sandbox_kit import Box


class Greeter(BaseHTTPRequestHandler):
    """Answers every request with its path and what was sent."""

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers["Content-Length"])))

    def _answer(self, sent: bytes) -> None:
        body = f"{self.command} {self.path} {self.headers['Host']} ".encode() + sent
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def greeter() -> Iterator[int]:
    """Serve on this machine's loopback."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Greeter) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_address[1]
        finally:
            server.shutdown()
            thread.join()


def listing(box: Box, *allowed: str, denied: tuple[str, ...] = ()) -> Policy:
    """Return a policy with a list of hosts."""
    hosts, bad = read_hosts(allowed, denied)
    assert bad == ()
    return box.with_policy(network=NetworkList(hosts))


PYTHON_CONNECT = "import socket; socket.create_connection(('127.0.0.1', {port}), 3).sendall(b'x')"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("curl -sS -m 3 http://127.0.0.1:{port}/", id="curl"),
        pytest.param("wget -q -T 3 -t 1 -O - http://127.0.0.1:{port}/", id="wget"),
        pytest.param("exec 3<>/dev/tcp/127.0.0.1/{port}; echo GET >&3; cat <&3", id="bash"),
        pytest.param(f'/usr/bin/python3 -c "{PYTHON_CONNECT}"', id="python"),
        pytest.param("perl -MIO::Socket -e 'exit !IO::Socket::INET->new(q(127.0.0.1:{port}))'",
                     id="perl"),
        pytest.param("ssh -o BatchMode=yes -o ConnectTimeout=3 -p {port} 127.0.0.1", id="ssh"),
        pytest.param("git ls-remote http://127.0.0.1:{port}/x", id="git"),
        pytest.param("getent hosts example.com", id="names"),
        pytest.param("ping -c 1 -W 1 127.0.0.2 || exit 1; ping -c 1 -W 1 1.1.1.1", id="ping"),
    ],
)  # fmt: skip
async def test_the_network_is_cut(box: Box, line: str) -> None:
    with greeter() as port:
        said = await box.run(line.format(port=port))

    assert said.code != 0
    assert "GET /" not in said.out


async def test_datagrams_do_not_leave(box: Box) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.setblocking(False)
        port = listener.getsockname()[1]
        await box.run(f"echo x > /dev/udp/127.0.0.1/{port}")
        with pytest.raises(BlockingIOError):
            listener.recv(10)


async def test_a_command_has_a_loopback_of_its_own(box: Box) -> None:
    said = await box.python(
        "import socket\n"
        "with socket.create_server(('127.0.0.1', 0)) as server:\n"
        "    socket.create_connection(server.getsockname()).close()\n"
        "    server.accept(); print('served')"
    )

    assert said.out == "served\n"


SOCKETS = """
import socket, sys
path = sys.argv[1]
def attempt(name, act):
    try: act(); print(name, 'worked')
    except OSError as error: print(name, error.strerror)
def make(family, kind): return socket.socket(family, kind)
attempt('file', lambda: make(socket.AF_UNIX, socket.SOCK_STREAM).connect(path))
attempt('abstract', lambda: make(socket.AF_UNIX, socket.SOCK_STREAM).connect(chr(0) + path))
attempt('datagram', lambda: make(socket.AF_UNIX, socket.SOCK_DGRAM))
attempt('datagram pair', lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
attempt('packet', lambda: make(socket.AF_PACKET, socket.SOCK_RAW))
attempt('vsock', lambda: make(socket.AF_VSOCK, socket.SOCK_STREAM))
attempt('alg', lambda: make(socket.AF_ALG, socket.SOCK_SEQPACKET))
attempt('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
attempt('stream pair', lambda: socket.socketpair())
"""


async def test_sockets_of_other_programs_are_refused(box: Box) -> None:
    path = box.workspace / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        path.chmod(0o777)
        said = await box.python(SOCKETS, str(path))

    refused = ["file", "abstract", "datagram", "datagram pair", "packet", "vsock", "alg", "raw"]
    assert said.out.splitlines() == [
        *(f"{name} Operation not permitted" for name in refused),
        "stream pair worked",
    ]


async def test_sockets_that_are_files_can_be_allowed(box: Box) -> None:
    path = box.workspace / "socket"
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen()
        path.chmod(0o777)
        said = await box.python(SOCKETS, str(path), policy=box.with_policy(unix_sockets=True))

    assert "file worked" in said.out
    assert "vsock Operation not permitted" in said.out


async def test_the_network_can_be_left_on(box: Box) -> None:
    with greeter() as port:
        said = await box.run(
            f"curl -sS http://127.0.0.1:{port}/hello", policy=box.with_policy(network=NetworkOn())
        )

    assert said.out == f"GET /hello 127.0.0.1:{port} "


async def test_an_allowed_host_is_reached_through_the_proxy(box: Box) -> None:
    with greeter() as port:
        said = await box.run(
            f"curl -sS --noproxy '' http://127.0.0.1:{port}/plain; echo; "
            f"curl -sS --noproxy '' -d body http://127.0.0.1:{port}/posted; echo; "
            f"curl -sS --noproxy '' -p http://127.0.0.1:{port}/tunnel; echo; "
            f"curl -sS -m 3 --noproxy '*' http://127.0.0.1:{port}/direct",
            policy=listing(box, "127.0.0.1"),
        )

    host = f"127.0.0.1:{port}"
    assert said.out.splitlines() == [
        f"GET /plain {host} ",
        f"POST /posted {host} body",
        f"GET /tunnel {host} ",
    ]
    assert said.code != 0


async def test_a_refused_host_is_explained_to_the_command_and_to_whoever_reads_its_result(
    box: Box,
) -> None:
    async with box.open(listing(box, "*.allowed.test")) as sandbox:
        said = await box.start(
            sandbox,
            ("bash", "-c", "curl -sS http://evil.test/; curl -sS https://other.test/ >&2; exit 3"),
        )
        refusals = sandbox.take_refusals()

    assert "evil.test is not among the allowed hosts (sandbox.network.allowedDomains)." in said.out
    assert "ask the user to allow the host" in said.out
    assert "403" in said.err
    assert [text.split()[0] for text in refusals] == ["evil.test", "other.test"]
    assert sandbox.take_refusals() == ()


async def test_an_empty_list_allows_nothing(box: Box) -> None:
    with greeter() as port:
        said = await box.run(f"curl -sS --noproxy '' http://127.0.0.1:{port}/", policy=listing(box))

    assert "addresses are refused" in said.out


async def test_the_way_to_the_proxy_is_not_open_to_the_command(box: Box) -> None:
    said = await box.python(
        "import os, socket\n"
        "print(os.path.exists('/run/gantlet/proxy.sock'))\n"
        "try: socket.socket(socket.AF_UNIX).connect('/run/gantlet/proxy.sock')\n"
        "except OSError as error: print(error.strerror)\n"
        "for name in os.listdir('/proc'):\n"
        "    if name.isdigit():\n"
        "        try: text = open(f'/proc/{name}/cmdline').read()\n"
        "        except OSError: continue\n"
        "        if 'bridge.py' in text:\n"
        "            try: open(f'/proc/{name}/mem', 'r+b')\n"
        "            except OSError as error: print(error.strerror)\n",
        policy=listing(box, "allowed.test"),
    )

    assert said.out.splitlines()[:2] == ["True", "Operation not permitted"]
    assert set(said.out.splitlines()[2:]) == {"Permission denied"}


async def test_nothing_of_the_proxy_is_left_when_the_sandbox_is_closed(box: Box) -> None:
    async with box.open(listing(box, "allowed.test")) as sandbox:
        wrapped = await sandbox.wrap(["true"], str(box.workspace))
        path = Path(wrapped.argv[wrapped.argv.index("/run/gantlet/proxy.sock") - 1])
        was_there = path.exists()  # noqa: ASYNC240 - one look at a local path

    assert was_there
    assert not path.parent.exists()
