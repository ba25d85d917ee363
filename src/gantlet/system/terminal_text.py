"""Output of programs as plain text: what a terminal would obey is carried out or left out."""

import re

#: Escape sequences: CSI, then OSC, DCS, SOS, PM and APC up to their end, then the short ones.
_ESCAPES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"
    r"|\x1b[ -/]*[0-~]?"
)
#: A character that was struck over by the next one, as in bold words of manual pages.
_STRUCK = re.compile(r"[^\n\x08]\x08")
#: What is overwritten on the same line, as progress bars do.
_OVERWRITTEN = re.compile(r"[^\n]*\r(?=[^\n])")
#: Controls, direction marks, invisible characters, tags and lone surrogates. Joiners stay: words
#: and emoji are written with them.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f"
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e0fff\ud800-\udfff]"
)
_IS_PLAIN = re.compile(r"[\n\t\x20-\x7e]*\Z")


def plain(text: str) -> str:
    """Return a text as it would stand on a screen, without anything a terminal would obey.

    Every line end becomes a plain one. Of a line that was overwritten, what was written last stays.
    """
    if _IS_PLAIN.match(text):
        return text
    text = _ESCAPES.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text)
    if "\x08" in text:
        text = _STRUCK.sub("", text)
    return _UNSEEN.sub("", text)
