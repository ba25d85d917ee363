"""What one handler said, and what all of them said together: frozen values."""

from collections.abc import Callable
from enum import StrEnum

from gantlet.messages import FrozenDict, JsonValue
from gantlet.messages.value import replace, value


class HookDecision(StrEnum):
    """What a hook says about a call, the strictest first."""

    DENY = "deny"
    DEFER = "defer"
    ASK = "ask"
    ALLOW = "allow"

    @property
    def rank(self) -> int:
        """The place in the order of strictness; the smallest wins."""
        return _RANKS[self]


_RANKS = {decision: rank for rank, decision in enumerate(HookDecision)}


@value
class Replacement:
    """Another output for a call, whatever it is: also null can be one."""

    data: JsonValue


@value
class RequestAnswer:
    """What a hook answers in a person's place.

    Attributes:
        updated_permissions: Changes for later calls, as programs send them.
        interrupts: With a no: nothing goes on either.
    """

    allows: bool
    updated_input: FrozenDict | None = None
    updated_permissions: tuple[FrozenDict, ...] = ()
    message: str = ""
    interrupts: bool = False


@value
class Saying:
    """What one handler said.

    Attributes:
        stops: Nothing more should happen in this turn; it outranks everything else.
        blocks: What the event is about should not happen, or not be left as it is.
        context: What the model should read.
        first_prompt: What the conversation should begin with.
        hides_prompt: The user's own words should not reach the model.
        is_async: It goes on in the background, and decides nothing.
    """

    stops: bool = False
    stop_reason: str = ""
    system_message: str = ""
    blocks: bool = False
    reason: str = ""
    decision: HookDecision | None = None
    decision_reason: str = ""
    updated_input: FrozenDict | None = None
    context: tuple[str, ...] = ()
    updated_output: Replacement | None = None
    request: RequestAnswer | None = None
    retries: bool = False
    session_title: str = ""
    first_prompt: str = ""
    hides_prompt: bool = False
    is_async: bool = False
    async_seconds: float | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """What it says to the model in words: context and reasons."""
        message = "" if self.request is None else self.request.message
        reasons = (self.stop_reason, self.reason, self.decision_reason, message)
        return tuple(filter(None, (*self.context, *reasons)))

    def with_words(self, change: Callable[[str], str]) -> "Saying":
        """Return the same with other words, for the model or for a person."""
        if self is NOTHING:
            return self
        request = self.request
        return replace(
            self,
            context=tuple(change(text) for text in self.context),
            stop_reason=change(self.stop_reason),
            system_message=change(self.system_message),
            reason=change(self.reason),
            decision_reason=change(self.decision_reason),
            first_prompt=change(self.first_prompt),
            request=request and replace(request, message=change(request.message)),
        )

    def only_forbidding(self) -> "Saying":
        """Return what counts of a handler that went wrong: it can forbid, never allow or change."""
        forbids = self.decision in {HookDecision.DENY, HookDecision.ASK}
        refuses = self.request is not None and not self.request.allows
        return Saying(
            stops=self.stops,
            stop_reason=self.stop_reason,
            system_message=self.system_message,
            blocks=self.blocks,
            reason=self.reason,
            decision=self.decision if forbids else None,
            decision_reason=self.decision_reason if forbids else "",
            request=self.request if refuses else None,
        )

    def blocked(self, reason: str) -> "Saying":
        """Return the same, but blocking; a reason of its own to block is kept."""
        own = self.reason if self.blocks else ""
        return replace(self.only_forbidding(), blocks=True, reason=own or reason)


NOTHING = Saying()


@value
class RunInfo:
    """One handler's run, for summaries."""

    name: str
    seconds: float = 0.0
    failure: str = ""


@value
class Said:
    """What all handlers of one event said together.

    Attributes:
        stop: Why nothing more should happen in this turn, or None.
        block: Why it should not happen, or None.
        decided_by: Whose decision it is.
    """

    stop: str | None = None
    block: str | None = None
    decision: HookDecision | None = None
    decision_reason: str = ""
    decided_by: str = ""
    updated_input: FrozenDict | None = None
    context: tuple[str, ...] = ()
    updated_output: Replacement | None = None
    request: RequestAnswer | None = None
    retries: bool = False
    session_title: str = ""
    first_prompt: str = ""
    hides_prompt: bool = False
    runs: tuple[RunInfo, ...] = ()


NOTHING_SAID = Said()
