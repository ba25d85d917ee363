"""Text in files: which encoding and line endings it has, and back to the same bytes.

Whatever the bytes are, `TextForm.encode` of what `read_text` returned gives them back.
"""

import codecs
import re

from gantlet.messages.value import replace, value

#: Byte order marks, the longer ones first, with the codec of what follows.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_UNITS = {"utf-16-le": 2, "utf-16-be": 2, "utf-32-le": 4, "utf-32-be": 4}
_SAMPLE_BYTES = 64 * 1024
#: Fewer bytes say nothing about where zeros would be.
_MIN_WIDE_BYTES = 8
#: Characters a text does not hold: controls other than those that lay it out, and escapes.
_CONTROLS = re.compile(rb"[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f]")
_MAX_CONTROL_SHARE = 0.10
_HIGH = re.compile(rb"[\x80-\xff]+")
_SEQUENCES = re.compile(
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_UNDEFINED_1252 = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")
_C1 = re.compile(rb"[\x80-\x9f]")
#: How a byte that is no text stands in decoded text.
LONE = re.compile("[\ud800-\udfff]")
#: How a model is shown such a byte.
REPLACEMENT = "\ufffd"
_NEWLINE = re.compile("\r\n|\n|\r")


class UnencodableError(ValueError):
    """A text holds a character that the encoding of its file does not have."""

    def __init__(self, encoding: str, character: str) -> None:
        super().__init__(f"{encoding} has no {character!r} (U+{ord(character):04X})")
        self.encoding = encoding
        self.character = character


@value
class TextForm:
    r"""How a text lies in its file.

    Attributes:
        encoding: The codec.
        mark: The byte order mark in front, if there is one.
        newline: The line ending most lines have: `\n`, `\r\n` or `\r`; that of a new file is `\n`.
        is_mixed: Whether there are other line endings too.
        tail: Bytes behind the text that make no whole character.
    """

    encoding: str = "utf-8"
    mark: bytes = b""
    newline: str = "\n"
    is_mixed: bool = False
    tail: bytes = b""

    def encode(self, text: str) -> bytes:
        """Return a text as it lies in a file of this form.

        Raises:
            UnencodableError: The encoding does not have one of its characters.
        """
        return self.mark + self.encode_part(text) + self.tail

    def encode_part(self, text: str) -> bytes:
        """Return a part of a text as bytes, without what stands before and after the whole.

        Raises:
            UnencodableError: The encoding does not have one of its characters.
        """
        errors = "surrogatepass" if self.encoding in _UNITS else "surrogateescape"
        try:
            return text.encode(self.encoding, errors)
        except UnicodeEncodeError as error:
            raise UnencodableError(self.name, text[error.start]) from error

    def is_recognised(self, text: str, content: bytes) -> bool:
        """Return whether who reads `content` will see `text`: without a mark, that is a guess."""
        if self.mark or self.encoding == "utf-8":
            return True
        read = read_text(content)
        return read is not None and read.text == text

    @property
    def name(self) -> str:
        """What people call the encoding."""
        return {"latin-1": "Latin-1", "cp1252": "Windows-1252"}.get(
            self.encoding, self.encoding.upper()
        )


@value
class FileText:
    """A decoded text with its form. Bytes that are no text stand in it as lone surrogates."""

    text: str
    form: TextForm


def read_text(content: bytes) -> FileText | None:
    """Return a file's text and its form, or None where it is not text."""
    form = detect(content)
    if form is None:
        return None
    body = content[len(form.mark) : len(content) - len(form.tail)]
    errors = "surrogatepass" if form.encoding in _UNITS else "surrogateescape"
    try:
        text = body.decode(form.encoding, errors)
    except UnicodeDecodeError:
        return None
    newline, is_mixed = newlines_of(text)
    return FileText(text, replace(form, newline=newline, is_mixed=is_mixed))


def detect(content: bytes) -> TextForm | None:
    """Return the encoding of a file's content, or None where it is not text.

    The beginning of a content is enough, except for bytes that come later. Line endings are those
    of a new file.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            left = (len(content) - len(mark)) % _UNITS.get(encoding, 1)
            return TextForm(encoding, mark, tail=content[len(content) - left :] if left else b"")
    sample = content[:_SAMPLE_BYTES]
    if b"\0" in sample:
        return _unmarked_wide(content, sample)
    if _is_binary(sample):
        return None
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return TextForm(_narrow_encoding(content))
    return TextForm()


def newlines_of(text: str) -> tuple[str, bool]:
    """Return the line ending that most lines have, and whether there are others."""
    if "\r" not in text:
        return "\n", False
    pairs = text.count("\r\n")
    counts = {"\r\n": pairs, "\n": text.count("\n") - pairs, "\r": text.count("\r") - pairs}
    most = max(counts, key=lambda ending: counts[ending])
    return most, sum(1 for count in counts.values() if count) > 1


def with_newlines(text: str, newline: str) -> str:
    """Return a text in which every line ends in `newline`."""
    if newline == "\n" and "\r" not in text:
        return text
    return _NEWLINE.sub(newline, text)


def shown(text: str) -> str:
    """Return a text as a model can read it: a byte that is no text is a replacement character."""
    return LONE.sub(REPLACEMENT, text)


def _unmarked_wide(content: bytes, sample: bytes) -> TextForm | None:
    """Return the form of UTF-16 without a mark, by where its zero bytes are, or None."""
    if len(content) % 2 or len(content) < _MIN_WIDE_BYTES:
        return None
    pairs = len(sample) // 2
    low, high = sample[0 : pairs * 2 : 2].count(0), sample[1 : pairs * 2 : 2].count(0)
    for encoding, zeros, others in (("utf-16-le", high, low), ("utf-16-be", low, high)):
        if zeros >= pairs * 0.4 and others <= pairs * 0.02:
            try:
                text = content.decode(encoding)
            except UnicodeDecodeError:
                return None
            if not _is_binary(text[:_SAMPLE_BYTES].encode("utf-8", "replace")):
                return TextForm(encoding)
    return None


def _is_binary(sample: bytes) -> bool:
    """Return whether a sample holds what texts do not."""
    if b"\0" in sample:
        return True
    return len(_CONTROLS.findall(sample)) > len(sample) * _MAX_CONTROL_SHARE


def _narrow_encoding(content: bytes) -> str:
    """Return which of the encodings of one byte a content has that is not whole UTF-8.

    Where some of it is UTF-8, it all is, with bytes in it that are no text.
    """
    high = b"".join(_HIGH.findall(content))
    if _SEQUENCES.search(high) or len(high) > len(content) * 0.5:
        return "utf-8"
    if not _C1.search(high):
        return "latin-1"
    return "utf-8" if _UNDEFINED_1252.search(high) else "cp1252"
