"""What a tool is told: about the request when it describes itself, about the call when it runs."""

from collections.abc import Callable
from dataclasses import field

from gantlet.messages import Capabilities, FrozenDict, ToolUse
from gantlet.messages.value import replace, value
from gantlet.system import Place, locate, meant_path
from gantlet.tool.errors import ToolError
from gantlet.tool.vote import Mode
from gantlet.tool.withheld import NOTHING_JUDGED, Judged, Withheld
from gantlet.tool.wording import quoted, told


@value
class RequestView:
    """What a tool's description may depend on."""

    mode: Mode = Mode.DEFAULT
    tool_names: tuple[str, ...] = ()
    agents: tuple[str, ...] = ()
    capabilities: Capabilities = field(default_factory=Capabilities)


@value
class AgentIdentity:
    """Who asks: the main loop, or a sub-agent somewhere below it."""

    id: str = "main"
    type: str = "main"
    chain_id: str = ""
    depth: int = 0

    @property
    def is_main(self) -> bool:
        """Whether no other agent started this one."""
        return self.depth == 0


@value
class Surroundings:
    """What later calls see. A context modifier takes one and returns a changed copy."""

    cwd: str
    extra_directories: tuple[str, ...] = ()
    mode: Mode = Mode.DEFAULT
    values: FrozenDict = field(default_factory=FrozenDict)

    def moved_to(self, cwd: str) -> "Surroundings":
        """Return the same surroundings with another working directory."""
        return replace(self, cwd=cwd)


def spot(path: str, cwd: str) -> str:
    """Return under which name it is kept where a path was seen. `~` is left for who looks."""
    if path.startswith(("~", "/")):
        return path
    return f"{cwd}{path}" if not cwd or cwd.endswith("/") else f"{cwd}/{path}"


def _nobody_listens(update: object) -> None:
    """Drop an update that nobody asked for."""


@value
class ToolContext:
    """What lasts one call. Whatever lasts longer comes through ports when the tool is built.

    Attributes:
        user_modified: Whether a person changed the input before they allowed it.
        judged: What was found out about the paths of the call when it was judged.
    """

    call: ToolUse
    surroundings: Surroundings
    message_id: str = ""
    agent: AgentIdentity = field(default_factory=AgentIdentity)
    user_modified: bool = False
    judged: Judged = NOTHING_JUDGED
    report: Callable[[object], None] = _nobody_listens

    def progress(self, update: object) -> None:
        """Show `update` to whoever watches, at once."""
        self.report(update)

    @property
    def withheld(self) -> Withheld:
        """What rules forbid to read below the paths of the call: left out of the answer."""
        return self.judged.withheld

    def resolve(self, path: str) -> Place:
        r"""Return where `path` points: as written, and with links followed.

        A name that was shown with its odd bytes spelt (`caf\xe9.txt`) means that file. For a path
        that permission has judged, this is where it was then: opening it by its real path opens
        what was judged, or fails.

        Raises:
            ToolError: The path cannot exist (a NUL byte, a name that is too long).
        """
        places = self.judged.places
        judged = places.get(spot(path, self.surroundings.cwd)) if places else None
        if judged is not None:
            return judged
        try:
            return locate(meant_path(path, self.surroundings.cwd), self.surroundings.cwd)
        except (OSError, ValueError) as error:
            raise ToolError(
                f"{quoted(path)} cannot be a path: {told(error)}. Give another path."
            ) from error
