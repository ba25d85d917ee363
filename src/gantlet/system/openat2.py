"""`openat2` of Linux: a path opened in one step, in which no link is followed."""

import errno
import os
from collections.abc import Callable
from functools import cache
from typing import TypeAlias

_CALL_NUMBER = 437  # the same on every machine Linux runs on
_HERE = -100
_NO_MAGIC_LINKS = 0x02
_NO_LINKS = 0x04

_Open: TypeAlias = Callable[[bytes, int], int]


def open_without_links(path: str, flags: int) -> int | None:
    """Return a descriptor for an absolute path without links, or None where this cannot be done.

    Raises:
        OSError: It cannot be opened; `ELOOP` where a link stands on it.
    """
    call = _call()
    # With O_NOFOLLOW a link at the end would be called "no directory", and not a link.
    return None if call is None else call(os.fsencode(path), flags & ~os.O_NOFOLLOW)


@cache
def _call() -> _Open | None:
    """Return the system call, or None where the kernel or a guard around us has none."""
    if os.uname().sysname != "Linux":
        return None
    import ctypes  # noqa: PLC0415 - the named seam: only who opens a file pays for it

    class How(ctypes.Structure):
        """What the kernel calls `struct open_how`."""

        _fields_ = (
            ("flags", ctypes.c_uint64),
            ("mode", ctypes.c_uint64),
            ("resolve", ctypes.c_uint64),
        )

    try:
        system_call = ctypes.CDLL(None, use_errno=True).syscall
    except (OSError, AttributeError):
        return None
    system_call.restype = ctypes.c_long
    size = ctypes.c_size_t(ctypes.sizeof(How))

    def call(path: bytes, flags: int) -> int:
        how = How(flags=flags, mode=0, resolve=_NO_LINKS | _NO_MAGIC_LINKS)
        while True:
            number, here = ctypes.c_long(_CALL_NUMBER), ctypes.c_int(_HERE)
            descriptor = int(system_call(number, here, path, ctypes.byref(how), size))
            if descriptor >= 0:
                return descriptor
            code = ctypes.get_errno()
            if code not in {errno.EINTR, errno.EAGAIN}:
                raise OSError(code, os.strerror(code), os.fsdecode(path))

    return call if _works(call) else None


def _works(call: _Open) -> bool:
    """Return whether the call does anything here; a guard may forbid it."""
    try:
        os.close(call(b"/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError:
        return False
    return True
