"""Grep: what a model reads of what files hold."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builders import args_of, problems_of
from gantlet.system import PathFacts
from gantlet.tool import Access, AnyTool, Rejected, ToolError, Tree
from gantlet.tools.search import Grep
from gantlet.tools.search.pages import Page
from gantlet.tools.search.programs import FALLBACK, Program, choose_program
from patience import DEADLINES
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

pytestmark = pytest.mark.anyio

FILES: dict[str, str | bytes] = {
    ".git/HEAD": "",
    "old.py": "import os\n\n\ndef needle():\n    return os\n\n\n# needle again\n",
    "src/b.py": "needle\n",
    "src/a.ts": "a needle, a Needle\nhay\n",
    ".hidden": "needle\n",
    ".git/config": "needle\n",
    "ignored.log": "needle\n",
    ".gitignore": "*.log\n",
    "image.bin": b"needle\0needle\n",
    "new.md": "# needle\n",
}
both_programs = pytest.mark.parametrize("program", PROGRAMS.values(), ids=list(PROGRAMS))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path, FILES)


def grep(program: Program = RIPGREP, **variables: str) -> Grep:
    return Grep(searcher(program, **variables))


async def test_an_empty_path_is_none(tree: Path) -> None:
    given = args_of(grep(), pattern="needle", path="")

    assert grep().paths(given) == ["."]
    assert "new.md" in await said_by(grep(), tree, pattern="needle", path="")


@both_programs
async def test_files_come_last_changed_first(tree: Path, program: Program) -> None:
    output = await output_of(grep(program), tree, pattern="needle")

    paths = ["new.md", ".hidden", "src/a.ts", "src/b.py", "old.py"]
    assert output.data == "\n".join(["Found 5 files", *paths])
    assert output.structured == {
        "mode": "files_with_matches",
        "numFiles": 5,
        "filenames": paths,
        "totalFiles": 5,
    }


@both_programs
async def test_lines_come_by_path_with_lines_around_and_gaps_marked(
    tree: Path, program: Program
) -> None:
    text = await said_by(
        grep(program), tree, pattern="needle", output_mode="content", glob="*.{py,ts}", **{"-A": 1}
    )

    assert text == "\n".join(
        [
            "old.py:4:def needle():",
            "old.py-5-    return os",
            "--",
            "old.py:8:# needle again",
            "--",
            "src/a.ts:1:a needle, a Needle",
            "src/a.ts-2-hay",
            "--",
            "src/b.py:1:needle",
        ]
    )


@both_programs
async def test_counts_come_with_their_sum_over_all_files(tree: Path, program: Program) -> None:
    output = await output_of(
        grep(program), tree, pattern="needle", output_mode="count", head_limit=2, offset=1
    )

    assert output.data == "\n".join(
        [
            "new.md:1",
            "old.py:2",
            "[Files 2-3 of 5. Use offset=3 for the next ones.]",
            "Found 6 matching lines in 5 files.",
        ]
    )
    assert isinstance(output.structured, Mapping)
    assert output.structured["numMatches"] == 6


OPTIONS: dict[str, tuple[dict[str, object], list[str]]] = {
    "-i": ({"pattern": "NEEDLE", "-i": True}, ["4:def needle():", "8:# needle again"]),
    "-n": ({"pattern": "needle", "-n": False}, ["def needle():", "# needle again"]),
    "-o": ({"pattern": "need|n os", "-o": True}, ["4:need", "5:n os", "8:need"]),
    "-C": ({"pattern": "return", "-C": 1}, ["4-def needle():", "5:    return os", "6-"]),
    "context": (
        {"pattern": "return", "context": 1, "-A": 0},
        ["4-def needle():", "5:    return os"],
    ),
    "multiline": (
        {"pattern": "def.*\n.*return", "multiline": True},
        ["4:def needle():", "5:    return os"],
    ),
    "-B": (
        {"pattern": "needle", "-B": 1, "head_limit": 2},
        ["3-", "4:def needle():", "[Lines 1-2 of 5. Use offset=2 for the next ones.]"],
    ),
    "dash": ({"pattern": "-needle"}, ["No matches found"]),
}


@pytest.mark.parametrize("name", OPTIONS)
async def test_options_of_content(tree: Path, name: str) -> None:
    given, expected = OPTIONS[name]

    text = await said_by(grep(), tree, path="old.py", output_mode="content", **given)

    assert text.split("\n") == expected


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ({"type": "py"}, "Found 2 files\nsrc/b.py\nold.py"),
        ({"type": "py", "glob": "old*"}, "Found 1 file\nold.py"),
        ({"type": "ts", "glob": "old*"}, "No files found"),
        ({"glob": "*.md, *.ts"}, "Found 2 files\nnew.md\nsrc/a.ts"),
        ({"glob": "*.{md,ts} !*.md"}, "Found 1 file\nsrc/a.ts"),
        ({"glob": "src/*", "path": "."}, "Found 2 files\nsrc/a.ts\nsrc/b.py"),
        ({"glob": ".git/**"}, "Found 1 file\n.git/config"),
    ],
    ids=["type", "both", "neither", "two", "all but", "folder", "version control"],
)
async def test_which_files_are_searched(tree: Path, given: dict[str, str], found: str) -> None:
    assert await said_by(grep(), tree, pattern="needle", **given) == found


async def test_one_file_that_is_named_is_searched_even_if_ignored(tree: Path) -> None:
    text = await said_by(grep(), tree, pattern="needle", path="ignored.log", output_mode="content")

    assert text == "1:needle"


async def test_paths_outside_are_written_out(tree: Path, tmp_path: Path) -> None:
    text = await said_by(grep(), tmp_path / "src", pattern="again", path="..")

    assert text == f"Found 1 file\n{tree}/old.py"


async def test_no_name_of_a_file_can_look_like_a_line_of_the_answer(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a\nb.py:1:forged": "needle\n"})

    assert await said_by(grep(), tmp_path, pattern="needle") == "Found 1 file\na\\nb.py:1:forged"


async def test_nothing_found_is_said(tree: Path) -> None:
    assert await said_by(grep(), tree, pattern="nothing like it") == "No files found"


async def test_an_offset_past_the_end_is_said(tree: Path) -> None:
    text = await said_by(grep(), tree, pattern="needle", offset=7)

    assert text == "No entries at this offset: there are 5 files, and offset is 7."


async def test_a_rejected_pattern_comes_with_the_diagnostic(tree: Path) -> None:
    with pytest.raises(ToolError) as caught:
        await said_by(grep(), tree, pattern="need(le")

    assert "error: unclosed group" in str(caught.value)
    assert "need(le" in str(caught.value)


@pytest.mark.parametrize(
    ("given", "word"),
    [({"type": "nope"}, "unrecognized file type: nope"), ({"glob": "["}, "unclosed character")],
    ids=["type", "glob"],
)
async def test_other_rejections_too(tree: Path, given: dict[str, str], word: str) -> None:
    with pytest.raises(ToolError, match=word):
        await said_by(grep(), tree, pattern="x", **given)


async def test_what_is_not_there_is_named(tree: Path) -> None:
    with pytest.raises(ToolError, match="No file or directory at 'nope'"):
        await said_by(grep(), tree, pattern="x", path="nope")


async def test_a_nul_byte_is_refused_before_anybody_is_asked(tree: Path) -> None:
    tool = grep()

    rejected = await tool.validate_input(args_of(tool, pattern="a\0b"), context_in(tree))

    assert rejected == Rejected("`pattern` holds a NUL byte. Leave it out.", code=1)


def test_numbers_below_nought_and_unknown_options_are_refused() -> None:
    problems = problems_of(grep(), {"pattern": "x", "-A": -1, "--pre": "sh"})

    assert [problem.split(" ")[0] for problem in problems] == ["`-A`", "`--pre`"]


def test_a_search_reads_its_tree_and_runs_beside_others() -> None:
    traits = grep().traits(args_of(grep(), pattern="x", path="src"))

    assert (traits.read_only, traits.open_world) == (True, False)
    assert traits.reach == Access(reads={Tree("src")})


async def test_no_configuration_makes_it_run_or_read_anything(tree: Path, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    script = tmp_path / "pre.sh"
    script.write_text(f"#!/bin/sh\ntouch {witness}\ncat $1\n")
    script.chmod(0o755)
    config = tmp_path / "rgrc"
    config.write_text(f"--pre={script}\n--glob=!*\n")

    text = await said_by(
        grep(RIPGREPRC=str(config), RIPGREP_CONFIG_PATH=str(config)), tree, pattern="again"
    )

    assert text == "Found 1 file\nold.py"
    assert not witness.exists()


@both_programs
async def test_when_time_runs_out_what_was_found_is_shown(
    tree: Path, program: Program, tmp_path_factory: pytest.TempPathFactory
) -> None:
    endless = without_end(program, tmp_path_factory.mktemp("bin"))
    for seconds in DEADLINES:
        tool = grep(endless, CLAUDE_CODE_GLOB_TIMEOUT_SECONDS=str(seconds))
        output = await output_of(tool, tree, pattern="needle")
        if "at least 5 files" in output.data:  # it was not ended halfway
            break

    assert output.data.startswith("Found at least 5 files\nnew.md\n")
    assert output.data.endswith("Search a smaller part.]")
    assert isinstance(output.structured, Mapping)
    assert output.structured["timedOut"] is True


async def test_a_pattern_that_never_ends_in_python_is_ended(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.txt": "first\n", "b.txt": "a" * 40 + "!\n"})
    for seconds in DEADLINES:
        tool = grep(FALLBACK, CLAUDE_CODE_GLOB_TIMEOUT_SECONDS=str(seconds))
        text = await said_by(tool, tmp_path, pattern="first|^(a+)+$")
        if "a.txt" in text:
            break

    assert text.splitlines() == [
        "Found at least 1 file",
        "a.txt",
        "[Time ran out: this is what was found until then. Search a smaller part.]",
    ]


async def test_a_long_line_is_shown_around_its_match(tmp_path: Path) -> None:
    make_tree(tmp_path, {"min.js": "x" * 5_000 + "needle" + "y" * 5_000})

    text = await said_by(grep(), tmp_path, pattern="needle", output_mode="content")

    assert text == (
        f"min.js:1:[4,753 characters] …{'x' * 247}needle{'y' * 247}… [4,753 more characters]"
    )


async def test_more_lines_than_can_be_sorted_still_come_in_order(tmp_path: Path) -> None:
    line = f"needle {'x' * 400}\n"
    make_tree(tmp_path, {f"f{number:02}.txt": line * 300 for number in range(40)})
    tool = grep()

    text = await said_by(
        tool, tmp_path, pattern="needle", output_mode="content", head_limit=3, offset=299
    )

    lines = text.splitlines()
    assert [line.split(":needle")[0] for line in lines[:3]] == [
        "f00.txt:300",
        "f01.txt:1",
        "f01.txt:2",
    ]
    assert lines[3].startswith("[Lines 300-302 of at least ")


async def test_no_limit_shows_everything(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.txt": "needle\n" * 1_000})

    text = await said_by(
        grep(), tmp_path, pattern="needle", output_mode="content", head_limit=0, offset=1
    )

    assert text.splitlines()[:-1] == [f"a.txt:{number}:needle" for number in range(2, 1_001)]
    assert text.splitlines()[-1] == "[Lines 2-1,000 of 1,000.]"


@given(
    entries=st.lists(st.integers(), max_size=40), limit=st.integers(1, 10), start=st.integers(0, 5)
)
def test_pages_put_together_are_the_whole(entries: list[int], limit: int, start: int) -> None:
    offset, seen = start, list(entries[:start])
    while True:
        page = Page.of(entries, offset, limit)
        seen += page.entries
        offset += len(page.entries)
        if not page.has_more:
            break

    assert seen == entries


class WithheldNames:
    """Withholds files by their names, and breaks at one."""

    is_empty = False

    def __init__(self, *names: str) -> None:
        self.names = names

    def holds(self, place: PathFacts) -> bool:
        """Return whether a file has one of the names."""
        if place.lexical.endswith("broken"):
            raise RuntimeError("cannot tell")
        return Path(place.real).name in self.names


@both_programs
@pytest.mark.parametrize("mode", ["files_with_matches", "content", "count"])
async def test_what_is_withheld_is_left_out_and_so_is_what_cannot_be_told(
    tmp_path: Path, program: Program, mode: str
) -> None:
    make_tree(tmp_path, dict.fromkeys(["a.txt", "secret", "broken", "d/secret", "b.txt"], "needle"))
    withheld = WithheldNames("secret")

    output = await output_of(
        grep(program), tmp_path, withheld=withheld, pattern="needle", output_mode=mode
    )

    assert "secret" not in output.data + str(output.structured)
    assert "broken" not in output.data + str(output.structured)
    assert {"a.txt", "b.txt"} == {word[:5] for word in output.data.split() if ".txt" in word}


async def test_a_ripgrep_in_the_folder_that_is_searched_is_never_run(tmp_path: Path) -> None:
    planted = tmp_path / "work" / "bin" / "rg"
    planted.parent.mkdir(parents=True)
    planted.write_text("#!/bin/sh\necho 'ripgrep 99.0.0'\n")
    planted.chmod(0o755)
    variables = {"PATH": str(planted.parent)}

    inside = await choose_program(variables, str(tmp_path / "work"))
    outside = await choose_program(variables, str(tmp_path / "other"))

    assert inside == RIPGREP
    assert outside == Program(str(planted))


async def test_a_newer_ripgrep_of_the_system_is_preferred_and_an_older_one_is_not(
    tmp_path: Path,
) -> None:
    chosen = []
    for version in ("99.1.0", "13.0.0"):
        own = tmp_path / version / "rg"
        own.parent.mkdir()
        own.write_text(f"#!/bin/sh\necho 'ripgrep {version}'\n")
        own.chmod(0o755)
        chosen.append(await choose_program({"PATH": str(own.parent)}, "/nowhere"))

    assert chosen == [Program(str(tmp_path / "99.1.0" / "rg")), RIPGREP]


async def test_a_ripgrep_that_is_gone_is_replaced_by_the_fallback(tree: Path) -> None:
    tool: AnyTool = grep(Program(str(tree / "no-rg")))

    assert await said_by(tool, tree, pattern="again") == "Found 1 file\nold.py"
