"""The document about safe programs says what the table says."""

from pathlib import Path

from gantlet.shell.programs.document import render
from gantlet.shell.programs.table import entries

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "safe-programs.md"
WRITE_AGAIN = (
    ".venv/bin/python -c 'from gantlet.shell.programs.document import render; "
    'print(render(), end="")\' > docs/safe-programs.md'
)


def test_the_document_is_fresh() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == render(), f"Run: {WRITE_AGAIN}"


def test_the_document_names_every_entry() -> None:
    text = render()

    assert [name for name in entries() if f"`{name}`" not in text] == []
