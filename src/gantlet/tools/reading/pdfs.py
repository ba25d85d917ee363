"""PDFs: the document itself, or some of its pages."""

import base64
import re
from pathlib import PurePosixPath

from gantlet.messages import Block, Text, UserMessage
from gantlet.messages.value import value
from gantlet.tool import ToolError, ToolResult
from gantlet.tools.reading.answers import size_text
from gantlet.tools.reading.media import PdfPages, document_block, read_pdf

#: A longer document is shown page by page.
MAX_WHOLE_PAGES = 10
MAX_PAGES = 20
#: A larger document is shown page by page too.
MAX_WHOLE_BYTES = 5 * 1024 * 1024
_RANGE = re.compile(r"\s*(\d{1,9})\s*(?:(-)\s*(\d{1,9})?)?\s*")


@value
class PageRange:
    """Pages that were asked for; without a last one, up to the end."""

    first: int
    last: int | None

    @classmethod
    def of(cls, text: str) -> "PageRange | None":
        """Return what `3`, `1-5` or `7-` means, or None where it means nothing."""
        found = _RANGE.fullmatch(text)
        if found is None:
            return None
        first = int(found.group(1))
        last = int(found.group(3)) if found.group(3) else None if found.group(2) else first
        if first < 1 or (last is not None and last < first):
            return None
        return cls(first, last)


async def pdf_answer(path: str, content: bytes, asked: PageRange | None) -> ToolResult[object]:
    """Return a PDF: the document as a message of its own, or the pages that were asked for.

    Raises:
        ToolError: It cannot be read, or the pages must be named.
    """
    if asked is not None:
        found = await read_pdf(path, content, asked.first, asked.last, MAX_PAGES)
        return _pages_answer(path, len(content), asked, found)
    total = (await read_pdf(path, content, 1, 0, 0)).total
    size = size_text(len(content))
    if total > MAX_WHOLE_PAGES or len(content) > MAX_WHOLE_BYTES:
        raise ToolError(
            f"{path} has {total} pages ({size}), too much to be shown at once. Name the pages:"
            f' pages="1-{min(total, MAX_PAGES)}", at most {MAX_PAGES} at a time.'
        )
    data = base64.b64encode(content).decode("ascii")
    document = document_block(data, PurePosixPath(path).name)
    return ToolResult(
        f"PDF file read: {path} ({size})",
        new_messages=(UserMessage((document,)),),
        structured={
            "type": "pdf",
            "file": {"filePath": path, "base64": data, "originalSize": len(content)},
        },
    )


def _pages_answer(path: str, size: int, asked: PageRange, found: PdfPages) -> ToolResult[object]:
    """Return pages as text and as pictures.

    Raises:
        ToolError: There are no such pages, or too many.
    """
    if asked.first > found.total:
        raise ToolError(f"{path} has {found.total} pages; there is no page {asked.first}.")
    if not found.pages:
        raise ToolError(
            f"At most {MAX_PAGES} pages can be shown at a time; {path} has {found.total}. Use"
            f' pages="{asked.first}-{asked.first + MAX_PAGES - 1}".'
        )
    last = found.pages[-1].number
    blocks: list[Block] = [
        Text(f"PDF pages read: {path}, pages {asked.first}-{last} of {found.total}")
    ]
    for page in found.pages:
        blocks.append(Text(f"Page {page.number}:\n{page.text or '[No text on this page.]'}"))
        if page.picture is not None:
            blocks.append(page.picture.block())
    pictures = [page.picture for page in found.pages if page.picture is not None]
    structured = {
        "type": "parts",
        "file": {"filePath": path, "originalSize": size, "count": len(found.pages)},
        "firstPage": asked.first,
        "pages": [{"base64": one.data, "mediaType": one.media_type} for one in pictures],
    }
    return ToolResult(tuple(blocks), structured=structured)
