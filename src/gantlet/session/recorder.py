"""Writes a conversation down while it happens: what comes first is on disk before what follows.

A block of a reply is written when it is complete, `started` before a call runs, a result when it is
certain. When a message enters the history, what was written is held against it, and what differs is
corrected by further lines: nothing that was written is ever changed.
"""

from collections.abc import Callable, Mapping, Sequence
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
    TurnFinished,
    TurnStarted,
    UserMessage,
    blocks_of,
)
from gantlet.session import entries
from gantlet.session.call_lines import CallLines
from gantlet.session.entries import Line, Scene
from gantlet.session.pen import Pen
from gantlet.session.reply_lines import ReplyLines

_REMINDER = "<system-reminder>"
_PROMPT_CHARS = 200


class Recorder:
    """Writes the lines of one session through `add`, which may raise `OSError`.

    Attributes:
        next_prompt_id: The id that the next words of the user's are to have, if somebody gave one.
    """

    def __init__(
        self,
        scene: Scene,
        add: Callable[[bytes], None],
        *,
        leaf: str | None = None,
        history: History | None = None,
        owners: dict[str, str] | None = None,
    ) -> None:
        owners = owners if owners is not None else {}
        self._pen = Pen(scene, add, leaf)
        self._calls = CallLines(self._pen, owners)
        self._reply = ReplyLines(self._pen, owners)
        self._seen: tuple[Message, ...] = (history or History()).messages
        self._prompt: UserMessage | None = None
        self._tokens = 0
        self._trigger = CompactionTrigger.AUTO
        self._summary: Message | None = None
        self._opens_message = False
        self.next_prompt_id: str | None = None
        #: What is written for each kind of event; of the others nothing is.
        self._take: Mapping[type, Callable[[Any], None]] = {
            BlockFinished: self._reply.hear_block,
            CallQueued: self._calls.hear_queued,
            PermissionDecided: self._calls.hear_decision,
            CallStarted: self._calls.hear_started,
            CallFinished: self._calls.hear_finished,
            CallDeferred: self._calls.hear_deferred,
            ReplyLost: self._lose_reply,
            TurnStarted: self._begin_turn,
            TurnFinished: self._end_turn,
            CompactionStarted: self._hear_compaction,
        }

    @property
    def leaf(self) -> str | None:
        """The line that the next one follows."""
        return self._pen.leaf

    def line_of_result(self, call_id: str) -> str | None:
        """Return the line of a result that is not yet part of the conversation."""
        return self._calls.line_of_result(call_id)

    def tell_to(self, tell: Callable[[str], None]) -> None:
        """Say to whom a failure to write is told."""
        self._pen.tell = tell

    def heard(self, event: Event) -> None:
        """Write what an event says, before anything follows from it."""
        take = self._take.get(type(event))
        if take is not None:
            take(event)

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
            self._calls.answer(result)

    def write(self, kind: str, **fields: JsonValue) -> None:
        """Write a line that is no part of the conversation."""
        self._pen.put_aside(kind, **fields)

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
        line = self._pen.scene.chained(
            "system",
            None,
            subtype="compact_boundary",
            content="The conversation was made shorter.",
            compactMetadata=data,
            logicalParentUuid=self._pen.leaf,
        )
        self._pen.put_next(line)
        self._reply.forget()
        self._calls.forget_results()

    def _take_message(self, message: Message) -> None:
        """Write what of a message is not yet written."""
        if isinstance(message, AssistantMessage):
            self._reply.enter(message)
        else:
            self._take_user(message)

    def _take_user(self, message: UserMessage) -> None:
        """Write the results, reminders and words of a message that are not yet written."""
        blocks = blocks_of(message)
        lines = [self._calls.settle(block) for block in blocks if isinstance(block, ResultBlock)]
        if lines:
            self._pen.leaf = lines[-1]
            self._calls.forget_results()
        prompt = blocks_of(self._prompt) if self._prompt is not None else ()
        for group in _groups(blocks[len(lines) :]):
            self._take_words(group, is_summary=message is self._summary)
            if prompt and group == list(prompt):
                self._take_prompt(group)

    def _take_words(self, group: Sequence[Block], *, is_summary: bool) -> None:
        """Write reminders, or words of the user's."""
        fields: Line = {"message": dict(entries.user_message(group))}
        if is_summary:
            fields["isCompactSummary"] = True
        if self._opens_message:
            fields["opensMessage"] = True
            self._opens_message = False
        kind = "user"
        if _is_reminder(group[0]):
            kind, fields["attachment"] = "attachment", {"type": "reminder"}
        line = self._pen.scene.chained(kind, self._pen.leaf, **fields)
        if kind == "user" and self.next_prompt_id is not None:
            line["uuid"], self.next_prompt_id = self.next_prompt_id, None
        self._pen.put_next(line)

    def _take_prompt(self, blocks: Sequence[Block]) -> None:
        """Note the user's last words where lists of sessions look for them."""
        self._prompt = None
        words = " ".join(block.text for block in blocks if isinstance(block, Text))
        self.write(entries.LAST_PROMPT, lastPrompt=" ".join(words.split())[:_PROMPT_CHARS])

    def _begin_turn(self, started: TurnStarted) -> None:
        """Keep the user's words, to know them again when they enter the history."""
        self._prompt = started.prompt

    def _hear_compaction(self, started: CompactionStarted) -> None:
        """Keep who wanted the conversation shorter."""
        self._trigger = started.trigger

    def _lose_reply(self, lost: ReplyLost) -> None:
        """Take back a reply that broke off, and let go of its calls."""
        self._calls.forget_calls()
        self._calls.forget_results()
        self._reply.lose(lost)

    def _end_turn(self, finished: TurnFinished) -> None:
        """Write what a turn took."""
        self._prompt = None
        self._reply.forget()
        self._calls.forget_calls()
        self.write(
            "turn",
            reason=finished.reason.value,
            costUSD=finished.cost_usd,
            steps=finished.steps,
            seconds=round(finished.duration_seconds, 3),
            models=[_spent(one) for one in finished.by_model],
        )


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
