"""The lines of a transcript, read: the conversation's own, and what others say about them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from gantlet.loop.container import CONTAINER
from gantlet.messages import Block, JsonValue, ResultBlock, Text, ToolUse, block_from_wire
from gantlet.messages.value import slotted, value
from gantlet.session import entries
from gantlet.session.entries import Line


@value
class Node:
    """A line that is part of the conversation.

    Attributes:
        came_after: For the line that says the conversation was made shorter: where it stood then.
    """

    id: str
    parent: str | None
    kind: str
    blocks: tuple[Block, ...]
    reply: str | None = None
    model: str | None = None
    is_boundary: bool = False
    is_prompt: bool = False
    opens_message: bool = False
    came_after: str | None = None

    @property
    def has_results(self) -> bool:
        """Whether the line answers a call."""
        return self.kind == "user" and any(isinstance(one, ResultBlock) for one in self.blocks)

    @property
    def calls(self) -> tuple[ToolUse, ...]:
        """The calls in the line."""
        return tuple(block for block in self.blocks if isinstance(block, ToolUse))


@slotted
class Asides:
    """What lines beside the conversation say about it."""

    started: dict[str, str] = field(default_factory=dict)
    void: set[str] = field(default_factory=set)
    closed: set[str] = field(default_factory=set)
    containers: dict[str, Mapping[str, JsonValue]] = field(default_factory=dict)
    replaced: dict[str, Block] = field(default_factory=dict)
    deferred: list[str] = field(default_factory=list)
    is_ours: bool = False
    _lost: list[str] = field(default_factory=list)

    @classmethod
    def of(cls, lines: Iterable[Line]) -> "Asides":
        """Gather what all lines say."""
        asides = cls()
        for line in lines:
            asides._take(line)
        return asides

    @property
    def unsure(self) -> tuple[str, ...]:
        """The names of started calls of the last reply if that broke off."""
        return tuple(self.started[call] for call in self._lost if call in self.started)

    def _take(self, line: Line) -> None:
        """Note what one line says."""
        match line.get("type"):
            case entries.STARTED:
                self.is_ours = True
                self.started[str(line.get("toolUseId"))] = str(line.get("name"))
            case entries.REPLY:
                self._close(line)
            case entries.LAST_PROMPT:
                self.is_ours = True
            case entries.DROPPED:
                self.void.update(_texts(line.get("uuids")))
            case entries.LOST:
                self.void.update(_texts(line.get("uuids")))
                self._lost = _texts(line.get("toolUseIds"))
            case entries.REPLACED:
                self._replace(line.get("replacements"))
            case entries.DEFERRED:
                self._defer(line)
            case _:
                return

    def _close(self, line: Line) -> None:
        """Note that a reply came to its end."""
        self.is_ours = True
        self._lost = []
        reply, container = str(line.get("messageId")), line.get(CONTAINER)
        self.closed.add(reply)
        if isinstance(container, dict):
            self.containers[reply] = container

    def _replace(self, replacements: object) -> None:
        """Note which results stand in place of those written first."""
        for one in replacements if isinstance(replacements, list) else []:
            if isinstance(one, dict) and isinstance(one.get("uuid"), str):
                self.replaced[one["uuid"]] = block_from_wire(one.get("block"))

    def _defer(self, line: Line) -> None:
        """Note a call that waits, or one that no longer does."""
        call = str(line.get("toolUseId"))
        if line.get("isSettled") and call in self.deferred:
            self.deferred.remove(call)
        elif not line.get("isSettled") and call not in self.deferred:
            self.deferred.append(call)


def nodes_of(lines: Sequence[Line], asides: Asides) -> list[Node]:
    """Return the lines of the conversation itself, without those that were taken back."""
    return [
        _node(line, asides)
        for line in lines
        if line.get("type") in entries.CHAINED
        and isinstance(line.get("uuid"), str)
        and not line.get("isSidechain")
        and not line.get("teamName")
        and line["uuid"] not in asides.void
    ]


def _node(line: Line, asides: Asides) -> Node:
    """Read one line."""
    kind, own, parent = str(line["type"]), str(line["uuid"]), line.get("parentUuid")
    message = line.get("message")
    told = message if isinstance(message, dict) else {}
    blocks = _blocks(told.get("content"))
    if own in asides.replaced:
        blocks = (asides.replaced[own],)
    is_reply = kind == "assistant"
    answers = any(isinstance(block, ResultBlock) for block in blocks)
    return Node(
        own,
        parent if isinstance(parent, str) else None,
        kind,
        blocks,
        reply=_text(told.get("id")) if is_reply else None,
        model=_text(told.get("model")) if is_reply else None,
        is_boundary=kind == "system" and line.get("subtype") == "compact_boundary",
        is_prompt=kind == "user"
        and not (answers or line.get("isMeta") or line.get("isCompactSummary")),
        opens_message=bool(line.get("opensMessage")),
        came_after=_text(line.get("logicalParentUuid")),
    )


def _blocks(content: object) -> tuple[Block, ...]:
    """Return the blocks of a line; a plain text is one."""
    if isinstance(content, str):
        return (Text(content),) if content else ()
    return tuple(block_from_wire(one) for one in content) if isinstance(content, list) else ()


def _text(item: object) -> str | None:
    """Return a text, or None."""
    return item if isinstance(item, str) and item else None


def _texts(item: object) -> list[str]:
    """Return the texts in a list."""
    return [one for one in item if isinstance(one, str)] if isinstance(item, list) else []
