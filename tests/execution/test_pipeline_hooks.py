"""What hooks can do to a call, and what they cannot."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import anyio
import pytest

from fakes.bench import Bench
from fakes.hooks import HOOK_FAILURES, ScriptedHooks, told_of_failure
from fakes.permissions import PROOF, AllowingPermission, ScriptedPermission, allowed_as
from fakes.tools import FakeInput, FakeTool, fake_call, raises, returns
from gantlet.execution import (
    AbortKind,
    Cancelled,
    Denied,
    Executor,
    Failed,
    Interrupted,
    Invalid,
    Succeeded,
)
from gantlet.hooks import AfterCall, BeforeCall, HookEvent, Moment
from gantlet.messages import (
    Notice,
    PermissionDecided,
    ResultBlock,
    ToolUse,
)
from gantlet.permissions import Decision, ReadOnlyPermission
from gantlet.tool import (
    EXCLUSIVE,
    AgentIdentity,
    Allow,
    Ask,
    Deny,
    Rejected,
    Surroundings,
    ToolContext,
    ToolError,
    ToolResult,
    Traits,
    Vote,
)

SUCCEEDED = Succeeded(ToolResult("done"), "done")


async def stay_for_ever(last_words: BaseException | None) -> None:
    """Wait whatever anybody says; say something when there is no other way."""
    while True:
        try:
            await anyio.sleep_forever()
        except asyncio.CancelledError:
            continue
        except GeneratorExit:
            if last_words is not None:
                raise last_words from None
            raise


async def test_a_hook_is_told_the_call_its_args_and_where_it_stands(tmp_path: Path) -> None:
    hooks, tool = ScriptedHooks(), FakeTool()

    await Bench([tool], tmp_path, hooks=hooks).answer(fake_call(text="a"))

    moment = Moment(
        ToolUse("c1", "Fake", {"text": "a"}),
        tool,
        FakeInput(text="a"),
        Surroundings(cwd=str(tmp_path)),
        AgentIdentity(),
    )
    assert hooks.told == [
        (HookEvent.PRE_TOOL_USE, moment, None),
        (HookEvent.POST_TOOL_USE, replace(moment, seconds=0.0), ToolResult("done")),
    ]


async def test_a_failure_hook_is_told_what_went_wrong(tmp_path: Path) -> None:
    hooks = ScriptedHooks()
    tool = FakeTool(raises(ToolError("No file at 'x'.")))

    await Bench([tool], tmp_path, hooks=hooks).answer(fake_call())

    assert hooks.events == [HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE_FAILURE]
    assert hooks.told[1][2] == "No file at 'x'."


@pytest.mark.parametrize("fails", [False, True])
async def test_hooks_that_want_nothing_are_never_called(tmp_path: Path, fails: bool) -> None:
    hooks = ScriptedHooks(listens=())
    tool = FakeTool(raises(ToolError("No.")) if fails else returns("done"))

    await Bench([tool], tmp_path, hooks=hooks).answer(fake_call())

    assert hooks.told == []


@pytest.mark.parametrize(
    "vote", [Allow(PROOF, "fine", "hook.sh"), Ask("sure?", "hook.sh"), Deny("no", "hook.sh"), None]
)
async def test_a_hooks_vote_reaches_permission_and_decides_nothing_itself(
    tmp_path: Path, vote: Vote | None
) -> None:
    permission = AllowingPermission()
    hooks = ScriptedHooks(before_says=BeforeCall(vote=vote))

    answer = await Bench([FakeTool()], tmp_path, permission, hooks).answer(fake_call())

    assert [request.hook_vote for request in permission.requests] == [vote]
    assert answer.outcome == SUCCEEDED


async def test_a_hooks_allow_does_not_help_a_call_that_permission_denies(tmp_path: Path) -> None:
    hooks = ScriptedHooks(before_says=BeforeCall(vote=Allow(PROOF)))
    tool = FakeTool(traits=Traits())

    answer = await Bench([tool], tmp_path, ReadOnlyPermission(), hooks).answer(fake_call())

    assert (answer.record.outcome, tool.seen) == ("denied", [])


async def test_a_changed_input_is_parsed_checked_judged_and_run(tmp_path: Path) -> None:
    permission = AllowingPermission()
    hooks = ScriptedHooks(before_says=BeforeCall(updated_input={"text": "b", "count": 2}))
    tool = FakeTool(lambda args, context: f"{args.text}{args.count}")

    answer = await Bench([tool], tmp_path, permission, hooks).answer(fake_call(text="a"))

    changed, args = ToolUse("c1", "Fake", {"text": "b", "count": 2}), FakeInput(text="b", count=2)
    assert [args for args, _ in tool.checked] == [FakeInput(text="a"), args]
    assert [(one.call, one.args) for one in permission.requests] == [(changed, args)]
    assert [(args, context.call, context.user_modified) for args, context in tool.seen] == [
        (args, changed, False)
    ]
    assert (answer.call, answer.block) == (changed, ResultBlock("c1", "b2"))
    assert hooks.told[1][1].args == args


async def test_a_changed_input_that_does_not_fit_is_answered_and_not_run(tmp_path: Path) -> None:
    permission, tool = AllowingPermission(), FakeTool()
    hooks = ScriptedHooks(before_says=BeforeCall(updated_input={"count": "many"}))

    answer = await Bench([tool], tmp_path, permission, hooks).answer(fake_call(text="a"))

    message = (
        "A hook changed the input of this call. The input of Fake has 1 problem:\n"
        "- `count` should be an integer, got string 'many'.\n"
        "Correct this and call the tool again."
    )
    text = f"<tool_use_error>InputValidationError: {message}</tool_use_error>"
    assert answer.outcome == Invalid(text, message)
    assert (permission.requests, tool.seen, hooks.events) == ([], [], [HookEvent.PRE_TOOL_USE])


@pytest.mark.parametrize("updated", [["a"], {"text": object()}, {1: "a"}, {"text": {"a", "b"}}])
async def test_a_changed_input_that_is_no_json_is_answered_and_not_run(
    tmp_path: Path, updated: object
) -> None:
    tool = FakeTool()
    says = BeforeCall(updated_input=updated)  # type: ignore[arg-type]  # nonsense on purpose

    answer = await Bench([tool], tmp_path, hooks=ScriptedHooks(says)).answer(fake_call())

    assert isinstance(answer.outcome, Invalid)
    assert answer.outcome.message.startswith("A hook changed the input of this call. ")
    assert tool.seen == []


async def test_a_changed_input_that_the_tool_rejects_is_answered_and_not_run(
    tmp_path: Path,
) -> None:
    def check(args: FakeInput, context: ToolContext) -> Rejected | None:
        return Rejected("Not b.", 3) if args.text == "b" else None

    tool = FakeTool(check=check)
    hooks = ScriptedHooks(before_says=BeforeCall(updated_input={"text": "b"}))

    answer = await Bench([tool], tmp_path, hooks=hooks).answer(fake_call(text="a"))

    assert answer.outcome == Invalid("<tool_use_error>Not b.</tool_use_error>", "Not b.", 3)
    assert tool.seen == []


async def test_a_changed_input_is_asked_for_its_traits_again(tmp_path: Path) -> None:
    class Careful(FakeTool):
        def traits(self, args: FakeInput) -> Traits:
            return Traits(read_only=args.text == "look", access=EXCLUSIVE)

    tool = Careful()
    hooks = ScriptedHooks(before_says=BeforeCall(updated_input={"text": "wipe"}))

    answer = await Bench([tool], tmp_path, ReadOnlyPermission(), hooks).answer(
        fake_call(text="look")
    )

    assert (answer.record.outcome, tool.seen) == ("denied", [])


async def test_a_hooks_allow_does_not_cover_what_a_person_made_of_the_input(
    tmp_path: Path,
) -> None:
    hooks = ScriptedHooks(before_says=BeforeCall(vote=Allow(PROOF)))
    permission = ScriptedPermission(allowed_as({"text": "b"}), Decision.deny("No.", "test"))

    await Bench([FakeTool()], tmp_path, permission, hooks).answer(fake_call(text="a"))

    assert [request.hook_vote for request in permission.requests] == [Allow(PROOF), None]


@pytest.mark.parametrize("vote", [Ask("sure?"), Deny("no")])
async def test_a_hooks_objection_outlives_a_persons_edit(tmp_path: Path, vote: Vote) -> None:
    hooks = ScriptedHooks(before_says=BeforeCall(vote=vote))
    permission = ScriptedPermission(allowed_as({"text": "b"}), Decision.deny("No.", "test"))

    await Bench([FakeTool()], tmp_path, permission, hooks).answer(fake_call(text="a"))

    assert [request.hook_vote for request in permission.requests] == [vote, vote]


async def test_what_hooks_say_before_and_after_is_collected_in_order(tmp_path: Path) -> None:
    hooks = ScriptedHooks(BeforeCall(context=("a", "b")), AfterCall(context=("c",)))

    answer = await Bench([FakeTool()], tmp_path, hooks=hooks).answer(fake_call())

    assert (answer.context, answer.stop) == (("a", "b", "c"), None)


async def test_what_hooks_say_about_a_failure_is_collected_too(tmp_path: Path) -> None:
    hooks = ScriptedHooks(
        BeforeCall(context=("a",)), failure_says=AfterCall(context=("b",), stop="Enough.")
    )
    tool = FakeTool(raises(ToolError("No.")))

    answer = await Bench([tool], tmp_path, hooks=hooks).answer(fake_call())

    failed = Failed("<tool_use_error>No.</tool_use_error>", "No.", "ToolError")
    assert (answer.outcome, answer.context, answer.stop) == (failed, ("a", "b"), "Enough.")


async def test_what_hooks_said_before_stays_with_a_call_that_is_denied(tmp_path: Path) -> None:
    hooks = ScriptedHooks(before_says=BeforeCall(context=("a",)))
    permission = ScriptedPermission(Decision.deny("No.", "test"))

    answer = await Bench([FakeTool()], tmp_path, permission, hooks).answer(fake_call())

    assert answer.context == ("a",)


async def test_a_hook_that_stops_before_a_call_denies_it_and_ends_the_turn(tmp_path: Path) -> None:
    permission, tool = AllowingPermission(), FakeTool()
    hooks = ScriptedHooks(before_says=BeforeCall(stop="It is late.", context=("a",)))
    bench = Bench([tool], tmp_path, permission, hooks)

    answer = await bench.answer(fake_call())

    decision = Decision.deny("It is late.", "hook")
    text = "Permission denied: It is late (hook). Do not try to get around this; go on without it."
    assert answer.outcome == Denied(text, decision)
    assert (answer.stop, answer.context) == ("It is late.", ("a",))
    assert (permission.requests, tool.seen, hooks.events) == ([], [], [HookEvent.PRE_TOOL_USE])
    assert answer.record.decision == decision
    assert bench.told(PermissionDecided) == [
        PermissionDecided("c1", decision.behaviour, "It is late.", "hook")
    ]


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_hook_that_stops_without_a_reason_still_stops(tmp_path: Path, when: str) -> None:
    says = (
        (BeforeCall(stop=""), AfterCall())
        if when == "before"
        else (BeforeCall(), AfterCall(stop=""))
    )

    answer = await Bench([FakeTool()], tmp_path, hooks=ScriptedHooks(*says)).answer(fake_call())

    assert answer.stop == ""
    assert answer.record.outcome == ("denied" if when == "before" else "succeeded")


async def test_a_hook_that_stops_after_a_call_leaves_its_result(tmp_path: Path) -> None:
    hooks = ScriptedHooks(after_says=AfterCall(stop="Enough."))

    answer = await Bench([FakeTool()], tmp_path, hooks=hooks).answer(fake_call())

    assert (answer.outcome, answer.stop) == (SUCCEEDED, "Enough.")


async def test_a_hook_that_defers_leaves_the_call_for_later(tmp_path: Path) -> None:
    permission, tool = AllowingPermission(), FakeTool()
    hooks = ScriptedHooks(before_says=BeforeCall(defers=True, context=("a",)))

    answer = await Bench([tool], tmp_path, permission, hooks).answer(fake_call())

    text = "A hook put this call off; it was not run. It is asked for again when work goes on."
    assert answer.outcome == Cancelled(text)
    assert (answer.defers, answer.context) == (True, ("a",))
    assert (permission.requests, tool.seen, answer.record.started_at) == ([], [], None)


@pytest.mark.parametrize("says", HOOK_FAILURES, ids=repr)
async def test_a_hook_that_fails_before_a_call_abstains_and_the_user_is_told(
    tmp_path: Path, says: object
) -> None:
    permission = AllowingPermission()
    bench = Bench([FakeTool()], tmp_path, permission, ScriptedHooks(before_says=says))

    answer = await bench.answer(fake_call())

    assert [request.hook_vote for request in permission.requests] == [None]
    assert answer.outcome == SUCCEEDED
    [notice] = bench.told(Notice)
    assert notice.text.startswith("A hook failed before Fake: ")


async def test_a_hook_that_fails_before_a_call_allows_nothing(tmp_path: Path) -> None:
    tool = FakeTool(traits=Traits())
    hooks = ScriptedHooks(before_says=RuntimeError("boom"))
    bench = Bench([tool], tmp_path, ReadOnlyPermission(), hooks)

    answer = await bench.answer(fake_call())

    assert (answer.record.outcome, tool.seen) == ("denied", [])
    assert bench.told(Notice) == [told_of_failure("before", "RuntimeError: boom")]


@pytest.mark.parametrize(
    "make",
    [
        lambda: BeforeCall(vote="allow"),  # type: ignore[arg-type]  # nonsense on purpose
        lambda: BeforeCall(vote=True),  # type: ignore[arg-type]
        lambda: BeforeCall(context="abc"),  # type: ignore[arg-type]
        lambda: BeforeCall(context=(1,)),  # type: ignore[arg-type]
    ],
)
async def test_an_answer_of_a_hook_that_makes_no_sense_is_a_failure_of_the_hook(
    tmp_path: Path, make: Callable[[], BeforeCall]
) -> None:
    class Nonsense(ScriptedHooks):
        async def before(self, moment: Moment) -> BeforeCall:
            return make()

    permission = AllowingPermission()
    bench = Bench([FakeTool()], tmp_path, permission, Nonsense())

    answer = await bench.answer(fake_call())

    assert answer.outcome == SUCCEEDED
    assert [request.hook_vote for request in permission.requests] == [None]
    assert len(bench.told(Notice)) == 1


@pytest.mark.parametrize("is_shielded", [True, False])
@pytest.mark.parametrize("last_words", [None, ValueError("never"), GeneratorExit()], ids=repr)
async def test_a_hook_that_will_not_stop_is_given_up_and_nobody_is_asked(
    tmp_path: Path, last_words: BaseException | None, is_shielded: bool
) -> None:
    executors: list[Executor] = []

    class Stubborn(ScriptedHooks):
        async def before(self, moment: Moment) -> BeforeCall:
            executors[0].abort(AbortKind.USER)
            with anyio.CancelScope(shield=is_shielded):
                await stay_for_ever(last_words)
            return BeforeCall()

    permission, tool = AllowingPermission(), FakeTool()
    bench = Bench([tool], tmp_path, permission, Stubborn(), meanwhile=executors.append)

    answer = await bench.answer(fake_call())

    not_run = "The user interrupted before this call started; it was not run."
    assert answer.outcome == Interrupted(not_run)
    assert (permission.requests, tool.seen) == ([], [])
    assert last_words is not None or bench.told(Notice) == []


async def test_a_hook_that_answers_when_it_is_cancelled_is_not_heard(tmp_path: Path) -> None:
    executors: list[Executor] = []

    class Talkative(ScriptedHooks):
        async def before(self, moment: Moment) -> BeforeCall:
            executors[0].abort(AbortKind.USER)
            try:
                await anyio.sleep_forever()
            except asyncio.CancelledError:
                return BeforeCall(vote=Allow(PROOF))
            raise AssertionError("it was cancelled")

    permission, tool = AllowingPermission(), FakeTool()
    bench = Bench([tool], tmp_path, permission, Talkative(), meanwhile=executors.append)

    answer = await bench.answer(fake_call())

    assert isinstance(answer.outcome, Interrupted)
    assert (permission.requests, tool.seen) == ([], [])


@pytest.mark.parametrize(
    "event",
    [HookEvent.PRE_TOOL_USE, HookEvent.POST_TOOL_USE, HookEvent.POST_TOOL_USE_FAILURE],
)
async def test_a_question_who_listens_that_fails_costs_no_call(
    tmp_path: Path, event: HookEvent
) -> None:
    class Unsure(ScriptedHooks):
        def wants(self, wanted: HookEvent, subject: str = "") -> bool:
            if wanted is event:
                raise RuntimeError("who knows")
            return False

    fails = event is HookEvent.POST_TOOL_USE_FAILURE
    tool = FakeTool(raises(ToolError("No.")) if fails else returns("done"))
    bench = Bench([tool], tmp_path, hooks=Unsure())

    answer = await bench.answer(fake_call())

    assert answer.record.outcome == ("failed" if fails else "succeeded")
    when = "before" if event is HookEvent.PRE_TOOL_USE else "after"
    assert bench.told(Notice) == [told_of_failure(when, "RuntimeError: who knows")]
