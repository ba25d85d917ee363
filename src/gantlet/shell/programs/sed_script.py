"""What a sed script may do beside printing: write files, read others, run commands."""

import re
from enum import Enum

from gantlet.shell.options import Grammar

SED_OPTIONS = Grammar(
    "-n,--quiet,--silent -E,-r,--regexp-extended -s,--separate -z,--null-data -u,--unbuffered "
    "-b,--binary --posix --debug --sandbox --follow-symlinks -e,--expression= -f,--file=path "
    "-l,--line-length= -i,--in-place[=]"
)


class SedScript(Enum):
    """The worst a script does."""

    PRINTS = "prints"
    READS = "reads other files"
    WRITES = "writes files"
    RUNS = "runs commands"
    UNCLEAR = "is not understood"


_BLANKS = re.compile(r"[ \t]*")
_NEGATION = re.compile(r"[ \t]*(?:![ \t]*)*")
_ADDRESS_FLAGS = re.compile(r"[IM]*")
_BETWEEN = re.compile(r"[\s;]*(?:#[^\n]*\n?[\s;]*)*")
_NUMBER = re.compile(r"[0-9]+(?:~[0-9]+)?|\$")
_LATER_NUMBER = re.compile(r"[+~]?[0-9]+|\$")
_SIMPLE_END = re.compile(r"[ \t]*(?=[;\n}#]|\Z)")
_EXIT_CODE = re.compile(r"[ \t]*[0-9]*[ \t]*(?=[;\n}#]|\Z)")
_LABEL = re.compile(r"[ \t]*[A-Za-z0-9_]*[ \t]*(?=[;\n}]|\Z)")
_TEXT = re.compile(r"(?:\\.|[^\\\n])*(?:\n|\Z|\\\Z)", re.DOTALL)
_FLAGS = re.compile(r"[gpiImM0-9]*")
_BRACKET = re.compile(r"\[\^?\]?(?:\[[:.=][^\]]*[:.=]\]|[^\]])*\]")

#: What ends a command that does nothing but print, or change what is printed.
_ENDINGS = dict.fromkeys("=dDgGhHnNpPxzF", _SIMPLE_END) | dict.fromkeys("qQlL", _EXIT_CODE)
_ENDINGS |= dict.fromkeys(":btT", _LABEL) | dict.fromkeys("aic", _TEXT)
_VERDICTS = {"e": SedScript.RUNS, "w": SedScript.WRITES, "W": SedScript.WRITES}
_VERDICTS |= {"r": SedScript.READS, "R": SedScript.READS}


def read_sed_script(script: str) -> SedScript:
    """Return the worst that a script does; what cannot be read is unclear."""
    return _Reader(script).read()


class _Reader:
    """Reads one script from left to right, as GNU sed does."""

    __slots__ = ("depth", "position", "script")

    def __init__(self, script: str) -> None:
        self.script = script
        self.position = 0
        self.depth = 0

    def read(self) -> SedScript:
        length = len(self.script)
        while True:
            self._match(_BETWEEN)
            if self.position >= length:
                return SedScript.UNCLEAR if self.depth else SedScript.PRINTS
            verdict = self._command()
            if verdict is not SedScript.PRINTS:
                return verdict

    def _match(self, pattern: re.Pattern[str]) -> bool:
        found = pattern.match(self.script, self.position)
        if found is None:
            return False
        self.position = found.end()
        return True

    def _next(self) -> str:
        character = self.script[self.position : self.position + 1]
        self.position += 1
        return character

    def _command(self) -> SedScript:
        if not self._addresses():
            return SedScript.UNCLEAR
        name = self._next()
        if name in ("{", "}"):
            return self._brace(name)
        if name in ("s", "y"):
            return self._substitute(name)
        ending = _ENDINGS.get(name)
        if ending is None:
            return _VERDICTS.get(name, SedScript.UNCLEAR)
        return SedScript.PRINTS if self._match(ending) else SedScript.UNCLEAR

    def _brace(self, name: str) -> SedScript:
        self.depth += 1 if name == "{" else -1
        is_read = name == "{" or (self.depth >= 0 and self._match(_SIMPLE_END))
        return SedScript.PRINTS if is_read else SedScript.UNCLEAR

    def _addresses(self) -> bool:
        """Read up to two addresses and `!`; return whether they are understood."""
        if not self._address(_NUMBER):
            return False
        self._match(_BLANKS)
        if self.script.startswith(",", self.position):
            self.position += 1
            self._match(_BLANKS)
            start = self.position
            if not self._address(_LATER_NUMBER) or self.position == start:
                return False
        self._match(_NEGATION)
        return True

    def _address(self, numbers: re.Pattern[str]) -> bool:
        """Read an address if there is one."""
        if self._match(numbers):
            return True
        delimiter = self.script[self.position : self.position + 1]
        if delimiter == "\\":
            self.position += 1
            delimiter = self.script[self.position : self.position + 1]
        if delimiter != "/" and self.script[self.position - 1 : self.position] != "\\":
            return True
        if delimiter in ("", "\n", "\\"):
            return False
        self.position += 1
        if not self._delimited(delimiter, is_regex=True):
            return False
        self._match(_ADDRESS_FLAGS)
        return True

    def _delimited(self, delimiter: str, *, is_regex: bool) -> bool:
        """Read up to and including the next delimiter that is not escaped."""
        script, start = self.script, self.position
        while self.position < len(script):
            character = script[self.position]
            if character == "\\":
                self.position += 2
            elif character == delimiter:
                text = script[start : self.position]
                self.position += 1
                return not is_regex or _has_whole_brackets(text)
            elif character == "\n":
                return False
            else:
                self.position += 1
        return False

    def _substitute(self, name: str) -> SedScript:
        delimiter = self._next()
        if delimiter in ("", "\n", "\\"):
            return SedScript.UNCLEAR
        if not self._delimited(delimiter, is_regex=True):
            return SedScript.UNCLEAR
        if not self._delimited(delimiter, is_regex=False):
            return SedScript.UNCLEAR
        if name == "s":
            self._match(_FLAGS)
            flag = self.script[self.position : self.position + 1]
            if flag in ("e", "w"):
                return _VERDICTS[flag]
        return SedScript.PRINTS if self._match(_SIMPLE_END) else SedScript.UNCLEAR


def _has_whole_brackets(regex: str) -> bool:
    """Return whether each `[` is closed, so that no two readings of the delimiter exist."""
    position = 0
    while position < len(regex):
        if regex[position] == "\\":
            position += 2
        elif regex[position] == "[":
            found = _BRACKET.match(regex, position)
            if found is None:
                return False
            position = found.end()
        else:
            position += 1
    return True
