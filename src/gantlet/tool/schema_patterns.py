"""What matching a stranger's pattern can cost."""

import math
import re

from gantlet.messages.value import value
from gantlet.tool.errors import ToolDefinitionError

#: How often the matcher may go back before it gives up; then the text does not match.
BACKTRACK_LIMIT = 10_000
#: How much all patterns of a schema together may grow to when they are compiled.
MAX_COMPILED = 100_000
_MAX_REPEATS = 1_000_000

_COUNTED = re.compile(r"\{(\d{1,9})(?:,(\d{0,9}))?\}")
#: What the linear engine does not have: looking around, going back to a group, possessive repeats.
_BACKTRACKS = re.compile(r"\(\?(?:[=!>(]|<[=!])|\\[1-9kKG]|[*+?}]\+")


@value
class PatternCost:
    """What decides how long a pattern takes.

    Attributes:
        repeats: How often its counted repeats can copy a part of it.
        backtracks: Whether it needs the engine that goes back.
        compiled: How large it can become, by and large.
    """

    repeats: int
    backtracks: bool
    compiled: int

    def steps(self, chars: int) -> int:
        """Return about how many tenths of a microsecond a text of `chars` takes at the worst."""
        if self.backtracks:
            return 1 + min(chars, BACKTRACK_LIMIT) * chars * self.repeats // 64
        return 1 + chars * self.repeats // 10


def pattern_cost(pattern: str) -> PatternCost:
    """Read from a pattern what matching it can cost, without compiling it."""
    bounds = (int(most or least) for least, most in _COUNTED.findall(pattern))
    repeats = min(math.prod(max(bound, 1) for bound in bounds), _MAX_REPEATS)
    classes = 20 if "\\p" in pattern or "\\P" in pattern else 1  # those of Unicode are large
    compiled = len(pattern) // 20 + repeats * classes
    return PatternCost(repeats, _BACKTRACKS.search(pattern) is not None, compiled)


def check_together(patterns: dict[str, PatternCost]) -> None:
    """Refuse patterns that would fill the memory.

    Raises:
        ToolDefinitionError: They grow to too much when they are compiled.
    """
    if sum(cost.compiled for cost in patterns.values()) > MAX_COMPILED:
        raise ToolDefinitionError("The patterns of the input schema are too large.")
