"""Children under a supervisor: whatever they start, also daemons, is found and ended with them."""

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import anyio

from gantlet.system.child_life import Leftover
from gantlet.system.child_pipes import Inflow, Outflow
from gantlet.system.processes import (
    GRACE_SECONDS,
    MAX_OUTPUT_BYTES,
    Child,
    ChildStarter,
    start_child,
)
from gantlet.system.supervisor import Exited, Launch, NotStarted, Running, Signalled, Supervisor
from gantlet.system.threads import run_in_thread

#: How long we wait for the keeper to end by force what did not end when it was asked.
_KILL_SECONDS = 10.0
_NO_DESCRIPTOR = -1


class KeptLife:
    """A child that a keeper keeps. Everything below the keeper belongs to it."""

    def __init__(self, running: Running) -> None:
        self._running = running
        self._is_woken = False
        self._waiting = anyio.CancelScope()

    @property
    def has_ended(self) -> bool:
        """Whether the child itself has ended."""
        return self._running.ended.is_set()

    def exit_code(self) -> int | None:
        """Return its exit code, or minus the signal's number; None while it runs.

        Raises:
            OSError: The keeper could not start it.
        """
        match self._running.ending:
            case Exited(code):
                return code
            case Signalled(number):
                return -number
            case NotStarted(stage, reason):
                what = self._running.launch.cwd if stage == "directory" else None
                raise OSError(f"{reason}: {what or self._running.launch.argv[0]!r}")
            case _:
                return None

    async def wait(self) -> None:
        """Wait for the child's end, or until somebody wakes us."""
        if not self._is_woken:
            with anyio.CancelScope() as self._waiting:
                await self._running.ended.wait()
        self._is_woken = False

    def wake(self) -> None:
        """End the wait before the child does."""
        self._is_woken = True
        self._waiting.cancel()

    def leftover(self) -> Leftover | None:
        """Return what of it still runs, if the child itself has ended."""
        return self if self.has_ended and self.is_alive() else None

    def is_alive(self) -> bool:
        """Return whether anything of it still runs."""
        return not self._running.gone.is_set()

    async def end(self, grace: float) -> None:
        """Have the keeper ask everything to end, and then make it."""
        if not self.is_alive():
            return
        self._running.stop()
        with anyio.CancelScope(shield=True), anyio.move_on_after(grace + _KILL_SECONDS):
            await self._running.gone.wait()

    def close(self) -> None:
        """Stop watching: the keeper does that."""


class KeptChildren:
    """Starts children under a supervisor of their own. Whoever opened it closes it.

    Nothing is started before the first child.
    """

    def __init__(self) -> None:
        self._supervisor = Supervisor()

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        stdin: bytes = b"",
        max_bytes: int = MAX_OUTPUT_BYTES,
    ) -> Child:
        """Start a child. Whoever does so awaits its `end`, whatever happens.

        Raises:
            OSError: The child could not be started. Some reasons only its result tells.
        """
        program = _found(argv[0], env, cwd)
        inflow, out, err = Inflow(stdin), Outflow(max_bytes), Outflow(max_bytes)
        launch = Launch(
            (program, *argv[1:]),
            cwd,
            env,
            descriptors={2: err.childs_end},
            input=inflow.childs_end if inflow.childs_end > _NO_DESCRIPTOR else None,
            output=out.childs_end,
            grace_seconds=GRACE_SECONDS,
        )
        try:
            running = self._supervisor.start(launch, _unheard)
        except BaseException:
            for flow in (inflow, out, err):
                flow.close()
            raise
        for flow in (inflow, out, err):
            flow.begin()
        return Child(KeptLife(running), inflow, out, err)

    async def close(self) -> None:
        """End everything that still runs, and the supervisor."""
        with anyio.CancelScope(shield=True):
            await run_in_thread(self._supervisor.close)


class GroupedChildren:
    """Starts children of our own, where orphans cannot be found: their groups end with them."""

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        stdin: bytes = b"",
        max_bytes: int = MAX_OUTPUT_BYTES,
    ) -> Child:
        """Start a child. Whoever does so awaits its `end`, whatever happens.

        Raises:
            OSError: The child could not be started.
            ValueError: The command, a variable or the directory holds a NUL character.
        """
        return start_child(argv, env=env, cwd=cwd, stdin=stdin, max_bytes=max_bytes)

    async def close(self) -> None:
        """End nothing: whoever started a child ends it."""


def open_children() -> ChildStarter:
    """Return what starts children so that as much as the system shows of them is ended."""
    return KeptChildren() if sys.platform == "linux" else GroupedChildren()


def _found(program: str, env: Mapping[str, str], cwd: str) -> str:
    """Return the path of a program, looked for as a shell in `cwd` would.

    Raises:
        FileNotFoundError: There is none of that name.
    """
    if "/" in program:
        return program
    for folder in os.get_exec_path(env):
        path = Path(cwd, folder, program)
        if os.access(path, os.X_OK) and path.is_file():
            return str(path)
    raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)


def _unheard(said: bytes) -> None:
    """Take nothing: what these children say goes through pipes of their own."""
