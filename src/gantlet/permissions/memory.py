"""Decisions that need not be made twice: those that depend on nothing but the tool and its traits.

A tool that names no path, runs no command and has no opinion of its own, and of which no rule means
only some calls, is judged the same for every input. What was decided once for it holds until the
context changes.
"""

from gantlet.messages.value import value
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.decision import Decision, Request
from gantlet.permissions.facts import NO_FACTS
from gantlet.rules import names_of
from gantlet.tool import AnyTool, Mode, Tool, Traits

#: How many tools are remembered. A session with more of them has more to do than this saves.
_MAX_TOOLS = 1_000
#: What says which paths and texts of a call rules are compared with.
_TELLING = ("paths", "rule_text")


@value
class _Entry:
    """What was decided, and for what. It holds the tool, so that another cannot take its `id`."""

    tool: AnyTool
    traits: Traits
    mode: Mode
    decision: Decision


class Memory:
    """What was decided under one context. A new context starts with an empty one."""

    def __init__(self) -> None:
        self._context: PermissionContext | None = None
        self._entries: dict[int, _Entry] = {}

    def recall(
        self, tool: AnyTool, traits: Traits, mode: Mode, context: PermissionContext
    ) -> Decision | None:
        """Return what was decided for such a call under this very context, or None.

        Only for a call about which neither a hook nor the tool has said anything.
        """
        if context is not self._context:
            return None
        entry = self._entries.get(id(tool))
        if entry is None or entry.mode is not mode:
            return None
        return entry.decision if entry.traits is traits or entry.traits == traits else None

    def keep(self, request: Request, context: PermissionContext, decision: Decision) -> None:
        """Remember a decision, if it holds for every input."""
        if context is not self._context:
            self._context = context
            self._entries.clear()
        if len(self._entries) < _MAX_TOOLS and holds_for_every_input(request, context):
            tool, mode = request.tool, request.surroundings.mode
            self._entries[id(tool)] = _Entry(tool, request.traits, mode, decision)


def holds_for_every_input(request: Request, context: PermissionContext) -> bool:
    """Return whether a call of the same tool with the same traits is judged the same."""
    tool = request.tool
    if request.has_votes or request.facts is not NO_FACTS:
        return False
    if tool.runs_shell or tool.rule_field or tool.path_fields:
        return False
    for method in _TELLING:
        if method in vars(tool) or getattr(type(tool), method) is not getattr(Tool, method):
            return False
    names = names_of(tool)
    return not any(
        rules.special(names) or rules.has_commands(names)
        for rules in (context.deny, context.ask, context.allow)
    )
