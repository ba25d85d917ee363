"""Jupyter notebooks as a model reads them: cells by their ids, with what they put out."""

import json
from collections.abc import Iterator, Mapping, Sequence

from gantlet.messages import Block, FrozenDict, Image, Text
from gantlet.messages.value import value
from gantlet.tool import ToolError
from gantlet.tools.reading.answers import Range, reminder, size_text

#: What one cell puts out is cut at this length.
MAX_OUTPUT_CHARS = 10_000
#: Pictures that are larger, in base64, are only named.
MAX_PICTURE_CHARS = 700_000
_MAX_PICTURES = 20
_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")


@value
class Cells:
    """The cells of a notebook, as they are written in it."""

    cells: Sequence[Mapping[str, object]]
    language: str

    def name_of(self, number: int) -> str:
        """Return the id under which a cell is known."""
        own = self.cells[number].get("id")
        return own if isinstance(own, str) else f"cell-{number}"


def read_notebook(path: str, content: bytes) -> Cells:
    """Return the cells of a notebook.

    Raises:
        ToolError: It is no notebook.
    """
    try:
        notebook = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ToolError(
            f"{path} is not a notebook that can be read: {type(error).__name__}. Copy it to a name"
            " that ends in .json to read it as text."
        ) from error
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if not isinstance(cells, list) or not all(isinstance(cell, dict) for cell in cells):
        raise ToolError(f"{path} is not a notebook: it has no list of cells.")
    return Cells(tuple(cells), _language(notebook))


def _language(notebook: Mapping[str, object]) -> str:
    """Return the language of the code cells."""
    metadata = notebook.get("metadata")
    for name in ("language_info", "kernelspec"):
        about = metadata.get(name) if isinstance(metadata, dict) else None
        language = about.get("name" if name == "language_info" else "language") if about else None
        if isinstance(language, str):
            return language
    return "python"


@value
class NotebookPart:
    """Cells as blocks, and the same for programs.

    Attributes:
        is_whole: All cells are there.
    """

    blocks: tuple[Block, ...]
    structured: Mapping[str, object]
    is_whole: bool


def show_cells(path: str, notebook: Cells, asked: Range, most: int) -> NotebookPart:
    """Return cells as a model reads them, `most` characters of text in all.

    Raises:
        ToolError: Cells were asked for that are too large to be shown.
    """
    if not notebook.cells:
        text = reminder("Warning: the notebook exists but has no cells.")
        return NotebookPart((Text(text),), _structured(path, ()), is_whole=True)
    end = len(notebook.cells) if asked.limit is None else asked.first - 1 + asked.limit
    numbers = range(asked.first - 1, min(end, len(notebook.cells)))
    if not numbers:
        text = (
            "Warning: the notebook exists but has fewer cells than the provided offset"
            f" ({asked.first}). It has {len(notebook.cells)} cells."
        )
        return NotebookPart((Text(reminder(text)),), _structured(path, ()), is_whole=False)
    shown, blocks = _fitted(path, notebook, numbers, asked, most)
    if asked.is_whole and len(shown) < len(numbers):
        last = numbers[0] + len(shown)
        blocks.append(
            Text(
                reminder(
                    f"This is a PARTIAL view: cells {asked.first}-{last} of {len(notebook.cells)}."
                    f" Use offset={last + 1} to read on."
                )
            )
        )
    is_whole = len(shown) == len(notebook.cells)
    return NotebookPart(tuple(_joined(blocks)), _structured(path, shown), is_whole)


def _fitted(
    path: str, notebook: Cells, numbers: range, asked: Range, most: int
) -> tuple[list[Mapping[str, object]], list[Block]]:
    """Return as many cells as can be shown, and their blocks."""
    shown: list[Mapping[str, object]] = []
    blocks: list[Block] = []
    room, pictures = most, _MAX_PICTURES
    for number in numbers:
        made = list(_cell(notebook, number, pictures))
        size = sum(len(block.text) for block in made if isinstance(block, Text))
        if size > room:
            if not asked.is_whole or not shown:
                raise ToolError(_too_large(path, notebook, number))
            break
        room -= size
        pictures -= sum(1 for block in made if isinstance(block, Image))
        blocks += made
        shown.append(notebook.cells[number])
    return shown, blocks


def _too_large(path: str, notebook: Cells, number: int) -> str:
    """Return why cells are not shown."""
    return (
        f"The cells of {path} that were asked for are too large to be shown at once; cell"
        f" {notebook.name_of(number)!r} (number {number + 1}) is the first that does not fit. Use"
        " offset and limit to choose fewer cells, or Grep to find what you need."
    )


def show_cell(path: str, notebook: Cells, cell_id: str) -> tuple[Block, ...]:
    """Return one cell.

    Raises:
        ToolError: There is none of that id.
    """
    for number in range(len(notebook.cells)):
        if cell_id in {notebook.name_of(number), f"cell-{number}"}:
            return tuple(_joined(_cell(notebook, number, _MAX_PICTURES)))
    raise ToolError(f"{path} has no cell {cell_id!r}. Read it without a cell to see its ids.")


def _cell(notebook: Cells, number: int, pictures: int) -> Iterator[Block]:
    """Yield what is shown of a cell."""
    cell = notebook.cells[number]
    kind = str(cell.get("cell_type", "code"))
    about = f' language="{notebook.language}"' if kind == "code" else ""
    source = _text(cell.get("source", ""))
    yield Text(f'<cell id="{notebook.name_of(number)}" type="{kind}"{about}>\n{source}\n</cell>')
    outputs = cell.get("outputs")
    if not isinstance(outputs, list):
        return
    room = MAX_OUTPUT_CHARS
    for output in (one for one in outputs if isinstance(one, dict)):
        for block in _output(output):
            if isinstance(block, Text):
                text = _cut(block.text, room)
                room -= len(text)
                yield Text(f"<output>\n{text}\n</output>")
            elif pictures > 0:
                pictures -= 1
                yield block
        if room <= 0:
            return


def _output(output: Mapping[str, object]) -> Iterator[Text | Image]:
    """Yield what one output shows: its words, or the picture."""
    match output.get("output_type"):
        case "stream":
            yield Text(_text(output.get("text", "")))
        case "error":
            trace = _text(output.get("traceback", []), "\n")
            yield Text(trace or f"{output.get('ename')}: {output.get('evalue')}")
        case "display_data" | "execute_result":
            data = output.get("data")
            yield from _shown(data if isinstance(data, dict) else {})
        case other:
            yield Text(f"[An output of the unknown type {other!r}.]")


def _shown(data: Mapping[str, object]) -> Iterator[Text | Image]:
    """Yield a rich output: its plain words, and a picture."""
    if "text/plain" in data:
        yield Text(_text(data["text/plain"]))
    for kind in _PICTURES:
        if kind in data:
            picture = "".join(_text(data[kind]).split())
            if len(picture) > MAX_PICTURE_CHARS:
                yield Text(f"[A picture of {size_text(len(picture) * 3 / 4)}, too large to show.]")
            else:
                yield Image(FrozenDict(type="base64", media_type=kind, data=picture))
            return
    if "text/plain" not in data and data:
        kind = next(iter(data))
        yield Text(_text(data[kind]) if kind.startswith("text/") else f"[An output of {kind}.]")


def _text(value: object, between: str = "") -> str:
    """Return a text that notebooks may write as a list of lines."""
    if isinstance(value, list):
        return between.join(map(str, value))
    return value if isinstance(value, str) else json.dumps(value)


def _cut(text: str, room: int) -> str:
    """Return a text that is not too long."""
    if len(text) <= room:
        return text
    return f"{text[: max(room, 0)]}… [{len(text) - max(room, 0):,} more characters]"


def _joined(blocks: Iterator[Block] | Sequence[Block]) -> Iterator[Block]:
    """Yield blocks; texts that follow each other are one."""
    texts: list[str] = []
    for block in blocks:
        if isinstance(block, Text):
            texts.append(block.text)
            continue
        if texts:
            yield Text("\n".join(texts))
            texts = []
        yield block
    if texts:
        yield Text("\n".join(texts))


def _structured(path: str, cells: Sequence[Mapping[str, object]]) -> dict[str, object]:
    """Return the cells for programs."""
    return {"type": "notebook", "file": {"filePath": path, "cells": list(cells)}}
