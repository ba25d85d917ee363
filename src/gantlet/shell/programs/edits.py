"""Commands that change the files they name, and nothing else."""

import re
from collections.abc import Callable, Sequence

from gantlet.shell.analysis import NotKnown, PathUse, Word, Writes
from gantlet.shell.options import Parsed, grammar_of, parse_arguments
from gantlet.shell.programs.scripts import sed_files, sed_problem
from gantlet.shell.programs.sed_script import SED_OPTIONS
from gantlet.shell.programs.spec import paths

_RM = (
    "-f,--force -i -I --interactive[=] --one-file-system --preserve-root[=] -r,-R,--recursive "
    "-d,--dir -v,--verbose -P -x"
)
_MV = (
    "-f,--force -i,--interactive -n,--no-clobber -u,--update[=] -v,--verbose "
    "-t,--target-directory= -T,--no-target-directory"
)
_CP = (
    "-a,--archive -d -f,--force -i,--interactive -H -L,--dereference -n,--no-clobber "
    "-P,--no-dereference -p --preserve[=] --no-preserve= -r,-R,--recursive -t,--target-directory= "
    "-T,--no-target-directory -u,--update[=] -v,--verbose -x,--one-file-system --reflink[=] "
    "--sparse= --parents --strip-trailing-slashes"
)
_SUFFIX = re.compile(r"[A-Za-z0-9_.~-]+")


def _parse(name: str, options: str, words: Sequence[Word]) -> Parsed | NotKnown:
    """Read the words of an edit; each must be written out."""
    parsed = parse_arguments(words, grammar_of(options))
    values = [value for _, value in parsed.found if value]
    if parsed.problem:
        return NotKnown(f"{name}: {parsed.problem}.")
    if not parsed.operands:
        return NotKnown(f"{name}: it has no operand.")
    if parsed.is_unsure or any(_is_dynamic(word) for word in (*parsed.operands, *values)):
        return NotKnown(f"{name}: a word is not written out, or may become an option.")
    return parsed


def _is_dynamic(word: Word) -> bool:
    return not word.is_literal and (not word.has_glob or word.can_split)


def _judge_listed(name: str, options: str, trees: tuple[str, ...] = ()) -> "Judge":
    """Return a judge of commands that write what they name."""

    def judge(words: Sequence[Word]) -> Writes | NotKnown:
        parsed = _parse(name, options, words)
        if isinstance(parsed, NotKnown):
            return parsed
        writes = paths(parsed.operands, is_tree=parsed.has(*trees))
        reads = paths(parsed.values("-r")) if name == "touch" else []
        return Writes(name, tuple(reads), tuple(writes), is_edit=True)

    return judge


def _judge_moved(name: str, options: str) -> "Judge":
    """Return a judge of `mv` and `cp`: sources, then a target."""

    def judge(words: Sequence[Word]) -> Writes | NotKnown:
        parsed = _parse(name, options, words)
        if isinstance(parsed, NotKnown):
            return parsed
        targets = parsed.values("-t")
        sources = list(parsed.operands)
        if not targets:
            if len(sources) < 2:
                return NotKnown(f"{name}: it has no target.")
            targets = [sources.pop()]
        is_tree = name == "mv" or parsed.has("-r", "-a")
        moved = paths(sources, is_tree=is_tree)
        written = [
            *paths(targets, is_tree=is_tree),
            *_inside(targets[-1], sources, is_tree=is_tree),
        ]
        if name == "mv":
            return Writes(name, (), (*moved, *written), is_edit=True)
        return Writes(name, tuple(moved), tuple(written), is_edit=True)

    return judge


def _inside(target: Word, sources: Sequence[Word], *, is_tree: bool) -> list[PathUse]:
    """Return the paths that are written if the target is a directory."""
    base = target.text.rstrip("/") or "/"
    return [
        PathUse(f"{base}/{name}", is_tree, source.has_glob or target.has_glob)
        for source in sources
        if (name := source.text.rstrip("/").rpartition("/")[2]) not in ("", ".", "..")
    ]


def _judge_sed(words: Sequence[Word]) -> Writes | NotKnown:
    """Accept `sed -i` with scripts that touch nothing but the text."""
    parsed = parse_arguments(words, SED_OPTIONS)
    problem = parsed.problem or sed_problem(parsed)
    files = [] if problem else sed_files(parsed)
    suffixes = [value.text for value in parsed.values("-i")]
    if not problem and not files:
        problem = "it has no file"
    if not problem and any(not _SUFFIX.fullmatch(suffix) for suffix in suffixes):
        problem = "the name of the copy is not plain"
    if problem:
        return NotKnown(f"sed -i: {problem}.")
    uses = paths(files)
    copies = [PathUse(f"{use.path}{suffix}") for use in uses for suffix in suffixes]
    return Writes("sed -i", tuple(uses), (*uses, *copies), is_edit=True)


def _judge_tee(words: Sequence[Word]) -> Writes | NotKnown:
    parsed = _parse("tee", "-a,--append -i,--ignore-interrupts -p --output-error[=]", words)
    if isinstance(parsed, NotKnown):
        return parsed
    return Writes("tee", (), tuple(paths(parsed.operands)), is_edit=False)


Judge = Callable[[Sequence[Word]], Writes | NotKnown]

EDITS: dict[str, Judge] = {
    "mkdir": _judge_listed("mkdir", "-m,--mode= -p,--parents -v,--verbose"),
    "touch": _judge_listed(
        "touch",
        "-a -c,--no-create -d,--date= -f -h,--no-dereference -m -r,--reference= -t= --time=",
    ),
    "rm": _judge_listed("rm", _RM, trees=("-r",)),
    "rmdir": _judge_listed("rmdir", "--ignore-fail-on-non-empty -p,--parents -v,--verbose"),
    "mv": _judge_moved("mv", _MV),
    "cp": _judge_moved("cp", _CP),
    "sed": _judge_sed,
    "tee": _judge_tee,
}
