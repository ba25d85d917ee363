"""What a call leaves behind: its one answer, and the record for the audit trail."""

from pathlib import Path

import anyio
import pytest

from fakes.bench import Bench
from fakes.hooks import ScriptedHooks
from fakes.permissions import ALLOWED, ScriptedPermission, allowed_as
from fakes.tools import FakeInput, FakeTool, fake_call, raises, returns
from gantlet.execution import (
    AbortKind,
    Answer,
    AuditEvent,
    CallRecord,
    Denied,
    ExecutionSettings,
    Executor,
    Interrupted,
    SiblingFailure,
    Succeeded,
)
from gantlet.hooks import AfterCall, BeforeCall, Moment
from gantlet.messages import (
    Behaviour,
    CallFinished,
    CallStarted,
    FrozenDict,
    OutcomeKind,
    ResultBlock,
)
from gantlet.permissions import Decision
from gantlet.testing import Fail, Return, ScriptedTool, VirtualClock, Wait
from gantlet.tool import EXCLUSIVE, ToolContext, ToolError, ToolResult, Traits

STOPS_SIBLINGS = Traits(access=EXCLUSIVE, failure_stops_siblings=True)


async def test_a_record_tells_the_whole_story_of_a_success(tmp_path: Path) -> None:
    clock = VirtualClock(100.0)
    decision = Decision(Behaviour.ALLOW, "A rule fits.", "rules", "Slow", "policy", ALLOWED.proof)
    first = ScriptedTool("First", [Wait(1)], clock=clock)
    slow = ScriptedTool("Slow", [Wait(2), Return("four")], clock=clock)
    slow.keeps_input = True
    bench = Bench([first, slow], tmp_path, ScriptedPermission(decision), clock=clock)

    answers = await bench.answers(fake_call("First", "a"), fake_call("Slow", "b", note="ä"))

    assert answers[1].record == CallRecord(
        call_id="b",
        tool_name="Slow",
        message_id="msg_1",
        queued_at=100.0,
        started_at=101.0,
        ended_at=103.0,
        decision=decision,
        outcome=OutcomeKind.SUCCEEDED,
        event=AuditEvent.SUCCESS,
        result_chars=4,
        input_snapshot=FrozenDict(note="ä"),
        waited_for=["a"],
    )
    assert answers[1].record.input_chars == len('{"note":"ä"}')


async def test_a_record_tells_the_whole_story_of_a_failure(tmp_path: Path) -> None:
    clock = VirtualClock(100.0)
    tool = ScriptedTool("Slow", [Wait(2), Fail("No.", is_benign=True)], clock=clock)

    answer = await Bench([tool], tmp_path, clock=clock).answer(fake_call("Slow"))

    assert answer.record == CallRecord(
        call_id="c1",
        tool_name="Slow",
        message_id="msg_1",
        queued_at=100.0,
        started_at=100.0,
        ended_at=102.0,
        decision=ALLOWED,
        outcome=OutcomeKind.FAILED,
        event=AuditEvent.ERROR,
        error_class="ToolError",
        result_chars=len("<tool_use_error>No.</tool_use_error>"),
    )
    assert answer.record.input_chars == len("{}")


async def test_a_record_of_a_call_that_did_not_run_has_no_start(tmp_path: Path) -> None:
    decision = Decision.deny("No.", "rules")
    bench = Bench([FakeTool()], tmp_path, ScriptedPermission(decision))

    answer = await bench.answer(fake_call())

    assert answer.record == CallRecord(
        call_id="c1",
        tool_name="Fake",
        message_id="msg_1",
        queued_at=100.0,
        ended_at=100.0,
        decision=decision,
        outcome=OutcomeKind.DENIED,
        event=AuditEvent.REJECTED,
        result_chars=len(str(answer.block.content)),
    )
    assert answer.record.input_chars == len("{}")


async def test_the_time_a_person_takes_is_not_the_time_a_tool_takes(tmp_path: Path) -> None:
    clock = VirtualClock(100.0)

    class Slow(ScriptedPermission):
        async def decide(self, request: object) -> Decision:
            await clock.sleep(30)
            return ALLOWED

    tool = ScriptedTool("Quick", [Wait(1)], clock=clock)
    bench = Bench([tool], tmp_path, Slow(), clock=clock)

    answer = await bench.answer(fake_call("Quick"))

    record = answer.record
    assert (record.queued_at, record.started_at, record.ended_at) == (100.0, 130.0, 131.0)
    assert [event.duration_seconds for event in bench.told(CallFinished)] == [1.0]


@pytest.mark.parametrize("keeps", [True, False])
async def test_the_input_is_kept_only_for_tools_that_say_so(tmp_path: Path, keeps: bool) -> None:
    tool = FakeTool()
    tool.keeps_input = keeps

    answer = await Bench([tool], tmp_path).answer(fake_call(text="a"))

    assert answer.record.input_snapshot == ({"text": "a"} if keeps else None)


@pytest.mark.parametrize("by", ["hook", "person"])
async def test_the_input_that_is_kept_is_the_one_that_ran(tmp_path: Path, by: str) -> None:
    tool = FakeTool()
    tool.keeps_input = True
    hooks = ScriptedHooks(BeforeCall(updated_input={"text": "b"})) if by == "hook" else None
    permission = ScriptedPermission(*([ALLOWED] if hooks else [allowed_as({"text": "b"}), ALLOWED]))
    bench = Bench([tool], tmp_path, permission, hooks or ScriptedHooks())

    answer = await bench.answer(fake_call(text="a"))

    assert answer.record.input_snapshot == {"text": "b"}
    assert answer.record.input_chars == len('{"text":"b"}')


async def test_an_input_that_cannot_be_measured_costs_no_call(tmp_path: Path) -> None:
    answer = await Bench([FakeTool()], tmp_path).answer(fake_call(count=10**5000))

    assert (answer.record.outcome, answer.record.input_chars) == ("succeeded", 0)


async def test_each_outcome_has_its_event_in_the_audit_trail(tmp_path: Path) -> None:
    failing = FakeTool(raises(ToolError("No.")), name="Failing", traits=STOPS_SIBLINGS)
    forbidden = FakeTool(name="Forbidden")
    later = FakeTool(name="Later", traits=STOPS_SIBLINGS)

    class Choosy(ScriptedPermission):
        async def decide(self, request: object) -> Decision:
            asked = getattr(request, "tool", None)
            return Decision.deny("Never.", "rules") if asked is forbidden else ALLOWED

    settings = ExecutionSettings(sibling_failure=SiblingFailure.DEPENDENT)
    bench = Bench([FakeTool(), failing, forbidden, later], tmp_path, Choosy(), settings=settings)

    answers = await bench.answers(
        fake_call("Fake", "a"),
        fake_call("Nothing", "b"),
        fake_call("Forbidden", "c"),
        fake_call("Failing", "d"),
        fake_call("Later", "e"),
    )

    assert [(answer.record.outcome, answer.record.events) for answer in answers] == [
        (OutcomeKind.SUCCEEDED, (AuditEvent.SUCCESS,)),
        (OutcomeKind.INVALID, (AuditEvent.ERROR,)),
        (OutcomeKind.DENIED, (AuditEvent.REJECTED,)),
        (OutcomeKind.FAILED, (AuditEvent.ERROR,)),
        (OutcomeKind.CANCELLED, (AuditEvent.CANCELLED,)),
    ]


def test_the_audit_trail_has_the_names_of_the_first_description() -> None:
    assert [event.value for event in AuditEvent] == [
        "tool_use_success",
        "tool_use_error",
        "tool_use_cancelled",
        "tool_use_can_use_tool_rejected",
        "post_tool_hook_error",
    ]


async def test_a_hook_that_failed_after_a_success_is_a_second_event(tmp_path: Path) -> None:
    bench = Bench([FakeTool()], tmp_path, hooks=ScriptedHooks(after_says=OSError("gone")))

    answer = await bench.answer(fake_call())

    record = answer.record
    assert (record.event, record.post_hook_error) == (AuditEvent.SUCCESS, "OSError: gone")
    assert record.events == (AuditEvent.SUCCESS, AuditEvent.POST_HOOK_ERROR)


def test_a_call_that_has_not_ended_has_no_event() -> None:
    assert CallRecord("c1", "Fake", "msg_1", 0.0).events == ()


async def test_a_call_that_is_interrupted_has_its_event(tmp_path: Path) -> None:
    clock = VirtualClock(100.0)
    tool = ScriptedTool("Slow", [Wait(60)], clock=clock)
    executors: list[Executor] = []

    def when_started(event: object) -> None:
        if isinstance(event, CallStarted):
            executors[0].abort(AbortKind.USER)

    bench = Bench([tool], tmp_path, clock=clock, emit=when_started, meanwhile=executors.append)

    answer = await bench.answer(fake_call("Slow"))

    assert isinstance(answer.outcome, Interrupted)
    assert answer.record.events == (AuditEvent.CANCELLED,)
    assert answer.structured == f"Error: {answer.block.content}"


@pytest.mark.parametrize(
    ("tool", "structured"),
    [
        (FakeTool(returns({"n": 1})), {"n": 1}),
        (FakeTool(raises(ToolError("No file."))), "Error: No file."),
        (
            FakeTool(raises(OSError("x"))),
            "Error: Fake broke with OSError; this is a bug in the tool, not in your call."
            " Try another way.",
        ),
    ],
)
async def test_programs_get_data_or_an_error_in_words(
    tmp_path: Path, tool: FakeTool, structured: object
) -> None:
    bench = Bench([tool], tmp_path)

    answer = await bench.answer(fake_call())

    assert answer.structured == structured
    assert [event.structured for event in bench.told(CallFinished)] == [structured]


async def test_programs_get_a_denial_and_a_bad_input_in_words(tmp_path: Path) -> None:
    permission = ScriptedPermission(Decision.deny("It writes.", "rules"))

    answers = await Bench([FakeTool()], tmp_path, permission).answers(
        fake_call("Fake", "a"), fake_call("Nothing", "b")
    )

    assert [answer.structured for answer in answers] == [
        "Error: It writes.",
        "Error: No such tool available: Nothing",
    ]


async def test_the_end_of_a_call_is_told_with_its_result(tmp_path: Path) -> None:
    bench = Bench([FakeTool(returns("text"))], tmp_path)

    await bench.answer(fake_call())

    assert bench.told(CallFinished) == [
        CallFinished(
            "c1", "Fake", OutcomeKind.SUCCEEDED, ResultBlock("c1", "text"), structured="text"
        )
    ]


async def test_a_tool_that_had_finished_keeps_its_output_when_its_hooks_are_interrupted(
    tmp_path: Path,
) -> None:
    executors: list[Executor] = []

    class Endless(ScriptedHooks):
        async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
            executors[0].abort(AbortKind.USER)
            await anyio.sleep_forever()
            return AfterCall()

    whole = "x" * 60_000
    tool = FakeTool(returns(ToolResult(whole, structured={"n": 1})))
    bench = Bench([tool], tmp_path, hooks=Endless(), meanwhile=executors.append)

    answer = await bench.answer(fake_call())

    assert isinstance(answer.outcome, Succeeded)
    assert [file.read_text() for file in bench.spilled] == [whole]
    assert len(str(answer.block.content)) < 4_000
    assert answer.outcome.output == ToolResult(answer.block.content, structured={"n": 1})


async def test_an_output_that_cannot_be_an_answer_is_a_failure_that_keeps_what_hooks_said(
    tmp_path: Path,
) -> None:
    class Hostile(ToolResult[object]):
        """Breaks when an answer is made of it."""

        @property
        def structured(self) -> object:
            raise RuntimeError("not this one")

    def run(args: FakeInput, context: ToolContext) -> ToolResult[object]:
        hostile = object.__new__(Hostile)
        for name, value in (("data", "x"), ("new_messages", ()), ("meta", {})):
            object.__setattr__(hostile, name, value)
        object.__setattr__(hostile, "context_modifier", None)
        return hostile

    hooks = ScriptedHooks(after_says=AfterCall(context=("a",), stop="Enough."))

    answer = await Bench([FakeTool(run)], tmp_path, hooks=hooks).answer(fake_call())

    assert (answer.record.outcome, answer.record.error_class) == ("failed", "RuntimeError")
    assert (answer.context, answer.stop) == (("a",), "Enough.")


async def test_a_denied_answer_is_an_error_for_the_model(tmp_path: Path) -> None:
    decision = Decision.deny("No.", "rules")

    answer = await Bench([FakeTool()], tmp_path, ScriptedPermission(decision)).answer(fake_call())

    assert answer == Answer(
        call=fake_call(),
        outcome=Denied(str(answer.block.content), decision),
        block=ResultBlock("c1", answer.block.content, is_error=True),
        record=answer.record,
        structured="Error: No.",
    )
