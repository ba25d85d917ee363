"""Lines of a file as a model reads them, and what must be said about them."""

from collections.abc import Mapping
from itertools import accumulate

from gantlet.messages.value import value
from gantlet.tool import ToolError, ToolResult, numbered
from gantlet.tools.reading.kinds import Nature
from gantlet.tools.reading.text_part import TextPart

#: How many lines are shown where nobody says how many.
DEFAULT_LINES = 2_000
#: What may be shown at once, in tokens, unless the environment says otherwise.
DEFAULT_TOKENS = 25_000
_TOKENS = "CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS"
_CHARS_PER_TOKEN = 4
#: How much more a call may have that asks for it.
_LARGE = 4
_UNITS = ("bytes", "KB", "MB", "GB", "TB")

#: Some of a file, but no whole line of it.
SOME = ((1, 0),)
EMPTY = "Warning: the file exists but the contents are empty."


@value
class Range:
    """Which lines were asked for.

    Attributes:
        limit: How many; None where nobody said.
        is_whole: Nobody asked for a part, so a part may be given instead of an error.
    """

    first: int
    limit: int | None
    is_whole: bool

    @classmethod
    def of(cls, offset: int | None, limit: int | None) -> "Range":
        """Return what an offset and a limit mean: 0 is as good as 1."""
        return cls(max(offset or 1, 1), limit, offset is None and limit is None)

    @property
    def lines(self) -> int:
        """How many lines are wanted at the most."""
        return self.limit or DEFAULT_LINES


def max_chars(variables: Mapping[str, str], *, allow_large: bool) -> int:
    """Return how many characters may be shown at once."""
    given = variables.get(_TOKENS, "")
    tokens = int(given) if given.isdecimal() and int(given) > 0 else DEFAULT_TOKENS
    return tokens * _CHARS_PER_TOKEN * (_LARGE if allow_large else 1)


def reminder(text: str) -> str:
    """Return a remark that is not part of the file."""
    return f"<system-reminder>{text}</system-reminder>"


def text_answer(
    path: str, part: TextPart, asked: Range, most: int
) -> tuple[ToolResult[object], tuple[tuple[int, int], ...]]:
    """Return lines as a model reads them, and which were shown whole: none means all there are.

    Raises:
        ToolError: A part was asked for that is too large to be shown.
    """
    if not part.lines:
        lines = () if part.total == 0 else SOME
        return ToolResult(_nothing(part, asked), structured=_structured(path, part, 0)), lines
    text = numbered(part.lines, part.first)
    shown = len(part.lines)
    if len(text) > most:
        shown = _fitting(part, most)
        if not asked.is_whole or shown == 0:
            raise ToolError(_too_large(part, len(text), most, shown))
        text = numbered(part.lines[:shown], part.first)
    last = part.first + shown - 1
    structured = _structured(path, part, shown, is_cut=shown < len(part.lines))
    if asked.limit is None and (part.has_more or shown < len(part.lines)):
        text += f"\n{reminder(_partial(part, last))}"
    return ToolResult(text, structured=structured), _lines_shown(part, last)


def _lines_shown(part: TextPart, last: int) -> tuple[tuple[int, int], ...]:
    """Return the stretches of lines that were shown whole; none means all that the file has."""
    cut = sorted(number for number in part.cut if number <= last)
    if not cut and part.first == 1 and not part.has_more and last == len(part.lines):
        return ()
    begins, ends = [part.first, *(number + 1 for number in cut)], [*(n - 1 for n in cut), last]
    stretches = tuple((begin, end) for begin, end in zip(begins, ends, strict=True) if begin <= end)
    return stretches or SOME


def _nothing(part: TextPart, asked: Range) -> str:
    """Return what is said where there is no line to show."""
    if part.total == 0:
        return reminder(EMPTY)
    count = f"{part.total:,} line{'' if part.total == 1 else 's'}"
    return reminder(
        "Warning: the file exists but is shorter than the provided offset"
        f" ({asked.first}). The file has {count}."
    )


def _fitting(part: TextPart, most: int) -> int:
    """Return how many lines can be shown."""
    sizes = accumulate(len(numbered([line])) + 1 for line in part.lines)
    return sum(1 for size in sizes if size <= most)


def _partial(part: TextPart, last: int) -> str:
    """Return the words for a part that is shown though nobody asked for one."""
    total = f" of {part.total:,}" if part.total is not None else ""
    return (
        f"This is a PARTIAL view: lines {part.first}-{last}{total}."
        f" Use offset={last + 1} to read on, or Grep to find what you need."
    )


def _too_large(part: TextPart, size: int, most: int, fitting: int) -> str:
    """Return why a part is not shown, and which would be."""
    advice = f"Use limit={fitting}" if fitting else "Use Grep to find what you need"
    return (
        f"Lines {part.first}-{part.first + len(part.lines) - 1} have about"
        f" {size // _CHARS_PER_TOKEN:,} tokens, more than the {most // _CHARS_PER_TOKEN:,} that can"
        f" be shown at once. {advice}."
    )


def _structured(
    path: str, part: TextPart, shown: int, *, is_cut: bool = False
) -> dict[str, object]:
    """Return the same for programs."""
    file: dict[str, object] = {
        "filePath": path,
        "content": "\n".join(part.lines[:shown]),
        "numLines": shown,
        "startLine": part.first,
        "totalLines": part.total,
    }
    if is_cut:
        file["truncatedByTokenCap"] = True
    return {"type": "text", "file": file}


def unchanged(path: str) -> ToolResult[object]:
    """Return what is said instead of the same again."""
    text = (
        f"{path} has not changed since you read it in this conversation. What you read there still"
        " holds; look there instead of reading it again."
    )
    return ToolResult(text, structured={"type": "file_unchanged", "file": {"filePath": path}})


def binary_refusal(path: str, nature: Nature, size: int) -> ToolError:
    """Return why a file is not shown, and what it is."""
    what = nature.name or "no text in any encoding that is known"
    return ToolError(
        f"{path} is a binary file ({what}, {size_text(size)}), which cannot be shown. Use a program"
        " for such files in a shell, such as `file`, `xxd` or `strings`."
    )


def size_text(size: float) -> str:
    """Return a size in the unit that reads best."""
    for unit in _UNITS:
        if size < 1024 or unit == _UNITS[-1]:
            number = f"{size:,.0f}" if unit == _UNITS[0] else f"{size:,.1f}"
            return f"{number} {unit}"
        size /= 1024
    raise AssertionError("the last unit fits all")
