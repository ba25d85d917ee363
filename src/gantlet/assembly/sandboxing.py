"""The sandbox of a session, opened and closed. Loaded only where the settings want one."""

from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

from gantlet.assembly.configuration import Configuration
from gantlet.config.sandbox_session import judged_with_sandbox, sandbox_settings
from gantlet.messages.value import replace
from gantlet.permissions import ContextHolder
from gantlet.system import home_folder, make_private_folder, run_in_thread
from gantlet.system.held_folders import HeldFolder
from gantlet.system.sandbox import Sandbox, Shelter


class SessionSandbox:
    """Where the commands of a session run, once it is open."""

    def __init__(self, shelter: Shelter, holder: ContextHolder, home: Path) -> None:
        self.shelter = shelter
        self._holder = holder
        self._home = home
        self._opened = AsyncExitStack()

    async def enter(self) -> bool:
        """Open the sandbox and let permission know of it; return whether it holds.

        What commands put into `/tmp` lasts until it is closed.
        """
        sandbox = self.shelter.sandbox
        async with AsyncExitStack() as opened:
            tmp = await run_in_thread(partial(_temporary_folder, self._home))
            opened.push_async_callback(run_in_thread, tmp.close)
            await opened.enter_async_context(sandbox)
            sandbox.policy = replace(sandbox.policy, tmp=str(tmp.path.resolve()))
            holds = await self.shelter.holds()
            known = judged_with_sandbox(self._holder.current, self.shelter.settings, holds=holds)
            self._holder.replace(known)
            self._opened = opened.pop_all()
        return holds

    async def leave(self) -> None:
        """Close it."""
        await self._opened.aclose()


def _temporary_folder(home: Path) -> HeldFolder:
    """Return a new folder that is `/tmp` for commands; those of killed sessions are removed.

    Nobody else gets through the folder around it.
    """
    around = home / "sandbox" / "tmp"
    make_private_folder(around)
    folder = HeldFolder("session-", around)
    folder.path.chmod(0o1777)
    return folder


def open_sandbox(configuration: Configuration, holder: ContextHolder) -> SessionSandbox | None:
    """Return the sandbox that the settings of a session want, or None."""
    settings, environment = configuration.settings, configuration.environment
    wanted = sandbox_settings(settings, holder.current, environment)
    if not wanted.is_enabled:
        return None
    home = home_folder(environment)
    sandbox = Sandbox(wanted.policy, home, bwrap=wanted.bwrap)
    return SessionSandbox(Shelter(wanted, sandbox), holder, home)
