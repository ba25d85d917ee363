"""The table of what a real client expects names tests that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_each_row_names_a_test_or_a_reason() -> None:
    guide = (ROOT / "docs" / "guides" / "headless.md").read_text()
    table = guide[guide.index("| Its tests |") :].split("\n\n")[0]
    written = "".join(path.read_text() for path in (ROOT / "tests/real_clients").glob("*.py"))

    rows = [line.split("|")[2].strip() for line in table.splitlines()[2:]]
    named = [name for row in rows for name in re.findall(r"`(test_\w+)`", row)]
    assert all("`test_" in row or row.startswith("not yet:") for row in rows)
    assert [name for name in named if f"def {name}(" not in written] == []
