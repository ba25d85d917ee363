"""Pictures and PDFs, taken apart in a child process."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gantlet.messages import Document, FrozenDict, Image
from gantlet.messages.value import value
from gantlet.system import run_child
from gantlet.tool import ToolError

_PROGRAM = str(Path(__file__).with_name("media_child.py"))
_SECONDS = 60.0
_MAX_ANSWER_BYTES = 64 * 1024 * 1024


@value
class Picture:
    """A picture as the API takes it."""

    media_type: str
    data: str
    width: int
    height: int
    original_width: int
    original_height: int

    def block(self) -> Image:
        """Return it as a block."""
        return Image(FrozenDict(type="base64", media_type=self.media_type, data=self.data))


@value
class PdfPage:
    """One page: its number, its text, and how it looks."""

    number: int
    text: str
    picture: Picture | None


@value
class PdfPages:
    """Some pages of a PDF, and how many it has."""

    total: int
    pages: tuple[PdfPage, ...]


def document_block(data: str, title: str) -> Document:
    """Return a PDF as a block."""
    source = FrozenDict(type="base64", media_type="application/pdf", data=data)
    return Document(source, title=title)


async def scale_picture(path: str, content: bytes) -> Picture:
    """Return a picture that is small enough to be sent, without its metadata.

    Raises:
        ToolError: It cannot be decoded, or would be too large.
    """
    return Picture(**await _ask(path, {"task": "picture"}, content))


async def read_pdf(path: str, content: bytes, first: int, last: int | None, most: int) -> PdfPages:
    """Return pages of a PDF, none if they are more than `most`.

    Raises:
        ToolError: It cannot be read.
    """
    task = {"task": "pages", "first": first, "last": last, "most": most}
    answer = await _ask(path, task, content)
    return PdfPages(answer["total"], tuple(map(_page, answer["pages"])))


def _page(fields: Mapping[str, Any]) -> PdfPage:
    """Return a page that the child has written down."""
    picture = fields["picture"]
    return PdfPage(
        fields["number"], fields["text"], Picture(**picture) if picture is not None else None
    )


async def _ask(path: str, task: Mapping[str, object], content: bytes) -> dict[str, Any]:
    """Have the child do something with a file's content, which it is given and cannot open.

    Raises:
        ToolError: It says why it cannot, or had to be ended.
    """
    try:
        result = await run_child(
            [sys.executable, "-I", _PROGRAM, json.dumps(task)],
            env={"LANG": "C.UTF-8"},
            cwd=os.sep,
            stdin=content,
            seconds=_SECONDS,
            max_bytes=_MAX_ANSWER_BYTES,
        )
    except OSError as error:
        raise ToolError(f"{path} could not be taken apart: {error.strerror}.") from error
    try:
        answer: dict[str, Any] = json.loads(result.stdout)
    except ValueError:
        answer = {"error": "it takes more time or memory than it may"}
    if "error" in answer:
        raise ToolError(f"{path} cannot be shown: {answer['error']}.")
    return answer
