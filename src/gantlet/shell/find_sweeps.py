"""What is changed by `find`, `fd` and `xargs`, which run a program for files they find."""

from collections.abc import Sequence
from itertools import pairwise

from gantlet.messages.value import replace
from gantlet.shell.analysis import ReadOnly, SimpleCommand, Word
from gantlet.shell.judging import classify
from gantlet.shell.mentions import RECURSIVE, known_text
from gantlet.shell.stripping import inner_of
from gantlet.shell.sweep import Omission, Reach, Sweep

_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"})
_ENDS = frozenset({";", "+"})
_NAMES = frozenset({"-name", "-iname"})
_PATHS = frozenset({"-path", "-wholename"})
_NEGATIONS = frozenset({"!", "-not"})
_ALTERNATIVES = frozenset({"-o", "-or", ","})
#: Programs that leave alone what lies in a directory they are given, unless they are told.
_STAY_ABOVE = frozenset(
    {
        "chgrp", "chmod", "chown", "dos2unix", "gzip", "perl", "rm", "sed", "shred", "tee", "touch",
        "truncate", "unlink",
    }
)  # fmt: skip
#: Those among them that change a directory itself.
_CHANGE_FOLDERS = frozenset({"chgrp", "chmod", "chown", "touch"})
#: With one of these `fd` shows hidden files too.
_SHOW_HIDDEN = ("-H", "--hidden", "-u", "--unrestricted")
_FOUND = Word("./found", is_literal=True, raw="./found")


def find_sweeps(command: SimpleCommand) -> tuple[Sweep, ...]:
    """Return what `find` has changed of all that it finds."""
    words = command.argv[1:]
    deletes = any(word.text == "-delete" for word in words)
    changing = _changing(words)
    if not changing and not deletes:
        return ()
    start = _expression(words)
    texts = [word.text for word in words[start:]]
    choices = _choices(texts)
    is_single = len(choices) == 1
    sweep = Sweep(
        named=_named(choices),
        omits=(
            *(_negated(texts) if is_single else ()),
            *(() if deletes or "-depth" in texts else _pruned(choices)),
        ),
        only_files=(is_single and ("-type", "f") in _positive(texts))
        or (not deletes and not any(map(_changes_folders, changing))),
        max_depth=_depth(texts),
        goes_below=any(map(_goes_below, changing)),
    )
    roots = [word for word in words[:start] if not word.text.startswith("-")]
    return _at([known_text(word) for word in roots] or ["."], sweep)


def fd_sweeps(command: SimpleCommand) -> tuple[Sweep, ...]:
    """Return what `fd` has changed of all that it finds, where that may be hidden."""
    words = command.argv[1:]
    shows_hidden = any(word.text.startswith(_SHOW_HIDDEN) for word in words)
    return (Sweep(),) if shows_hidden and _changing(words) else ()


def xargs_sweeps(command: SimpleCommand) -> tuple[Sweep, ...]:
    """Return what `xargs` has changed of all that it is fed."""
    inner = inner_of(command, fed=_FOUND)
    if command.stdin_paths is None or inner is None or _only_reads(inner):
        return ()
    return tuple(
        Sweep(
            use.path,
            Reach.KEPT if use.tracked else Reach.ALL,
            place=".",
            written=use.path,
            named=use.named,
            only_files=not _changes_folders(inner),
            goes_below=_goes_below(inner),
        )
        for use in command.stdin_paths
        if not use.by_content
    )


def _at(roots: Sequence[str], sweep: Sweep) -> tuple[Sweep, ...]:
    """Return the same for each root that is written out."""
    known = [root for root in roots if "$" not in root and "`" not in root]
    return tuple(replace(sweep, root=root, written=root) for root in known)


def _expression(words: Sequence[Word]) -> int:
    """Return where the tests of `find` begin."""
    for index, word in enumerate(words):
        if word.text in ("(", "!") or (
            word.text.startswith("-") and word.text not in ("-H", "-L", "-P")
        ):
            return index
    return len(words)


def _changing(words: Sequence[Word]) -> list[SimpleCommand]:
    """Return what is run for each file and may change it."""
    found: list[SimpleCommand] = []
    for index, word in enumerate(words):
        option, _, attached = word.text.partition("=")
        if option not in _RUNS:
            continue
        run = [Word(attached, is_literal=True, raw=attached)] if attached else []
        for later in words[index + 1 :]:
            if later.text in _ENDS:
                break
            run.append(_FOUND if "{" in later.text else later)
        found.append(SimpleCommand(tuple(run)))
    return [command for command in found if not _only_reads(command)]


def _only_reads(command: SimpleCommand) -> bool:
    """Return whether a program is known to change nothing."""
    return isinstance(classify(replace(command, cwd=".")), ReadOnly)


def _goes_below(command: SimpleCommand) -> bool:
    """Return whether a program may change what lies in a directory it is given."""
    is_told = any(RECURSIVE.match(word.text) for word in command.argv[1:])
    return is_told or command.program not in _STAY_ABOVE


def _changes_folders(command: SimpleCommand) -> bool:
    """Return whether a program may change a directory it is given, or what lies in it."""
    return command.program in _CHANGE_FOLDERS or _goes_below(command)


def _choices(texts: Sequence[str]) -> list[list[str]]:
    """Return the tests of which one must hold, as far as that can be read without brackets."""
    choices: list[list[str]] = [[]]
    for text in texts:
        if text in _ALTERNATIVES:
            choices.append([])
        else:
            choices[-1].append(text)
    return choices


def _positive(texts: Sequence[str]) -> list[tuple[str, str]]:
    """Return the tests with their values that are not negated; none where a bracket is."""
    if any(pair[0] in _NEGATIONS and pair[1] == "(" for pair in pairwise(texts)):
        return []
    before = ["", *texts]
    return [
        (test, given)
        for at, (test, given) in enumerate(pairwise(texts))
        if before[at] not in _NEGATIONS
    ]


def _named(choices: Sequence[Sequence[str]]) -> str:
    """Return patterns of which every name fits one, or nothing where there are none."""
    patterns: list[str] = []
    for choice in choices:
        found = [given for test, given in _positive(choice) if test in _NAMES]
        if not found:
            return ""
        patterns.append(found[0])
    return "\0".join(patterns)


def _negated(texts: Sequence[str]) -> list[Omission]:
    """Return what tests leave out that must not hold."""
    return [
        Omission(given, by_name=test == "-name")
        for sign, test, given in zip(texts, texts[1:], texts[2:], strict=False)
        if sign in _NEGATIONS and (test in _PATHS or test == "-name")
    ]


def _pruned(choices: Sequence[Sequence[str]]) -> list[Omission]:
    """Return the directories that are not entered, where nothing else decides about that."""
    return [
        Omission(choice[1], by_name=choice[0] == "-name", with_below=True)
        for choice in choices
        if len(choice) == 3 and choice[2] == "-prune" and choice[0] in (_PATHS | {"-name"})
    ]


def _depth(texts: Sequence[str]) -> int:
    """Return how far below its roots `find` looks, or a negative number."""
    depths = [given for test, given in pairwise(texts) if test == "-maxdepth"]
    return int(depths[0]) if len(depths) == 1 and depths[0].isdecimal() else -1
