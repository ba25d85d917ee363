"""Searches of files with line ends of another system, and of names that are no text."""

import os
from pathlib import Path

import pytest

from gantlet.tools.search import LS, Glob, Grep
from gantlet.tools.search.counts import Count, Counts, count_keys
from gantlet.tools.search.programs import Program
from tools.search_world import PROGRAMS, make_tree, said_by, searcher

pytestmark = pytest.mark.anyio

both_programs = pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
ODD_NAMES = (b"caf\xe9.txt", rb"caf\xe9.txt", b"a\nb.txt", b"d\xff/in.txt", "dé.txt".encode())
SHOWN = (r"caf\xe9.txt", r"caf\\xe9.txt", r"a\nb.txt", r"d\xff/in.txt", "dé.txt")


def odd_tree(root: Path) -> Path:
    return make_tree(root, {os.fsdecode(name): "needle\n" for name in ODD_NAMES})


@both_programs
@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("foo$", ["both.txt:1:foo", "both.txt:2:foo", "dos.txt:1:foo", "unix.txt:1:foo"]),
        ("^$", ["dos.txt:2:", "unix.txt:2:"]),
        (r"\s$", ["dos.txt:3:bar ", "unix.txt:3:bar "]),
        (
            r"\r",
            ["both.txt:1:foo", "dos.txt:1:foo", "dos.txt:2:", "dos.txt:3:bar ", "dos.txt:4:\\repo"],
        ),
        (r"foo\r$", ["both.txt:1:foo", "dos.txt:1:foo"]),
        ("foo[^\r]*$", ["both.txt:2:foo", "unix.txt:1:foo"]),
        (r"\\repo$", ["dos.txt:4:\\repo", "unix.txt:4:\\repo"]),
    ],
    ids=ascii,
)
async def test_a_carriage_return_belongs_to_the_end_of_a_line_unless_it_is_asked_for(
    tmp_path: Path, program: Program, pattern: str, found: list[str]
) -> None:
    lines = ("foo", "", "bar ", "\\repo", "")
    root = make_tree(
        tmp_path,
        {
            "unix.txt": "\n".join(lines),
            "dos.txt": "\r\n".join(lines),
            "both.txt": "foo\r\nfoo\n",
        },
    )

    said = await said_by(Grep(searcher(program)), root, pattern=pattern, output_mode="content")

    assert said.split("\n") == found


@both_programs
async def test_matches_alone_come_without_the_carriage_return(
    tmp_path: Path, program: Program
) -> None:
    root = make_tree(tmp_path, {"dos.txt": "foo bar\r\nfoo\r\n"})

    said = await said_by(
        Grep(searcher(program)), root, pattern="foo.*", output_mode="content", **{"-o": True}
    )

    assert said == "dos.txt:1:foo bar\ndos.txt:2:foo"


@both_programs
async def test_names_that_are_no_text_are_shown_so_that_they_can_be_handed_back(
    tmp_path: Path, program: Program
) -> None:
    root = odd_tree(tmp_path)
    grep, glob = Grep(searcher(program)), Glob(searcher(program))

    files = (await said_by(grep, root, pattern="needle")).split("\n")
    listed = (await said_by(glob, root, pattern="**")).split("\n")
    lines = (await said_by(grep, root, pattern="needle", output_mode="content")).split("\n")
    counts = (await said_by(grep, root, pattern="needle", output_mode="count")).split("\n")
    entries = (await said_by(LS(), root, path=".")).split("\n")

    assert files == ["Found 5 files", *reversed(SHOWN)]
    assert listed == list(reversed(SHOWN))
    assert sorted(lines) == sorted(f"{name}:1:needle" for name in SHOWN)
    assert sorted(counts[:-1]) == sorted(f"{name}:1" for name in SHOWN)
    assert counts[-1] == "Found 5 matching lines in 5 files."
    assert "- caf\\xe9.txt" in entries
    assert "- d\\xff/" in entries


@both_programs
async def test_a_shown_name_is_searched_like_any_other(tmp_path: Path, program: Program) -> None:
    root = odd_tree(tmp_path)
    grep, glob = Grep(searcher(program)), Glob(searcher(program))

    for name in SHOWN:
        said = await said_by(grep, root, pattern="needle", path=name, output_mode="content")
        assert said == "1:needle"
    assert await said_by(glob, root, pattern="*", path=r"d\xff") == r"d\xff/in.txt"
    assert (
        await said_by(grep, root, pattern="needle", path=r"d\xff") == "Found 1 file\nd\\xff/in.txt"
    )


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["line feeds", "carriage returns"])
@pytest.mark.parametrize("odd", [b"x", b"x\ny"], ids=["plain name", "a line end in a name"])
def test_counts_come_in_the_order_of_paths_and_what_was_cut_off_is_left_out(
    end: bytes, odd: bytes
) -> None:
    files = ((b"./b.py", b"2"), (b"./a/" + odd, b"10"), (b"./a.py", b"3"))
    output = b"".join(path + b"\0" + number + end for path, number in files)

    for cut in (b"", b"./c", b"./c\nd", b"./c\0", b"./c\0" + b"4", b"./c\nd\0" + b"4"):
        counts = Counts(count_keys(output + cut))

        assert list(counts) == [Count(f"a/{odd.decode()}", 10), Count("a.py", 3), Count("b.py", 2)]
        assert counts.total == 15
