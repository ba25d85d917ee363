"""A session's file tools, called one by one, and what they leave on disk."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from builders import tool_use
from gantlet.session import ChangeLog, KnownFiles
from gantlet.system import Place, digest_of, locate
from gantlet.tool import (
    FILE_CHANGES,
    FILE_KNOWLEDGE,
    AnyTool,
    Judged,
    Parsed,
    Ports,
    Rejected,
    Seen,
    Surroundings,
    ToolContext,
    ToolError,
    ToolResult,
    parse,
)
from gantlet.tools.editing import Edit, MultiEdit, NotebookEdit, Write

CLASSES = (Edit, MultiEdit, NotebookEdit, Write)


@dataclass
class Workbench:
    """The tools of one conversation, in a folder of their own.

    Attributes:
        told: What programs are told of the last call.
        last_id: The id of the last call.
    """

    folder: Path
    knowledge: KnownFiles = field(default_factory=KnownFiles)
    told: Mapping[str, Any] = field(default_factory=dict)
    last_id: str = ""

    def __post_init__(self) -> None:
        self.changes = ChangeLog(self.folder / ".home", "session")
        ports = Ports({FILE_KNOWLEDGE: self.knowledge, FILE_CHANGES: self.changes})
        self.tools: dict[str, AnyTool] = {one.name: one.build(ports) for one in CLASSES}

    def path(self, name: str) -> Path:
        """Return a file of the folder."""
        return self.folder / name

    def show(self, name: str, content: bytes | None = None, **seen: Any) -> Path:
        """Show a file to the conversation, as reading it does; write it first if it is given."""
        path = self.path(name)
        if content is not None:
            path.write_bytes(content)
        now = path.read_bytes()
        facts = path.stat()
        stamp = (facts.st_dev, facts.st_ino, facts.st_size, facts.st_mtime_ns)
        self.knowledge.note(str(path), Seen(digest_of(now), stamp, now, **seen))
        return path

    async def call(self, tool_name: str, *, is_modified: bool = False, **given: Any) -> str:
        """Call a tool as the pipeline does, and return what the model reads."""
        return await self.call_at({}, tool_name, is_modified=is_modified, **given)

    async def call_at(
        self,
        places: Mapping[str, Place],
        tool_name: str,
        *,
        is_modified: bool = False,
        **given: Any,
    ) -> str:
        """Call a tool whose paths were judged to be at these places."""
        tool = self.tools[tool_name]
        parsed = parse(tool, given)
        assert isinstance(parsed, Parsed), parsed.message
        use = tool_use(tool_name, **given)
        self.last_id = use.id
        context = ToolContext(
            use, Surroundings(str(self.folder)), user_modified=is_modified, judged=Judged(places)
        )
        rejected = await tool.validate_input(parsed.args, context)
        if isinstance(rejected, Rejected):
            raise ToolError(rejected.message)
        result = await tool.run(parsed.args, context)
        assert isinstance(result, ToolResult)
        assert isinstance(result.structured, dict)
        self.told = result.structured
        shown = tool.to_result_block(result.data)
        assert isinstance(shown, str)
        shown.encode()  # what cannot be encoded cannot be sent
        return shown

    async def edit(self, name: str, old: str, new: str, **given: Any) -> str:
        """Edit a file of the folder."""
        path = str(self.path(name))
        return await self.call("Edit", file_path=path, old_string=old, new_string=new, **given)

    async def write(self, name: str, content: str) -> str:
        """Write a file of the folder."""
        return await self.call("Write", file_path=str(self.path(name)), content=content)

    def judged(self, name: str) -> dict[str, Place]:
        """Return where a path is now, as permission would judge it."""
        place = locate(name, str(self.folder))
        try:
            facts = Path(place.real_text).stat()
            inode = (facts.st_dev, facts.st_ino)
        except OSError:
            inode = (0, 0)
        return {str(self.path(name)): Place(place.lexical_text, place.real_text, inode)}
