"""Switches by which a policy, or a user, leaves only some sources."""

from pathlib import Path

import pytest

from config.settings_kit import Desk
from gantlet.config import Settings

KINDS = ("policy", "command line", "local", "project", "user")


def hook(name: str) -> dict[str, object]:
    """Return hooks with one command."""
    return {"Stop": [{"hooks": [{"type": "command", "command": name}]}]}


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """Return a desk at which every kind of file says something of each kind."""
    desk = Desk(tmp_path.resolve())
    for kind in KINDS:
        desk.write(kind, content(kind))
    return desk


def content(kind: str, **more: object) -> dict[str, object]:
    """Return settings that name their kind everywhere."""
    word = kind.replace(" ", "-")
    sandbox = {"network": {"allowedDomains": [word]}, "filesystem": {"allowRead": [word]}}
    return {
        "permissions": {"allow": [f"Bash({word})"], "deny": [f"Bash(no-{word})"]},
        "hooks": hook(word),
        "sandbox": sandbox,
        "allowedMcpServers": [{"serverName": word}],
        **more,
    }


def sources(settings: Settings) -> dict[str, set[str]]:
    """Return which kinds of files count, for each thing a switch can be about."""

    def of(key: str) -> set[str]:
        return {str(one.source.kind) for one in settings.counted.get(key, ())}

    return {
        "rules": {str(rule.source.kind) for rule in settings.context().counted_allow},
        "denies": {str(rule.source.kind) for rule in settings.context().deny},
        "hooks": {str(entry.source.kind) for entry in settings.hooks},
        "domains": of("sandbox.network.allowedDomains"),
        "reads": of("sandbox.filesystem.allowRead"),
        "servers": of("allowedMcpServers"),
    }


EVERYBODY = set(KINDS)
OWN = EVERYBODY - {"local", "project"}
WITHOUT = {
    "rules": EVERYBODY,
    "denies": EVERYBODY,
    "hooks": EVERYBODY,
    "domains": EVERYBODY,
    "reads": EVERYBODY,
    "servers": OWN,
}


def test_without_a_switch_every_source_counts(desk: Desk) -> None:
    assert sources(desk.read(trusts=True)) == WITHOUT


@pytest.mark.parametrize(
    ("switch", "thing"),
    [
        ({"allowManagedPermissionRulesOnly": True}, "rules"),
        ({"allowManagedHooksOnly": True}, "hooks"),
        ({"allowManagedMcpServersOnly": True}, "servers"),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_switch_of_the_policy_leaves_only_the_policy_and_nobody_elses_switch_does(
    desk: Desk, switch: dict[str, object], thing: str, kind: str
) -> None:
    desk.write(kind, content(kind, **switch))

    expected = {**WITHOUT, thing: {"policy"}} if kind == "policy" else WITHOUT
    assert sources(desk.read(trusts=True)) == expected


@pytest.mark.parametrize(
    ("group", "switch", "thing"),
    [
        ("network", "allowManagedDomainsOnly", "domains"),
        ("filesystem", "allowManagedReadPathsOnly", "reads"),
    ],
)
def test_a_switch_of_the_policys_sandbox_leaves_only_its_own(
    desk: Desk, group: str, switch: str, thing: str
) -> None:
    desk.write("drop-in", {"sandbox": {group: {switch: True}}})

    assert sources(desk.read(trusts=True)) == {**WITHOUT, thing: {"policy"}}


@pytest.mark.parametrize(
    ("kind", "left"),
    [
        ("user", {"policy"}),
        ("command line", {"policy"}),
        ("project", {"policy"}),
        ("policy", set[str]()),
    ],
)
def test_hooks_that_are_switched_off_are_off_but_for_the_policys(
    desk: Desk, kind: str, left: set[str]
) -> None:
    desk.write(kind, content(kind, disableAllHooks=True))

    assert sources(desk.read(trusts=True)) == {**WITHOUT, "hooks": left}


def test_a_folder_that_is_not_trusted_cannot_switch_off_the_users_hooks(desk: Desk) -> None:
    desk.write("project", content("project", disableAllHooks=True))

    assert sources(desk.read())["hooks"] == OWN
