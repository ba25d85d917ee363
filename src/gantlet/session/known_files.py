"""What one conversation knows of files."""

import json
import logging
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType

from gantlet.messages.value import replace
from gantlet.system import PrivateLines, make_private_folder, write_private
from gantlet.tool import Seen

_log = logging.getLogger(__name__)

#: How many bytes of contents are kept; beyond that the contents used least are dropped.
MAX_KEPT_BYTES = 64 * 1024 * 1024
#: Contents of this size and more are not kept at all.
MAX_CONTENT_BYTES = 32 * 1024 * 1024


class KnownFiles:
    """The knowledge of one conversation. May be used from any thread.

    That a file was seen, and by which hash, is kept as long as the session. Its content is kept as
    long as there is room; without it an edit of a file that changed elsewhere is judged by its own
    text alone. With a file to write to, what was seen outlives the program, for a session that is
    resumed; contents do not.
    """

    def __init__(self, file: Path | None = None, max_kept_bytes: int = MAX_KEPT_BYTES) -> None:
        self._file = file
        self._seen = dict(_read(file)) if file is not None else {}
        self._contents: OrderedDict[str, bytes] = OrderedDict()
        self._left = max_kept_bytes
        self._most = min(max_kept_bytes, MAX_CONTENT_BYTES)
        self._lock = threading.Lock()

    def note(self, path: str, seen: Seen) -> None:
        """Take note of what was shown of a file, or written to it."""
        with self._lock:
            known = self._seen.get(path)
            if seen.lines and known is not None and _is_same_content(known, seen):
                lines = _joined(known, seen)
                total = seen.total_lines or known.total_lines
                seen = replace(seen, lines=lines, total_lines=total)
            self._keep(path, seen.content)
            self._seen[path] = replace(seen, content=None)
            self._write(path)

    def recall(self, path: str) -> Seen | None:
        """Return what is known of a file, with its content where that was kept."""
        with self._lock:
            seen = self._seen.get(path)
            content = self._contents.get(path)
            if content is not None:
                self._contents.move_to_end(path)
        if seen is None or content is None:
            return seen
        return replace(seen, content=content)

    def mark_changed(self, path: str, by: str) -> None:
        """Take note that a call has changed a file; what was seen of it is still what was seen."""
        with self._lock:
            seen = self._seen.get(path)
            if seen is not None:
                self._seen[path] = replace(seen, changed_by=by)
                self._write(path)

    def known(self) -> Mapping[str, Seen]:
        """Return everything that is known, without the contents."""
        with self._lock:
            return MappingProxyType(dict(self._seen))

    def forget_showing(self) -> None:
        """Take note that the model cannot look up any more what it was shown: it was compacted."""
        with self._lock:
            for path, seen in self._seen.items():
                self._seen[path] = replace(seen, is_fresh=False)
            self._write(*self._seen)

    def _write(self, *paths: str) -> None:
        """Write down what is known of files; that it cannot be is no reason to stop anybody."""
        if self._file is None or not paths:
            return
        try:
            make_private_folder(self._file.parent)
            with PrivateLines(self._file, is_new=False) as lines:
                lines.mend()
                lines.add("\n".join(_line(path, self._seen[path]) for path in paths).encode())
        except OSError:
            _log.warning("What was seen of files cannot be written to %s.", self._file)
            self._file = None

    def _keep(self, path: str, content: bytes | None) -> None:
        """Keep a content in place of an older one, and make room for it."""
        self._left += len(self._contents.pop(path, b""))
        if content is None or len(content) > self._most:
            return
        while len(content) > self._left:
            _, dropped = self._contents.popitem(last=False)
            self._left += len(dropped)
        self._contents[path] = content
        self._left -= len(content)


def hand_on(source: Path, target: Path, left_behind: frozenset[str]) -> None:
    """Write down for a conversation what another has seen, or the same one at an earlier point.

    What calls have shown that it leaves behind does not count there. If that cannot be written,
    the files are read again.
    """
    known = dict(_read(source, left_behind))
    try:
        if known:
            make_private_folder(target.parent)
            lines = (_line(path, seen) for path, seen in known.items())
            write_private(target, "".join(f"{line}\n" for line in lines))
        else:
            target.unlink(missing_ok=True)
    except OSError:
        with suppress(OSError):
            target.unlink(missing_ok=True)


def _line(path: str, seen: Seen) -> str:
    """Return what is known of a file as it is written down."""
    known = (path, seen.digest, seen.stamp, seen.lines, seen.total_lines, seen.changed_by)
    return json.dumps([*known, seen.is_fresh, seen.shown_by])


def _read(file: Path, left_behind: frozenset[str] = frozenset()) -> Iterator[tuple[str, Seen]]:
    """Yield what a file says was seen, in that order; what cannot be read was not seen.

    Where some calls are left behind, what no call was named for may be theirs.
    """
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return
    without = left_behind | {""} if left_behind else left_behind
    for line in lines:
        with suppress(ValueError, TypeError):
            path, seen = _read_line(line)
            if seen.shown_by not in without and seen.changed_by not in left_behind:
                yield path, seen


def _read_line(line: bytes) -> tuple[str, Seen]:
    """Return what one line says.

    Raises:
        ValueError: It says nothing.
        TypeError: It says nothing.
    """
    path, digest, stamp, lines, total, changed_by, is_fresh, *more = json.loads(line)
    device, inode, size, changed_at = stamp or (0, 0, 0, 0)
    return str(path), Seen(
        str(digest),
        (device, inode, size, changed_at) if stamp else None,
        lines=tuple((int(first), int(last)) for first, last in lines),
        total_lines=int(total),
        is_fresh=bool(is_fresh),
        changed_by=str(changed_by),
        shown_by=str(more[0]) if more else "",
    )


def _is_same_content(known: Seen, seen: Seen) -> bool:
    """Return whether two showings were of the same content."""
    if known.digest and seen.digest:
        return known.digest == seen.digest
    return known.stamp is not None and known.stamp == seen.stamp


def _joined(known: Seen, seen: Seen) -> tuple[tuple[int, int], ...]:
    """Return the stretches of lines of both; none if one of them was everything."""
    if not known.lines:
        return ()
    merged: list[tuple[int, int]] = []
    for first, last in sorted((*known.lines, *seen.lines)):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last))
        else:
            merged.append((first, last))
    return tuple(merged)
