"""What the tests of the shell share: the corpora, and what a person would see of a judgement."""

import json
from collections.abc import Mapping
from pathlib import Path

from gantlet.shell import (
    Analysis,
    NotKnown,
    ReadOnly,
    Writes,
    analyse,
    judge,
    strip_for_rules,
)

START = "/proj"
HERE = Path(__file__).parent


def corpus(name: str) -> list[dict[str, str]]:
    """Return the cases of one corpus."""
    lines = (HERE / f"corpus_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def named(case: object) -> str:
    """Return the name of a case."""
    return str(case["id"]) if isinstance(case, Mapping) else str(case)


def objections(command: str) -> list[str]:
    """Return why a command line is not proved to read only; nothing if it is."""
    analysis = analyse(command)
    found = list(analysis.doubts)
    for one in analysis.commands:
        if one.is_carried:
            continue
        match judge(one, START):
            case NotKnown(reason):
                found.append(reason)
            case Writes(entry, _, writes):
                found.append(f"{entry} writes {[use.path for use in writes]}")
            case ReadOnly():
                pass
    return found


def programs(analysis: Analysis) -> set[str]:
    """Return the names of all programs that rules would see."""
    return {
        name
        for command in analysis.commands
        for form in strip_for_rules(command)
        if (name := form.program) is not None
    }


def words(command: str) -> list[list[str]]:
    """Return the words of the parts of a command line."""
    return [[word.text for word in part.argv] for part in analyse(command).parts]
