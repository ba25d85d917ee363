"""A command on its way into the sandbox. Loaded only where there is one."""

import re
from collections.abc import Mapping

from gantlet.system.sandbox import SandboxError, Shelter, Unsheltered
from gantlet.system.supervisor import PLACE_DESCRIPTOR
from gantlet.tool import ToolError

#: What programs say when they run against a wall of the sandbox.
_WALLS = re.compile(
    r"Read-only file system|EROFS|Network is unreachable|ENETUNREACH|Operation not permitted|EPERM"
    r"|(?:resolve|resolving) (?:host|hostname|proxy)|name resolution|EAI_AGAIN|ENOTFOUND",
    re.IGNORECASE,
)
_MAX_LOOKED_AT = 10_000


async def place(
    shelter: object,
    line: str,
    argv: tuple[str, ...],
    variables: tuple[Mapping[str, str], Mapping[str, str]],
    *,
    cwd: str,
    leaves: bool,
    tells_place: bool,
) -> tuple[tuple[str, ...], dict[str, str], str, bool]:
    """Return the words and variables of a command, what to say, and whether it runs inside.

    `variables` are those for outside, and those that are added inside.

    Raises:
        ToolError: It must not run without a sandbox, and there is none.
    """
    assert isinstance(shelter, Shelter)
    outside, added = variables
    kept = (PLACE_DESCRIPTOR,) if tells_place else ()
    try:
        placed = await shelter.place(line, argv, cwd, leaves=leaves, variables=added, kept=kept)
    except SandboxError as error:
        raise ToolError(f"The command was not run: {error}") from error
    if isinstance(placed, Unsheltered):
        return argv, dict(outside), placed.reason, False
    return placed.argv, dict(placed.environment), "\n".join(placed.notes), True


def refusals(shelter: object) -> list[str]:
    """Return which hosts the sandbox refused since the last time, in words for the model."""
    assert isinstance(shelter, Shelter)
    return [f"The sandbox refused the network: {one}" for one in shelter.sandbox.take_refusals()]


def hint(shelter: object, said: str) -> list[str]:
    """Say that a command failed for the sandbox, if what it said looks like that."""
    assert isinstance(shelter, Shelter)
    if _WALLS.search(said[-_MAX_LOOKED_AT:]) is None:
        return []
    way_out = (
        " If it cannot do without more, set dangerouslyDisableSandbox: the user is asked then."
        if shelter.settings.may_leave
        else ""
    )
    return [
        "(It ran in the sandbox: only the workspace and /tmp can be written, and the network is"
        f" limited.{way_out})"
    ]
