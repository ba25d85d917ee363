"""What the parts of one run share: who drives it, what it was told, its session, its lines."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from gantlet.config import MemoryFile
from gantlet.messages import JsonValue
from gantlet.messages.value import replace
from gantlet.session import Session
from gantlet.surfaces.headless.control import Control
from gantlet.surfaces.headless.flags import Flags
from gantlet.surfaces.headless.model_choice import ModelSource
from gantlet.surfaces.headless.prompts import Prompt
from gantlet.surfaces.headless.reports import Sink
from gantlet.surfaces.headless.servers import Servers
from gantlet.surfaces.headless.session_choice import open_session
from gantlet.surfaces.headless.structured import StructuredOutput, open_structured
from gantlet.surfaces.headless.telling import Telling
from gantlet.system import Environment, new_id

_READS_STATE = "CLAUDE_CODE_SDK_READS_SESSION_STATE"


class Desk:
    """One run of the program, as its parts see it.

    Attributes:
        source: Who speaks in the model's place, or listens to it.
        told: What the driving program brought.
        schema: The tool for the form in which an answer is to be given, if one was asked for.
        session: Where the run is written down; None if it is not.
        heard: The ids of the prompts that the session has.
        spent_usd: What the run cost so far.
        memory: The files of instructions that the model is told.
    """

    def __init__(
        self, flags: Flags, cwd: Path, environment: Environment, sink: Sink, source: ModelSource
    ) -> None:
        self.flags = flags
        self.cwd = str(cwd)
        self.environment = environment
        self.sink = sink
        self.source = source
        self.control = Control(sink.raw)
        self.servers = Servers(flags, self.control)
        self.told: Mapping[str, JsonValue] = {}
        self.schema = _schema_tool(flags)
        self.spent_usd = 0.0
        self.memory: Sequence[MemoryFile] = ()
        self.session: Session | None
        self.session_id: str
        self.heard: set[str]
        self.telling: Telling
        self._begin_session(flags)

    def begin_another_session(self) -> None:
        """Take a session with nothing in it in place of the one there is."""
        flags = replace(
            self.flags, resume=None, is_continued=False, fork_session=False, session_id=None
        )
        self._begin_session(flags)

    def _begin_session(self, flags: Flags) -> None:
        """Take the session that flags ask for, or do without one."""
        self.session = session = open_session(flags, self.cwd, self.environment)
        self.heard = set(session.restored.prompts) if session is not None else set()
        self.session_id = session.id if session is not None else new_id()
        self.telling = Telling(self.flags, self.sink.frame, self.session_id, session)
        if session is not None and self.flags.name:
            session.rename(self.flags.name)

    def take_told(self, told: Mapping[str, JsonValue]) -> None:
        """Take what the driving program brings.

        Raises:
            UserError: It cannot be used.
        """
        schema, title = told.get("jsonSchema"), told.get("title")
        if isinstance(schema, dict):
            self.schema = open_structured(schema)
        if isinstance(title, str) and title and self.session is not None:
            self.session.rename(title)
        if told.get("excludeDynamicSections") is True:
            self.flags = replace(self.flags, exclude_dynamic=True)
        self.told = dict(told)

    def tell_state(self, state: str) -> None:
        """Tell programs that want to know what we are doing."""
        if self.flags.speaks_control and self.environment.is_set(_READS_STATE):
            frame = self.telling.frames.system(
                "session_state_changed", state=state, sdk_host_only=True
            )
            self.sink.frame(frame)

    def tell_taken(self, prompt: Prompt) -> None:
        """Tell that words were taken: ours always, the user's if somebody wants to know."""
        frames = self.telling.frames
        if prompt.is_synthetic:
            more = {"isSynthetic": True, "origin": prompt.origin}
            self.sink.frame(frames.user(prompt.content, prompt.uuid, **more))
        elif self.flags.replay_user_messages and prompt.blocks:
            self.sink.frame(frames.user(prompt.content, prompt.uuid, isReplay=True))


def _schema_tool(flags: Flags) -> StructuredOutput | None:
    """Return the tool for the form that was asked for, if one was."""
    return open_structured(flags.json_schema) if flags.json_schema is not None else None
