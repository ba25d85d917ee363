"""Paths that travel through a pipe to `xargs`."""

from collections.abc import Sequence

from gantlet.messages.value import replace
from gantlet.shell.analysis import PathUse, ReadOnly, SimpleCommand
from gantlet.shell.judging import classify

_FILTERS = frozenset({"head", "tail", "sort", "uniq", "grep", "egrep", "fgrep", "tac", "cat"})
_NAMES = frozenset({"-l", "-L", "-rl", "-lr", "-ril", "-rli", "-lir", "-Rl", "-il", "-li"})
_NAMES |= {"--files-with-matches", "--files-without-match", "--files"}
_CHANGES_LINES = frozenset({"-o", "--only-matching", "-n", "-c", "--count", "-H", "-b", "-A", "-B"})


def with_stdin_paths(before: Sequence[SimpleCommand], command: SimpleCommand) -> SimpleCommand:
    """Return the command with what is known of the paths it is fed."""
    found: tuple[PathUse, ...] | None = None
    for index, earlier in enumerate(before):
        found = _named(earlier) if index == 0 else _filtered(earlier, found)
        if found is None:
            return command
    return replace(command, stdin_paths=found)


#: What makes a test of `find` hold for some files only, or for others.
_JOINED = frozenset({"-o", "-or", "-not", "!", ",", "(", ")"})
#: With one of these `git ls-files` prints what git does not keep.
_UNTRACKED = frozenset({"-o", "--others", "-i", "--ignored", "-k", "--killed", "-co", "-oc"})
_OTHERWISE = _JOINED - {"-not", "!"}
#: With one of these `find` looks at what links lead to.
_FOLLOWING = frozenset({"-L", "-follow", "-xtype"})


def _named(command: SimpleCommand) -> tuple[PathUse, ...] | None:
    """Return what the paths lie in that a command prints, if it prints nothing else."""
    words = command.argv[1:]
    judgement = classify(command)
    if not isinstance(judgement, ReadOnly) or not all(word.is_literal for word in words):
        return None
    texts = {word.text for word in words}
    name = command.program
    if name == "echo":
        return _spoken(command)
    if name == "find" and not texts & {"-printf", "-ls"}:
        texts_in_order = [word.text for word in words]
        pattern, follows = _pattern(texts_in_order), not _leaves_links_out(texts_in_order)
        trees = [use for use in judgement.reads if use.is_tree]
        return tuple(replace(use, named=pattern, follows=follows) for use in trees)
    if name in ("fd", "fdfind"):
        return tuple(replace(use, follows=True) for use in judgement.reads)
    if name in ("grep", "egrep", "fgrep", "rg") and texts & _NAMES:
        return (
            tuple(replace(use, by_content="--files" not in texts) for use in judgement.reads)
            or None
        )
    if _is_git_names(judgement.entry, texts):
        tracked = texts.isdisjoint(_UNTRACKED)
        return (PathUse(".", is_tree=True, follows=True, tracked=tracked),)
    if name == "ls" and not judgement.reads[1:] and judgement.reads[0].path == ".":
        is_plain = not any(
            text.startswith("-") and text not in ("-1", "-a", "-A") for text in texts
        )
        return (PathUse(".", is_tree=True, follows=True),) if is_plain else None
    return None


def _is_git_names(entry: str, texts: set[str]) -> bool:
    """Return whether git prints names of files and nothing else."""
    if entry == "git diff":
        return "--name-only" in texts and texts.isdisjoint(_MORE_THAN_NAMES)
    return entry == "git ls-files" and texts.isdisjoint({"-s", "-t", "-v", "--stage", "--format"})


#: What has `git diff` print more than the names it is asked for.
_MORE_THAN_NAMES = frozenset(
    {"-p", "-u", "--patch", "--stat", "--numstat", "--summary", "--check", "--raw", "--no-index"}
)


def _leaves_links_out(texts: list[str]) -> bool:
    """Return whether `find` prints nothing that is a link."""
    if not _OTHERWISE.isdisjoint(texts) or not _FOLLOWING.isdisjoint(texts):
        return False
    before = ["", *texts]
    return any(
        texts[at : at + 2] == ["-type", "f"] and before[at] not in ("!", "-not")
        for at in range(len(texts))
    )


def _pattern(texts: list[str]) -> str:
    """Return the pattern that all names fit which `find` prints, if one test says so."""
    tests = [text for text in texts if text in ("-name", "-iname")]
    if len(tests) != 1 or not _JOINED.isdisjoint(texts):
        return ""
    return texts[texts.index(tests[0]) + 1]


def _spoken(command: SimpleCommand) -> tuple[PathUse, ...] | None:
    """Return the words that `echo` prints, unless `xargs` reads more into them."""
    text = " ".join(word.text for word in command.argv[1:] if word.text != "-n")
    if any(mark in text for mark in "\"'\\"):
        return None
    return tuple(PathUse(part) for part in text.split())


def _filtered(
    command: SimpleCommand, found: tuple[PathUse, ...] | None
) -> tuple[PathUse, ...] | None:
    """Return the paths after a command that only leaves lines out."""
    texts = {word.text for word in command.argv[1:]}
    if command.program not in _FILTERS or texts & _CHANGES_LINES:
        return None
    judgement = classify(command)
    is_filter = isinstance(judgement, ReadOnly) and not judgement.reads
    return found if is_filter else None
