"""PreToolUse: every kind of answer, through a whole turn, with real scripts."""

from pathlib import Path

import pytest

from gantlet.messages import HookEffect, HookEffectKind, HookOutcome, HookRan, TurnEnd
from hooks_kit import ACT, Stage, answer, hooks, read_by_model, results, run, says

PRE = "PreToolUse"


async def test_a_hook_is_told_everything_about_the_call(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings=hooks(PRE, stage.script("h", "exit 0")))

    assert (await run(agent)).text == "done"

    [told] = stage.told()
    assert told.pop("session_id")
    assert told.pop("tool_use_id")
    assert told == {
        "transcript_path": "",
        "cwd": str(tmp_path),
        "permission_mode": "bypassPermissions",
        "hook_event_name": "PreToolUse",
        "tool_name": "act",
        "tool_input": {"text": "a"},
    }
    assert stage.ran == ["a"]


@pytest.mark.parametrize(
    ("body", "ran", "read"),
    [
        pytest.param("exit 0", True, "did a", id="nothing"),
        pytest.param("echo words", True, "did a", id="plain-words"),
        pytest.param("echo no >&2; exit 2", False, "no", id="exit-2"),
        pytest.param(
            answer(PRE, permissionDecision="deny", permissionDecisionReason="not so"),
            False,
            "not so",
            id="deny",
        ),
        pytest.param(
            says({"decision": "block", "reason": "old no"}), False, "old no", id="legacy-block"
        ),
        pytest.param(
            says({"decision": "approve", "reason": "old yes"}), True, "did a", id="legacy-approve"
        ),
        pytest.param(answer(PRE, permissionDecision="allow"), True, "did a", id="allow"),
        pytest.param(
            answer(PRE, permissionDecision="ask"),
            False,
            "A hook wants a person to decide.",
            id="ask-nobody",
        ),
        pytest.param(
            answer(PRE, permissionDecision="allow", updatedInput={"text": "b"}),
            True,
            "did b",
            id="updated-allow",
        ),
        pytest.param(answer(PRE, updatedInput={"text": "b"}), True, "did b", id="updated-alone"),
        pytest.param(
            answer(PRE, updatedInput={"nonsense": 1}), False, "A hook", id="updated-nonsense"
        ),
        pytest.param(
            answer(PRE, permissionDecision="deny") + "\nexit 1",
            False,
            "A hook denied it",
            id="json-on-exit-1",
        ),
        pytest.param(
            answer(PRE, permissionDecision="allow") + "\necho stop >&2; exit 2",
            False,
            "stop",
            id="exit-2-cannot-be-undone",
        ),
        pytest.param(
            says({"decision": "block", "reason": "mine"}) + "\necho other >&2; exit 2",
            False,
            "mine",
            id="exit-2-own-reason",
        ),
        pytest.param("echo broken >&2; exit 1", True, "did a", id="exit-1"),
    ],
)
async def test_each_answer_has_its_effect(tmp_path: Path, body: str, ran: bool, read: str) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings=hooks(PRE, stage.script("h", body)))

    result = await run(agent)

    assert result.reason is TurnEnd.COMPLETED
    assert bool(stage.ran) is ran
    assert read in results(agent)[0]


async def test_additional_context_is_read_beside_the_result(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    one = stage.script("one", answer(PRE, additionalContext="mind the gap"))
    two = stage.script("two", answer(PRE, additionalContext="and the step"))
    agent = stage.agent(ACT, "done", settings=hooks(PRE, one, two))

    await run(agent)

    assert results(agent) == ["did a"]
    assert "mind the gap\nand the step" in read_by_model(agent)


async def test_a_long_context_goes_to_a_file(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    begin, end = answer(PRE, additionalContext="@").split("@")
    body = f"{begin}{'x' * 20_000}{end}"
    agent = stage.agent(ACT, "done", settings=hooks(PRE, stage.script("h", body)))

    await run(agent)

    read = read_by_model(agent)
    assert "x" * 2_000 in read
    assert "x" * 3_000 not in read
    [saved] = (tmp_path / "home" / "tool-results").iterdir()
    assert str(saved) in read
    assert saved.read_text() == "x" * 20_000


async def test_continue_false_stops_the_turn_and_outranks_an_allow(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    stop = {
        "continue": False,
        "stopReason": "enough",
        "hookSpecificOutput": {"hookEventName": PRE, "permissionDecision": "allow"},
    }
    agent = stage.agent(ACT, "never", settings=hooks(PRE, stage.script("h", says(stop))))

    result = await run(agent)

    assert (result.reason, result.errors) == (TurnEnd.HOOK_STOPPED, ("enough",))
    assert stage.ran == []
    assert [effect.kind for run in stage.runs for effect in run.effects] == [
        HookEffectKind.STOPPED_CONTINUATION,
        HookEffectKind.PERMISSION_DECISION,
    ]


@pytest.mark.parametrize(
    ("decisions", "reason"),
    [
        (("allow", "ask", "deny"), "deny"),
        (("defer", "deny"), "deny"),
        (("allow", "ask"), "ask"),
        (("allow", "allow"), "allow"),
    ],
    ids=[
        "-".join(one)
        for one in (
            ("allow", "ask", "deny"),
            ("defer", "deny"),
            ("allow", "ask"),
            ("two", "allows"),
        )
    ],
)
async def test_the_strictest_decision_wins(
    tmp_path: Path, decisions: tuple[str, ...], reason: str
) -> None:
    stage = Stage(tmp_path)
    commands = [
        stage.script(
            f"h{number}",
            answer(PRE, permissionDecision=one, permissionDecisionReason=f"{one} it"),
        )
        for number, one in enumerate(decisions)
    ]
    agent = stage.agent(ACT, "done", settings=hooks(PRE, *commands), mode="default")

    await run(agent)

    expected = "did a" if reason == "allow" else f"{reason} it"
    assert expected in results(agent)[0]


async def test_an_allow_never_beats_a_deny_rule(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    settings = {
        **hooks(PRE, stage.script("h", answer(PRE, permissionDecision="allow"))),
        "permissions": {"deny": ["act(text:a)"]},
    }
    agent = stage.agent(ACT, "done", settings=settings)

    await run(agent)

    assert stage.ran == []


async def test_an_allow_does_not_count_for_an_input_another_hook_made(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    allow = stage.script("allow", answer(PRE, permissionDecision="allow"))
    change = stage.script("change", answer(PRE, updatedInput={"text": "b"}))
    agent = stage.agent(ACT, "done", settings=hooks(PRE, allow, change), mode="default")

    await run(agent)

    assert stage.ran == []


async def test_hooks_run_side_by_side(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    first = f"touch {tmp_path}/one; while [ ! -e {tmp_path}/two ]; do sleep 0.01; done"
    second = f"touch {tmp_path}/two; while [ ! -e {tmp_path}/one ]; do sleep 0.01; done"
    commands = [stage.script("a", first), stage.script("b", second)]
    agent = stage.agent(ACT, "done", settings=hooks(PRE, *commands))

    assert (await run(agent)).text == "done"


async def test_the_run_of_a_hook_is_told_from_start_to_end(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = "echo out; echo because >&2; exit 2"
    agent = stage.agent(ACT, "done", settings=hooks(PRE, stage.script("h", body)))

    await run(agent)

    [ran] = stage.runs
    assert ran == HookRan(
        ran.run_id,
        "PreToolUse",
        "PreToolUse:act",
        HookOutcome.ERROR,
        ran.call_id,
        "out\n",
        "because\n",
        2,
        (HookEffect(HookEffectKind.PERMISSION_DECISION, "block: because"),),
    )


async def test_a_message_for_the_user_is_told(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    said = says({"systemMessage": "look out", "suppressOutput": True})
    agent = stage.agent(ACT, "done", settings=hooks(PRE, stage.script("h", said)))

    await run(agent)

    assert stage.notices == ["look out"]


@pytest.mark.parametrize(("matcher", "count"), [("act", 1), ("fail", 0), ("a.t", 1), ("*", 1)])
async def test_only_matching_tools_are_told(tmp_path: Path, matcher: str, count: int) -> None:
    stage = Stage(tmp_path)
    settings = hooks(PRE, stage.script("h", "exit 0"), matcher=matcher)
    agent = stage.agent(ACT, "done", settings=settings)

    await run(agent)

    assert len(stage.told()) == count


async def test_the_exec_form_needs_no_shell(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    program = stage.script("h", 'echo "$1" >&2; exit 2')
    handler = {"type": "command", "command": program, "args": ["$HOME; no shell"]}
    agent = stage.agent(ACT, "done", settings=hooks(PRE, handler))

    await run(agent)

    assert "$HOME; no shell" in results(agent)[0]
