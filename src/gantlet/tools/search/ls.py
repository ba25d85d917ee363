"""List a directory, as an older tool did."""

import os
from fnmatch import fnmatchcase
from functools import partial
from itertools import islice

from pydantic import Field

from gantlet.messages.value import value
from gantlet.system import run_in_thread, shown_name
from gantlet.tool import Access, File, Tool, ToolContext, ToolError, ToolInput, Traits
from gantlet.tools.search.scope import Scope, path_order, scope_of

MAX_ENTRIES = 1_000
#: So many entries are looked at before a directory counts as too large to sort.
_MAX_LOOKED_AT = 100_000


class LSInput(ToolInput):
    """Which directory to list."""

    path: str = Field(min_length=1, description="Directory to list.")
    ignore: list[str] = Field(
        default_factory=list, max_length=100, description="Names to leave out, as globs."
    )


class LS(Tool[LSInput]):
    """Lists one directory. It is not shown to models any more, but answers those who know it."""

    name = "LS"
    description = "List the files and directories in a directory. Directories end in a slash."
    input_type = LSInput
    hidden = True
    path_fields = ("path",)

    def traits(self, args: LSInput) -> Traits:
        """Read a directory, and leave it as it is."""
        return Traits(read_only=True, access=Access(reads={File(args.path)}), open_world=False)

    async def run(self, args: LSInput, context: ToolContext) -> str:
        """List it."""
        scope = scope_of(args.path, context)
        if scope.is_file:
            raise ToolError(f"{args.path!r} is a file. Read it, or name a directory.")
        return await run_in_thread(partial(_listed, scope, args))


@value
class _Entry:
    """One name in a directory, as it is shown."""

    name: str
    is_folder: bool


def _listed(scope: Scope, args: LSInput) -> str:
    """Return the entries of a directory that may be shown, by name."""
    try:
        with os.scandir(scope.folder) as opened:
            entries = [
                _Entry(entry.name, entry.is_dir())
                for entry in islice(opened, _MAX_LOOKED_AT)
                if not any(fnmatchcase(entry.name, glob) for glob in args.ignore)
            ]
    except OSError as error:
        raise ToolError(f"{args.path!r} cannot be listed: {error.strerror}.") from error
    visible = scope.visible(entries, lambda entry: entry.name)
    visible.sort(key=lambda entry: path_order(entry.name))
    shown = [f"- {shown_name(entry.name)}{'/' if entry.is_folder else ''}" for entry in visible]
    more = len(shown) - MAX_ENTRIES
    if more > 0:
        shown = [*shown[:MAX_ENTRIES], f"[{more:,} more. Use Glob to find what you need.]"]
    lines = shown or ["[The directory is empty.]"]
    return "\n".join([f"{shown_name(scope.place.lexical_text).rstrip('/')}/", *lines])
