"""What an awk program may do beside printing: write files, read others, run commands."""

import re
from enum import Enum

from gantlet.shell.options import Grammar

AWK_OPTIONS = Grammar("-F,--field-separator= -v,--assign=")


class AwkProblem(Enum):
    """The first thing found that a program does beside printing."""

    NONE = "only prints"
    READS = "reads other files or the environment"
    WRITES = "writes files"
    RUNS = "runs commands"
    UNCLEAR = "is not understood"


_TOKEN = re.compile(
    r"(?P<blank>[ \t\r]+|\\\n)|(?P<line>\n)|(?P<comment>\#[^\n]*)"
    r'|(?P<string>"(?:[^"\\\n]|\\[^\n])*")'
    r"|(?P<number>[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|\.[0-9]+)"
    r"|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<operator>>>|\|\||\|&|&&|\+\+|--|[-+*/%^!=<>]=|[-+*%^!=<>~?:,;$&|(){}\[\]/@])",
)
_REGEX = re.compile(r"/((?:[^/\\\n]|\\[^\n])*)/")
_KEYWORDS = frozenset(
    {
        *("print", "printf", "if", "else", "while", "for", "do", "return", "in", "delete", "exit"),
        *("next", "function", "func", "BEGIN", "END", "BEGINFILE", "ENDFILE", "switch", "case"),
    }
)
_NAMES = {
    "system": AwkProblem.RUNS,
    "getline": AwkProblem.READS,
    "ENVIRON": AwkProblem.READS,
    "ARGV": AwkProblem.READS,
    "ARGC": AwkProblem.READS,
    "SYMTAB": AwkProblem.UNCLEAR,
    "FUNCTAB": AwkProblem.UNCLEAR,
    "PROCINFO": AwkProblem.UNCLEAR,
}
_OPERATORS = {">>": AwkProblem.WRITES, "|": AwkProblem.RUNS, "|&": AwkProblem.RUNS}
_OPERATORS |= {"@": AwkProblem.UNCLEAR, "&": AwkProblem.UNCLEAR}


def awk_problem(program: str) -> AwkProblem:
    """Return what a program does beside printing to its output."""
    return _Reader(program).read()


class _Reader:
    """Reads a program token by token; tells division from regular expressions."""

    __slots__ = ("braces", "last", "parentheses", "position", "program")

    def __init__(self, program: str) -> None:
        self.program = program
        self.position = 0
        self.braces = 0
        self.parentheses = 0
        self.last = ""  # the last token, or "operand"

    def read(self) -> AwkProblem:
        length = len(self.program)
        while self.position < length:
            found = _TOKEN.match(self.program, self.position)
            if found is None:
                return AwkProblem.UNCLEAR
            problem = self._token(found)
            if problem is not AwkProblem.NONE:
                return problem
        is_closed = self.braces == 0 and self.parentheses == 0
        return AwkProblem.NONE if is_closed else AwkProblem.UNCLEAR

    def _token(self, found: re.Match[str]) -> AwkProblem:
        kind, text = found.lastgroup, found.group()
        if kind == "operator":
            return self._operator(text)
        self.position = found.end()
        if kind == "name":
            problem = _NAMES.get(text)
            if problem is not None:
                return problem
            self.last = text if text in _KEYWORDS or text == "length" else "operand"
        elif kind in ("string", "number"):
            self.last = "operand"
        elif kind == "line":
            self.last = "\n"
        return AwkProblem.NONE

    def _operator(self, text: str) -> AwkProblem:
        if text in ("/", "/="):
            return self._slash()
        self.position += len(text)
        if text in _OPERATORS:
            return _OPERATORS[text]
        if text == ">" and self.braces and not self.parentheses:
            return AwkProblem.WRITES
        if text in "{}()":
            self._nest(text)
        self.last = "operand" if text in (")", "]") else text
        return AwkProblem.NONE

    def _nest(self, text: str) -> None:
        if text in "()":
            self.parentheses += 1 if text == "(" else -1
        else:
            self.braces += 1 if text == "{" else -1

    def _slash(self) -> AwkProblem:
        """Read a division or a regular expression; where both are possible, be unclear."""
        if self.last in ("length", "++", "--"):
            return AwkProblem.UNCLEAR
        line = self.program.find("\n", self.position)
        rest = self.program[self.position + 1 : line if line >= 0 else len(self.program)]
        if self.last == "operand":
            divided, slash, _ = rest.partition("/")
            if slash and re.search(r"[\"#]", divided):
                return AwkProblem.UNCLEAR
            self.position += 1
            self.last = "/"
            return AwkProblem.NONE
        found = _REGEX.match(self.program, self.position)
        if found is None or found.group(1).count("[") > found.group(1).count("]"):
            return AwkProblem.UNCLEAR
        self.position = found.end()
        self.last = "operand"
        return AwkProblem.NONE
