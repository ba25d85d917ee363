"""Glob and LS: files by their names."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from builders import args_of
from gantlet.tool import Access, Rejected, ToolError, Tree
from gantlet.tools.search import LS, Glob
from gantlet.tools.search.programs import Program
from tools.search_world import (
    PROGRAMS,
    RIPGREP,
    context_in,
    make_tree,
    output_of,
    said_by,
    searcher,
    without_end,
)
from tools.test_grep import WithheldNames

pytestmark = pytest.mark.anyio

both_programs = pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))
FILES = dict.fromkeys(
    [
        ".git/HEAD", "a.py", "src/b.py", "src/deep/c.py", "src/d.ts", ".env", ".git/e.py",
        "build/f.py",
        ".gitignore", "!g.py", "#h.py", "with space ", "[x].py", "-i.py",
    ],
    "build\n",
)  # fmt: skip
#: Files of that folder with odd names, the last changed first.
TOP = ("-i.py", "[x].py", "#h.py", "!g.py")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "o.py").touch()
    return make_tree(tmp_path / "root", FILES)


def glob(program: Program = RIPGREP, **variables: str) -> Glob:
    return Glob(searcher(program, **variables))


@both_programs
@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("**/*.py", [*TOP, "build/f.py", "src/deep/c.py", "src/b.py", "a.py"]),
        ("src/*.py", ["src/b.py"]),
        ("src/**/*.{py,ts}", ["src/d.ts", "src/deep/c.py", "src/b.py"]),
        ("src/", ["src/d.ts", "src/deep/c.py", "src/b.py"]),
        ("./*.py", [*TOP, "a.py"]),
        (".env", [".env"]),
        (".git/*", [".git/e.py", ".git/HEAD"]),
        ("!g.py", ["!g.py"]),
        ("[x].py", ["[x].py"]),
        ("[ab].py", ["src/b.py", "a.py"]),
        ("#h.py", ["#h.py"]),
        ("with space ", ["with space "]),
        ("\\[x\\].py", ["[x].py"]),
        ("-i.py", ["-i.py"]),
        ("[a-c].py", ["src/deep/c.py", "src/b.py", "a.py"]),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
async def test_patterns(tree: Path, program: Program, pattern: str, found: list[str]) -> None:
    assert (await said_by(glob(program), tree, pattern=pattern)).split("\n") == found


async def test_a_pattern_may_lead_elsewhere_and_permission_is_told_where(tree: Path) -> None:
    outside = tree.parent / "outside"

    for pattern in (f"{outside}/*.py", "../outside/*.py", f"{outside}/o.py"):
        assert await said_by(glob(), tree, pattern=pattern) == f"{outside}/o.py"
    assert glob().paths(args_of(glob(), pattern="../outside/*.py")) == [".", "./../outside/"]
    assert glob().paths(args_of(glob(), pattern="/etc/*.py", path="src")) == ["src", "/etc/"]
    assert glob().paths(args_of(glob(), pattern="~/x/**")) == [".", "~/x/"]


async def test_no_wildcard_leads_out_of_the_tree(tree: Path) -> None:
    assert await said_by(glob(), tree, pattern="*/../../outside/*.py") == "No files found"
    (tree / "link").symlink_to(tree.parent / "outside")
    assert await said_by(glob(), tree, pattern="link/*.py") == "No files found"


async def test_only_the_first_hundred_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    make_tree(tmp_path, {f"f{number:03}": "" for number in range(130)})

    output = await output_of(glob(), tmp_path, pattern="f*")

    lines = output.data.split("\n")
    assert lines[:2] == ["f129", "f128"]
    assert lines[100:] == [
        "[The first 100 of 130 files. Use a narrower pattern or path to see others.]"
    ]
    assert isinstance(output.structured, Mapping)
    assert {**output.structured, "durationMs": 0, "filenames": 0} == {
        "durationMs": 0,
        "numFiles": 100,
        "filenames": 0,
        "truncated": True,
        "totalMatches": 130,
        "countIsComplete": True,
    }


async def test_the_environment_can_have_ignored_and_hidden_files_left_out(tree: Path) -> None:
    tool = glob(CLAUDE_CODE_GLOB_NO_IGNORE="false", CLAUDE_CODE_GLOB_HIDDEN="false")

    shown = (await said_by(tool, tree, pattern="**")).split("\n")

    assert shown == [
        "-i.py", "[x].py", "with space ", "#h.py", "!g.py", "src/d.ts", "src/deep/c.py", "src/b.py",
        "a.py",
    ]  # fmt: skip


async def test_when_time_runs_out_it_is_said(
    tree: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    endless = without_end(RIPGREP, tmp_path_factory.mktemp("bin"))
    tool = glob(endless, CLAUDE_CODE_GLOB_TIMEOUT_SECONDS="0.3")

    output = await output_of(tool, tree, pattern="**")

    assert "Time ran out" in output.data
    assert isinstance(output.structured, Mapping)
    assert output.structured["timedOut"] is True


@both_programs
async def test_what_is_withheld_is_neither_listed_nor_counted(tree: Path, program: Program) -> None:
    withheld = WithheldNames("b.py", "c.py")

    output = await output_of(glob(program), tree, withheld=withheld, pattern="src/**")

    assert output.data == "src/d.ts"
    assert isinstance(output.structured, Mapping)
    assert output.structured["totalMatches"] == 1


async def test_a_nul_byte_is_refused(tree: Path) -> None:
    rejected = await glob().validate_input(args_of(glob(), pattern="a\0"), context_in(tree))

    assert rejected == Rejected("A path cannot hold a NUL byte. Leave it out.", code=1)


def test_a_search_reads_where_it_leads() -> None:
    traits = glob().traits(args_of(glob(), pattern="/etc/**", path="src"))

    assert traits.read_only
    assert traits.reach == Access(reads={Tree("src"), Tree("/etc/")})


async def test_a_directory_is_listed_by_name_without_what_is_withheld(tree: Path) -> None:
    listed = await output_of(
        LS(), tree, withheld=WithheldNames(".env", "src"), path=".", ignore=["*.py", ".git*"]
    )

    assert listed.data == f"{tree}/\n- build/\n- with space "


async def test_a_file_or_nothing_cannot_be_listed(tree: Path) -> None:
    with pytest.raises(ToolError, match="is a file"):
        await said_by(LS(), tree, path="a.py")
    with pytest.raises(ToolError, match="No file or directory at 'nope'"):
        await said_by(LS(), tree, path="nope")


async def test_an_empty_directory_is_said_to_be_empty(tmp_path: Path) -> None:
    assert await said_by(LS(), tmp_path, path=".") == f"{tmp_path}/\n[The directory is empty.]"
