"""Connections to a socket that is a file: what is said arrives, and leaving early harms nobody."""

import socket
from pathlib import Path

import anyio
import pytest

from gantlet.system.sandbox.local_socket import LocalListener, LocalStream

pytestmark = pytest.mark.anyio


async def connected(path: Path) -> tuple[LocalListener, LocalStream, socket.socket]:
    listener = LocalListener(str(path))
    other = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    other.connect(str(path))
    return listener, await listener.accept(), other


async def test_what_is_said_arrives_whole_both_ways_to_its_end(tmp_path: Path) -> None:
    listener, here, other = await connected(tmp_path / "s")
    sent, heard = b"x" * 3_000_000, bytearray()
    there = LocalStream(other)

    async def hear() -> None:
        async for piece in there:
            heard.extend(piece)

    async with anyio.create_task_group() as group:
        group.start_soon(hear)
        await here.send(sent)
        await here.send_eof()
    await there.send(b"back")
    answer = await here.receive()
    await there.aclose()
    with pytest.raises(anyio.EndOfStream):
        await here.receive()
    await here.aclose()
    listener.close()

    assert (bytes(heard), answer) == (sent, b"back")


async def test_only_the_owner_may_connect(tmp_path: Path) -> None:
    listener = LocalListener(str(tmp_path / "s"))
    listener.close()

    assert (tmp_path / "s").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("turns", range(4))
async def test_a_wait_that_is_cancelled_as_something_arrives_leaves_nothing_behind(
    tmp_path: Path, turns: int
) -> None:
    listener, here, other = await connected(tmp_path / "s")

    async def accept() -> None:
        await (await listener.accept()).aclose()

    async with anyio.create_task_group() as group:
        group.start_soon(here.receive)
        group.start_soon(accept)
        await anyio.lowlevel.checkpoint()
        other.sendall(b"x")
        another = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        another.connect(str(tmp_path / "s"))
        for _ in range(turns):
            await anyio.lowlevel.checkpoint()
        group.cancel_scope.cancel()
    other.sendall(b"y")
    another.close()

    assert (await here.receive())[-1:] == b"y"
    other.close()
    await here.aclose()
    listener.close()
