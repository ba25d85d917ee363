"""When and how a conversation is made shorter."""

from collections.abc import Awaitable, Callable, Sequence

from gantlet.loop import compaction
from gantlet.loop.conversation import Conversation
from gantlet.loop.history import Entry, History
from gantlet.loop.limits import Meter
from gantlet.loop.retries import retry_teller
from gantlet.loop.turn_hooks import TurnHooks
from gantlet.messages import (
    AssistantMessage,
    Compacted,
    CompactionFailed,
    CompactionStarted,
    CompactionTrigger,
    ModelError,
    ModelErrorKind,
    ModelRequest,
    Notice,
    NoticeLevel,
    StopReason,
    UserMessage,
    dumps,
)
from gantlet.messages.value import replace, slotted

#: How often room is made before we give up on a conversation that stays too long.
_MAX_IN_A_ROW = 2
#: A prompt and its reply are their own summary.
_WORTH_SUMMING_UP = 3
#: How often a conversation that is too long even to be summed up is made shorter for that.
_MAX_SHORTENINGS = 6
_NO_TOKENS = "There are not enough output tokens left for it."


@slotted
class Compactor:
    """Makes room in one conversation: by itself before the context is full, or when told to.

    `patiently` waits for something as long as nobody interrupts, and returns None if somebody does.
    """

    conversation: Conversation
    hooks: TurnHooks
    patiently: Callable[[Awaitable[bool]], Awaitable[bool | None]]
    _in_a_row: int = 0

    async def make_room_if_needed(self, meter: Meter) -> None:
        """Compact before the context is full: clear old results if that is enough, else sum up."""
        talk = self.conversation
        wanted = talk.settings.compaction
        if not (wanted.is_possible and wanted.is_automatic):
            return
        allowed = wanted.room(talk.capabilities.context_tokens) * wanted.share
        fixed = len(talk.system) / compaction.CHARS_PER_TOKEN
        if talk.history.chars / compaction.CHARS_PER_TOKEN + fixed <= allowed:
            self._in_a_row = 0
            return
        cleared = compaction.clear_old_results(talk.history)
        if compaction.estimate_tokens(cleared.entries) + fixed <= allowed * compaction.ENOUGH:
            self._go_on_with(cleared, CompactionTrigger.AUTO)
        elif self._in_a_row < _MAX_IN_A_ROW and self._has(_WORTH_SUMMING_UP):
            self._in_a_row += 1
            await self.patiently(self._sum_up(CompactionTrigger.AUTO, "", meter))

    async def make_room(self, meter: Meter) -> bool:
        """Compact because the model says that there is no room left; return whether that worked."""
        talk = self.conversation
        said_more = talk.history.entries and isinstance(
            talk.history.entries[-1].message, UserMessage
        )
        worth = 2 if said_more else _WORTH_SUMMING_UP  # one prompt may be too long for the next
        if self._in_a_row >= _MAX_IN_A_ROW or not self._has(worth):
            return False
        self._in_a_row += 1
        talk.keep(compaction.clear_old_results(talk.history))
        return bool(await self.patiently(self._sum_up(CompactionTrigger.AUTO, "", meter)))

    async def sum_up(self, instructions: str) -> bool:
        """Sum up because the user wants it; return whether that worked."""
        if not self._has(_WORTH_SUMMING_UP):
            return False
        trigger = CompactionTrigger.MANUAL
        return bool(await self.patiently(self._sum_up(trigger, instructions, None)))

    def _has(self, count: int) -> bool:
        """Return whether so many messages may be summed up, and no call waits for its result."""
        history, wanted = self.conversation.history, self.conversation.settings.compaction
        return wanted.is_possible and len(history.entries) >= count and not history.open_calls

    async def _sum_up(
        self, trigger: CompactionTrigger, instructions: str, meter: Meter | None
    ) -> bool:
        """Let the model sum up the older part; return whether that worked."""
        talk = self.conversation
        if not await self.hooks.before_compaction(trigger, instructions):
            return False
        talk.emit(CompactionStarted(trigger))
        room = talk.settings.compaction.room(talk.capabilities.context_tokens)
        plan = compaction.plan(talk.history, room)
        summary, why = "", "It was stopped."
        try:
            summary, why = await self._summary(plan.head, instructions, meter)
        finally:
            if not summary:
                talk.emit(CompactionFailed(trigger, why))
        if not summary:
            talk.emit(Notice(NoticeLevel.WARNING, f"The conversation was not summed up. {why}"))
            return False
        self._go_on_with(plan.with_summary(summary), trigger)
        await self.hooks.after_compaction(trigger, summary)
        return True

    async def _summary(
        self, head: Sequence[Entry], instructions: str, meter: Meter | None
    ) -> tuple[str, str]:
        """Return a summary of the older part, or nothing and why there is none."""
        left = meter.tokens_left(self.conversation.settings.limits) if meter is not None else None
        if left is not None and left <= 0:
            return "", _NO_TOKENS
        try:
            reply = await self._ask(head, instructions, meter)
        except ModelError as error:
            return "", str(error)
        summary = compaction.summary_of(reply)
        if reply.stop_reason == StopReason.REFUSAL:
            return "", "The model refused to sum it up."
        written = (reply.usage.output_tokens or 0) if reply.usage is not None else 0
        if reply.stop_reason == StopReason.MAX_TOKENS and left is not None and written >= left:
            return "", _NO_TOKENS  # half a summary is none
        return summary, "" if summary else "The model gave no summary."

    async def _ask(
        self, head: Sequence[Entry], instructions: str, meter: Meter | None
    ) -> AssistantMessage:
        """Ask for a summary, of less and less if even that does not fit.

        Raises:
            ModelError: There is none.
        """
        talk = self.conversation
        history = History(tuple(head))
        left = meter.tokens_left(talk.settings.limits) if meter is not None else None
        for _ in range(_MAX_SHORTENINGS):
            try:
                reply = await talk.model.complete(
                    self._request(history, instructions, left), retry_teller(talk.emit)
                )
            except ModelError as error:
                shorter = compaction.shortened(history)
                if error.kind is not ModelErrorKind.PROMPT_TOO_LONG or shorter is None:
                    raise
                history = shorter
                continue
            if meter is not None and reply.usage is not None:
                meter.add(reply.usage, talk.capabilities)
            return reply
        text = "Even what is left of the conversation is too long."
        raise ModelError(text, ModelErrorKind.PROMPT_TOO_LONG)

    def _request(self, history: History, instructions: str, left: int | None) -> ModelRequest:
        """Return the request for a summary of a part of the conversation."""
        asked = f"{compaction.INSTRUCTIONS}\n{instructions}".strip()
        question = dumps({"role": "user", "content": [{"type": "text", "text": asked}]})
        request = self.conversation.request(at_most=left)
        no_tools = {"tool_choice": {"type": "none"}} if request.tools else {}
        return replace(
            request,
            messages=[*history.wire(breakpoints=1), question],
            extra={**request.extra, **no_tools},
        )

    def _go_on_with(self, shorter: History, trigger: CompactionTrigger) -> None:
        """Go on with a shorter history."""
        talk = self.conversation
        before = compaction.estimate_tokens(talk.history.entries)
        talk.keep(shorter)
        talk.emit(Compacted(trigger, before, compaction.estimate_tokens(shorter.entries)))
