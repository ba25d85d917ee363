"""The filter of system calls, built as the bytes the kernel takes."""

import errno
import struct
from collections.abc import Iterator

from gantlet.system.sandbox.syscalls import MACHINES, Machine

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050000
_NUMBER, _ARCH, _FIRST, _SECOND, _THIRD, _FOURTH = 0, 4, 16, 24, 32, 40

#: Calls that look at examined arguments; every other known call is refused whatever its arguments.
_EXAMINED = frozenset(
    {
        *("clone", "clone3", "ioctl", "socket", "socketpair"),
        *("chmod", "creat", "fchmod", "fchmodat", "fchmodat2", "mknod", "mknodat"),
        *("open", "openat", "openat2"),
    }
)
#: Every flag of `clone` that makes a namespace.
_NAMESPACES = 0x7E020000
#: Put characters into a terminal's input, as if somebody had typed them.
_TERMINAL_INPUT = (0x5412, 0x541C)
_UNIX, _INET, _INET6, _NETLINK = 1, 2, 10, 16
_DATAGRAM, _TYPE_BITS = 2, 0xF
#: A file that runs as whoever owns it, for everybody who starts it: also outside.
_SET_USER = 0o4000
_MODE_OF = {
    "chmod": _SECOND,
    "creat": _SECOND,
    "fchmod": _SECOND,
    "fchmodat": _THIRD,
    "fchmodat2": _THIRD,
    "mknod": _SECOND,
    "mknodat": _THIRD,
}
#: Calls whose mode counts only if their flags make a file: where those are, and then the mode.
_OPENS = {"open": (_SECOND, _THIRD), "openat": (_THIRD, _FOURTH)}
_MAKES_FILE = 0x40 | 0x400000


def build_filter(machine_name: str, *, unix_sockets: bool) -> bytes | None:
    """Return the filter for a processor, or None for one whose calls we do not know.

    Refused calls fail with "operation not permitted". `clone3` and `openat2` fail as if the kernel
    did not know them, because their flags cannot be seen; libraries then use `clone` and `openat`.
    """
    machine = MACHINES.get(machine_name)
    if machine is None:
        return None
    return b"".join(_instructions(machine, unix_sockets=unix_sockets))


def _instructions(machine: Machine, *, unix_sockets: bool) -> Iterator[bytes]:
    """Yield the filter's instructions."""
    yield _op(_LOAD, _ARCH)
    yield _op(_EQUAL, machine.audit_arch, skip_if_true=1)
    yield _refuse(errno.EPERM)
    yield _op(_LOAD, _NUMBER)
    if machine.foreign_from:
        yield from _when(_AT_LEAST, machine.foreign_from, errno.EPERM)
    for name, number in machine.numbers.items():
        if name not in _EXAMINED:
            yield from _when(_EQUAL, number, errno.EPERM)
    for name in ("clone3", "openat2"):
        yield from _when(_EQUAL, machine.numbers[name], errno.ENOSYS)
    families = [_INET, _INET6, _NETLINK, *([_UNIX] if unix_sockets else [])]
    yield from _for_call(machine.numbers["clone"], _refusing_bits(_FIRST, _NAMESPACES))
    yield from _for_call(machine.numbers["ioctl"], _refusing_values(_SECOND, _TERMINAL_INPUT))
    yield from _for_call(machine.numbers["socket"], _allowing_values(_FIRST, families))
    yield from _about_modes(machine)
    if not unix_sockets:
        yield from _for_call(machine.numbers["socketpair"], _refusing_datagrams())
    yield _op(_RETURN, _ALLOW)


def _about_modes(machine: Machine) -> Iterator[bytes]:
    """Yield what looks at the modes of files."""
    numbers = machine.numbers
    for name, mode in _MODE_OF.items():
        if name in numbers:
            yield from _for_call(numbers[name], _refusing_bits(mode, _SET_USER))
    for name, (flags, mode) in _OPENS.items():
        if name in numbers:
            yield from _for_call(numbers[name], _refusing_made(flags, mode))


def _for_call(number: int, examination: list[bytes]) -> Iterator[bytes]:
    """Yield an examination that only one call goes through; its end allows the call."""
    yield _op(_EQUAL, number, skip_if_false=len(examination))
    yield from examination


def _refusing_bits(offset: int, bits: int) -> list[bytes]:
    """Return an examination that refuses any of these bits in an argument."""
    return [_op(_LOAD, offset), *_when(_ANY_BIT, bits, errno.EPERM), _op(_RETURN, _ALLOW)]


def _refusing_made(flags: int, mode: int) -> list[bytes]:
    """Return an examination that refuses to make a file that runs as its owner."""
    refusing = _refusing_bits(mode, _SET_USER)
    past_refusal = len(refusing) - 1
    return [_op(_LOAD, flags), _op(_ANY_BIT, _MAKES_FILE, skip_if_false=past_refusal), *refusing]


def _refusing_values(offset: int, values: tuple[int, ...]) -> list[bytes]:
    """Return an examination that refuses an argument's values."""
    refused = [line for one in values for line in _when(_EQUAL, one, errno.EPERM)]
    return [_op(_LOAD, offset), *refused, _op(_RETURN, _ALLOW)]


def _allowing_values(offset: int, values: list[int]) -> list[bytes]:
    """Return an examination that refuses all but these values of an argument."""
    allowed = [
        line for one in values for line in (_op(_EQUAL, one, skip_if_false=1), _op(_RETURN, _ALLOW))
    ]
    return [_op(_LOAD, offset), *allowed, _refuse(errno.EPERM)]


def _refusing_datagrams() -> list[bytes]:
    """Return an examination of `socketpair`: half of a datagram pair could be pointed elsewhere."""
    return [
        _op(_LOAD, _SECOND),
        _op(_AND, _TYPE_BITS),
        *_when(_EQUAL, _DATAGRAM, errno.EPERM),
        _op(_RETURN, _ALLOW),
    ]


def _when(test: int, operand: int, number: int) -> list[bytes]:
    """Return the instructions that refuse where a test is true."""
    return [_op(test, operand, skip_if_false=1), _refuse(number)]


def _refuse(number: int) -> bytes:
    """Return the instruction that makes a call fail with an error number."""
    return _op(_RETURN, _REFUSE | number)


def _op(code: int, operand: int, *, skip_if_true: int = 0, skip_if_false: int = 0) -> bytes:
    """Return one instruction."""
    return struct.pack("=HBBI", code, skip_if_true, skip_if_false, operand)
