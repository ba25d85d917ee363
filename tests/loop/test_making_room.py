"""Compaction when it does not go well: interrupted, refused, too long; and what it keeps."""

import anyio
import pytest

from gantlet import Agent, Priority
from gantlet.loop import CompactionSettings, History
from gantlet.loop.compaction import plan, shortened
from gantlet.messages import (
    AssistantMessage,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    CompactionTrigger,
    Document,
    FrozenDict,
    Image,
    Message,
    ModelError,
    ModelErrorKind,
    Notice,
    ResultBlock,
    Text,
    ToolUse,
    TurnEnd,
    Usage,
    UserMessage,
    loads,
)
from gantlet.models.scripted import check_history
from loop_kit import Summing, agent_of, assert_fine, events_of, texts

pytestmark = pytest.mark.anyio

SUMMARY = AssistantMessage((Text("We talked."),), stop_reason="end_turn", usage=Usage(1_000, 500))
REFUSED = AssistantMessage((Text("I will not."),), stop_reason="refusal")
TOO_LONG = ModelError("too long", ModelErrorKind.PROMPT_TOO_LONG)
LONG = "word " * 300


def talked(count: int = 4) -> History:
    said: list[Message] = []
    for number in range(count):
        said += [UserMessage(f"{number} {LONG}"), AssistantMessage((Text(f"{number} {LONG}"),))]
    return History.of(said)


def long_agent(*summaries: object) -> tuple[Agent, Summing]:
    """Return an agent whose conversation is too long, and its model."""
    model = Summing(*["Fine."] * 9, summaries=list(summaries), context_tokens=2_000)
    return agent_of(model=model, history=talked()), model


async def test_a_summary_is_paid_for() -> None:
    agent, _ = long_agent(SUMMARY)

    result = await agent.run("go")

    assert (result.usage.input_tokens or 0) >= 1_000
    assert (result.cost_usd or 0) >= 0.0015


async def test_an_interrupt_ends_a_summary() -> None:
    agent, _ = long_agent("never", SUMMARY)

    told: list[object] = []
    async with agent.stream("go") as events:
        with anyio.fail_after(5):
            async for event in events:
                told.append(event)
                if isinstance(event, CompactionStarted):
                    agent.interrupt()

    assert events.result.reason is TurnEnd.ABORTED_STREAMING
    assert CompactionFailed(CompactionTrigger.AUTO, "It was stopped.") in told
    await assert_fine(agent, "Fine.")


async def test_an_interrupt_ends_a_summary_on_demand() -> None:
    agent, model = long_agent("never")
    worked: list[bool] = []

    async def compact() -> None:
        worked.append(await agent.compact())

    async with anyio.create_task_group() as group:
        group.start_soon(compact)
        with anyio.fail_after(5):
            await model.began.wait()
        agent.interrupt()

    assert worked == [False]
    assert agent.messages == talked().messages


async def test_an_urgent_message_waits_for_a_summary_and_is_read_right_after() -> None:
    agent, _ = long_agent(SUMMARY)

    @agent.hook("PreCompact")
    async def say(given: object) -> None:
        agent.send("now", Priority.NOW)

    result = await agent.run("go")

    assert result.turns == 1
    assert texts(agent.messages[-2]) == ["now"]
    assert "We talked." in texts(agent.messages[0])[0]


async def test_a_refusal_is_no_summary() -> None:
    agent, _ = long_agent(REFUSED)

    heard, result = await events_of(agent, "go")

    assert result.text == "Fine."
    told = [event.text for event in heard if isinstance(event, Notice)]
    assert told == ["The conversation was not summed up. The model refused to sum it up."]
    assert CompactionFailed(CompactionTrigger.AUTO, "The model refused to sum it up.") in heard
    assert agent.messages[: len(talked().messages)] == talked().messages


async def test_what_is_too_long_to_be_summed_up_is_summed_up_in_part() -> None:
    agent, model = long_agent(TOO_LONG, TOO_LONG, SUMMARY)

    heard, _ = await events_of(agent, "go")

    assert any(isinstance(event, Compacted) for event in heard)
    lengths = [len(request.messages) for request in model.asked]
    assert lengths == sorted(lengths, reverse=True)
    assert lengths[0] > lengths[-1]
    for request in model.asked:
        roles = [loads(message)["role"] for message in request.messages]  # type: ignore[index,call-overload]
        assert roles[0] == "user"


async def test_the_users_last_words_are_kept_even_if_nothing_else_fits() -> None:
    huge = "word " * 2_000
    history = History.of([UserMessage("first"), AssistantMessage((Text(huge),)), UserMessage("go")])

    planned = plan(history, 4_000)

    assert [entry.message for entry in planned.tail] == [UserMessage("go")]


def test_what_is_left_of_a_conversation_never_separates_a_call_from_its_result() -> None:
    messages: list[Message] = [UserMessage("go")]
    for number in range(9):
        own = f"c{number}"
        messages.append(AssistantMessage((ToolUse(own, "look", {}),)))
        messages.append(UserMessage((ResultBlock(own, "x" * 3_000),)))
    left: History | None = History.of(messages)
    sizes = []

    while left is not None:
        assert check_history(left.messages) == ""
        sizes.append(left.chars)
        left = shortened(left)

    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < sizes[0] / 20


def test_a_text_that_is_too_long_by_itself_loses_its_middle() -> None:
    left = shortened(History.of([UserMessage("a" * 50_000 + "z")]))

    assert left is not None
    (text,) = texts(left.messages[0])
    assert text.startswith("aaa")
    assert text.endswith("az")
    assert "characters are left out here" in text
    assert shortened(left) is None


def test_a_picture_counts_by_what_it_costs_and_not_by_its_bytes() -> None:
    source = FrozenDict({"type": "base64", "media_type": "image/png", "data": "A" * 1_000_000})
    seen = ResultBlock("c1", (Image(source),))
    history = History.of(
        [
            UserMessage((Image(source), Text("see"))),
            AssistantMessage((ToolUse("c1", "look", {}),)),
            UserMessage((seen,)),
        ]
    )
    paper = History.of([UserMessage((Document(source),))])

    assert history.chars < 20_000
    assert 100_000 < paper.chars < 300_000
    assert len(b"".join(history.wire())) > 2_000_000


async def test_a_prompt_that_was_too_long_does_not_keep_the_next_one_from_being_answered() -> None:
    too_long_at_first = {"say": "Fine.", "fault": {"error": "prompt_too_long"}}
    model = Summing(
        too_long_at_first, summaries=[TOO_LONG, SUMMARY, SUMMARY], context_tokens=200_000
    )
    agent = agent_of(model=model, history=History.of([UserMessage("x" * 50_000)]))

    result = await agent.run("Something else.")

    assert (result.text, result.reason) == ("Fine.", TurnEnd.COMPLETED)
    assert [texts(message) for message in agent.messages[1:]] == [["Something else."], ["Fine."]]


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (CompactionSettings(), 100),
        (CompactionSettings(window_tokens=40), 40),
        (CompactionSettings(window_tokens=400), 100),
        (CompactionSettings(context_tokens=300), 300),
        (CompactionSettings(context_tokens=300, window_tokens=200), 200),
    ],
    ids=["as known", "window", "window too wide", "context", "both"],
)
def test_no_more_of_a_context_is_used_than_there_is_and_is_wanted(
    wanted: CompactionSettings, expected: int
) -> None:
    assert wanted.room(100) == expected
