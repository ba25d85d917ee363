"""Replace a text in a file by another."""

from pydantic import Field

from gantlet.system import shown
from gantlet.tool import Rejected, ToolContext, ToolInput, ToolResult
from gantlet.tools.editing.editing_tool import EditingTool
from gantlet.tools.editing.patch import hunks
from gantlet.tools.editing.planning import Change, EditPlan, find_edit, plan_edit
from gantlet.tools.editing.snippet import original, snippet, with_notes

SAME_STRINGS = "No changes to make: old_string and new_string are exactly the same."
MODIFIED_NOTE = ".  The user modified your proposed changes before accepting them. "


class EditInput(ToolInput):
    """Which text of which file, and what shall stand there."""

    file_path: str = Field(min_length=1, description="The file to edit, as an absolute path.")
    old_string: str = Field(
        description=(
            "The text to replace, exactly as the file has it. Empty to create a file that does not"
            " exist."
        )
    )
    new_string: str = Field(description="The text to put in its place.")
    replace_all: bool = Field(False, description="Replace every occurrence instead of exactly one.")


class Edit(EditingTool[EditInput]):
    """Replaces one text by another and touches nothing else."""

    name = "Edit"
    aliases = ("FileEdit",)
    search_hint = "change replace text inside an existing file"
    description = (
        "Replace a text in a file that you have read in this conversation. `old_string` must match"
        " exactly, indentation included, without the line numbers Read puts in front; and it must"
        " match once: give enough lines around it, or set `replace_all`. Line endings and encoding"
        " stay as they are. If the file has changed elsewhere since you read it, the edit is still"
        " made and the result tells what changed. Prefer this to Write for files that exist."
    )
    input_type = EditInput
    strict = True

    async def validate_input(self, args: EditInput, context: ToolContext) -> Rejected | None:
        """Refuse what cannot be made, before anybody is asked about it."""
        if args.old_string == args.new_string:
            return Rejected(SAME_STRINGS, 1)
        change = _change_of(args)
        return await self._desk.objection(
            context, args.file_path, lambda subject: find_edit(subject, change)
        )

    async def run(self, args: EditInput, context: ToolContext) -> ToolResult[str]:
        """Make the edit."""
        change = _change_of(args)
        plan, done = await self._desk.change(
            context, args.file_path, lambda subject: plan_edit(subject, change)
        )
        told = result_text(args.file_path, change, plan, is_modified=context.user_modified)
        structured = {
            "filePath": args.file_path,
            "oldString": args.old_string,
            "newString": args.new_string,
            "originalFile": original(plan.before),
            "structuredPatch": hunks(plan.before or "", plan.replacements),
            "userModified": context.user_modified,
            "replaceAll": args.replace_all,
        }
        return ToolResult(with_notes(told, (*plan.notes, *done.notes)), structured=structured)


def _change_of(args: EditInput) -> Change:
    """Return what an input asks for."""
    return Change(args.old_string, args.new_string, args.replace_all)


def result_text(path: str, change: Change, plan: EditPlan, *, is_modified: bool) -> str:
    """Return what the model is told of an edit."""
    note = MODIFIED_NOTE if is_modified else ""
    if change.replace_all:
        return (
            f"The file {path} has been updated{note}. All occurrences of '{shown(change.old)}' were"
            f" successfully replaced with '{shown(change.new)}'."
        )
    return (
        f"The file {path} has been updated{note}. Here's the result of running `cat -n` on a"
        f" snippet of the edited file:\n{snippet(plan.after, plan.replacements[0])}"
    )
