"""Hooks that go on in the background, and calls that a hook puts off."""

from pathlib import Path

import anyio
import pytest

from gantlet import Agent, tool
from gantlet.loop import History
from gantlet.messages import (
    CallDeferred,
    CallFinished,
    HookOutcome,
    ResultBlock,
    TurnEnd,
    blocks_of,
)
from gantlet.session import new_session, resumed
from gantlet.tool import AnyTool
from hooks_kit import (
    ACT,
    Stage,
    answer,
    hooks,
    is_running,
    number_in,
    pid_in,
    read_by_model,
    results,
    run,
    says,
)
from patience import DEADLINES, PATIENCE_SECONDS


def wait_for(path: Path) -> AnyTool:
    """Return a tool that waits until a hook has made a file."""

    @tool(read_only=True)
    async def wait() -> str:
        """Wait."""
        while not path.exists():  # noqa: ASYNC110, ASYNC240 - another process makes it
            await anyio.sleep(0.005)
        return "waited"

    return wait


async def until_ran(stage: Stage) -> None:
    """Wait until a hook in the background has ended, and was heard."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while not stage.runs:  # noqa: ASYNC110 - another process makes it happen
            await anyio.sleep(0.005)


async def test_an_async_hook_decides_nothing_and_is_read_later(tmp_path: Path) -> None:
    stage, ready = Stage(tmp_path), tmp_path / "ready"
    late = stage.script(
        "late",
        answer("PreToolUse", permissionDecision="deny", additionalContext="by the way")
        + f"\ntouch {ready}",
    )
    handler = {"type": "command", "command": late, "async": True}
    agent = stage.agent(
        [{"call": "wait"}],
        [{"call": "act", "input": {"text": "b"}}],
        "done",
        "again",
        settings=hooks("PreToolUse", handler, matcher="wait"),
        tools=[wait_for(ready), *stage.tools()],
    )

    async with agent:
        await run(agent)
        await until_ran(stage)
        await run(agent, "again") if "by the way" not in read_by_model(agent) else None

    assert stage.ran == ["b"]
    assert "by the way" in read_by_model(agent)


async def test_a_hook_can_say_that_it_goes_on_in_the_background(tmp_path: Path) -> None:
    stage, ready = Stage(tmp_path), tmp_path / "ready"
    body = (
        says({"async": True, "asyncTimeout": 100})
        + f"\nwhile [ ! -e {ready} ]; do sleep 0.01; done\n"
        + answer("PreToolUse", additionalContext="in the end")
    )
    agent = stage.agent(ACT, "done", "again", settings=hooks("PreToolUse", stage.script("h", body)))

    async with agent:
        await run(agent)
        assert stage.ran == ["a"]
        assert stage.runs == []
        ready.touch()
        await until_ran(stage)
        await run(agent)

    assert "in the end" in read_by_model(agent)


async def test_a_background_hook_is_ended_with_the_session(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = f"echo $$ > {tmp_path}/pid; exec sleep 1000"
    handler = {"type": "command", "command": stage.script("h", body), "async": True}
    agent = stage.agent(ACT, "done", settings=hooks("PreToolUse", handler))

    async with agent:
        await run(agent)
        pid = await pid_in(tmp_path / "pid")

    assert [one.outcome for one in stage.runs] == [HookOutcome.CANCELLED]
    assert not is_running(pid)


async def test_a_background_hook_can_wake_the_model(tmp_path: Path) -> None:
    stage, ready = Stage(tmp_path), tmp_path / "ready"
    body = f"touch {ready}; echo tests are red >&2; exit 2"
    handler = {"type": "command", "command": stage.script("h", body), "asyncRewake": True}
    agent = stage.agent(ACT, "done", "again", settings=hooks("PostToolUse", handler))

    async with agent:
        await run(agent)
        await until_ran(stage)
        if "tests are red" not in read_by_model(agent):
            await run(agent)

    assert "tests are red" in read_by_model(agent)


def leaving_quiet(sign: Path) -> str:
    """Return a hook that ends once something it started has let go of its streams."""
    quiet = f"sh -c 'echo $$ > {sign}; exec sleep 1000' >/dev/null 2>&1 &"
    return f"{quiet} while [ ! -s {sign} ]; do :; done"


async def test_a_quiet_process_may_go_on_until_the_session_ends(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = leaving_quiet(tmp_path / "pid")
    agent = stage.agent(ACT, "done", settings=hooks("PreToolUse", stage.script("h", body)))

    async with agent:
        await run(agent)
        pid = int((tmp_path / "pid").read_text())
        assert is_running(pid)

    assert stage.notices == []
    assert not is_running(pid)


async def test_what_a_hook_leaves_is_ended_at_its_deadline(tmp_path: Path) -> None:
    for seconds in DEADLINES:  # it has to leave something before its time is over
        stage = Stage(tmp_path)
        (tmp_path / "pid").unlink(missing_ok=True)
        body = leaving_quiet(tmp_path / "pid")
        handler = {"type": "command", "command": stage.script("h", body), "timeout": seconds}
        agent = stage.agent(ACT, "done", settings=hooks("PreToolUse", handler))
        await left_is_ended(agent, tmp_path / "pid")
        if stage.notices == []:
            return
    raise AssertionError("the hook never ended before its deadline")


async def left_is_ended(agent: Agent, path: Path) -> None:
    """Run a turn, and wait in its session until what a hook left has ended."""
    async with agent:
        await run(agent)
        pid = number_in(path)
        with anyio.fail_after(PATIENCE_SECONDS):
            while is_running(pid):  # noqa: ASYNC110 - nobody is told when it ends
                await anyio.sleep(0.01)


DEFER = answer("PreToolUse", permissionDecision="defer")


def deferring(stage: Stage) -> dict[str, object]:
    """Return settings with a hook that defers until a file `go` is there."""
    body = f"[ -e {stage.folder}/go ] && exit 0\n{DEFER}"
    return hooks("PreToolUse", stage.script("h", body), matcher="act")


async def test_a_call_that_is_put_off_is_asked_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings=deferring(stage))

    first = await run(agent)

    assert first.reason is TurnEnd.TOOL_DEFERRED
    assert first.deferred is not None
    assert (first.deferred.name, dict(first.deferred.input)) == ("act", {"text": "a"})
    assert stage.ran == []
    assert results(agent) == []
    assert [one.call for one in stage.heard(CallDeferred)] == [first.deferred]
    assert stage.heard(CallFinished) == []

    (tmp_path / "go").touch()
    second = await agent.run()

    assert (second.reason, second.text) == (TurnEnd.COMPLETED, "done")
    assert stage.ran == ["a"]
    assert results(agent) == ["did a"]
    assert len(stage.told()) == 2


async def test_a_prompt_takes_the_call_up_as_well(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings=deferring(stage))
    await run(agent)
    (tmp_path / "go").touch()

    await run(agent, "and hurry")

    last = blocks_of(agent.messages[2])
    assert isinstance(last[0], ResultBlock)
    assert "and hurry" in read_by_model(agent)


async def test_a_call_can_be_put_off_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings=deferring(stage))
    await run(agent)

    again = await run(agent, "words")

    assert again.reason is TurnEnd.TOOL_DEFERRED
    assert stage.notices == ["act was put off again; what you said was not passed on."]


@pytest.mark.parametrize("has_tool", [True, False], ids=["there", "gone"])
async def test_another_process_takes_it_up(tmp_path: Path, has_tool: bool) -> None:
    stage = Stage(tmp_path)
    first = stage.agent(ACT, settings=deferring(stage))
    deferred = (await run(first)).deferred
    (tmp_path / "go").touch()

    later = Stage(tmp_path)
    agent = later.agent(
        ACT,
        "done",
        settings=deferring(stage),
        tools=None if has_tool else [],
        history=History.of(first.messages),
        deferred=deferred,
    )
    result = await agent.run()

    if has_tool:
        assert (result.reason, later.ran) == (TurnEnd.COMPLETED, ["a"])
    else:
        assert (result.reason, result.is_error) == (TurnEnd.TOOL_DEFERRED_UNAVAILABLE, True)
        assert "No such tool available" in results(agent)[0]


async def test_a_call_beside_others_cannot_be_put_off(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    calls = [{"call": "act", "input": {"text": "a"}}, {"call": "fail", "input": {"text": "b"}}]
    agent = stage.agent(calls, "done", settings=deferring(stage))

    result = await run(agent)

    assert result.text == "done"
    assert "alone in its reply" in results(agent)[0]
    assert stage.ran == ["b"]


async def test_without_a_call_to_take_up_a_prompt_is_needed(tmp_path: Path) -> None:
    agent = Stage(tmp_path).agent("x", settings={})

    with pytest.raises(ValueError, match="empty"):
        await agent.run()


async def test_a_resumed_session_asks_again(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    with new_session(tmp_path / "s", str(tmp_path), "1") as session:
        first = stage.agent(ACT, settings=deferring(stage), session=session)
        assert (await run(first)).reason is TurnEnd.TOOL_DEFERRED
    (tmp_path / "go").touch()

    with resumed(session.path, str(tmp_path), "1") as again:
        assert again.notes == ()
        agent = stage.agent(ACT, "done", settings=deferring(stage), session=again)
        result = await agent.run()

    assert (result.text, stage.ran) == ("done", ["a"])
    assert results(agent) == ["did a"]
    with resumed(session.path, str(tmp_path), "1") as third:
        assert third.deferred is None
        assert [blocks_of(one) for one in third.history.messages] == [
            blocks_of(one) for one in agent.messages
        ]
