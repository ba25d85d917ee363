"""`scripts/measure`, run as people run it."""

import os
import subprocess
import sys
from pathlib import Path

MEASURE = Path(__file__).resolve().parents[2] / "scripts" / "measure"


def measured(*paths: str, cwd: Path) -> str:
    """Run the script and return what it printed; it must end with 0 and complain about nothing."""
    done = subprocess.run(
        [sys.executable, "-W", "error", str(MEASURE), *paths],
        cwd=cwd,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def words(text: str) -> list[str]:
    """Return the lines of `text` with runs of spaces folded, empty ones left out."""
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def function_of(lines: int, arguments: int = 0, name: str = "made") -> str:
    """Return a function with so many lines and arguments."""
    given = ", ".join(f"a{number}" for number in range(arguments))
    return f"def {name}({given}):\n" + "    pass\n" * (lines - 1)


def test_the_whole_report_of_one_small_file(tmp_path: Path) -> None:
    (tmp_path / "small.py").write_text(function_of(3, arguments=2), encoding="utf-8")

    report = measured("small.py", cwd=tmp_path)

    assert words(report) == [
        "lines per file: 1 measured",
        "median 3 aim 120",
        "95 of 100 3 aim 300",
        "largest 3 look again above 400: 0",
        "3 small.py",
        "lines per function: 1 measured",
        "median 3 aim 10",
        "95 of 100 3 aim 35",
        "largest 3 look again above 60: 0",
        "3 small.py:1 made",
        "arguments per function: 1 measured",
        "median 2 aim 2",
        "95 of 100 2 aim 4",
        "largest 2 look again above 5: 0",
        "2 small.py:1 made",
    ]


def test_only_what_is_above_its_limit_is_marked(tmp_path: Path) -> None:
    at_limit = function_of(60, arguments=5, name="at_limit")
    above = function_of(61, arguments=6, name="above")
    (tmp_path / "few.py").write_text(at_limit, encoding="utf-8")
    (tmp_path / "many.py").write_text(above + "\n" * 340, encoding="utf-8")

    marked = [line for line in words(measured(".", cwd=tmp_path)) if line.endswith("look again")]

    assert marked == [
        "401 many.py look again",
        "61 many.py:1 above look again",
        "6 many.py:1 above look again",
    ]


def test_the_object_and_the_class_of_a_method_are_not_arguments(tmp_path: Path) -> None:
    source = """\
class Counted:
    def of_object(self, a): ...
    @classmethod
    def of_class(cls, a): ...
    @staticmethod
    def of_nobody(a): ...
    def outer(self):
        async def inner(a, /, b, *c, d, **e): ...
"""
    (tmp_path / "counted.py").write_text(source, encoding="utf-8")

    arguments = measured("counted.py", cwd=tmp_path).partition("arguments per function")[2]

    assert words(arguments)[4:] == [
        "5 counted.py:8 inner",
        "1 counted.py:2 of_object",
        "1 counted.py:4 of_class",
        "1 counted.py:6 of_nobody",
        "0 counted.py:7 outer",
    ]


def test_ten_are_shown_and_the_percentile_leaves_the_largest_twentieth_out(tmp_path: Path) -> None:
    for lines in range(1, 41):
        (tmp_path / f"of_{lines}.py").write_text("\n" * lines, encoding="utf-8")

    files = words(measured(".", cwd=tmp_path).partition("lines per function")[0])

    assert files[:4] == [
        "lines per file: 40 measured",
        "median 21 aim 120",
        "95 of 100 38 aim 300",
        "largest 40 look again above 400: 0",
    ]
    assert files[4:] == [f"{lines} of_{lines}.py" for lines in range(40, 30, -1)]


def test_what_cannot_be_read_is_named_and_the_rest_is_measured(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("def (:\n", encoding="utf-8")
    (tmp_path / "latin.py").write_bytes(b"# caf\xe9\n")
    (tmp_path / "whole.py").write_text("pass\n", encoding="utf-8")

    report = words(measured(".", "missing.py", cwd=tmp_path))

    assert [line.partition(" could not be measured: ")[0] for line in report[:3]] == [
        "broken.py",
        "latin.py",
        "missing.py",
    ]
    assert report[3:5] == ["lines per file: 1 measured", "median 1 aim 120"]


def test_a_file_named_twice_counts_once(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("pass\n", encoding="utf-8")

    report = words(measured("one.py", ".", "one.py", cwd=tmp_path))

    assert report[0] == "lines per file: 1 measured"


def test_without_a_path_it_measures_our_own_source_from_anywhere(tmp_path: Path) -> None:
    report = measured(cwd=tmp_path)

    assert "lines per function: 0 measured" not in report
    assert "src/gantlet/" in report
    assert "could not be measured" not in report


def test_help_says_how_to_use_it(tmp_path: Path) -> None:
    assert "Usage: scripts/measure [path ...]" in measured("--help", cwd=tmp_path)


def test_it_starts_by_its_own_name() -> None:
    done = subprocess.run([str(MEASURE), "--help"], capture_output=True, timeout=60, check=False)

    assert done.returncode == 0


def test_a_reader_who_leaves_early_is_no_failure() -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = subprocess.run(
        [sys.executable, str(MEASURE)],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
        check=False,
    )
    os.close(writing)

    assert (done.returncode, done.stderr) == (0, b"")
