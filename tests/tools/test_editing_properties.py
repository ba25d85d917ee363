"""For any bytes, encodings, line endings and edits: nothing outside the edit changes."""

import subprocess
from functools import partial
from pathlib import Path

import anyio
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from builders import args_of, tool_use
from gantlet.session import KnownFiles, undo
from gantlet.system import read_text
from gantlet.tool import Surroundings, ToolContext, ToolError
from gantlet.tools.editing.line_diff import split_lines
from gantlet.tools.editing.matching import find_all
from gantlet.tools.editing.patch import Replacement, applied, hunks
from gantlet.tools.editing.rewriting import difference
from gantlet.tools.reading import Read
from tools.editing_kit import Workbench

words = st.text(st.sampled_from("abß é\t“\u4e2d"), min_size=1, max_size=4)
endings = st.sampled_from(["\n", "\r\n", "\r"])
texts = st.lists(st.tuples(words, endings), min_size=1, max_size=8).map(
    lambda lines: "".join(word + ending for word, ending in lines)
)
encodings = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "latin-1", "raw"])


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Return a file's bytes: a text in some encoding, or with bytes in it that are no text."""
    text, encoding = draw(texts), draw(encodings)
    if encoding == "raw":
        odd = draw(st.binary(min_size=1, max_size=3))
        return b"head \xc3\xa4 " + odd.replace(b"\0", b"") + text.encode()
    return text.encode(encoding, "replace")


@pytest.fixture(scope="module")
def benches(tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    return Workbench(tmp_path_factory.mktemp("bench"))


def assert_refused_for_its_encoding(
    error: ToolError, path: Path, content: bytes, wanted: bytes
) -> None:
    """An edit may be refused only if its outcome would be read as another encoding."""
    assert "would be taken for another encoding" in str(error)
    assert path.read_bytes() == content
    before, after = read_text(content), read_text(wanted)
    assert before is not None
    assert after is None or after.form.encoding != before.form.encoding


@given(content=files(), data=st.data())
def test_everything_outside_the_edit_is_byte_identical(
    benches: Workbench, content: bytes, data: st.DataObject
) -> None:
    read = read_text(content)
    assume(read is not None and read.text)
    assert read is not None
    start = data.draw(st.integers(0, len(read.text) - 1))
    end = data.draw(st.integers(start + 1, len(read.text)))
    old, new = read.text[start:end], data.draw(st.sampled_from(["", "x", "x\ny", "ab\r\ncd"]))
    assume(old != new and len(find_all(read.text, old)) == 1)
    assume(not read.text[max(0, start - 1) :].startswith("\r\n") or "\r" in old or start == 0)
    path = benches.show("a.txt", content)
    before, after = read.form.encode_part(read.text[:start]), read.text[end:]

    head, tail = read.form.mark + before, read.form.encode_part(after) + read.form.tail
    try:
        anyio.run(benches.edit, "a.txt", old, new)
    except ToolError as error:
        assert_refused_for_its_encoding(
            error, path, content, head + read.form.encode_part(new) + tail
        )
        return

    now = path.read_bytes()
    assert now.startswith(head)
    assert now.endswith(tail)
    middle = now[len(head) : len(now) - len(tail)]
    plain = middle.decode(read.form.encoding).replace("\r\n", "\n").replace("\r", "\n")
    assert plain == new.replace("\r\n", "\n")


@given(content=files(), data=st.data())
def test_undo_gives_the_bytes_back(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, data: st.DataObject
) -> None:
    read = read_text(content)
    assume(read is not None)
    assert read is not None
    bench = Workbench(tmp_path_factory.mktemp("bench"))
    path = bench.show("a.txt", content)
    mode = path.stat().st_mode
    for _ in range(data.draw(st.integers(1, 3))):
        current = read_text(path.read_bytes())
        assert current is not None
        old = data.draw(st.sampled_from(current.text or "?"))
        try:
            anyio.run(partial(bench.edit, "a.txt", old, old + "+", replace_all=True))
        except ToolError:
            continue
    if not bench.changes.entries():
        return

    result = undo(bench.changes, "0")

    assert result.is_done
    assert (path.read_bytes(), path.stat().st_mode) == (content, mode)


@given(
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200)
)
def test_what_is_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    bench = Workbench(tmp_path_factory.mktemp("bench"))

    anyio.run(bench.write, "a.txt", text)
    anyio.run(bench.write, "a.txt", text + "!")
    written = bench.path("a.txt").read_bytes()

    read = read_text(written)
    assert read is None or read.form.mark.decode("utf-8") + read.text in (
        text + "!",
        (text + "!").replace("\n", "\r\n"),
        (text + "!").replace("\n", "\r"),
    )


@given(content=files(), written=st.lists(words, min_size=1, max_size=8))
def test_read_shows_what_was_written_over_any_file(
    benches: Workbench, content: bytes, written: list[str]
) -> None:
    async def written_and_read() -> object:
        path = str(benches.show("over.txt", content))
        await benches.write("over.txt", "".join(f"{line}\n" for line in written))
        tool: Read = Read(KnownFiles(), {})
        context = ToolContext(tool_use("Read"), Surroundings(str(benches.folder)))
        return (await tool.run(args_of(tool, file_path=path), context)).structured

    told = anyio.run(written_and_read)

    assert isinstance(told, dict)
    shown = [line.removesuffix("\r") for line in told["file"]["content"].split("\n")]
    assert shown == written, "line ends stay those of the file"


lines = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=7)


def merged(base: str, mine: str, theirs: str, folder: Path) -> str | None:
    """Return git's three-way merge, or None where there is a conflict."""
    for name, text in (("mine", mine), ("base", base), ("theirs", theirs)):
        (folder / name).write_text(text)
    ran = subprocess.run(
        ["git", "merge-file", "-p", "mine", "base", "theirs"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    return ran.stdout if ran.returncode == 0 else None


@given(before=lines, after=lines, theirs_before=lines, theirs_after=lines)
def test_a_rebased_edit_is_the_three_way_merge(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[str],
    after: list[str],
    theirs_before: list[str],
    theirs_after: list[str],
) -> None:
    middle = ("one", "two", "target", "three", "four")
    base = "".join(f"{line}\n" for line in (*before, *middle, *after))
    theirs = "".join(f"{line}\n" for line in (*theirs_before, *middle, *theirs_after))
    mine = base.replace("target", "edited")
    folder = tmp_path_factory.mktemp("merge")
    expected = merged(base, mine, theirs, folder)
    assume(expected is not None and theirs != base)
    bench = Workbench(folder)
    path = bench.show("a.txt", base.encode())
    path.write_text(theirs)

    told = anyio.run(bench.edit, "a.txt", "target", "edited")

    assert path.read_text() == expected
    assert "Note: the file had been changed since you last read it." in told


@given(
    text=st.lists(st.sampled_from(["one\n", "two\n", "three"]), max_size=12).map("".join),
    data=st.data(),
)
def test_a_patch_leads_from_the_old_text_to_the_new_one(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    spans = list(zip(cuts[::2], cuts[1::2], strict=False))
    news = [data.draw(st.sampled_from(["", "x", "y\nz\n", "\n"])) for _ in spans]
    replacements = [
        Replacement(start, end, new) for (start, end), new in zip(spans, news, strict=True)
    ]
    after = applied(text, replacements)

    for patch in (hunks(text, replacements), hunks(text, difference(text, after))):
        assert patched(text, patch) == after


def patched(text: str, patch: list[dict[str, object]]) -> str:
    """Apply a patch by its line numbers; what it says of the old text must be so."""
    old = split_lines(text)
    made: list[str] = []
    at = 0
    for hunk in patch:
        start, count, told = hunk["oldStart"], hunk["oldLines"], hunk["lines"]
        assert isinstance(start, int)
        assert isinstance(count, int)
        assert isinstance(told, list)
        first = start - 1 if count else start
        ended = [
            (line[0], line[1:] + ("" if after.startswith("\\") else "\n"))
            for line, after in zip(told, [*told[1:], ""], strict=True)
            if not line.startswith("\\")
        ]
        assert [line for mark, line in ended if mark in " -"] == old[first : first + count]
        new = [line for mark, line in ended if mark in " +"]
        assert len(new) == hunk["newLines"]
        made += [*old[at:first], *new]
        at = first + count
    return "".join([*made, *old[at:]])
