"""Thousands of calls through the door that judges many: attacks, and everyday work.

Each line of the corpus holds calls of one kind, with the rules and modes they are judged under,
what must come of them, and why. The paths in it are real: files, links and a repository are made
first.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypedDict

import pytest

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


def blocks() -> list[Block]:
    """Return the corpus."""
    text = Path(__file__).with_name("permission_corpus.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]


GROUPS = sorted({block["group"] for block in blocks()})


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Make the files that the calls name."""
    root = Path(os.path.realpath(tmp_path))
    files = (
        "proj/.env", "proj/sub/.env", "proj/secrets/key.pem", "proj/src/a.py", "proj/README.md",
        "proj/package.json", "proj/sub/f.txt", "proj/sub/deep/x", "proj/.git/HEAD",
        "proj/.git/config", "proj/.claude/settings.json", "home/.ssh/id_rsa",
    )  # fmt: skip
    for name in files:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x\n")
    (root / "proj/link.txt").symlink_to(".env")
    (root / "proj/out.txt").symlink_to("/etc/passwd")
    (root / "proj/hard.txt").hardlink_to(root / "proj/.env")
    return root


def cases(group: str, root: Path) -> Iterator[tuple[str, str, str]]:
    """Yield each call of a group as a line, with what must come of it and why."""
    for block in blocks():
        if block["group"] != group:
            continue
        for mode in block["modes"]:
            for given in block["inputs"]:
                call = {"command": given} if isinstance(given, str) else given
                case = {"tool": block["tool"], "input": call, "rules": block["rules"], "mode": mode}
                text = json.dumps(case).replace("@CWD@", str(root / "proj"))
                text = text.replace("@HOME@", str(root / "home")).replace("@ROOT@", str(root))
                yield text, block["expect"], block["why"]


@pytest.mark.parametrize("group", GROUPS)
def test_every_call_of_the_corpus_comes_to_what_it_must(group: str, root: Path) -> None:
    batch = Batch(str(root / "proj"), str(root / "home"))

    wrong = [
        (why, f"{decision} instead of {expect}", text)
        for text, expect, why in cases(group, root)
        if (decision := json.loads(batch.answer(text.encode()))["decision"]) not in FITS[expect]
    ]

    assert wrong == []


def test_the_corpus_is_large_and_says_why() -> None:
    count = sum(len(block["inputs"]) * len(block["modes"]) for block in blocks())

    assert count > 4_000
    assert all(block["why"] and block["inputs"] for block in blocks())
