"""The sandbox of a session, opened and closed. Loaded only where the settings want one."""

import os
import secrets
import shutil
from functools import partial
from pathlib import Path

from gantlet.assembly.configuration import Configuration
from gantlet.config.sandbox_session import judged_with_sandbox, sandbox_settings
from gantlet.messages.value import replace
from gantlet.permissions import ContextHolder
from gantlet.system import home_folder, make_private_folder, run_in_thread
from gantlet.system.sandbox import Sandbox, Shelter


class SessionSandbox:
    """Where the commands of a session run, once it is open."""

    def __init__(self, shelter: Shelter, holder: ContextHolder, home: Path) -> None:
        self.shelter = shelter
        self._holder = holder
        self._home = home
        self._tmp: Path | None = None

    async def enter(self) -> bool:
        """Open the sandbox and let permission know of it; return whether it holds.

        What commands put into `/tmp` lasts until it is closed.
        """
        sandbox = self.shelter.sandbox
        await sandbox.__aenter__()
        self._tmp = await run_in_thread(partial(_temporary_folder, self._home))
        sandbox.policy = replace(sandbox.policy, tmp=str(self._tmp))
        holds = await self.shelter.holds()
        known = judged_with_sandbox(self._holder.current, self.shelter.settings, holds=holds)
        self._holder.replace(known)
        return holds

    async def leave(self) -> None:
        """Close it."""
        await self.shelter.sandbox.__aexit__(None, None, None)
        if self._tmp is not None:
            await run_in_thread(partial(shutil.rmtree, self._tmp, ignore_errors=True))


def _temporary_folder(home: Path) -> Path:
    """Return a new folder that is `/tmp` for commands; those of killed sessions are removed.

    Nobody else gets through the folder around it.
    """
    around = home / "sandbox" / "tmp"
    make_private_folder(around)
    for left in around.iterdir():
        if not Path(f"/proc/{left.name.partition('-')[0]}").exists():
            shutil.rmtree(left, ignore_errors=True)
    folder = around / f"{os.getpid()}-{secrets.token_hex(4)}"
    folder.mkdir()
    folder.chmod(0o1777)
    return folder.resolve()


def open_sandbox(configuration: Configuration, holder: ContextHolder) -> SessionSandbox | None:
    """Return the sandbox that the settings of a session want, or None."""
    settings, environment = configuration.settings, configuration.environment
    wanted = sandbox_settings(settings, holder.current, environment)
    if not wanted.is_enabled:
        return None
    home = home_folder(environment)
    sandbox = Sandbox(wanted.policy, home, bwrap=wanted.bwrap)
    return SessionSandbox(Shelter(wanted, sandbox), holder, home)
