"""What holds when settings files are broken: it is told, and nothing gets wider."""

import json
import os
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.settings_kit import Desk
from gantlet.config import KEYS, Settings
from gantlet.messages import Behaviour
from gantlet.permissions import PermissionContext
from gantlet.rules import SourceKind
from gantlet.tool import Mode

GOOD = {"permissions": {"deny": ["Bash(rm *)"], "ask": ["WebFetch"], "allow": ["Read"]}}
BROKEN = '{\n "permissions": {"deny": ["Bash(rm *)",]}}'
FILES = ["policy", "drop-in", "command line", "local", "project", "user"]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a project, a home and a policy."""
    return Desk(tmp_path.resolve())


def forbidding(settings: Settings) -> list[str]:
    """Return the rules that forbid."""
    return [str(rule) for rule in settings.rules if rule.behaviour is not Behaviour.ALLOW]


@pytest.mark.parametrize("kind", FILES)
def test_a_broken_file_keeps_its_last_good_denies(desk: Desk, kind: str) -> None:
    file = desk.write(kind, GOOD)
    desk.read()
    desk.write(kind, BROKEN)

    settings = desk.read()

    assert forbidding(settings) == ["deny Bash(rm *)", "ask WebFetch"]
    assert [rule.source.file for rule in settings.rules] == [str(file)] * 2
    [problem] = settings.problems
    assert str(problem).startswith(f"{file}:2: this is no JSON")
    assert "remove the comma" in problem.message
    assert "the 2 rules that forbade when it was last whole stay" in problem.message


@pytest.mark.parametrize("kind", FILES)
def test_a_broken_file_that_nobody_ever_read_has_everything_asked_about(
    desk: Desk, kind: str
) -> None:
    desk.write(kind, BROKEN)

    settings = desk.read()

    assert forbidding(settings) == ["ask *"]
    assert "everything is asked about" in settings.problems[0].message


def test_a_file_whose_denies_were_taken_out_has_none_that_stay(desk: Desk) -> None:
    desk.write("user", GOOD)
    desk.read()
    desk.write("user", {"permissions": {"allow": ["Read"]}})
    desk.read()
    desk.write("user", BROKEN)

    assert forbidding(desk.read()) == ["ask *"]


def test_switches_that_narrow_stay_too(desk: Desk) -> None:
    switches = {"disableBypassPermissionsMode": "disable", "deny": ["Bash"]}
    desk.write("user", {"permissions": switches, "sandbox": {"enabled": True}})
    desk.read()
    desk.write("user", "{")

    settings = desk.read()

    assert settings.context(Mode.BYPASS).mode is Mode.DEFAULT
    assert settings.is_on("sandbox.enabled")


def test_what_is_kept_for_later_is_nobody_elses(desk: Desk) -> None:
    desk.write("user", GOOD)
    desk.read()

    [kept] = (desk.own / "settings-seen").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("kept", ["", "[]", '{"file": 3}', '{"file": "/x", "rules": 3}', "\x00"])
def test_a_damaged_memory_is_none(desk: Desk, kept: str) -> None:
    desk.write("user", GOOD)
    desk.read()
    [file] = (desk.own / "settings-seen").iterdir()
    file.write_text(kept)
    desk.write("user", BROKEN)

    assert forbidding(desk.read()) == ["ask *"]


@pytest.mark.parametrize(
    ("settings", "line", "told"),
    [
        ('{\n"model": 3}', 2, "'model' takes a text, not 3; it is left out"),
        ('{"model": ""}', 1, "'model' takes a text, not ''; it is left out"),
        ('{"cleanupPeriodDays": -1}', 1, "takes a number, not -1"),
        ('{"cleanupPeriodDays": true}', 1, "takes a number, not true"),
        ('{"cleanupPeriodDays": NaN}', 1, "takes a number, not nan"),
        ('{"includeCoAuthoredBy": "no"}', 1, "takes true or false, not 'no'"),
        ('{"effortLevel": "huge"}', 1, "'effortLevel' takes one of 'low', 'medium'"),
        ('{"statusLine": "x"}', 1, "'statusLine' takes an object, not 'x'"),
        ('{"env": ["A=1"]}', 1, "'env' takes an object of texts, not a list"),
        ('{"env": {\n"A": 1}}', 2, "'env.A' is no text, but 1; it is left out"),
        ('{"env": {"A=B": "1"}}', 1, "'A=B' can be no variable's name"),
        ('{"env": {"A": "\\u0000"}}', 1, "'env.A' is no text"),
        ('{"availableModels": "x"}', 1, "takes a list of texts, not 'x'"),
        ('{"availableModels": ["a",\n 3]}', 2, "an entry of 'availableModels' is no text"),
        ('{"permissions": {"defaultMode": "yolo"}}', 1, "takes one of 'default'"),
        ('{"permissions": {"additionalDirectories": [3]}}', 1, "is no text"),
        (
            '{"permissions": {"disableBypassPermissionsMode": "off"}}',
            1,
            "it counts as 'disable'",
        ),
        ('{"sandbox": {"enabled": "yes"}}', 1, "it counts as true"),
        ('{"sandbox": {"allowUnsandboxedCommands": 0}}', 1, "it counts as false"),
        (
            '{"hooks": {"PreToolUse": [\n{"hooks": [{"type": "comand", "command": "x"}]}]}}',
            2,
            "hooks.PreToolUse[0].hooks[0].type: There is no handler of type 'comand'",
        ),
        ('{"hooks": {"PreTool": []}}', 1, "hooks.PreTool: There is no event 'PreTool'"),
        ('{"model": "a",\n"model": "b"}', 1, "'model' comes again later"),
    ],
    ids=lambda case: str(case)[:40],
)
def test_what_does_not_fit_is_told_with_file_line_and_key_and_drops_only_itself(
    desk: Desk, settings: str, line: int, told: str
) -> None:
    sound = '"permissions": {"deny": ["Edit"]}, "language": "de"'
    file = desk.write("user", settings)
    desk.write("command line", "{" + sound + "}")

    read = desk.read()

    [problem] = read.problems
    assert (problem.file, problem.line) == (str(file), line)
    assert told in problem.message
    assert read.text("language") == "de"
    assert forbidding(read) == ["deny Edit"]


@pytest.mark.parametrize(
    "settings",
    [
        {"sandbox": {"filesystem": {"denyRead": "~/.ssh"}}},
        {"sandbox": {"filesystem": {"denyRead": [3]}}},
        {"sandbox": {"network": {"deniedDomains": {}}}},
        {"sandbox": []},
        {"sandbox": {"network": "off"}},
        {"disabledMcpjsonServers": "evil"},
        {"deniedMcpServers": ["evil"]},
    ],
    ids=str,
)
def test_what_forbids_elsewhere_and_cannot_be_read_has_everything_asked_about(
    desk: Desk, settings: object
) -> None:
    desk.write("user", settings)

    read = desk.read()

    assert forbidding(read) == ["ask *"]
    assert "since it may forbid" in read.problems[0].message


def test_a_policy_that_others_can_write_counts_for_what_it_forbids_only(desk: Desk) -> None:
    policy = {
        "permissions": {"deny": ["Bash"], "allow": ["Edit"], "defaultMode": "acceptEdits"},
        "env": {"A": "1"},
        "model": "evil",
        "allowManagedHooksOnly": True,
        "sandbox": {"enabled": False, "filesystem": {"denyRead": ["~/.ssh"]}},
    }
    file = desk.write("policy", policy)
    file.chmod(0o666)

    settings = desk.read()

    assert [str(rule) for rule in settings.rules] == ["deny Bash"]
    assert (settings.text("model"), settings.child_env, settings.mode) == (None, {}, None)
    assert settings.is_on("allowManagedHooksOnly")
    assert settings.value("sandbox.enabled") is None
    assert settings.texts("sandbox.filesystem.denyRead") == ("~/.ssh",)
    assert f"{file} can be written by others; of this policy only what forbids" in str(
        settings.problems[0]
    )


@pytest.mark.parametrize("what", ["file", "folder"])
def test_a_policy_of_another_owner_counts_for_what_it_forbids_only(desk: Desk, what: str) -> None:
    if os.getuid() != 0:
        pytest.skip("only root can give files away")
    file = desk.write("policy", GOOD)
    os.chown(file if what == "file" else file.parent, 12345, 12345)

    settings = desk.read()

    assert [str(rule) for rule in settings.rules] == ["deny Bash(rm *)", "ask WebFetch"]
    assert "belongs to user 12345" in settings.problems[0].message


def test_a_drop_in_folder_that_others_can_write_is_no_policy(desk: Desk) -> None:
    desk.write("drop-in", GOOD).parent.chmod(0o777)

    settings = desk.read()

    assert not [rule for rule in settings.rules if rule.behaviour is Behaviour.ALLOW]
    assert "can be written by others" in settings.problems[0].message


@pytest.mark.parametrize("word", ["yes", 1, None, []], ids=str)
def test_a_switch_of_the_policy_that_cannot_be_read_is_on(desk: Desk, word: object) -> None:
    desk.write("policy", {"allowManagedPermissionRulesOnly": word})
    desk.write("user", {"permissions": {"allow": ["Bash"]}})

    settings = desk.read()

    assert len(settings.context().counted_allow) == 0
    assert "it counts as true" in settings.problems[0].message


@pytest.mark.parametrize("depth", [99, 101, 900, 5000])
@pytest.mark.parametrize("key", ["hooks", "env", "statusLine", "permissions", "later", "sandbox"])
def test_no_nesting_is_too_deep_to_be_read(desk: Desk, key: str, depth: int) -> None:
    for kind in ("user", "project", "policy"):
        desk.write(kind, f'{{"{key}": ' + '{"a": [' * (depth // 2) + "]}" * (depth // 2) + "}")

    settings = desk.read(trusts=True)

    is_lost = any("nested too deeply" in problem.message for problem in settings.problems)
    assert is_lost == (depth > 100)
    assert key not in KEYS or depth < 100 or settings.value(key) is None


def test_a_dot_in_a_name_is_no_way_to_a_key(desk: Desk) -> None:
    desk.write("user", {"permissions.defaultMode": "plan", "sandbox": {"network.x": 1}})

    settings = desk.read()

    assert (settings.mode, dict(settings.counted)) == (None, {})
    assert [one.key for read in settings.files for one in read.unknown] == [
        "permissions.defaultMode",
        "sandbox.network.x",
    ]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
RULES = st.lists(st.sampled_from(["Bash", "Bash(rm *)", "Read(.env)", "WebFetch", "Bash("]))
SOUND = st.fixed_dictionaries(
    {},
    optional={
        "permissions": st.fixed_dictionaries(
            {},
            optional={
                "allow": RULES,
                "deny": RULES,
                "ask": RULES,
                "defaultMode": st.sampled_from([*Mode]),
                "disableBypassPermissionsMode": st.just("disable"),
                "additionalDirectories": st.just(["/elsewhere"]),
            },
        ),
        "sandbox": st.fixed_dictionaries({"enabled": st.booleans()}),
        "allowManagedPermissionRulesOnly": st.booleans(),
    },
)


def widest(context: PermissionContext) -> set[str]:
    """Return all that a context allows by itself, when nothing has everything asked about."""
    if any(rule.text == "*" for rule in context.ask):
        return set()
    found = {f"allow {rule.text}" for rule in context.counted_allow}
    found |= {f"dir {one.path}" for one in context.working_directories}
    return found | {f"mode {context.mode}"}


def narrowed(context: PermissionContext) -> set[str]:
    """Return all that a context forbids."""
    found = {f"{rule.behaviour} {rule.text}" for rule in (*context.deny, *context.ask)}
    return found | ({"no bypass"} if not context.bypass_available else set())


@given(kind=st.sampled_from(FILES), sound=SOUND, cut=st.integers(0, 400), junk=st.text(max_size=6))
def test_no_broken_file_ever_widens_what_is_allowed(
    tmp_path_factory: pytest.TempPathFactory, kind: str, sound: object, cut: int, junk: str
) -> None:
    desk = Desk(tmp_path_factory.mktemp("desk").resolve())
    desk.write("user", {"permissions": {"allow": ["Read"]}})
    text = json.dumps(sound)
    desk.write(kind, text)
    whole = desk.read().context(Mode.BYPASS)
    broken = text[: cut % (len(text) + 1)] + junk
    desk.write(kind, broken)
    if _is_json(broken):
        return

    after = desk.read().context(Mode.BYPASS)

    assert widest(after) - {"allow Read"} <= widest(whole)
    everything = any(rule.text == "*" for rule in after.ask)
    assert everything or narrowed(whole) <= narrowed(after)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


@given(content=JSON, key=st.sampled_from(["permissions", "sandbox", "hooks", "env", "model"]))
def test_any_json_under_any_key_is_read_without_harm(
    tmp_path_factory: pytest.TempPathFactory, content: object, key: str
) -> None:
    desk = Desk(tmp_path_factory.mktemp("desk").resolve())
    for kind in ("user", "project", "policy"):
        desk.write(kind, {key: content})

    settings = desk.read()

    assert not len(settings.context().counted_allow)
    assert SourceKind.PROJECT not in {one.source.kind for one in settings.env.values()}
