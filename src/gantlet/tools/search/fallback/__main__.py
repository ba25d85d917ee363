"""The program: a query in, the same bytes out that ripgrep would write."""

import sys
from pathlib import Path

from gantlet.tools.search.fallback.answering import answer
from gantlet.tools.search.fallback.rejected import RejectedError
from gantlet.tools.search.query import read_query

_FOUND, _NOTHING, _REJECTED = 0, 1, 2
#: Deeper than any path that can be opened.
_MAX_DEPTH = 10_000


def main() -> int:
    """Answer the query that is the only argument."""
    sys.setrecursionlimit(_MAX_DEPTH)
    query = read_query(sys.argv[1])
    has_found = False
    try:
        for piece in answer(query, Path.cwd()):
            has_found = True
            sys.stdout.buffer.write(piece)
            sys.stdout.buffer.flush()
    except RejectedError as error:
        sys.stderr.write(f"rg: {error}\n")
        return _REJECTED
    return _FOUND if has_found else _NOTHING


if __name__ == "__main__":
    sys.exit(main())
