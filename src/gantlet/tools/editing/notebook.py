"""A Jupyter notebook as text in which cells can be replaced; everything else stays as it is."""

import json
import re
import secrets
from collections.abc import Iterator
from typing import TypeAlias

from gantlet.messages.value import value

Cell: TypeAlias = dict[str, object]

_WHITESPACE = re.compile(r"[ \t\n\r]*")
_INDEX = re.compile(r"cell-(\d+)")
_DECODER = json.JSONDecoder()
_FIRST_WITH_IDS = (4, 5)


class NotebookError(ValueError):
    """The text is no notebook, or none that can be edited; the words say why."""


@value
class CellSpan:
    """One cell, and where it stands in the text."""

    start: int
    end: int
    cell: Cell

    @property
    def source(self) -> str:
        """What the cell holds."""
        source = self.cell.get("source", "")
        return "".join(map(str, source)) if isinstance(source, list) else str(source)


@value
class Notebook:
    """A notebook: its text, and where its cells are in it.

    Attributes:
        array_start: Where the list of cells begins, at its bracket.
        array_end: Where it ends, after its bracket.
        version: The format, such as (4, 5).
    """

    text: str
    cells: tuple[CellSpan, ...]
    array_start: int
    array_end: int
    version: tuple[int, int]
    language: str

    def find(self, cell_id: str) -> int | None:
        """Return which cell an id means, from 0: its own id, or `cell-N` for the N-th from 0."""
        for number, span in enumerate(self.cells):
            if span.cell.get("id") == cell_id:
                return number
        counted = _INDEX.fullmatch(cell_id)
        number = int(counted.group(1)) if counted else -1
        return number if 0 <= number < len(self.cells) else None

    def name_of(self, number: int) -> str:
        """Return the id under which a cell is known."""
        own = self.cells[number].cell.get("id")
        return own if isinstance(own, str) else f"cell-{number}"

    def replaced(self, number: int, cell: Cell) -> str:
        """Return the text with another cell in the place of one."""
        span = self.cells[number]
        return self.text[: span.start] + self._written(cell) + self.text[span.end :]

    def inserted(self, number: int, cell: Cell) -> str:
        """Return the text with a cell before the N-th, or after the last."""
        written = self._written(cell)
        if not self.cells:
            inner = f"[{self._lead}{written}{self._trail}]"
            return self.text[: self.array_start] + inner + self.text[self.array_end :]
        if number < len(self.cells):
            at = self.cells[number].start
            return f"{self.text[:at]}{written},{self._lead}{self.text[at:]}"
        at = self.cells[-1].end
        return f"{self.text[:at]},{self._lead}{written}{self.text[at:]}"

    def deleted(self, number: int) -> str:
        """Return the text without a cell."""
        spans = self.cells
        if len(spans) == 1:
            return f"{self.text[: self.array_start]}[]{self.text[self.array_end :]}"
        if number < len(spans) - 1:
            return self.text[: spans[number].start] + self.text[spans[number + 1].start :]
        return self.text[: spans[number - 1].end] + self.text[spans[number].end :]

    def new_id(self) -> str:
        """Return an id that no cell has, or none where the format has no ids."""
        if self.version < _FIRST_WITH_IDS:
            return ""
        taken = {span.cell.get("id") for span in self.cells}
        while (made := secrets.token_hex(4)) in taken:
            continue
        return made

    def _written(self, cell: Cell) -> str:
        """Return a cell as text, indented like those around it."""
        if "\n" not in self._lead:
            return json.dumps(cell, ensure_ascii=False)
        margin = self._lead.rpartition("\n")[2]
        step = margin[: max(1, len(margin) // 2)] if margin else " "
        end = "\r\n" if "\r\n" in self._lead else "\n"
        return json.dumps(cell, ensure_ascii=False, indent=step).replace("\n", f"{end}{margin}")

    @property
    def _lead(self) -> str:
        """What stands before a cell in the list."""
        if len(self.cells) > 1:
            between = self.text[self.cells[0].end : self.cells[1].start]
            return between.partition(",")[2]
        if self.cells:
            return self.text[self.array_start + 1 : self.cells[0].start]
        return "\n  " if "\n" in self.text else ""

    @property
    def _trail(self) -> str:
        """What stands after the last cell of a list that was empty."""
        return "\n " if "\n" in self.text else ""


def read_notebook(text: str) -> Notebook:
    """Return a notebook.

    Raises:
        NotebookError: It is none, or of a format that cannot be edited.
    """
    try:
        whole = json.loads(text)
        return _located(text, whole)
    except RecursionError as error:
        raise NotebookError("it is nested too deeply") from error
    except ValueError as error:
        if isinstance(error, NotebookError):
            raise
        raise NotebookError(f"it is not valid JSON ({error})") from error


def _located(text: str, whole: object) -> Notebook:
    """Return a parsed notebook with the places of its cells."""
    if not isinstance(whole, dict) or not isinstance(whole.get("cells"), list):
        raise NotebookError("it has no list of cells; only format 4 can be edited")
    version = (_number(whole.get("nbformat")), _number(whole.get("nbformat_minor")))
    if version[0] != 4:
        raise NotebookError(f"its format is {version[0]}, and only format 4 can be edited")
    if not all(isinstance(cell, dict) for cell in whole["cells"]):
        raise NotebookError("its list of cells holds something that is no cell")
    start, spans, end = _cells_in(text)
    return Notebook(text, spans, start, end, version, _language(whole.get("metadata")))


def _number(value: object) -> int:
    """Return a number of a format, 0 where it is none."""
    return value if isinstance(value, int) else 0


def _language(metadata: object) -> str:
    """Return the language of a notebook's code."""
    about: dict[object, object] = metadata if isinstance(metadata, dict) else {}
    for part, key in (("language_info", "name"), ("kernelspec", "language")):
        told = about.get(part)
        if isinstance(told, dict) and isinstance(told.get(key), str):
            return str(told[key])
    return "python"


def _cells_in(text: str) -> tuple[int, tuple[CellSpan, ...], int]:
    """Return where the list of cells begins, its cells, and where it ends."""
    found = None
    for name, start in _members(text):
        if name == "cells":
            found = start  # the last of several counts, as it does for json
    if found is None:
        raise NotebookError("it has no list of cells")
    spans: list[CellSpan] = []
    at = _blank(text, found + 1)
    while text[at] != "]":
        cell, end = _DECODER.raw_decode(text, at)
        spans.append(CellSpan(at, end, cell))
        at = _blank(text, end)
        if text[at] == ",":
            at = _blank(text, at + 1)
    return found, tuple(spans), at + 1


def _members(text: str) -> Iterator[tuple[str, int]]:
    """Yield the names of the outermost object and where their values begin. It is valid JSON."""
    at = _blank(text, _blank(text, 0) + 1)
    while text[at] != "}":
        name, end = _DECODER.raw_decode(text, at)
        start = _blank(text, _blank(text, end) + 1)
        yield name, start
        _, end = _DECODER.raw_decode(text, start)
        at = _blank(text, end)
        if text[at] == ",":
            at = _blank(text, at + 1)


def _blank(text: str, at: int) -> int:
    """Return where the blanks at a position end."""
    found = _WHITESPACE.match(text, at)
    return found.end() if found is not None else at
