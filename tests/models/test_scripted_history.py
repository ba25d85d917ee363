"""Which histories are refused, as the Messages API refuses them."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import (
    AssistantMessage,
    Message,
    ResultBlock,
    ServerToolUse,
    Text,
    ToolUse,
    Unknown,
    UserMessage,
    blocks_of,
)
from gantlet.models.scripted import check_history

HELLO = UserMessage("hello")


def asks(*ids: str) -> AssistantMessage:
    """Return a reply with calls of these ids."""
    return AssistantMessage((Text("ok"), *(ToolUse(one, "T", {}) for one in ids)))


def answers(*ids: str) -> UserMessage:
    """Return the results of these calls."""
    return UserMessage(tuple(ResultBlock(one, "done") for one in ids))


def test_an_ordinary_history_is_accepted() -> None:
    history: list[Message] = [
        HELLO,
        asks("a", "b"),
        answers("a", "b"),
        AssistantMessage("done"),
        UserMessage("x"),
    ]

    assert check_history(history) == ""


@pytest.mark.parametrize(
    "history",
    [
        [HELLO, AssistantMessage("prefilled ")],
        [HELLO, AssistantMessage("")],
        [HELLO, UserMessage("again")],
        [HELLO, asks("a", "b"), answers("b", "a")],
        [HELLO, asks("a"), UserMessage((ResultBlock("a"), Text("and words")))],
        [HELLO, AssistantMessage((ServerToolUse("s", "web_search", {}),)), UserMessage("x")],
        [HELLO, AssistantMessage((Unknown({"type": "fallback"}),))],
    ],
)
def test_what_the_api_accepts_is_accepted(history: list[Message]) -> None:
    assert check_history(history) == ""


@pytest.mark.parametrize(
    ("history", "said"),
    [
        ([], "messages: at least one message is required"),
        ([AssistantMessage("hi")], 'messages: first message must use the "user" role'),
        ([UserMessage("")], "messages.0: all messages must have non-empty content"),
        ([UserMessage(())], "messages.0: all messages must have non-empty content"),
        ([UserMessage(" \n")], "messages.0.content.0: text content blocks must be non-empty"),
        (
            [HELLO, AssistantMessage(()), HELLO],
            "messages.1: all messages must have non-empty content",
        ),
        (
            [HELLO, asks("a")],
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately "
            "after: a.",
        ),
        (
            [HELLO, asks("a"), UserMessage("never mind")],
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately",
        ),
        (
            [HELLO, asks("a", "b"), answers("a"), answers("b")],
            "messages.1: `tool_use` ids were found without `tool_result` blocks immediately "
            "after: b.",
        ),
        (
            [HELLO, asks("a"), HELLO, answers("a")],
            "messages.1: `tool_use` ids were found without",
        ),
        (
            [HELLO, asks("a"), AssistantMessage("hm"), answers("a")],
            "messages.1: `tool_use` ids were found without",
        ),
        (
            [answers("a")],
            "messages.0: unexpected `tool_use_id` found in `tool_result` blocks: a.",
        ),
        (
            [HELLO, asks("a"), answers("a", "z")],
            "messages.2: unexpected `tool_use_id` found in `tool_result` blocks: z.",
        ),
        (
            [HELLO, asks("a"), answers("a", "a")],
            "messages.2: each `tool_use` must have a single result",
        ),
        (
            [HELLO, asks("a"), UserMessage((Text("here:"), ResultBlock("a")))],
            "messages.2: `tool_result` blocks must come first in the message.",
        ),
        (
            [HELLO, asks("a"), answers("a"), asks("a"), answers("a")],
            "messages.3: `tool_use` ids must be unique: a",
        ),
        ([HELLO, asks("a", "a"), answers("a")], "messages.1: `tool_use` ids must be unique: a"),
        (
            [UserMessage((ToolUse("a", "T", {}),))],
            "messages.0: `tool_use` blocks can only be in `assistant` messages",
        ),
        (
            [HELLO, AssistantMessage((ResultBlock("a"),))],
            "messages.1: `tool_result` blocks can only be in `user` messages",
        ),
        (
            [HELLO, AssistantMessage((Unknown({"type": "tool_use", "name": "T"}),))],
            "messages.1.content.0: the tool_use block lacks a field",
        ),
        ([UserMessage((Unknown(7),))], "messages.0.content.0: Input should be an object"),
    ],
)
def test_what_the_api_refuses_is_refused_with_its_reason(history: list[Message], said: str) -> None:
    assert check_history(history).startswith(said)


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Histories that the API accepts."""
    history: list[Message] = []
    for step in range(draw(st.integers(1, 5))):
        history.append(UserMessage(draw(st.sampled_from(["go", "on", "stop"]))))
        for round_ in range(draw(st.integers(0, 2))):
            ids = [f"t{step}_{round_}_{at}" for at in range(draw(st.integers(1, 3)))]
            given_back = draw(st.permutations(ids))
            words = draw(st.sampled_from([(), (Text("by the way"),)]))
            history += [asks(*ids), UserMessage((*answers(*given_back).content, *words))]
        history.append(AssistantMessage("done"))
    return history


@given(histories())
def test_a_history_in_order_is_accepted_at_every_point_where_the_model_is_asked(
    history: list[Message],
) -> None:
    for end, message in enumerate(history, start=1):
        if isinstance(message, UserMessage):
            assert check_history(history[:end]) == ""


def without_a_result(message: Message) -> Message:
    """Take the first result out of a message."""
    blocks = list(blocks_of(message))
    first = next(block for block in blocks if isinstance(block, ResultBlock))
    blocks.remove(first)
    return replace(message, content=tuple(blocks))


def with_words_first(message: Message) -> Message:
    """Put words before the results."""
    return replace(message, content=(Text("first"), *blocks_of(message)))


def with_a_stranger(message: Message) -> Message:
    """Add a result that nobody asked for."""
    return replace(message, content=(ResultBlock("stranger"), *blocks_of(message)))


def with_one_twice(message: Message) -> Message:
    """Give the first result twice."""
    return replace(message, content=(blocks_of(message)[0], *blocks_of(message)))


@given(
    histories(),
    st.sampled_from([without_a_result, with_words_first, with_a_stranger, with_one_twice]),
    st.data(),
)
def test_one_change_to_the_results_makes_a_history_invalid(
    history: list[Message], change: Callable[[Message], Message], data: st.DataObject
) -> None:
    places = [
        at
        for at, message in enumerate(history)
        if any(isinstance(block, ResultBlock) for block in blocks_of(message))
    ]
    if not places:
        return
    at = data.draw(st.sampled_from(places))

    changed = [*history[:at], change(history[at]), *history[at + 1 :]]

    assert check_history(changed) != ""
