"""Output as plain text: nothing in it can steer a terminal."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.system.terminal_text import plain

_PIECES = st.sampled_from(
    ["\x1b[", "31m", "\x1b]0;", "\x07", "\x9b", "\x1bP", "\x1b\\", "\r", "\n", "\t", "\b", "a", "é",
     "\u202e", "\u200b", "\ud800", "\x00", "\x1b", ";", "[", "\U000e0041", "\u200d"]
)  # fmt: skip


@pytest.mark.parametrize(
    ("given_text", "text"),
    [
        pytest.param("plain\ttext\n", "plain\ttext\n", id="plain"),
        pytest.param("\x1b[1;31mred\x1b[0m", "red", id="colours"),
        pytest.param("\x1b]8;;http://x\x1b\\link\x1b]8;;\x07", "link", id="links"),
        pytest.param("a\r\nb\r\n", "a\nb\n", id="line-ends"),
        pytest.param("1%\r2%\r3%\ndone", "3%\ndone", id="overwritten"),
        pytest.param("N\bNA\bAME", "NAME", id="struck-over"),
        pytest.param("x\u202ey\u200bz", "xyz", id="unseen"),
        pytest.param("\x9b31mred", "red", id="eight-bit"),
    ],
)
def test_what_a_terminal_would_obey_is_carried_out_or_left_out(given_text: str, text: str) -> None:
    assert plain(given_text) == text


@given(st.lists(_PIECES | st.text(st.characters(), max_size=5), max_size=30).map("".join))
def test_nothing_is_left_that_a_terminal_would_obey(text: str) -> None:
    cleaned = plain(text)

    assert all(char >= " " or char in "\n\t" for char in cleaned)
    assert not any("\x7f" <= char <= "\x9f" or "\ud800" <= char <= "\udfff" for char in cleaned)
    assert plain(cleaned) == cleaned
    cleaned.encode("utf-8")
