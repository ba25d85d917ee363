"""A cassette while it is recorded: a new file that only its owner may read."""

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path

from gantlet.messages import Capabilities, JsonValue, ModelError
from gantlet.models.recorded.cassette import HEAD, How, Timed, part_line, request_line
from gantlet.system import PrivateLines
from gantlet.tool import UserError


class CassetteWriter:
    """Writes a new cassette. Several models, one after the other, may write to the same one.

    Each line is on its way to the file when it is added: however a program ends, what is there can
    be played.

    Attributes:
        changing: What of the requests that follow changes from run to run, by a name for each.

    Raises:
        UserError: The cassette cannot be made.
    """

    def __init__(self, path: str | Path) -> None:
        self.changing: Mapping[str, str] = {}
        self._path = Path(path)
        self._numbers = count(1)
        self._requests = 0
        self._broken = ""
        try:
            self._lines = PrivateLines(self._path, is_new=True)
        except FileExistsError as error:
            raise UserError(_taken(self._path)) from error
        except (OSError, ValueError) as error:
            raise UserError(f"The cassette {str(path)!r} cannot be made: {_why(error)}.") from error
        try:
            self._lines.add(HEAD)
        except OSError as error:
            self.close()
            raise UserError(f"The cassette {str(path)!r} cannot be made: {_why(error)}.") from error

    def begin(
        self,
        how: How,
        body: Mapping[str, JsonValue],
        capabilities: Capabilities,
        changing: Mapping[str, str],
    ) -> int:
        """Write down a request, and return its number.

        Raises:
            ModelError: It could not be written.
        """
        number = next(self._numbers)
        self._add(request_line(number, how, body, capabilities, changing))
        self._requests += 1
        return number

    def note(self, number: int, timed: Timed) -> None:
        """Write down a part of the reply to a request.

        Raises:
            ModelError: It could not be written.
        """
        self._add(part_line(number, timed))

    def close(self) -> None:
        """Close the file; more than once is no harm. One without a request is taken away."""
        self._lines.close()
        if not self._requests:
            self._path.unlink(missing_ok=True)

    def _add(self, line: bytes) -> None:
        """Add a line; after one that could not be written whole, none follows."""
        if not self._broken:
            try:
                self._lines.add(line)
            except (OSError, ValueError) as error:
                self._broken = _why(error)
        if self._broken:
            raise ModelError(
                f"The cassette {str(self._path)!r} cannot be written: {self._broken}. What was"
                " recorded before can be played."
            )


def _taken(path: Path) -> str:
    """Return what is said where a name is taken: by a cassette, or what may be one, or not."""
    with suppress(OSError):  # a link that leads nowhere
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            return f"The cassette {str(path)!r} cannot be made: {os.strerror(errno.EISDIR)}."
        if not stat.S_ISREG(mode):
            return f"The cassette {str(path)!r} cannot be made: It is there, and is no file."
    return f"There is a cassette {str(path)!r} already. Remove it, or name another."


def _why(error: OSError | ValueError) -> str:
    """Return what went wrong with a file, in words for a person."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
