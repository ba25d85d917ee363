"""The list of what happens to one call: its order, and what each failure on the way looks like."""

from pathlib import Path

import pytest
from pydantic import field_validator

from fakes.bench import Bench
from fakes.hooks import ScriptedHooks
from fakes.permissions import ALLOWED, AllowingPermission, ScriptedPermission
from fakes.tools import FakeInput, FakeTool, fake_call, raises, returns
from gantlet.execution import AbortKind, Executor, Failed, Interrupted, Invalid, Succeeded
from gantlet.hooks import AfterCall, BeforeCall, HookEvent, Moment
from gantlet.messages import Behaviour, ResultBlock
from gantlet.permissions import Decision, Request
from gantlet.tool import (
    Rejected,
    ResultContent,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    Traits,
    Vote,
)

journal: list[str] = []


@pytest.fixture(autouse=True)
def _empty_journal() -> None:
    journal.clear()


class NotedInput(FakeInput):
    """Notes when it is parsed."""

    @field_validator("text")
    @classmethod
    def _note(cls, text: str) -> str:
        journal.append("parse")
        return text


class NotedTool(FakeTool):
    """Notes each question and each request."""

    input_type = NotedInput

    def traits(self, args: FakeInput) -> Traits:
        journal.append("traits")
        return super().traits(args)

    async def validate_input(self, args: FakeInput, context: ToolContext) -> Rejected | None:
        journal.append("validate_input")
        return await super().validate_input(args, context)

    async def check_permissions(self, args: FakeInput, context: ToolContext) -> Vote | None:
        journal.append("check_permissions")
        return await super().check_permissions(args, context)

    async def run(self, args: FakeInput, context: ToolContext) -> object:
        journal.append("run")
        return await super().run(args, context)

    def to_result_block(self, data: object) -> ResultContent:
        journal.append("to_result_block")
        return super().to_result_block(data)


class NotedHooks(ScriptedHooks):
    """Notes each event."""

    async def before(self, moment: Moment) -> BeforeCall:
        journal.append("PreToolUse")
        return await super().before(moment)

    async def after(self, moment: Moment, output: ToolResult[object]) -> AfterCall:
        journal.append("PostToolUse")
        return await super().after(moment, output)

    async def after_failure(
        self, moment: Moment, message: str, *, was_interrupted: bool
    ) -> AfterCall:
        journal.append("PostToolUseFailure")
        return await super().after_failure(moment, message, was_interrupted=was_interrupted)


class NotedPermission(AllowingPermission):
    """Notes each question."""

    async def decide(self, request: Request) -> Decision:
        journal.append("permission")
        return await super().decide(request)


async def test_a_call_passes_every_stage_once_and_in_order(tmp_path: Path) -> None:
    bench = Bench([NotedTool()], tmp_path, NotedPermission(), NotedHooks())

    answer = await bench.answer(fake_call(text="x"))

    assert answer.block == ResultBlock("c1", "done")
    assert journal == [
        "parse",
        "traits",
        "validate_input",
        "PreToolUse",
        "check_permissions",
        "permission",
        "run",
        "PostToolUse",
        "to_result_block",
    ]


async def test_a_failing_run_is_told_to_the_failure_hooks_and_to_no_others(tmp_path: Path) -> None:
    tool = NotedTool(raises(ToolError("No.")))
    bench = Bench([tool], tmp_path, NotedPermission(), NotedHooks())

    await bench.answer(fake_call())

    assert journal[-3:] == ["permission", "run", "PostToolUseFailure"]


async def test_an_unknown_tool_is_answered_with_the_nearest_names(tmp_path: Path) -> None:
    hooks = ScriptedHooks()
    tools = [FakeTool(name="ReadFile"), FakeTool(name="Write"), FakeTool(name="ReadFolder")]
    bench = Bench(tools, tmp_path, hooks=hooks)

    answer = await bench.answer(fake_call("ReadFil"))

    text = (
        "<tool_use_error>Error: No such tool available: ReadFil</tool_use_error>"
        " Nearest: ReadFile, ReadFolder."
    )
    assert answer.block == ResultBlock("c1", text, is_error=True)
    assert answer.outcome == Invalid(text, "No such tool available: ReadFil")
    assert (hooks.asked, hooks.told) == ([], [])


async def test_an_unknown_tool_with_an_endless_name_is_answered_briefly(tmp_path: Path) -> None:
    bench = Bench([FakeTool()], tmp_path)

    answer = await bench.answer(fake_call("x" * 1_000_000))

    assert answer.block.content == (
        f"<tool_use_error>Error: No such tool available: {'x' * 199}…</tool_use_error>"
    )


async def test_every_problem_of_an_input_is_in_the_answer(tmp_path: Path) -> None:
    hooks, permission = ScriptedHooks(), AllowingPermission()
    tool = FakeTool()
    bench = Bench([tool], tmp_path, permission, hooks)

    answer = await bench.answer(fake_call(count="many", txet="a"))

    message = (
        "The input of Fake has 2 problems:\n"
        "- `count` should be an integer, got string 'many'.\n"
        "- `txet` is not a field of this tool. Did you mean `text`?\n"
        "Correct this and call the tool again."
    )
    text = f"<tool_use_error>InputValidationError: {message}</tool_use_error>"
    assert answer.block == ResultBlock("c1", text, is_error=True)
    assert answer.outcome == Invalid(text, message)
    assert (hooks.asked, permission.requests, tool.checked, tool.seen) == ([], [], [], [])


async def test_a_rejected_input_is_answered_with_its_code_and_nobody_is_asked(
    tmp_path: Path,
) -> None:
    hooks, permission = ScriptedHooks(), AllowingPermission()
    tool = FakeTool(check=returns(Rejected("No file at 'x'. List the directory.", code=7)))
    bench = Bench([tool], tmp_path, permission, hooks)

    answer = await bench.answer(fake_call())

    text = "<tool_use_error>No file at 'x'. List the directory.</tool_use_error>"
    assert answer.outcome == Invalid(text, "No file at 'x'. List the directory.", 7)
    assert answer.block == ResultBlock("c1", text, is_error=True)
    assert (hooks.asked, permission.requests, tool.seen) == ([], [], [])


async def test_a_check_that_raises_for_the_model_is_read_by_the_model(tmp_path: Path) -> None:
    hooks = ScriptedHooks()
    tool = FakeTool(check=raises(ToolError("The server is down. Try later.")))
    bench = Bench([tool], tmp_path, hooks=hooks)

    answer = await bench.answer(fake_call())

    text = "<tool_use_error>The server is down. Try later.</tool_use_error>"
    assert answer.outcome == Failed(text, "The server is down. Try later.", "ToolError")
    assert (hooks.asked, tool.seen) == ([], [])


@pytest.mark.parametrize(
    ("check", "error_class"),
    [
        (raises(KeyError("x")), "KeyError"),
        (raises(SystemExit(3)), "SystemExit"),
        (returns("no"), "TypeError"),
        (returns(False), "TypeError"),
    ],
)
async def test_a_check_that_breaks_never_lets_the_call_run(
    tmp_path: Path, check: object, error_class: str
) -> None:
    hooks = ScriptedHooks()
    tool = FakeTool(check=check)  # type: ignore[arg-type]  # an object for the test's table
    bench = Bench([tool], tmp_path, hooks=hooks)

    answer = await bench.answer(fake_call())

    message = (
        f"Fake broke with {error_class}; this is a bug in the tool, not in your call."
        " Try another way."
    )
    text = f"<tool_use_error>{message}</tool_use_error>"
    assert answer.outcome == Failed(text, message, error_class)
    assert (hooks.asked, tool.seen) == ([], [])


async def test_a_check_that_is_no_coroutine_never_lets_the_call_run(tmp_path: Path) -> None:
    class Plain(FakeTool):
        def validate_input(self, args: FakeInput, context: ToolContext) -> None:  # type: ignore[override]
            """Forget to be a coroutine."""

    tool = Plain()

    answer = await Bench([tool], tmp_path).answer(fake_call())

    assert isinstance(answer.outcome, Failed)
    assert (answer.outcome.error_class, tool.seen) == ("TypeError", [])


async def test_a_denied_call_is_told_to_the_hooks_before_and_to_none_after(tmp_path: Path) -> None:
    hooks = ScriptedHooks()
    tool = FakeTool()
    bench = Bench([tool], tmp_path, ScriptedPermission(Decision.deny("No.", "test")), hooks)

    await bench.answer(fake_call())

    assert (hooks.events, tool.seen) == ([HookEvent.PRE_TOOL_USE], [])


async def test_a_call_that_was_aborted_before_it_started_is_not_even_parsed_for_problems(
    tmp_path: Path,
) -> None:
    hooks = ScriptedHooks()
    slow = FakeTool(lambda args, context: None, name="Slow", traits=Traits())

    def abort(executor: Executor) -> None:
        executor.abort(AbortKind.USER)

    bench = Bench([slow], tmp_path, hooks=hooks, meanwhile=abort)

    answers = await bench.answers(fake_call("Slow", "a"), fake_call("Slow", "b", count="many"))

    not_run = "The user interrupted before this call started; it was not run."
    assert [answer.outcome for answer in answers] == [Interrupted(not_run), Interrupted(not_run)]
    assert (hooks.told, slow.seen) == ([], [])


async def test_a_call_that_is_aborted_while_it_is_judged_does_not_run(tmp_path: Path) -> None:
    tool = FakeTool()
    executors: list[Executor] = []

    class AbortingPermission(AllowingPermission):
        async def decide(self, request: Request) -> Decision:
            executors[0].abort(AbortKind.USER)
            return ALLOWED

    bench = Bench([tool], tmp_path, AbortingPermission(), meanwhile=executors.append)

    answer = await bench.answer(fake_call())

    not_run = "The user interrupted before this call started; it was not run."
    assert (answer.outcome, tool.seen) == (Interrupted(not_run), [])


async def test_a_call_by_an_alias_is_known_to_hooks_by_the_tools_own_name(tmp_path: Path) -> None:
    hooks = ScriptedHooks()
    tool = FakeTool(name="Write")
    tool.aliases = ("FileWrite",)
    bench = Bench([tool], tmp_path, hooks=hooks)

    answer = await bench.answer(fake_call("FileWrite"))

    assert answer.outcome == Succeeded(ToolResult("done"), "done")
    assert hooks.asked == [(HookEvent.PRE_TOOL_USE, "Write"), (HookEvent.POST_TOOL_USE, "Write")]
    assert answer.call.name == "FileWrite"


async def test_what_announces_a_run_comes_before_it_and_stops_it_if_it_fails(
    tmp_path: Path,
) -> None:
    tool = FakeTool()

    def cannot_write(call: object) -> None:
        raise OSError(28, "No space left on device")

    bench = Bench([tool], tmp_path, before_run=cannot_write)

    answer = await bench.answer(fake_call())

    assert isinstance(answer.outcome, Failed)
    assert (answer.outcome.error_class, tool.seen) == ("OSError", [])


async def test_a_tool_that_runs_is_revealed_by_its_own_name_and_no_other_is(
    tmp_path: Path,
) -> None:
    revealed: list[str] = []
    tool, rejecting = FakeTool(name="Write"), FakeTool(name="Picky", check=returns(Rejected("No.")))
    tool.aliases = ("FileWrite",)
    bench = Bench([tool, rejecting], tmp_path, reveal=revealed.append)

    await bench.answers(fake_call("FileWrite", "a"), fake_call("Picky", "b"))

    assert revealed == ["Write"]


async def test_a_listener_that_breaks_costs_no_call(tmp_path: Path) -> None:
    def broken(event: object) -> None:
        raise RuntimeError("nobody can listen to this")

    bench = Bench([FakeTool()], tmp_path, hooks=ScriptedHooks(before_says=OSError()), emit=broken)

    answer = await bench.answer(fake_call())

    assert answer.outcome == Succeeded(ToolResult("done"), "done")


async def test_a_tool_without_an_input_is_answered_not_run(tmp_path: Path) -> None:
    class NoInput(FakeTool):
        input_type = None  # type: ignore[assignment]  # it forgot

    tool = NoInput()

    answer = await Bench([tool], tmp_path).answer(fake_call())

    assert isinstance(answer.outcome, Invalid)
    assert tool.seen == []


async def test_each_call_of_a_reply_has_exactly_one_answer_whatever_became_of_it(
    tmp_path: Path,
) -> None:
    class Strict(ToolInput):
        needed: int

    picky = FakeTool(name="Picky")
    picky.input_type = Strict  # type: ignore[assignment]  # another input than the fake's
    denied = FakeTool(name="Forbidden")

    class Choosy(AllowingPermission):
        async def decide(self, request: Request) -> Decision:
            if request.tool is denied:
                return Decision(Behaviour.DENY, "Never.", "test")
            return ALLOWED

    tools = [FakeTool(), FakeTool(raises(OSError()), name="Broken"), picky, denied]
    bench = Bench(tools, tmp_path, Choosy())

    answers = await bench.answers(
        fake_call("Fake", "a"),
        fake_call("Nothing", "b"),
        fake_call("Broken", "c"),
        fake_call("Picky", "d"),
        fake_call("Forbidden", "e"),
        fake_call("Fake", "f"),
    )

    told = [(answer.block.tool_use_id, answer.record.outcome) for answer in answers]
    assert told == [
        ("a", "succeeded"),
        ("b", "invalid"),
        ("c", "failed"),
        ("d", "invalid"),
        ("e", "denied"),
        ("f", "succeeded"),
    ]
