"""Programs that read a small language: sed, awk, jq, yq."""

import re
from collections.abc import Sequence

from gantlet.shell.analysis import NotKnown, PathUse, ReadOnly, Word
from gantlet.shell.options import Grammar, Parsed, parse_arguments
from gantlet.shell.programs.awk_program import AWK_OPTIONS, AwkProblem, awk_problem
from gantlet.shell.programs.sed_script import SED_OPTIONS, SedScript, read_sed_script
from gantlet.shell.programs.spec import Program, paths

_JQ_OPTIONS = Grammar(
    "-r,--raw-output --raw-output0 -c,--compact-output -C,--color-output -M,--monochrome-output "
    "-S,--sort-keys -e,--exit-status -j,--join-output -a,--ascii-output -s,--slurp -R,--raw-input "
    "-n,--null-input --tab --indent= --seq --stream --unbuffered -h,--help -V,--version"
)
_YQ_OPTIONS = Grammar(
    "-r,--raw-output -c -C,--colors -M,--no-colors -e,--exit-status -j,--tojson -N,--no-doc "
    "-P,--prettyPrint -o,--output-format= -p,--input-format= -I,--indent= -h,--help -V,--version"
)
_JQ_REACHES_OUT = re.compile(
    r"\bENV\b|(?<![.\w$\"])env\b|\b(?:import|include|modulemeta|debug|stderr)\b"
)
_YQ_REACHES_OUT = re.compile(r"env|load|eval|system|file|input", re.IGNORECASE)
_AWK_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")


def judge_sed(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `sed` with scripts that only print."""
    parsed = parse_arguments(words, SED_OPTIONS)
    problem = parsed.problem or sed_problem(parsed)
    if not problem and parsed.has("-i"):
        problem = "-i changes files"
    if problem:
        return NotKnown(f"sed: {problem}.")
    return ReadOnly("sed", tuple(paths(sed_files(parsed))))


def sed_problem(parsed: Parsed) -> str:
    """Return why the scripts and files of `sed` cannot be followed, or nothing."""
    if parsed.has("-f"):
        return "the script is in a file"
    words = [*parsed.values("-e"), *parsed.operands]
    if parsed.is_unsure or any(not word.is_literal and not word.is_process for word in words):
        return "a word is a glob or not written out"
    scripts = parsed.values("-e") or parsed.operands[:1]
    if not scripts:
        return "there is no script"
    for script in scripts:
        verdict = read_sed_script(script.text)
        if verdict is not SedScript.PRINTS or not script.is_literal:
            return f"the script {verdict.value}"
    return ""


def sed_files(parsed: Parsed) -> list[Word]:
    """Return the files that `sed` goes through."""
    return parsed.operands if parsed.has("-e") else parsed.operands[1:]


def judge_awk(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `awk` with programs that only print."""
    parsed = parse_arguments(words, AWK_OPTIONS, permutes=False)
    if parsed.problem or not parsed.operands:
        return NotKnown(f"awk: {parsed.problem or 'there is no program'}.")
    program, *files = parsed.operands
    settings = [value for _, value in parsed.found if value]
    if not program.is_literal or any(word.can_split for word in (*files, *settings)):
        return NotKnown("awk: the program is not written out.")
    problem = awk_problem(program.text)
    if problem is not AwkProblem.NONE:
        return NotKnown(f"awk: the program {problem.value}.")
    named = [word for word in files if not _AWK_ASSIGNMENT.match(word.text)]
    if any(not (word.is_literal or word.has_glob or word.is_process) for word in named):
        return NotKnown("awk: a file is not written out.")
    return ReadOnly("awk", tuple(paths(named)))


def judge_jq(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `jq` with filters that see nothing but their input."""
    kept = _without_arguments(words)
    return _judge_filter("jq", kept, _JQ_OPTIONS, _JQ_REACHES_OUT, is_tame=True)


def judge_yq(words: Sequence[Word]) -> ReadOnly | NotKnown:
    """Accept `yq` with expressions that see nothing but their input."""
    kept = list(words)
    if kept and kept[0].text in ("e", "eval") and len(kept) > 1:
        kept.pop(0)
    return _judge_filter("yq", kept, _YQ_OPTIONS, _YQ_REACHES_OUT, is_tame=False)


def _without_arguments(words: Sequence[Word]) -> list[Word]:
    """Return the words without `--arg name value`."""
    kept: list[Word] = []
    index = 0
    while index < len(words):
        word = words[index]
        if word.text in ("--arg", "--argjson") and not any(
            value.can_split or value.has_glob for value in words[index + 1 : index + 3]
        ):
            index += 3
            continue
        kept.append(word)
        index += 1
    return kept


def _judge_filter(
    name: str,
    words: Sequence[Word],
    grammar: Grammar,
    reaches_out: re.Pattern[str],
    *,
    is_tame: bool,
) -> ReadOnly | NotKnown:
    parsed = parse_arguments(words, grammar)
    if parsed.problem:
        return NotKnown(f"{name}: {parsed.problem}.")
    if not parsed.operands:
        return ReadOnly(name, ())
    program, *files = parsed.operands
    if not program.is_literal or reaches_out.search(program.text):
        return NotKnown(f"{name}: the filter may see more than its input.")
    if any(not (word.is_literal or word.has_glob or word.is_process) for word in files):
        return NotKnown(f"{name}: a file is not written out.")
    if parsed.is_unsure and not is_tame:
        return NotKnown(f"{name}: a word may turn out to be an option.")
    uses: list[PathUse] = paths(files)
    return ReadOnly(name, tuple(uses))


SCRIPT_PROGRAMS = (
    Program(
        "sed",
        judge=judge_sed,
        refused="`w`, `r`, `e` and their like in scripts, `-f`, any glob; `-i` is an edit",
    ),
    *(
        Program(
            name,
            judge=judge_awk,
            refused="`system`, pipes, redirections, `getline`, `ENVIRON`, `-f` and other options",
        )
        for name in ("awk", "gawk", "mawk")
    ),
    Program("jq", judge=judge_jq, refused="`env`, modules, `-f`, `--slurpfile`, `--rawfile`"),
    Program("yq", judge=judge_yq, refused="`-i`, `-s`, `env`, `load` and their like"),
)
