"""A policy as a profile of macOS's `sandbox-exec`. Written by its documentation; never run by us.

A profile's last rule that fits decides. Paths are compared as written, so that what is absent can
be forbidden like what is there, and nothing has to be mounted.
"""

from pathlib import Path

from gantlet.system.sandbox.facts import DiskFacts, Facts
from gantlet.system.sandbox.planned import Planned
from gantlet.system.sandbox.policy import NetworkList, NetworkOn, Policy
from gantlet.system.sandbox.views import Plan, View, plan_views

PROGRAM = "/usr/bin/sandbox-exec"
_DEVICES = ("/dev/null", "/dev/zero", "/dev/tty", "/dev/stdout", "/dev/stderr", "/dev/dtracehelper")
_NOT_TESTED = "The sandbox of macOS was never tested by those who wrote it. Do not rely on it."


class Seatbelt:
    """The sandbox that macOS has."""

    name = "sandbox-exec"
    walls = ("sandbox-exec (macOS; untested)",)
    expected_status: tuple[str, ...] = ()

    def __init__(self, python: str, facts: Facts | None = None) -> None:
        self.python = python
        self._facts = facts or DiskFacts()

    @property
    def identity(self) -> str:
        """Nothing but its program."""
        return self.name

    @property
    def programs(self) -> tuple[Path, ...]:
        """The program and what makes its profiles."""
        return Path(PROGRAM), Path(__file__)

    def plan(
        self, policy: Policy, cwd: str, *, kept: tuple[int, ...] = (), socket: str | None = None
    ) -> Planned:
        """Return the program with a profile for the policy."""
        plan = plan_views(policy, self._facts)
        notes = [*plan.notes, _NOT_TESTED]
        if isinstance(policy.network, NetworkList):
            notes.append("Lists of hosts are not possible on macOS yet: the network is off.")
        prefix = (PROGRAM, "-p", profile(policy, plan))
        return Planned(prefix, (), plan.problems, tuple(notes))


def profile(policy: Policy, plan: Plan) -> str:
    """Return the profile of a policy."""
    lines = ["(version 1)", "(allow default)", "(deny file-write*)"]
    lines += [f"(allow file-write* (literal {_quoted(path)}))" for path in _DEVICES]
    for mounted in plan.mounts:
        place = f"({'subpath' if mounted.is_folder else 'literal'} {_quoted(mounted.path)})"
        match mounted.view:
            case View.WRITE | View.EMPTY:
                lines.append(f"(allow file-read* file-write* {place})")
            case View.READ:
                lines.append(f"(allow file-read* {place})")
                lines.append(f"(deny file-write* {place})")
            case View.HIDDEN:
                lines.append(f"(deny file-read* file-write* {place})")
        # Whatever is a mount on Linux can be neither renamed nor removed.
        lines.append(f"(deny file-write-unlink (literal {_quoted(mounted.path)}))")
    lines += ["(deny signal)", "(allow signal (target same-sandbox))"]
    lines += ["(deny process-info*)", "(allow process-info* (target same-sandbox))"]
    if not isinstance(policy.network, NetworkOn):
        lines += ["(deny network*)", '(allow network* (local ip "localhost:*"))']
        lines += ['(deny network-outbound (remote ip "*:*"))']
    if policy.unix_sockets:
        lines.append("(allow network* (local unix-socket) (remote unix-socket))")
    else:
        lines.append("(deny network-outbound (remote unix-socket))")
    return "\n".join(lines)


def _quoted(path: str) -> str:
    """Return a path as a string of the profile's language."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
