"""Names that some file system takes for the same, made equal."""

import unicodedata


def fold(text: str) -> str:
    """Return `text` so that names which any common mount takes for one are equal.

    Case is folded, accents are composed, and characters that cannot be seen are dropped.
    """
    if text.isascii():
        return text.lower()
    seen = "".join(char for char in text if unicodedata.category(char) != "Cf")
    composed = unicodedata.normalize("NFC", seen).casefold()
    return unicodedata.normalize("NFC", composed)
