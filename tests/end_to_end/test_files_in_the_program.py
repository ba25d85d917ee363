"""What the program knows of files, and does to them, through its own command."""

import json
import os
from pathlib import Path
from typing import Any

from end_to_end.program_kit import Desk

EDITS = ("--permission-mode", "acceptEdits")


def call(tool: str, **given: str) -> dict[str, Any]:
    return {"call": tool, "input": given}


def message_that_says(transcript: Path, words: str) -> str:
    """Return the id of the message in a transcript that says some words."""
    for line in map(json.loads, transcript.read_text().splitlines()):
        if line["type"] == "assistant" and line["message"]["content"][0].get("text") == words:
            return str(line["uuid"])
    raise AssertionError(words)


def test_a_file_read_only_after_the_point_of_resuming_counts_as_not_read(tmp_path: Path) -> None:
    first, second = [call("Read", file_path="a.txt")], [call("Read", file_path="b.txt")]
    desk = Desk(tmp_path, first, "One.", second, "Two.")
    for name in ("a.txt", "b.txt"):
        (desk.cwd / name).write_text("old\n")
    desk.run("Read the first")
    desk.run("Read the second", "--continue")
    (transcript,) = desk.transcripts
    session, point = transcript.stem, message_that_says(transcript, "One.")

    writes = [call("Write", file_path=f"{name}.txt", content="new\n") for name in "ab"]
    desk.write_script(first, "One.", writes, "{{ result.1.text }}\n{{ result.2.text }}")
    resumed = desk.run("Write", "--resume", session, "--resume-session-at", point, *EDITS)
    edit = call("Edit", file_path="b.txt", old_string="old", new_string="new")
    desk.write_script(first, "One.", writes, "Tried.", [edit], "{{ result.1.text }}")
    later = desk.run("Edit", "--resume", session, *EDITS)

    assert "a.txt has been updated" in resumed.stdout
    assert "has not been read" in resumed.stdout
    assert "has not been read" in later.stdout, "what was left behind stays left behind"
    assert (desk.cwd / "a.txt").read_text() == "new\n"
    assert (desk.cwd / "b.txt").read_text() == "old\n"


def test_files_whose_names_are_no_text_are_read_edited_written_and_undone(tmp_path: Path) -> None:
    desk = Desk(
        tmp_path,
        [call("Glob", pattern="*.txt")],
        [call("Read", file_path=r"caf\xe9.txt"), call("Read", file_path=r"caf\\xe9.txt")],
        [
            call("Edit", file_path=r"caf\xe9.txt", old_string="odd", new_string="new"),
            call("Write", file_path=r"d\xff/made.txt", content="made\n"),
            call("Read", file_path="caf\ufffd.txt"),
            call("Write", file_path="x\udce9.txt", content="never"),
        ],
        "{{ result.1.text }}\n{{ result.2.text }}\n{{ result.3.text }}\n{{ result.4.text }}",
    )
    odd, plain, made = (
        desk.cwd / os.fsdecode(name)
        for name in (b"caf\xe9.txt", rb"caf\xe9.txt", b"d\xff/made.txt")
    )
    made.parent.mkdir()
    odd.write_text("odd\n")
    plain.write_text("plain\n")

    ended = desk.run("Go", *EDITS)
    after = [file.read_text() for file in (odd, plain, made)]
    undone = desk.command("undo")

    assert r"The file caf\xe9.txt has been updated" in ended.stdout
    assert r"File created successfully at: d\xff/made.txt" in ended.stdout
    assert r"Did you mean 'caf\xe9.txt'?" in ended.stdout
    assert "`file_path` should be valid Unicode text" in ended.stdout
    assert after == ["new\n", "plain\n", "made\n"]
    assert sorted(undone.stdout.splitlines()[:2]) == [
        r"removed: d\xff/made.txt",
        r"restored: caf\xe9.txt",
    ]
    assert odd.read_text() == "odd\n"
    assert not made.exists()
