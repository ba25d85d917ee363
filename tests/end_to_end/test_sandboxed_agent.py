"""An agent whose commands run in the sandbox: nothing asked, nothing got out."""

import os
from pathlib import Path

import pytest

from gantlet import Agent
from gantlet.models.scripted import ScriptedModel, parse_script
from sandbox_kit import reason_against

SCRIPT = r"""
- - call: Bash
    input: {command: "python3 -c \"open('outside', 'w'); open('/etc/gantlet-test', 'w')\""}
- "{{ result.1.text }}"
"""


def test_the_sandbox_lets_a_command_run_unasked_and_holds_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reason = reason_against(os.getuid())
    if reason is not None:
        pytest.skip(reason)
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    monkeypatch.setenv("GANTLET_HOME", str(tmp_path / "own"))
    boxed = {"enabled": True, "autoAllowBashIfSandboxed": True}

    inside = Agent(ScriptedModel(parse_script(SCRIPT)), settings={"sandbox": boxed}).run_sync("go")
    asked = Agent(ScriptedModel(parse_script(SCRIPT))).run_sync("go")

    assert inside.denials == ()
    assert "Read-only file system: '/etc/gantlet-test'" in inside.text
    assert (tmp_path / "project" / "outside").exists()
    assert not Path("/etc/gantlet-test").exists()
    assert len(asked.denials) == 1
