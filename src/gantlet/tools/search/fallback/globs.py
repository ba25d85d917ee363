"""Globs as ripgrep reads them: stars stop at slashes, braces choose, `**` crosses directories."""

import re
from dataclasses import field

from gantlet.messages.value import slotted
from gantlet.tools.search.fallback.rejected import RejectedError


def compile_glob(glob: str) -> re.Pattern[str]:
    """Return what decides whether a whole path fits a glob.

    Raises:
        RejectedError: It is no glob.
    """
    reading = _Reading(glob)
    reading.read()
    return re.compile("".join(reading.out), re.DOTALL)


@slotted
class _Reading:
    """A glob on its way to a regular expression."""

    glob: str
    at: int = 0
    depth: int = 0
    out: list[str] = field(default_factory=list)

    def read(self) -> None:
        """Read it all."""
        while self.at < len(self.glob):
            char = self.glob[self.at]
            self.at += 1
            self._char(char)
        if self.depth:
            raise self._rejected("unclosed alternate group; missing '}'")

    def _char(self, char: str) -> None:
        """Read what begins with a character."""
        match char:
            case "?":
                self.out.append("[^/]")
            case "*":
                self._stars()
            case "[":
                self._set()
            case "\\":
                self._escaped()
            case "{" | "}" | ",":
                self._choice(char)
            case _:
                self.out.append(re.escape(char))

    def _choice(self, char: str) -> None:
        """Read a brace, or what stands between two choices."""
        if char == "{":
            self.depth += 1
            self.out.append("(?:")
        elif char == "}":
            if not self.depth:
                raise self._rejected("unopened alternate group; missing '{'")
            self.depth -= 1
            self.out.append(")")
        else:
            self.out.append("|" if self.depth else ",")

    def _stars(self) -> None:
        """Read stars; two of them that are a whole name stand for any number of directories."""
        start = self.at - 1
        while self.glob[self.at : self.at + 1] == "*":
            self.at += 1
        is_first = start == 0 or self.glob[start - 1] == "/" or self._opens(start - 1)
        is_last = self.at == len(self.glob) or self._closes(self.at)
        is_double = self.at - start == 2 and is_first
        if is_double and self.glob[self.at : self.at + 1] == "/":
            self.at += 1
            self.out.append("(?:[^/]*/)*" if start == 0 else "(?:[^/]+/)*")
        elif is_double and is_last:
            self.out.append(".*")
        else:
            self.out.append("[^/]*")

    def _opens(self, at: int) -> bool:
        """Return whether a choice begins there."""
        return self.depth > 0 and self.glob[at] in "{,"

    def _closes(self, at: int) -> bool:
        """Return whether a choice ends there."""
        return self.depth > 0 and self.glob[at] in "},"

    def _escaped(self) -> None:
        """Read a character that stands for itself."""
        if self.at >= len(self.glob):
            raise self._rejected("dangling '\\'")
        self.out.append(re.escape(self.glob[self.at]))
        self.at += 1

    def _set(self) -> None:
        """Read a set of characters; none of them is a slash."""
        is_negated = self.glob[self.at : self.at + 1] in {"!", "^"}
        self.at += is_negated
        start = self.at
        end = self.glob.find("]", start + 1)
        if end < 0:
            raise self._rejected("unclosed character class; missing ']'")
        ranges = self._ranges(self.glob[start:end])
        self.at = end + 1
        self.out.append(f"(?!/)[{'^' if is_negated else ''}{ranges}]")

    def _ranges(self, text: str) -> str:
        """Return the inside of a set."""
        ranges: list[str] = []
        at = 0
        while at < len(text):
            low = high = text[at]
            if text[at + 1 : at + 2] == "-" and at + 2 < len(text):
                high = text[at + 2]
                at += 2
            if low > high:
                raise self._rejected(f"invalid range; {low!r} > {high!r}")
            ranges.append(f"{re.escape(low)}-{re.escape(high)}")
            at += 1
        return "".join(ranges)

    def _rejected(self, why: str) -> RejectedError:
        """Return why this is no glob."""
        return RejectedError(f"error parsing glob {self.glob!r}: {why}")
