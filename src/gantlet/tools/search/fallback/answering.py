"""From a query to the bytes that ripgrep would write."""

import os
from collections.abc import Iterator
from pathlib import Path

from gantlet.tools.search.fallback.regex import LineEnds, Regex, compile_regex
from gantlet.tools.search.fallback.scanning import Scan, read_text
from gantlet.tools.search.fallback.walking import meant_files
from gantlet.tools.search.query import Mode, Query


def answer(query: Query, folder: Path) -> Iterator[bytes]:
    """Yield what is written about each file below a folder in which something was found.

    Raises:
        RejectedError: The query makes no sense.
    """
    if query.mode is Mode.LIST:
        yield from (os.fsencode(path) + b"\0" for path in meant_files(query, folder))
        return
    ends = LineEnds(crlf=query.ends_lines_at_crlf, may_match=query.multiline)
    regex = compile_regex(query.pattern, ends, ignores_case=query.ignores_case)
    for path in meant_files(query, folder):
        text = read_text(folder / path, is_named=query.target != "./")
        if text is not None:
            yield from _about(path, text, regex, query)


def _about(path: str, text: str, regex: Regex, query: Query) -> Iterator[bytes]:
    """Yield what is written about one file, if something was found in it."""
    scan = Scan(path, text, regex, query)
    if not scan.stretches:
        return
    if query.mode is Mode.FILES:
        yield os.fsencode(path) + b"\0"
    elif query.mode is Mode.COUNT:
        yield os.fsencode(path) + b"\0" + f"{scan.count}\n".encode()
    else:
        written = "\n".join(scan.records()) + "\n"
        yield written.encode(errors="surrogateescape")
