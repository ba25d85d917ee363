"""Answers the same queries where no ripgrep runs: a program of its own, in a process of its own.

Python's regular expressions can take for ever, and nothing stops them but the end of a process.
What it knows of names serves others too.
"""

from gantlet.tools.search.fallback.ignores import fitting
from gantlet.tools.search.fallback.rejected import RejectedError
from gantlet.tools.search.fallback.types import of_type

__all__ = ["RejectedError", "fitting", "of_type"]
