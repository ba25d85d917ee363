"""Some lines of a text file: found in flat memory, however large it or its lines are."""

import codecs
from collections.abc import Iterable, Iterator

from gantlet.messages.value import value
from gantlet.system import OpenFile, digest_of, read_text
from gantlet.system.text_form import TextForm, detect

#: A longer line is cut.
MAX_LINE_CHARS = 2_000
#: Files up to this size are read whole, so that edits of them can be rebased.
WHOLE_BYTES = 8 * 1024 * 1024
#: Up to this size the lines of a file are counted to its end.
COUNTED_BYTES = 64 * 1024 * 1024
_SAMPLE_BYTES = 64 * 1024
#: No encoding takes more bytes for one character.
_BYTES_PER_CHAR = 4


@value
class TextPart:
    """Lines of a text.

    Attributes:
        lines: Each without its end; one that was too long says how much is missing.
        first: The number of the first of them.
        total: How many lines there are; None where nobody counted to the end.
        has_more: Whether lines follow.
        content: All the bytes, where they were read.
        cut: Which of the lines are not there whole, by their numbers.
    """

    lines: tuple[str, ...]
    first: int
    total: int | None
    has_more: bool
    content: bytes | None = None
    cut: frozenset[int] = frozenset()

    @property
    def digest(self) -> str:
        """The hash of the content, where all of it was read."""
        return digest_of(self.content) if self.content is not None else ""


def read_part(
    opened: OpenFile, head: bytes, first: int, limit: int, whole_bytes: int = WHOLE_BYTES
) -> TextPart | None:
    """Return `limit` lines from number `first` on, or None where the file is no text.

    `head` is what was already read of it. Files of more than `whole_bytes` are not kept whole.
    """
    size = opened.facts.st_size
    if size <= whole_bytes:
        content = head + opened.read(whole_bytes + 1 - len(head))
        if len(content) <= whole_bytes:
            return _of_content(content, first, limit)
        head = content  # it has grown while it was read
    sample = head + opened.read(_SAMPLE_BYTES - len(head))
    form = detect(_whole_characters(sample[:_SAMPLE_BYTES]))
    if form is None:
        return None
    counts = size <= COUNTED_BYTES
    return _streamed(_narrowed(sample, opened.chunks(), form), form, first, limit, counts=counts)


def _of_content(content: bytes, first: int, limit: int) -> TextPart | None:
    """Return lines of a file that was read whole."""
    read = read_text(content)
    if read is None:
        return None
    lines = _split(read.text)
    wanted = lines[first - 1 : first - 1 + limit]
    has_more = first - 1 + len(wanted) < len(lines)
    cut = frozenset(at for at, line in enumerate(wanted, first) if len(line) > MAX_LINE_CHARS)
    return TextPart(tuple(map(_cut, wanted)), first, len(lines), has_more, content, cut)


def _split(text: str) -> list[str]:
    r"""Return the lines of a text. Where no `\n` ends any, a `\r` does."""
    end = "\r" if "\r" in text and "\n" not in text else "\n"
    lines = text.split(end)
    if not lines[-1]:
        lines.pop()
    return lines


def _cut(line: str, more: int = 0) -> str:
    """Return a line that is not too long; `more` characters of it were not even read."""
    if len(line) <= MAX_LINE_CHARS and not more:
        return line
    kept = line[:MAX_LINE_CHARS]
    return f"{kept}… [{len(line) - len(kept) + more:,} more characters]"


def _whole_characters(sample: bytes) -> bytes:
    """Return a sample without the bytes of a character that is cut off at its end."""
    for cut in range(_BYTES_PER_CHAR):
        kept = sample[: len(sample) - cut]
        try:
            kept.decode("utf-8")
        except UnicodeDecodeError:
            continue
        return kept
    return sample


def _narrowed(head: bytes, chunks: Iterable[bytes], form: TextForm) -> Iterator[bytes]:
    r"""Yield a text piece by piece in an encoding in which a byte `\n` ends each line."""
    if not form.encoding.startswith(("utf-16", "utf-32")):
        yield head[len(form.mark) :]
        yield from chunks
        return
    decoder = codecs.getincrementaldecoder(form.encoding)("surrogatepass")
    yield decoder.decode(head[len(form.mark) :]).encode("utf-8", "surrogatepass")
    for chunk in chunks:
        yield decoder.decode(chunk).encode("utf-8", "surrogatepass")


def _streamed(
    pieces: Iterator[bytes], form: TextForm, first: int, limit: int, *, counts: bool
) -> TextPart:
    """Return lines out of a stream of bytes; the rest is only counted, or not even read."""
    lines = _Lines(first, limit)
    for piece in pieces:
        lines.take(piece)
        if lines.is_full and not counts:
            break
    lines.end()
    wide = form.encoding.startswith(("utf-16", "utf-32"))
    encoding, errors = ("utf-8", "surrogatepass") if wide else (form.encoding, "surrogateescape")
    read = [(line.decode(encoding, errors), more) for line, more in map(_whole_line, lines.kept)]
    shown = tuple(_cut(line, more) for line, more in read)
    cut = frozenset(
        at for at, (line, more) in enumerate(read, first) if more or len(line) > MAX_LINE_CHARS
    )
    is_counted = counts or not lines.is_full
    total = lines.seen if is_counted else None
    has_more = lines.seen > first - 1 + len(shown) or not is_counted
    return TextPart(shown, first, total, has_more, cut=cut)


def _whole_line(kept: tuple[bytes, int]) -> tuple[bytes, int]:
    """Return a line that ends in a whole character, and how many bytes of it are missing."""
    line, more = kept
    return (_whole_characters(line), more) if more else kept


class _Lines:
    """Takes lines out of pieces of bytes. Of a long line only its beginning is kept."""

    _MAX_BYTES = MAX_LINE_CHARS * _BYTES_PER_CHAR

    def __init__(self, first: int, limit: int) -> None:
        self._skip = first - 1
        self._limit = limit
        self._open = b""
        self._more = 0
        self._is_open = False
        self.seen = 0
        self.kept: list[tuple[bytes, int]] = []

    @property
    def is_full(self) -> bool:
        """Whether all the lines that are wanted are there."""
        return len(self.kept) >= self._limit

    def take(self, piece: bytes) -> None:
        """Take a piece: count the lines that are not wanted, keep the others."""
        at = 0
        while at < len(piece):
            if self.is_full or self.seen < self._skip:
                at = self._pass_over(piece, at)
                continue
            end = piece.find(b"\n", at)
            if end < 0:
                self._grow(piece[at:])
                return
            self._grow(piece[at:end])
            self._close()
            at = end + 1

    def _pass_over(self, piece: bytes, at: int) -> int:
        """Count lines that are not wanted; return where the first that is wanted begins."""
        found = piece.count(b"\n", at)
        if self.is_full or self.seen + found < self._skip:
            self.seen += found
            self._is_open = not piece.endswith(b"\n")
            return len(piece)
        while self.seen < self._skip:
            at = piece.index(b"\n", at) + 1
            self.seen += 1
        self._is_open = False
        return at

    def _grow(self, part: bytes) -> None:
        """Add to the line that is being read."""
        room = self._MAX_BYTES - len(self._open)
        self._open += part[: max(room, 0)]
        self._more += len(part) - min(len(part), max(room, 0))
        self._is_open = True

    def _close(self) -> None:
        """End the line that is being read."""
        self.kept.append((self._open, self._more))
        self._open, self._more, self._is_open = b"", 0, False
        self.seen += 1

    def end(self) -> None:
        """End the last line, which may lack its end."""
        if not self._is_open:
            return
        if self.is_full or self.seen < self._skip:
            self.seen += 1
        else:
            self._close()
