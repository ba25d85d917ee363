"""Whether a command runs in the sandbox, and what happens where there is none."""

from collections.abc import Mapping, Sequence

from gantlet.messages.value import value
from gantlet.shell import all_begin_with
from gantlet.system.sandbox.backends import SandboxError
from gantlet.system.sandbox.policy import Policy
from gantlet.system.sandbox.sandbox import Sandbox, Sandboxed
from gantlet.system.sandbox.self_test import Absent


@value
class SandboxSettings:
    """What the settings want of the sandbox.

    Attributes:
        is_enabled: Commands are to run in it.
        must_hold: Without a sandbox that holds, no command runs.
        allows_inside: A command inside needs no further permission.
        may_leave: A call may ask to run outside. If not, it runs inside all the same.
        excluded: Commands that run outside, by their first words.
        policy: What a command inside may do.
        bwrap: The program to make it with, if not the system's.
        blocked: Why no command may run at all: something that denies could not be read.
        problems: What is wrong with the settings, for a person to read.
        notes: What has no effect here, and why.
    """

    policy: Policy
    is_enabled: bool = False
    must_hold: bool = False
    allows_inside: bool = False
    may_leave: bool = True
    excluded: tuple[str, ...] = ()
    bwrap: str | None = None
    blocked: str | None = None
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@value
class Unsheltered:
    """A command that runs without a sandbox.

    Attributes:
        reason: Why, for the person and the model; empty where nobody wanted a sandbox.
        is_lack: It should have run inside, and there is no sandbox: this must be said loudly.
    """

    reason: str = ""
    is_lack: bool = False


class Shelter:
    """Decides for each command of a session, and puts it into the sandbox."""

    def __init__(self, settings: SandboxSettings, sandbox: Sandbox) -> None:
        self.settings = settings
        self.sandbox = sandbox

    def stays_inside(self, line: str, *, leaves: bool = False) -> bool:
        """Return whether a command line is to run inside, if there is a sandbox at all."""
        if not self.settings.is_enabled or (leaves and self.settings.may_leave):
            return False
        return not all_begin_with(line, self.settings.excluded)

    async def holds(self) -> bool:
        """Return whether commands run in a sandbox that was tried and holds."""
        if not self.settings.is_enabled or self.settings.blocked is not None:
            return False
        return not isinstance(await self.sandbox.state(), Absent)

    async def place(
        self,
        line: str,
        command: Sequence[str],
        cwd: str,
        *,
        leaves: bool = False,
        variables: Mapping[str, str] | None = None,
        kept: tuple[int, ...] = (),
    ) -> Sandboxed | Unsheltered:
        """Return how a command is started.

        Args:
            line: The command line as the model wrote it, which exceptions are about.
            command: The program and words that are started.
            cwd: Where it runs.
            leaves: The call asked to run outside, and that was allowed.
            variables: More variables for this command.
            kept: Descriptors that it gets beside the first three.

        Raises:
            SandboxError: It must not run: no sandbox holds, and none is not enough.
        """
        settings = self.settings
        if not settings.is_enabled:
            return Unsheltered()
        if settings.blocked is not None:
            raise SandboxError(settings.blocked)
        if not self.stays_inside(line, leaves=leaves):
            asked = "the call asked for that" if leaves else "sandbox.excludedCommands names it"
            return Unsheltered(f"This ran outside the sandbox: {asked}.")
        state = await self.sandbox.state()
        if isinstance(state, Absent):
            if settings.must_hold:
                raise SandboxError(
                    f"No command runs without the sandbox (sandbox.failIfUnavailable), and there "
                    f"is none: {state.reason}"
                )
            return Unsheltered(f"THERE IS NO SANDBOX, so this ran without: {state.reason}", True)
        return await self.sandbox.wrap(command, cwd, variables=variables, kept=kept)
