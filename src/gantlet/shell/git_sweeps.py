"""What is changed by commands of git that work on all files, or on all that lie somewhere."""

import posixpath
from collections.abc import Callable, Sequence

from gantlet.messages.value import replace
from gantlet.shell.analysis import SimpleCommand, Word
from gantlet.shell.options import Parsed, grammar_of, parse_arguments
from gantlet.shell.stripping import GIT_GLOBAL
from gantlet.shell.sweep import Reach, Sweep

_FROM_FILE = "--pathspec-from-file= --pathspec-file-nul"
_MODULES = "--recurse-submodules[=] --no-recurse-submodules"
_CLEAN = "-d -f,--force -i,--interactive -n,--dry-run -q,--quiet -e,--exclude= -x -X"
_CHECKOUT = (
    "-q,--quiet --progress --no-progress -f,--force --ours -2 --theirs -3 -b= -B= -t,--track[=] "
    "--no-track --guess --no-guess -l -d,--detach --orphan= --ignore-skip-worktree-bits -m,--merge "
    "--conflict= -p,--patch --ignore-other-worktrees --overlay --no-overlay --overwrite-ignore "
    f"--no-overwrite-ignore -U,--unified= --inter-hunk-context= {_MODULES} {_FROM_FILE}"
)
_RESTORE = (
    "-s,--source= -p,--patch -W,--worktree -S,--staged -q,--quiet --progress --no-progress --ours "
    "-2 --theirs -3 -m,--merge --conflict= --ignore-unmerged --ignore-skip-worktree-bits --overlay "
    f"--no-overlay -U,--unified= --inter-hunk-context= {_MODULES} {_FROM_FILE}"
)
_RESET = (
    "-q,--quiet --no-quiet --hard --soft --mixed --merge --keep -p,--patch -N,--intent-to-add "
    f"--refresh --no-refresh -U,--unified= --inter-hunk-context= {_MODULES} {_FROM_FILE}"
)
_STASH = (
    "-p,--patch -S,--staged -k,--keep-index --no-keep-index -q,--quiet -u,--include-untracked "
    "--no-include-untracked -a,--all -m,--message= -U,--unified= --inter-hunk-context= "
    f"{_FROM_FILE}"
)
_RM = f"-r -f,--force -n,--dry-run -q,--quiet --cached --ignore-unmatch --sparse {_FROM_FILE}"
_NEW_BRANCH = ("-b", "-B", "--orphan")
_EXCLUDING = (":!", ":^", ":(exclude)")
_GLOB = frozenset("*?[")
#: Variables and options that have git work elsewhere.
_ELSEWHERE = frozenset({"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"})
_WHOLE = Sweep(reach=Reach.KEPT, is_whole=True)


def git_sweeps(command: SimpleCommand) -> tuple[Sweep, ...]:
    """Return what a command of git changes without naming each file."""
    words = command.argv[1:]
    parsed = parse_arguments(words, grammar_of(GIT_GLOBAL), permutes=False, abbreviates=True)
    behind = words[parsed.rest :]
    read = _COMMANDS.get(behind[0].text) if behind else None
    if read is None:
        return ()
    place = _place(command, parsed)
    found = dict.fromkeys(read(behind[1:]))
    if place is None:
        return tuple(replace(sweep, is_known=False) for sweep in found)
    return tuple(replace(one, place=place, root=_joined(place, one.root)) for one in found)


def _joined(place: str, path: str) -> str:
    """Return a path as it is seen from the command's directory."""
    return path if path.startswith("~") else posixpath.join(place, path)


def _place(command: SimpleCommand, parsed: Parsed) -> str | None:
    """Return the directory git works in, or None where that cannot be told."""
    if parsed.problem or parsed.has("--git-dir", "--work-tree"):
        return None
    if any(one.name in _ELSEWHERE for one in command.assignments):
        return None
    place, is_known = ".", command.cwd is not None
    for target in parsed.values("-C"):
        if not target.is_literal:
            return None
        is_known = is_known or target.text.startswith(("/", "~"))
        place = _joined(place, target.text)
    return place if is_known else None


def _clean(words: Sequence[Word]) -> Sequence[Sweep]:
    """Return what `git clean` removes: what git does not keep."""
    parsed = _parsed(words, _CLEAN)
    if parsed.has("-n"):
        return ()
    excluded = tuple(word.text for word in parsed.values("-e")) if not parsed.has("-X") else ()
    return [
        replace(
            sweep,
            reach=Reach.LOOSE,
            with_ignored=bool(parsed.problem) or parsed.has("-x", "-X"),
            ignored=excluded,
        )
        for sweep in _meant(parsed, Sweep(reach=Reach.LOOSE))
    ]


def _checkout(words: Sequence[Word]) -> Sequence[Sweep]:
    """Return what `git checkout` takes back, by the words that may be paths."""
    parsed = _parsed(words, _CHECKOUT)
    if parsed.problem or parsed.has("-f", "--pathspec-from-file"):
        return (_WHOLE,)
    if not parsed.operands or parsed.has(*_NEW_BRANCH):
        return ()
    return _meant(parsed, _WHOLE)


def _restore(words: Sequence[Word]) -> Sequence[Sweep]:
    """Return what `git restore` takes back."""
    parsed = _parsed(words, _RESTORE)
    if not parsed.problem and parsed.has("-S") and not parsed.has("-W"):
        return ()
    return _meant(parsed, _WHOLE)


def _reset(words: Sequence[Word]) -> Sequence[Sweep]:
    """Return what `git reset` takes back, if it changes files at all."""
    parsed = _parsed(words, _RESET)
    return (_WHOLE,) if parsed.problem or parsed.has("--hard", "--merge", "--keep") else ()


def _stash(words: Sequence[Word]) -> Sequence[Sweep]:
    """Return what `git stash` puts away or brings back."""
    action = words[0].text if words else ""
    if action in ("pop", "apply", "branch"):
        return (_WHOLE,)
    if action and action not in ("push", "save") and not action.startswith("-"):
        return ()
    parsed = _parsed(words[1:] if action in ("push", "save") else words, _STASH)
    kept = (_WHOLE,) if action == "save" else _meant(parsed, _WHOLE)
    if not parsed.problem and not parsed.has("-u", "-a"):
        return kept
    ignored = bool(parsed.problem) or parsed.has("-a")
    loose = [replace(one, reach=Reach.LOOSE, with_ignored=ignored) for one in kept]
    return (*kept, *loose)


def _rm(words: Sequence[Word]) -> Sequence[Sweep]:
    """Return what `git rm` removes from the disk."""
    parsed = _parsed(words, _RM)
    return () if parsed.has("--cached", "-n") else _meant(parsed, _WHOLE)


def _switch(words: Sequence[Word]) -> Sequence[Sweep]:
    """Return what `git switch` throws away, if it is told to."""
    return (_WHOLE,) if any(_is_forcing(word.text) for word in words) else ()


def _is_forcing(text: str) -> bool:
    """Return whether an option has files changed that differ."""
    if text.startswith("--"):
        return len(text) > 3 and "--discard-changes --force".find(text) >= 0
    return text.startswith("-") and "f" in text


def _plumbing(words: Sequence[Word]) -> Sequence[Sweep]:
    """Return what commands for scripts write to the disk, if they are told to."""
    flags = "".join(word.text for word in words if word.text.startswith("-"))
    return (_WHOLE,) if "f" in flags or "u" in flags else ()


_COMMANDS: dict[str, Callable[[Sequence[Word]], Sequence[Sweep]]] = {
    "checkout": _checkout,
    "checkout-index": _plumbing,
    "clean": _clean,
    "read-tree": _plumbing,
    "reset": _reset,
    "restore": _restore,
    "rm": _rm,
    "stash": _stash,
    "switch": _switch,
}


def _parsed(words: Sequence[Word], options: str) -> Parsed:
    """Read the words behind a command of git, which takes the beginning of an option's name."""
    return parse_arguments(words, grammar_of(options), abbreviates=True)


def _meant(parsed: Parsed, otherwise: Sweep) -> Sequence[Sweep]:
    """Return what the paths of a command mean; all of it where there are none, or are not known."""
    if parsed.problem or parsed.is_unsure or parsed.has("--pathspec-from-file"):
        return (replace(otherwise, is_whole=True),)
    paths = [word for word in parsed.operands if not word.text.startswith(_EXCLUDING)]
    return [_at(word, otherwise) for word in paths] or (otherwise,)


def _at(word: Word, otherwise: Sweep) -> Sweep:
    """Return what one path of git means: a file, a directory, or a pattern."""
    text = word.text
    if text.startswith(":") or not (word.is_literal or word.has_glob):
        return replace(otherwise, is_whole=True)
    if _GLOB.isdisjoint(text):
        return Sweep(text, otherwise.reach, written=text)
    path = posixpath.normpath(text)
    if path.startswith(("/", "..", "~")):
        return replace(otherwise, is_whole=True)
    return Sweep(".", otherwise.reach, fits=path)
