"""The lines of a transcript: what each kind holds, and how messages become lines."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

from gantlet.messages import Block, JsonValue, block_to_wire
from gantlet.messages.value import value
from gantlet.system import new_id

Line: TypeAlias = dict[str, JsonValue]

#: The kinds of lines that hang together by `parentUuid`; readers skip every other kind.
CHAINED = frozenset({"user", "assistant", "system", "attachment", "progress"})

STARTED = "started"
CALL = "call"
REPLY = "reply"
LOST = "reply-lost"
DROPPED = "dropped"
REPLACED = "content-replacement"
TITLE = "custom-title"
LAST_PROMPT = "last-prompt"
MODE = "permission-mode"
DEFERRED = "deferred"


@value
class Scene:
    """What every line of a session says besides its own."""

    session_id: str
    cwd: str
    version: str
    git_branch: str = ""

    def chained(self, kind: str, parent: str | None, **fields: JsonValue) -> Line:
        """Return a line that follows another one."""
        return {
            "parentUuid": parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session_id,
            "version": self.version,
            "gitBranch": self.git_branch,
            "type": kind,
            **fields,
            "uuid": new_id(),
            "timestamp": timestamp(),
        }

    def aside(self, kind: str, **fields: JsonValue) -> Line:
        """Return a line that is no part of the conversation."""
        return {"type": kind, "sessionId": self.session_id, **fields, "timestamp": timestamp()}


def timestamp() -> str:
    """Return the time of day as transcripts write it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def user_message(blocks: Sequence[Block]) -> Mapping[str, JsonValue]:
    """Return a user's blocks as the `message` of a line."""
    return {"role": "user", "content": [block_to_wire(block) for block in blocks]}


def assistant_message(block: Block, reply_id: str, model: str | None) -> Mapping[str, JsonValue]:
    """Return one block of a reply as the `message` of a line."""
    return {
        "id": reply_id,
        "type": "message",
        "role": "assistant",
        "model": model or "unknown",
        "content": [block_to_wire(block)],
        "stop_reason": None,
        "stop_sequence": None,
    }
