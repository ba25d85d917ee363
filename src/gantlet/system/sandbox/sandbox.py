"""The sandbox of a session: found, tested before its first use, and put around commands."""

import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import anyio
from anyio.abc import TaskGroup

from gantlet.messages.value import value
from gantlet.system.sandbox.backends import Backend, Bubblewrap, SandboxError
from gantlet.system.sandbox.bridge import PORT
from gantlet.system.sandbox.control_groups import ControlGroup, open_control_group
from gantlet.system.sandbox.environment import proxy_environment
from gantlet.system.sandbox.fillers import Fillers
from gantlet.system.sandbox.policy import NetworkList, Policy
from gantlet.system.sandbox.proxy import Proxy
from gantlet.system.sandbox.seatbelt import PROGRAM as SEATBELT
from gantlet.system.sandbox.seatbelt import Seatbelt
from gantlet.system.sandbox.self_test import Absent, Holds, test_sandbox
from gantlet.system.sandbox.tools import Missing, find_tools, own_interpreter


@value
class Sandboxed:
    """A command as it is started so that it runs in the sandbox.

    Start it with exactly this environment, from a thread that lives as long as the command: when
    that thread ends, so does the sandbox. Its exit code is the command's own; 125 with a line that
    begins with `gantlet sandbox:`, or 1 with one that begins with `bwrap:`, means that it was not
    started.
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
        self._group: TaskGroup | None = None
        self._proxy: Proxy | None = None
        self._control_group: ControlGroup | None = None

    async def __aenter__(self) -> "Sandbox":
        self._group = await anyio.create_task_group().__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if self._group is not None:
                self._group.cancel_scope.cancel()
                await self._group.__aexit__(None, None, None)
        finally:
            self._group = None
            await self._fillers.close()
            if self._proxy is not None:
                self._proxy.close()
                self._proxy = None
            if self._control_group is not None:
                with anyio.CancelScope(shield=True):  # it takes half a second at most
                    await self._control_group.close()
                self._control_group = None

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
        socket, proxied = await self._way_out()
        planned = self._backend.plan(self.policy, cwd, kept=kept, socket=socket)
        if planned.problems:
            raise SandboxError(" ".join(planned.problems))
        try:
            self._fillers.hold(planned.fillers)
        except OSError as error:
            raise SandboxError(
                f"{error.filename!r} could not be kept from being made: {error.strerror}."
            ) from error
        environment = {**self.policy.environment, **(variables or {}), **proxied}
        return Sandboxed((*self._joining(), *planned.prefix, *command), environment, planned.notes)

    def _joining(self) -> tuple[str, ...]:
        """Return the words that put a command under root's limit, as long as we are open."""
        most = self.policy.max_processes
        is_open = self._group is not None
        if most is not None and is_open and self._control_group is None:
            self._control_group = open_control_group(most)
        return self._control_group.prefix if self._control_group is not None else ()

    def take_refusals(self) -> tuple[str, ...]:
        """Return which hosts were refused since the last time, in words for the model."""
        return self._proxy.take_refusals() if self._proxy is not None else ()

    async def _way_out(self) -> tuple[str | None, dict[str, str]]:
        """Return the proxy's socket and the variables that lead to it, if the policy has a list."""
        if not isinstance(self.policy.network, NetworkList):
            return None, {}
        async with self._lock:
            if self._group is None:
                raise SandboxError("The sandbox is not open, so nobody serves its network.")
            if self._proxy is None:
                proxy = Proxy(self.policy.network, self._group)
                try:
                    await proxy.start()
                except OSError as error:
                    proxy.close()
                    raise SandboxError(f"The network's proxy did not start: {error}.") from error
                self._proxy = proxy
        return self._proxy.path, proxy_environment(PORT)

    async def _tested(self) -> Holds | Absent:
        """Find what a sandbox is made with, and try it."""
        await self._fillers.sweep()
        try:
            backend = self._found()
        except OSError as error:
            return Absent(f"The sandbox could not be prepared: {error}.")
        if isinstance(backend, Missing):
            return Absent(backend.reason)
        self._backend = backend
        return await test_sandbox(backend, self._home)

    def _found(self) -> Backend | Missing:
        """Return what this system's sandbox is made with."""
        if sys.platform == "darwin":
            is_there = os.access(SEATBELT, os.X_OK)
            return Seatbelt(own_interpreter()) if is_there else Missing(f"{SEATBELT} is missing.")
        tools = find_tools(
            self._home,
            bwrap=self._bwrap,
            unix_sockets=self.policy.unix_sockets,
            outside_of=self.policy.writable,
            interpreter=self._interpreter,
        )
        return tools if isinstance(tools, Missing) else Bubblewrap(tools)
