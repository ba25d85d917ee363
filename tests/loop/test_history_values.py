"""A history is always one the API accepts."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.loop import History, InvalidHistoryError, repair
from gantlet.loop.history import calls_of
from gantlet.loop.repair import LOST_RESULT
from gantlet.messages import (
    AssistantMessage,
    Block,
    Message,
    ResultBlock,
    ServerToolResult,
    ServerToolUse,
    Text,
    Thinking,
    ToolUse,
    Unknown,
    UserMessage,
    blocks_of,
)
from gantlet.messages.value import replace
from gantlet.models.scripted import check_history


def call(call_id: str) -> ToolUse:
    return ToolUse(call_id, "Look", {"at": call_id})


def asked(*calls: str) -> AssistantMessage:
    return AssistantMessage(tuple(call(one) for one in calls))


def answered(*results: str) -> UserMessage:
    return UserMessage(tuple(ResultBlock(one, "seen") for one in results))


GO = UserMessage("go")


def test_a_reply_and_its_results_in_any_order_are_taken() -> None:
    history = History.of([GO, asked("a", "b"), answered("b", "a")])

    assert history.messages == (GO, asked("a", "b"), answered("b", "a"))
    assert history.open_calls == ()


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([AssistantMessage((Text("hi"),))], "begins with the user"),
        ([GO, AssistantMessage((Text("hi"),)), AssistantMessage((Text("hi"),))], "follows a reply"),
        ([GO, AssistantMessage(())], "empty"),
        ([UserMessage(())], "empty"),
        ([GO, asked("a"), UserMessage("never mind")], "one to one"),
        ([GO, asked("a"), answered("a", "a")], "one to one"),
        ([GO, asked("a"), answered("b")], "one to one"),
        ([GO, answered("a")], "one to one"),
        ([GO, asked("a", "a")], "same id"),
        ([GO, asked("a"), answered("a"), asked("a")], "same id"),
        ([GO, asked("a"), UserMessage((Text("x"), ResultBlock("a", "y")))], "behind something"),
    ],
)
def test_what_the_api_would_refuse_is_refused_here(messages: list[Message], complaint: str) -> None:
    with pytest.raises(InvalidHistoryError, match=complaint):
        History.of(messages)


def test_a_reply_that_paused_is_joined_with_what_follows() -> None:
    history = History.of([GO, AssistantMessage((Text("first"),))])

    joined = history.joined(AssistantMessage((Text("second"),), stop_reason="end_turn"))

    whole = AssistantMessage((Text("first"), Text("second")), stop_reason="end_turn")
    assert joined.messages == (GO, whole)


def test_only_the_last_two_user_messages_are_marked_for_the_cache_and_no_other_byte_changes() -> (
    None
):
    history = History.of([GO, asked("a"), answered("a"), asked("b"), answered("b")])

    plain = [json.loads(piece) for piece in history.wire(breakpoints=0)]
    marked = [json.loads(piece) for piece in history.wire()]

    mark = {"cache_control": {"type": "ephemeral"}}
    assert marked[2]["content"][-1] == {**plain[2]["content"][-1], **mark}
    assert marked[4]["content"][-1] == {**plain[4]["content"][-1], **mark}
    assert [marked[i] for i in (0, 1, 3)] == [plain[i] for i in (0, 1, 3)]


def test_a_message_that_ends_in_thinking_or_is_marked_already_is_left_alone() -> None:
    thinking = UserMessage((Text("x"), Thinking("hm", "sig")))

    assert History.of([thinking]).wire() == History.of([thinking]).wire(breakpoints=0)


def test_a_call_without_a_result_gets_one_that_says_so() -> None:
    history, notes = repair([GO, asked("a", "b"), answered("b")])

    lost = ResultBlock("a", LOST_RESULT, is_error=True)
    assert history.messages[2] == UserMessage((lost, ResultBlock("b", "seen")))
    assert notes == ("the call 'a' of Look had no result; it got one",)


def test_results_that_came_one_by_one_are_put_into_one_message() -> None:
    history, notes = repair([GO, asked("a", "b"), answered("b"), answered("a"), GO])

    assert history.messages[2:] == (answered("a", "b"), GO)
    assert notes == ("results of one reply were put into one message",)


def test_a_torn_end_is_closed() -> None:
    history, notes = repair([GO, asked("a")])

    assert history.messages[-1] == UserMessage((ResultBlock("a", LOST_RESULT, is_error=True),))
    assert len(notes) == 1


def test_an_id_that_is_used_twice_is_made_two_and_the_results_follow() -> None:
    messages: list[Message] = [GO, asked("a"), answered("a"), asked("a"), answered("a")]

    history, notes = repair(messages)

    assert [one.id for one in calls_of(history.messages[3])] == ["a_2"]
    assert blocks_of(history.messages[4]) == (ResultBlock("a_2", "seen"),)
    assert notes == ("the id 'a' was used twice; the call became 'a_2'",)


def test_a_valid_history_is_not_touched() -> None:
    messages: list[Message] = [GO, asked("a"), answered("a"), AssistantMessage((Text("done"),))]

    history, notes = repair(messages)

    assert (history.messages, notes) == (tuple(messages), ())


@pytest.mark.parametrize(
    ("messages", "mended", "note"),
    [
        (
            [GO, asked("a", "a"), UserMessage((ResultBlock("a", "1"), ResultBlock("a", "2")))],
            [
                GO,
                AssistantMessage((call("a"), replace(call("a"), id="a_2"))),
                UserMessage((ResultBlock("a", "1"), ResultBlock("a_2", "2"))),
            ],
            "the id 'a' was used twice; the call became 'a_2'",
        ),
        (
            [GO, asked("a"), asked("b"), answered("a"), answered("b")],
            [GO, asked("a", "b"), answered("a", "b")],
            "two replies in a row were joined",
        ),
        (
            [GO, AssistantMessage((Thinking("hm"), Text("so"))), GO],
            [GO, AssistantMessage((Text("so"),)), GO],
            "thinking without a signature was dropped",
        ),
        (
            [UserMessage((call("a"), Text("go")))],
            [UserMessage((Text("go"),))],
            "a ToolUse block stood in the wrong kind of message; it was dropped",
        ),
        (
            [GO, AssistantMessage((ResultBlock("a", "seen"), Text("so")))],
            [GO, AssistantMessage((Text("so"),))],
            "a ResultBlock block stood in the wrong kind of message; it was dropped",
        ),
        (
            [UserMessage((Text(" \n"), Text("go")))],
            [UserMessage((Text("go"),))],
            "empty texts were dropped",
        ),
        (
            [UserMessage((Unknown({"type": "image"}), Unknown({"type": "new"})))],
            [UserMessage((Unknown({"type": "new"}),))],
            "a block without what its type needs was dropped",
        ),
        (
            [GO, AssistantMessage((ToolUse("a:1", "Look", {}),)), answered("a:1")],
            [GO, AssistantMessage((ToolUse("a_1", "Look", {}),)), answered("a_1")],
            "the id 'a:1' is not one the API takes; the call became 'a_1'",
        ),
        (
            [GO, AssistantMessage((ToolUse("a", "Look at", {}),)), answered("a")],
            [GO, AssistantMessage((ToolUse("a", "Look_at", {}),)), answered("a")],
            "a call of 'Look at', which can be no tool's name, became one of 'Look_at'",
        ),
        (
            [GO, AssistantMessage((Text("so"), ServerToolUse("s", "web_search", {}))), GO],
            [GO, AssistantMessage((Text("so"),)), GO],
            "a call of the API's own tools, or its answer, was dropped: the other was missing",
        ),
        (
            [GO, asked("a"), UserMessage((ResultBlock("a", (Text(""), Text("seen"))),))],
            [GO, asked("a"), UserMessage((ResultBlock("a", (Text("seen"),)),))],
            "empty texts were dropped",
        ),
    ],
    ids=[
        "one id twice in a reply",
        "calls in two replies",
        "thinking",
        "call by the user",
        "result by the model",
        "blank",
        "broken block",
        "odd id",
        "odd name",
        "open call of the API",
        "blank in a result",
    ],
)
def test_damage_is_mended_and_told(
    messages: list[Message], mended: list[Message], note: str
) -> None:
    history, notes = repair(messages)

    assert history.messages == tuple(mended)
    assert note in notes


ids = st.sampled_from(["a", "b", "c", "", "ä:1"])
blocks: st.SearchStrategy[Block] = st.one_of(
    st.builds(Text, st.sampled_from(["", " \n", "words"])),
    st.builds(lambda one: call(one), ids),
    st.builds(lambda one: ResultBlock(one, "seen"), ids),
    st.builds(lambda one: ResultBlock(one, (Text(""), call("x"), Text("seen"))), ids),
    st.builds(lambda signature: Thinking("hm", signature), st.sampled_from([None, "", "signed"])),
    st.builds(lambda one: ServerToolUse(one, "web_search", {}), ids),
    st.builds(lambda one: ServerToolResult("web_search_tool_result", one, []), ids),
    st.builds(
        Unknown, st.sampled_from([{"type": "text"}, {"type": "new"}, {"no": "type"}, "words", 5])
    ),
)
messages_from_anywhere = st.lists(
    st.one_of(
        st.builds(lambda some: UserMessage(tuple(some)), st.lists(blocks, max_size=4)),
        st.builds(lambda some: AssistantMessage(tuple(some)), st.lists(blocks, max_size=4)),
    ),
    max_size=8,
)


@given(messages_from_anywhere)
def test_whatever_comes_from_outside_becomes_a_valid_history(messages: list[Message]) -> None:
    history, notes = repair(messages)

    again, nothing = repair(history.messages)
    assert check_history([*history.messages, GO]) == ""
    assert History.of(history.messages) == history
    assert (again.messages, nothing) == (history.messages, ())
    assert bool(notes) or history.messages == tuple(messages)
