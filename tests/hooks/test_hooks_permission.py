"""Hooks that answer in a person's place, hear of a no, and run under conditions."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from gantlet import tool
from gantlet.messages import TurnEnd
from gantlet.permissions import Question, Yes
from gantlet.tool import AnyTool, Tool, ToolContext, Traits
from hooks_kit import ACT, Stage, answer, hooks, read_by_model, results, run

REQUEST = "PermissionRequest"


def decides(**decision: object) -> str:
    return answer(REQUEST, decision=decision)


@pytest.mark.parametrize(
    ("body", "ran", "read"),
    [
        pytest.param(decides(behavior="allow"), ["a"], "did a", id="allow"),
        pytest.param(
            decides(behavior="allow", updatedInput={"text": "b"}), ["b"], "did b", id="up"
        ),
        pytest.param(decides(behavior="deny", message="not so"), [], "not so", id="deny"),
        pytest.param("exit 0", [], "Nobody answered", id="nothing"),
        pytest.param("echo no >&2; exit 2", [], "Nobody answered", id="exit-2"),
        pytest.param(decides(behavior="perhaps"), [], "Nobody answered", id="nonsense"),
    ],
)
async def test_a_hook_answers_where_nobody_can_be_asked(
    tmp_path: Path, body: str, ran: list[str], read: str
) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(
        ACT, "done", settings=hooks(REQUEST, stage.script("h", body)), mode="default"
    )

    await run(agent)

    assert stage.ran == ran
    assert read in results(agent)[0]
    told = stage.told()[0]
    assert (told["tool_name"], told["tool_input"]) == ("act", {"text": "a"})
    assert isinstance(told["permission_suggestions"], list)


async def test_a_hooks_yes_does_not_answer_an_ask_rule(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    settings = {
        **hooks(REQUEST, stage.script("h", decides(behavior="allow"))),
        "permissions": {"ask": ["act"]},
    }
    agent = stage.agent(ACT, "done", settings=settings, mode="default")

    await run(agent)

    assert stage.ran == []
    assert stage.notices == ["A hook's yes does not count: a rule wants a person to decide."]


async def test_a_hook_can_say_always(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    rule = {
        "type": "addRules",
        "rules": [{"toolName": "act"}],
        "behavior": "allow",
        "destination": "session",
    }
    body = decides(behavior="allow", updatedPermissions=[rule, {"type": "nonsense"}])
    agent = stage.agent(
        ACT,
        [{"call": "act", "input": {"text": "b"}}],
        "done",
        settings=hooks(REQUEST, stage.script("h", body)),
        mode="default",
    )

    await run(agent)

    assert stage.ran == ["a", "b"]
    assert len(stage.told()) == 1
    assert "permission update is not used" in stage.notices[0]


async def test_a_no_can_end_the_turn(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    body = decides(behavior="deny", message="stop", interrupt=True)
    agent = stage.agent(
        ACT, "never", settings=hooks(REQUEST, stage.script("h", body)), mode="default"
    )

    result = await run(agent)

    assert result.reason in {TurnEnd.ABORTED_TOOLS, TurnEnd.ABORTED_STREAMING}


class Person:
    """Somebody who says yes as soon as a hook is heard to wait."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.asked = 0

    async def ask(self, question: Question) -> None:
        self.asked += 1
        question.answer(Yes())

    def quietly(self) -> None:
        return None


async def test_a_person_may_be_faster_than_a_hook(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    person = Person(stage)
    agent = stage.agent(
        ACT,
        "done",
        settings=hooks(REQUEST, stage.script("h", "exec sleep 1000")),
        mode="default",
        asker=person,
    )

    await run(agent)

    assert (stage.ran, person.asked) == (["a"], 1)


@pytest.mark.parametrize("retry", [True, False])
async def test_hooks_hear_of_a_no_and_may_invite_another_try(tmp_path: Path, retry: bool) -> None:
    stage = Stage(tmp_path)
    settings = {
        **hooks("PermissionDenied", stage.script("h", answer("PermissionDenied", retry=retry))),
        "permissions": {"deny": ["act(text:a)"]},
    }
    agent = stage.agent(ACT, "done", settings=settings)

    await run(agent)

    [told] = stage.told()
    assert told["tool_name"] == "act"
    assert "act" in str(told["reason"])
    assert ("may be tried again" in read_by_model(agent)) is retry


def shell(ran: list[str]) -> AnyTool:
    """Return a tool that takes a command line, and only writes it down."""

    class FakeShell(Tool[dict[str, object]]):
        name = "Console"
        description = "Run a command."
        input_schema: Mapping[str, object] = {
            "type": "object",
            "properties": {"command": {"type": "string"}},
        }
        rule_field = "command"
        runs_shell = True

        def traits(self, args: dict[str, object]) -> Traits:
            return Traits()

        async def run(self, args: dict[str, object], context: ToolContext) -> str:
            ran.append(str(args["command"]))
            return "ok"

    return FakeShell()


@pytest.mark.parametrize(
    ("condition", "command", "runs"),
    [
        ("Bash(git *)", "git status", True),
        ("Bash(git *)", "ls", False),
        ("Bash(git push *)", "git status && git push origin", True),
        ("Bash(git push *)", "A=1 git push origin", True),
        ("Bash(git push *)", "echo $(git push origin)", True),
        ("Bash(git push *)", "git pull", False),
        ("Bash(git push *)", "$TOOL push", True),
        ("Read(.env)", "cat .env", True),
        ("Read(.env)", "cat other", False),
        ("Bash", "ls", True),
        ("Edit", "ls", False),
        ("WebFetch(domain:example.com)", "ls", False),
    ],
)
async def test_a_condition_is_a_rule(
    tmp_path: Path, condition: str, command: str, runs: bool
) -> None:
    stage = Stage(tmp_path)
    (tmp_path / ".env").touch()
    handler = {"type": "command", "command": stage.script("h", "exit 2"), "if": condition}
    agent = stage.agent(
        [{"call": "Console", "input": {"command": command}}],
        "done",
        settings=hooks("PreToolUse", handler),
        tools=[shell(stage.ran)],
    )

    await run(agent)

    assert len(stage.told()) == runs
    assert (stage.ran == []) is runs


async def test_the_same_handler_of_several_files_runs_once(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    command = stage.script("h", "exit 0")
    group = {"hooks": [{"type": "command", "command": command}]}
    other = {"matcher": "act", "hooks": [{"type": "command", "command": command, "timeout": 9}]}
    agent = stage.agent(ACT, "done", settings={"hooks": {"PreToolUse": [group, other]}})

    await run(agent)

    assert len(stage.told()) == 1


async def test_no_word_is_needed_for_a_tool_that_may_run(tmp_path: Path) -> None:
    stage = Stage(tmp_path)

    @tool(read_only=True)
    def look() -> str:
        """Look."""
        return "seen"

    agent = stage.agent(
        [{"call": "look"}],
        "done",
        settings=hooks(REQUEST, stage.script("h", "exit 0")),
        mode="default",
        tools=[look],
    )

    await run(agent)

    assert stage.told() == []
