"""How corpora of permission are written and judged.

Each line of one holds calls of one kind, with the rules and modes they are judged under, what must
come of them, and why.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from gantlet.surfaces.permission_batch import Batch

FITS = {
    "allow": {"allow"},
    "ask": {"ask"},
    "deny": {"deny"},
    "not allow": {"ask", "deny"},
}


class Block(TypedDict):
    """Calls that are alike."""

    group: str
    why: str
    tool: str
    expect: str
    modes: Sequence[str]
    rules: Mapping[str, Sequence[str]]
    inputs: Sequence[str | Mapping[str, object]]


def blocks(name: str) -> list[Block]:
    """Return a corpus."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


def groups(name: str) -> list[str]:
    """Return the groups of a corpus."""
    return sorted({block["group"] for block in blocks(name)})


def count_of(name: str) -> int:
    """Return how many cases a corpus has."""
    return sum(len(block["inputs"]) * len(block["modes"]) for block in blocks(name))


def cases(name: str, group: str, root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each call of a group as a line, with what must come of it and why."""
    for block in blocks(name):
        if block["group"] != group:
            continue
        for mode in block["modes"]:
            for given in block["inputs"]:
                call = {"command": given} if isinstance(given, str) else given
                case = {"tool": block["tool"], "input": call, "rules": block["rules"], "mode": mode}
                text = json.dumps(case).replace("@CWD@", str(root / "proj"))
                text = text.replace("@HOME@", str(root / "home")).replace("@ROOT@", str(root))
                yield text, block["expect"], block["why"]


def misjudged(name: str, group: str, root: Path) -> list[tuple[str, str, str]]:
    """Return the calls of a group that come to something else than they must."""
    batch = Batch(str(root / "proj"), str(root / "home"))
    return [
        (why, f"{decision} instead of {expect}", text)
        for text, expect, why in cases(name, group, root)
        if (decision := json.loads(batch.answer(text.encode()))["decision"]) not in FITS[expect]
    ]
