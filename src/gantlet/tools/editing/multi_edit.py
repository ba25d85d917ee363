"""Several edits of one file at once: an old tool, for those who still call it."""

from pydantic import Field

from gantlet.messages.value import replace
from gantlet.tool import Rejected, ToolContext, ToolError, ToolInput, ToolResult
from gantlet.tools.editing.desk import OnDisk, Subject
from gantlet.tools.editing.edit import MODIFIED_NOTE, SAME_STRINGS
from gantlet.tools.editing.editing_tool import EditingTool
from gantlet.tools.editing.patch import hunks
from gantlet.tools.editing.planning import Change, EditPlan, plan_edit
from gantlet.tools.editing.rewriting import difference
from gantlet.tools.editing.snippet import original, with_notes

_MAX_QUOTED_CHARS = 200


class OneEdit(ToolInput):
    """One of the edits."""

    old_string: str = Field(description="The text to replace.")
    new_string: str = Field(description="The text to put in its place.")
    replace_all: bool = Field(False, description="Replace every occurrence.")


class MultiEditInput(ToolInput):
    """Which file, and what shall be changed in it."""

    file_path: str = Field(min_length=1, description="The file to edit, as an absolute path.")
    edits: list[OneEdit] = Field(
        min_length=1, description="The edits, each made in what the one before left."
    )


class MultiEdit(EditingTool[MultiEditInput]):
    """Makes several edits one after another, or none of them."""

    name = "MultiEdit"
    hidden = True
    description = (
        "Make several edits of one file, each in what the one before left. All are made, or none."
    )
    input_type = MultiEditInput

    async def validate_input(self, args: MultiEditInput, context: ToolContext) -> Rejected | None:
        """Refuse what cannot be made, before anybody is asked about it."""
        if any(edit.old_string == edit.new_string for edit in args.edits):
            return Rejected(SAME_STRINGS, 1)
        changes = _changes_of(args)
        return await self._desk.objection(
            context, args.file_path, lambda subject: _plan_all(subject, changes)
        )

    async def run(self, args: MultiEditInput, context: ToolContext) -> ToolResult[str]:
        """Make the edits."""
        changes = _changes_of(args)
        plan, done = await self._desk.change(
            context, args.file_path, lambda subject: _plan_all(subject, changes)
        )
        note = MODIFIED_NOTE if context.user_modified else ""
        told = [f"Applied {len(changes)} edits to {args.file_path}{note}:"]
        told += [f"{at}. {_told(change)}" for at, change in enumerate(changes, start=1)]
        structured = {
            "filePath": args.file_path,
            "edits": [edit.model_dump() for edit in args.edits],
            "originalFileContents": original(plan.before),
            "structuredPatch": hunks(plan.before or "", plan.replacements),
            "userModified": context.user_modified,
        }
        notes = (*plan.notes, *done.notes)
        return ToolResult(with_notes("\n".join(told), notes), structured=structured)


def _changes_of(args: MultiEditInput) -> list[Change]:
    """Return what an input asks for."""
    return [Change(one.old_string, one.new_string, one.replace_all) for one in args.edits]


def _plan_all(subject: Subject, changes: list[Change]) -> EditPlan:
    """Return how all the edits are made, one after another.

    Raises:
        ToolError: One of them cannot be made; then none is.
    """
    first = plan_edit(subject, changes[0])
    plan = first
    for number, change in enumerate(changes[1:], start=2):
        try:
            plan = plan_edit(_after(subject, plan), change)
        except ToolError as error:
            raise ToolError(f"Edit {number} cannot be made, so none was. {error}") from error
    return replace(
        plan,
        before=first.before,
        replacements=difference(first.before or "", plan.after),
        notes=first.notes,
        is_seen_whole=first.is_seen_whole,
    )


def _after(subject: Subject, plan: EditPlan) -> Subject:
    """Return the file as an edit leaves it, which counts as seen."""
    facts = subject.now.facts if subject.now is not None else None
    now = OnDisk(plan.content, facts)
    return replace(subject, now=now, seen=now.as_seen())


def _told(change: Change) -> str:
    """Return one edit in a line."""
    verb = "Replaced all of" if change.replace_all else "Replaced"
    return f'{verb} "{_cut(change.old)}" with "{_cut(change.new)}"'


def _cut(text: str) -> str:
    """Return a text at a length that can be read."""
    return text if len(text) <= _MAX_QUOTED_CHARS else f"{text[:_MAX_QUOTED_CHARS]}…"
