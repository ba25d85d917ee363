"""Read a file: text, a picture, a PDF or a notebook."""

from collections.abc import Mapping
from functools import partial

from pydantic import Field

from gantlet.messages.value import replace, value
from gantlet.system import Place, digest_of, run_in_thread
from gantlet.tool import (
    ENVIRONMENT,
    FILE_KNOWLEDGE,
    UNBOUNDED,
    Access,
    File,
    FileKnowledge,
    Ports,
    Rejected,
    Seen,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    Traits,
)
from gantlet.tools.reading.answers import (
    DEFAULT_LINES,
    SOME,
    Range,
    max_chars,
    text_answer,
    unchanged,
)
from gantlet.tools.reading.kinds import Kind
from gantlet.tools.reading.media import scale_picture
from gantlet.tools.reading.notebooks import read_notebook, show_cells
from gantlet.tools.reading.opening import Look, look_into, nearest
from gantlet.tools.reading.pdfs import PageRange, pdf_answer
from gantlet.tools.reading.showings import Showings


class ReadInput(ToolInput):
    """Which file, and which part of it."""

    file_path: str = Field(min_length=1, description="File to read.")
    offset: int | None = Field(
        None, ge=0, description="First line to show, from 1; of a notebook, the first cell."
    )
    limit: int | None = Field(
        None, ge=1, description=f"How many lines to show. {DEFAULT_LINES:,} by default."
    )
    pages: str | None = Field(
        None,
        max_length=50,
        description='Pages of a PDF: "3" or "1-5", at most 20. Needed beyond 10 pages.',
    )
    allow_large: bool = Field(False, description="Let the part be four times as large as usual.")


@value
class _Shown:
    """What a file comes to: the answer, and which lines of it; none means all."""

    output: ToolResult[object]
    lines: tuple[tuple[int, int], ...] = ()


class Read(Tool[ReadInput]):
    """Shows a file. It bounds itself: what it shows never goes to a file, which it would read."""

    name = "Read"
    aliases = ("FileRead",)
    description = (
        "Read a file: text with line numbers, images as you see them, PDFs by pages, notebooks with"
        " their outputs. A long file is shown in parts; if you know what you need, use offset and"
        " limit. Read a file before you change it. Several files can be read at once: make the"
        " calls together. Directories cannot be read; use Glob."
    )
    search_hint = "show files, images, PDFs and notebooks"
    input_type = ReadInput
    path_fields = ("file_path",)
    max_result_chars = UNBOUNDED

    def __init__(self, knowledge: FileKnowledge, variables: Mapping[str, str]) -> None:
        self._knowledge = knowledge
        self._variables = variables
        self._showings = Showings()

    @classmethod
    def build(cls, ports: Ports) -> "Read":
        """Share what the session knows of files."""
        return cls(ports.need(FILE_KNOWLEDGE), ports.need(ENVIRONMENT).variables)

    def traits(self, args: ReadInput) -> Traits:
        """Read one file, and leave it as it is."""
        access = Access(reads={File(args.file_path)})
        return Traits(read_only=True, access=access, open_world=False)

    async def validate_input(self, args: ReadInput, context: ToolContext) -> Rejected | None:
        """Refuse what no file can be called, and pages that mean nothing."""
        if "\0" in args.file_path:
            return Rejected("A path cannot hold a NUL byte. Leave it out.", code=1)
        if args.pages and PageRange.of(args.pages) is None:
            return Rejected(
                f'{args.pages!r} are no pages. Give one ("3") or a range ("1-5").', code=1
            )
        return None

    async def run(self, args: ReadInput, context: ToolContext) -> ToolResult[object]:
        """Show the file, or say that it is what was shown before."""
        place, asked = context.resolve(args.file_path), Range.of(args.offset, args.limit)
        try:
            look = await run_in_thread(partial(look_into, args.file_path, place, asked))
        except ToolError as error:
            raise _with_advice(error, args.file_path, context) from error
        if args.pages and look.kind is not Kind.PDF:
            raise ToolError(f"{args.file_path} is no PDF and has no pages. Leave `pages` out.")
        seen = replace(_seen(look), shown_by=context.call.id)
        request = (context.agent.id, place.real_text, *args.model_dump().values())
        if self._is_known(request, place, seen):
            return unchanged(args.file_path)
        shown = await self._shown(args, look, asked)
        self._knowledge.note(place.real_text, _with_lines(seen, shown.lines))
        self._showings.note(request, seen.digest or seen.stamp)
        return shown.output

    def _is_known(self, request: tuple[object, ...], place: Place, seen: Seen) -> bool:
        """Return whether the very same was shown before, and still stands in the conversation."""
        if not self._showings.has(request, seen.digest or seen.stamp):
            return False
        known = self._knowledge.recall(place.real_text)
        if known is None or not known.is_fresh:
            return False
        return known.digest == seen.digest and (bool(seen.digest) or known.stamp == seen.stamp)

    async def _shown(self, args: ReadInput, look: Look, asked: Range) -> _Shown:
        """Return the file as a model reads it."""
        path, most = args.file_path, max_chars(self._variables, allow_large=args.allow_large)
        match look.kind:
            case Kind.IMAGE:
                return _Shown(await _image_answer(path, look))
            case Kind.PDF:
                pages = PageRange.of(args.pages) if args.pages else None
                output = await pdf_answer(path, look.content, pages)
                return _Shown(output, SOME if pages is not None else ())
            case Kind.NOTEBOOK:
                cells = await run_in_thread(partial(read_notebook, path, look.content))
                part = show_cells(path, cells, asked, most)
                output = ToolResult[object](part.blocks, structured=part.structured)
                return _Shown(output, () if part.is_whole else SOME)
            case _:
                assert look.part is not None
                output, lines = text_answer(path, look.part, asked, most)
                return _Shown(output, lines)


async def _image_answer(path: str, look: Look) -> ToolResult[object]:
    """Return a picture."""
    picture = await scale_picture(path, look.content)
    structured = {
        "type": "image",
        "file": {
            "base64": picture.data,
            "type": picture.media_type,
            "originalSize": look.size,
            "dimensions": {
                "originalWidth": picture.original_width,
                "originalHeight": picture.original_height,
                "displayWidth": picture.width,
                "displayHeight": picture.height,
            },
        },
    }
    return ToolResult((picture.block(),), structured=structured)


def _seen(look: Look) -> Seen:
    """Return by what the content of a file is known."""
    if look.part is None:
        return Seen(digest_of(look.content), look.stamp, look.content)
    return Seen(look.part.digest, look.stamp, look.part.content, (), look.part.total or 0)


def _with_lines(seen: Seen, lines: tuple[tuple[int, int], ...]) -> Seen:
    """Return what is known, with the lines that were shown."""
    return replace(seen, lines=lines)


def _with_advice(error: ToolError, path: str, context: ToolContext) -> ToolError:
    """Return a failure to find a file with the name that may have been meant."""
    if not isinstance(error.__cause__, FileNotFoundError):
        return error
    like = nearest(path, context)
    return ToolError(f"No file at {path!r}. Did you mean '{like}'?") if like else error
