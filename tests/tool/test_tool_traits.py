"""What a call counts as: careful where nothing is known, and never a crash."""

import logging
from typing import Any

import pytest

from gantlet.tool import (
    EXCLUSIVE,
    MOST_DANGEROUS,
    READS_ANYTHING,
    READS_ONLY,
    Access,
    File,
    Interrupt,
    Tool,
    Traits,
    ask_traits,
)


class Silent(Tool[Any]):
    """A tool that says nothing of itself."""

    name = "Silent"
    description = "Say nothing."
    input_schema = {"type": "object"}  # noqa: RUF012 - what any author would write


class Answering(Silent):
    """A tool that answers what it was given, or raises it."""

    name = "Answering"

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def traits(self, args: object) -> Traits:
        if isinstance(self._answer, BaseException):
            raise self._answer
        answer: Traits = self._answer() if callable(self._answer) else self._answer
        return answer


def test_a_tool_that_says_nothing_runs_alone_may_change_things_and_is_not_stopped() -> None:
    traits = ask_traits(Silent(), {})

    assert traits == Traits(
        read_only=False,
        destructive=False,
        concurrency_safe=False,
        access=None,
        interrupt=None,
        failure_stops_siblings=False,
        open_world=True,
    )
    assert (traits.reach, traits.on_interrupt) == (EXCLUSIVE, Interrupt.BLOCK)


@pytest.mark.parametrize(
    "answer",
    [
        RuntimeError("no idea"),
        RecursionError(),
        KeyError("path"),
        AssertionError(),
        None,
        "read-only",
        {"read_only": True},
        Traits,
        lambda: Traits(read_only=True, destructive=True),
        lambda: Traits(read_only="no"),  # type: ignore[arg-type]  # what the test is about
        lambda: Traits(open_world=None),  # type: ignore[arg-type]  # what the test is about
        lambda: Traits(concurrency_safe=1),  # type: ignore[arg-type]  # what the test is about
        lambda: Traits(access={File("a")}),  # type: ignore[arg-type]  # what the test is about
        lambda: Traits(interrupt="maybe"),  # type: ignore[arg-type]  # what the test is about
    ],
)
def test_a_tool_that_raises_or_answers_nonsense_is_most_dangerous(
    answer: object, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        traits = ask_traits(Answering(answer if answer is not Traits else lambda: Traits), {})

    assert traits == MOST_DANGEROUS
    assert [record.name for record in caplog.records] == ["gantlet.tool.traits"]


def test_the_most_dangerous_call_is_alone_and_destructive_and_finishes() -> None:
    assert MOST_DANGEROUS.destructive
    assert not MOST_DANGEROUS.read_only
    assert MOST_DANGEROUS.open_world
    assert (MOST_DANGEROUS.reach, MOST_DANGEROUS.on_interrupt) == (EXCLUSIVE, Interrupt.BLOCK)


def test_a_keyboard_interrupt_in_a_tool_is_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        ask_traits(Answering(KeyboardInterrupt()), {})


def test_a_call_cannot_be_read_only_and_destructive() -> None:
    with pytest.raises(ValueError, match="cannot be read-only and destructive at once"):
        Traits(read_only=True, destructive=True)


@pytest.mark.parametrize(
    ("traits", "reach"),
    [
        (Traits(), EXCLUSIVE),
        (Traits(read_only=True), EXCLUSIVE),
        (Traits(concurrency_safe=True), READS_ANYTHING),
        (READS_ONLY, READS_ANYTHING),
        (Traits(access=Access(writes={File("a")})), Access(writes={File("a")})),
        (
            Traits(concurrency_safe=True, access=Access(reads={File("a")})),
            Access(reads={File("a")}),
        ),
    ],
)
def test_access_that_is_given_counts_before_the_short_form(traits: Traits, reach: Access) -> None:
    assert traits.reach == reach


@pytest.mark.parametrize(
    ("traits", "on_interrupt"),
    [
        (Traits(), Interrupt.BLOCK),
        (Traits(read_only=True), Interrupt.CANCEL),
        (Traits(concurrency_safe=True), Interrupt.BLOCK),
        (Traits(read_only=True, interrupt=Interrupt.BLOCK), Interrupt.BLOCK),
        (Traits(interrupt=Interrupt.CANCEL), Interrupt.CANCEL),
        (Traits(interrupt="cancel"), Interrupt.CANCEL),  # type: ignore[arg-type]  # by its text
    ],
)
def test_what_an_interrupt_does_follows_from_reading_unless_it_is_said(
    traits: Traits, on_interrupt: Interrupt
) -> None:
    assert traits.on_interrupt is on_interrupt
