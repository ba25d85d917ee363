"""Writes a conversation down while it happens: what comes first is on disk before what follows.

A block of a reply is written when it is complete, `started` before a call runs, a result when it is
certain. When a message enters the history, what was written is held against it, and what differs is
corrected by further lines: nothing that was written is ever changed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from gantlet.loop import CHARS_PER_TOKEN, History
from gantlet.messages import (
    AssistantMessage,
    Block,
    BlockFinished,
    CallDeferred,
    CallFinished,
    CallQueued,
    CallStarted,
    CompactionStarted,
    CompactionTrigger,
    Event,
    JsonValue,
    Message,
    ModelUsage,
    PermissionDecided,
    ReplyLost,
    ResultBlock,
    Text,
    ToolUse,
    TurnFinished,
    TurnStarted,
    UserMessage,
    block_to_wire,
    blocks_of,
    dumps,
)
from gantlet.messages.value import slotted
from gantlet.session import entries
from gantlet.session.entries import Line, Scene
from gantlet.system import new_id

_REMINDER = "<system-reminder>"
_PROMPT_CHARS = 200


@slotted
class _Reply:
    """The reply that is being written, block by block."""

    id: str
    parent: str | None
    blocks: list[tuple[Block, str]] = field(default_factory=list)


@slotted
class _Call:
    """What is known of a call until it ends."""

    queued_at: str
    started_at: str | None = None
    decision: Line | None = None


class Recorder:
    """Writes the lines of one session through `add`, which may raise `OSError`.

    Args:
        tell: Told once, in words for a person, when writing has failed; nothing is written then.
    """

    def __init__(
        self,
        scene: Scene,
        add: Callable[[bytes], None],
        *,
        leaf: str | None = None,
        history: History | None = None,
        owners: dict[str, str] | None = None,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._scene = scene
        self._add = add
        self._tell = tell
        self._leaf = leaf
        self._seen: tuple[Message, ...] = (history or History()).messages
        self._owners = owners or {}
        self._results: dict[str, tuple[ResultBlock, str]] = {}
        self._calls: dict[str, _Call] = {}
        self._reply: _Reply | None = None
        self._prompt: UserMessage | None = None
        self._tokens = 0
        self._trigger = CompactionTrigger.AUTO
        self._summary: Message | None = None
        self._opens_message = False
        self.prompt_id: str | None = None
        self.next_prompt_id: str | None = None
        self.is_broken = False

    @property
    def leaf(self) -> str | None:
        """The line that the next one follows."""
        return self._leaf

    def line_of_result(self, call_id: str) -> str | None:
        """Return the line of a result that is not yet part of the conversation."""
        written = self._results.get(call_id)
        return written[1] if written is not None else None

    def tell_to(self, tell: Callable[[str], None]) -> None:
        """Say to whom a failure to write is told."""
        self._tell = tell

    def heard(self, event: Event) -> None:
        """Write what an event says, before anything follows from it."""
        take = _TAKE.get(type(event))
        if take is not None:
            take(self, event)

    def entered(self, history: History) -> None:
        """Hold what was written against the conversation as it now stands."""
        now = history.messages
        known = len(self._seen)
        if now[:known] == self._seen:
            fresh = now[known:]
        elif self._goes_on(now):
            fresh = self._rest_of_reply(now)
        else:
            self._begin_again(now)
            fresh = now
        before = now[-len(fresh) - 1] if len(fresh) < len(now) else None
        self._seen, self._tokens = now, int(history.chars / CHARS_PER_TOKEN)
        for message in fresh:
            self._opens_message = isinstance(before, UserMessage)
            self._take_message(message)
            before = message

    def answer(self, results: Sequence[ResultBlock]) -> None:
        """Write answers that the history has and the transcript lacks."""
        for result in results:
            line = self._result_line(result)
            self._line(line)
            self._leaf = str(line["uuid"])

    def write(self, kind: str, **fields: JsonValue) -> None:
        """Write a line that is no part of the conversation."""
        self._line(self._scene.aside(kind, **fields))

    def _goes_on(self, now: tuple[Message, ...]) -> bool:
        """Return whether only the last reply has grown, after a pause."""
        if len(now) != len(self._seen) or not now or now[:-1] != self._seen[:-1]:
            return False
        before, after = self._seen[-1], now[-1]
        said = blocks_of(before)
        both = isinstance(before, AssistantMessage) and isinstance(after, AssistantMessage)
        return both and blocks_of(after)[: len(said)] == said

    def _rest_of_reply(self, now: tuple[Message, ...]) -> tuple[Message, ...]:
        """Return what a reply has gained after a pause."""
        last = now[-1]
        gained = blocks_of(last)[len(blocks_of(self._seen[-1])) :]
        if not isinstance(last, AssistantMessage) or not gained:
            return ()
        return (AssistantMessage(gained, id=last.id, model=last.model, usage=last.usage),)

    def _begin_again(self, now: tuple[Message, ...]) -> None:
        """Write a boundary: what follows stands in place of everything before."""
        data: Line = {"trigger": self._trigger.value, "preTokens": self._tokens}
        self._trigger = CompactionTrigger.AUTO
        self._summary = now[0] if now and now[0] not in self._seen else None
        line = self._scene.chained(
            "system",
            None,
            subtype="compact_boundary",
            content="The conversation was made shorter.",
            compactMetadata=data,
            logicalParentUuid=self._leaf,
        )
        self._line(line)
        self._leaf = str(line["uuid"])
        self._reply = None
        self._results.clear()

    def _take_message(self, message: Message) -> None:
        """Write what of a message is not yet written."""
        if isinstance(message, AssistantMessage):
            self._take_reply(message)
        else:
            self._take_user(message)

    def _hear_block(self, finished: BlockFinished) -> None:
        """Write a block that is complete."""
        self._take_block(finished.block, finished.message_id, finished.model)

    def _take_block(self, block: Block, message_id: str | None, model: str | None) -> None:
        """Write a block of the reply that is being said."""
        if isinstance(block, Text) and not block.text.strip():
            return
        if self._reply is None:
            self._reply = _Reply(message_id or f"msg_{new_id()}", self._leaf)
        reply = self._reply
        said = entries.assistant_message(block, reply.id, model)
        line = self._scene.chained("assistant", self._leaf, message=dict(said))
        self._line(line)
        self._leaf = str(line["uuid"])
        reply.blocks.append((block, self._leaf))
        if isinstance(block, ToolUse):
            self._owners[block.id] = self._leaf

    def _take_reply(self, message: AssistantMessage) -> None:
        """Write what of a reply is missing, and take back what is no part of it after all."""
        kept = list(blocks_of(message))
        written = self._reply.blocks if self._reply is not None else []
        dropped = [line for block, line in written if block not in kept]
        stays = [(block, line) for block, line in written if block in kept]
        if dropped:
            self.write(entries.DROPPED, uuids=list(dropped))
            before = self._reply.parent if self._reply is not None else self._leaf
            self._leaf = stays[-1][1] if stays else before
        for block in kept[len(stays) :]:
            self._take_block(block, message.id, message.model)
        reply_id = self._reply.id if self._reply is not None else message.id
        usage = message.usage
        self.write(
            entries.REPLY,
            messageId=reply_id,
            stopReason=message.stop_reason,
            model=message.model,
            inputTokens=usage.input_tokens if usage is not None else 0,
            outputTokens=usage.output_tokens if usage is not None else 0,
        )
        self._reply = None

    def _take_user(self, message: UserMessage) -> None:
        """Write the results, reminders and words of a message that are not yet written."""
        blocks = blocks_of(message)
        results = [block for block in blocks if isinstance(block, ResultBlock)]
        for result in results:
            self._settle(result)
        if results:
            self._leaf = self._results[results[-1].tool_use_id][1]
            self._results.clear()
        prompt = blocks_of(self._prompt) if self._prompt is not None else ()
        for group in _groups(blocks[len(results) :]):
            self._leaf = self._take_words(group, is_summary=message is self._summary)
            if prompt and group == list(prompt):
                self._take_prompt(group, self._leaf)

    def _take_words(self, group: Sequence[Block], *, is_summary: bool) -> str:
        """Write reminders, or words of the user's; return their line."""
        fields: Line = {"message": dict(entries.user_message(group))}
        if is_summary:
            fields["isCompactSummary"] = True
        if self._opens_message:
            fields["opensMessage"] = True
            self._opens_message = False
        kind = "user"
        if _is_reminder(group[0]):
            kind, fields["attachment"] = "attachment", {"type": "reminder"}
        line = self._scene.chained(kind, self._leaf, **fields)
        if kind == "user" and self.next_prompt_id is not None:
            line["uuid"], self.next_prompt_id = self.next_prompt_id, None
        self._line(line)
        return str(line["uuid"])

    def _take_prompt(self, blocks: Sequence[Block], line: str) -> None:
        """Note the user's last words where lists of sessions look for them."""
        self._prompt, self.prompt_id = None, line
        words = " ".join(block.text for block in blocks if isinstance(block, Text))
        self.write(entries.LAST_PROMPT, lastPrompt=" ".join(words.split())[:_PROMPT_CHARS])

    def _hear_prompt(self, started: TurnStarted) -> None:
        """Keep the user's words, to know them again when they enter the history."""
        self._prompt = started.prompt

    def _hear_compaction(self, started: CompactionStarted) -> None:
        """Keep who wanted the conversation shorter."""
        self._trigger = started.trigger

    def _take_call(self, queued: CallQueued) -> None:
        """Keep when a call was asked for."""
        self._calls[queued.call.id] = _Call(entries.timestamp())

    def _take_start(self, started: CallStarted) -> None:
        """Write that a call runs from now on."""
        call_id = started.call_id
        line = self._scene.aside(entries.STARTED, toolUseId=call_id, name=started.name)
        if call_id in self._calls:
            self._calls[call_id].started_at = str(line["timestamp"])
        self._line(line)

    def _take_decision(self, decided: PermissionDecided) -> None:
        """Keep how a call was judged, for the line about it."""
        if decided.call_id in self._calls:
            self._calls[decided.call_id].decision = {
                "behaviour": decided.behaviour.value,
                "reason": decided.reason,
                "layer": decided.layer,
                "rule": decided.rule,
                "source": decided.source,
            }

    def _take_result(self, finished: CallFinished) -> None:
        """Write a result, and what happened to its call."""
        call = self._calls.pop(finished.call_id, None) or _Call(entries.timestamp())
        line = self._result_line(finished.result)
        if finished.structured is not None:
            line["toolUseResult"] = finished.structured
        self._line(line)
        self._results[finished.call_id] = (finished.result, str(line["uuid"]))
        self.write(
            entries.CALL,
            toolUseId=finished.call_id,
            name=finished.name,
            outcome=finished.outcome.value,
            queuedAt=call.queued_at,
            startedAt=call.started_at,
            endedAt=line["timestamp"],
            waitedFor=list(finished.waited_for),
            decision=call.decision,
        )

    def _take_deferral(self, deferred: CallDeferred) -> None:
        """Write that a hook put a call off: it is asked again when the session is resumed."""
        self.write(entries.DEFERRED, toolUseId=deferred.call.id, name=deferred.call.name)

    def _settle(self, result: ResultBlock) -> None:
        """Write a result that is new, or what stands in place of one that is written."""
        written = self._results.get(result.tool_use_id)
        if written is None:
            line = self._result_line(result)
            self._line(line)
            self._results[result.tool_use_id] = (result, str(line["uuid"]))
        elif written[0] != result:
            new: Line = {"uuid": written[1], "block": block_to_wire(result)}
            self.write(entries.REPLACED, replacements=[new])

    def _result_line(self, result: ResultBlock) -> Line:
        """Return the line of a result; it follows the block that asked for it."""
        owner = self._owners.get(result.tool_use_id, self._leaf)
        return self._scene.chained(
            "user",
            owner,
            message=dict(entries.user_message([result])),
            sourceToolAssistantUUID=owner,
        )

    def _lose_reply(self, lost: ReplyLost) -> None:
        """Take back a reply that broke off."""
        reply, self._reply = self._reply, None
        self._calls.clear()
        self._results.clear()
        if reply is not None:
            lines: list[JsonValue] = [line for _, line in reply.blocks]
            self.write(
                entries.LOST, uuids=lines, toolUseIds=list(lost.call_ids), reason=lost.reason
            )
            self._leaf = reply.parent

    def _end_turn(self, finished: TurnFinished) -> None:
        """Write what a turn took."""
        self._reply, self._prompt = None, None
        self._calls.clear()
        self.write(
            "turn",
            reason=finished.reason.value,
            costUSD=finished.cost_usd,
            steps=finished.steps,
            seconds=round(finished.duration_seconds, 3),
            models=[_spent(one) for one in finished.by_model],
        )

    def _line(self, line: Line) -> None:
        """Write one line; the first failure is told, and ends the writing."""
        if self.is_broken:
            return
        try:
            self._add(dumps(line))
        except (OSError, ValueError) as error:
            self.is_broken = True
            self._tell(f"The session is no longer written down: {error}.")


#: What is written for each kind of event; of the others nothing is.
_TAKE: Mapping[type, Callable[[Recorder, Any], None]] = {
    BlockFinished: Recorder._hear_block,
    CallQueued: Recorder._take_call,
    PermissionDecided: Recorder._take_decision,
    CallStarted: Recorder._take_start,
    CallFinished: Recorder._take_result,
    CallDeferred: Recorder._take_deferral,
    ReplyLost: Recorder._lose_reply,
    TurnStarted: Recorder._hear_prompt,
    TurnFinished: Recorder._end_turn,
    CompactionStarted: Recorder._hear_compaction,
}


def _spent(used: ModelUsage) -> Line:
    """Return what a turn took of one model."""
    return {
        "model": used.model,
        "inputTokens": used.usage.input_tokens,
        "outputTokens": used.usage.output_tokens,
        "costUSD": used.cost_usd,
    }


def _is_reminder(block: Block) -> bool:
    """Return whether a block is ours and not the user's."""
    return isinstance(block, Text) and block.text.startswith(_REMINDER)


def _groups(blocks: Sequence[Block]) -> list[list[Block]]:
    """Return runs of blocks that are all reminders, or all not."""
    groups: list[list[Block]] = []
    for block in blocks:
        if groups and _is_reminder(groups[-1][0]) == _is_reminder(block):
            groups[-1].append(block)
        else:
            groups.append([block])
    return groups
