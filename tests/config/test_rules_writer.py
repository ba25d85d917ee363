"""Saving changes of permission: merged, all or nothing, and never at the cost of anything else."""

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gantlet.config import RuleWriter, SettingsFiles
from gantlet.messages import Behaviour
from gantlet.permissions import (
    AddDirectories,
    AddRules,
    Destination,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    Saver,
    SetMode,
)
from gantlet.system import Environment
from gantlet.tool import Mode, UserError

LOCAL, USER, PROJECT = Destination.LOCAL, Destination.USER, Destination.PROJECT
ADDING = """
import sys
from pathlib import Path
from gantlet.config import RuleWriter, SettingsFiles
from gantlet.messages import Behaviour
from gantlet.permissions import AddRules, Destination
from gantlet.system import Environment
root = Path(sys.argv[1])
writer = RuleWriter(SettingsFiles.of(root, root, Environment()))
for at in range(20):
    rule = f"Bash(make {sys.argv[2]}-{at})"
    writer.write(AddRules((rule,), Behaviour.ALLOW, Destination.LOCAL))
"""


@pytest.fixture
def files(tmp_path: Path) -> SettingsFiles:
    """Return the files of a project and a home."""
    project, home = tmp_path / "app", tmp_path / "home"
    project.mkdir()
    home.mkdir()
    return SettingsFiles.of(project, home, Environment())


def names_in(folder: Path) -> list[str]:
    """Return what lies in a folder."""
    return [path.name for path in folder.iterdir()]


def allowing(*rules: str, destination: Destination = LOCAL) -> AddRules:
    """Return a change that allows something."""
    return AddRules(rules, Behaviour.ALLOW, destination)


async def test_a_rule_is_saved_where_it_says_and_nothing_else_is_left(files: SettingsFiles) -> None:
    saver: Saver = RuleWriter(files)

    await saver.save(allowing("Bash(ls *)"))

    assert files.local.read_text() == (
        '{\n  "permissions": {\n    "allow": [\n      "Bash(ls *)"\n    ]\n  }\n}\n'
    )
    assert names_in(files.local.parent) == ["settings.local.json"]
    assert stat.S_IMODE(files.local.stat().st_mode) == 0o600
    assert not files.user.exists()


def test_what_is_already_there_keeps_its_order_indentation_and_mode(files: SettingsFiles) -> None:
    files.local.parent.mkdir()
    before = (
        '{\n\t"zebra": "ü",\n\t"permissions": {\n\t\t"unknown": 1,\n\t\t"allow": [\n\t\t\t"Read"\n'
        '\t\t]\n\t},\n\t"alpha": null\n}'
    )
    files.local.write_text(before)
    files.local.chmod(0o640)

    RuleWriter(files).write(allowing("Read", "Bash(ls *)"))

    added = before.replace('"Read"\n', '"Read",\n\t\t\t"Bash(ls *)"\n')
    assert files.local.read_text() == added
    assert stat.S_IMODE(files.local.stat().st_mode) == 0o640


def test_every_kind_of_change_is_merged(files: SettingsFiles) -> None:
    writer = RuleWriter(files)

    writer.write(allowing("A", "B"))
    writer.write(RemoveRules(("A",), Behaviour.ALLOW, LOCAL))
    writer.write(ReplaceRules(("C", "D"), Behaviour.DENY, LOCAL))
    writer.write(ReplaceRules(("E",), Behaviour.DENY, LOCAL))
    writer.write(AddDirectories(("/x", "/y"), LOCAL))
    writer.write(RemoveDirectories(("/x",), LOCAL))

    assert json.loads(files.local.read_text()) == {
        "permissions": {"allow": ["B"], "deny": ["E"], "additionalDirectories": ["/y"]}
    }


def test_a_mode_and_what_lasts_a_session_only_are_not_written(files: SettingsFiles) -> None:
    RuleWriter(files).write(SetMode(Mode.BYPASS, USER))
    RuleWriter(files).write(allowing("Bash", destination=Destination.SESSION))

    assert not files.user.exists()
    assert not files.local.exists()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('{"permissions": {"allow": ["Read",]}}', "this is no JSON"),
        ("[]", "settings are an object"),
        ('{"permissions": []}', "'permissions' is no object"),
        ('{"permissions": {"allow": "Read"}}', "'permissions.allow' is no list"),
        ('{"a": 1, "a": 2}', "'a' stands twice"),
    ],
)
def test_a_file_that_cannot_be_kept_is_not_overwritten(
    files: SettingsFiles, text: str, told: str
) -> None:
    files.local.parent.mkdir()
    files.local.write_text(text)

    with pytest.raises(UserError, match=told):
        RuleWriter(files).write(allowing("Bash"))

    assert files.local.read_text() == text
    assert names_in(files.local.parent) == ["settings.local.json"]


def test_a_users_link_is_followed_but_a_projects_may_not_lead_out(
    files: SettingsFiles, tmp_path: Path
) -> None:
    target = tmp_path / "dotfiles.json"
    target.write_text("{}")
    for link in (files.user, files.local):
        link.parent.mkdir()
        link.symlink_to(target)

    with pytest.raises(UserError, match="leads out of the project"):
        RuleWriter(files).write(allowing("Bash"))
    RuleWriter(files).write(allowing("Read", destination=USER))

    assert files.user.is_symlink()
    assert json.loads(target.read_text()) == {"permissions": {"allow": ["Read"]}}


def test_two_processes_that_save_at_once_lose_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ADDING, str(tmp_path)]
    writers = [subprocess.Popen([*command, name]) for name in ("a", "b")]

    assert [writer.wait(timeout=60) for writer in writers] == [0, 0]

    saved = json.loads((tmp_path / ".claude" / "settings.local.json").read_text())
    expected = {f"Bash(make {name}-{at})" for name in ("a", "b") for at in range(20)}
    assert set(saved["permissions"]["allow"]) == expected
    assert names_in(tmp_path / ".claude") == ["settings.local.json"]
