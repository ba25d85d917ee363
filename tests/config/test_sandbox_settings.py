"""The `sandbox` settings as the sandbox takes them; nothing broken makes it wider."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.config.sandbox_settings import CREDENTIALS, SandboxPlaces, read_sandbox
from gantlet.messages.frozen import JsonValue
from gantlet.system.sandbox import NetworkList, NetworkOff, SandboxSettings

HOME = Path("/home/somebody")
WORKSPACE = Path("/srv/project")


def read(settings: JsonValue, **variables: str) -> SandboxSettings:
    """Read settings for a session in a fixed place."""
    places = SandboxPlaces(
        WORKSPACE,
        HOME,
        directories=(Path("/srv/more"),),
        own=(HOME / ".claude", HOME / ".gantlet"),
        variables=variables,
    )
    return read_sandbox(settings, places)


@pytest.mark.parametrize("nothing", [None, {}])
def test_saying_nothing_gives_the_strictest_sandbox_and_does_not_enable_it(
    nothing: JsonValue,
) -> None:
    found = read(nothing)

    assert not found.is_enabled
    assert not found.allows_inside
    assert found.policy.writable == ("/srv/project", "/srv/more")
    assert found.policy.own == ("/home/somebody/.claude", "/home/somebody/.gantlet")
    assert found.policy.denied == tuple(f"/home/somebody/{name}" for name in CREDENTIALS)
    assert found.policy.network == NetworkOff()
    assert not found.policy.unix_sockets
    assert found.problems == ()


def test_every_key_is_taken() -> None:
    found = read(
        {
            "enabled": True,
            "failIfUnavailable": True,
            "autoAllowBashIfSandboxed": True,
            "allowUnsandboxedCommands": False,
            "excludedCommands": ["docker *", "git push"],
            "bwrapPath": "/opt/bwrap",
            "network": {
                "allowedDomains": ["*.example.com", "10.0.0.7"],
                "deniedDomains": ["bad.example.com"],
                "allowAllUnixSockets": True,
                "httpProxyPort": 3129,
            },
            "filesystem": {
                "allowWrite": ["~/cache", "build", "/opt/data", "//opt/other", ".git"],
                "denyWrite": ["./pinned"],
                "denyRead": ["~/private", "secrets"],
                "allowRead": ["~/private/shown", "~/.aws"],
            },
            "credentials": {
                "files": ["~/.token", {"path": "/etc/key", "mode": "deny"}],
                "envVars": ["LC_SECRET", {"name": "LC_OTHER"}],
            },
        },
        PATH="/bin::relative:/usr/bin",
        LC_SECRET="x",
        LC_OTHER="x",
        LC_ALL="C",
        AWS_SECRET_ACCESS_KEY="x",
    )

    assert (found.is_enabled, found.must_hold, found.allows_inside, found.may_leave) == (
        True,
        True,
        True,
        False,
    )
    assert found.excluded == ("docker *", "git push")
    assert found.bwrap == "/opt/bwrap"
    assert found.policy.writable == (
        "/srv/project",
        "/srv/more",
        "/home/somebody/cache",
        "/srv/project/build",
        "/opt/data",
        "/opt/other",
    )
    assert found.policy.may_create_git
    assert found.policy.protected == ("/srv/project/pinned",)
    assert found.policy.denied[-4:] == (
        "/home/somebody/private",
        "/srv/project/secrets",
        "/home/somebody/.token",
        "/etc/key",
    )
    assert "/home/somebody/.aws" not in found.policy.denied
    assert found.policy.readable == ("/home/somebody/private/shown", "/home/somebody/.aws")
    assert found.policy.unix_sockets
    assert found.policy.environment == {"PATH": "/bin:/usr/bin", "LC_ALL": "C"}
    network = found.policy.network
    assert isinstance(network, NetworkList)
    assert network.upstream_port == 3129
    assert network.judge.refusal("a.example.com") is None
    assert network.judge.refusal("bad.example.com") is not None
    assert network.judge.names_address("10.0.0.7")
    assert found.problems == ()


@pytest.mark.parametrize(
    "settings",
    [
        "on",
        {"filesystem": []},
        {"network": "none"},
        {"filesystem": {"denyRead": "~/.ssh"}},
        {"filesystem": {"denyRead": [7]}},
        {"filesystem": {"denyRead": ["**/*.pem"]}},
        {"filesystem": {"denyWrite": ["~other/x"]}},
        {"network": {"deniedDomains": {"a": 1}}},
        {"credentials": {"files": [{"mode": "deny"}]}},
    ],
    ids=repr,
)
def test_what_denies_and_cannot_be_read_blocks_every_command(settings: JsonValue) -> None:
    found = read(settings)

    assert found.blocked is not None
    assert found.blocked in found.problems
    assert "until the settings are mended" in found.blocked


def test_broken_switches_take_the_stricter_side() -> None:
    found = read(
        {
            "enabled": "yes",
            "failIfUnavailable": 1,
            "autoAllowBashIfSandboxed": "true",
            "allowUnsandboxedCommands": "true",
            "network": {"allowAllUnixSockets": "true", "allowedDomains": "*", "httpProxyPort": 0},
            "filesystem": {"allowWrite": "/", "allowRead": [None]},
            "excludedCommands": "docker",
        }
    )

    assert (found.is_enabled, found.must_hold, found.allows_inside, found.may_leave) == (
        True,
        True,
        False,
        False,
    )
    assert found.policy == read({}).policy
    assert found.excluded == ()
    assert len(found.problems) == 9
    assert found.blocked is None


def test_a_link_of_the_workspace_opens_nothing(tmp_path: Path) -> None:
    (tmp_path / "build").symlink_to("/etc")

    found = read_sandbox({"filesystem": {"allowWrite": ["build"]}}, SandboxPlaces(tmp_path, HOME))

    assert found.policy.writable == (str(tmp_path),)
    assert "lies behind a link" in found.problems[0]


def test_what_has_no_effect_is_said() -> None:
    found = read({"enableWeakerNestedSandbox": True, "network": {"socksProxyPort": 1080}})

    assert [note.split()[0] for note in found.notes] == [
        "sandbox.network.socksProxyPort",
        "sandbox.enableWeakerNestedSandbox",
    ]


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
_KEYS = [
    *("enabled", "failIfUnavailable", "network", "filesystem", "credentials", "excludedCommands"),
    *("allowedDomains", "deniedDomains", "allowWrite", "denyRead", "allowRead", "files"),
]


@given(
    st.dictionaries(st.sampled_from(_KEYS), _JSON | st.dictionaries(st.sampled_from(_KEYS), _JSON))
)
def test_any_settings_are_read_and_never_open_the_rest(settings: dict[str, JsonValue]) -> None:
    found = read(settings)

    opened = settings.get("filesystem")
    if not isinstance(opened, dict) or "allowWrite" not in opened:
        assert found.policy.writable == ("/srv/project", "/srv/more")
    network = settings.get("network")
    if not isinstance(network, dict) or not network.get("allowedDomains"):
        assert found.policy.network == NetworkOff()
