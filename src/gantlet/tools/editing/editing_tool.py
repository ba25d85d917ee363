"""What tools that change one file have in common."""

from typing import Generic, Self, TypeVar

from gantlet.tool import Access, File, PathKind, Ports, Tool, Traits
from gantlet.tools.editing.desk import Desk

_Args = TypeVar("_Args")


class EditingTool(Tool[_Args], Generic[_Args]):
    """A tool that changes the file its `path_fields` name."""

    path_fields = ("file_path",)
    path_kind: PathKind = "edit"

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    @classmethod
    def build(cls, ports: Ports) -> Self:
        """Take what the session knows of files, and its log of changes."""
        return cls(Desk.of(ports))

    def traits(self, args: _Args) -> Traits:
        """Changes one file; edits of others may run beside it."""
        writes = {File(path) for path in self.paths(args)}
        return Traits(access=Access(writes=writes), open_world=False)
