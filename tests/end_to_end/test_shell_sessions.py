"""An agent with a shell: whole turns with a scripted model and real processes."""

import os
from pathlib import Path

import anyio
import pytest

from bash_kit import gone, numbers_in
from gantlet import Agent
from gantlet.assembly.agent_parts import AgentParts
from gantlet.messages import UserMessage, dumps
from gantlet.messages.wire import message_to_wire
from gantlet.models.scripted import ScriptedModel, parse_script
from gantlet.pool import DEFAULT_FLAGS
from gantlet.system import Environment

pytestmark = pytest.mark.anyio


def agent_for(tmp_path: Path, script: str, **settings: object) -> Agent:
    """Return an agent that works in a folder and may run anything there."""
    project = tmp_path / "project"
    project.mkdir(exist_ok=True)
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
    variables = {**kept, "GANTLET_HOME": str(tmp_path / "home")}
    environment = Environment(variables=variables, flags=DEFAULT_FLAGS)
    return Agent(
        ScriptedModel(parse_script(script)),
        cwd=project,
        settings={"permissions": {"allow": ["Bash"]}, **settings},
        parts=AgentParts(environment=environment),
    )


def told(agent: Agent) -> str:
    """Return all that was said to the model, as it is sent."""
    said = [one for one in agent.messages if isinstance(one, UserMessage)]
    return "\n".join(dumps(message_to_wire(one)).decode() for one in said)


async def test_the_directory_and_the_end_of_a_task_reach_the_model(tmp_path: Path) -> None:
    script = """
- - call: Bash
    input: {command: "mkdir sub && cd sub"}
- - call: Bash
    input: {command: "pwd; exit 0", run_in_background: true}
- - call: Sleep
    input: {duration_ms: 20000}
- done
"""
    with anyio.fail_after(60):
        async with agent_for(tmp_path, script) as agent:
            result = await agent.run("Go.")
            [task] = agent.tasks.all()
            output = task.output(1000)

    assert result.text == "done"
    assert output.strip() == str(tmp_path / "project" / "sub")
    assert "<task-notification>" in told(agent)
    assert "completed (exit code 0)" in told(agent)


async def test_tasks_survive_the_turn_and_end_with_the_session(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    script = f"""
- - call: Bash
    input: {{command: "echo $$ >> {pids}; sleep 1000", run_in_background: true}}
- started
- - call: Bash
    input: {{command: "kill -0 $(cat {pids}) && echo alive"}}
- "{{{{ result.1.text }}}}"
"""
    with anyio.fail_after(60):
        async with agent_for(tmp_path, script) as agent:
            await agent.run("Start it.")
            running = await numbers_in(pids)
            second = await agent.run("Look.")
        await gone(running)

    assert second.text == "alive"


async def test_a_further_directory_counts_as_inside(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    script = f"""
- - call: Bash
    input: {{command: "cd {other} && true"}}
- - call: Bash
    input: {{command: "pwd"}}
- "{{{{ result.1.text }}}}"
"""
    permissions = {"allow": ["Bash"], "additionalDirectories": [str(other)]}
    with anyio.fail_after(60):
        async with agent_for(tmp_path, script, permissions=permissions) as agent:
            result = await agent.run("Go.")

    assert result.text == str(other)


async def test_what_rules_do_not_allow_is_not_run(tmp_path: Path) -> None:
    script = """
- - call: Bash
    input: {command: "touch made.txt"}
- - call: Bash
    input: {command: "ls; git status 2>&1 | head -1"}
- done
"""
    agent = agent_for(tmp_path, script, permissions={"deny": ["Bash(touch *)"]})
    with anyio.fail_after(60):
        async with agent:
            result = await agent.run("Go.")

    assert [call.input["command"] for call in result.denials] == ["touch made.txt"]
    assert not (agent_folder(tmp_path) / "made.txt").exists()


def agent_folder(tmp_path: Path) -> Path:
    """Return where the agent works."""
    return tmp_path / "project"
