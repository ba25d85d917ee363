"""A cassette: what a model was asked and what it said, one JSON object a line."""

import errno
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, field
from enum import StrEnum
from pathlib import Path
from typing import TypeAlias

from pydantic import BaseModel, TypeAdapter

from gantlet.messages import (
    AssistantMessage,
    CallProgress,
    Capabilities,
    JsonValue,
    ModelError,
    ModelErrorKind,
    StreamEvent,
    dumps,
    freeze,
    loads,
    message_from_wire,
    message_to_wire,
    stream_event_from_wire,
    stream_event_to_wire,
)
from gantlet.messages.value import slotted, value
from gantlet.tool import UserError

FORMAT = "gantlet-cassette"
VERSION = 1
HEAD = dumps({"format": FORMAT, "version": VERSION})


class How(StrEnum):
    """How a reply was asked for."""

    STREAM = "stream"
    COMPLETE = "complete"


@value
class Retried:
    """The request was made again."""

    attempt: int
    max_attempts: int
    delay_seconds: float
    reason: str
    status: int | None


@value
class Failed:
    """The request failed.

    Attributes:
        calls: How far the calls that the reply had asked for had come by then, in their order.
    """

    kind: str
    message: str
    status: int | None
    request_id: str | None
    has_begun: bool
    calls: Mapping[str, CallProgress] = field(default_factory=dict)

    @classmethod
    def of(cls, error: ModelError) -> "Failed":
        """Return a failure as it is written down."""
        return cls(error.kind, str(error), error.status, error.request_id, error.has_begun)

    def error(self) -> ModelError:
        """Return the failure to be raised."""
        known = self.kind in list(ModelErrorKind)
        return ModelError(
            self.message,
            ModelErrorKind(self.kind) if known else ModelErrorKind.UNKNOWN,
            status=self.status,
            request_id=self.request_id,
            has_begun=self.has_begun,
        )


@value
class Ended:
    """The stream ended as it should."""


#: What can come of a request: the parts of its reply, in order.
Part: TypeAlias = StreamEvent | AssistantMessage | Retried | Failed | Ended


@value
class Timed:
    """A part of a reply, and how long after the one before it came."""

    after_seconds: float
    part: Part


@slotted
class Recording:
    """One request and what came of it.

    Attributes:
        line: Where it stands in the cassette.
        body: The request, masked.
        changing: What of it changes from run to run, by a name for each.
    """

    number: int
    line: int
    how: How
    body: Mapping[str, JsonValue]
    capabilities: Capabilities
    changing: Mapping[str, str] = field(default_factory=dict)
    parts: list[Timed] = field(default_factory=list)

    @property
    def has_end(self) -> bool:
        """Whether somebody listened to the end, or until it failed."""
        return bool(self.parts) and isinstance(
            self.parts[-1].part, Ended | Failed | AssistantMessage
        )

    @property
    def cut_off(self) -> str:
        """What is said of a recording that has no end."""
        return f"The recording of request {self.number} stops here: nobody listened any longer."


def request_line(
    number: int,
    how: How,
    body: Mapping[str, JsonValue],
    capabilities: Capabilities,
    changing: Mapping[str, str],
) -> bytes:
    """Return the line of a request."""
    more = {"changing": dict(changing)} if changing else {}
    return dumps(
        {"request": number, "how": how, "body": body, "capabilities": asdict(capabilities), **more}
    )


def part_line(number: int, timed: Timed) -> bytes:
    """Return the line of a part."""
    after, part = round(timed.after_seconds, 6), timed.part
    match part:
        case Ended():
            return dumps({"end": number, "after": after})
        case Retried():
            return dumps({"retry": number, "after": after, "data": asdict(part)})
        case Failed():
            return dumps({"failure": number, "after": after, "data": _failure_fields(part)})
        case AssistantMessage():
            return dumps({"reply": number, "after": after, "data": message_to_wire(part)})
        case _:
            return dumps({"event": number, "after": after, "data": stream_event_to_wire(part)})


def _failure_fields(failed: Failed) -> dict[str, object]:
    """Return a failure as it is written: how far calls had come by name, if there were any."""
    fields = asdict(failed)
    calls = {call: progress.name.lower() for call, progress in failed.calls.items()}
    if calls:
        return {**fields, "calls": calls}
    del fields["calls"]
    return fields


def read_cassette(path: Path) -> tuple[Recording, ...]:
    """Return what a cassette holds. A last line that was cut off while writing is left out.

    Raises:
        UserError: There is no cassette, or a line of it cannot be read; with file and line.
    """
    recordings: dict[int, Recording] = {}
    for number, entry in _entries(path):
        try:
            _take(entry, number, recordings)
        except (KeyError, TypeError, ValueError, StopIteration) as error:
            raise UserError(
                f"{path}:{number}: this is no line of a cassette. Record it anew."
            ) from error
    return tuple(recordings.values())


def _entries(path: Path) -> Iterator[tuple[int, dict[str, JsonValue]]]:
    """Yield the entries after the head, each with its line."""
    try:
        lines = _content(path).split(b"\n")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise UserError(f"The cassette {str(path)!r} cannot be read: {reason}.") from error
    if lines[0] != HEAD:
        raise UserError(f"{path}:1: this is no cassette of version {VERSION}. Record it anew.")
    for number, line in enumerate(lines[1:-1], start=2):
        try:
            entry = loads(line)
        except ValueError as error:
            raise UserError(f"{path}:{number}: this is not JSON: {error}") from error
        if not isinstance(entry, dict):
            raise UserError(f"{path}:{number}: this is no line of a cassette. Record it anew.")
        yield number, entry


def _content(path: Path) -> bytes:
    """Return the content of a file; whatever else has that name holds nobody up.

    Raises:
        OSError: It is no file, or cannot be read.
    """
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "It is no file")
        return file.read()


class _RequestLine(BaseModel):
    """A line that begins a recording."""

    request: int
    how: How
    body: dict[str, object]
    capabilities: Capabilities
    changing: dict[str, str] = {}


class _PartLine(BaseModel):
    """A line that goes on with one."""

    after: float
    data: object = None


def _take(entry: dict[str, JsonValue], line: int, recordings: dict[int, Recording]) -> None:
    """Add what a line says to the recordings."""
    if "request" in entry:
        begun = _RequestLine.model_validate(entry)
        recordings[begun.request] = Recording(
            begun.request,
            line,
            begun.how,
            freeze(begun.body),
            begun.capabilities,
            begun.changing,
        )
        return
    kind = next(name for name in _PARTS if name in entry)
    read = _PartLine.model_validate(entry)
    timed = Timed(read.after, _PARTS[kind](read.data))
    recordings[_NUMBER.validate_python(entry[kind])].parts.append(timed)


def _reply(wire: object) -> AssistantMessage:
    """Return a reply in one piece."""
    message = message_from_wire(wire)
    if not isinstance(message, AssistantMessage):
        raise TypeError("A reply is the model's.")
    return message


class _FailureData(BaseModel):
    """A failure as it is written; that of older cassettes tells nothing of calls."""

    kind: str
    message: str
    status: int | None
    request_id: str | None
    has_begun: bool
    calls: dict[str, str] = {}


def _failure(wire: object) -> Failed:
    """Return how a request failed."""
    read = _FailureData.model_validate(wire)
    calls = {call: CallProgress[name.upper()] for call, name in read.calls.items()}
    return Failed(read.kind, read.message, read.status, read.request_id, read.has_begun, calls)


_NUMBER = TypeAdapter(int)
_PARTS: dict[str, Callable[[object], Part]] = {
    "event": stream_event_from_wire,
    "reply": _reply,
    "retry": TypeAdapter(Retried).validate_python,
    "failure": _failure,
    "end": lambda wire: Ended(),
}
