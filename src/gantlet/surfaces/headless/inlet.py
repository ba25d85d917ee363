"""Standard input: lines from the program that drives us, or the text that is piped in."""

import os
import threading
from collections.abc import Callable, Iterator, Mapping

import anyio

from gantlet.messages import JsonValue, loads
from gantlet.system import in_loop_thread, run_in_thread
from gantlet.tool import UserError

MAX_TEXT_BYTES = 10_000_000
MAX_LINE_BYTES = 64_000_000
#: How long a prompt that is given waits for the first piped byte.
FIRST_BYTE_SECONDS = 3.0
_PART_BYTES = 65_536
#: Stands for a line that is longer than anybody reads.
TOO_LONG = b"(a line that is too long)"


def read_lines(descriptor: int, take: Callable[[bytes | None], None]) -> None:
    """Hand each line of a descriptor to the event loop, from a thread; None at its end."""
    hand_over = in_loop_thread(lambda line: take(line if isinstance(line, bytes) else None))

    def read() -> None:
        for line in _lines(descriptor):
            hand_over(line)
        hand_over(None)

    threading.Thread(target=read, name="inlet", daemon=True).start()


def _lines(descriptor: int) -> Iterator[bytes]:
    """Yield the lines of a descriptor as they come."""
    rest = bytearray()
    is_too_long = False
    while part := _part(descriptor):
        if is_too_long:
            _, end, part = part.partition(b"\n")
            is_too_long = not end
        rest += part
        if b"\n" in part:
            *lines, last = bytes(rest).split(b"\n")
            rest = bytearray(last)
            yield from lines
        elif len(rest) > MAX_LINE_BYTES:
            rest.clear()
            is_too_long = True
            yield TOO_LONG
    if rest.strip():
        yield bytes(rest)


def _part(descriptor: int) -> bytes:
    """Read what there is; nothing at the end."""
    try:
        return os.read(descriptor, _PART_BYTES)
    except OSError:
        return b""


def read_message(line: bytes) -> Mapping[str, JsonValue] | None:
    """Return the object on a line; None for an empty line.

    Raises:
        ValueError: It is no JSON object.
    """
    if not line.strip():
        return None
    if line == TOO_LONG:
        raise ValueError(f"It is longer than {MAX_LINE_BYTES:,} bytes.")
    message = loads(line)
    if not isinstance(message, dict):
        text = "The line is JSON, but no object."
        raise ValueError(text)  # noqa: TRY004 - what a program sent is wrong, not its type here
    return message


async def read_piped(descriptor: int, *, has_prompt: bool) -> str:
    """Return the text that is piped in. A given prompt does not wait long for it to begin.

    Raises:
        UserError: It is longer than anybody should read.
    """
    if os.isatty(descriptor):
        return ""
    first: list[bytes] = []
    if has_prompt:
        begun = anyio.Event()
        hand_over = in_loop_thread(lambda _: begun.set())

        def begin() -> None:
            first.append(_part(descriptor))
            hand_over(None)

        threading.Thread(target=begin, name="inlet", daemon=True).start()
        with anyio.move_on_after(FIRST_BYTE_SECONDS):
            await begun.wait()
        if not first:
            return ""
    rest = await run_in_thread(lambda: _rest(descriptor, first))
    return rest.decode("utf-8", "replace")


def _rest(descriptor: int, first: list[bytes]) -> bytes:
    """Read to the end."""
    whole = bytearray(first[0] if first else b"")
    while (not first or first[0]) and (part := _part(descriptor)):
        whole += part
        if len(whole) > MAX_TEXT_BYTES:
            raise UserError(
                f"More than {MAX_TEXT_BYTES // 1_000_000} MB are piped in. Put them into a file"
                " and name it in the prompt."
            )
    return bytes(whole)
