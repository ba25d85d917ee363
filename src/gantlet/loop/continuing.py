"""Replies that stopped before their end: at the token limit, or because the server paused."""

from collections.abc import Mapping

from gantlet.messages import AssistantMessage, StopReason, blocks_of
from gantlet.messages.value import replace, slotted

#: How often in a row a reply that hit the token limit is continued.
MAX_CONTINUATIONS = 3
#: How often in a row a server may pause before we take it that it will never come to an end.
MAX_PAUSES = 30

#: The least that the API lets a model think.
MIN_THINKING_TOKENS = 1_024

CUT_OFF = "The reply was cut off at the token limit; the model is asked to go on."
GIVEN_UP = (
    f"The reply was cut off at the token limit {MAX_CONTINUATIONS + 1} times in a row, and ends"
    " here. Allow longer replies (CLAUDE_CODE_MAX_OUTPUT_TOKENS), or ask for less at once."
)
CUT_CALL = (
    "Your reply was cut off at the token limit. What you asked for last may be missing here: it was"
    " not run. Ask for it again, in smaller parts if you can."
)
NEVER_ENDS = f"The server paused {MAX_PAUSES} times in a row, and the reply never came to an end."
FULL = (
    "The conversation fills the model's context, and it could not be made shorter. Start a new one,"
    " or ask again with less."
)


@slotted
class Continuing:
    """What the replies of a turn that stopped early mean for the next request.

    Attributes:
        doublings: How often the room for a reply was doubled.
        goes_on: The next reply goes on in the middle of what the last one said.
    """

    doublings: int = 0
    goes_on: bool = False
    _cuts: int = 0
    _pauses: int = 0

    def note(self, stop_reason: str | None) -> None:
        """Take note of how a reply ended."""
        is_cut = stop_reason == StopReason.MAX_TOKENS
        self._cuts = self._cuts + 1 if is_cut else 0
        self._pauses = self._pauses + 1 if stop_reason == StopReason.PAUSE_TURN else 0
        if is_cut and self.doublings < MAX_CONTINUATIONS:
            self.doublings += 1
        self.goes_on = False

    @property
    def may_go_on(self) -> bool:
        """Whether a reply that was cut off is to be continued."""
        return self._cuts <= MAX_CONTINUATIONS

    @property
    def never_ends(self) -> bool:
        """Whether there were too many pauses."""
        return self._pauses > MAX_PAUSES

    def joined(self, last: AssistantMessage | None, reply: AssistantMessage) -> AssistantMessage:
        """Return a reply together with what it goes on from."""
        if last is None or not self.goes_on:
            return reply
        return replace(reply, content=(*blocks_of(last), *blocks_of(reply)))


def with_less_thinking(extra: Mapping[str, object], max_tokens: int) -> Mapping[str, object]:
    """Return the further fields of a request whose reply may have no more than so many tokens.

    The API takes no request in which the model may think for longer than it may answer.
    """
    thinking = extra.get("thinking")
    budget = thinking.get("budget_tokens") if isinstance(thinking, Mapping) else None
    if not isinstance(thinking, Mapping) or not isinstance(budget, int) or budget < max_tokens:
        return extra
    if max_tokens <= MIN_THINKING_TOKENS:
        return {**extra, "thinking": {"type": "disabled"}}
    less = max(MIN_THINKING_TOKENS, max_tokens // 2)
    return {**extra, "thinking": {**thinking, "budget_tokens": less}}


def refusal_text(reply: AssistantMessage | None) -> str:
    """Return that the model refused to go on, and why if it says so."""
    details = reply.stop_details if reply is not None else None
    why = details.get("explanation") if details is not None else None
    text = "The model refused to go on"
    return f"{text}: {why.strip()}" if isinstance(why, str) and why.strip() else f"{text}."
