"""Kinds of files, by the names ripgrep has for them."""

import json
from collections.abc import Callable
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

from gantlet.tools.search.fallback.rejected import RejectedError

TYPES_FILE = "types.json"
_EVERY_TYPE = "all"


def of_type(file_type: str) -> Callable[[str], bool]:
    """Return what decides whether a file is of a type, by its name or path.

    Raises:
        RejectedError: There is no such type.
    """
    types = _types()
    if file_type == _EVERY_TYPE:
        globs = [glob for listed in types.values() for glob in listed]
    elif file_type in types:
        globs = types[file_type]
    else:
        raise RejectedError(f"unrecognized file type: {file_type}")
    return lambda path: any(fnmatchcase(path.rpartition("/")[2], glob) for glob in globs)


@cache
def _types() -> dict[str, list[str]]:
    """Return the globs of each type."""
    text = (Path(__file__).parent / TYPES_FILE).read_text(encoding="utf-8")
    types: dict[str, list[str]] = json.loads(text)
    return types
