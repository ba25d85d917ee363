"""Carries connections from a port inside the sandbox to the proxy's socket, which is a file.

It runs by itself inside, as `python -I -S bridge.py DESCRIPTOR`, and writes one character to the
descriptor once it listens. It ends with the sandbox.
"""

import ctypes
import os
import socket
import sys
import threading
from contextlib import suppress

PORT = 3128
SOCKET = "/run/gantlet/proxy.sock"
_SET_DUMPABLE = 4
_MOST_BYTES = 65_536


def main(ready: int) -> None:
    """Listen, say so, and carry until the sandbox ends."""
    ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)  # no command may look into this process
    listener = socket.create_server(("127.0.0.1", PORT), backlog=128)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nowhere, number)
    os.write(ready, b"!")
    os.close(ready)
    while True:
        near, _ = listener.accept()
        far = socket.socket(socket.AF_UNIX)
        try:
            far.connect(SOCKET)
        except OSError:
            near.close()
            far.close()
            continue
        threading.Thread(target=_carry_both, args=(near, far), daemon=True).start()


def _carry_both(near: socket.socket, far: socket.socket) -> None:
    """Carry one connection both ways until both sides are done."""
    back = threading.Thread(target=_carry, args=(far, near), daemon=True)
    back.start()
    _carry(near, far)
    back.join()
    near.close()
    far.close()


def _carry(source: socket.socket, target: socket.socket) -> None:
    """Carry one direction; either side may leave at any time."""
    with suppress(OSError):
        while sent := source.recv(_MOST_BYTES):
            target.sendall(sent)
    with suppress(OSError):
        target.shutdown(socket.SHUT_WR)


if __name__ == "__main__":
    main(int(sys.argv[1]))
