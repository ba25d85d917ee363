"""Thousands of calls through the door that judges many: attacks, and everyday work.

The paths in the corpus are real: files, links and a repository are made first.
"""

import os
from pathlib import Path

import pytest

from surfaces.corpus_kit import blocks, count_of, groups, misjudged

CORPUS = "permission_corpus.jsonl"


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


@pytest.mark.parametrize("group", groups(CORPUS))
def test_every_call_of_the_corpus_comes_to_what_it_must(group: str, root: Path) -> None:
    assert misjudged(CORPUS, group, root) == []


def test_the_corpus_is_large_and_says_why() -> None:
    assert count_of(CORPUS) > 4_000
    assert all(block["why"] and block["inputs"] for block in blocks(CORPUS))
