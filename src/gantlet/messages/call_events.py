"""What surfaces are told about one call, from the queue to its result, and about hooks."""

from gantlet.messages.blocks import ResultBlock, ToolUse
from gantlet.messages.frozen import JsonValue, freeze
from gantlet.messages.outcome import Behaviour, HookEffectKind, HookOutcome, OutcomeKind
from gantlet.messages.value import value


@value
class CallQueued:
    """Told when a call is complete and handed to the executor."""

    call: ToolUse


@value
class CallStarted:
    """Told when a permitted call begins to run, which may be long after it was queued."""

    call_id: str
    name: str


@value
class CallProgressed:
    """Told while a call runs; `coalesced` counts older updates that this one stands for."""

    call_id: str
    update: JsonValue
    coalesced: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "update", freeze(self.update))


@value
class CallFinished:
    """Told once per call when its result is certain.

    `structured` is the tool's own output; `waited_for` names the calls that had to end first.
    """

    call_id: str
    name: str
    outcome: OutcomeKind
    result: ResultBlock
    duration_seconds: float = 0.0
    structured: JsonValue = None
    waited_for: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "structured", freeze(self.structured))


@value
class ContextChangeDropped:
    """Told when a call wanted to change the context of later ones but ran beside others."""

    call_id: str


@value
class PermissionAsked:
    """Told when a call waits for a person."""

    call: ToolUse
    reason: str


@value
class PermissionDecided:
    """Told when a call was judged: by which layer, which rule, and where that rule was read."""

    call_id: str
    behaviour: Behaviour
    reason: str
    layer: str
    rule: str | None = None
    source: str | None = None


@value
class CallDeferred:
    """Told when a hook put a call off: it has no result, and is asked again when work goes on."""

    call: ToolUse


@value
class HookStarted:
    """Told when a hook begins to run; `run_id` names the same run when it ends.

    Attributes:
        status_message: What its author wants to be shown meanwhile.
    """

    run_id: str
    event: str
    name: str
    call_id: str | None = None
    status_message: str = ""


@value
class HookEffect:
    """One thing a hook's run meant for the turn, in words for a person."""

    kind: HookEffectKind
    message: str


@value
class HookRan:
    """Told when a hook has ended, with what it wrote and what follows from it."""

    run_id: str
    event: str
    name: str
    outcome: HookOutcome
    call_id: str | None = None
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    effects: tuple[HookEffect, ...] = ()


@value
class HookInfo:
    """One hook's run in a summary: which, how long it took, and what went wrong with it."""

    name: str
    duration_seconds: float = 0.0
    error: str = ""


@value
class StopHookSummary:
    """Told when the hooks at the end of a turn have run (`stop_hook_summary`).

    Attributes:
        prevented_continuation: They said that nothing more should happen.
        reason: Why they did, or why the turn goes on.
    """

    hooks: tuple[HookInfo, ...]
    prevented_continuation: bool = False
    reason: str = ""
    continues: bool = False

    @property
    def hook_count(self) -> int:
        """How many hooks ran."""
        return len(self.hooks)

    @property
    def errors(self) -> tuple[str, ...]:
        """What went wrong with them."""
        return tuple(hook.error for hook in self.hooks if hook.error)
