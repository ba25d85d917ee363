"""The five hooks of the guide do what it says, with the real tools."""

import json
import shutil
from pathlib import Path

import anyio
import pytest

from gantlet import Agent
from gantlet.messages import TurnEnd
from hooks_kit import Stage, read_by_model, results, run

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples" / "hooks"
GUIDE = (ROOT / "docs" / "guides" / "hooks.md").read_text(encoding="utf-8")
SCRIPTS = sorted(path.name for path in EXAMPLES.iterdir() if path.suffix in {".py", ".sh"})


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    project = tmp_path / "project"
    shutil.copytree(EXAMPLES, project / ".claude" / "hooks")
    shutil.move(project / ".claude" / "hooks" / "settings.json", project / ".claude")
    return Stage(project)


def agent_of(stage: Stage, *replies: object) -> Agent:
    return stage.agent(*replies, settings={}, setting_sources=("project",), trust=True, tools=[])


def call(name: str, **given: object) -> list[object]:
    return [{"call": name, "input": given}]


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_guide_shows_the_hook_as_it_is(name: str) -> None:
    assert len(SCRIPTS) == 5
    assert (EXAMPLES / name).read_text(encoding="utf-8").strip() in GUIDE


async def test_a_file_is_formatted_after_it_was_written(stage: Stage) -> None:
    file = stage.folder / "a.json"
    agent = agent_of(stage, call("Write", file_path=str(file), content='{"a":1}'), "done")

    await run(agent)

    assert file.read_text() == '{\n    "a": 1\n}\n'
    assert "a.json was formatted after your change." in read_by_model(agent)


async def test_nothing_is_written_outside(stage: Stage) -> None:
    outside = stage.folder.parent / "outside.txt"
    (stage.folder / "link").symlink_to(stage.folder.parent)
    agent = agent_of(
        stage,
        call("Write", file_path=str(outside), content="x"),
        call("Write", file_path=str(stage.folder / "link" / "outside.txt"), content="x"),
        call("Write", file_path=str(stage.folder / "inside.txt"), content="x"),
        "done",
    )

    await run(agent)

    assert not outside.exists()
    assert (stage.folder / "inside.txt").exists()
    assert ["is outside of" in text for text in results(agent)] == [True, True, False]


async def test_every_call_is_in_the_log(stage: Stage) -> None:
    agent = agent_of(
        stage,
        call("Write", file_path=str(stage.folder / "b.txt"), content="x"),
        call("Edit", file_path=str(stage.folder / "b.txt"), old_string="nope", new_string="y"),
        "done",
    )

    async with agent:
        await run(agent)

    lines = (stage.folder / ".claude" / "calls.jsonl").read_text().splitlines()
    logged = sorted((json.loads(line)["hook_event_name"]) for line in lines if line)
    assert logged[0] == "PostToolUse"


@pytest.mark.parametrize(
    ("command", "asks"), [("curl http://localhost:9", True), ("echo hello", False)]
)
async def test_a_person_decides_about_the_network(stage: Stage, command: str, asks: bool) -> None:
    agent = agent_of(stage, call("Bash", command=command), "done")

    result = await run(agent)

    assert result.reason is TurnEnd.COMPLETED
    assert ("This command uses the network." in results(agent)[0]) is asks


async def test_the_prompt_comes_with_the_state_of_the_repository(stage: Stage) -> None:
    await anyio.run_process(["git", "init", "-q", "-b", "work", str(stage.folder)])
    agent = agent_of(stage, "hello")

    await run(agent)

    assert "Branch: work. Changed files:" in read_by_model(agent)
    assert "?? .claude/" in read_by_model(agent)
