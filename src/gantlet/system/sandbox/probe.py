"""Tries, from inside a sandbox, what a sandbox must prevent, and says what worked.

It runs by itself: `python -I -S probe.py INSIDE OUTSIDE PORT`. Each line it prints is a name and
`yes` or `no`.
"""

import ctypes
import os
import socket
import sys

_REMOUNT, _BIND = 32, 4096
_NEW_USER = 0x10000000
_SECONDS = 2.0


def main(inside: str, outside: str, port: str) -> None:
    """Try everything; a thing that must not work is tried again after the walls were pushed."""
    print("runs yes")
    _say("writes inside", _writes(f"{inside}/file"))
    _say("changes settings", _writes(f"{inside}/.claude/settings.json"))
    _say("writes outside", _writes(f"{outside}/before"))
    _say("reaches the network", _connects(int(port)))
    _say("remounts", _remounts())
    _say("makes a namespace", _unshares())
    _say("writes outside after that", _writes(f"{outside}/after"))
    for name, stated in _status().items():
        print(f"{name}={stated} yes")


def _say(what: str, worked: bool) -> None:
    """Print one line."""
    print(what, "yes" if worked else "no")


def _writes(path: str) -> bool:
    """Return whether a file can be made."""
    try:
        with open(path, "w") as file:
            file.write("probe")
    except OSError:
        return False
    return True


def _connects(port: int) -> bool:
    """Return whether this machine's own loopback can be reached."""
    try:
        socket.create_connection(("127.0.0.1", port), _SECONDS).close()
    except OSError:
        return False
    return True


def _remounts() -> bool:
    """Return whether the file system can be made writable again."""
    answer: int = ctypes.CDLL(None).mount(None, b"/", None, _REMOUNT | _BIND, None)
    return answer == 0


def _unshares() -> bool:
    """Return whether a new user namespace can be made, where there are such things."""
    unshare = getattr(ctypes.CDLL(None), "unshare", None)
    return unshare is not None and unshare(_NEW_USER) == 0


def _status() -> dict[str, str]:
    """Return what the kernel says of this process."""
    try:
        with open("/proc/self/status") as file:
            lines = [line.split(":", 1) for line in file if ":" in line]
    except OSError:
        return {}
    stated = {name: text.strip() for name, text in lines}
    return {name: stated[name] for name in ("CapEff", "NoNewPrivs", "Seccomp") if name in stated}


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)
