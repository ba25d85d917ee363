"""Every name can be shown as text on one line, and what was shown leads back to the file."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.system.shown_names import meant_name, meant_path, shown_name

PIECES = st.sampled_from(
    [b"a", b"\\", b"x", b"e9", b"\xe9", b"\xff", b"\n", b"n", b"u0085", b"\x1b"]
)
TEXTS = st.sampled_from(["é", "\x85", "\u2028", "日", "\x7f", "\t", "\\t"]).map(str.encode)
NAMES = st.lists(st.one_of(PIECES, TEXTS, st.binary(max_size=3)), max_size=8).map(b"".join)


@given(NAMES)
def test_what_is_shown_is_text_on_one_line_and_means_the_name(name: bytes) -> None:
    decoded = name.replace(b"\0", b"").decode(errors="surrogateescape")

    shown = shown_name(decoded)

    assert shown.encode().decode() == shown
    assert len(shown.splitlines()) <= 1
    assert meant_name(shown) == decoded


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (b"plain.txt", "plain.txt"),
        ("dé jà.txt".encode(), "dé jà.txt"),
        (b"caf\xe9.txt", r"caf\xe9.txt"),
        (rb"caf\xe9.txt", r"caf\\xe9.txt"),
        (rb"C:\dir", r"C:\dir"),
        (rb"C:\new", r"C:\\new"),
        (b"a\nb\x1b[0m", r"a\nb\x1b[0m"),
        ("a\x85b".encode(), r"a\u0085b"),
        (b"a\\\xff", r"a\\\xff"),
    ],
    ids=ascii,
)
def test_names_are_shown_like_this(name: bytes, shown: str) -> None:
    assert shown_name(os.fsdecode(name)) == shown


def test_a_spelt_name_means_the_file_that_is_shown_so_if_it_is_there(tmp_path: Path) -> None:
    odd, plain = os.fsdecode(b"d\xff/caf\xe9.txt"), r"d\xff/caf\xe9.txt"

    before = meant_path(plain, str(tmp_path))
    (tmp_path / odd).parent.mkdir()
    in_folder = meant_path(plain, str(tmp_path))
    (tmp_path / odd).write_bytes(b"")

    assert before == plain, "a new file gets the name that was written"
    assert in_folder == os.fsdecode(b"d\xff") + r"/caf\xe9.txt"
    assert meant_path(plain, str(tmp_path)) == odd
    assert meant_path(f"{tmp_path}/{plain}", "/") == f"{tmp_path}/{odd}"
    assert meant_path("a\\n" * 5_000, str(tmp_path)) == "a\\n" * 5_000
    assert meant_path("a\\n\0", str(tmp_path)) == "a\\n\0"
