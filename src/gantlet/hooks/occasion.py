"""Something that happens and that hooks are told of, and the session it happens in."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from gantlet.hooks.names import HookEvent, matched_field
from gantlet.messages import JsonValue, ToolUse
from gantlet.messages.value import value
from gantlet.tool import AgentIdentity, AnyTool, Surroundings


@value
class Moment:
    """The call that a hook is told about.

    Attributes:
        seconds: How long it has run, if it has.
    """

    call: ToolUse
    tool: AnyTool
    args: Any
    surroundings: Surroundings
    agent: AgentIdentity
    seconds: float | None = None


@value
class HookSession:
    """What every hook of a session is told.

    Attributes:
        transcript_path: Where the history is written; empty if it is not.
        project_dir: What `CLAUDE_PROJECT_DIR` names.
        effort: How hard the model thinks, where that is set.
    """

    session_id: str
    transcript_path: str = ""
    project_dir: str = ""
    effort: str = ""
    is_remote: bool = False


@value
class Occasion:
    """One time that an event happens.

    Attributes:
        fields: What hooks are told besides what all are told.
        subjects: What a matcher tests: the names of the tool, or one of the fields.
        moment: The call it is about, for the events about a call.
    """

    event: HookEvent
    fields: Mapping[str, JsonValue]
    surroundings: Surroundings
    agent: AgentIdentity = field(default_factory=AgentIdentity)
    subjects: tuple[str, ...] = ()
    moment: Moment | None = None

    @property
    def name(self) -> str:
        """What a run for this occasion is called: `PreToolUse:Bash`."""
        return f"{self.event}:{self.subjects[0]}" if self.subjects else str(self.event)

    @property
    def call_id(self) -> str | None:
        """The call it is about."""
        return None if self.moment is None else self.moment.call.id

    def payload(self, session: HookSession) -> dict[str, JsonValue]:
        """Return what a hook is told, all of it."""
        told: dict[str, JsonValue] = {
            "session_id": session.session_id,
            "transcript_path": session.transcript_path,
            "cwd": self.surroundings.cwd,
            "permission_mode": str(self.surroundings.mode),
        }
        if not self.agent.is_main:
            told |= {"agent_id": self.agent.id, "agent_type": self.agent.type}
        if session.effort:
            told["effort"] = {"level": session.effort}
        return {**told, "hook_event_name": str(self.event), **self.fields}


def occasion(
    event: HookEvent,
    surroundings: Surroundings,
    agent: AgentIdentity | None = None,
    **fields: JsonValue,
) -> Occasion:
    """Return an occasion that is not about a call."""
    subject = fields.get(matched_field(event))
    subjects = (subject,) if isinstance(subject, str) else ()
    return Occasion(event, fields, surroundings, agent or AgentIdentity(), subjects)
