"""Text for people and models: one line, bounded, nothing a terminal would obey."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gantlet.tool.wording import cut, dotted, quoted, shown, told

any_text = st.text(st.characters())
#: Joins words and emoji; shows nothing by itself and moves nothing.
JOINERS = str.maketrans("", "", "\u200c\u200d")


@given(any_text, st.integers(min_value=1, max_value=300))
@example("\x1b[2J\x1b]0;owned\x07", 60)
@example("a\r\nb\u2028c\x85d", 60)
@example("\u202eevil\u2066", 60)
@example("\x9b31m", 60)
@example("\ud800\udfff", 60)
def test_a_cut_text_is_one_printable_line_within_its_limit(text: str, limit: int) -> None:
    short = cut(text, limit)

    assert len(short) <= limit
    assert short.translate(JOINERS).isprintable()
    short.encode("utf-8")


@given(st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=60))
def test_plain_short_text_is_not_changed(text: str) -> None:
    assert cut(text, 60) == text


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("a  b\n\tc", "a b c"),
        ("x" * 61, "x" * 59 + "…"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\u202etxt.exe", "\\u202etxt.exe"),
        ("\ud800", "\\ud800"),
        ("می‌خواهم 👩‍💻", "می‌خواهم 👩‍💻"),
    ],
)
def test_what_is_cut_stays_readable(text: str, short: str) -> None:
    assert cut(text) == short


class Unspeakable(Exception):  # noqa: N818 - named for what it is
    """A value, and an exception, that fails whatever it is asked."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    __str__ = __repr__


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("abc", "string 'abc'"),
        (1, "integer 1"),
        (1.5, "number 1.5"),
        (True, "boolean True"),
        (None, "null"),
        ([1, 2], "array"),
        ((1,), "array"),
        ({"a": 1}, "object"),
        (Unspeakable(), "Unspeakable that cannot be shown"),
    ],
)
def test_a_value_is_shown_by_its_kind_and_its_beginning(value: object, said: str) -> None:
    assert shown(value) == said


def test_a_value_that_is_large_beyond_showing_is_shown_by_its_beginning_or_its_kind() -> None:
    assert shown("y" * 1_000_000) == f"string '{'y' * 58}…"
    assert shown(10**5_000) == "integer that cannot be shown"


def test_an_exception_is_told_by_what_it_says_or_by_its_name() -> None:
    assert told(ValueError("too\nlong")) == "too long"
    assert told(ValueError()) == "ValueError"
    assert told(Unspeakable()) == "Unspeakable"
    assert len(told(ValueError("y" * 10_000))) == 300


@pytest.mark.parametrize(
    ("where", "path"),
    [
        ([], ""),
        (["a"], "a"),
        (["edits", 0, "text"], "edits[0].text"),
        ([3], "[3]"),
        (["a\x1b[2J", "b\nc"], "a\\x1b[2J.b c"),
        (["x" * 1_000], "x" * 59 + "…"),
    ],
)
def test_a_path_reads_like_code(where: list[str | int], path: str) -> None:
    assert dotted(where) == path


def test_a_long_path_is_bounded_and_a_quoted_value_too() -> None:
    assert len(dotted([0] * 10_000)) == 200
    assert len(quoted("y" * 10_000, 100)) == 100
