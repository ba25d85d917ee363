"""The user's hooks at the turning points of a turn: a prompt, a batch of results, the end."""

from collections.abc import Sequence

from gantlet.execution import Answer
from gantlet.hooks import HookEvent, Hooks, Said, as_json, batch_call, occasion
from gantlet.loop.attachments import reminder
from gantlet.loop.conversation import Conversation
from gantlet.messages import (
    AssistantMessage,
    Block,
    CompactionTrigger,
    HookInfo,
    JsonValue,
    Notice,
    NoticeLevel,
    ResultBlock,
    StopHookSummary,
    Text,
    UserMessage,
    block_to_wire,
    blocks_of,
)
from gantlet.messages.value import slotted, value
from gantlet.tool import AgentIdentity

#: How often in a row hooks may keep a turn going.
STOP_CAP = 8


@value
class PromptHeard:
    """What became of a prompt: the words that enter the conversation, or why none do."""

    prompt: UserMessage | None
    refusal: str = ""
    title: str = ""


@value
class StopHeard:
    """What hooks say at the end of a turn: it ends, it goes on with these words, or it is cut."""

    goes_on_with: tuple[str, ...] = ()
    stop: str | None = None


@slotted
class TurnHooks:
    """Asks the hooks of one conversation. Where nobody listens nothing is done.

    Attributes:
        transcript_path: Where a sub-agent's conversation is written down.
    """

    hooks: Hooks
    conversation: Conversation
    agent: AgentIdentity
    cap: int = STOP_CAP
    transcript_path: str = ""
    _in_a_row: int = 0

    @property
    def hears_prompts(self) -> bool:
        """Whether hooks look at what a turn begins with."""
        if self.agent.is_main:
            return self.hooks.wants(HookEvent.USER_PROMPT_SUBMIT)
        return self.hooks.wants(HookEvent.SUBAGENT_START, self.agent.type)

    @property
    def hears_stops(self) -> bool:
        """Whether hooks may keep a turn going."""
        if self.agent.is_main:
            return self.hooks.wants(HookEvent.STOP)
        return self.hooks.wants(HookEvent.SUBAGENT_STOP, self.agent.type)

    async def on_prompt(self, prompt: UserMessage) -> PromptHeard:
        """Let hooks look at the user's words, add to them, or turn them away."""
        if not self.hears_prompts:
            return PromptHeard(prompt)
        if not self.agent.is_main:
            return await self._on_task(prompt)
        said = await self._fire(HookEvent.USER_PROMPT_SUBMIT, prompt=_words_of(prompt))
        refusal = said.stop if said.stop is not None else said.block
        if refusal is not None:
            return PromptHeard(None, refusal, said.session_title)
        kept: tuple[Block, ...] = blocks_of(prompt)
        if said.hides_prompt and said.context:
            kept = tuple(block for block in kept if isinstance(block, ResultBlock))
        added = tuple(reminder(text) for text in said.context)
        words = UserMessage((*kept, *added)) if added else prompt
        return PromptHeard(words, title=said.session_title)

    async def _on_task(self, prompt: UserMessage) -> PromptHeard:
        """Tell hooks that a sub-agent begins; what they add, it reads with its task."""
        said = await self._fire(HookEvent.SUBAGENT_START, **self._identity())
        await self.show(said)
        if said.stop is not None:
            return PromptHeard(None, said.stop)
        added = tuple(reminder(text) for text in said.context)
        return PromptHeard(UserMessage((*blocks_of(prompt), *added)) if added else prompt)

    def _identity(self) -> dict[str, JsonValue]:
        """Return who a sub-agent is."""
        return {"agent_id": self.agent.id, "agent_type": self.agent.type}

    async def on_batch(self, answers: Sequence[Answer]) -> Said:
        """Tell hooks of all results of a reply, before the model reads them."""
        calls: list[JsonValue] = [
            batch_call(answer.call.name, answer.call.input, answer.call.id, _response(answer))
            for answer in answers
        ]
        return await self._fire(HookEvent.POST_TOOL_BATCH, tool_calls=calls)

    async def on_stop(self, last: AssistantMessage | None) -> StopHeard:
        """Let hooks keep the turn going; after so many times in a row it ends all the same."""
        if not self.hears_stops:
            return StopHeard()
        event = HookEvent.STOP if self.agent.is_main else HookEvent.SUBAGENT_STOP
        fields: dict[str, JsonValue] = {
            "stop_hook_active": self._in_a_row > 0,
            "last_assistant_message": "" if last is None else _words_of(last),
        }
        if not self.agent.is_main:
            fields |= {**self._identity(), "agent_transcript_path": self.transcript_path}
        said = await self._fire(event, **fields)
        told = (*_objections(said), *said.context)
        goes_on = said.stop is None and bool(told) and self._in_a_row < self.cap
        self._sum_up(said, told, goes_on=goes_on)
        if not goes_on:
            self._in_a_row = 0
            return StopHeard(stop=said.stop)
        self._in_a_row += 1
        return StopHeard(told)

    def _sum_up(self, said: Said, told: tuple[str, ...], *, goes_on: bool) -> None:
        """Tell what the hooks at the end of a turn came to."""
        emit = self.conversation.emit
        reason = said.stop if said.stop is not None else "\n".join(told)
        infos = tuple(HookInfo(run.name, run.seconds, run.failure) for run in said.runs)
        emit(StopHookSummary(infos, said.stop is not None, reason, goes_on))
        if told and not goes_on and said.stop is None:
            text = f"Stop hooks kept this turn going {self.cap} times in a row; it ends now."
            emit(Notice(NoticeLevel.WARNING, text))

    async def before_compaction(self, trigger: CompactionTrigger, instructions: str) -> bool:
        """Return whether hooks let the conversation be summed up."""
        event = HookEvent.PRE_COMPACT
        if not self.hooks.wants(event, trigger):
            return True
        given = instructions or None
        said = await self._fire(event, trigger=str(trigger), custom_instructions=given)
        refusal = said.stop if said.stop is not None else said.block
        if refusal is None:
            return True
        text = f"A hook kept the conversation from being summed up: {refusal}"
        self.conversation.emit(Notice(NoticeLevel.WARNING, text))
        return False

    async def after_compaction(self, trigger: CompactionTrigger, summary: str) -> None:
        """Tell hooks of a summary; those at the start of a session may add to what follows it."""
        if self.hooks.wants(HookEvent.POST_COMPACT, trigger):
            await self.show(
                await self._fire(
                    HookEvent.POST_COMPACT, trigger=str(trigger), compact_summary=summary
                )
            )
        await self.on_session_start("compact")

    async def on_session_start(self, source: str, **fields: JsonValue) -> Said | None:
        """Tell hooks that a session begins, or goes on; what they add is said with what follows."""
        if not self.hooks.wants(HookEvent.SESSION_START, source):
            return None
        talk = self.conversation
        said = await self._fire(
            HookEvent.SESSION_START, source=source, model=talk.model_name, **fields
        )
        talk.reminders += said.context
        await self.show(said)
        return said

    async def show(self, said: Said) -> None:
        """Show the user what a hook complains about where it cannot stop anything."""
        if said.block is not None:
            self.conversation.emit(Notice(NoticeLevel.WARNING, said.block))

    def late(self) -> tuple[str, ...]:
        """Return what hooks in the background want the model to read."""
        return self.hooks.take_late()

    async def _fire(self, event: HookEvent, **fields: JsonValue) -> Said:
        """Run the hooks of an event."""
        return await self.hooks.fire(
            occasion(event, self.conversation.surroundings, self.agent, **fields)
        )


def _objections(said: Said) -> tuple[str, ...]:
    """Return why hooks will not let a turn end, as the model reads it."""
    return () if said.block is None else (f"A hook does not let you stop yet: {said.block}",)


def _words_of(message: UserMessage | AssistantMessage) -> str:
    """Return the text of a message."""
    return "\n".join(block.text for block in blocks_of(message) if isinstance(block, Text))


def _response(answer: Answer) -> JsonValue:
    """Return a call's result as hooks are told of it."""
    content = answer.block.content
    if content is None or isinstance(content, str):
        return content
    return as_json([block_to_wire(block) for block in content])
