"""Whatever a hook starts ends with it, at its deadline, or with the session: also daemons."""

import os
from pathlib import Path

import anyio
import pytest

from fakes.tools import FakeInput, FakeTool
from gantlet.hooks import (
    EVERYTHING,
    Command,
    Handler,
    HookEntry,
    HookEvent,
    HookPorts,
    HookRunner,
    HookSession,
    Moment,
    Said,
    call_occasion,
)
from gantlet.messages import ToolUse
from gantlet.rules import Source, SourceKind
from gantlet.tool import AgentIdentity, Surroundings
from hooks_kit import is_running, number_in, pid_in
from patience import DEADLINES, PATIENCE_SECONDS

#: Leaves its group, its session, its parent and its streams.
DAEMON = (
    "setsid -f sh -c 'echo $$ > daemon; exec sleep 1000' > /dev/null 2>&1 < /dev/null; "
    "while [ ! -s daemon ]; do :; done; "
)


def runner_of(work: Command, seconds: float, path: str = os.environ["PATH"]) -> HookRunner:
    source = Source(SourceKind.USER, "settings.json")
    entry = HookEntry(HookEvent.PRE_TOOL_USE, EVERYTHING, Handler(work, timeout=seconds), source)
    ports = HookPorts(variables={"PATH": path})
    return HookRunner(HookSession("s1"), [entry], ports=ports)


async def fired(runner: HookRunner, folder: Path) -> Said:
    moment = Moment(
        ToolUse("c1", "Fake", {}),
        FakeTool(),
        FakeInput(),
        Surroundings(cwd=str(folder)),
        AgentIdentity(),
    )
    return await runner.fire(call_occasion(HookEvent.PRE_TOOL_USE, moment))


def daemon_of(folder: Path) -> int:
    return number_in(folder / "daemon")


@pytest.mark.parametrize("is_entered", [True, False], ids=["entered", "not-entered"])
async def test_a_daemon_does_not_outlive_the_deadline_of_its_hook(
    tmp_path: Path, *, is_entered: bool
) -> None:
    for seconds in DEADLINES:  # the daemon has to begin before it
        runner = runner_of(Command(f"{DAEMON} exec sleep 1000"), seconds)
        if is_entered:
            async with runner:
                said = await fired(runner, tmp_path)
                assert not is_running(daemon_of(tmp_path))
        else:
            said = await fired(runner, tmp_path)
        if daemon_of(tmp_path):
            break

    assert said.runs[0].failure == f"It took longer than {seconds:g} s and was ended."
    assert daemon_of(tmp_path)
    assert not is_running(daemon_of(tmp_path))


async def test_a_daemon_of_a_hook_that_is_done_goes_on_until_the_session_ends(
    tmp_path: Path,
) -> None:
    runner = runner_of(Command(DAEMON), 60)
    with anyio.fail_after(PATIENCE_SECONDS):
        async with runner:
            said = await fired(runner, tmp_path)
            assert said == Said(runs=said.runs)
            assert said.runs[0].failure == ""
            assert is_running(daemon_of(tmp_path))

    assert not is_running(daemon_of(tmp_path))


async def test_a_daemon_of_a_hook_in_the_background_ends_with_the_session(tmp_path: Path) -> None:
    runner = runner_of(Command(f"{DAEMON} exec sleep 1000", is_async=True), 60)
    with anyio.fail_after(PATIENCE_SECONDS):
        async with runner:
            await fired(runner, tmp_path)
            daemon = await pid_in(tmp_path / "daemon")

    assert not is_running(daemon)


async def test_a_program_is_found_by_its_name_where_the_hook_runs(tmp_path: Path) -> None:
    tool = tmp_path / "bin" / "say"
    tool.parent.mkdir()
    tool.write_text('#!/bin/sh\necho "$1" > said\n')
    tool.chmod(0o755)
    runner = runner_of(Command("say", args=("it",)), 60, f"bin:{os.environ['PATH']}")
    async with runner:
        said = await fired(runner, tmp_path)

    assert said.runs[0].failure == ""
    assert (tmp_path / "said").read_text() == "it\n"


@pytest.mark.parametrize(
    ("work", "told"),
    [
        (Command("no-such-program", args=()), "No such file or directory: 'no-such-program'"),
        (Command("./data", args=()), "'./data'"),
        (Command("/", args=()), "'/'"),
        (Command("a\0b", args=()), "null byte"),
    ],
    ids=["no-program", "not-executable", "folder", "nul"],
)
async def test_what_cannot_be_started_is_said(tmp_path: Path, work: Command, told: str) -> None:
    (tmp_path / "data").write_text("no program")
    with anyio.fail_after(PATIENCE_SECONDS):
        async with runner_of(work, 60) as runner:
            said = await fired(runner, tmp_path)

    assert said.runs[0].failure.startswith("It could not be started: ")
    assert told in said.runs[0].failure
