"""What the documents say is true: code runs, transcripts are real, links lead somewhere."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(
    path
    for path in ROOT.rglob("*.md")
    if not any(part.startswith(".") for part in path.relative_to(ROOT).parts)
)
RUN = [ROOT / "README.md", *(path for path in DOCUMENTS if path.is_relative_to(ROOT / "docs"))]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

_FENCE = re.compile(r"(\s*)(```+|~~~+)\s*(\w*)")
_LINK = re.compile(
    r"\[[^\[\]]*\]\(\s*<?([^\s<>()]+)>?[^()]*\)|^\s*\[[^\]]+\]:\s*(\S+)", re.MULTILINE
)
#: Where packages are fetched from, by the names under which such places go.
_REGISTRY = re.compile(
    r"\b(?:[\w-]+\.)*(?:pypi|pythonhosted|npmjs|yarnpkg|anaconda|crates|rubygems|artifactory|nexus"
    r"|devpi|docker|quay|ghcr)\.(?:\w+\.)*(?:org|com|io|net|dev)\b|://\S+/simple\b"
)


def named(path: Path) -> str:
    """Return a path as seen from the root, to name a test case."""
    return path.relative_to(ROOT).as_posix()


@dataclass(frozen=True)
class Block:
    """A fenced part of a document; `line` is where its first line stands."""

    language: str
    line: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class Transcript:
    """A command in a document and what the document says it prints."""

    command: str
    line: int
    printed: tuple[str, ...]


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced parts of a document, without the indent of their fence."""
    lines = enumerate(text.splitlines(), start=1)
    for number, line in lines:
        opening = _FENCE.match(line)
        if opening is None:
            continue
        indent, fence, language = opening.groups()
        yield Block(language, number + 1, tuple(_until(fence, lines, indent)))


def holding(language: str) -> list[Path]:
    """Return the documents to run that hold a block of that language."""
    return [
        document
        for document in RUN
        if any(block.language == language for block in blocks(document.read_text(encoding="utf-8")))
    ]


def _until(fence: str, lines: Iterator[tuple[int, str]], indent: str) -> Iterator[str]:
    """Take lines, without their indent, up to and including the one that closes the block."""
    for _, line in lines:
        if line.strip().startswith(fence):
            return
        yield line.removeprefix(indent)


def program(text: str) -> str:
    """Return a document with everything but its Python left blank, so that line numbers agree."""
    lines = [""] * len(text.splitlines())
    for block in blocks(text):
        if block.language == "python":
            lines[block.line - 1 : block.line - 1 + len(block.lines)] = block.lines
    return "\n".join(lines)


def transcripts(text: str) -> Iterator[Transcript]:
    """Yield every command of the console blocks with the lines up to the next one."""
    for block in blocks(text):
        if block.language != "console":
            continue
        starts = [at for at, line in enumerate(block.lines) if line.startswith("$ ")]
        for start, end in zip(starts, [*starts[1:], len(block.lines)], strict=True):
            printed = block.lines[start + 1 : end]
            yield Transcript(block.lines[start][2:], block.line + start, printed)


def prose(text: str) -> str:
    """Return a document without its code."""
    lines = text.splitlines()
    for block in blocks(text):
        lines[block.line - 1 : block.line - 1 + len(block.lines)] = [""] * len(block.lines)
    return re.sub(r"`[^`\n]*`", "", "\n".join(lines))


def run(command: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command in an empty folder, in an environment that holds nothing of ours."""
    bin_folder = str(Path(sys.executable).parent)
    return subprocess.run(
        command,
        cwd=folder,
        env={
            "PATH": os.pathsep.join([bin_folder, os.environ["PATH"]]),
            "HOME": str(folder),
            "LANG": "C.UTF-8",
            "COLUMNS": "80",
            "PYTHONUNBUFFERED": "1",  # keeps both streams in the order in which they are written
            "PYTHONWARNINGS": "error",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=100,
        check=False,
    )


def broken_code(name: str, text: str, folder: Path) -> str:
    """Return how the Python of a document fails, with document and line, or nothing."""
    file = folder / "code" / name
    file.parent.mkdir(parents=True)
    file.write_text(program(text), encoding="utf-8")
    (folder / "empty").mkdir()
    done = run([sys.executable, "-W", "error", str(file)], folder / "empty")
    return done.stdout.replace(f"{folder / 'code'}{os.sep}", "") if done.returncode else ""


def untrue_transcripts(name: str, text: str, folder: Path) -> list[str]:
    """Return where the transcripts of a document differ from what their commands print."""
    untrue = []
    for transcript in transcripts(text):
        words = shlex.split(transcript.command)
        if words[0] != "gantlet":
            untrue.append(f"{name}:{transcript.line}: only `gantlet` can be checked; use `sh`.")
            continue
        printed = run(words, folder).stdout.rstrip("\n")
        if not is_told_by(transcript.printed, printed):
            untrue.append(f"{name}:{transcript.line}: `{transcript.command}` prints:\n{printed}")
    return untrue


def is_told_by(told: tuple[str, ...], printed: str) -> bool:
    """Return whether the told lines are the printed ones; a line `...` stands for any lines."""
    pieces = [r"(?:.*\n)*" if line == "..." else re.escape(line) + r"\n" for line in told]
    return re.fullmatch("".join(pieces), printed + "\n" if printed else "") is not None


def dead_links(document: Path, root: Path) -> list[str]:
    """Return the relative links of a document that lead nowhere, or out of the project."""
    found = _LINK.findall(prose(document.read_text(encoding="utf-8")))
    targets = [inline or reference for inline, reference in found]
    return [
        target
        for target in targets
        if not re.match(r"[a-z][a-z+.-]*:", target) and not leads_within(root, document, target)
    ]


def leads_within(root: Path, document: Path, target: str) -> bool:
    """Return whether a link names a file or folder of the project, and a heading it has."""
    name, _, heading = target.partition("#")
    file = (document.parent / name).resolve() if name else document
    if not file.exists() or not file.is_relative_to(root):
        return False
    return not heading or heading in headings(file)


def headings(document: Path) -> set[str]:
    """Return the names under which the headings of a document can be linked."""
    titles = re.findall(r"^#+ +(.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.strip().lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("document", holding("python"), ids=named)
def test_the_python_of_a_document_runs(document: Path, tmp_path: Path) -> None:
    broken = broken_code(named(document), document.read_text(encoding="utf-8"), tmp_path)

    assert not broken, f"The Python of {named(document)} breaks:\n{broken}"


@pytest.mark.parametrize("document", holding("console"), ids=named)
def test_the_transcripts_of_a_document_are_true(document: Path, tmp_path: Path) -> None:
    untrue = untrue_transcripts(named(document), document.read_text(encoding="utf-8"), tmp_path)

    assert not untrue, "\n\n".join(untrue)


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_the_links_of_a_document_lead_somewhere(document: Path) -> None:
    assert dead_links(document, ROOT) == []


@pytest.mark.parametrize("document", DOCUMENTS, ids=named)
def test_a_document_names_no_place_that_packages_come_from(document: Path) -> None:
    assert _REGISTRY.findall(document.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=named)
def test_an_example_runs_and_shows_something(example: Path, tmp_path: Path) -> None:
    done = run([sys.executable, "-W", "error", str(example)], tmp_path)

    assert done.returncode == 0, done.stdout
    assert done.stdout.strip()


@pytest.mark.skipif(not EXAMPLES, reason="there is no example yet")
def test_the_demo_is_one_of_the_examples() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")

    shown = re.findall(r"^demo:.*\n\t@\$\(BIN\)/python (\S+)$", makefile, re.MULTILINE)

    assert [name in map(named, EXAMPLES) for name in shown] == [True]


def test_the_readme_and_the_guide_are_among_what_is_run() -> None:
    assert {"README.md", "docs/guides/add-a-tool.md"} <= set(map(named, holding("python")))
    assert "README.md" in map(named, holding("console"))


BROKEN = """\
# Counting

```python
one = 1
```

- In a list:

  ```python
  two = one + 1
  assert two == 3
  ```
"""


def test_code_that_breaks_is_reported_with_document_and_line(tmp_path: Path) -> None:
    broken = broken_code("docs/counting.md", BROKEN, tmp_path)

    assert 'File "docs/counting.md", line 11, in <module>' in broken
    assert "AssertionError" in broken


def test_code_that_is_no_python_is_reported_with_document_and_line(tmp_path: Path) -> None:
    broken = broken_code("notes.md", "# Notes\n\n```python\nif:\n```\n", tmp_path)

    assert 'File "notes.md", line 4' in broken
    assert "SyntaxError" in broken


def test_a_warning_breaks_a_document(tmp_path: Path) -> None:
    text = "```python\nimport warnings\nwarnings.warn('old')\n```\n"

    assert "UserWarning: old" in broken_code("old.md", text, tmp_path)


def test_code_that_runs_is_not_reported_and_other_languages_are_left_alone(tmp_path: Path) -> None:
    text = "```sh\nnot python\n```\n\n```python\nprint('fine')\n```\n"

    assert broken_code("fine.md", text, tmp_path) == ""


def test_a_transcript_that_is_not_true_is_reported_with_its_line(tmp_path: Path) -> None:
    text = (
        "# Tools\n\n```console\n$ gantlet tools --deny '*'\n0 tools\n$ gantlet --version\n1\n```\n"
    )

    untrue = untrue_transcripts("tools.md", text, tmp_path)

    assert len(untrue) == 1
    assert untrue[0].startswith("tools.md:6: `gantlet --version` prints:\n")


def test_a_transcript_of_another_program_is_refused(tmp_path: Path) -> None:
    text = "```console\n$ rm -rf build\n```\n"

    assert untrue_transcripts("a.md", text, tmp_path) == [
        "a.md:2: only `gantlet` can be checked; use `sh`."
    ]


@pytest.mark.parametrize(
    ("told", "is_true"),
    [
        (("first", "second", "third"), True),
        (("first", "...", "third"), True),
        (("...", "third"), True),
        (("first", "..."), True),
        (("first", "second", "...", "third"), True),
        (("first",), False),
        (("...", "second"), False),
        (("first", "...", "fourth"), False),
        ((), False),
    ],
)
def test_three_dots_stand_for_any_lines_and_nothing_else_does(
    told: tuple[str, ...], is_true: bool
) -> None:
    assert is_told_by(told, "first\nsecond\nthird") is is_true


def test_dead_links_are_found_and_live_ones_are_not(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "out.md").write_text("outside", encoding="utf-8")
    (root / "there.md").write_text("# It's there: `x`\n", encoding="utf-8")
    document = root / "links.md"
    document.write_text(
        "[a](there.md) [b](there.md#its-there-x) [c](#own) [d](mailto:x@y) [e](https://a.b)\n"
        "[f](gone.md) [g](there.md#gone) [l](../out.md) [h]: is text, `[i](code.md)` is code\n"
        "```\n[j](fenced.md)\n```\n## Own\n[k][1]\n\n[1]: lost.md\n",
        encoding="utf-8",
    )

    assert dead_links(document, root) == ["gone.md", "there.md#gone", "../out.md", "lost.md"]
