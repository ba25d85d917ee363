"""Regular expressions as ripgrep has them, in the words of Python's own."""

import re
from dataclasses import field

from gantlet.messages.value import replace, slotted, value
from gantlet.tools.search.fallback.rejected import RejectedError

#: How bytes that are no UTF-8 stand in decoded text. Nothing but themselves matches them.
_LONE = "\udc80-\udcff"
_NEWLINE_ALLOWED = (
    'the literal "\\n" is not allowed in a regex\n\n'
    "Consider enabling multiline mode with the --multiline flag (or -U for short).\n"
    "When multiline mode is enabled, new line characters can be matched."
)
_LOOK_AROUND = "look-around, including look-ahead and look-behind, is not supported"
_NAMED_SETS = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": "\\x00-\\x7f", "blank": "\\t ",
    "cntrl": "\\x00-\\x1f\\x7f", "digit": "0-9", "graph": "!-~", "lower": "a-z",
    "print": " -~", "punct": "!-/:-@\\[-`{-~", "space": "\\t\\n\\v\\f\\r ", "upper": "A-Z",
    "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_PLAIN_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
_CODE = re.compile(r"x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|[xuU]\{([0-9A-Fa-f]+)\}")
_COUNT = re.compile(r"\{\s*(\d*)\s*(,?)\s*(\d*)\s*\}")
_FLAGS = re.compile(r"\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])")
_NAME = re.compile(r"\?P?<([A-Za-z_][A-Za-z0-9_.\[\]]*)>")
_META = frozenset("\\.+*?()|[]{}^$#&-~ ")


#: `^` and `$` where a carriage return ends a line too; neither stands between it and a line feed.
_START = "(?<![^\\r\\n])(?<!\\r(?=\\n))"
_END = "(?=[\\r\\n]|\\Z)(?<!\\r(?=\\n))"


@value
class LineEnds:
    """What ends lines, and whether an expression may match that: then a match can span lines."""

    crlf: bool = True
    may_match: bool = False


@value
class Regex:
    """What finds matches, and whether one of them may span lines."""

    pattern: re.Pattern[str]
    spans_lines: bool


def compile_regex(pattern: str, ends: LineEnds, *, ignores_case: bool) -> Regex:
    """Return a pattern that finds what ripgrep's would.

    Raises:
        RejectedError: It is no regular expression, or one that only ripgrep understands.
    """
    reading = _Reading(pattern, ends, state=_State(dot_all=ends.may_match))
    reading.read()
    flags = re.MULTILINE | (re.IGNORECASE if ignores_case else 0)
    try:
        compiled = re.compile("".join(reading.out), flags)
        return Regex(compiled, ends.may_match and reading.spans_lines)
    except (re.error, OverflowError, RecursionError) as error:
        raise RejectedError(f"regex parse error:\n    {pattern}\nerror: {error}") from error


@value
class _State:
    """What holds inside a group: whether `.` matches line ends, and flags that were switched."""

    dot_all: bool
    switched: tuple[str, ...] = ()


@slotted
class _Reading:
    """An expression on its way into another language."""

    pattern: str
    ends: LineEnds
    state: _State
    at: int = 0
    #: Where in `out` the last thing begins that could be repeated; None where there is none.
    atom: int | None = None
    is_repeated: bool = False
    #: Whether something in it matches the end of a line.
    spans_lines: bool = False
    out: list[str] = field(default_factory=list)
    groups: list[tuple[_State, int]] = field(default_factory=list)

    def read(self) -> None:
        """Read it all."""
        while self.at < len(self.pattern):
            char = self.pattern[self.at]
            self.at += 1
            self._char(char)
        if self.groups:
            raise self._rejected("unclosed group")
        self.out.append(")" * len(self.state.switched))

    def _char(self, char: str) -> None:
        """Read what begins with a character."""
        match char:
            case "(" | ")" | "|":
                self._structure(char)
            case "*" | "+" | "?" | "{":
                self._repeat(char)
            case "[":
                self._atom(self._inside_line(self._set()))
            case "\\":
                self._atom(self._escape())
            case ".":
                self._atom(self._dot())
            case "^" | "$":
                self._atom(self._anchor(char))
            case _:
                self._literal(char)

    def _dot(self) -> str:
        """Return what matches any character, also the ends of lines where they are meant."""
        self.spans_lines |= self.state.dot_all
        if self.state.dot_all:
            return self._inside_line(f"[^{_LONE}]")
        return f"[^\\r\\n{_LONE}]" if self.ends.crlf else f"[^\\n{_LONE}]"

    def _anchor(self, char: str) -> str:
        """Return what matches where a line begins or ends.

        ripgrep takes an expression that looks at two characters for one that spans lines.
        """
        if not self.ends.crlf:
            return char
        self.spans_lines = True
        return f"(?:{_START if char == '^' else _END})"

    def _inside_line(self, text: str) -> str:
        """Return what matches the same, but never the end of a line if that is not meant."""
        return f"(?:(?!\\r){text})" if self.ends.crlf and not self.ends.may_match else text

    def _structure(self, char: str) -> None:
        """Read what groups and chooses."""
        if char == "(":
            self._group()
        elif char == ")":
            self._close()
        else:
            self._bar()

    def _literal(self, char: str) -> None:
        """Take a character that stands for itself."""
        self._note_line_end(char)
        self._atom(re.escape(char))

    def _note_line_end(self, char: str) -> None:
        """Take note of the end of a line, which some expressions must not hold."""
        if char == "\n" and not self.ends.may_match:
            raise RejectedError(_NEWLINE_ALLOWED)
        self.spans_lines |= char == "\n"

    def _atom(self, text: str) -> None:
        """Take something that can be repeated."""
        self.atom, self.is_repeated = len(self.out), False
        self.out.append(text)

    def _group(self) -> None:
        """Open a group, or switch flags for the rest of the one we are in."""
        rest = self.pattern[self.at :]
        if re.match(r"\?(=|!|<=|<!)", rest):
            raise self._rejected(_LOOK_AROUND)
        named, flags = _NAME.match(rest), _FLAGS.match(rest)
        if named is not None:
            self.at += named.end()
            self._open("(")
        elif flags is not None:
            self._flags(flags)
        elif rest.startswith("?"):
            raise self._rejected("unrecognized flag")
        else:
            self._open("(")

    def _open(self, text: str, state: _State | None = None) -> None:
        """Open a group in which other flags may hold."""
        self.groups.append((self.state, len(self.out)))
        self.state = replace(state or self.state, switched=())
        self.out.append(text)
        self.atom = None

    def _flags(self, found: re.Match[str]) -> None:
        """Switch flags, for a group or for the rest of one."""
        on, off = found.group(1).replace("u", ""), found.group(2) or ""
        if set(on + off) - set("ims") or (found.group(3) == ")" and not on + off + found.group(1)):
            raise self._rejected(f"the flags {found.group()!r} need a real ripgrep")
        self.at += found.end()
        dot_all = (self.state.dot_all or "s" in on) and "s" not in off
        on, off = on.replace("s", ""), off.replace("s", "")
        # `m` is on from the beginning, and Python takes no flag twice.
        on = "".join(dict.fromkeys(on))
        text = f"(?{on}{'-' if off else ''}{''.join(dict.fromkeys(off))}:"
        if found.group(3) == ":":
            self._open(text, replace(self.state, dot_all=dot_all))
            return
        self.out.append(text)
        self.atom = None
        self.state = _State(dot_all, (*self.state.switched, text))

    def _close(self) -> None:
        """Close a group."""
        if not self.groups:
            raise self._rejected("unopened group")
        self.out.append(")" * (len(self.state.switched) + 1))
        self.state, self.atom = self.groups.pop()
        self.is_repeated = False

    def _bar(self) -> None:
        """Begin another choice, in which switched flags hold too."""
        switched = self.state.switched
        self.out.append(f"{')' * len(switched)}|{''.join(switched)}")
        self.atom = None

    def _repeat(self, char: str) -> None:
        """Repeat the last thing."""
        count = char if char != "{" else self._count()
        if self.atom is None:
            raise self._rejected("repetition operator missing expression")
        if self.pattern[self.at : self.at + 1] == "?":
            self.at += 1
            count += "?"
        if self.is_repeated:
            inner = "".join(self.out[self.atom :])
            self.out[self.atom :] = [f"(?:{inner})"]
        self.out.append(count)
        self.is_repeated = True

    def _count(self) -> str:
        """Read how often something is repeated."""
        found = _COUNT.match(self.pattern, self.at - 1)
        if found is None or not (found.group(1) or found.group(3)):
            raise self._rejected("repetition quantifier expects a valid decimal")
        self.at = found.end()
        return f"{{{found.group(1) or '0'}{found.group(2)}{found.group(3)}}}"

    def _escape(self, *, in_set: bool = False) -> str:
        """Read what a backslash stands before."""
        if self.at >= len(self.pattern):
            raise self._rejected("incomplete escape sequence, reached end of pattern prematurely")
        code = _CODE.match(self.pattern, self.at)
        if code is not None:
            self.at = code.end()
            return self._code(next(filter(None, code.groups())))
        char = self.pattern[self.at]
        self.at += 1
        self.spans_lines |= char in "sDW"
        if char in _PLAIN_ESCAPES:
            return self._code(f"{ord(_PLAIN_ESCAPES[char]):x}")
        if char in "dw" or (char in "bBA" and not in_set):
            return f"\\{char}"
        if char in "sDSW":
            inner = "\\s" if char == "s" else f"[^\\{char.lower()}{_LONE}]"
            return f"\\{char}" if in_set else self._inside_line(inner)
        if char == "z" and not in_set:
            return "\\Z"
        if char in _META or not (char.isalnum() or char.isspace()):
            return re.escape(char)
        raise self._rejected(f"the escape \\{char} needs a real ripgrep")

    def _code(self, digits: str) -> str:
        """Return a character given by its number."""
        number = int(digits, 16)
        if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
            raise self._rejected("invalid Unicode scalar value")
        self._note_line_end(chr(number))
        return re.escape(chr(number))

    def _set(self) -> str:
        """Read a set of characters."""
        is_negated = self.pattern[self.at : self.at + 1] == "^"
        self.at += is_negated
        inside: list[str] = []
        start, spanned, self.spans_lines = self.at, self.spans_lines, False
        while self.pattern[self.at : self.at + 1] != "]" or self.at == start:
            if self.at >= len(self.pattern):
                raise self._rejected("unclosed character class")
            inside.append(self._member())
        self.at += 1
        self.spans_lines = spanned or self.spans_lines is not is_negated
        return f"[^{''.join(inside)}{_LONE}]" if is_negated else f"[{''.join(inside)}]"

    def _member(self) -> str:
        """Read one member of a set."""
        char = self.pattern[self.at]
        if self.pattern[self.at : self.at + 2] in {"&&", "--", "~~"}:
            raise self._rejected("sets of sets need a real ripgrep")
        self.at += 1
        if char == "\\":
            return self._escape(in_set=True)
        if char == "[":
            return self._named_set()
        self._note_line_end(char)
        return char if char == "-" else re.escape(char)

    def _named_set(self) -> str:
        """Read a set that goes by a name: `[:alpha:]`."""
        found = re.compile(r":([a-z]+):\]").match(self.pattern, self.at)
        if found is None or found.group(1) not in _NAMED_SETS:
            raise self._rejected("sets of sets need a real ripgrep")
        self.at = found.end()
        self.spans_lines |= found.group(1) in {"space", "cntrl", "ascii"}
        return _NAMED_SETS[found.group(1)]

    def _rejected(self, why: str) -> RejectedError:
        """Return why this is no expression."""
        return RejectedError(f"regex parse error:\n    {self.pattern}\nerror: {why}")
