"""Who may run: nothing without a proof, and every no says why and by whom."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import pytest

from fakes.bench import Bench
from fakes.hooks import ScriptedHooks
from fakes.permissions import (
    ALLOWED,
    PROOF,
    AllowingPermission,
    ScriptedPermission,
    allowed_as,
)
from fakes.tools import FakeInput, FakeTool, fake_call, raises, returns
from gantlet.execution import AbortKind, Denied, Executor, Interrupted, Invalid, Succeeded
from gantlet.hooks import HookEvent
from gantlet.messages import (
    Behaviour,
    CallFinished,
    CallQueued,
    CallStarted,
    FrozenDict,
    Image,
    PermissionDecided,
    ResultBlock,
    Text,
    ToolUse,
)
from gantlet.permissions import Decision, Permission, Request
from gantlet.tool import (
    AgentIdentity,
    Allow,
    Ask,
    Deny,
    Surroundings,
    ToolContext,
    ToolResult,
    Traits,
    Vote,
)

GO_ON = "Do not try to get around this; go on without it."


def denied(reason: str, by: str) -> str:
    """Return what a model reads of a no."""
    return f"Permission denied: {reason} ({by}). {GO_ON}"


async def until_closed() -> None:
    """Wait whatever anybody says, and come back only when nobody waits any longer."""
    while True:
        try:
            await anyio.sleep_forever()
        except asyncio.CancelledError:
            continue
        except GeneratorExit:
            return


async def test_permission_sees_the_whole_call_as_the_tool_will_get_it(tmp_path: Path) -> None:
    permission, traits = AllowingPermission(), Traits(read_only=True)
    tool = FakeTool(traits=traits)

    await Bench([tool], tmp_path, permission).answer(fake_call(text="a"))

    assert permission.requests == [
        Request(
            call=ToolUse("c1", "Fake", {"text": "a"}),
            tool=tool,
            args=FakeInput(text="a"),
            traits=traits,
            surroundings=Surroundings(cwd=str(tmp_path)),
            agent=AgentIdentity(),
        )
    ]
    assert tool.seen[0][0] is permission.requests[0].args


async def test_an_allow_is_told_recorded_and_run(tmp_path: Path) -> None:
    decision = Decision(
        Behaviour.ALLOW, "A rule fits.", "rules", "Fake(a)", "/repo/settings.json", PROOF
    )
    bench = Bench([FakeTool()], tmp_path, ScriptedPermission(decision))

    answer = await bench.answer(fake_call())

    assert answer.outcome == Succeeded(ToolResult("done"), "done")
    assert answer.record.decision is decision
    assert [type(event) for event in bench.events] == [
        CallQueued,
        PermissionDecided,
        CallStarted,
        CallFinished,
    ]
    assert bench.told(PermissionDecided) == [
        PermissionDecided(
            "c1", Behaviour.ALLOW, "A rule fits.", "rules", "Fake(a)", "/repo/settings.json"
        )
    ]


@pytest.mark.parametrize(
    ("rule", "source", "by"),
    [
        ("Fake(a)", "/repo/settings.json", "Fake(a), /repo/settings.json"),
        ("Fake(a)", "", "Fake(a)"),
        ("", "plan mode", "plan mode"),
        ("", "", "rules"),
    ],
)
async def test_a_denial_says_why_and_by_whom(
    tmp_path: Path, rule: str, source: str, by: str
) -> None:
    decision = Decision(Behaviour.DENY, "It writes.", "rules", rule, source)
    tool = FakeTool()
    bench = Bench([tool], tmp_path, ScriptedPermission(decision))

    answer = await bench.answer(fake_call())

    text = denied("It writes", by)
    assert answer.outcome == Denied(text, decision)
    assert answer.block == ResultBlock("c1", text, is_error=True)
    assert (tool.seen, answer.stop, answer.record.decision) == ([], None, decision)
    assert bench.told(PermissionDecided) == [
        PermissionDecided("c1", Behaviour.DENY, "It writes.", "rules", rule or None, source or None)
    ]


@pytest.mark.parametrize(
    "answer",
    [
        RuntimeError("a password"),
        asyncio.CancelledError(),
        SystemExit(0),
        GeneratorExit(),
        None,
        True,
        "allow",
        SimpleNamespace(allows=True, updated_input=None),
    ],
    ids=repr,
)
async def test_who_cannot_decide_says_no(tmp_path: Path, answer: object) -> None:
    tool = FakeTool()
    bench = Bench([tool], tmp_path, ScriptedPermission(answer))

    got = await bench.answer(fake_call())

    assert (got.record.outcome, tool.seen) == ("denied", [])
    assert str(got.block.content).startswith(
        "Permission denied: whether it may run could not be decided"
    )
    assert "password" not in repr(got)
    assert [event.behaviour for event in bench.told(PermissionDecided)] == [Behaviour.DENY]


async def test_an_allow_that_lost_its_proof_is_no_allow(tmp_path: Path) -> None:
    stripped = Decision(Behaviour.ALLOW, "Trust me.", "test", proof=PROOF)
    object.__setattr__(stripped, "proof", None)
    tool = FakeTool()

    answer = await Bench([tool], tmp_path, ScriptedPermission(stripped)).answer(fake_call())

    assert (answer.record.outcome, tool.seen) == ("denied", [])


def test_a_decision_cannot_allow_without_a_proof_or_stay_open() -> None:
    with pytest.raises(TypeError, match="no allow without a proof"):
        Decision(Behaviour.ALLOW, "Trust me.", "test")
    with pytest.raises(ValueError, match="an ask must have been answered"):
        Decision(Behaviour.ASK, "Sure?", "test")
    with pytest.raises(TypeError, match="no allow without a proof"):
        Decision("allow", "Trust me.", "test")  # type: ignore[arg-type]  # its plain text


@pytest.mark.parametrize(
    "vote", [Allow(PROOF, "fine", "me"), Ask("sure?", "me"), Deny("no", "me"), None]
)
async def test_the_tools_own_vote_reaches_the_request(tmp_path: Path, vote: Vote | None) -> None:
    permission = AllowingPermission()
    tool = FakeTool(vote=returns(vote))

    await Bench([tool], tmp_path, permission).answer(fake_call())

    assert [request.tool_vote for request in permission.requests] == [vote]


@pytest.mark.parametrize(
    "vote", [raises(RuntimeError("x")), raises(SystemExit()), returns(True), returns("allow")]
)
async def test_a_tool_that_cannot_vote_is_not_run(tmp_path: Path, vote: Any) -> None:
    tool = FakeTool(vote=vote)

    answer = await Bench([tool], tmp_path).answer(fake_call())

    assert (answer.record.outcome, tool.seen) == ("denied", [])


@pytest.mark.parametrize("is_shielded", [True, False])
async def test_a_yes_that_comes_after_everybody_has_left_does_not_count(
    tmp_path: Path, is_shielded: bool
) -> None:
    executors: list[Executor] = []

    class Late(AllowingPermission):
        async def decide(self, request: Request) -> Decision:
            executors[0].abort(AbortKind.USER)
            with anyio.CancelScope(shield=is_shielded):
                await until_closed()
            return ALLOWED

    tool = FakeTool()
    bench = Bench([tool], tmp_path, Late(), meanwhile=executors.append)

    answer = await bench.answer(fake_call())

    not_run = "The user interrupted before this call started; it was not run."
    assert (answer.outcome, tool.seen) == (Interrupted(not_run), [])


async def test_an_input_that_a_person_edits_is_parsed_and_judged_again(tmp_path: Path) -> None:
    permission = ScriptedPermission(allowed_as({"text": "b"}), ALLOWED)
    tool = FakeTool(lambda args, context: args.text)
    bench = Bench([tool], tmp_path, permission)

    answer = await bench.answer(fake_call(text="a"))

    edited = ToolUse("c1", "Fake", {"text": "b"})
    assert [(one.call.input, one.args) for one in permission.requests] == [
        ({"text": "a"}, FakeInput(text="a")),
        ({"text": "b"}, FakeInput(text="b")),
    ]
    assert (answer.call, answer.block) == (edited, ResultBlock("c1", "b"))
    assert [(args, context.user_modified) for args, context in tool.seen] == [
        (FakeInput(text="b"), True)
    ]
    assert [(args, context.user_modified) for args, context in tool.checked] == [
        (FakeInput(text="a"), False),
        (FakeInput(text="b"), True),
    ]
    assert len(bench.told(PermissionDecided)) == 2


async def test_an_edited_input_that_is_denied_then_does_not_run(tmp_path: Path) -> None:
    permission = ScriptedPermission(allowed_as({"text": "b"}), Decision.deny("Not b.", "rules"))
    tool = FakeTool()

    answer = await Bench([tool], tmp_path, permission).answer(fake_call(text="a"))

    assert answer.block.content == denied("Not b", "rules")
    assert tool.seen == []


async def test_an_edited_input_that_does_not_fit_does_not_run(tmp_path: Path) -> None:
    hooks, tool = ScriptedHooks(), FakeTool()
    permission = ScriptedPermission(allowed_as({"text": 5}))

    answer = await Bench([tool], tmp_path, permission, hooks).answer(fake_call(text="a"))

    assert isinstance(answer.outcome, Invalid)
    assert answer.outcome.message == (
        "The user changed the input of this call. The input of Fake has 1 problem:\n"
        "- `text` should be a string, got integer 5.\n"
        "Correct this and call the tool again."
    )
    assert (tool.seen, hooks.events) == ([], [HookEvent.PRE_TOOL_USE])


@pytest.mark.parametrize("given", [{"text": "a"}, {"text": "a", "count": 1}])
async def test_an_input_that_comes_back_as_it_was_is_no_edit(
    tmp_path: Path, given: Mapping[str, Any]
) -> None:
    permission, tool = ScriptedPermission(allowed_as(dict(given))), FakeTool()

    answer = await Bench([tool], tmp_path, permission).answer(fake_call(**given))

    assert answer.record.outcome == "succeeded"
    assert len(permission.requests) == 1
    assert [context.user_modified for _, context in tool.seen] == [False]


async def test_an_edit_that_only_python_takes_for_equal_is_an_edit(tmp_path: Path) -> None:
    permission, tool = ScriptedPermission(allowed_as({"count": True}), ALLOWED), FakeTool()

    await Bench([tool], tmp_path, permission).answer(fake_call(count=1))

    assert len(permission.requests) == 2


async def test_one_who_edits_for_ever_is_refused(tmp_path: Path) -> None:
    class Restless(AllowingPermission):
        async def decide(self, request: Request) -> Decision:
            await AllowingPermission.decide(self, request)
            return allowed_as({"count": request.args.count + 1})

    permission, tool = Restless(), FakeTool()
    bench = Bench([tool], tmp_path, permission)

    answer = await bench.answer(fake_call(count=0))

    decision = Decision.deny("its input was changed too often", "pipeline")
    assert answer.outcome == Denied(denied("its input was changed too often", "pipeline"), decision)
    assert (len(permission.requests), tool.seen) == (6, [])
    assert answer.record.decision == decision
    assert bench.told(PermissionDecided)[-1].behaviour is Behaviour.DENY


async def test_a_no_without_words_ends_the_turn(tmp_path: Path) -> None:
    decision = Decision(Behaviour.DENY, "The user said no.", "person", ends_turn=True)

    answer = await Bench([FakeTool()], tmp_path, ScriptedPermission(decision)).answer(fake_call())

    assert (answer.stop, answer.record.outcome) == ("The user said no.", "denied")


async def test_what_a_person_sends_along_with_a_no_is_in_the_result(tmp_path: Path) -> None:
    picture = Image(FrozenDict(type="base64", media_type="image/png", data="AAAA"))
    decision = Decision(Behaviour.DENY, "Like this!", "person", attachments=(picture,))

    answer = await Bench([FakeTool()], tmp_path, ScriptedPermission(decision)).answer(fake_call())

    content = (Text(denied("Like this!", "person")), picture)
    assert answer.outcome == Denied(content, decision)
    assert answer.block == ResultBlock("c1", content, is_error=True)


async def test_a_no_without_a_reason_reads_well(tmp_path: Path) -> None:
    permission = ScriptedPermission(Decision.deny("", "person"))

    answer = await Bench([FakeTool()], tmp_path, permission).answer(fake_call())

    assert answer.block.content == denied("no reason was given", "person")


async def test_an_endless_reason_is_bounded_in_what_the_model_reads(tmp_path: Path) -> None:
    permission = ScriptedPermission(Decision.deny("no " * 100_000, "person"))

    answer = await Bench([FakeTool()], tmp_path, permission).answer(fake_call())

    assert len(str(answer.block.content)) < 5_000


async def test_a_call_is_judged_with_the_directory_it_will_run_in(tmp_path: Path) -> None:
    permission: Permission = AllowingPermission()

    def move(args: FakeInput, context: ToolContext) -> ToolResult[str]:
        return ToolResult("moved", context_modifier=lambda now: now.moved_to("/elsewhere"))

    mover = FakeTool(move, name="Move", traits=Traits())
    reader = FakeTool(name="Read")

    await Bench([mover, reader], tmp_path, permission).answers(
        fake_call("Move", "a"), fake_call("Read", "b")
    )

    assert isinstance(permission, AllowingPermission)
    assert [request.surroundings.cwd for request in permission.requests] == [
        str(tmp_path),
        "/elsewhere",
    ]
    assert [context.surroundings.cwd for _, context in reader.seen] == ["/elsewhere"]
