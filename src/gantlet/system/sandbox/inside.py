"""The last step before a sandboxed command: it runs inside, adds walls, and becomes the command.

It runs by itself, as `python -I -S inside.py OPTIONS -- COMMAND`, and imports only the standard
library. Whatever fails here ends in exit code 125 and a message; the command is not started then.
"""

import ctypes
import os
import resource
import sys
from _signal import (  # type: ignore[import-not-found]  # `signal` costs a third more to import
    SIG_DFL,
    SIGPIPE,
    SIGXFSZ,
    signal,
)

START_FAILED = 125

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446  # the same on every processor
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _SECCOMP_FILTER = 38, 22, 2
_WRITE_FILE = 2
_MAKE_AND_REMOVE = 0x1FF0  # removing, and making each kind of file
_REFER, _TRUNCATE, _DEVICE_CONTROL = 1 << 13, 1 << 14, 1 << 15
_BENEATH = 1
_SCOPES = 3  # abstract sockets and signals stay among sandboxed processes
_LIBC = ctypes.CDLL(None, use_errno=True)


class StepError(Exception):
    """A wall could not be put up."""


def main(words: list[str]) -> None:
    """Do what the options say, in the order that the walls need, and become the command."""
    options, command = _read(words)
    _close_inherited({int(number) for number in options["keep"]})
    for program in options["bridge"]:
        _start_bridge(program)
    for stated in options["limit"]:
        name, _, amount = stated.partition("=")
        _limit(getattr(resource, name), int(amount))
    _checked("no new privileges", _LIBC.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    if options["landlock"]:
        _restrict_files(options["write"])
    for hexadecimal in options["filter"]:
        _filter_calls(bytes.fromhex(hexadecimal))
    _become(command)


def _read(words: list[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Return the options by name, and the command after `--`."""
    options: dict[str, list[str]] = {
        name: [] for name in ("keep", "bridge", "limit", "landlock", "write", "filter")
    }
    at = words.index("--")
    for name, stated in zip(words[:at:2], words[1:at:2], strict=True):
        options[name.removeprefix("--")].append(stated)
    return options, words[at + 1 :]


def _close_inherited(kept: set[int]) -> None:
    """Close every descriptor but the first three and those that are to be kept."""
    for name in os.listdir("/proc/self/fd"):
        number = int(name)
        if number > 2 and number not in kept:
            try:
                os.close(number)
            except OSError:
                continue  # the one that listed the folder is closed already


def _limit(which: int, amount: int) -> None:
    """Set a limit, or keep a stricter one that is there."""
    _, most = resource.getrlimit(which)
    if most != resource.RLIM_INFINITY:
        amount = min(amount, most)
    resource.setrlimit(which, (amount, amount))


def _restrict_files(writable: list[str]) -> None:
    """Allow changes only below some folders, as a second wall behind the mounts (Landlock)."""
    version = _LIBC.syscall(_CREATE_RULESET, None, 0, 1)
    if version < 1:
        raise StepError("Landlock was there a moment ago and is not now.")
    changes = _WRITE_FILE | _MAKE_AND_REMOVE
    changes |= _REFER if version >= 2 else 0
    changes |= _TRUNCATE if version >= 3 else 0
    changes |= _DEVICE_CONTROL if version >= 5 else 0
    fields = [changes, 0, _SCOPES] if version >= 6 else [changes]
    attributes = (ctypes.c_uint64 * len(fields))(*fields)
    ruleset = _LIBC.syscall(_CREATE_RULESET, attributes, ctypes.sizeof(attributes), 0)
    _checked("a Landlock ruleset", ruleset)
    for path in writable:
        _allow_changes(ruleset, path, changes)
    _checked("Landlock", _LIBC.syscall(_RESTRICT_SELF, ruleset, 0))
    os.close(ruleset)


def _allow_changes(ruleset: int, path: str, changes: int) -> None:
    """Allow changes at and below a path."""
    try:
        descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    if not os.path.isdir(path):
        changes &= _WRITE_FILE | _TRUNCATE | _DEVICE_CONTROL
    rule = changes.to_bytes(8, sys.byteorder) + descriptor.to_bytes(4, sys.byteorder)
    _checked(f"a rule for {path}", _LIBC.syscall(_ADD_RULE, ruleset, _BENEATH, rule, 0))
    os.close(descriptor)


def _filter_calls(program: bytes) -> None:
    """Refuse system calls from here on (seccomp)."""
    code = ctypes.create_string_buffer(program, len(program))
    head = (ctypes.c_uint64 * 2)(len(program) // 8, ctypes.addressof(code))
    _checked("seccomp", _LIBC.prctl(_SET_SECCOMP, _SECCOMP_FILTER, head, 0, 0))


def _start_bridge(program: str) -> None:
    """Start the bridge to the proxy, and wait until it listens."""
    heard, told = os.pipe()
    os.set_inheritable(told, True)
    if os.fork() == 0:
        os.execv(sys.executable, [sys.executable, "-I", "-S", program, str(told)])
    os.close(told)
    if os.read(heard, 1) != b"!":
        raise StepError("the bridge to the network's proxy did not start")
    os.close(heard)


def _become(command: list[str]) -> None:
    """Run the command in this process, with the environment we were started with."""
    with open("/proc/self/environ", "rb") as file:  # Python has changed its own copy
        stated = dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
    for number in (SIGPIPE, SIGXFSZ):  # Python ignores these
        signal(number, SIG_DFL)
    try:
        os.execvpe(command[0], command, stated)
    except FileNotFoundError as error:
        raise StepError(f"there is no program {command[0]!r}") from error


def _checked(what: str, answer: int) -> None:
    """Raise if a system call failed."""
    if answer < 0:
        raise StepError(f"{what}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except Exception as error:  # noqa: BLE001 - without every wall there is no command
        print(f"gantlet sandbox: the command was not started: {error}", file=sys.stderr)
        sys.exit(START_FAILED)
