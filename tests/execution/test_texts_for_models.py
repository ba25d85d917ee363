"""What a model reads when a call gave no result of its own: it says what to do next."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.execution import texts


def test_an_error_is_wrapped_the_way_models_know_it() -> None:
    assert texts.error("No file.") == "<tool_use_error>No file.</tool_use_error>"


@given(message=st.text())
def test_what_was_wrapped_can_be_unwrapped(message: str) -> None:
    assert texts.unwrapped(texts.error(message)) == message


def test_a_text_that_was_never_wrapped_stays() -> None:
    assert texts.unwrapped("Permission denied.") == "Permission denied."


@pytest.mark.parametrize(
    ("name", "nearest", "text"),
    [
        ("X", [], "<tool_use_error>Error: No such tool available: X</tool_use_error>"),
        (
            "Raed",
            ["Read", "ReadAll"],
            "<tool_use_error>Error: No such tool available: Raed</tool_use_error>"
            " Nearest: Read, ReadAll.",
        ),
        (
            "x" * 201,
            [],
            f"<tool_use_error>Error: No such tool available: {'x' * 199}…</tool_use_error>",
        ),
        ("x" * 200, [], texts.error(f"Error: No such tool available: {'x' * 200}")),
    ],
)
def test_an_unknown_tool_is_named_and_so_are_those_near_it(
    name: str, nearest: list[str], text: str
) -> None:
    assert texts.no_such_tool(name, nearest) == text


def test_a_bad_input_bears_the_name_models_know() -> None:
    assert texts.invalid_input("`path` is required but missing.") == (
        "<tool_use_error>InputValidationError: `path` is required but missing.</tool_use_error>"
    )


@pytest.mark.parametrize(
    ("reason", "source", "start"),
    [
        ("It writes.", "plan mode", "Permission denied: It writes (plan mode). "),
        ("It writes", "plan mode", "Permission denied: It writes (plan mode). "),
        ("It writes.", "", "Permission denied: It writes. "),
        ("Really?!", "person", "Permission denied: Really?! (person). "),
        ("", "person", "Permission denied: no reason was given (person). "),
        (" \n", "", "Permission denied: no reason was given. "),
    ],
)
def test_a_denial_reads_well_whatever_its_reason(reason: str, source: str, start: str) -> None:
    assert texts.denied(reason, source) == (
        f"{start}Do not try to get around this; go on without it."
    )


@pytest.mark.parametrize(
    ("description", "text"),
    [
        ("Bash(make)", "Cancelled: parallel tool call Bash(make) errored"),
        ("", "Cancelled: parallel tool call errored"),
    ],
)
def test_a_call_that_a_failed_sibling_stopped_says_which(description: str, text: str) -> None:
    assert texts.sibling_failed(description) == text


@pytest.mark.parametrize(("seconds", "shown"), [(2, "2"), (2.5, "2.5"), (120.0, "120")])
def test_a_call_that_took_too_long_says_how_long_it_had(seconds: float, shown: str) -> None:
    assert texts.timed_out("Fetch", seconds) == (
        f"Fetch did not finish within {shown} seconds and was stopped. Ask for less."
    )


def test_a_bug_is_not_blamed_on_the_model() -> None:
    assert texts.bug("Fetch", "KeyError") == (
        "Fetch broke with KeyError; this is a bug in the tool, not in your call. Try another way."
    )


def test_every_fixed_text_is_whole_sentences() -> None:
    fixed = [
        value
        for name, value in inspect.getmembers(texts)
        if name.isupper() and not name.startswith("_")
    ]

    assert len(fixed) >= 8
    assert [text for text in fixed if not text[0].isupper() or text[-1] not in ".:"] == []
