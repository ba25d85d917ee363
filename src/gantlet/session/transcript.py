"""Reading a transcript file: what is broken costs its line and nothing else."""

from pathlib import Path

from gantlet.messages import loads
from gantlet.session.entries import Line
from gantlet.tool import UserError


class SessionError(UserError):
    """A session that cannot be found, read or written."""


def read_lines(path: Path) -> tuple[list[Line], tuple[str, ...]]:
    """Return the lines of a transcript, and what was wrong with the others.

    Raises:
        SessionError: The file cannot be read.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise SessionError(f"{path} cannot be read: {error.strerror}.") from error
    lines: list[Line] = []
    notes: list[str] = []
    for number, text in enumerate(content.split(b"\n"), start=1):
        if not text.strip():
            continue
        try:
            line = loads(text)
        except ValueError as error:
            notes.append(f"line {number} of {path.name} was left out: {error}")
            continue
        if isinstance(line, dict):
            lines.append(line)
        else:
            notes.append(f"line {number} of {path.name} was left out: it is no object")
    return lines, tuple(notes)
