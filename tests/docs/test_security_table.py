"""The table of published holes names tests that exist, and what it claims of our source holds."""

import ast
import json
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TABLE = ROOT / "docs" / "security-table.md"
_NAMED = re.compile(r"`((?:tests/|published:|corpus:)[^`…]+)`")
_ROW = re.compile(r"\| (?!Where|---)([^|]+) \| [^|]+ \| ([^|]+) \|")

#: Where text is handed to a shell on purpose: what the user, or the model with permission, wrote.
HANDS_TEXT_TO_A_SHELL: frozenset[str] = frozenset()


def named() -> list[str]:
    """Return everything that the table names."""
    text = TABLE.read_text(encoding="utf-8")
    rows = [found.group(2) for found in _ROW.finditer(text)]
    return sorted({name for row in rows for name in _NAMED.findall(row)})


@cache
def lines_of(path: str) -> tuple[dict[str, object], ...]:
    """Return the objects of a file of lines."""
    text = (ROOT / path).read_text(encoding="utf-8")
    return tuple(json.loads(line) for line in text.splitlines())


@pytest.mark.parametrize("name", named())
def test_what_the_table_names_exists(name: str) -> None:
    kind, _, rest = name.partition(":")
    if kind == "published":
        assert rest in {case["id"] for case in lines_of("tests/shell/corpus_published.jsonl")}
    elif kind == "corpus":
        groups = lines_of("tests/surfaces/permission_corpus.jsonl")
        assert rest in {block["group"] for block in groups}
    else:
        file, _, test = name.partition("::")
        assert re.search(rf"^(?:async )?def {test}\(", (ROOT / file).read_text(), re.MULTILINE)


def test_every_row_says_what_tries_it_or_why_nothing_can() -> None:
    rows = _ROW.findall(TABLE.read_text(encoding="utf-8"))

    assert len(rows) > 45
    assert all(_NAMED.search(cell) or "no part of Gantlet" in cell for _, cell in rows)


def test_every_published_case_stands_in_the_table() -> None:
    cases = {f"published:{case['id']}" for case in lines_of("tests/shell/corpus_published.jsonl")}

    assert cases <= set(named())


def test_no_text_is_handed_to_a_shell_but_the_users_own() -> None:
    found = set()
    for file in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and _hands_text(node):
                found.add(file.relative_to(ROOT / "src" / "gantlet").as_posix())

    assert found == HANDS_TEXT_TO_A_SHELL


def _hands_text(call: ast.Call) -> bool:
    """Return whether a call lets a shell read a text, other than by naming the shell."""
    name = ast.unparse(call.func)
    if name in ("os.system", "os.popen") or name.endswith("create_subprocess_shell"):
        return True
    return any(
        word.arg == "shell" and isinstance(word.value, ast.Constant) and word.value.value is True
        for word in call.keywords
    )
