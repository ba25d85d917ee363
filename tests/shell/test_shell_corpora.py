"""Hundreds of commands, each with what must come of it."""

from collections.abc import Mapping

import pytest

from gantlet.shell import analyse
from shell.shell_kit import corpus, named, objections, programs


@pytest.mark.parametrize("case", corpus("everyday"), ids=named)
def test_an_everyday_command_is_proved_to_read_only(case: Mapping[str, str]) -> None:
    assert objections(case["command"]) == [], case["why"]


@pytest.mark.parametrize("case", corpus("attacks"), ids=named)
def test_a_command_that_may_do_more_is_never_proved_to_read_only(
    case: Mapping[str, str],
) -> None:
    assert objections(case["command"]), case["why"]


@pytest.mark.parametrize("case", corpus("published"), ids=named)
def test_a_published_bypass_does_not_work_here(case: Mapping[str, str]) -> None:
    analysis = analyse(case["command"])

    assert objections(case["command"]), case["why"]
    assert case.get("runs", "") in {"", *programs(analysis)}, case["why"]


@pytest.mark.parametrize("case", corpus("hidden"), ids=named)
def test_a_hidden_command_is_listed(case: Mapping[str, str]) -> None:
    assert case["runs"] in programs(analyse(case["command"])), case["why"]


@pytest.mark.parametrize("case", corpus("data"), ids=named)
def test_text_is_not_listed_as_a_command(case: Mapping[str, str]) -> None:
    assert case["runs_not"] not in programs(analyse(case["command"])), case["why"]


@pytest.mark.parametrize("name", ["everyday", "attacks", "published", "hidden", "data"])
def test_a_corpus_names_each_case_once_and_with_a_reason(name: str) -> None:
    cases = corpus(name)

    assert len({case["id"] for case in cases}) == len(cases)
    assert len({case["command"] for case in cases}) == len(cases)
    assert all(case["why"] for case in cases)
