"""A command on its way into the sandbox. Loaded only where there is one."""

from collections.abc import Mapping

from gantlet.system.sandbox import SandboxError, Shelter, Unsheltered
from gantlet.system.supervisor import PLACE_DESCRIPTOR
from gantlet.tool import ToolError


async def place(
    shelter: object,
    line: str,
    argv: tuple[str, ...],
    variables: tuple[Mapping[str, str], Mapping[str, str]],
    *,
    cwd: str,
    leaves: bool,
    tells_place: bool,
) -> tuple[tuple[str, ...], dict[str, str], str]:
    """Return the words and variables of a command, in the sandbox or not, and what to say.

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
        return argv, dict(outside), placed.reason
    return placed.argv, dict(placed.environment), "\n".join(placed.notes)
