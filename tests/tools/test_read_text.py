"""Read: lines of text files, in parts that fit together."""

import os
import tracemalloc
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import args_of, tool_use
from gantlet.session import KnownFiles
from gantlet.system import PathFacts, locate, open_file
from gantlet.tool import (
    Access,
    AgentIdentity,
    File,
    Judged,
    Rejected,
    Surroundings,
    ToolContext,
    ToolError,
    ToolResult,
)
from gantlet.tools.reading import Read
from gantlet.tools.reading.text_part import TextPart, read_part

pytestmark = pytest.mark.anyio


class Reader:
    """A session that reads, and what it knows."""

    def __init__(self, folder: Path, **variables: str) -> None:
        self.folder = folder
        self.knowledge = KnownFiles()
        self.tool = Read(self.knowledge, variables)

    def context(self, agent: str = "main", judged: Judged | None = None) -> ToolContext:
        """Return the context of a call."""
        return ToolContext(
            tool_use("Read"),
            Surroundings(str(self.folder)),
            agent=AgentIdentity(id=agent),
            judged=judged or Judged(),
        )

    async def output(self, file_path: str, agent: str = "main", **given: Any) -> ToolResult[object]:
        """Read a file."""
        args = args_of(self.tool, file_path=file_path, **given)
        return await self.tool.run(args, self.context(agent))

    async def text(self, file_path: str, **given: Any) -> str:
        """Return what the model reads of a file."""
        data = (await self.output(file_path, **given)).data
        assert isinstance(data, str)
        return data


@pytest.fixture
def reader(tmp_path: Path) -> Reader:
    return Reader(tmp_path)


def numbered_lines(*lines: str, first: int = 1) -> str:
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, first))


async def test_lines_have_numbers_and_the_whole_is_known(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\ntwo\n\nfour")

    output = await reader.output("a.txt")

    assert output.data == numbered_lines("one", "two", "", "four")
    assert output.structured == {
        "type": "text",
        "file": {
            "filePath": "a.txt",
            "content": "one\ntwo\n\nfour",
            "numLines": 4,
            "startLine": 1,
            "totalLines": 4,
        },
    }
    seen = reader.knowledge.recall(str(tmp_path / "a.txt"))
    assert seen is not None
    assert (seen.content, seen.is_partial) == (b"one\ntwo\n\nfour", False)


async def test_a_part_is_shown_and_only_that_is_known(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n3\n4\n")

    assert await reader.text("a.txt", offset=2, limit=2) == numbered_lines("2", "3", first=2)
    seen = reader.knowledge.recall(str(tmp_path / "a.txt"))
    assert seen is not None
    assert (seen.lines, seen.total_lines, seen.is_partial) == (((2, 3),), 4, True)

    await reader.text("a.txt", offset=0, limit=1)
    await reader.text("a.txt", offset=4)
    seen = reader.knowledge.recall(str(tmp_path / "a.txt"))
    assert seen is not None
    assert not seen.is_partial


async def test_a_line_that_was_cut_is_not_known(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n" + "x" * 2_001 + "\n4\n")
    await reader.text("a.txt")

    seen = reader.knowledge.recall(str(tmp_path / "a.txt"))
    assert seen is not None
    assert (seen.lines, seen.is_partial) == (((1, 2), (4, 4)), True)

    (tmp_path / "b.txt").write_text("x" * 2_001)
    await reader.text("b.txt")
    seen = reader.knowledge.recall(str(tmp_path / "b.txt"))
    assert seen is not None
    assert seen.is_partial


async def test_who_looked_behind_the_end_knows_nothing_of_a_file(
    reader: Reader, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")
    await reader.text("a.txt", offset=10)

    seen = reader.knowledge.recall(str(tmp_path / "a.txt"))
    assert seen is not None
    assert seen.is_partial


async def test_empty_pages_are_none(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n")
    args = args_of(reader.tool, file_path="a.txt", pages="")

    assert await reader.tool.validate_input(args, reader.context()) is None
    assert await reader.text("a.txt", pages="") == numbered_lines("1")


async def test_an_empty_notebook_is_an_empty_file(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.ipynb").write_text("")

    assert "the contents are empty" in await reader.text("a.ipynb")


async def test_a_name_in_other_letters_is_offered(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("1\n")

    with pytest.raises(ToolError, match=r"Did you mean 'README\.md'"):
        await reader.text("readme.md")


async def test_offset_nought_means_the_first_line(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("1\n2\n")

    assert await reader.text("a.txt", offset=0) == numbered_lines("1", "2")


async def test_an_empty_file_and_an_offset_past_the_end_are_said(
    reader: Reader, tmp_path: Path
) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "short").write_text("1\n2\n")

    assert await reader.text("empty") == (
        "<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>"
    )
    assert await reader.text("short", offset=3) == (
        "<system-reminder>Warning: the file exists but is shorter than the provided offset (3)."
        " The file has 2 lines.</system-reminder>"
    )


async def test_a_long_file_is_shown_as_a_partial_view(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "long").write_text("x\n" * 2_001)

    *lines, last = (await reader.text("long")).split("\n")

    assert len(lines) == 2_000
    assert last == (
        "<system-reminder>This is a PARTIAL view: lines 1-2000 of 2,001. Use offset=2001 to read"
        " on, or Grep to find what you need.</system-reminder>"
    )
    seen = reader.knowledge.recall(str(tmp_path / "long"))
    assert seen is not None
    assert seen.is_partial


async def test_too_many_tokens_are_a_partial_view_or_an_error_if_asked_for(tmp_path: Path) -> None:
    reader = Reader(tmp_path, CLAUDE_CODE_FILE_READ_MAX_OUTPUT_TOKENS="25")
    (tmp_path / "wide").write_text(f"{'x' * 40}\n" * 10)

    output = await reader.output("wide")

    assert isinstance(output.structured, Mapping)
    assert output.structured["file"]["numLines"] == 2
    assert output.structured["file"]["truncatedByTokenCap"] is True
    assert "PARTIAL view: lines 1-2 of 10" in str(output.data)
    with pytest.raises(ToolError, match=r"Lines 3-5 have about 35 tokens.*Use limit=2\."):
        await reader.output("wide", offset=3, limit=3)
    assert await reader.text("wide", offset=3, limit=3, allow_large=True) == numbered_lines(
        *["x" * 40] * 3, first=3
    )


async def test_a_long_line_is_cut_and_says_so(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "min.js").write_text("x" * 5_000 + "\nshort\n")

    assert await reader.text("min.js") == numbered_lines(
        f"{'x' * 2_000}… [3,000 more characters]", "short"
    )


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"a\r\nb\r\n", ["a", "b"]),
        (b"a\rb\r", ["a", "b"]),
        (b"\xef\xbb\xbfa\n", ["a"]),
        ("é\nü".encode("utf-16"), ["é", "ü"]),
        ("é\n".encode("utf-16-le") * 40, ["é"] * 40),
        ("é\nü".encode("utf-32"), ["é", "ü"]),
        (b"caf\xe9\n", ["café"]),
        (b"\x93quoted\x94\n", ["“quoted”"]),
        ("naïve ".encode() + b"\xff\n", ["naïve \ufffd"]),
        (b"\n\n", ["", ""]),
        (b"\x1b[31mred\x1b[0m\n", ["\x1b[31mred\x1b[0m"]),
    ],
    ids=["crlf", "cr", "bom", "16", "16 bare", "32", "latin", "1252", "lone", "empty", "escape"],
)
async def test_encodings_and_line_ends(
    reader: Reader, tmp_path: Path, content: bytes, lines: list[str]
) -> None:
    (tmp_path / "file").write_bytes(content)

    assert await reader.text("file") == numbered_lines(*lines)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"\x7fELF\x02\x01\x01" + bytes(64), "ELF program, 71 bytes"),
        (b"PK\x03\x04" + bytes(2_000), "ZIP archive or office document, 2.0 KB"),
        (b"SQLite format 3\x00", "SQLite database"),
        (bytes(range(256)) * 10, "no text in any encoding"),
    ],
    ids=["elf", "zip", "sqlite", "unknown"],
)
async def test_a_binary_file_is_refused_with_what_it_is(
    reader: Reader, tmp_path: Path, content: bytes, what: str
) -> None:
    (tmp_path / "file").write_bytes(content)

    with pytest.raises(ToolError) as caught:
        await reader.text("file")

    assert str(caught.value).startswith(f"file is a binary file ({what}")


async def test_words_that_begin_like_an_archive_are_text(reader: Reader, tmp_path: Path) -> None:
    for begin in ("MZ", "OTTO", "ID3", "fLaC", "BM", "wOFF", "Rar!", "RIFF"):
        (tmp_path / "file").write_text(f"{begin} is how it begins\n")

        assert begin in await reader.text("file")


async def test_what_is_no_regular_file_is_refused(reader: Reader, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("/proc/self/environ")
    reasons = {
        "fifo": "it is a FIFO",
        ".": "it is a directory. Use Glob to see its files",
        "/dev/zero": "it is a device",
        "/proc/self/environ": "it lies in /proc",
        "link": "it lies in /proc",
        "/dev/stdin": "it is a device",
    }
    for path, reason in reasons.items():
        with pytest.raises(ToolError) as caught:
            await reader.text(path)

        assert str(caught.value) == f"{path!r} cannot be read: {reason}."


async def test_a_missing_file_comes_with_the_name_that_may_be_meant(
    reader: Reader, tmp_path: Path
) -> None:
    (tmp_path / "settings.json").touch()

    with pytest.raises(ToolError) as near:
        await reader.text("setings.json")
    with pytest.raises(ToolError) as far:
        await reader.text("zzz")

    assert str(near.value) == "No file at 'setings.json'. Did you mean 'settings.json'?"
    assert str(far.value) == "No file at 'zzz'. Use Glob to find it."


async def test_a_withheld_name_is_not_told(reader: Reader, tmp_path: Path) -> None:
    class Everything:
        is_empty = False

        def holds(self, place: PathFacts) -> bool:
            return True

    (tmp_path / "secret.key").touch()
    args = args_of(reader.tool, file_path="secret.kez")

    with pytest.raises(ToolError) as caught:
        await reader.tool.run(args, reader.context(judged=Judged({}, Everything())))

    assert "secret.key'" not in str(caught.value)


async def test_the_same_again_is_only_said_to_be_unchanged(reader: Reader, tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one\n")
    first = await reader.text("a.txt")
    stamp = file.stat()

    assert "has not changed since you read it" in await reader.text("a.txt")
    assert await reader.text("a.txt", limit=1) == first  # another part
    assert (await reader.output("a.txt", agent="other")).data == first  # another conversation
    file.write_text("two\n")
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # its content decides, not its time
    assert await reader.text("a.txt") == numbered_lines("two")


async def test_what_was_compacted_away_is_shown_again(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    first = await reader.text("a.txt")

    reader.knowledge.forget_showing()

    assert await reader.text("a.txt") == first


async def test_a_path_through_a_file_and_one_with_a_nul_byte_are_told_apart_from_missing_files(
    reader: Reader, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("text\n")
    args = args_of(reader.tool, file_path="a\0b")

    with pytest.raises(ToolError, match="a name on the way to it is no directory"):
        await reader.text("file/x")
    assert await reader.tool.validate_input(args, reader.context()) == Rejected(
        "A path cannot hold a NUL byte. Leave it out.", code=1
    )


async def test_pages_are_for_pdfs(reader: Reader, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n")

    with pytest.raises(ToolError, match=r"a\.txt is no PDF and has no pages"):
        await reader.text("a.txt", pages="1")
    rejected = await reader.tool.validate_input(
        args_of(reader.tool, file_path="a.pdf", pages="5-2"), reader.context()
    )
    assert rejected == Rejected('\'5-2\' are no pages. Give one ("3") or a range ("1-5").', 1)


def test_a_reading_touches_one_file(reader: Reader) -> None:
    traits = reader.tool.traits(args_of(reader.tool, file_path="a.txt"))

    assert (traits.read_only, traits.open_world) == (True, False)
    assert traits.reach == Access(reads={File("a.txt")})
    assert reader.tool.aliases == ("FileRead",)


def part_of(content: bytes, first: int, limit: int, whole_bytes: int) -> TextPart | None:
    """Read a part of a file that holds `content`."""
    with TemporaryDirectory() as folder:
        file = Path(folder).resolve() / "file"
        file.write_bytes(content)
        with open_file(locate(str(file), "/")) as opened:
            return read_part(opened, opened.read(16), first, limit, whole_bytes)


TEXTS = st.lists(st.sampled_from(["", "a", "é", "x" * 30, "\r", "\t€ \U0001f600"]), max_size=30)


@given(
    lines=TEXTS,
    end=st.sampled_from(["", "\n"]),
    encoding=st.sampled_from(["utf-8", "utf-16", "utf-8-sig", "utf-32"]),
    wanted=st.tuples(st.integers(1, 12), st.integers(1, 12)),
    whole_bytes=st.sampled_from([0, 1_000_000]),
)
def test_a_part_is_a_slice_of_the_lines(
    lines: list[str], end: str, encoding: str, wanted: tuple[int, int], whole_bytes: int
) -> None:
    first, limit = wanted
    text = "\n".join([*lines, "last"]) + end
    expected = text.removesuffix("\n").split("\n")

    part = part_of(text.encode(encoding), first, limit, whole_bytes)

    assert part is not None
    assert list(part.lines) == expected[first - 1 : first - 1 + limit]
    assert part.total == len(expected)
    assert part.has_more == (first - 1 + limit < len(expected))


@given(size=st.integers(1, 300_000), at=st.integers(0, 200_000))
def test_a_huge_line_is_cut_the_same_way_whole_or_in_a_stream(size: int, at: int) -> None:
    content = b"y" * size + b"\n" + b"next\n"

    whole, streamed = part_of(content, 1, 5, 1_000_000), part_of(content, 1, 5, 0)

    assert whole is not None
    assert streamed is not None
    assert whole.lines == streamed.lines


async def test_a_part_of_a_huge_file_takes_little_memory(reader: Reader, tmp_path: Path) -> None:
    file = tmp_path / "huge"
    with file.open("wb") as opened:
        opened.write(b"".join(b"line %d\n" % number for number in range(20_000)))
        opened.truncate(1 << 30)  # a gigabyte, most of it a hole
    tracemalloc.start()
    try:
        output = await reader.output("huge", offset=1, limit=2_000)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert str(output.data).endswith("  2000→line 1999")
    assert peak < 16 * 1024 * 1024
    seen = reader.knowledge.recall(str(file))
    assert seen is not None
    assert (seen.digest, seen.content, seen.lines) == ("", None, ((1, 2_000),))
