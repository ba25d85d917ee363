"""Replace, insert or delete one cell of a Jupyter notebook."""

from typing import Literal, TypeAlias

from pydantic import Field

from gantlet.messages.value import value
from gantlet.system import shown
from gantlet.tool import Rejected, ToolContext, ToolError, ToolInput, ToolResult
from gantlet.tools.editing.desk import OnDisk, Subject
from gantlet.tools.editing.editing_tool import EditingTool
from gantlet.tools.editing.notebook import Cell, Notebook, NotebookError, read_notebook
from gantlet.tools.editing.planning import encoded
from gantlet.tools.editing.snippet import original, with_notes

CellType: TypeAlias = Literal["code", "markdown"]
EditMode: TypeAlias = Literal["replace", "insert", "delete"]
_ONLY_CODE = ("outputs", "execution_count")


class NotebookEditInput(ToolInput):
    """Which cell of which notebook, and what shall become of it."""

    notebook_path: str = Field(
        min_length=1, description="The notebook to edit, as an absolute path."
    )
    cell_id: str | None = Field(
        None,
        description=(
            "The cell to edit, by its id as Read shows it. A new cell is inserted after it, and at"
            " the start without one."
        ),
    )
    new_source: str = Field(description="What the cell shall hold.")
    cell_type: CellType | None = Field(
        None, description="The kind of cell; needed to insert one, else it stays what it is."
    )
    edit_mode: EditMode = Field("replace", description="What to do.")


@value
class _NotebookPlan:
    """An edit of a notebook that can be made."""

    before: str
    after: str
    content: bytes
    cell_id: str
    cell_type: str
    language: str
    old_source: str | None
    notes: tuple[str, ...] = ()
    is_seen_whole: bool = True


class NotebookEdit(EditingTool[NotebookEditInput]):
    """Changes one cell, and leaves every other byte of the notebook as it is."""

    name = "NotebookEdit"
    search_hint = "change cells of a jupyter notebook ipynb"
    description = (
        "Change one cell of a Jupyter notebook (.ipynb): replace what it holds, insert a new cell"
        " after it, or delete it. Read the notebook first in this conversation; Read shows the ids"
        " of its cells. A code cell that is replaced loses its outputs."
    )
    input_type = NotebookEditInput
    should_defer = True
    path_fields = ("notebook_path",)

    async def validate_input(
        self, args: NotebookEditInput, context: ToolContext
    ) -> Rejected | None:
        """Refuse what makes no sense for any notebook."""
        if not args.notebook_path.endswith(".ipynb"):
            return Rejected(
                "File must be a Jupyter notebook (.ipynb file). For editing other file types, use"
                " the Edit tool.",
                1,
            )
        if args.edit_mode == "insert" and args.cell_type is None:
            return Rejected("Cell type is required when using edit_mode=insert.", 2)
        if args.edit_mode != "insert" and args.cell_id is None:
            return Rejected("Cell ID must be specified when not inserting a new cell.", 3)
        return await self._desk.objection(
            context, args.notebook_path, lambda subject: _plan(subject, args)
        )

    async def run(self, args: NotebookEditInput, context: ToolContext) -> ToolResult[str]:
        """Make the edit."""
        plan, done = await self._desk.change(
            context, args.notebook_path, lambda subject: _plan(subject, args)
        )
        told = {
            "replace": f"Updated cell {plan.cell_id} with {shown(args.new_source)}",
            "insert": f"Inserted cell {plan.cell_id} with {shown(args.new_source)}",
            "delete": f"Deleted cell {plan.cell_id}",
        }[args.edit_mode]
        structured = {
            "new_source": args.new_source,
            "old_source": plan.old_source,
            "cell_id": plan.cell_id,
            "cell_type": plan.cell_type,
            "language": plan.language,
            "edit_mode": args.edit_mode,
            "notebook_path": args.notebook_path,
            "original_file": original(plan.before),
            "updated_file": original(plan.after),
        }
        return ToolResult(with_notes(told, (*plan.notes, *done.notes)), structured=structured)


def _plan(subject: Subject, args: NotebookEditInput) -> _NotebookPlan:
    """Return how a notebook is edited.

    Raises:
        ToolError: It cannot be.
    """
    now = subject.now
    if now is None:
        raise ToolError(f"File does not exist: {subject.path}. To create a notebook, use Write.")
    if subject.seen is None:
        raise ToolError("File has not been read yet. Read it first before writing to it.")
    if now.text is None:
        raise ToolError(f"{subject.path} is no notebook: it is not text.")
    notebook = _read(subject.path, now.text.text)
    notes = _notes(subject, notebook, args)
    number = _number(notebook, args)
    after, cell, name = _edited(notebook, number, args)
    return _NotebookPlan(
        before=now.text.text,
        after=after,
        content=encoded(now.text.form, after),
        cell_id=name,
        cell_type=str(cell.get("cell_type")),
        language=notebook.language,
        old_source=None if args.edit_mode == "insert" else notebook.cells[number].source,
        notes=notes,
        is_seen_whole=not subject.seen.is_partial and not notes,
    )


def _read(path: str, text: str) -> Notebook:
    """Return a notebook, or say what is wrong with it."""
    try:
        return read_notebook(text)
    except NotebookError as error:
        raise ToolError(f"{path} cannot be edited as a notebook: {error}.") from error


def _number(notebook: Notebook, args: NotebookEditInput) -> int:
    """Return which cell is meant, from 0; for a new one, before which cell it comes."""
    if args.cell_id is None:
        return 0
    number = notebook.find(args.cell_id)
    if number is None:
        names = [notebook.name_of(at) for at in range(len(notebook.cells))]
        shown_names = ", ".join(names[:20]) + (", …" if len(names) > 20 else "")
        raise ToolError(
            f'Cell with ID "{args.cell_id}" not found in notebook. Its cells are:'
            f" {shown_names or 'none'}."
        )
    return number + 1 if args.edit_mode == "insert" else number


def _edited(notebook: Notebook, number: int, args: NotebookEditInput) -> tuple[str, Cell, str]:
    """Return the text after the edit, the cell, and the id under which it is known."""
    if args.edit_mode == "delete":
        span = notebook.cells[number]
        return notebook.deleted(number), span.cell, notebook.name_of(number)
    if args.edit_mode == "insert":
        fresh: Cell = {"cell_type": args.cell_type or "code"}
        if own := notebook.new_id():
            fresh["id"] = own
        cell = _filled({**fresh, "metadata": {}}, args)
        return notebook.inserted(number, cell), cell, own or f"cell-{number}"
    cell = _filled(notebook.cells[number].cell, args)
    return notebook.replaced(number, cell), cell, notebook.name_of(number)


def _filled(cell: Cell, args: NotebookEditInput) -> Cell:
    """Return a cell with a new source, and with the fields that its kind has."""
    kind = args.cell_type or cell.get("cell_type")
    filled = {**cell, "cell_type": kind, "source": args.new_source.splitlines(keepends=True)}
    if kind != "code":
        return {name: value for name, value in filled.items() if name not in _ONLY_CODE}
    filled.pop("attachments", None)
    filled.setdefault("metadata", {})
    return {**filled, "execution_count": None, "outputs": []}


def _notes(subject: Subject, notebook: Notebook, args: NotebookEditInput) -> tuple[str, ...]:
    """Return what to say of a notebook that has changed since it was seen.

    Raises:
        ToolError: The very cell has changed.
    """
    if not subject.is_stale:
        return ()
    assert subject.seen is not None
    content = subject.seen.content
    base = OnDisk(content, None).text if content is not None else None
    if base is None or args.cell_id is None:
        was = None
    else:
        seen = _read(subject.path, base.text)
        at = seen.find(args.cell_id)
        was = seen.cells[at].source if at is not None else None
    at = notebook.find(args.cell_id) if args.cell_id is not None else None
    if args.edit_mode != "insert" and at is not None and notebook.cells[at].source != was:
        raise ToolError(
            f"The notebook has been modified since read, and cell {args.cell_id} with it. Nothing"
            f" was written. Read it again. The cell now holds:\n{shown(notebook.cells[at].source)}"
        )
    return (
        "Note: the notebook had been changed elsewhere since you last read it. Your edit was made"
        " in it as it is now. Read it again to see the other changes.",
    )
