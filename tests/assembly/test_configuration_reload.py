"""A session and its settings files: obeyed by the agent, and read again between calls."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
import pytest

from config.settings_kit import Desk
from gantlet import Agent, AgentParts, ScriptedModel, script_of, tool
from gantlet.assembly.configuration import Configuration, SettingsChange, open_configuration
from gantlet.config import ChangedFile, Exposure
from gantlet.messages import (
    Behaviour,
    ModelRequest,
    ResultBlock,
    RetryListener,
    StreamEvent,
    blocks_of,
)
from gantlet.permissions import AddRules, Destination, SetMode
from gantlet.tool import (
    READS_ONLY,
    Access,
    Mode,
    Named,
    Tool,
    ToolContext,
    Traits,
    UserError,
)
from patience import PATIENCE_SECONDS

FOLDER = "user,project,local"


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a project, a home and a policy."""
    return Desk(tmp_path.resolve())


def opened(desk: Desk) -> Configuration:
    """Open the settings of the desk, with an engine nobody can be asked by."""
    configuration = open_configuration(desk.request())
    configuration.open_engine(None, lambda event: None)
    return configuration


def rules(configuration: Configuration, behaviour: Behaviour) -> list[str]:
    """Return the rules the engine judges by."""
    engine = configuration._engine
    assert engine is not None
    return [rule.text for rule in engine.holder.current.rules(behaviour)]


async def test_a_change_is_seen_at_the_next_call_and_swapped_whole(desk: Desk) -> None:
    desk.write("user", {"permissions": {"allow": ["Edit"]}})
    configuration = opened(desk)
    seen: list[SettingsChange] = []
    configuration.listeners.append(seen.append)
    unchanged = await configuration.refresh()
    file = desk.write("user", {"permissions": {"deny": ["Bash"]}, "model": "other"})

    change = await configuration.refresh()

    assert unchanged is None
    assert change is not None
    assert [one.file for one in change.files] == [str(file)]
    assert seen == [change]
    assert rules(configuration, Behaviour.DENY) == ["Bash"]
    assert rules(configuration, Behaviour.ALLOW) == []
    assert configuration.settings.text("model") == "other"
    assert await configuration.refresh() is None


@pytest.mark.parametrize("kind", ["policy", "drop-in", "command line", "local", "project", "user"])
async def test_every_kind_of_file_is_watched(desk: Desk, kind: str) -> None:
    if kind == "command line":
        desk.write(kind, {})
    configuration = opened(desk)
    desk.write(kind, {"permissions": {"deny": ["WebFetch"]}})

    assert await configuration.refresh() is not None
    assert rules(configuration, Behaviour.DENY) == ["WebFetch"]


async def test_a_file_that_breaks_while_a_session_runs_keeps_its_denies(desk: Desk) -> None:
    desk.write("user", {"permissions": {"deny": ["Bash"], "allow": ["Edit"]}})
    configuration = opened(desk)
    desk.write("user", "{ broken")

    await configuration.refresh()

    assert rules(configuration, Behaviour.DENY) == ["Bash"]
    assert rules(configuration, Behaviour.ALLOW) == []


async def test_what_a_session_added_outlives_a_change_but_not_its_revocation(desk: Desk) -> None:
    desk.write("user", {"permissions": {"allow": ["Grep"]}})
    configuration = open_configuration(desk.request())
    engine = configuration.open_engine(None, lambda event: None)
    await engine.change(
        AddRules(("Edit",), Behaviour.ALLOW, Destination.SESSION),
        AddRules(("Bash(make)",), Behaviour.ALLOW, Destination.LOCAL),
        SetMode(Mode.PLAN, Destination.SESSION),
    )
    await configuration.refresh()
    both = rules(configuration, Behaviour.ALLOW)
    desk.write("local", {"permissions": {"allow": []}})
    await configuration.refresh()

    assert set(both) == {"Grep", "Edit", "Bash(make)"}
    assert configuration.settings.trust.trusts(Exposure.ALLOW)
    assert set(rules(configuration, Behaviour.ALLOW)) == {"Grep", "Edit"}
    assert engine.holder.current.mode is Mode.PLAN


async def test_bypass_ends_when_a_file_switches_it_off(desk: Desk) -> None:
    configuration = open_configuration(desk.request())
    engine = configuration.open_engine(Mode.BYPASS, lambda event: None)
    desk.write("policy", {"permissions": {"disableBypassPermissionsMode": "disable"}})

    await configuration.refresh()

    assert (engine.holder.current.mode, engine.holder.current.bypass_available) == (
        Mode.DEFAULT,
        False,
    )


async def test_trust_that_is_taken_back_counts_at_once(desk: Desk) -> None:
    desk.write("project", {"permissions": {"allow": ["Edit"]}})
    desk.accept()
    configuration = opened(desk)
    before = configuration.settings.trust.is_whole
    desk.store.remove(str(desk.cwd))

    await configuration.refresh()

    assert before
    assert not configuration.settings.trust.is_whole


@pytest.mark.parametrize(("kind", "is_kept"), [("user", True), ("policy", False)])
async def test_a_change_can_be_refused_but_not_the_policys(
    desk: Desk, kind: str, is_kept: bool
) -> None:
    configuration = opened(desk)
    asked: list[ChangedFile] = []

    async def refuse(file: ChangedFile) -> bool:
        asked.append(file)
        return False

    configuration.gate = refuse
    file = desk.write(kind, {"permissions": {"deny": ["Bash"]}})

    await configuration.refresh()

    assert [(one.file, str(one.kind)) for one in asked] == [(str(file), kind)]
    assert rules(configuration, Behaviour.DENY) == ([] if is_kept else ["Bash"])
    assert await configuration.refresh() is None


async def test_an_agent_obeys_its_settings_files_and_a_deny_written_while_it_runs(
    desk: Desk,
) -> None:
    desk.write("user", {"permissions": {"allow": ["note"]}, "model": "from-settings"})
    written: list[str] = []

    @tool
    def note(line: str) -> str:
        """Note a line."""
        written.append(line)
        desk.write("user", {"permissions": {"deny": ["note(line:b*)"], "allow": ["note"]}})
        return "done"

    script = script_of(
        {"call": "note", "input": {"line": "a"}},
        {"call": "note", "input": {"line": "b"}},
        "{{ result.1.text }}",
    )
    agent = Agent(
        ScriptedModel(script),
        tools=[note],
        cwd=desk.cwd,
        setting_sources=FOLDER,
        parts=AgentParts(environment=desk.environment),
    )

    result = await agent.run("go")

    assert written == ["a"]
    assert "note(line:b*)" in result.text
    assert str(desk.file("user")) in result.text


async def test_whoever_asks_while_settings_are_read_waits_for_them(desk: Desk) -> None:
    configuration = opened(desk)
    may_go, seen = anyio.Event(), list[list[str]]()

    async def wait(file: ChangedFile) -> bool:
        await may_go.wait()
        return True

    async def ask() -> None:
        await configuration.refresh()
        seen.append(rules(configuration, Behaviour.DENY))

    configuration.gate = wait
    desk.write("user", {"permissions": {"deny": ["Bash"]}})
    async with anyio.create_task_group() as group:
        group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        group.start_soon(ask)
        await anyio.wait_all_tasks_blocked()
        assert (configuration.is_stale, seen) == (True, [])
        may_go.set()

    assert seen == [["Bash"], ["Bash"]]
    assert not configuration.is_stale


async def test_a_change_is_not_lost_with_whoever_was_to_read_it(desk: Desk) -> None:
    configuration = opened(desk)

    async def wait(file: ChangedFile) -> bool:
        await anyio.sleep_forever()
        return True

    configuration.gate = wait
    desk.write("user", {"permissions": {"deny": ["Bash"]}})
    async with anyio.create_task_group() as group:
        group.start_soon(configuration.refresh)
        await anyio.wait_all_tasks_blocked()
        group.cancel_scope.cancel()
    configuration.gate = None

    assert configuration.is_stale
    assert await configuration.refresh() is not None
    assert rules(configuration, Behaviour.DENY) == ["Bash"]
    assert not configuration.is_stale


async def test_an_agent_reads_no_files_it_was_not_told_to(desk: Desk) -> None:
    desk.write("user", {"permissions": {"deny": ["write"]}})

    agent = Agent(
        ScriptedModel(script_of("hi")), cwd=desk.cwd, parts=AgentParts(environment=desk.environment)
    )

    assert agent.configuration.settings.denied == []


def test_variables_reach_children_and_only_the_users_reach_ourselves(desk: Desk) -> None:
    desk.write("user", {"env": {"ANTHROPIC_BASE_URL": "http://mine", "A": "1"}})
    desk.write("project", {"env": {"ANTHROPIC_BASE_URL": "http://evil", "B": "2"}})

    environment = open_configuration(desk.request(trusts=True)).environment

    assert environment.for_children == {"ANTHROPIC_BASE_URL": "http://mine", "A": "1", "B": "2"}
    assert environment.variables["ANTHROPIC_BASE_URL"] == "http://mine"
    assert "B" not in environment.variables


def test_a_yes_of_another_program_is_adopted_so_that_a_change_is_seen(desk: Desk) -> None:
    desk.write("project", {"apiKeyHelper": "./key"})
    projects = {str(desk.cwd): {"hasTrustDialogAccepted": True}}
    (desk.home / ".claude.json").write_text(json.dumps({"projects": projects}))

    first = open_configuration(desk.request()).settings
    desk.write("project", {"apiKeyHelper": "./evil"})
    second = open_configuration(desk.request()).settings

    assert first.text("apiKeyHelper") == "./key"
    assert second.text("apiKeyHelper") is None


@pytest.mark.parametrize("as_file", [False, True], ids=["json", "file"])
@pytest.mark.parametrize("given", ["{", '{"permissions": 3}', '{"permissions": {"deny": 3}}'])
def test_settings_given_for_a_session_must_not_be_broken(
    desk: Desk, given: str, as_file: bool
) -> None:
    named = desk.write("command line", given) if as_file else given

    with pytest.raises(UserError, match="The settings cannot be used: "):
        open_configuration(desk.request(given=named))


@pytest.mark.parametrize("given", ['{"model": 3}', '{"permissions": {"later": []}}'])
def test_an_entry_of_them_that_does_not_fit_is_left_out(desk: Desk, given: str) -> None:
    configuration = open_configuration(desk.request(given=given))

    assert configuration.settings.text("model") is None


async def test_a_fence_denies_what_lies_outside(desk: Desk) -> None:
    desk.write("policy", {"permissions": {"blockReadsOutsideWorkingDirectories": True}})
    desk.write("user", {"permissions": {"allow": ["Read"], "blockReadsExemptPaths": ["/usr"]}})
    context = desk.read().context()

    assert (context.fence.reads, context.fence.writes) == (True, False)
    assert [one.path for one in context.fence.exempt] == ["/usr"]


class SpeaksAtOnce(ScriptedModel):
    """Says a whole reply in one breath, so that nobody else has a turn between its calls."""

    @asynccontextmanager
    async def stream(
        self, request: ModelRequest, on_retry: RetryListener | None = None
    ) -> AsyncGenerator[AsyncGenerator[StreamEvent]]:
        """Wait for all of it, then give it."""
        async with super().stream(request, on_retry) as events:
            heard = [event async for event in events]

        async def given() -> AsyncGenerator[StreamEvent]:
            for event in heard:
                yield event

        yield given()


class Look(Tool[object]):
    """Looks, without waiting for anything."""

    name = "Look"
    description = "Looks."
    input_schema = {"type": "object"}  # noqa: RUF012 - the contract declares it so

    def traits(self, args: object) -> Traits:
        """Disturb nobody."""
        return READS_ONLY

    async def run(self, args: object, context: ToolContext) -> str:
        """Look."""
        return "seen"


class Forbid(Look):
    """Forbids to look when it is called again, without waiting for anything."""

    name = "Forbid"
    description = "Forbids."

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._is_called = False

    def traits(self, args: object) -> Traits:
        """Change something that nobody else touches."""
        return Traits(access=Access(writes={Named("the rules")}))

    async def run(self, args: object, context: ToolContext) -> str:
        """Forbid."""
        if self._is_called:
            self._desk.write("user", {"permissions": {"deny": ["Look"], "allow": ["Forbid"]}})
        self._is_called = True
        return "forbidden"


class ForbidInTime(Forbid):
    """The same, with a time within which it has to be done."""

    timeout_seconds = 60.0


@pytest.mark.parametrize("forbid", [Forbid, ForbidInTime], ids=lambda it: it.__name__)
async def test_a_deny_that_one_call_writes_holds_for_the_next_of_the_same_reply(
    desk: Desk, forbid: type[Forbid]
) -> None:
    desk.write("user", {"permissions": {"allow": ["Forbid"]}})
    names = ["Look", "Look", "Forbid", "Look", "Look"]
    script = script_of(
        [{"call": "Look", "input": {}}, {"call": "Forbid", "input": {}}],
        [{"call": name, "input": {}} for name in names],
        "done",
    )
    agent = Agent(
        SpeaksAtOnce(script),
        tools=[Look(), forbid(desk)],
        cwd=desk.cwd,
        setting_sources=FOLDER,
        parts=AgentParts(environment=desk.environment),
    )

    await agent.run("go")

    answered = [block for block in blocks_of(agent.messages[4]) if isinstance(block, ResultBlock)]
    assert [block.is_error for block in answered] == [None, None, None, True, True]


async def test_a_deny_that_a_hook_writes_holds_for_the_call_it_was_asked_about(desk: Desk) -> None:
    script = script_of([{"call": "Look", "input": {}}], [{"call": "Look", "input": {}}] * 3, "done")
    agent = Agent(
        SpeaksAtOnce(script),
        tools=[Look()],
        cwd=desk.cwd,
        setting_sources=FOLDER,
        parts=AgentParts(environment=desk.environment),
    )
    asked: list[object] = []

    @agent.hook("PreToolUse", "Look")
    async def forbid(payload: object) -> None:
        asked.append(payload)
        if len(asked) == 3:
            desk.write("user", {"permissions": {"deny": ["Look"]}})

    await agent.run("go")

    answered = [block for block in blocks_of(agent.messages[4]) if isinstance(block, ResultBlock)]
    assert [block.is_error for block in answered] == [None, True, True]


@pytest.mark.parametrize("hooks", [1, 2], ids=["alone", "beside another"])
async def test_a_hook_that_a_change_waits_for_does_not_wait_for_the_change(
    desk: Desk, hooks: int
) -> None:
    agent = Agent(
        ScriptedModel(script_of("done")),
        cwd=desk.cwd,
        setting_sources=FOLDER,
        parts=AgentParts(environment=desk.environment),
    )
    seen: list[object] = []

    for _ in range(hooks):

        @agent.hook("ConfigChange")
        async def look(payload: object) -> None:
            seen.append(await agent.configuration.refresh())

    desk.write("user", {"permissions": {"deny": ["Look"]}})
    with anyio.fail_after(PATIENCE_SECONDS):
        await agent.run("go")

    assert seen == [None] * hooks
    assert rules(agent.configuration, Behaviour.DENY) == ["Look"]
    assert not agent.configuration.is_stale
