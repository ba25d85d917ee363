"""Programs and builtins whose words follow no option grammar."""

import re
from collections.abc import Sequence

from gantlet.shell.analysis import NotKnown, PathUse, ReadOnly, Word
from gantlet.shell.options import Grammar, Parsed, parse_arguments
from gantlet.shell.programs.spec import Operands, Program, path_of, paths

_ASSIGNING_FORMAT = re.compile(r"%[-+ #0']*+[1-9.*]?[0-9.*]*+[hlLjzt]*+n")
_UNARY = re.compile(r"-[abcdefghkprstuwxzGLNOSn]")
_BINARY = frozenset(
    {"=", "==", "!=", "<", ">", "-eq", "-ne", "-lt", "-le", "-gt", "-ge", "-nt", "-ot", "-ef"}
)
_PS_LETTERS = re.compile(r"[auxfwlrjSTgchm]+")
_PS_COLUMNS = re.compile(r"[A-Za-z0-9_%,=: +.-]+")
_PS = Grammar(
    "-e -f -A -a -d -N -F -l -L -H -j -w -y -M -c -x -r -T -h -m -V --forest --no-headers "
    "--headers --deselect --cumulative --version -p,--pid= -u,--user= -U,--User= -C= "
    "-o,--format= -O= -g,--group= -G,--Group= -s,--sid= -t,--tty= -q,--quick-pid= -k,--sort= "
    "--ppid= --cols= --rows= --columns="
)
_TAR_LIST = re.compile(r"-?[tvzjJa]*t[tvzjJa]*f?")
_TAR_LETTERS = re.compile(r"-?[tvzjJa]*f")


def judge_anything(name: str) -> Program:
    """Return the entry of a builtin that does no harm whatever its words are."""
    return Program(name, judge=lambda words: ReadOnly(name, ()))


def judge_printf(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `printf` that prints: `-v` and `%n` assign."""
    rest = list(words)
    if rest and rest[0].text == "--" and rest[0].is_literal:
        rest.pop(0)
    elif rest and rest[0].text.startswith("-"):
        return NotKnown("printf: an option may assign a variable.")
    if not rest:
        return ReadOnly("printf", ())
    if not rest[0].is_literal or _ASSIGNING_FORMAT.search(rest[0].text):
        return NotKnown("printf: the format is not written out, or assigns.")
    return ReadOnly("printf", ())


def judge_test(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `test` whose operators are written out and evaluate nothing."""
    operands = list(words)
    while operands and operands[0].text == "!" and operands[0].is_literal and len(operands) > 1:
        operands.pop(0)
    if any(word.can_split or (word.has_glob and not word.is_literal) for word in operands):
        return NotKnown("test: a word may become several.")
    literal = [word.is_literal for word in operands]
    texts = [word.text for word in operands]
    if any(text in ("-v", "-R") for text in texts):
        return NotKnown("test: an operator evaluates.")
    if any(text in ("-o", "-a") for text in texts):
        is_known = all(literal) and all(map(_is_plain_test, _joined_tests(texts)))
    elif len(texts) == 2:
        is_known = literal[0] and _is_plain_test(texts)
    else:
        is_known = len(texts) <= 1 or (len(texts) == 3 and literal[1] and _is_plain_test(texts))
    if is_known:
        return ReadOnly("test", ())
    return NotKnown("test: the expression is not understood.")


def _joined_tests(texts: Sequence[str]) -> list[list[str]]:
    """Return the tests that `-a` and `-o` join, each without the `!` in front."""
    tests: list[list[str]] = [[]]
    for text in texts:
        if text in ("-a", "-o"):
            tests.append([])
        elif text != "!" or tests[-1]:
            tests[-1].append(text)
    return tests


def _is_plain_test(texts: Sequence[str]) -> bool:
    """Return whether one test has an operator that evaluates nothing."""
    if len(texts) == 2:
        return _UNARY.fullmatch(texts[0]) is not None
    return len(texts) == 3 and texts[1] in _BINARY


def judge_bracket(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `[` like `test`, with its closing."""
    if not words or words[-1].text != "]" or not words[-1].is_literal:
        return NotKnown("[: it is not closed.")
    return judge_test(words[:-1])


def judge_cd(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept a change of directory to a place that is written out."""
    rest = [word for word in words if word.text not in ("-L", "-P", "-e", "-n", "--")]
    if len(rest) > 1:
        return NotKnown("cd: it has more than one operand.")
    if not rest:
        return ReadOnly("cd", (PathUse("~"),))
    target = rest[0]
    if not target.is_literal:
        return NotKnown("cd: the directory is not written out.")
    if target.text == "-" or target.text.startswith("+"):
        return ReadOnly("cd", ())
    if target.text.startswith("-"):
        return NotKnown("cd: the option is not known.")
    return ReadOnly("cd", (PathUse(path_of(target)),))


def judge_popd(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `popd` as it is."""
    return NotKnown("popd: it has an operand.") if words else ReadOnly("popd", ())


def judge_ps(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `ps` that does not show the environment of processes."""
    rest = list(words)
    if any(not word.is_literal for word in rest):
        return NotKnown("ps: a word is not written out.")
    if rest and rest[0].text == "-aux":
        rest.pop(0)
    elif rest and not rest[0].text.startswith("-") and not rest[0].text[:1].isdigit():
        letters = rest.pop(0).text
        columns = rest.pop(0).text if letters.endswith("o") and rest else ""
        is_known = _PS_LETTERS.fullmatch(letters.removesuffix("o") or "a")
        if not is_known or not _are_columns(columns):
            return NotKnown(f"ps: {letters!r} may show the environment.")
    parsed = parse_arguments(rest, _PS)
    columns = " ".join(value.text for _, value in parsed.found if value)
    if parsed.problem or not _are_columns(columns):
        return NotKnown(f"ps: {parsed.problem or 'the columns are not known'}.")
    if any(not re.fullmatch(r"[0-9, ]+", word.text) for word in parsed.operands):
        return NotKnown("ps: an operand may show the environment.")
    return ReadOnly("ps", ())


def _are_columns(text: str) -> bool:
    return not text or (_PS_COLUMNS.fullmatch(text) is not None and "env" not in text.lower())


def judge_tar(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `tar` that lists a local archive."""
    texts = [word.text for word in words]
    if any(not word.is_literal for word in words) or not texts:
        return NotKnown("tar: a word is not written out.")
    names = [word for word in words[1:] if word.text not in ("-v", "-z", "-f")]
    if texts[0] == "-t" and "-f" in texts[1:]:
        pass
    elif not _TAR_LIST.fullmatch(texts[0]) or not _TAR_LETTERS.fullmatch(texts[0]):
        return NotKnown("tar: it does more than to list.")
    if not names or any(word.text.startswith("-") for word in names) or ":" in names[0].text:
        return NotKnown("tar: an option, or an archive on another machine.")
    return ReadOnly("tar -t", tuple(paths(names[:1])))


def check_date(parsed: Parsed) -> list[PathUse] | str:
    """Accept at most a format; anything else sets the clock."""
    operands = parsed.operands
    is_format = all(word.text.startswith("+") and not word.can_split for word in operands)
    if len(operands) > 1 or not is_format:
        return "an operand sets the clock"
    return []


ODD_PROGRAMS = (
    *(
        judge_anything(name)
        for name in (
            "echo",
            "true",
            "false",
            ":",
            "expr",
            "exit",
            "break",
            "continue",
            "help",
            "[[",
            "((",
        )
    ),
    Program("printf", judge=judge_printf, refused="`-v` and `%n` assign variables"),
    Program(
        "test",
        judge=judge_test,
        refused="`-v` and `-R` evaluate; `-a` and `-o` must join what is written out",
    ),
    Program("[", judge=judge_bracket, refused="as `test`"),
    Program("cd", judge=judge_cd),
    Program("pushd", judge=judge_cd),
    Program("popd", judge=judge_popd),
    Program("ps", judge=judge_ps, refused="`e` and columns that show the environment"),
    Program("tar", judge=judge_tar, refused="all but to list an archive of this machine"),
    Program(
        "date",
        "-d,--date= -u,--utc,--universal -R,--rfc-email -I[=] --iso-8601[=] --rfc-3339= "
        "-r,--reference=path -f,--file=path --debug --help --version",
        Operands.TEXT,
        check=check_date,
        refused="`-s` and operands other than a format set the clock",
    ),
)
