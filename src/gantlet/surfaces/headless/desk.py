"""What commands and requests need of the run they belong to."""

from collections import deque
from collections.abc import Mapping
from typing import Protocol

from gantlet.assembly.agent import Agent
from gantlet.messages import JsonValue
from gantlet.session import Session
from gantlet.surfaces.headless.control import Control
from gantlet.surfaces.headless.flags import Flags
from gantlet.surfaces.headless.prompts import Prompt
from gantlet.surfaces.headless.reports import Sink
from gantlet.surfaces.headless.servers import Servers
from gantlet.surfaces.headless.telling import Telling
from gantlet.system import Environment


class Desk(Protocol):
    """One run of the program, as its parts see it."""

    flags: Flags
    cwd: str
    environment: Environment
    sink: Sink
    control: Control
    servers: Servers
    told: Mapping[str, JsonValue]
    agent: Agent | None
    waiting: deque[Prompt]
    session: Session | None
    session_id: str
    telling: Telling
    spent_usd: float

    def interrupt(self) -> None:
        """Stop the turn that runs."""

    def look_again(self) -> None:
        """Look whether there is something to do, or nothing any more."""

    def take_told(self, told: Mapping[str, JsonValue]) -> None:
        """Take what the driving program brings.

        Raises:
            UserError: It cannot be used.
        """

    def say(self, text: str) -> None:
        """Write a result that no model had a part in."""

    async def opened(self) -> Agent:
        """Return the agent; it is made when it is first needed."""

    async def begin_again(self) -> str:
        """Forget the conversation and begin another session; return the id of the old one."""
