"""Regular expressions that people write into scripts."""

import re
import warnings


class PatternError(ValueError):
    """A text is not a regular expression, or may not mean what it seems to."""


def compiled(source: str) -> re.Pattern[str]:
    """Return the regular expression in a text.

    Raises:
        PatternError: It is none, or Python warns about it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return re.compile(source)
    except (re.error, OverflowError, RecursionError, Warning) as error:
        raise PatternError(f"not a regular expression: {error}") from error
