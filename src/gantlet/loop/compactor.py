"""When and how a conversation is made shorter."""

from gantlet.loop import compaction
from gantlet.loop.conversation import Conversation
from gantlet.loop.history import History
from gantlet.loop.turn_hooks import TurnHooks
from gantlet.messages import (
    Compacted,
    CompactionStarted,
    CompactionTrigger,
    ModelError,
    Notice,
    NoticeLevel,
    dumps,
)
from gantlet.messages.value import replace, slotted

#: How often room is made before we give up on a conversation that stays too long.
_MAX_IN_A_ROW = 2
#: A prompt and its reply are their own summary.
_WORTH_SUMMING_UP = 3


@slotted
class Compactor:
    """Makes room in one conversation: by itself before the context is full, or when told to."""

    conversation: Conversation
    hooks: TurnHooks
    _in_a_row: int = 0

    async def make_room_if_needed(self) -> None:
        """Compact before the context is full: clear old results if that is enough, else sum up."""
        talk = self.conversation
        if not talk.settings.auto_compact:
            return
        allowed = talk.capabilities.context_tokens * talk.settings.compact_at
        fixed = len(talk.system) / compaction.CHARS_PER_TOKEN
        if talk.history.chars / compaction.CHARS_PER_TOKEN + fixed <= allowed:
            self._in_a_row = 0
            return
        cleared = compaction.clear_old_results(talk.history)
        if compaction.estimate_tokens(cleared.entries) + fixed <= allowed * compaction.ENOUGH:
            self._go_on_with(cleared, CompactionTrigger.AUTO)
        elif self._in_a_row < _MAX_IN_A_ROW:
            self._in_a_row += 1
            await self.sum_up(CompactionTrigger.AUTO)

    async def make_room(self, error: ModelError) -> None:
        """Compact because the model says that there is no room left.

        Raises:
            ModelError: It did not help.
        """
        if self._in_a_row >= _MAX_IN_A_ROW:
            raise error
        self._in_a_row += 1
        talk = self.conversation
        talk.keep(compaction.clear_old_results(talk.history))
        if not await self.sum_up(CompactionTrigger.AUTO):
            raise error

    async def sum_up(self, trigger: CompactionTrigger, instructions: str = "") -> bool:
        """Let the model sum up the older part; return whether that worked."""
        talk = self.conversation
        if len(talk.history.entries) < _WORTH_SUMMING_UP:
            return False
        if not await self.hooks.before_compaction(trigger, instructions):
            return False
        talk.emit(CompactionStarted(trigger))
        plan = compaction.plan(talk.history, talk.capabilities)
        asked = f"{compaction.INSTRUCTIONS}\n{instructions}".strip()
        question = dumps({"role": "user", "content": [{"type": "text", "text": asked}]})
        request = talk.request()
        no_tools = {"tool_choice": {"type": "none"}} if request.tools else {}
        request = replace(
            request,
            messages=[*History(plan.head).wire(breakpoints=1), question],
            extra={**request.extra, **no_tools},
        )
        try:
            summary = compaction.summary_of(await talk.model.complete(request))
        except ModelError as error:
            talk.emit(Notice(NoticeLevel.WARNING, f"Summing up failed: {error}"))
            return False
        if not summary:
            talk.emit(Notice(NoticeLevel.WARNING, "The model gave no summary."))
            return False
        self._go_on_with(plan.with_summary(summary), trigger)
        await self.hooks.after_compaction(trigger, summary)
        return True

    def _go_on_with(self, shorter: History, trigger: CompactionTrigger) -> None:
        """Go on with a shorter history."""
        talk = self.conversation
        before = compaction.estimate_tokens(talk.history.entries)
        talk.keep(shorter)
        talk.emit(Compacted(trigger, before, compaction.estimate_tokens(shorter.entries)))
