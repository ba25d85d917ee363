"""Limits of the real program: which one ended a run is told in every form of output."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from end_to_end.program_kit import STREAM, Desk, frames

CALL = {"call": "Glob", "input": {"pattern": "*"}}
LONG = {"say": [CALL], "usage": {"input_tokens": 1, "output_tokens": 500}}
FOR_EVER = [{"wait": 1_000}, "never said"]
TURNS = "Stopped after 1 requests, the most that were allowed (max turns)."
TOKENS = "Stopped after 500 output tokens; 500 were allowed."
SECONDS = r"Stopped after [\d.]+ s; 0.2 were allowed."

#: The flag, what the model says, and what is told: kind of result, reason, limit, words.
CASES = {
    "turns": (
        ("--max-turns", "1"),
        LONG,
        ("error_max_turns", "max_turns", "max_turns", re.escape(TURNS)),
    ),
    "tokens": (
        ("--max-output-tokens", "500"),
        LONG,
        ("error_during_execution", "budget_exhausted", "max_output_tokens", re.escape(TOKENS)),
    ),
    "seconds": (
        ("--max-seconds", "0.2"),
        FOR_EVER,
        ("error_during_execution", "budget_exhausted", "max_seconds", SECONDS),
    ),
}


def told(result: Any) -> tuple[str, str, str]:
    return result["subtype"], result["terminal_reason"], result["limit"]


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_which_limit_ended_a_run_is_told_in_every_form(
    tmp_path: Path, case: tuple[tuple[str, str], object, tuple[str, str, str, str]]
) -> None:
    flags, said, (subtype, reason, limit, words) = case
    desk = Desk(tmp_path, said, "never said")

    plain = desk.run("Go", *flags)
    one = desk.run("Go", *flags, "--output-format", "json")
    lines = desk.run("Go", *flags, *STREAM)

    assert [run.returncode for run in (plain, one, lines)] == [1, 1, 1]
    assert re.fullmatch(words, plain.stdout.strip())
    for result in (json.loads(one.stdout), frames(lines.stdout)[-1]):
        assert told(result) == (subtype, reason, limit)
        assert re.fullmatch(words, result["errors"][0])
        assert (result["is_error"], "result" in result) == (True, False)


def test_a_run_that_ends_by_itself_tells_of_no_limit(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Done.")

    ended = desk.run("Go", "--max-output-tokens", "500", "--output-format", "json")

    assert "limit" not in json.loads(ended.stdout)


def test_the_budget_in_dollars_keeps_its_name(tmp_path: Path) -> None:
    desk = Desk(tmp_path, LONG)

    ended = desk.run("Go", "--max-budget-usd", "1", "--output-format", "json")

    result = json.loads(ended.stdout)
    assert told(result) == ("error_max_budget_usd", "budget_exhausted", "max_budget_usd")
    assert "The price of model is not known" in result["errors"][0]
