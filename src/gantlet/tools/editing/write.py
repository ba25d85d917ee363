"""Write a whole file."""

from pydantic import Field

from gantlet.tool import Rejected, ToolContext, ToolInput, ToolResult
from gantlet.tools.editing.editing_tool import EditingTool
from gantlet.tools.editing.patch import hunks
from gantlet.tools.editing.rewriting import difference, plan_write
from gantlet.tools.editing.snippet import numbered_text, original, with_notes


class WriteInput(ToolInput):
    """Which file, and all that it shall hold."""

    file_path: str = Field(min_length=1, description="The file to write, as an absolute path.")
    content: str = Field(description="All that the file shall hold.")


class Write(EditingTool[WriteInput]):
    """Creates a file, or replaces one whole."""

    name = "Write"
    aliases = ("FileWrite",)
    search_hint = "create a new file or overwrite it whole"
    description = (
        "Write a whole file; folders that are missing are made. A file that exists is replaced, and"
        " only if you have read all of it in this conversation and it has not changed since. Its"
        " mode, encoding and line endings stay. To change a part of a file use Edit, which needs"
        " less and cannot lose the rest."
    )
    input_type = WriteInput
    strict = True
    path_verb = "written"

    async def validate_input(self, args: WriteInput, context: ToolContext) -> Rejected | None:
        """Refuse what cannot be made, before anybody is asked about it."""
        return await self._desk.objection(
            context, args.file_path, lambda subject: plan_write(subject, args.content)
        )

    async def run(self, args: WriteInput, context: ToolContext) -> ToolResult[str]:
        """Write it."""
        path = args.file_path
        plan, done = await self._desk.change(
            context, path, lambda subject: plan_write(subject, args.content)
        )
        if plan.is_new:
            told = f"File created successfully at: {path}"
        else:
            told = (
                f"The file {path} has been updated. Here's the result of running `cat -n` on a"
                f" snippet of the edited file:\n{numbered_text(plan.after)}"
            )
        replacements = () if plan.before is None else difference(plan.before, plan.after)
        structured = {
            "type": "create" if plan.is_new else "update",
            "filePath": path,
            "content": args.content,
            "structuredPatch": hunks(plan.before or "", replacements),
            "originalFile": original(plan.before),
            "userModified": context.user_modified,
        }
        return ToolResult(with_notes(told, (*plan.notes, *done.notes)), structured=structured)
