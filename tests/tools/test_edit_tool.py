"""Edit replaces what it is told to, and says how the next try succeeds where it cannot."""

import os
import stat
from pathlib import Path

import pytest

from gantlet.tool import Seen, ToolError
from tools.editing_kit import Workbench

pytestmark = pytest.mark.anyio

CODE = b"def one():\n\treturn 1\n\ndef two():\n    return 2\n"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    return Workbench(tmp_path)


async def refusal(bench: Workbench, name: str, old: str, new: str, **given: bool) -> str:
    """Return why an edit is refused; the file must be as it was."""
    path = bench.path(name)
    before = path.read_bytes() if path.exists() else None
    with pytest.raises(ToolError) as refused:
        await bench.edit(name, old, new, **given)
    assert (path.read_bytes() if path.exists() else None) == before
    return str(refused.value)


async def test_an_edit_is_shown_with_the_lines_around_it(bench: Workbench) -> None:
    path = bench.show("a.py", CODE)

    told = await bench.edit("a.py", "return 2", "return 22")

    assert path.read_bytes() == CODE.replace(b"return 2", b"return 22")
    assert told == (
        f"The file {path} has been updated. Here's the result of running `cat -n` on a snippet of"
        " the edited file:\n"
        "     1→def one():\n"
        "     2→\treturn 1\n"
        "     3→\n"
        "     4→def two():\n"
        "     5→    return 22"
    )


async def test_programs_are_told_the_patch(bench: Workbench) -> None:
    path = bench.show("a.py", CODE)

    await bench.edit("a.py", "one():", "uno():  # first")

    assert bench.told == {
        "filePath": str(path),
        "oldString": "one():",
        "newString": "uno():  # first",
        "originalFile": CODE.decode(),
        "structuredPatch": [
            {
                "oldStart": 1,
                "oldLines": 4,
                "newStart": 1,
                "newLines": 4,
                "lines": [
                    "-def one():",
                    "+def uno():  # first",
                    " \treturn 1",
                    " ",
                    " def two():",
                ],
            }
        ],
        "userModified": False,
        "replaceAll": False,
    }


async def test_every_occurrence_is_replaced_on_demand(bench: Workbench) -> None:
    path = bench.show("a.txt", b"a b a b a")

    told = await bench.edit("a.txt", "a", "x", replace_all=True)

    assert path.read_bytes() == b"x b x b x"
    assert told == (
        f"The file {path} has been updated. All occurrences of 'a' were successfully replaced with"
        " 'x'."
    )


async def test_a_great_many_occurrences_are_replaced_at_once(bench: Workbench) -> None:
    path = bench.show("a.txt", b"ab\n" * 5000)

    await bench.edit("a.txt", "b", "\ncc", replace_all=True)

    assert path.read_bytes() == b"a\ncc\n" * 5000
    assert bench.told["structuredPatch"][0]["lines"][:3] == ["-ab", "+a", "+cc"]


async def test_a_plain_line_end_is_never_half_of_one(bench: Workbench) -> None:
    path = bench.show("a.txt", b"a\r\nb\r\n")

    await bench.edit("a.txt", "\n", "\n\n", replace_all=True)

    assert path.read_bytes() == b"a\r\n\r\nb\r\n\r\n"


async def test_the_model_is_told_that_the_user_changed_its_proposal(bench: Workbench) -> None:
    path = bench.show("a.txt", b"a\n")

    told = await bench.edit("a.txt", "a", "b", is_modified=True)

    assert told == (
        f"The file {path} has been updated.  The user modified your proposed changes before"
        " accepting them. . Here's the result of running `cat -n` on a snippet of the edited"
        " file:\n     1→b"
    )
    assert bench.told["userModified"] is True


async def test_a_file_must_have_been_read(bench: Workbench) -> None:
    bench.path("a.txt").write_bytes(b"a")

    told = await refusal(bench, "a.txt", "a", "b")

    assert told == "File has not been read yet. Read it first before writing to it."


async def test_a_part_that_was_read_is_enough_to_edit(bench: Workbench) -> None:
    path = bench.show("a.txt", b"a\nb\nc\n", lines=((1, 1),), total_lines=3)

    await bench.edit("a.txt", "c", "d")

    assert path.read_bytes() == b"a\nb\nd\n"
    with pytest.raises(ToolError, match="PARTIAL view"):
        await bench.write("a.txt", "whole")


async def test_identical_strings_are_refused(bench: Workbench) -> None:
    bench.show("a.txt", b"a")

    told = await refusal(bench, "a.txt", "a", "a")

    assert told == "No changes to make: old_string and new_string are exactly the same."


async def test_an_empty_old_string_creates_a_file_and_never_overwrites_one(
    bench: Workbench,
) -> None:
    await bench.edit("new/a.txt", "", "first\n")
    bench.path("empty.txt").write_bytes(b"")
    await bench.edit("empty.txt", "", "filled\n")

    assert bench.path("new/a.txt").read_bytes() == b"first\n"
    assert bench.path("empty.txt").read_bytes() == b"filled\n"
    assert (await refusal(bench, "new/a.txt", "", "x")).startswith("Cannot create new file")


async def test_a_missing_file_is_named(bench: Workbench) -> None:
    told = await refusal(bench, "none.txt", "a", "b")

    assert told.startswith(f"File does not exist: {bench.path('none.txt')}.")


async def test_several_matches_are_counted_with_their_lines(bench: Workbench) -> None:
    bench.show("a.txt", b"x\ny\nx\n")

    told = await refusal(bench, "a.txt", "x", "z")

    assert told.startswith("Found 2 matches of the string to replace, but replace_all is false.")
    assert "lines 1, 3" in told


async def test_matches_that_overlap_are_several_and_are_replaced_from_the_left(
    bench: Workbench,
) -> None:
    path = bench.show("a.txt", b"aaa")

    told = await refusal(bench, "a.txt", "aa", "b")
    await bench.edit("a.txt", "aa", "b", replace_all=True)

    assert "2 matches of the string to replace that overlap" in told
    assert path.read_bytes() == b"ba"


@pytest.mark.parametrize(
    ("content", "old", "new", "expected"),
    [
        pytest.param(
            b"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n", id="crlf as lf"
        ),
        pytest.param(b"a\r\nb\r\n", "b", "x\ny", b"a\r\nx\r\ny\r\n", id="new lines in crlf"),
        pytest.param(
            b"a\r\nb\nc\n", "b\nc", "x\ny", b"a\r\nx\ny\n", id="mixed: those that are there"
        ),
        pytest.param(
            b"a\r\nb\nc\n", "a\nb", "x\ny", b"x\r\ny\nc\n", id="mixed: the first that is there"
        ),
        pytest.param(b"a\r\nb\r\n", "a\r\nb", "x\ny", b"x\ny\r\n", id="spelled out is literal"),
        pytest.param(b"a\nb\n", "a\r\nb", "x\r\ny", b"x\ny\n", id="lf given as crlf"),
        pytest.param(b"a\rb\rc", "a\nb", "x\ny", b"x\ry\rc", id="cr alone"),
        pytest.param(b"\xef\xbb\xbfa\n", "a", "b", b"\xef\xbb\xbfb\n", id="byte order mark"),
        pytest.param("ä\n".encode("utf-16"), "ä", "ö", "ö\n".encode("utf-16"), id="utf-16"),
        pytest.param(b"caf\xe9 a\n", "café a", "café b", b"caf\xe9 b\n", id="latin-1"),
        pytest.param(
            "ä ".encode() + b"\xff a\n",
            "\ufffd a",
            "b \ufffd",
            "ä b ".encode() + b"\xff\n",
            id="a byte that is no text",
        ),
        pytest.param(b"no end", "end", "END", b"no END", id="no newline at the end"),
        pytest.param(b"a\nb\n", "b\n", "", b"a\n", id="deleted"),
    ],
)
async def test_what_cannot_be_seen_is_kept(
    bench: Workbench, content: bytes, old: str, new: str, expected: bytes
) -> None:
    path = bench.show("a.txt", content)

    await bench.edit("a.txt", old, new)

    assert path.read_bytes() == expected


async def test_a_character_the_encoding_lacks_is_refused(bench: Workbench) -> None:
    bench.show("a.txt", b"caf\xe9\n")

    told = await refusal(bench, "a.txt", "café", "café → bar")

    assert told.startswith("The file is Latin-1, and that has no '→' (U+2192).")


async def test_an_edit_that_hides_the_encoding_is_refused(bench: Workbench) -> None:
    path = bench.show("a.txt", "café one\n".encode("latin-1"))

    told = await refusal(bench, "a.txt", "one", "Ã©")

    assert told.startswith("The file is Latin-1, and with this text it would be taken for another")
    assert path.read_bytes() == "café one\n".encode("latin-1")


@pytest.mark.parametrize(
    ("old", "told"),
    [
        pytest.param(
            "def one():\n    return 1",
            "indentation is 1 tab, that of your text 4 spaces",
            id="tabs",
        ),
        pytest.param(
            "def two():\n\treturn 2",
            "indentation is 4 spaces, that of your text 1 tab",
            id="spaces",
        ),
        pytest.param("     4→def two():", "It holds line numbers", id="line numbers"),
        pytest.param("def one():\\n\treturn 1", "escaped once too often", id="escapes"),
        pytest.param("def Two():", "only in upper and lower case", id="case"),
        pytest.param("def tvo():\n    retrun 2", "It says something else there", id="other words"),
        pytest.param("completely unrelated", "Nothing in the file is like it", id="nothing"),
    ],
)
async def test_a_miss_shows_the_closest_text_and_how_it_differs(
    bench: Workbench, old: str, told: str
) -> None:
    bench.show("a.py", CODE)

    refused = await refusal(bench, "a.py", old, "x")

    assert refused.startswith("String to replace not found in file.\n")
    assert told in refused


async def test_the_difference_is_made_visible_with_the_lines_to_copy(bench: Workbench) -> None:
    bench.show("a.txt", "say “hi”\nand  go\n".encode())

    refused = await refusal(bench, "a.txt", 'say "hi"\nand go', "x")

    assert refused == (
        "String to replace not found in file.\n"
        "The closest text is at lines 1-2; it differs first in line 1, column 5:\n"
        '  your text: say·"hi"\n'
        "  the file:  say·“hi”\n"
        "(· is a space, ⇥ a tab, ␍ a carriage return.) It differs in the kind of quotes."
        " Your text has U+0022 U+0068 there, the file U+201C U+0068. The lines of the file:\n"
        "     1→say “hi”\n"
        "     2→and  go"
    )


@pytest.mark.parametrize(
    ("present", "old", "told"),
    [
        pytest.param(
            "l'e\u0301te\u0301",
            "l'\u00e9t\u00e9",
            "It looks the same and is made of other characters."
            " Your text has U+00E9 U+0074 there, the file U+0065 U+0301.",
            id="composed",
        ),
        pytest.param(
            "a\u200bb = 1",
            "ab = 1",
            "made of other characters. Your text has U+0062 U+0020 there, the file U+200B U+0062.",
            id="of no width",
        ),
        pytest.param("a\u00a0b", "a b", "⍽ a no-break space", id="no-break space"),
    ],
)
async def test_characters_that_look_alike_are_named(
    bench: Workbench, present: str, old: str, told: str
) -> None:
    bench.show("a.txt", f"first\n{present}\n".encode())

    assert told in await refusal(bench, "a.txt", old, "x")


async def test_an_edit_of_a_file_that_changed_elsewhere_is_made_and_told(bench: Workbench) -> None:
    path = bench.show("a.py", CODE)
    path.write_bytes(b"# header\n" + CODE)

    told = await bench.edit("a.py", "return 2", "return 22")

    assert path.read_bytes() == b"# header\n" + CODE.replace(b"return 2", b"return 22")
    assert told.endswith(
        "\n\nNote: the file had been changed since you last read it. Your edit was made in the file"
        " as it is now. The other changes:\n@@ -1,0 +1,1 @@\n+# header"
    )


async def test_a_text_that_is_now_there_twice_is_edited_where_it_was_seen(bench: Workbench) -> None:
    path = bench.show("a.txt", b"one\ntwo\nthree\n")
    path.write_bytes(b"two\nnew\none\ntwo\nthree\n")

    await bench.edit("a.txt", "two", "2")

    assert path.read_bytes() == b"two\nnew\none\n2\nthree\n"


async def test_an_edit_of_lines_that_changed_is_refused_with_the_difference(
    bench: Workbench,
) -> None:
    path = bench.show("a.py", CODE)
    path.write_bytes(CODE.replace(b"return 2", b"return 3"))

    told = await refusal(bench, "a.py", "return 2", "return 22")

    assert told.startswith("File has been modified since read, and the text to replace with it.")
    assert "-    return 2\n+    return 3" in told


async def test_a_touched_file_with_the_same_content_is_not_stale(bench: Workbench) -> None:
    path = bench.show("a.txt", b"a\n")
    os.utime(path, (1, 1))

    told = await bench.edit("a.txt", "a", "b")

    assert "Note" not in told


async def test_without_the_old_content_one_match_is_enough(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    path = bench.path("a.txt")
    path.write_bytes(b"a\nb\n")
    bench.knowledge.note(str(path), Seen("another digest", changed_by="toolu_7"))

    told = await bench.edit("a.txt", "b", "c")

    assert path.read_bytes() == b"a\nc\n"
    assert "changed by call toolu_7" in told


async def test_an_edit_counts_as_read_for_the_next_one(bench: Workbench) -> None:
    path = bench.show("a.txt", b"a\n")

    await bench.edit("a.txt", "a", "b")
    told = await bench.edit("a.txt", "b", "c")

    assert path.read_bytes() == b"c\n"
    assert "Note" not in told


async def test_mode_and_links_stay(bench: Workbench) -> None:
    path = bench.show("run.sh", b"echo 1\n")
    path.chmod(0o755)
    bench.path("link.sh").symlink_to(path)

    await bench.edit("link.sh", "1", "2")

    assert path.read_bytes() == b"echo 2\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    assert bench.path("link.sh").is_symlink()


async def test_other_names_of_a_file_keep_the_old_content_and_that_is_said(
    bench: Workbench,
) -> None:
    path = bench.show("a.txt", b"a\n")
    os.link(path, bench.path("b.txt"))

    told = await bench.edit("a.txt", "a", "b")

    assert (path.read_bytes(), bench.path("b.txt").read_bytes()) == (b"b\n", b"a\n")
    assert "other names (hard links)" in told


async def test_what_is_no_text_or_a_notebook_is_refused(bench: Workbench) -> None:
    bench.show("a.bin", b"\x7fELF\0\0\0")
    bench.show("a.ipynb", b"{}")
    bench.path("folder").mkdir()
    os.mkfifo(bench.path("fifo"))

    assert "is no text file" in await refusal(bench, "a.bin", "ELF", "x")
    assert "Use the NotebookEdit tool" in await refusal(bench, "a.ipynb", "{", "x")
    with pytest.raises(ToolError, match="it is a directory"):
        await bench.edit("folder", "a", "b")
    with pytest.raises(ToolError, match="it is a FIFO"):
        await bench.edit("fifo", "a", "b")


async def test_a_link_that_came_after_the_judgement_is_not_written_through(
    bench: Workbench, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "a.txt").write_bytes(b"a\n")
    inside = tmp_path / "inside"
    inside.mkdir()
    bench.show("inside/a.txt", b"a\n")
    places = bench.judged("inside/a.txt")

    inside.rename(tmp_path / "moved")
    inside.symlink_to(outside)
    path = str(bench.path("inside/a.txt"))

    with pytest.raises(ToolError, match="a link stands on the way"):
        await bench.call_at(places, "Edit", file_path=path, old_string="a", new_string="b")
    assert (outside / "a.txt").read_bytes() == b"a\n"


async def test_the_old_multi_edit_makes_all_edits_or_none(bench: Workbench) -> None:
    path = bench.show("a.txt", b"one\ntwo\n")
    good = [
        {"old_string": "one", "new_string": "1"},
        {"old_string": "1", "new_string": "uno"},
    ]
    bad = [{"old_string": "two", "new_string": "2"}, {"old_string": "three", "new_string": "3"}]

    told = await bench.call("MultiEdit", file_path=str(path), edits=good)
    with pytest.raises(ToolError, match="Edit 2 cannot be made, so none was"):
        await bench.call("MultiEdit", file_path=str(path), edits=bad)

    assert path.read_bytes() == b"uno\ntwo\n"
    assert told == (
        f'Applied 2 edits to {path}:\n1. Replaced "one" with "1"\n2. Replaced "1" with "uno"'
    )
    assert bench.told["structuredPatch"][0]["lines"] == ["-one", "+uno", " two"]
