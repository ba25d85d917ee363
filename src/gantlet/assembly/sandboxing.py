"""The sandbox of a session, opened and closed. Loaded only where the settings want one."""

from gantlet.assembly.configuration import Configuration
from gantlet.config.sandbox_session import judged_with_sandbox, sandbox_settings
from gantlet.permissions import ContextHolder
from gantlet.system import home_folder
from gantlet.system.sandbox import Sandbox, Shelter


class SessionSandbox:
    """Where the commands of a session run, once it is open."""

    def __init__(self, shelter: Shelter, holder: ContextHolder) -> None:
        self.shelter = shelter
        self._holder = holder

    async def enter(self) -> bool:
        """Open the sandbox and let permission know of it; return whether it holds."""
        await self.shelter.sandbox.__aenter__()
        holds = await self.shelter.holds()
        known = judged_with_sandbox(self._holder.current, self.shelter.settings, holds=holds)
        self._holder.replace(known)
        return holds

    async def leave(self) -> None:
        """Close it."""
        await self.shelter.sandbox.__aexit__(None, None, None)


def open_sandbox(configuration: Configuration, holder: ContextHolder) -> SessionSandbox | None:
    """Return the sandbox that the settings of a session want, or None."""
    settings, environment = configuration.settings, configuration.environment
    wanted = sandbox_settings(settings, holder.current, environment)
    if not wanted.is_enabled:
        return None
    sandbox = Sandbox(wanted.policy, home_folder(environment), bwrap=wanted.bwrap)
    return SessionSandbox(Shelter(wanted, sandbox), holder)
