"""A conversation knows which files it has seen, how much of them, and as what."""

import stat
from pathlib import Path

from gantlet.session import KnownFiles
from gantlet.session.known_files import hand_on
from gantlet.tool import Seen


def test_what_was_noted_is_recalled_with_its_content() -> None:
    known = KnownFiles()

    known.note("/a", Seen("digest", content=b"text"))

    assert known.recall("/a") == Seen("digest", content=b"text")
    assert known.recall("/b") is None
    assert dict(known.known()) == {"/a": Seen("digest")}


def test_parts_of_the_same_content_add_up_to_the_whole() -> None:
    known = KnownFiles()

    known.note("/a", Seen("d", lines=((1, 10),), total_lines=30))
    known.note("/a", Seen("d", lines=((21, 30),), total_lines=30))
    between = known.recall("/a")
    known.note("/a", Seen("d", lines=((11, 20),), total_lines=30))
    after = known.recall("/a")

    assert between is not None
    assert after is not None
    assert (between.is_partial, between.lines) == (True, ((1, 10), (21, 30)))
    assert (after.is_partial, after.lines) == (False, ((1, 30),))


def test_a_part_of_what_was_seen_whole_leaves_it_whole() -> None:
    known = KnownFiles()

    known.note("/a", Seen("d"))
    known.note("/a", Seen("d", lines=((5, 6),), total_lines=30))
    whole = known.recall("/a")
    known.note("/a", Seen("other", lines=((5, 6),), total_lines=30))
    part = known.recall("/a")

    assert whole is not None
    assert part is not None
    assert (whole.is_partial, part.is_partial) == (False, True)


def test_after_compaction_a_file_is_still_known_but_no_longer_shown() -> None:
    known = KnownFiles()
    known.note("/a", Seen("d", content=b"text"))

    known.forget_showing()

    assert known.recall("/a") == Seen("d", content=b"text", is_fresh=False)


def test_a_change_by_another_call_is_remembered_until_the_next_look() -> None:
    known = KnownFiles()
    known.note("/a", Seen("d"))

    known.mark_changed("/a", "call 7")
    known.mark_changed("/never seen", "call 7")
    marked = known.recall("/a")
    known.note("/a", Seen("e"))

    assert marked == Seen("d", changed_by="call 7")
    assert known.recall("/a") == Seen("e")
    assert known.recall("/never seen") is None


def test_contents_are_dropped_for_room_and_that_they_were_seen_is_not() -> None:
    known = KnownFiles(max_kept_bytes=10)
    known.note("/old", Seen("1", content=b"abcdefgh"))
    known.note("/new", Seen("2", content=b"ijklmnop"))

    assert known.recall("/old") == Seen("1")
    assert known.recall("/new") == Seen("2", content=b"ijklmnop")


def test_what_was_seen_outlives_the_program_without_its_content(tmp_path: Path) -> None:
    file = tmp_path / "session" / "known-files.jsonl"
    known = KnownFiles(file)
    known.note("/a\udcff", Seen("1", (1, 2, 3, 4), b"text", ((1, 2), (5, 6)), 9))
    known.note("/b", Seen("2"))
    known.mark_changed("/b", "call 7")
    with file.open("ab") as torn:
        torn.write(b'["/c", "3"')

    again = KnownFiles(file)
    again.forget_showing()
    last = KnownFiles(file)

    assert again.recall("/b") == Seen("2", changed_by="call 7", is_fresh=False)
    assert last.known() == again.known()
    assert last.recall("/a\udcff") == Seen(
        "1", (1, 2, 3, 4), None, ((1, 2), (5, 6)), 9, is_fresh=False
    )
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_what_calls_left_behind_have_shown_is_not_known(tmp_path: Path) -> None:
    file = tmp_path / "known-files.jsonl"
    known = KnownFiles(file)
    known.note("/a", Seen("1", lines=((1, 2),), total_lines=9, shown_by="kept"))
    known.note("/a", Seen("1", lines=((3, 9),), total_lines=9, shown_by="left"))
    known.note("/b", Seen("2", shown_by="left"))
    known.note("/c", Seen("3", shown_by="kept"))
    known.mark_changed("/c", "left")
    known.note("/d", Seen("4"))

    hand_on(file, tmp_path / "fork" / file.name, frozenset({"left"}))
    fork = KnownFiles(tmp_path / "fork" / file.name)

    assert dict(fork.known()) == {
        "/a": Seen("1", lines=((1, 2),), total_lines=9, shown_by="kept"),
        "/c": Seen("3", shown_by="kept"),
    }
    assert set(KnownFiles(file).known()) == {"/a", "/b", "/c", "/d"}


def test_a_session_that_leaves_everything_behind_knows_nothing(tmp_path: Path) -> None:
    file = tmp_path / "known-files.jsonl"
    KnownFiles(file).note("/a", Seen("1", shown_by="left"))

    hand_on(file, file, frozenset({"left"}))

    assert not KnownFiles(file).known()


def test_what_an_older_version_wrote_down_is_known(tmp_path: Path) -> None:
    file = tmp_path / "known-files.jsonl"
    file.write_text('["/a", "1", null, [], 0, "", true]\n')

    assert dict(KnownFiles(file).known()) == {"/a": Seen("1")}
