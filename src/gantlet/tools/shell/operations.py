"""What a command did to a repository, or should have said, read from its words and its output."""

import re
from collections.abc import Iterator

from gantlet.shell import SimpleCommand
from gantlet.tools.shell.lines import CommandLine

_COMMITTED = re.compile(
    r"^\[(?P<branch>[^\s\]]+|detached HEAD)(?: \(root-commit\))? (?P<sha>[0-9a-f]{7,64})\] ", re.M
)
_PUSHED = re.compile(r"^ [ *+=!-] ?\S.*? (?P<branch>\S+) -> (?P<ref>\S+)", re.M)
_PULL_REQUEST = re.compile(r"https://[^\s/]+/[^\s/]+/[^\s/]+/pull/(?P<number>\d+)")
_RATE_LIMIT = re.compile(r"API rate limit (?:already )?exceeded|secondary rate limit", re.I)
_PR_ACTIONS = {
    "create": "created",
    "edit": "edited",
    "merge": "merged",
    "comment": "commented",
    "close": "closed",
    "ready": "ready",
}
#: Programs that say nothing when all is well.
_SILENT = frozenset(
    {"cd", "chgrp", "chmod", "chown", "cp", "export", "ln", "mkdir", "mv", "rm", "rmdir", "touch"}
)
#: Options of git before its subcommand that take a word.
_TAKES_WORD = frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"})


def facts_of(line: CommandLine, output: str) -> dict[str, object]:
    """Return what programs may want to know of a command that succeeded."""
    facts: dict[str, object] = {}
    operation = dict(_operations(line, output))
    if operation:
        facts["gitOperation"] = operation
    if line.programs and line.programs <= _SILENT:
        facts["noOutputExpected"] = True
    hint = rate_limit_hint(line, output)
    return {**facts, "ghRateLimitHint": hint} if hint else facts


def rate_limit_hint(line: CommandLine, output: str) -> str:
    """Say that GitHub's limit is reached, where a command of `gh` says so; or nothing."""
    if "gh" not in line.programs or _RATE_LIMIT.search(output) is None:
        return ""
    return (
        "GitHub's rate limit is reached. Do not try again at once: `gh api rate_limit` tells when"
        " it is lifted."
    )


def _operations(line: CommandLine, output: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what was done, by its kind; the last of a kind counts."""
    for command in line.analysis.commands:
        words = _words(command)
        match words[:1], command.program:
            case [["commit" | "cherry-pick" | "revert"], "git"]:
                yield from _commit(words, output)
            case [["push"], "git"]:
                for pushed in _PUSHED.finditer(output):
                    yield "push", {"branch": pushed["ref"].removeprefix("origin/")}
            case [["merge" | "rebase" as verb], "git"] if len(words) > 1:
                ref = next((word for word in words[1:] if not word.startswith("-")), "")
                action = "merged" if verb == "merge" else "rebased"
                if ref:
                    yield "branch", {"ref": ref, "action": action}
            case [["pr"], "gh"] if words[1:2] and words[1] in _PR_ACTIONS:
                yield from _pull_request(words, output)


def _commit(words: list[str], output: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the commit that was made."""
    kind = "amended" if "--amend" in words else "committed"
    kind = "cherry-picked" if words[0] == "cherry-pick" else kind
    for made in _COMMITTED.finditer(output):
        told: dict[str, object] = {"sha": made["sha"], "kind": kind}
        yield "commit", told if " " in made["branch"] else {**told, "branch": made["branch"]}


def _pull_request(words: list[str], output: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield the pull request that was worked on."""
    action = _PR_ACTIONS[words[1]]
    found = _PULL_REQUEST.search(output)
    if found:
        yield "pr", {"number": int(found["number"]), "url": found[0], "action": action}
    elif len(words) > 2 and words[2].isascii() and words[2].isdigit():
        yield "pr", {"number": int(words[2]), "action": action}


def _words(command: SimpleCommand) -> list[str]:
    """Return the words of a command from its subcommand on."""
    words = [word.text for word in command.argv[1:]]
    while words and words[0].startswith("-"):
        words = words[2:] if words[0] in _TAKES_WORD else words[1:]
    return words
