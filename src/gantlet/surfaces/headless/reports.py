"""How results leave: as plain words, as one JSON object, or as a stream of them."""

import sys
from collections.abc import Iterable, Mapping
from typing import Protocol

from gantlet.messages import JsonValue, dumps
from gantlet.surfaces.headless.flags import Flags
from gantlet.surfaces.headless.frames import Frame
from gantlet.surfaces.headless.outlet import Outlet
from gantlet.surfaces.plain_text import plain


class Sink(Protocol):
    """Where a run's lines go."""

    is_stream: bool

    def frame(self, frame: Frame) -> None:
        """Take a line about something that happens."""

    def raw(self, frame: Mapping[str, JsonValue]) -> None:
        """Take a line of the control protocol."""

    def result(self, frame: Frame) -> None:
        """Take how a run ended."""

    def remark(self, texts: Iterable[str]) -> None:
        """Take what a person should know about the set-up."""

    def complain(self, text: str) -> None:
        """Take why nothing could be done."""


class StreamSink:
    """Writes each line as it comes."""

    is_stream = True

    def __init__(self, outlet: Outlet) -> None:
        self._outlet = outlet

    def frame(self, frame: Frame) -> None:
        """Write a line."""
        self._outlet.put(frame)

    def raw(self, frame: Mapping[str, JsonValue]) -> None:
        """Write a line."""
        self._outlet.put(frame)

    def result(self, frame: Frame) -> None:
        """Write a line."""
        self._outlet.put(frame)

    def remark(self, texts: Iterable[str]) -> None:
        """Write to standard error, each once."""
        _to_stderr(texts)

    def complain(self, text: str) -> None:
        """Say nothing: the result has said it."""


class PlainSink:
    """Writes only how a run ended: its words, or its JSON; with `--verbose` all lines as a list."""

    is_stream = False

    def __init__(self, flags: Flags, outlet: Outlet) -> None:
        self._flags = flags
        self._outlet = outlet
        self._lines: list[Frame] = []

    def frame(self, frame: Frame) -> None:
        """Keep a line if all are wanted; what a person should know is said at once."""
        if frame.get("subtype") == "informational":
            self.remark([str(frame.get("content"))])
        if self._flags.is_verbose and self._flags.output_format == "json":
            self._lines.append(frame)

    def raw(self, frame: Mapping[str, JsonValue]) -> None:
        """Drop it: nobody answers."""

    def result(self, frame: Frame) -> None:
        """Write how the run ended."""
        if self._flags.output_format == "json":
            told: object = [*self._lines, frame] if self._flags.is_verbose else frame
            self._outlet.put_bytes(dumps(told) + b"\n")
        else:
            text = frame.get("result")
            if not isinstance(text, str):
                errors = frame.get("errors")
                text = "\n".join(str(one) for one in errors) if isinstance(errors, list) else ""
            self._outlet.put_bytes(f"{text.rstrip()}\n".encode("utf-8", "backslashreplace"))

    def remark(self, texts: Iterable[str]) -> None:
        """Write to standard error, each once."""
        _to_stderr(texts)

    def complain(self, text: str) -> None:
        """Say nothing more: the result has said it."""


def _to_stderr(texts: Iterable[str]) -> None:
    """Write lines for a person."""
    for text in dict.fromkeys(texts):
        lines = [plain(line) for line in text.splitlines()]
        print("gantlet: " + "\n".join(lines), file=sys.stderr)
