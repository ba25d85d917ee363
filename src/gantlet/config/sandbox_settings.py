"""The `sandbox` part of the settings, as what the sandbox takes.

Nothing that is broken makes it wider: a wrong switch takes the stricter side, a wrong entry that
allows counts for nothing, and a wrong entry that denies closes everything it could have meant.
"""

import os
from collections.abc import Mapping
from pathlib import Path

from gantlet.config.sandbox_hosts import read_hosts
from gantlet.config.sandbox_reader import SandboxReader
from gantlet.messages.frozen import JsonValue
from gantlet.messages.value import value
from gantlet.system.sandbox import (
    Network,
    NetworkList,
    NetworkOff,
    Policy,
    SandboxSettings,
    minimal_environment,
)

#: Where well-known programs keep secrets, below a person's home. Hidden unless they are readable.
CREDENTIALS = (
    *(".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".config/gh", ".kube", ".docker"),
    *(".netrc", ".git-credentials", ".config/git/credentials", ".pypirc", ".password-store"),
    *(".claude/.credentials.json", ".local/share/keyrings"),
)
_UNKNOWN_TO_US = {
    "network.socksProxyPort": "there is no SOCKS proxy; programs use the HTTP proxy",
    "network.tlsTerminate": "TLS is never opened",
    "network.allowMachLookup": "it has a meaning on macOS only",
    "enableWeakerNestedSandbox": "a sandbox that does not hold counts as absent",
    "enableWeakerNetworkIsolation": "a sandbox that does not hold counts as absent",
    "filesystem.disabled": "the sandbox without its file system would be none",
    "socatPath": "it is not needed",
}


@value
class SandboxPlaces:
    """Where a session runs.

    Attributes:
        workspace: The working directory; relative paths start there.
        directories: Further directories that commands may write to.
        home: The person's home.
        own: Folders with settings and with what we write ourselves.
        variables: The environment that the command's is taken from.
    """

    workspace: Path
    home: Path
    directories: tuple[Path, ...] = ()
    own: tuple[Path, ...] = ()
    variables: Mapping[str, str] = {}


def read_sandbox(settings: JsonValue, places: SandboxPlaces) -> SandboxSettings:
    """Return what the merged settings under `sandbox` say; None and `{}` say nothing."""
    reader = SandboxReader(settings, places.workspace, places.home)
    policy = _policy(reader, places)
    is_enabled = reader.switch("enabled", missing=False, broken=True)
    may_leave = reader.switch("allowUnsandboxedCommands", missing=True, broken=False)
    return SandboxSettings(
        is_enabled=is_enabled,
        must_hold=reader.switch("failIfUnavailable", missing=False, broken=True),
        allows_inside=reader.switch("autoAllowBashIfSandboxed", missing=False, broken=False),
        may_leave=may_leave,
        excluded=reader.texts("excludedCommands"),
        policy=policy,
        bwrap=reader.text("bwrapPath"),
        blocked=reader.broken_denial,
        problems=tuple(reader.problems),
        notes=tuple(
            f"sandbox.{key} has no effect: {why}."
            for key, why in _UNKNOWN_TO_US.items()
            if reader.is_given(key)
        ),
    )


def _policy(reader: SandboxReader, places: SandboxPlaces) -> Policy:
    """Return what a command inside may do."""
    workspace = os.path.realpath(places.workspace)
    roots = [workspace, *(os.path.realpath(one) for one in places.directories)]
    writable = reader.paths("filesystem.allowWrite")
    git = {f"{root}/.git" for root in roots}
    files, variables = reader.credentials()
    readable = reader.paths("filesystem.allowRead")
    hidden = [f"{places.home}/{name}" for name in CREDENTIALS]
    return Policy(
        writable=tuple(
            dict.fromkeys((*roots, *reader.opened(one for one in writable if one not in git)))
        ),
        protected=reader.paths("filesystem.denyWrite", denies=True),
        own=tuple(map(str, places.own)),
        denied=tuple(
            dict.fromkeys(
                (
                    *(path for path in hidden if path not in readable),
                    *reader.paths("filesystem.denyRead", denies=True),
                    *files,
                )
            )
        ),
        readable=readable,
        may_create_git=bool(git & set(writable)),
        network=_network(reader),
        unix_sockets=reader.switch("network.allowAllUnixSockets", missing=False, broken=False),
        environment=minimal_environment(places.variables, dropped=variables),
    )


def _network(reader: SandboxReader) -> Network:
    """Return what may be reached: nothing, unless hosts are allowed and every denial is clear."""
    allowed = reader.texts("network.allowedDomains")
    denied = reader.texts("network.deniedDomains", denies=True)
    hosts, bad = read_hosts(allowed, denied)
    for entry in bad:
        reader.problems.append(f"sandbox.network: {entry!r} is no host, address or pattern.")
    if reader.texts("network.allowUnixSockets"):
        reader.problems.append(
            "sandbox.network.allowUnixSockets cannot be held to on Linux, so none is reached. "
            "allowAllUnixSockets lets commands use every socket that they can see."
        )
    if hosts.allowed or hosts.addresses:
        return NetworkList(hosts, reader.port("network.httpProxyPort"))
    return NetworkOff()
