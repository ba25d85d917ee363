"""What stands around one call: what it was looked at to be, and what it may ask of others."""

import logging
from collections.abc import Callable
from dataclasses import field
from typing import Any, Protocol

from gantlet.execution.oversize import Spill
from gantlet.hooks import Hooks
from gantlet.messages import Event, ToolUse
from gantlet.messages.value import slotted, value
from gantlet.permissions import Decision, Permission
from gantlet.pool import Pool
from gantlet.system import Masker
from gantlet.tool import (
    MOST_DANGEROUS,
    AgentIdentity,
    AnyTool,
    Footprint,
    Parsed,
    Surroundings,
    Traits,
    ask_traits,
    footprint,
    parse,
)
from gantlet.tool import Invalid as Misfit

_log = logging.getLogger(__name__)


def _nothing_to_write(call: ToolUse) -> None:
    """Keep no record."""


def _nothing_deferred(name: str) -> None:
    """Reveal nothing."""


def _is_heard() -> bool:
    """Suppose that somebody listens."""
    return True


class Known(Protocol):
    """Whoever remembers what permission has decided."""

    def __call__(
        self, call: ToolUse, tool: AnyTool, traits: Traits, surroundings: Surroundings, stretch: int
    ) -> Decision | None:
        """Return what was decided before about such a call and holds for this one, too, or None.

        Neither a hook nor the tool has said anything about the call. Between two calls of the same
        stretch, but not of stretch 0, nobody else has had a turn and nothing has changed anything.
        """


def _nothing_known(
    call: ToolUse, tool: AnyTool, traits: Traits, surroundings: Surroundings, stretch: int
) -> Decision | None:
    """Have each call judged anew."""
    return None


@value
class Services:
    """What the pipeline asks of the rest of the session."""

    pool: Pool
    permission: Permission
    hooks: Hooks
    spill: Spill
    emit: Callable[[Event], None]
    #: Takes the secrets out of every result when it is made.
    masker: Masker = field(default_factory=lambda: Masker({}))
    agent: AgentIdentity = field(default_factory=AgentIdentity)
    #: Told before a tool runs; what announces an effect is written before it happens.
    before_run: Callable[[ToolUse], None] = _nothing_to_write
    #: Told which tool is called, so that a deferred one need not be looked up any more.
    reveal: Callable[[str], None] = _nothing_deferred
    #: Whether anybody hears what is told; where nobody does, it need not even be made.
    is_heard: Callable[[], bool] = _is_heard
    #: What permission has decided before and need not be asked again.
    known: Known = _nothing_known


@slotted
class Prepared:
    """A call that was looked at: its tool, its args, and what it touches."""

    call: ToolUse
    tool: AnyTool | None
    parsed: Parsed[Any] | Misfit | None
    traits: Traits

    def footprint(self, surroundings: Surroundings) -> Footprint:
        """Return what the call touches from where it stands; what cannot be told is everything."""
        try:
            return footprint(self.traits.reach, surroundings.cwd)
        except Exception:  # noqa: BLE001 - a failure becomes a value or a log line here, never a lost call
            _log.exception("The access of %s cannot be resolved; it runs alone.", self.call.name)
            return footprint(MOST_DANGEROUS.reach, surroundings.cwd)


def prepare(call: ToolUse, pool: Pool) -> Prepared:
    """Find a call's tool, parse its input and ask for its traits. Never raises."""
    tool = pool.find(call.name)
    if tool is None:
        return Prepared(call, None, None, MOST_DANGEROUS)
    parsed = parse(tool, call.input)
    traits = ask_traits(tool, parsed.args) if isinstance(parsed, Parsed) else MOST_DANGEROUS
    return Prepared(call, tool, parsed, traits)
