"""Command lines at random: from a grammar, and damaged."""

from itertools import count
from random import Random

PROGRAMS = ("alpha", "beta", "gamma", "delta")
_LETTERS = "abc '\"\\$*~{},;|&#!()<>=[]é\t\n`?"
_TOKENS = (
    *PROGRAMS,
    *(" ", " ", " ", "'", '"', "\\", "$", "(", ")", "`", "{", "}", ";", "|", "&", "&&", "||", "\n"),
    *("#", "=", "*", "~", "[", "]", "!", "<", ">", ">>", "2>&1", "<<E", "<<'E'", "<<-E", "\nE\n"),
    *(
        "x",
        "-a",
        "$x",
        "${x}",
        "$(",
        "$((",
        "))",
        "<(",
        ">(",
        "x=",
        "x=alpha",
        "if ",
        "then ",
        "fi",
    ),
    *("else ", "; do ", "done", "for x in ", "while ", "case x in ", "esac", "x) ", ";;", "[[ "),
    *(" ]]", "((", "time ", "! ", "coproc ", "echo ", "eval ", "command ", "true", "false"),
    *(
        "cd sub",
        "\t",
        "\\\n",
        "$'",
        '$"',
        "a,b",
        "{alpha,beta}",
        "..",
        "é",
        "bash -c ",
        "<<<",
        "|&",
    ),
    *("&>", "exec ", "builtin ", "in ", "do ", "$@", "$IFS", "${x:-", "alpha x"),
    *("beta y", "'a b'", '"$(alpha)"', "`beta`", "-eq", "-v"),
)
#: How the names of functions begin; no program or word does.
_FUNCTION = "fun_"
_BODIES = ("text", "$x", "$(alpha q)", "`beta`", "'", '"', "\\", "a \\$x")
_PREFIXES = ("", "", "", "x=1 ", "y='a b' ", "command ", "! ", "time ")
_REDIRECTIONS = ("", "", "", "", " >out", " 2>&1", " <f1", " >>o 2>/dev/null", " &>q", " <<< 'a b'")


def quoted(text: str, random: object) -> str:
    """Return a text as a word, each stretch of it quoted in some way."""
    assert isinstance(random, Random)
    if not text:
        return random.choice(["''", '""', "$''"])
    written, start = "", 0
    while start < len(text):
        end = start + random.randint(1, 3)
        written += _stretch(text[start:end], random)
        start = end
    return written


def _stretch(text: str, random: Random) -> str:
    style = random.choice(["single", "double", "backslash", "ansi"])
    if style == "single" and "'" not in text:
        return f"'{text}'"
    if style == "backslash" and "\n" not in text:
        return "".join(one if one.isalnum() else f"\\{one}" for one in text)
    if style == "ansi":
        escapes = {"\n": "\\n", "\t": "\\t", "'": "\\'", "\\": "\\\\"}
        return "$'" + "".join(escapes.get(one, one) for one in text) + "'"
    return '"' + "".join(f"\\{one}" if one in '"\\$`' else one for one in text) + '"'


class Writer:
    """Writes command lines that bash understands."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._names = count()

    def line(self, depth: int = 0) -> str:
        """Return a command line, with others nested in it."""
        if depth >= 3 or self._random.random() < 0.4:
            return self._simple(depth)
        shapes = (
            *(self._joined, self._joined, self._grouped, self._condition, self._loop, self._case),
            *(self._here_document, self._comment, self._carried, self._function),
        )
        return self._random.choice(shapes)(depth + 1)

    def damaged(self) -> str:
        """Return a command line with pieces put in, taken out or doubled.

        One with a function in it stays as it is: damaged, the function might call itself.
        """
        text, random = self.line(), self._random
        if _FUNCTION in text:
            return text
        for _ in range(random.randint(1, 3)):
            at = random.randint(0, len(text))
            kind = random.random()
            if kind < 0.4:
                text = text[:at] + random.choice(_TOKENS) + text[at:]
            elif kind < 0.7:
                text = text[:at] + text[at + random.randint(1, 3) :]
            else:
                other = random.randint(0, len(text))
                text = text[:at] + text[other : other + random.randint(1, 8)] + text[at:]
        return text

    def noise(self) -> str:
        """Return pieces in no order, none of which makes a function."""
        return "".join(self._random.choices(_TOKENS, k=self._random.randint(1, 14)))

    def _word(self) -> str:
        random = self._random
        if random.random() < 0.4:
            return random.choice(["x", "-a", "f1", "sub", "a.b", "--opt=v", "1", "~", "~/a"])
        return quoted("".join(random.choices(_LETTERS, k=random.randint(0, 6))), random)

    def _simple(self, depth: int) -> str:
        random = self._random
        program = random.choice(PROGRAMS)
        if depth < 3 and random.random() < 0.25:
            return f"{program} {self._substitution(self.line(depth + 1))}"
        words = "".join(f" {self._word()}" for _ in range(random.randint(0, 3)))
        return random.choice(_PREFIXES) + program + words + random.choice(_REDIRECTIONS)

    def _substitution(self, inner: str) -> str:
        escaped = inner.replace("\\", "\\\\").replace("`", "\\`").replace("$", "\\$")
        forms = (f"$({inner}\n)", f'"a$({inner}\n)b"', f"<({inner}\n)", f"`{escaped}`")
        return self._random.choice(forms)

    def _joined(self, depth: int) -> str:
        joint = self._random.choice([" && ", " || ", " ; ", " | ", "\n", " |& ", " & "])
        return self.line(depth) + joint + self.line(depth)

    def _grouped(self, depth: int) -> str:
        inner = self.line(depth)
        return self._random.choice([f"( {inner}\n)", f"{{ {inner}\n}}"])

    def _condition(self, depth: int) -> str:
        ending = self._random.choice(["\nfi", f"\nelse {self.line(depth)}\nfi"])
        return f"if {self.line(depth)}\nthen {self.line(depth)}{ending}"

    def _loop(self, depth: int) -> str:
        head = self._random.choice([f"for v in {self._word()} {self._word()}", "while false"])
        return f"{head}; do {self.line(depth)}\ndone"

    def _case(self, depth: int) -> str:
        return f"case {self._word()} in a|b) {self.line(depth)}\n;; *) {self.line(depth)}\n;; esac"

    def _here_document(self, depth: int) -> str:
        random = self._random
        delimiter = random.choice(["E", "'E'", "\\E", "-E"])
        rest = random.choice(
            ["", f" | {random.choice(PROGRAMS)} x", f" && {random.choice(PROGRAMS)}"]
        )
        body = random.choice(_BODIES)
        return f"{random.choice(PROGRAMS)} <<{delimiter}{rest}\nsome {body}\nE\n{self.line(depth)}"

    def _comment(self, depth: int) -> str:
        return self._random.choice(["# c'omm\"ent\n{}", "{} # x'y"]).format(self.line(depth))

    def _carried(self, depth: int) -> str:
        return self._random.choice(["eval ", "bash -c "]) + quoted(self.line(depth), self._random)

    def _function(self, depth: int) -> str:
        """Return a function that is called once. No other has its name, so none calls itself."""
        name = f"{_FUNCTION}{next(self._names)}"
        return f"{name}() {{ {self.line(depth)}\n}}; {name} x"
