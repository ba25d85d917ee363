"""Secrets that come in pieces, or lie where an output is cut, are masked like others."""

import re
from pathlib import Path

import pytest

from gantlet.system import MASK, Masker
from gantlet.tools.shell.capture import HEAD_BYTES, TAIL_BYTES, Capture

SECRET = "correct-horse-battery-staple"
LINES = "first line of it\nsecond line of it"
MASKER = Masker({"A_TOKEN": SECRET, "B_TOKEN": LINES})
KEY = "-----BEGIN PRIVATE KEY-----\nMIIabc\ndef/ghi=\n-----END PRIVATE KEY-----"


def capture(folder: Path) -> Capture:
    return Capture(MASKER, folder / "output", lambda: None)


def fed(folder: Path, *pieces: str) -> Capture:
    """A capture that writes to its file what comes piece by piece."""
    made = capture(folder)
    made.to_file()
    for piece in pieces:
        made.feed(piece.encode())
    return made


@pytest.mark.parametrize("size", [1, 5, 27, 4096, 65_535, 65_536, 65_537])
@pytest.mark.parametrize("before", [0, 65_530, 65_536, 131_060])
def test_a_secret_in_an_endless_line_is_masked_in_the_file(
    tmp_path: Path, before: int, size: int
) -> None:
    said = "x" * before + SECRET + "y" * 70_000
    step = size if size > 1 or before < 100 else 997
    made = fed(tmp_path, *(said[n : n + step] for n in range(0, len(said), step)))
    made.close()

    assert made.path.read_text() == "x" * before + MASK + "y" * 70_000


@pytest.mark.parametrize("secret", [LINES, KEY], ids=["value", "key"])
def test_a_secret_of_several_lines_that_comes_line_by_line_is_masked(
    tmp_path: Path, secret: str
) -> None:
    made = fed(tmp_path, "before\n", *f"{secret}\n".splitlines(keepends=True), "after\n")
    made.close()

    assert made.path.read_text() == f"before\n{MASK}\nafter\n"


def test_lines_are_written_as_they_come(tmp_path: Path) -> None:
    made = fed(tmp_path, "listening on port 3000\n", "rest")

    assert made.path.read_text() == "listening on port 3000\n"
    made.close()


def test_what_is_read_piece_by_piece_never_shows_a_part_of_a_secret(tmp_path: Path) -> None:
    made, position, read = capture(tmp_path), 0, ""
    for letter in f"a {SECRET} b\n{LINES} c ghp_{'a1B2' * 9} d":
        made.feed(letter.encode())
        text, position = made.since(position)
        read += text
        assert SECRET[:4] not in made.last_lines()
        assert SECRET[:4] not in made.unfinished_line()
    made.close()
    read += made.since(position)[0]

    assert read == f"a {MASK} b\n{MASK} c {MASK} d"


@pytest.mark.parametrize("place", range(len(SECRET)))
def test_the_end_of_an_output_begins_with_no_part_of_a_secret(tmp_path: Path, place: int) -> None:
    made = capture(tmp_path)
    made.feed(b"x" * HEAD_BYTES)
    made.feed((SECRET + " " + "y" * (TAIL_BYTES - len(SECRET) + place - 1)).encode())
    made.close()

    shown = [made.tail(), made.last_lines(), made.since(HEAD_BYTES - 5)[0], made.since(0)[0][-90:]]
    assert not [text for text in shown if re.search(r"[a-z]-|-[a-z]|staple", text)]


def test_the_output_of_a_task_is_masked_however_it_is_read(tmp_path: Path) -> None:
    made = fed(tmp_path, "one ", SECRET[:9])
    first, position = made.since(0)
    made.feed(SECRET[9:].encode() + b" two\n")
    second, _ = made.since(position)
    made.close()

    assert (first, second) == ("one ", f"{MASK} two\n")
