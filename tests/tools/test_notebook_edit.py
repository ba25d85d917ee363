"""NotebookEdit changes one cell, and what it leaves is a valid notebook."""

import json
from pathlib import Path
from typing import Any

import anyio
import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.tool import ToolError
from gantlet.tools.editing.notebook import read_notebook
from tools.editing_kit import Workbench

pytestmark = pytest.mark.anyio


def code(cell_id: str, source: str) -> dict[str, Any]:
    """Return a code cell that was run."""
    output = {"name": "stdout", "output_type": "stream", "text": ["out\n"]}
    return {
        "cell_type": "code",
        "execution_count": 3,
        "id": cell_id,
        "metadata": {"tags": ["kept"]},
        "outputs": [output],
        "source": source.splitlines(keepends=True),
    }


def words(cell_id: str, source: str) -> dict[str, Any]:
    """Return a cell of words."""
    return {
        "cell_type": "markdown",
        "id": cell_id,
        "metadata": {},
        "source": source.splitlines(keepends=True),
    }


def notebook(*cells: dict[str, Any], minor: int = 5) -> dict[str, Any]:
    """Return a notebook."""
    if minor < 5:
        cells = tuple({k: v for k, v in cell.items() if k != "id"} for cell in cells)
    metadata = {"kernelspec": {"display_name": "R", "language": "R", "name": "ir"}, "x": 1e5}
    return {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": minor}


def written(whole: dict[str, Any]) -> bytes:
    """Return a notebook as Jupyter writes it."""
    return json.dumps(whole, indent=1, ensure_ascii=False).encode() + b"\n"


CELLS = (words("intro", "# Title\n"), code("one", "a = 1\nb = 2\n"), code("two", "print('é')"))


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


async def edit(bench: Workbench, **given: Any) -> str:
    """Edit the notebook."""
    return await bench.call("NotebookEdit", notebook_path=str(bench.path("a.ipynb")), **given)


def cells_of(path: Path) -> list[dict[str, Any]]:
    """Return the cells of a notebook that must be valid."""
    read = json.loads(path.read_bytes())
    nbformat.validate(nbformat.from_dict(read))  # type: ignore[no-untyped-call]  # has no types
    cells: list[dict[str, Any]] = read["cells"]
    return cells


async def test_a_cell_is_replaced_and_every_other_byte_stays(bench: Workbench) -> None:
    content = written(notebook(*CELLS)).replace(b"100000.0", b"1e5 ")
    path = bench.show("a.ipynb", content)

    told = await edit(bench, cell_id="one", new_source="a = 2\n")

    now = path.read_bytes()
    changed = {**code("one", "a = 2\n"), "execution_count": None, "outputs": []}
    assert json.loads(now) == notebook(CELLS[0], changed, CELLS[2])
    spans = read_notebook(content.decode()).cells
    text = content.decode()
    assert now.decode().startswith(text[: spans[1].start])
    assert now.decode().endswith(text[spans[1].end :])
    assert told == "Updated cell one with a = 2\n"
    assert cells_of(path)[1]["metadata"] == {"tags": ["kept"]}
    expected = {"old_source": "a = 1\nb = 2\n", "cell_type": "code", "language": "R"}
    assert {name: bench.told[name] for name in expected} == expected


async def test_a_cell_is_inserted_after_another_or_at_the_start(bench: Workbench) -> None:
    path = bench.show("a.ipynb", written(notebook(*CELLS)))

    first = await edit(bench, new_source="top", cell_type="markdown", edit_mode="insert")
    await edit(bench, cell_id="two", new_source="last = 1", cell_type="code", edit_mode="insert")

    cells = cells_of(path)
    assert [cell["source"] for cell in cells] == [
        ["top"],
        ["# Title\n"],
        ["a = 1\n", "b = 2\n"],
        ["print('é')"],
        ["last = 1"],
    ]
    assert first == f"Inserted cell {cells[0]['id']} with top"


@pytest.mark.parametrize("cell_id", ["intro", "one", "two"])
async def test_a_cell_is_deleted(bench: Workbench, cell_id: str) -> None:
    path = bench.show("a.ipynb", written(notebook(*CELLS)))

    told = await edit(bench, cell_id=cell_id, new_source="", edit_mode="delete")

    assert told == f"Deleted cell {cell_id}"
    assert cells_of(path) == [cell for cell in CELLS if cell["id"] != cell_id]


async def test_the_last_cell_can_go_and_a_new_one_can_come(bench: Workbench) -> None:
    path = bench.show("a.ipynb", written(notebook(CELLS[0])))

    await edit(bench, cell_id="intro", new_source="", edit_mode="delete")
    empty = cells_of(path)
    await edit(bench, new_source="x", cell_type="code", edit_mode="insert")

    assert empty == []
    assert [cell["source"] for cell in cells_of(path)] == [["x"]]


async def test_cells_without_ids_are_counted(bench: Workbench) -> None:
    path = bench.show("a.ipynb", written(notebook(*CELLS, minor=2)))

    await edit(bench, cell_id="cell-1", new_source="new")
    told = await edit(bench, cell_id="cell-0", new_source="x", cell_type="code", edit_mode="insert")

    assert [cell["source"] for cell in cells_of(path)][1:3] == [["x"], ["new"]]
    assert told == "Inserted cell cell-1 with x"


async def test_the_kind_of_a_cell_can_change(bench: Workbench) -> None:
    path = bench.show("a.ipynb", written(notebook(*CELLS)))

    await edit(bench, cell_id="one", new_source="words", cell_type="markdown")
    await edit(bench, cell_id="intro", new_source="code", cell_type="code")

    cells = cells_of(path)
    assert [cell["cell_type"] for cell in cells] == ["code", "markdown", "code"]


@pytest.mark.parametrize(
    "layout",
    [
        pytest.param({"indent": 1}, id="one space"),
        pytest.param({"indent": 4}, id="four spaces"),
        pytest.param({"indent": "\t"}, id="tabs"),
        pytest.param({}, id="one line"),
    ],
)
async def test_the_layout_is_kept(bench: Workbench, layout: dict[str, Any]) -> None:
    whole = notebook(*CELLS)
    path = bench.show("a.ipynb", json.dumps(whole, ensure_ascii=False, **layout).encode())

    await edit(bench, cell_id="two", new_source="x")

    now = json.loads(path.read_bytes())
    assert path.read_text() == json.dumps(now, ensure_ascii=False, **layout)


async def test_a_notebook_that_changed_elsewhere_is_edited_and_the_same_cell_is_not(
    bench: Workbench,
) -> None:
    path = bench.show("a.ipynb", written(notebook(*CELLS)))
    path.write_bytes(written(notebook(words("intro", "# Other\n"), *CELLS[1:])))

    with pytest.raises(ToolError, match="cell intro with it"):
        await edit(bench, cell_id="intro", new_source="x")
    told = await edit(bench, cell_id="one", new_source="x")

    assert "changed elsewhere since you last read it" in told
    assert [cell["source"] for cell in cells_of(path)][:2] == [["# Other\n"], ["x"]]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        pytest.param({"cell_id": "none", "new_source": "x"}, "intro, one, two", id="no such cell"),
        pytest.param({"new_source": "x"}, "Cell ID must be specified", id="no cell"),
        pytest.param(
            {"new_source": "x", "edit_mode": "insert"}, "Cell type is required", id="no type"
        ),
    ],
)
async def test_a_wrong_call_says_what_is_missing(
    bench: Workbench, given: dict[str, Any], told: str
) -> None:
    bench.show("a.ipynb", written(notebook(*CELLS)))

    with pytest.raises(ToolError, match=told):
        await edit(bench, **given)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        pytest.param(b"not json", "not valid JSON", id="no json"),
        pytest.param(b"[]", "no list of cells", id="no object"),
        pytest.param(b'{"cells": [], "nbformat": 3}', "its format is 3", id="old format"),
        pytest.param(b'{"cells": [1], "nbformat": 4}', "no cell", id="odd cells"),
        pytest.param(b"[" * 100_000, "nested too deeply", id="deep"),
    ],
)
async def test_what_is_no_notebook_is_refused(bench: Workbench, content: bytes, told: str) -> None:
    path = bench.show("a.ipynb", content)

    with pytest.raises(ToolError, match=told):
        await edit(bench, cell_id="one", new_source="x")

    assert path.read_bytes() == content


async def test_it_must_be_a_notebook_that_was_read(bench: Workbench) -> None:
    bench.path("a.ipynb").write_bytes(written(notebook(*CELLS)))

    with pytest.raises(ToolError, match="has not been read yet"):
        await edit(bench, cell_id="one", new_source="x")
    with pytest.raises(ToolError, match="must be a Jupyter notebook"):
        await bench.call("NotebookEdit", notebook_path="/x.py", cell_id="a", new_source="x")


kinds = st.sampled_from(["code", "markdown"])
sources = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)


@given(
    cells=st.lists(st.tuples(kinds, sources), max_size=4),
    wanted=st.tuples(st.sampled_from(["replace", "insert", "delete"]), kinds, sources),
    data=st.data(),
)
def test_every_edit_leaves_a_valid_notebook(
    tmp_path_factory: pytest.TempPathFactory,
    cells: list[tuple[str, str]],
    wanted: tuple[str, str, str],
    data: st.DataObject,
) -> None:
    mode, kind, source = wanted
    made = [(code if k == "code" else words)(f"c{n}", text) for n, (k, text) in enumerate(cells)]
    bench = Workbench(tmp_path_factory.mktemp("bench"))
    path = bench.show("a.ipynb", written(notebook(*made)))
    names = [cell["id"] for cell in made]
    given: dict[str, Any] = {"new_source": source, "cell_type": kind, "edit_mode": mode}
    if names and (mode != "insert" or data.draw(st.booleans())):
        given["cell_id"] = data.draw(st.sampled_from(names))
    elif mode != "insert":
        return

    anyio.run(lambda: edit(bench, **given))

    after = cells_of(path)
    expected = {"replace": 0, "insert": 1, "delete": -1}[mode]
    assert len(after) == len(made) + expected
    touched = given.get("cell_id") if mode != "insert" else None
    kept = [cell for cell in after if cell["id"] in names and cell["id"] != touched]
    assert kept == [cell for cell in made if cell["id"] != touched]
    spans = read_notebook(path.read_text()).cells
    assert [json.loads(path.read_text()[one.start : one.end]) for one in spans] == after
