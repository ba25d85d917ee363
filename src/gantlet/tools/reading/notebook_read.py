"""Read a notebook, as an older tool did."""

from collections.abc import Mapping
from functools import partial

from pydantic import Field

from gantlet.messages import Block
from gantlet.messages.value import replace
from gantlet.system import digest_of, run_in_thread
from gantlet.tool import (
    ENVIRONMENT,
    FILE_KNOWLEDGE,
    UNBOUNDED,
    Access,
    File,
    FileKnowledge,
    Ports,
    Seen,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    Traits,
)
from gantlet.tools.reading.answers import Range, max_chars
from gantlet.tools.reading.kinds import Kind
from gantlet.tools.reading.notebooks import read_notebook, show_cell, show_cells
from gantlet.tools.reading.opening import look_into


class NotebookReadInput(ToolInput):
    """Which notebook, and perhaps which cell."""

    notebook_path: str = Field(min_length=1, description="Notebook to read.")
    cell_id: str | None = Field(None, description="Id of the only cell to show.")


class NotebookRead(Tool[NotebookReadInput]):
    """Shows a notebook. Models are told of Read instead, but those who know this one may use it."""

    name = "NotebookRead"
    description = "Read a Jupyter notebook (.ipynb): its cells with their outputs, or one cell."
    input_type = NotebookReadInput
    hidden = True
    path_fields = ("notebook_path",)
    max_result_chars = UNBOUNDED

    def __init__(self, knowledge: FileKnowledge, variables: Mapping[str, str]) -> None:
        self._knowledge = knowledge
        self._variables = variables

    @classmethod
    def build(cls, ports: Ports) -> "NotebookRead":
        """Share what the session knows of files."""
        return cls(ports.need(FILE_KNOWLEDGE), ports.need(ENVIRONMENT).variables)

    def traits(self, args: NotebookReadInput) -> Traits:
        """Read one file, and leave it as it is."""
        access = Access(reads={File(args.notebook_path)})
        return Traits(read_only=True, access=access, open_world=False)

    async def run(self, args: NotebookReadInput, context: ToolContext) -> tuple[Block, ...]:
        """Show the cells."""
        path, place = args.notebook_path, context.resolve(args.notebook_path)
        look = await run_in_thread(partial(look_into, path, place, Range.of(None, None)))
        if look.kind is not Kind.NOTEBOOK:
            raise ToolError(f"{path} is no notebook: its name does not end in .ipynb. Use Read.")
        cells = await run_in_thread(partial(read_notebook, path, look.content))
        if args.cell_id is not None:
            blocks, is_whole = show_cell(path, cells, args.cell_id), False
        else:
            most = max_chars(self._variables, allow_large=False)
            part = show_cells(path, cells, Range.of(None, None), most)
            blocks, is_whole = part.blocks, part.is_whole
        lines = () if is_whole else ((1, 0),)
        seen = Seen(digest_of(look.content), look.stamp, look.content, lines)
        self._knowledge.note(place.real_text, replace(seen, shown_by=context.call.id))
        return blocks
