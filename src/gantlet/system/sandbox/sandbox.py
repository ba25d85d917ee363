"""The sandbox of a session: found, tested before its first use, and put around commands."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import anyio

from gantlet.messages.value import value
from gantlet.system.sandbox.backends import Backend, Bubblewrap, SandboxError
from gantlet.system.sandbox.fillers import Fillers
from gantlet.system.sandbox.policy import Policy
from gantlet.system.sandbox.self_test import Absent, Holds, test_sandbox
from gantlet.system.sandbox.tools import Missing, find_tools


@value
class Sandboxed:
    """A command as it is started so that it runs in the sandbox.

    Start it with exactly this environment, with no descriptor open but the first three and those
    that were to be kept. Its exit code is the command's own; 125 with a line that begins with
    `gantlet sandbox:`, or 1 with one that begins with `bwrap:`, means that it was not started.
    """

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    notes: tuple[str, ...] = ()


class Sandbox:
    """Puts commands into a sandbox. Whoever opened it closes it when no command runs any more."""

    def __init__(
        self,
        policy: Policy,
        home: Path,
        *,
        bwrap: str | None = None,
        interpreter: str | None = None,
    ) -> None:
        self.policy = policy
        self._home = home
        self._bwrap = bwrap
        self._interpreter = interpreter
        self._fillers = Fillers(home / "sandbox" / "fillers")
        self._lock = anyio.Lock()
        self._backend: Backend | None = None
        self._state: Holds | Absent | None = None

    async def __aenter__(self) -> "Sandbox":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._fillers.close()

    @property
    def walls(self) -> tuple[str, ...]:
        """What holds a command, for a person to read; nothing before the first test."""
        return self._backend.walls if self._backend is not None else ()

    async def state(self) -> Holds | Absent:
        """Return whether there is a sandbox that holds. The first time, it is tried."""
        async with self._lock:
            if self._state is None:
                self._state = await self._tested()
            return self._state

    async def wrap(
        self,
        command: Sequence[str],
        cwd: str,
        *,
        variables: Mapping[str, str] | None = None,
        kept: tuple[int, ...] = (),
    ) -> Sandboxed:
        """Return a command as it is started in the sandbox.

        Args:
            command: The program and its words.
            cwd: Where it runs.
            variables: More variables for this command.
            kept: Descriptors that it gets beside the first three.

        Raises:
            SandboxError: There is no sandbox that holds, or it would not hold this policy.
        """
        state = await self.state()
        if isinstance(state, Absent) or self._backend is None:
            raise SandboxError(state.reason if isinstance(state, Absent) else "No sandbox.")
        planned = self._backend.plan(self.policy, cwd, kept=kept)
        if planned.problems:
            raise SandboxError(" ".join(planned.problems))
        try:
            self._fillers.hold(planned.fillers)
        except OSError as error:
            raise SandboxError(
                f"{error.filename!r} could not be kept from being made: {error.strerror}."
            ) from error
        environment = {**self.policy.environment, **(variables or {})}
        return Sandboxed((*planned.prefix, *command), environment, planned.notes)

    async def _tested(self) -> Holds | Absent:
        """Find what a sandbox is made with, and try it."""
        self._fillers.sweep()
        try:
            tools = find_tools(
                self._home,
                bwrap=self._bwrap,
                unix_sockets=self.policy.unix_sockets,
                outside_of=self.policy.writable,
                interpreter=self._interpreter,
            )
        except OSError as error:
            return Absent(f"The sandbox could not be prepared: {error}.")
        if isinstance(tools, Missing):
            return Absent(tools.reason)
        self._backend = Bubblewrap(tools)
        return await test_sandbox(self._backend, self._home)
