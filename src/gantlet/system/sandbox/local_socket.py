"""A socket that is a file, and its connections.

Waiting is left to `wait_readable` and `wait_writable`: the streams that anyio makes of such sockets
fail in the event loop when they are cancelled at the moment something arrives.
"""

import os
import socket

import anyio
from anyio.abc import ByteStream

_WAITING = 128
_AGAIN_SECONDS = 0.02


class LocalStream(ByteStream):
    """One connection."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        self._socket = connection

    async def receive(self, max_bytes: int = 65_536) -> bytes:
        """Return what comes next.

        Raises:
            anyio.EndOfStream: The other end has said all it will.
        """
        while True:
            await anyio.wait_readable(self._socket)
            try:
                read = self._socket.recv(max_bytes)
            except BlockingIOError:
                continue
            if not read:
                raise anyio.EndOfStream
            return read

    async def send(self, item: bytes) -> None:
        """Write all of it."""
        rest = memoryview(item)
        while rest:
            await anyio.wait_writable(self._socket)
            try:
                rest = rest[self._socket.send(rest) :]
            except BlockingIOError:
                continue

    async def send_eof(self) -> None:
        """Say that nothing more will come."""
        self._socket.shutdown(socket.SHUT_WR)

    async def aclose(self) -> None:
        """End the connection."""
        self._socket.close()


class LocalListener:
    """Takes connections at a path that only this user can reach."""

    def __init__(self, path: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.bind(path)
            os.chmod(path, 0o600)  # noqa: PTH101 - the path is a text already
            self._socket.listen(_WAITING)
            self._socket.setblocking(False)
        except BaseException:
            self._socket.close()
            raise

    async def accept(self) -> LocalStream:
        """Return the next connection."""
        while True:
            await anyio.wait_readable(self._socket)
            try:
                connection, _ = self._socket.accept()
            except OSError:  # whoever came has left, or there are too many open files
                await anyio.sleep(_AGAIN_SECONDS)
                continue
            return LocalStream(connection)

    def close(self) -> None:
        """Take no more connections."""
        self._socket.close()
