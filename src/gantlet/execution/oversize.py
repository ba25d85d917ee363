"""Results that are too big for the conversation.

The whole goes to a file, a preview to the model.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import field
from functools import partial
from pathlib import Path

from gantlet.execution.preview import HEAD_CHARS, TAIL_CHARS, head_and_tail
from gantlet.messages import Block, Document, Image, Text, ToolReference, block_to_wire, dumps
from gantlet.messages.value import replace, slotted, value
from gantlet.system import keep_private, make_private_folder, run_in_thread
from gantlet.tool import ResultContent

REPLY_BUDGET_CHARS = 200_000
#: What the API takes of one picture or document, as base64.
MAX_MEDIA_CHARS = 7_000_000
#: The most characters a preview has, unless it names a very long path.
PREVIEW_CHARS = HEAD_CHARS + TAIL_CHARS + 1_000
_SAFE_NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")


@value
class _Replaced:
    """What stands for a result, and by which the result is known again."""

    digest: str
    fitted: ResultContent


@slotted
class Spill:
    """Fits results to size. Keep one for a session: what was replaced once stays so, identically.

    Attributes:
        folder: Where whole results go; made when the first one does.
    """

    folder: Path
    _replaced: dict[str, _Replaced] = field(default_factory=dict)

    async def fit(self, call_id: str, content: ResultContent, limit: float) -> ResultContent:
        """Return `content`, or a preview of it with the path of the whole if it is over `limit`."""
        fitting = self.fitting(call_id, content, limit)
        if fitting is not None:
            return fitting
        fitted = await run_in_thread(partial(self._spill, call_id, content, limit))
        self._replaced[call_id] = _Replaced(_digest_of(content), fitted)
        return fitted

    def fit_now(self, call_id: str, content: ResultContent, limit: float) -> ResultContent:
        """Do the same at once, for a result that is small enough to be written without waiting."""
        fitting = self.fitting(call_id, content, limit)
        if fitting is not None:
            return fitting
        fitted = self._spill(call_id, content, limit)
        self._replaced[call_id] = _Replaced(_digest_of(content), fitted)
        return fitted

    def fitting(self, call_id: str, content: ResultContent, limit: float) -> ResultContent | None:
        """Return what stands for `content` if no file is needed for it, or None if one is."""
        known = self._known(call_id, content) if self._replaced else None
        if known is None and _fits(content, limit):
            return content
        return known

    def _known(self, call_id: str, content: ResultContent) -> ResultContent | None:
        """Return what this very result was replaced by; two calls may bear the same id."""
        replaced = self._replaced.get(call_id)
        if replaced is None:
            return None
        if content == replaced.fitted or _digest_of(content) == replaced.digest:
            return replaced.fitted
        return None

    def _spill(self, call_id: str, content: ResultContent, limit: float) -> ResultContent:
        """Write what is too big to files, and put previews in its place."""
        name = call_id if _SAFE_NAME.fullmatch(call_id) else _digest(call_id.encode(*_ANY_TEXT))
        if isinstance(content, str):
            return self._stand_in(content, f"{name}.txt", limit)
        return self._spill_blocks(content, name, limit)

    def _spill_blocks(self, content: Sequence[Block], name: str, limit: float) -> ResultContent:
        """Keep the blocks that fit; the others go to one file, with one preview for all of them.

        One, because a thousand previews would be too big again. Media go to a file each.
        """
        fitted: list[Block] = []
        over: list[Block] = []
        place, left = 0, limit
        for number, block in enumerate(content):
            size = _size_of_block(block)
            if _is_oversized_media(block):
                fitted.append(self._media_stand_in(block, f"{name}-{number}.json"))
            elif size <= left:
                fitted.append(block)
                left -= size
            else:
                place = place if over else len(fitted)
                over.append(block)
        if over:
            fitted.insert(place, self._text_stand_in(over, name, limit))
        return tuple(fitted)

    def _text_stand_in(self, blocks: Sequence[Block], name: str, limit: float) -> Text:
        """Return what stands for blocks of text."""
        whole = "\n\n".join(map(_whole_of, blocks))
        if len(blocks) == 1 and isinstance(blocks[0], Text):
            preview = self._stand_in(whole, f"{name}.txt", limit)
            return replace(blocks[0], text=preview, citations=None)
        ending = "json" if len(blocks) == 1 else "txt"
        return Text(self._stand_in(whole, f"{name}.{ending}", limit))

    def _media_stand_in(self, block: Block, file_name: str) -> Text:
        """Return what stands for a picture or a document; nobody reads a part of one."""
        whole = _whole_of(block)
        kind = "document" if isinstance(block, Document) else "image"
        return Text(
            f"[The {kind} has {len(whole):,} characters, more than can be shown,"
            f" {self._fate(whole, file_name)}.]"
        )

    def _stand_in(self, whole: str, file_name: str, limit: float) -> str:
        """Return the preview of a text that was written to a file."""
        head, tail = head_and_tail(whole, *_shares(limit))
        left_out = len(whole) - len(head) - len(tail)
        notice = f"[The output has {len(whole):,} characters {self._fate(whole, file_name)}.]"
        if not left_out:
            return f"{notice}\n{head}"
        return f"{notice}\n{head}\n[… {left_out:,} characters left out …]\n{tail}"

    def _fate(self, whole: str, file_name: str) -> str:
        """Write a text to a file and say where it is.

        A full disk costs the middle, not the call.
        """
        try:
            make_private_folder(self.folder)
            path = keep_private(self.folder / file_name, whole)
        except OSError as error:
            reason = error.strerror or str(error)
            return f"and could not be saved ({reason}): what is not shown is lost"
        return f"and was saved whole to {path}. Read it there in parts"


def _shares(limit: float) -> tuple[int, int]:
    """Return how much of the head and the tail to show: less where little is wanted."""
    if 0 < limit < HEAD_CHARS + TAIL_CHARS:
        return int(limit * 2 / 3), int(limit / 3)
    return HEAD_CHARS, TAIL_CHARS


def size_of(content: ResultContent) -> int:
    """Return how many characters a result puts into the conversation."""
    if isinstance(content, str):
        return len(content)
    return sum(_size_of_block(block) for block in content)


def _fits(content: ResultContent, limit: float) -> bool:
    """Return whether a result can stay as it is."""
    if isinstance(content, str):
        return len(content) <= limit
    return size_of(content) <= limit and not any(map(_is_oversized_media, content))


def _size_of_block(block: Block) -> int:
    """Return a block's characters; pictures and PDFs are counted by the API in its own way."""
    if isinstance(block, Text):
        return len(block.text)
    if isinstance(block, Image) or (isinstance(block, Document) and not _is_text(block)):
        return 0
    if isinstance(block, ToolReference):
        return len(block.tool_name)
    return len(dumps(block_to_wire(block)))


def _is_text(document: Document) -> bool:
    """Return whether a document is nothing but text, and costs what text costs."""
    return document.source.get("type") in ("text", "content")


def _is_oversized_media(block: Block) -> bool:
    """Return whether a block is a picture or document that the API would refuse."""
    if not isinstance(block, Image | Document):
        return False
    data = block.source.get("data")
    return isinstance(data, str) and len(data) > MAX_MEDIA_CHARS


def _whole_of(block: Block) -> str:
    """Return all of a block as text."""
    if isinstance(block, Text):
        return block.text
    return dumps(block_to_wire(block)).decode("utf-8", "replace")


#: How text of any kind becomes bytes, lone surrogates included.
_ANY_TEXT = ("utf-8", "surrogatepass")


def _digest_of(content: ResultContent) -> str:
    """Return by what a result is known again."""
    if isinstance(content, str):
        return _digest(content.encode(*_ANY_TEXT))
    return _digest(dumps([block_to_wire(block) for block in content]))


def _digest(data: bytes) -> str:
    """Return a name for some bytes that can be a file's."""
    return hashlib.sha256(data).hexdigest()[:32]
