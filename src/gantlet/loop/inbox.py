"""What the user says during a turn, until it is delivered."""

from collections import deque
from dataclasses import field

from gantlet.hooks import HookEvent
from gantlet.loop.conversation import Conversation
from gantlet.loop.turn_hooks import TurnHooks
from gantlet.loop.turn_result import Priority
from gantlet.messages import Notice, NoticeLevel, UserMessage
from gantlet.messages.value import slotted


@slotted
class _Letter:
    """A message that waits; hooks look at it once."""

    message: UserMessage
    priority: Priority
    was_heard: bool = False


@slotted
class Inbox:
    """Messages in the order they came. Nothing leaves it that hooks have not looked at."""

    hooks: TurnHooks
    conversation: Conversation
    _letters: deque[_Letter] = field(default_factory=deque)

    def put(self, message: UserMessage, priority: Priority) -> None:
        """Add a message."""
        self._letters.append(_Letter(message, priority))

    def put_first(self, message: UserMessage) -> None:
        """Add a message before all others, at which hooks have looked already."""
        self._letters.appendleft(_Letter(message, Priority.NEXT, was_heard=True))

    def take_next(self) -> UserMessage | None:
        """Take the message that gets the next turn, if there is one."""
        return self._letters.popleft().message if self._letters else None

    async def take_due(self) -> list[UserMessage]:
        """Take what is due now, as hooks leave it; what they turn away is dropped."""
        if self._letters and self._are_looked_at:
            await self._let_hooks_look()
        return self.take_known()

    def take_known(self) -> list[UserMessage]:
        """Take what is due now without waiting: not what hooks have yet to look at."""
        if not self._letters:
            return []
        looked_at = self._are_looked_at
        due: list[UserMessage] = []
        kept: deque[_Letter] = deque()
        for letter in self._letters:
            if letter.priority is Priority.LATER or (looked_at and not letter.was_heard):
                kept.append(letter)
            else:
                due.append(letter.message)
        self._letters = kept
        return due

    def tell_undelivered(self) -> None:
        """Say what will not be delivered any more, and forget it."""
        count = len(self._letters)
        self._letters.clear()
        if count:
            what = "A message was" if count == 1 else f"{count} messages were"
            text = f"{what} not delivered, because the turn ended before that."
            self.conversation.emit(Notice(NoticeLevel.WARNING, text))

    @property
    def _are_looked_at(self) -> bool:
        """Whether hooks want to see what the user says."""
        hooks = self.hooks
        return hooks.agent.is_main and hooks.hooks.wants(HookEvent.USER_PROMPT_SUBMIT)

    async def _let_hooks_look(self) -> None:
        """Let hooks look at every message that is due, also at one that comes meanwhile."""
        while (letter := self._unheard()) is not None:
            heard = await self.hooks.on_prompt(letter.message)
            if heard.prompt is None:
                self._letters.remove(letter)
                text = f"A hook turned a message away: {heard.refusal}"
                self.conversation.emit(Notice(NoticeLevel.WARNING, text))
            else:
                letter.message, letter.was_heard = heard.prompt, True

    def _unheard(self) -> _Letter | None:
        """Return the first message that is due and that hooks have not looked at."""
        due = (one for one in self._letters if one.priority is not Priority.LATER)
        return next((one for one in due if not one.was_heard), None)
