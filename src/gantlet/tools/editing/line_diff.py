"""How two versions of a text differ, line by line, and where a stretch of one is in the other."""

from collections.abc import Sequence

from gantlet.messages.value import value
from gantlet.system import shown

#: Beyond this many pairs of differing lines, nothing more is told than that they differ.
MAX_PAIRS = 4_000_000


@value
class Block:
    """Lines that were replaced: `old[old_start:old_end]` became `new[new_start:new_end]`."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def split_lines(text: str) -> list[str]:
    r"""Return the lines of a text with their ends; only `\n` ends a line."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Return where two versions differ, in order. One block for all where that is too much."""
    head = _common(old, new, 0)
    tail = _common_tail(old, new, head)
    old_end, new_end = len(old) - tail, len(new) - tail
    if head == old_end and head == new_end:
        return []
    whole = Block(head, old_end, head, new_end)
    rows, columns = old_end - head, new_end - head
    if rows == 0 or columns == 0 or rows * columns > MAX_PAIRS:
        return [whole]
    import difflib  # noqa: PLC0415 - the named seam: only versions that differ pay for it

    matcher = difflib.SequenceMatcher(None, old[head:old_end], new[head:new_end], autojunk=False)
    return [
        Block(head + a, head + b, head + c, head + d)
        for kind, a, b, c, d in matcher.get_opcodes()
        if kind != "equal"
    ]


def _common(old: Sequence[str], new: Sequence[str], start: int) -> int:
    """Return how many lines at the start are the same."""
    most = min(len(old), len(new))
    at = start
    while at < most and old[at] == new[at]:
        at += 1
    return at


def _common_tail(old: Sequence[str], new: Sequence[str], head: int) -> int:
    """Return how many lines at the end are the same, of those after the same start."""
    most = min(len(old), len(new)) - head
    count = 0
    while count < most and old[-1 - count] == new[-1 - count]:
        count += 1
    return count


def moved(span: tuple[int, int], base: str, now: str) -> tuple[int, int] | None:
    """Return where a stretch of `base` is in `now`, both counted in characters.

    None if its lines are not there as they were.
    """
    old, new = split_lines(base), split_lines(now)
    first, last = base.count("\n", 0, span[0]), base.count("\n", 0, max(span[0], span[1] - 1))
    shift = 0
    for block in changed_blocks(old, new):
        if block.old_end <= first:
            shift = block.new_end - block.old_end
        elif block.old_start <= last:
            return None
    begin = sum(map(len, new[: first + shift])) + span[0] - sum(map(len, old[:first]))
    return begin, begin + span[1] - span[0]


def told_diff(base: str, now: str, max_lines: int) -> tuple[str, bool]:
    """Return how `now` differs from `base`, in the form of a patch, and whether that is all of it.

    Without lines around the changes.
    """
    old, new = split_lines(base), split_lines(now)
    told: list[str] = []
    for block in changed_blocks(old, new):
        told.append(
            f"@@ -{block.old_start + 1},{block.old_end - block.old_start}"
            f" +{block.new_start + 1},{block.new_end - block.new_start} @@"
        )
        told += [f"-{line}" for line in map(_shown_line, old[block.old_start : block.old_end])]
        told += [f"+{line}" for line in map(_shown_line, new[block.new_start : block.new_end])]
    if len(told) <= max_lines:
        return "\n".join(told), True
    return "\n".join([*told[:max_lines], f"… {len(told) - max_lines} more lines"]), False


def _shown_line(line: str) -> str:
    """Return a line as it is told; a line ending that is not plain is made visible."""
    ended = shown(line).removesuffix("\n")
    plain = ended.removesuffix("\r")
    return (plain if len(plain) <= 500 else f"{plain[:500]}…") + ("␍" if plain != ended else "")
