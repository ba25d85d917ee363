"""The first look at a file: opened where it was judged to be, and told apart by how it begins."""

import difflib
import os
from pathlib import PurePosixPath

from gantlet.messages.value import value
from gantlet.system import (
    OpenFile,
    Place,
    RefusedFileError,
    look_at,
    open_file,
    shown_name,
    stamp_of,
)
from gantlet.tool import ToolContext, ToolError
from gantlet.tools.reading.answers import Range, binary_refusal, size_text
from gantlet.tools.reading.kinds import HEAD_BYTES, Kind, nature_of
from gantlet.tools.reading.text_part import TextPart, read_part

#: Larger pictures, documents and notebooks are not even read.
MAX_MEDIA_BYTES = 100 * 1024 * 1024
_NOTEBOOK = ".ipynb"
_MAX_NAMES = 10_000


@value
class Look:
    """What was found at a place.

    Attributes:
        kind: How it is shown; a notebook has one of its own.
        part: Lines of a text.
        content: All the bytes of what is no text.
    """

    kind: Kind
    stamp: tuple[int, int, int, int]
    size: int
    part: TextPart | None = None
    content: bytes = b""


def look_into(path: str, place: Place, asked: Range) -> Look:
    """Open a file and read what is wanted of it. Blocks: for a thread.

    Raises:
        ToolError: It cannot be read, or is no kind of file that can be shown.
    """
    try:
        with open_file(place) as opened:
            return _look(path, opened, asked)
    except FileNotFoundError as error:
        raise ToolError(f"No file at {path!r}. Use Glob to find it.") from error
    except RefusedFileError as error:
        raise ToolError(_refused(path, error.reason)) from error
    except NotADirectoryError as error:
        raise ToolError(
            f"No file at {path!r}: a name on the way to it is no directory. Use Glob to find it."
        ) from error
    except OSError as error:
        raise ToolError(f"{path!r} cannot be read: {error.strerror}.") from error


def _look(path: str, opened: OpenFile, asked: Range) -> Look:
    """Read what is wanted of an open file."""
    head = opened.read(HEAD_BYTES)
    size, stamp = opened.facts.st_size, stamp_of(opened.facts)
    nature = nature_of(head)
    if head and nature.kind is Kind.TEXT and path.lower().endswith(_NOTEBOOK):
        return Look(Kind.NOTEBOOK, stamp, size, content=_whole(path, opened, head))
    if nature.kind in {Kind.IMAGE, Kind.PDF}:
        return Look(nature.kind, stamp, size, content=_whole(path, opened, head))
    part = read_part(opened, head, asked.first, asked.lines) if nature.kind is Kind.TEXT else None
    if part is None:
        raise binary_refusal(path, nature, size)
    return Look(Kind.TEXT, stamp, size, part)


def _whole(path: str, opened: OpenFile, head: bytes) -> bytes:
    """Return all the bytes of a file.

    Raises:
        ToolError: There are too many.
    """
    content = head + opened.read(MAX_MEDIA_BYTES + 1 - len(head))
    if len(content) > MAX_MEDIA_BYTES:
        raise ToolError(
            f"{path} has {size_text(opened.facts.st_size)}, more than the"
            f" {size_text(MAX_MEDIA_BYTES)} that can be read of such a file."
        )
    return content


def _refused(path: str, reason: str) -> str:
    """Return why something is not opened, and what to do instead."""
    advice = " Use Glob to see its files." if "directory" in reason else ""
    return f"{path!r} cannot be read: {reason}.{advice}"


def nearest(path: str, context: ToolContext) -> str:
    """Return the name in the same directory that is most like one that does not exist, or nothing.

    A name that rules forbid to read is not told.
    """
    place = context.resolve(path)
    folder, name = PurePosixPath(place.real_text).parent, PurePosixPath(place.real_text).name
    try:
        with os.scandir(folder) as opened:
            names = [entry.name for _, entry in zip(range(_MAX_NAMES), opened, strict=False)]
    except OSError:
        return ""
    same = [one for one in names if one.casefold() == name.casefold()]
    for like in (*same, *difflib.get_close_matches(name, names, n=3)):
        if not context.withheld.holds(look_at(like, str(folder))):
            return shown_name(like)
    return ""
