"""A corpus written from the contract alone, before its author had seen an answer of the program.

Everyday commands, what coding agents type, hostile commands and denied ones, in all modes. The
labels were fixed before the first run; the few that the contract refutes were corrected since, and
say why. The paths are real.
"""

import os
import subprocess
from pathlib import Path

import pytest

from surfaces.corpus_kit import blocks, count_of, groups, misjudged

CORPUS = "independent_corpus.jsonl"

FILES = (
    "src/main.py", "src/app.js", "src/util/io.py", "tests/test_main.py", "docs/guide.md",
    "README.md", "CHANGELOG.md", "package.json", "pyproject.toml", "Cargo.toml", "go.mod",
    "Makefile", "a.txt", "b.txt", "c.log", "data/in.csv", "data/out.json", "config/app.yaml",
    "sub/deep/x.txt", "notes.md", ".env", "sub/.env", ".env.local", "secrets/key.pem",
    "secrets/keys/id.txt", "private/plan.md", "private/café.txt", "logs/app.log", "lib/core/a.ts",
    "lib/core/b.ts", "lib/index.ts", "tsconfig.json", "my file.txt", "build/keep",
)  # fmt: skip
LINKS = {
    "envlink": ".env", "pubdir": "secrets", "outlink": "../outside", "sshlink": "../home/.ssh",
    "pw": "/etc/passwd", "srclink": "src", "plan": "private/plan.md",
}  # fmt: skip


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the files that the calls name. No call is made, so nothing changes them."""
    root = Path(os.path.realpath(tmp_path_factory.mktemp("corpus")))
    others = ("home/.ssh/id_rsa", "home/.aws/credentials", "outside/o.txt", "proj-evil/e.txt")
    for name in (*(f"proj/{name}" for name in FILES), *others):
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x\n")
    project = root / "proj"
    for name, target in LINKS.items():
        (project / name).symlink_to(target)
    (project / "hardkey").hardlink_to(project / "secrets/key.pem")
    for folder in ("vendor/bare/objects", "vendor/bare/refs"):
        (project / folder).mkdir(parents=True)
    (project / "vendor/bare/HEAD").write_text("ref: refs/heads/main\n")
    (project / "vendor/bare/config").write_text("[core]\n\tfsmonitor = ./pwn\n")
    for arguments in (["init"], ["add", "-A"], ["init", "vendor/evil"]):
        git = ["git", "-c", "core.hooksPath=/dev/null", *arguments]
        subprocess.run(git, cwd=project, check=True, capture_output=True, timeout=60)
    return root


@pytest.mark.parametrize("group", groups(CORPUS))
def test_every_call_comes_to_what_it_must(group: str, root: Path) -> None:
    assert misjudged(CORPUS, group, root) == []


def test_the_corpus_is_large_and_says_why() -> None:
    assert count_of(CORPUS) > 2_000
    assert all(block["why"] and block["inputs"] for block in blocks(CORPUS))
