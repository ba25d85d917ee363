"""Lines with their numbers, as a model reads files."""

from collections.abc import Iterable

from gantlet.system import shown

#: What stands between a number and its line.
ARROW = "→"


def numbered(lines: Iterable[str], first: int = 1) -> str:
    r"""Return lines with their numbers before them, the way `cat -n` does.

    A line comes without its `\n`; a `\r` at its end is left out, and bytes that are no text are
    replacement characters.
    """
    return "\n".join(
        f"{number:>6}{ARROW}{shown(line.removesuffix(chr(13)))}"
        for number, line in enumerate(lines, start=first)
    )
