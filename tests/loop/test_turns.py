"""Whole turns with the scripted model: what is asked, what is answered, how it ends."""

from collections.abc import Sequence

import anyio
import pytest

from gantlet import Agent, AgentParts, RunResult
from gantlet.execution import ExecutionSettings
from gantlet.loop import History
from gantlet.loop.attachments import CONTINUE, INTERRUPTED_SPEAKING, INTERRUPTED_TOOLS
from gantlet.loop.continuing import CUT_CALL, CUT_OFF, FULL, GIVEN_UP, MAX_PAUSES, NEVER_ENDS
from gantlet.messages import (
    AssistantMessage,
    Capabilities,
    Compacted,
    Message,
    ModelSwitched,
    Notice,
    ResultBlock,
    Text,
    Thinking,
    ToolUse,
    TurnEnd,
    UserMessage,
    blocks_of,
)
from gantlet.models.scripted import ScriptedModel, script_of
from gantlet.system import Environment
from gantlet.testing import VirtualClock, settle
from gantlet.tool import READS_ONLY, AnyTool, Tool, ToolContext, ToolInput, Traits, tool
from loop_kit import events_of, results, texts

pytestmark = pytest.mark.anyio


class NoteInput(ToolInput):
    note: str = ""


class Slow(Tool[NoteInput]):
    """Waits on the test's clock, and tells when it has begun."""

    name = "Slow"
    description = "Takes a while."
    input_type = NoteInput

    def __init__(self, clock: VirtualClock, seconds: float = 60.0) -> None:
        self.began = anyio.Event()
        self._clock = clock
        self._seconds = seconds

    def traits(self, args: NoteInput) -> Traits:
        return READS_ONLY

    async def run(self, args: NoteInput, context: ToolContext) -> str:
        self.began.set()
        await self._clock.sleep(self._seconds)
        return "slept"


@tool(read_only=True)
async def look(note: str = "") -> str:
    """Look at something."""
    return f"saw {note}"


def made(
    *replies: object,
    tools: Sequence[AnyTool] = (look,),
    clock: VirtualClock | None = None,
    capabilities: Capabilities | None = None,
    fallback_models: Sequence[str] = (),
    max_turns: int | None = None,
    max_tokens: int = 0,
    max_budget_usd: float | None = None,
    history: History | None = None,
) -> tuple[Agent, ScriptedModel]:
    clock = clock or VirtualClock()
    model = ScriptedModel(script_of(*replies), clock, capabilities=capabilities)
    parts = AgentParts(
        clock=clock,
        environment=Environment(),
        execution=ExecutionSettings(),
        history=history,
    )
    agent = Agent(
        model,
        tools=tools,
        parts=parts,
        fallback_models=fallback_models,
        max_turns=max_turns,
        max_tokens=max_tokens,
        max_budget_usd=max_budget_usd,
    )
    return agent, model


async def test_a_reply_without_calls_ends_the_turn() -> None:
    agent, model = made("Hello.")

    result = await agent.run("hi")

    assert (result.text, result.turns, result.reason) == ("Hello.", 1, TurnEnd.COMPLETED)
    assert [texts(message) for message in agent.messages] == [["hi"], ["Hello."]]
    assert len(model.requests) == 1


async def test_results_of_one_reply_go_into_one_message_in_the_order_of_the_calls() -> None:
    agent, _ = made(
        [
            "Looking.",
            {"call": "look", "input": {"note": "a"}, "id": "c1"},
            {"call": "look", "input": {"note": "b"}, "id": "c2"},
        ],
        "Done.",
    )

    result = await agent.run("go")

    assert results(agent.messages[2]) == [("c1", "saw a"), ("c2", "saw b")]
    assert (result.text, result.turns) == ("Done.", 2)


@pytest.mark.parametrize("stop_reason", [None, "end_turn", "stop_sequence"])
async def test_calls_are_found_by_content_whatever_the_stop_reason(stop_reason: str | None) -> None:
    agent, _ = made(
        {"say": [{"call": "look", "id": "c1"}], "stop_reason": stop_reason},
        "Done.",
    )

    result = await agent.run("go")

    assert results(agent.messages[2]) == [("c1", "saw ")]
    assert result.text == "Done."


async def test_a_call_cut_off_by_the_token_limit_never_runs_and_the_model_goes_on() -> None:
    agent, model = made(
        {"say": ["Well, ", {"call": "look", "id": "c1"}], "stop_reason": "max_tokens"},
        "that is all.",
    )

    heard, result = await events_of(agent, "go")

    assert texts(agent.messages[2]) == [CONTINUE]
    assert not any(isinstance(block, ToolUse) for m in agent.messages for block in blocks_of(m))
    assert result.text == "Well, that is all."
    assert len(model.requests) == 2
    assert [event.text for event in heard if isinstance(event, Notice)] == [CUT_OFF]


async def test_a_reply_that_is_cut_off_again_and_again_ends_and_the_user_is_told() -> None:
    cut = {"say": "and ", "stop_reason": "max_tokens"}
    agent, model = made(cut, cut, cut, cut, "never said")

    heard, result = await events_of(agent, "go")

    assert (result.text, result.stop_reason) == ("and and and and ", "max_tokens")
    told = [event.text for event in heard if isinstance(event, Notice)]
    assert told == [CUT_OFF, CUT_OFF, CUT_OFF, GIVEN_UP]
    assert len(model.requests) == 4


async def test_replies_cut_off_now_and_then_do_not_end_a_long_turn() -> None:
    cut = {"say": "so ", "stop_reason": "max_tokens"}
    look = [{"call": "look"}]
    agent, _ = made(*[cut, look] * 5, "Done.")

    result = await agent.run("go")

    assert (result.text, result.turns) == ("Done.", 11)


async def test_a_call_that_was_cut_off_behind_one_that_ran_is_told_of() -> None:
    calls = [{"call": "look", "id": "c1"}, {"call": "look", "id": "c2"}]
    agent, model = made({"say": calls, "stop_reason": "max_tokens"}, "Done.", max_tokens=100)

    heard, _ = await events_of(agent, "go")

    assert results(agent.messages[2]) == [("c1", "saw ")]
    assert CUT_CALL in texts(agent.messages[2])[0]
    assert [event.text for event in heard if isinstance(event, Notice)] == [CUT_OFF]
    assert [request.body["max_tokens"] for request in model.requests] == [100, 200]


async def test_a_server_that_pauses_for_ever_is_left() -> None:
    pause = {"say": "hm ", "stop_reason": "pause_turn"}
    agent, model = made(*[pause] * (MAX_PAUSES + 5))

    result = await agent.run("go")

    assert (result.reason, result.errors) == (TurnEnd.MODEL_ERROR, (NEVER_ENDS,))
    assert len(model.requests) == MAX_PAUSES + 1
    assert History.of(agent.messages).messages == agent.messages


async def test_a_context_that_cannot_be_made_shorter_ends_the_turn_with_advice() -> None:
    agent, _ = made({"say": "and", "stop_reason": "model_context_window_exceeded"}, "Done.")

    result = await agent.run("go")

    assert (result.reason, result.errors) == (TurnEnd.PROMPT_TOO_LONG, (FULL,))


async def test_a_paused_reply_goes_on_with_nothing_added() -> None:
    agent, model = made({"say": "One", "stop_reason": "pause_turn"}, " and two.")

    result = await agent.run("go")

    assert result.text == "One and two."

    assert isinstance(model.requests[1].messages[-1], AssistantMessage)
    assert [texts(message) for message in agent.messages] == [["go"], ["One", " and two."]]


async def test_what_a_lost_reply_took_is_counted_too() -> None:
    taken = {"input_tokens": 100, "output_tokens": 10}
    agent, _ = made({"say": "Hi.", "usage": taken, "fault": {"drop": True, "at": "end"}})

    result = await agent.run("go")

    assert result.text == "Hi."
    assert (result.usage.input_tokens, result.usage.output_tokens) == (200, 11)


async def test_a_refusal_ends_the_turn_and_its_calls_do_not_run() -> None:
    agent, _ = made({"say": ["No.", {"call": "look", "id": "c1"}], "stop_reason": "refusal"})

    heard, result = await events_of(agent, "go")

    assert (result.reason, result.stop_reason) == (TurnEnd.COMPLETED, "refusal")
    assert [texts(message) for message in agent.messages] == [["go"], ["No."]]
    told = [event.text for event in heard if isinstance(event, Notice)]
    assert told == ["The model refused to go on."]


async def test_a_refusal_says_why_if_the_model_does() -> None:
    details = {"type": "refusal", "category": "cyber", "explanation": "This looks like an attack."}
    agent, _ = made({"say": "No.", "stop_reason": "refusal", "stop_details": details})

    heard, _ = await events_of(agent, "go")

    told = [event.text for event in heard if isinstance(event, Notice)]
    assert told == ["The model refused to go on: This looks like an attack."]


async def test_an_interrupt_while_tools_run_answers_every_call_and_says_so() -> None:
    clock = VirtualClock()
    slow = Slow(clock)
    agent, _ = made(
        [{"call": "Slow", "id": "c1"}, {"call": "look", "id": "c2"}],
        tools=[look, slow],
        clock=clock,
    )

    async with anyio.create_task_group() as group:
        outcome: list[RunResult] = []

        async def run() -> None:
            outcome.append(await agent.run("go"))

        group.start_soon(run)
        with anyio.fail_after(5):
            await slow.began.wait()
            await settle()  # the reply has been heard to its end
        agent.interrupt()

    assert outcome[0].reason is TurnEnd.ABORTED_TOOLS
    assert [one for one, _ in results(agent.messages[2])] == ["c1", "c2"]
    assert texts(agent.messages[2]) == [INTERRUPTED_TOOLS]


async def test_an_interrupt_while_speaking_keeps_the_words_that_were_said() -> None:
    clock = VirtualClock()
    agent, _ = made(["Once upon", {"wait": 100}, "a time."], clock=clock)

    async with agent.stream("go") as events:
        async for event in events:
            if "Once" in str(event):
                agent.interrupt()

    assert events.result.reason is TurnEnd.ABORTED_STREAMING
    assert [texts(m) for m in agent.messages] == [["go"], ["Once upon"], [INTERRUPTED_SPEAKING]]


async def test_leaving_the_stream_early_stops_the_turn_and_still_records_every_result() -> None:
    clock = VirtualClock()
    slow = Slow(clock)
    agent, _ = made([{"call": "Slow", "id": "c1"}, "and"], tools=[slow], clock=clock)

    async with agent.stream("go") as events:
        async for _ in events:
            if slow.began.is_set():
                break

    assert [one for one, _ in results(agent.messages[2])] == ["c1"]


async def test_cancelling_a_run_from_outside_leaves_a_valid_history() -> None:
    clock = VirtualClock()
    slow = Slow(clock)
    agent, _ = made([{"call": "Slow", "id": "c1"}], "later", tools=[slow], clock=clock)

    async with anyio.create_task_group() as group:
        group.start_soon(agent.run, "go")
        with anyio.fail_after(5):
            await slow.began.wait()
        group.cancel_scope.cancel()

    assert [one for one, _ in results(agent.messages[2])] == ["c1"]
    assert (await agent.run("again")).text == "later"


async def test_what_the_user_says_meanwhile_is_delivered_with_the_results() -> None:
    clock = VirtualClock()
    slow = Slow(clock, seconds=5)
    agent, _ = made([{"call": "Slow", "id": "c1"}], "Both.", tools=[slow], clock=clock)

    async with clock, anyio.create_task_group() as group:
        group.start_soon(agent.run, "go")
        await slow.began.wait()
        agent.send("and hurry")

    assert results(agent.messages[2]) == [("c1", "slept")]
    assert texts(agent.messages[2]) == ["and hurry"]


async def test_an_urgent_message_interrupts_and_adds_no_other_word() -> None:
    clock = VirtualClock()
    slow = Slow(clock)
    agent, _ = made([{"call": "Slow", "id": "c1"}], "Yes?", tools=[slow], clock=clock)

    async with anyio.create_task_group() as group:
        outcome: list[RunResult] = []

        async def run() -> None:
            outcome.append(await agent.run("go"))

        group.start_soon(run)
        await slow.began.wait()
        agent.send("stop that", "now")

    assert texts(agent.messages[2]) == ["stop that"]
    assert (outcome[0].reason, outcome[0].text) == (TurnEnd.COMPLETED, "Yes?")


async def test_the_turn_ends_at_the_limit_of_requests() -> None:
    agent, model = made({"repeat": 9, "do": [{"call": "look"}]}, max_turns=2)

    result = await agent.run("go")

    assert result.reason is TurnEnd.MAX_TURNS
    assert "max turns" in result.errors[0]
    assert len(model.requests) == 2


async def test_the_turn_ends_at_its_budget() -> None:
    priced = Capabilities(input_usd_per_million=1.0, output_usd_per_million=1_000_000.0)
    agent, _ = made(
        {"say": {"call": "look"}, "usage": {"input_tokens": 0, "output_tokens": 2}},
        "never",
        capabilities=priced,
        max_budget_usd=1.5,
    )

    result = await agent.run("go")

    assert (result.reason, result.cost_usd) == (TurnEnd.BUDGET_EXHAUSTED, 2.0)


async def test_a_budget_that_cannot_be_kept_ends_the_turn_before_it_costs_anything() -> None:
    agent, model = made("never", max_budget_usd=1.5)

    result = await agent.run("go")

    assert (result.reason, len(model.requests)) == (TurnEnd.BUDGET_EXHAUSTED, 0)
    assert "is not known, so that the budget of $1.5 cannot be kept" in result.errors[0]
    assert "Set max_turns" in result.errors[0]


async def test_a_budget_that_cannot_be_kept_is_told_where_another_limit_holds() -> None:
    agent, _ = made({"call": "look"}, "done", max_budget_usd=1.5, max_turns=5)

    heard, result = await events_of(agent, "go")

    notices = [event.text for event in heard if isinstance(event, Notice)]
    assert result.reason is TurnEnd.COMPLETED
    assert len(notices) == 1
    assert "the budget of $1.5 cannot be kept. The other limits hold." in notices[0]


async def test_three_calls_in_a_row_that_are_no_json_end_the_turn() -> None:
    agent, _ = made({"repeat": 5, "do": [{"call": "look", "input_json": '{"note"'}]})

    result = await agent.run("go")

    assert result.reason is TurnEnd.MALFORMED_TOOL_USE_EXHAUSTED
    assert result.turns == 3


async def test_the_same_call_over_and_over_is_noticed_and_then_stopped() -> None:
    agent, _ = made({"repeat": 9, "do": [{"call": "look", "input": {"note": "x"}}]})

    result = await agent.run("go")

    assert result.turns == 6
    assert "6 times in a row" in result.errors[0]
    notices = [text for m in agent.messages for text in texts(m) if "same input" in text]
    assert len(notices) == 1


@pytest.mark.parametrize(
    ("same", "reason"),
    [
        ({"call": "look", "repeat": 6, "input": {"note": "x"}}, TurnEnd.MODEL_ERROR),
        (
            {"call": "look", "repeat": 3, "input_json": "{"},
            TurnEnd.MALFORMED_TOOL_USE_EXHAUSTED,
        ),
    ],
    ids=["same", "malformed"],
)
async def test_another_call_behind_too_many_of_a_kind_does_not_hide_them(
    same: object, reason: TurnEnd
) -> None:
    agent, _ = made([same, {"call": "look", "input": {"note": "y"}}], "never said")

    result = await agent.run("go")

    assert result.reason is reason


async def test_an_overloaded_model_is_replaced_by_the_next_one() -> None:
    agent, model = made(
        {
            "when": {"model": {"contains": "other"}},
            "then": ["hi"],
            "else": [{"say": "never", "fault": {"error": "overloaded", "times": "always"}}],
        },
        fallback_models=["other"],
    )

    heard, result = await events_of(agent, "go")

    switched = [event for event in heard if isinstance(event, ModelSwitched)]
    assert [(event.before, event.after) for event in switched] == [("model", "other")]
    assert result.text == "hi"
    assert [request.model for request in model.requests] == ["model", "other"]


async def test_a_model_that_is_its_own_fallback_is_not_asked_for_ever() -> None:
    agent, model = made(
        {"say": "never", "fault": {"error": "overloaded", "times": "always"}},
        fallback_models=["model", "other", "model"],
    )

    with anyio.fail_after(5):
        result = await agent.run("go")

    assert result.reason is TurnEnd.API_ERROR
    assert [request.model for request in model.requests] == ["model", "other"]


async def test_an_error_of_the_api_ends_the_turn_with_words_and_a_valid_history() -> None:
    agent, _ = made(
        {
            "when": {"user": {"contains": "again"}},
            "then": ["hello"],
            "else": [{"say": "never", "fault": {"error": "invalid_request", "times": "always"}}],
        }
    )

    failed = await agent.run("go")
    after = await agent.run("again")

    assert failed.reason is TurnEnd.API_ERROR
    assert failed.errors
    assert after.reason is TurnEnd.COMPLETED


async def test_a_conversation_that_grows_too_long_is_summed_up_and_goes_on() -> None:
    old: list[Message] = [UserMessage("start")]
    for number in range(20):
        old += [AssistantMessage((Text("x" * 400),)), UserMessage(f"{number}")]
    agent, model = made(
        {"repeat": 21, "do": ["SUMMARY"]},
        "Going on.",
        capabilities=Capabilities(context_tokens=2_000),
        history=History.of([*old, AssistantMessage((Text("end"),))]),
    )

    heard, result = await events_of(agent, "next")

    assert any(isinstance(event, Compacted) for event in heard)
    assert result.text == "SUMMARY"
    assert "SUMMARY" in texts(agent.messages[0])[0]
    assert [len(request.messages) for request in model.requests] == [40, 5]


async def test_old_big_results_are_cleared_before_anything_is_summed_up() -> None:
    old: list[Message] = [UserMessage("start")]
    for number in range(4):
        old.append(AssistantMessage((ToolUse(f"c{number}", "look", {}),)))
        old.append(UserMessage((ResultBlock(f"c{number}", "y" * 4_000),)))
    agent, model = made(
        {"repeat": 9, "do": ["Fine."]},
        capabilities=Capabilities(context_tokens=5_000),
        history=History.of([*old, AssistantMessage((Text("end"),))]),
    )

    result = await agent.run("next")

    assert result.text == "Fine."
    assert len(model.requests) == 1
    kept = [content for message in agent.messages for _, content in results(message)]
    assert ["cleared" in str(content) for content in kept] == [True, True, True, False]


async def test_thinking_goes_back_unchanged_with_its_signature() -> None:
    agent, model = made([{"thinking": "hm", "signature": "s1"}, {"call": "look"}], "ok")

    await agent.run("go")

    assert blocks_of(model.requests[1].messages[1])[0] == Thinking("hm", "s1")


async def test_a_prompt_while_another_one_runs_is_refused() -> None:
    clock = VirtualClock()
    slow = Slow(clock)
    agent, _ = made([{"call": "Slow"}], tools=[slow], clock=clock)

    async with agent.stream("go") as events:
        async for _ in events:
            if slow.began.is_set():
                with pytest.raises(RuntimeError, match="running already"):
                    await agent.run("me too")
                break


def test_a_program_that_is_not_async_can_run_a_prompt() -> None:
    model = ScriptedModel(script_of("Hello."))

    assert Agent(model).run_sync("hi").text == "Hello."
