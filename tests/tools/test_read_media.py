"""Read: pictures, PDFs and notebooks."""

import base64
import io
import json
import struct
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pypdfium2  # type: ignore[import-untyped]
import pytest
from PIL import Image as Pictures

from builders import args_of, run_python
from gantlet.messages import Document, Image, Text, UserMessage
from gantlet.tool import ToolError, ToolResult
from gantlet.tools.reading import NotebookRead
from gantlet.tools.reading.pdfs import PageRange
from tools.test_read_text import Reader

pytestmark = pytest.mark.anyio


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


def picture_in(output: ToolResult[object]) -> tuple[str, Pictures.Image]:
    """Return the type of the only picture of an output, and the picture."""
    assert isinstance(output.data, tuple)
    [block] = output.data
    assert isinstance(block, Image)
    data = base64.b64decode(str(block.source["data"]))
    return str(block.source["media_type"]), Pictures.open(io.BytesIO(data))


def make_pdf(file: Path, pages: int) -> None:
    document = pypdfium2.PdfDocument.new()
    for _ in range(pages):
        document.new_page(612, 792)
    document.save(file)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "GIF", "WEBP", "BMP", "TIFF", "ICO"])
async def test_a_picture_is_known_by_its_bytes_and_kept_small(
    reader: Reader, tmp_path: Path, kind: str
) -> None:
    Pictures.new("RGB", (64, 32), "red").save(tmp_path / "picture.txt", kind)

    media_type, shown = picture_in(await reader.output("picture.txt"))

    assert media_type == "image/png"
    assert shown.convert("RGB").getpixel((1, 1))[0] > 200  # type: ignore[index]


async def test_a_large_picture_is_scaled_and_its_size_told(reader: Reader, tmp_path: Path) -> None:
    Pictures.new("RGB", (4_000, 1_000), "blue").save(tmp_path / "wide.png")

    output = await reader.output("wide.png")

    assert picture_in(output)[1].size == (1568, 392)
    assert isinstance(output.structured, Mapping)
    assert output.structured["file"]["dimensions"] == {
        "originalWidth": 4_000,
        "originalHeight": 1_000,
        "displayWidth": 1568,
        "displayHeight": 392,
    }


async def test_a_heavy_picture_is_written_again_as_jpeg(reader: Reader, tmp_path: Path) -> None:
    noise = Pictures.effect_noise((900, 900), 100).convert("RGBA")
    noise.save(tmp_path / "noise.png")
    assert (tmp_path / "noise.png").stat().st_size > 500_000

    assert picture_in(await reader.output("noise.png"))[0] == "image/jpeg"


async def test_what_a_picture_says_of_its_maker_is_left_out_and_it_stands_upright(
    reader: Reader, tmp_path: Path
) -> None:
    exif = Pictures.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    exif[0x010F] = "a camera"
    Pictures.new("RGB", (40, 20), "red").save(tmp_path / "photo.jpg", exif=exif)

    _, shown = picture_in(await reader.output("photo.jpg"))

    assert shown.size == (20, 40)
    assert not shown.getexif()


def bomb(width: int, height: int) -> bytes:
    """Return a small PNG that says it is huge."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    data = zlib.compress(bytes(1_000_000), 9)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b"")
    )


async def test_a_picture_that_would_fill_the_memory_is_refused(
    reader: Reader, tmp_path: Path
) -> None:
    (tmp_path / "bomb.png").write_bytes(bomb(100_000, 100_000))

    with pytest.raises(ToolError) as caught:
        await reader.output("bomb.png")

    assert str(caught.value) == (
        "bomb.png cannot be shown: it has 100,000 x 100,000 pixels, more than can be decoded."
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.png", b"\x89PNG\r\n\x1a\n" + b"x" * 100),
        ("a.jpg", b"\xff\xd8\xff\xe0" + bytes(50)),
        ("a.gif", b"GIF89a\x01"),
        ("a.pdf", b"%PDF-1.7\nnonsense"),
        ("b.png", bomb(2_000, 2_000)[:-100]),
    ],
    ids=["png", "jpeg", "gif", "pdf", "cut off"],
)
async def test_damaged_files_are_said_to_be_damaged(
    reader: Reader, tmp_path: Path, name: str, content: bytes
) -> None:
    (tmp_path / name).write_bytes(content)

    with pytest.raises(ToolError, match=f"{name} cannot be shown: it is "):
        await reader.output(name)


async def test_a_short_pdf_comes_whole_as_a_message_of_its_own(
    reader: Reader, tmp_path: Path
) -> None:
    make_pdf(tmp_path / "short.pdf", 10)
    content = (tmp_path / "short.pdf").read_bytes()

    output = await reader.output("short.pdf")

    assert output.data == f"PDF file read: short.pdf ({len(content) / 1024:,.1f} KB)"
    [message] = output.new_messages
    assert isinstance(message, UserMessage)
    assert isinstance(message.content, tuple)
    [document] = message.content
    assert isinstance(document, Document)
    assert document.source["media_type"] == "application/pdf"
    assert base64.b64decode(str(document.source["data"])) == content


async def test_a_long_pdf_is_read_by_pages(reader: Reader, tmp_path: Path) -> None:
    make_pdf(tmp_path / "long.pdf", 30)

    with pytest.raises(ToolError, match=r'has 30 pages .* pages="1-20", at most 20 at a time'):
        await reader.output("long.pdf")
    with pytest.raises(ToolError, match=r'At most 20 pages .* Use pages="3-22"'):
        await reader.output("long.pdf", pages="3-")
    with pytest.raises(ToolError, match="there is no page 31"):
        await reader.output("long.pdf", pages="31")
    output = await reader.output("long.pdf", pages="29-35")

    assert isinstance(output.data, tuple)
    kinds = [type(block) for block in output.data]
    assert kinds == [Text, Text, Image, Text, Image]
    assert isinstance(output.data[0], Text)
    assert output.data[0].text == "PDF pages read: long.pdf, pages 29-30 of 30"
    assert isinstance(output.data[1], Text)
    assert output.data[1].text == "Page 29:\n[No text on this page.]"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("3", PageRange(3, 3)),
        (" 1 - 5 ", PageRange(1, 5)),
        ("7-", PageRange(7, None)),
        ("0", None),
        ("5-2", None),
        ("-3", None),
        ("1,2", None),
        ("", None),
    ],
    ids=["one", "range", "open", "nought", "backwards", "no first", "list", "nothing"],
)
def test_page_ranges(text: str, meant: PageRange | None) -> None:
    assert PageRange.of(text) == meant


PIXEL = base64.b64encode(b"not really a picture").decode()
NOTEBOOK: dict[str, Any] = {
    "cells": [
        {"cell_type": "markdown", "id": "intro", "source": ["# Hi\n", "there"], "metadata": {}},
        {
            "cell_type": "code",
            "source": "1 + 1",
            "outputs": [
                {"output_type": "stream", "name": "stdout", "text": ["a\n", "b"]},
                {"output_type": "execute_result", "data": {"text/plain": "2"}},
                {"output_type": "display_data", "data": {"image/png": PIXEL}},
                {"output_type": "error", "traceback": ["Boom", "at line 1"]},
                {"output_type": "display_data", "data": {"text/html": "<b>x</b>"}},
            ],
        },
    ],
    "metadata": {"language_info": {"name": "julia"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
FIRST = '<cell id="intro" type="markdown">\n# Hi\nthere\n</cell>'
SECOND = '<cell id="cell-1" type="code" language="julia">\n1 + 1\n</cell>'


async def test_a_notebook_is_shown_by_cells_with_what_they_put_out(
    reader: Reader, tmp_path: Path
) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps(NOTEBOOK))

    output = await reader.output("a.ipynb")

    assert isinstance(output.data, tuple)
    before, picture, after = output.data
    assert isinstance(before, Text)
    assert isinstance(picture, Image)
    assert isinstance(after, Text)
    assert before.text == "\n".join(
        [FIRST, SECOND, "<output>\na\nb\n</output>", "<output>\n2\n</output>"]
    )
    assert picture.source["data"] == PIXEL
    assert after.text == "<output>\nBoom\nat line 1\n</output>\n<output>\n<b>x</b>\n</output>"
    seen = reader.knowledge.recall(str(tmp_path / "a.ipynb"))
    assert seen is not None
    assert not seen.is_partial


async def test_some_cells_of_a_notebook(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps(NOTEBOOK))

    output = await reader.output("a.ipynb", offset=1, limit=1)

    assert output.data == (Text(FIRST),)
    seen = reader.knowledge.recall(str(tmp_path / "a.ipynb"))
    assert seen is not None
    assert seen.is_partial


async def test_a_notebook_that_is_too_large_is_a_partial_view(tmp_path: Path) -> None:
    reader = Reader(tmp_path, CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS="100")
    cells = [{"cell_type": "code", "source": "x" * 100} for _ in range(10)]
    (tmp_path / "big.ipynb").write_text(json.dumps({**NOTEBOOK, "cells": cells}))

    output = await reader.output("big.ipynb")

    assert isinstance(output.data, tuple)
    [text] = output.data
    assert isinstance(text, Text)
    assert "This is a PARTIAL view: cells 1-2 of 10. Use offset=3 to read on." in text.text
    with pytest.raises(ToolError, match="too large to be shown at once; cell 'cell-5'"):
        await reader.output("big.ipynb", offset=4, limit=5)


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", '{"cells": [1]}', "[" * 100_000, "{"],
    ids=["list", "no cells", "no cell", "deep", "cut off"],
)
async def test_what_is_no_notebook_is_said_to_be_none(
    reader: Reader, tmp_path: Path, content: str
) -> None:
    (tmp_path / "a.ipynb").write_text(content)

    with pytest.raises(ToolError, match=r"a\.ipynb is not a notebook"):
        await reader.output("a.ipynb")


async def test_the_older_tool_shows_all_cells_or_one(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text(json.dumps(NOTEBOOK))
    (tmp_path / "a.txt").write_text("text")
    tool = NotebookRead(reader.knowledge, {})

    async def cells(**given: str) -> object:
        return await tool.run(args_of(tool, **given), reader.context())

    assert await cells(notebook_path="a.ipynb", cell_id="intro") == (Text(FIRST),)
    assert len(await cells(notebook_path="a.ipynb")) == 3  # type: ignore[arg-type]
    with pytest.raises(ToolError, match="has no cell 'nope'"):
        await cells(notebook_path="a.ipynb", cell_id="nope")
    with pytest.raises(ToolError, match="is no notebook"):
        await cells(notebook_path="a.txt")


def test_nothing_heavy_is_imported_before_a_picture_is_read() -> None:
    printed = run_python(
        """
import sys
from gantlet import tools
tools.discover(tools)
print([name for name in ("PIL", "pypdfium2", "psutil") if name in sys.modules])
"""
    )

    assert printed == "[]\n"
    assert "PIL" in sys.modules  # it would be seen
