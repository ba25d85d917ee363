"""The part of a file that an edit changed, with line numbers, for the model that made it."""

from collections.abc import Sequence

from gantlet.system import shown
from gantlet.tool import numbered
from gantlet.tools.editing.patch import Replacement, line_end, line_start

_LINES_AROUND = 4
MAX_CHARS = 16_000
#: The most of an old file that a program is handed along with the result.
MAX_ORIGINAL_CHARS = 1_000_000


def snippet(after: str, replacement: Replacement) -> str:
    """Return the lines around a replacement, the first one that was made, in the text after it."""
    start = line_start(after, replacement.start, _LINES_AROUND)
    last = max(replacement.start, replacement.start + len(replacement.new) - 1)
    end = line_end(after, last, _LINES_AROUND)
    return numbered_text(after[start:end], after.count("\n", 0, start) + 1)


def numbered_text(text: str, first: int = 1) -> str:
    """Return a text with line numbers, not more than can be read."""
    cut = text[:MAX_CHARS]
    lines = cut.split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    told = numbered(lines, first)
    left = text.count("\n", len(cut))
    return told if len(cut) == len(text) else f"{told}…\n… {left} more lines"


def original(text: str | None) -> str | None:
    """Return a file's old text for programs, or None where it is too long to hand along."""
    return None if text is None or len(text) > MAX_ORIGINAL_CHARS else shown(text)


def with_notes(told: str, notes: Sequence[str]) -> str:
    """Return a result with what else is to be said."""
    return "\n\n".join([told, *notes])
