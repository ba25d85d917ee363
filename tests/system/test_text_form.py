"""Text is found in any encoding, and goes back to the same bytes."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.system import UnencodableError, newlines_of, read_text, shown, with_newlines
from gantlet.system.text_form import TextForm


@given(st.binary())
def test_whatever_is_text_goes_back_to_the_same_bytes(content: bytes) -> None:
    read = read_text(content)

    assert read is None or read.form.encode(read.text) == content


ENCODINGS = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1"]
lines = st.lists(
    st.text(st.characters(codec="latin-1", min_codepoint=32, exclude_categories=["Cc"]))
)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=lines.map("\n".join))
def test_a_text_is_never_changed_by_its_encoding(encoding: str, text: str) -> None:
    content = text.encode(encoding)

    read = read_text(content)

    if read is not None:
        assert read.form.encode(read.text) == content
        assert encoding not in {"utf-8", "utf-16", "utf-32"} or read.text == text


@pytest.mark.parametrize(
    ("content", "encoding", "text"),
    [
        pytest.param("naïve".encode(), "utf-8", "naïve", id="utf-8"),
        pytest.param(codecs.BOM_UTF8 + b"a", "utf-8", "a", id="utf-8 with a mark"),
        pytest.param("a\u20ac".encode("utf-16"), "utf-16-le", "a€", id="utf-16 with a mark"),
        pytest.param("plain words".encode("utf-16-be"), "utf-16-be", "plain words", id="utf-16-be"),
        pytest.param("plain words".encode("utf-16-le"), "utf-16-le", "plain words", id="utf-16-le"),
        pytest.param("a\U0001f600".encode("utf-32"), "utf-32-le", "a\U0001f600", id="utf-32"),
        pytest.param("été à Paris".encode("latin-1"), "latin-1", "été à Paris", id="latin-1"),
        pytest.param("“quoted” words".encode("cp1252"), "cp1252", "“quoted” words", id="cp1252"),
        pytest.param("ä".encode() + b" \xff", "utf-8", "ä \udcff", id="a lone byte in utf-8"),
        pytest.param(b"", "utf-8", "", id="nothing"),
    ],
)
def test_the_encoding_is_found(content: bytes, encoding: str, text: str) -> None:
    read = read_text(content)

    assert read is not None
    assert (read.form.encoding, read.text) == (encoding, text)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"\x7fELF\x02\x01\x01\0\0\0", id="a program"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", id="an image"),
        pytest.param(bytes(range(1, 32)) * 9, id="controls"),
    ],
)
def test_what_is_no_text_is_told_apart(content: bytes) -> None:
    assert read_text(content) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb\n", ("\n", False)),
        ("a\r\nb\r\n", ("\r\n", False)),
        ("a\rb\r", ("\r", False)),
        ("a\r\nb\r\nc\n", ("\r\n", True)),
        ("no end", ("\n", False)),
    ],
)
def test_the_line_ending_is_that_of_most_lines(text: str, expected: tuple[str, bool]) -> None:
    assert newlines_of(text) == expected


def test_line_endings_can_be_made_alike() -> None:
    assert with_newlines("a\nb\r\nc\rd", "\r\n") == "a\r\nb\r\nc\r\nd"
    assert with_newlines("a\nb", "\n") == "a\nb"


def test_a_byte_that_is_no_text_is_shown_as_a_replacement() -> None:
    assert shown("a\udcffb") == "a\ufffdb"


def test_a_character_that_an_encoding_lacks_is_named() -> None:
    with pytest.raises(UnencodableError, match=r"Latin-1 has no '→' \(U\+2192\)"):
        TextForm("latin-1").encode("a → b")
