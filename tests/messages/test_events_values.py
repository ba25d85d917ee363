"""Events and capabilities: values that cannot change once told."""

import dataclasses
import subprocess
import sys
from typing import get_args

import pytest

import gantlet.messages
from gantlet.messages import (
    CallFinished,
    CallProgressed,
    Capabilities,
    Event,
    FrozenList,
    OutcomeKind,
    ResultBlock,
    TurnEnd,
    TurnFinished,
    Usage,
)


@pytest.mark.parametrize("event_type", get_args(Event), ids=lambda event_type: event_type.__name__)
def test_every_event_is_frozen_and_slotted_and_says_when_it_is_told(event_type: type) -> None:
    assert dataclasses.is_dataclass(event_type)
    with pytest.raises(dataclasses.FrozenInstanceError):
        event_type.__setattr__(object.__new__(event_type), "anything", 1)
    assert "__slots__" in vars(event_type)
    assert (event_type.__doc__ or "").startswith("Told ")


def test_progress_does_not_change_with_the_list_it_was_built_from() -> None:
    lines: list[gantlet.messages.JsonValue] = ["one"]

    event = CallProgressed("toolu_1", lines, coalesced=3)
    lines.append("two")

    assert event == CallProgressed("toolu_1", FrozenList(["one"]), 3)


def test_an_outcome_is_its_name() -> None:
    finished = CallFinished(
        "toolu_1", "Read", OutcomeKind.SUCCEEDED, ResultBlock("toolu_1", "done")
    )

    assert f"{finished.name} {finished.outcome}" == "Read succeeded"
    assert [str(outcome) for outcome in OutcomeKind] == [
        "succeeded",
        "failed",
        "invalid",
        "denied",
        "cancelled",
        "interrupted",
        "unknown",
    ]


def test_a_turn_whose_prices_are_unknown_has_no_cost() -> None:
    assert TurnFinished(TurnEnd.COMPLETED, Usage(1, 2)).cost_usd is None


def test_an_unknown_model_is_trusted_with_nothing() -> None:
    assert Capabilities("someone-elses-model") == Capabilities(
        model="someone-elses-model",
        strict_tools=False,
        input_examples=False,
        deferred_tools=False,
        thinking=False,
        context_tokens=200_000,
        max_output_tokens=8_192,
        input_usd_per_million=None,
        output_usd_per_million=None,
        cache_write_usd_per_million=None,
        cache_read_usd_per_million=None,
    )


def test_every_public_name_exists_once() -> None:
    names = gantlet.messages.__all__

    assert [name for name in names if not hasattr(gantlet.messages, name)] == []
    assert len(set(names)) == len(names)


def test_importing_messages_loads_nothing_outside_the_standard_library() -> None:
    program = (
        "import sys; before = set(sys.modules); import gantlet.messages;"
        "print({name.split('.')[0] for name in set(sys.modules) - before}"
        " - set(sys.stdlib_module_names))"
    )

    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout.strip() == "{'gantlet'}"
