"""What of a directory a program really reads: names only, or not every file below."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gantlet.shell import SimpleCommand

#: Programs that look at names and not into files, so that a file below forbids nothing.
_LISTS_NAMES = frozenset(
    {
        "[", "basename", "cd", "dirname", "du", "find", "ls", "pwd", "readlink", "realpath", "stat",
        "test", "tree",
    }
)  # fmt: skip
#: What git shows without what is in the files, with options that do not change that.
_GIT_HISTORY = frozenset({"git log", "git stash list"})
#: What it shows so with options that say so; of `git show`, a name may be that of a file's content.
_GIT_CHANGES = {
    "git diff": re.compile(r".*", re.DOTALL),
    "git show": re.compile(r"-.*|HEAD[~^\d]*"),
}
_GIT_NAMES = re.compile(
    r"--(stat(=.*)?|name-only|name-status|numstat|shortstat|compact-summary|quiet|no-patch)|-s",
    re.DOTALL,
)
_GIT_PLAIN = re.compile(
    r"[^-].*|-[0-9]+|-n|--|--(oneline|graph|all|decorate|reverse|no-merges|merges|first-parent"
    r"|abbrev-commit|follow|no-color|cached|staged)"
    r"|--(since|until|after|before|author|committer|grep|format|pretty|date|max-count"
    r"|diff-filter)(=.*)?",
    re.DOTALL,
)
#: With one of these, git reads files it does not keep.
_GIT_ALL = frozenset({"--no-index", "--untracked"})
#: Programs that pass over hidden files, and letters behind others with which they do not.
_SKIP_HIDDEN = frozenset({"rg", "fd", "fdfind"})
_SHOW_HIDDEN = (
    *("-u", "-.", "-H", "--hidden", "--unrestricted", "--no-ignore", "--ignore-file"),
    "--no-require-git",
)
_CLUSTERED = re.compile(r"-[^-]*[uH.]")
#: Where a pattern of names stands behind an option of `rg`, and behind one of `grep`.
_RG_GLOB = re.compile(r"--i?glob(?:=(?P<long>.*))?|-[^-]*?g(?P<short>.*)", re.DOTALL)
_GREP_INCLUDE = re.compile(r"--include(?:=(?P<long>.*))?", re.DOTALL)
_GREPS = frozenset({"grep", "egrep", "fgrep"})
#: One pair of braces with plain words in it; any others count as a star.
_CHOICE = re.compile(r"([^{}]*)\{([^{}]*)\}([^{}]*)", re.DOTALL)
_BRACES = re.compile(r"\{.*\}?", re.DOTALL)


class LeftOut(NamedTuple):
    """What a program leaves out of a tree.

    Attributes:
        tracked_only: It reads what git keeps.
        skips_hidden: It passes over names that begin with a dot.
        shows: Patterns of hidden names that it reads all the same, with a NUL between them.
        named: Patterns of the only names it reads, with a NUL between them; nothing means all.
    """

    tracked_only: bool = False
    skips_hidden: bool = False
    shows: str = ""
    named: str = ""


ALL = LeftOut()


def left_out(entry: str, command: SimpleCommand) -> LeftOut:
    """Return what a program that only reads leaves out of a tree."""
    texts = [word.text for word in command.argv]
    if entry.startswith("git "):
        return LeftOut(tracked_only=_GIT_ALL.isdisjoint(texts))
    if command.program in _GREPS:
        return LeftOut(named=_included(texts))
    if command.program in _SKIP_HIDDEN and _skips_hidden(command):
        return LeftOut(skips_hidden=True, shows="\0".join(_patterns(texts, _RG_GLOB)))
    return ALL


def _skips_hidden(command: SimpleCommand) -> bool:
    """Return whether `rg` or `fd` leaves out what is hidden, as they do unless told."""
    return not any(
        word.text.startswith(_SHOW_HIDDEN)
        or (not word.is_literal and not word.has_glob)
        or _CLUSTERED.match(word.text)
        for word in command.argv[1:]
    )


def _included(texts: Sequence[str]) -> str:
    """Return the only names that `grep` reads; with `--exclude` beside it, the order decides."""
    if any(
        text.startswith(("--exclude=", "--exclude-from")) or text == "--exclude" for text in texts
    ):
        return ""
    return "\0".join(_patterns(texts, _GREP_INCLUDE))


def _patterns(texts: Sequence[str], option: re.Pattern[str]) -> Iterator[str]:
    """Yield the patterns that options give, as patterns of names."""
    for at, text in enumerate(texts):
        found = option.fullmatch(text)
        if found is None:
            continue
        groups = found.groupdict()
        value = groups["long"] or groups.get("short") or "".join(texts[at + 1 : at + 2])
        if not value.startswith("!"):
            yield from (one.rpartition("/")[2] or "*" for one in _chosen(value))


def _chosen(pattern: str) -> list[str]:
    """Return what a pattern with braces stands for."""
    found = _CHOICE.fullmatch(pattern)
    if found is None:
        return [_BRACES.sub("*", pattern)]
    head, words, tail = found.groups()
    return [f"{head}{word}{tail}" for word in words.split(",")]


def lists_names(entry: str, command: SimpleCommand) -> bool:
    """Return whether a command looks at names and not into files."""
    program, _, subcommand = entry.partition(" ")
    if program != "git":
        return program in _LISTS_NAMES
    texts = [word.text for word in command.argv]
    words = texts[texts.index(subcommand.split()[-1]) + 1 :] if subcommand else []
    others = [text for text in words if not _GIT_NAMES.fullmatch(text)]
    if entry in _GIT_HISTORY:
        return all(map(_GIT_PLAIN.fullmatch, others))
    is_told = len(others) < len(words) and entry in _GIT_CHANGES
    return is_told and all(
        _GIT_CHANGES[entry].fullmatch(text) and _GIT_PLAIN.fullmatch(text) for text in others
    )
