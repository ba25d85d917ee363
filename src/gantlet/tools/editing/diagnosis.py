"""Why an old text was not found: the closest lines of the file, and where they differ first."""

import html
import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from gantlet.messages.value import value
from gantlet.system import shown
from gantlet.tool import numbered

#: Every kind of double quote, then of single quote, as the plain one.
_QUOTES = str.maketrans(
    dict.fromkeys("\u201c\u201d\u201e", '"') | dict.fromkeys("\u2018\u2019\u201a`", "'")
)
#: Characters that take no room.
_UNSEEN = dict.fromkeys((0x200B, 0x200C, 0x200D, 0x2060, 0xFEFF, 0x00AD))
_NUMBERED = re.compile(r"^ *\d+[→\t]")
_BLANKS = re.compile(r"\s+")
_VISIBLE = str.maketrans({" ": "·", "\t": "⇥", "\r": "␍", "\u00a0": "⍽"})
#: How many places one line of the old text may stand at before it says nothing.
_MAX_PLACES = 200
#: How many lines are compared letter by letter when nothing else is alike.
_MAX_COMPARED = 20_000
_MIN_LIKENESS = 0.6
_MAX_SHOWN_LINES = 20
_MAX_LINE_CHARS = 160


@value
class _Divergence:
    """The first line that differs, from 0 within the old text, and both versions of it.

    `skipped` is how much of the file's line comes before the part that is compared.
    """

    index: int
    wanted: str
    present: str
    skipped: int = 0

    @property
    def column(self) -> int:
        """Where the two differ first, from 1."""
        pairs = zip(self.wanted, self.present, strict=False)
        same = next((at for at, (one, other) in enumerate(pairs) if one != other), None)
        return (min(len(self.wanted), len(self.present)) if same is None else same) + 1


def explain_miss(text: str, old: str) -> str:
    """Return what to do about an old text that a file does not hold, for a model."""
    if not text.strip():
        return "The file holds nothing but blanks." if text else "The file is empty."
    hint = _misread(text, old)
    if hint:
        return hint
    lines, wanted = _lines(text), _lines(old)
    offset = _closest(lines, wanted)
    if offset is None:
        return "Nothing in the file is like it. Read the file again and copy the text from it."
    divergence = _first_divergence(lines, wanted, offset)
    first, last = max(0, offset), min(len(lines), offset + len(wanted))
    if divergence is None:
        return f"Lines {first + 1}-{last} hold it in part. Use their text:\n" + _region(
            lines, first, last
        )
    where = f"line {offset + divergence.index + 1}, column {divergence.skipped + divergence.column}"
    wanted_line, present_line = _around(divergence)
    return (
        f"The closest text is at {_named(first, last)}; it differs first in {where}:\n"
        f"  your text: {wanted_line}\n"
        f"  the file:  {present_line}\n"
        f"{_legend(wanted_line, present_line)} {_named_difference(divergence)}"
        f" The lines of the file:\n{_region(lines, first, last)}"
    )


def _misread(text: str, old: str) -> str:
    """Return what is wrong with an old text that would match in another spelling, or nothing."""
    without_numbers = "\n".join(_NUMBERED.sub("", line) for line in old.split("\n"))
    if without_numbers != old and without_numbers in text:
        return "It holds line numbers, which are not part of the file. Leave them out."
    if html.unescape(old) != old and html.unescape(old) in text:
        return "It holds HTML entities such as &lt; where the file has the characters themselves."
    plain = old.replace("\\n", "\n").replace("\\t", "\t").replace('\\"', '"')
    if plain != old and plain in text:
        return "It is escaped once too often: the file has a line end or quote where it has \\n."
    return ""


def _lines(text: str) -> list[str]:
    """Return the lines of a text; a carriage return at the end of one is no part of it."""
    lines = shown(text).split("\n")
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _key(line: str) -> str:
    """Return a line without what a reader overlooks: blanks, kinds of quotes, ways to write é."""
    if not line.isascii():
        import unicodedata  # noqa: PLC0415 - the named seam: only such lines pay for it

        line = unicodedata.normalize("NFKC", line.translate(_UNSEEN))
    return _BLANKS.sub("", line.translate(_QUOTES)).casefold()


def _closest(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Return the line at which the old text would begin, or None if nothing is like it."""
    keys = [_key(line) for line in wanted]
    votes = _votes([_key(line) for line in lines], keys)
    if votes:
        best = max(votes.values())
        return min(offset for offset, count in votes.items() if count == best)
    return _most_alike(lines, wanted)


def _votes(present: Sequence[str], wanted: Sequence[str]) -> Counter[int]:
    """Return how much speaks for each place: the length of the lines that are alike there."""
    asked = {key for key in wanted if key}
    places: dict[str, list[int]] = defaultdict(list)
    for number, key in enumerate(present):
        if key in asked:
            places[key].append(number)
    votes: Counter[int] = Counter()
    for index, key in enumerate(wanted):
        if len(places.get(key, ())) <= _MAX_PLACES:
            for number in places.get(key, ()):
                votes[number - index] += len(key)
    if not votes and len(wanted) == 1 and wanted[0]:
        votes.update({number: 1 for number, key in enumerate(present) if wanted[0] in key})
    return votes


def _most_alike(lines: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Return where a line is that is most like the longest one that is wanted."""
    import difflib  # noqa: PLC0415 - the named seam: only a miss pays for it

    index = max(range(len(wanted)), key=lambda at: len(wanted[at].strip()))
    matcher = difflib.SequenceMatcher(autojunk=False)
    matcher.set_seq2(wanted[index].strip()[:500])
    best, place = _MIN_LIKENESS, None
    for number, line in enumerate(lines[:_MAX_COMPARED]):
        matcher.set_seq1(line.strip()[:500])
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            ratio = matcher.ratio()
            if ratio > best:
                best, place = ratio, number
    return None if place is None else place - index


def _first_divergence(
    lines: Sequence[str], wanted: Sequence[str], offset: int
) -> _Divergence | None:
    """Return the first line of the old text that the file has otherwise."""
    last = len(wanted) - 1
    for index, line in enumerate(wanted):
        number = offset + index
        present = lines[number] if 0 <= number < len(lines) else ""
        if present == line or (index == 0 and present.endswith(line) and last > 0):
            continue
        if (index == last > 0 and present.startswith(line)) or (last == 0 and line in present):
            continue
        aligned = _aligned(line, present) if last == 0 else present
        return _Divergence(index, line, aligned, len(present) - len(aligned))
    return None


def _aligned(line: str, present: str) -> str:
    """Return the part of a line of the file from where it begins to be like a part of a line."""
    head = line.strip()[:1]
    if not head or line[:1].isspace() or present.startswith(line[:3]):
        return present
    at = present.find(line[:3])
    return present[at:] if at > 0 else present


def _around(divergence: _Divergence) -> tuple[str, str]:
    """Return both versions of a line with blanks made visible, cut around where they differ."""
    start = max(0, divergence.column - 60)
    cut = slice(start, start + _MAX_LINE_CHARS)
    dots = "…" if start else ""
    return (
        f"{dots}{divergence.wanted[cut].translate(_VISIBLE)}",
        f"{dots}{divergence.present[cut].translate(_VISIBLE)}",
    )


def _legend(*lines: str) -> str:
    """Return what the signs mean."""
    hard = ", ⍽ a no-break space" if any("⍽" in line for line in lines) else ""
    return f"(· is a space, ⇥ a tab, ␍ a carriage return{hard}.)"


def _characters(divergence: _Divergence) -> str:
    """Return what stands where two lines differ, where the eye may not tell."""
    at = divergence.column - 1
    mine, theirs = divergence.wanted[at : at + 2], divergence.present[at : at + 2]
    if (mine[:1] + theirs[:1]).isascii():
        return ""
    return f" Your text has {_code_points(mine)} there, the file {_code_points(theirs)}."


def _code_points(text: str) -> str:
    """Return characters by their numbers."""
    return " ".join(f"U+{ord(char):04X}" for char in text) or "the end of the line"


def _named_difference(divergence: _Divergence) -> str:
    """Return in a sentence what kind of difference it is, and the characters that differ."""
    return f"{_kind_of(divergence.wanted, divergence.present)}{_characters(divergence)}"


def _kind_of(wanted: str, present: str) -> str:
    """Return in a sentence what kind of difference there is between two lines."""
    if wanted.strip() == present.strip() and wanted != present:
        mine, theirs = _indent(wanted), _indent(present)
        if mine != theirs:
            return f"Its indentation is {_counted(theirs)}, that of your text {_counted(mine)}."
        return "It differs in the blanks at the end of the line."
    if wanted.translate(_QUOTES) == present.translate(_QUOTES):
        return "It differs in the kind of quotes."
    if _BLANKS.sub("", wanted) == _BLANKS.sub("", present):
        return "It differs only in blanks inside the line."
    if wanted.casefold() == present.casefold():
        return "It differs only in upper and lower case."
    if _key(wanted) == _key(present):
        return "It looks the same and is made of other characters."
    return "It says something else there."


def _indent(line: str) -> str:
    """Return the blanks a line begins with."""
    return line[: len(line) - len(line.lstrip())]


def _counted(blanks: str) -> str:
    """Return blanks in words."""
    counts = ((blanks.count("\t"), "tab"), (blanks.count(" "), "space"))
    told = [f"{count} {name}{'' if count == 1 else 's'}" for count, name in counts if count]
    return " and ".join(told) or "nothing"


def _named(first: int, last: int) -> str:
    """Return lines, from 0, as a reader counts them."""
    return f"line {first + 1}" if last - first <= 1 else f"lines {first + 1}-{last}"


def _region(lines: Sequence[str], first: int, last: int) -> str:
    """Return lines of the file with their numbers, not too many."""
    end = min(last, first + _MAX_SHOWN_LINES)
    cut = (line if len(line) <= 500 else f"{line[:500]}…" for line in lines[first:end])
    return numbered(cut, first + 1) + ("\n…" if end < last else "")
