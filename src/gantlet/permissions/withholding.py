"""What an allowed call must leave out of its answer: the files below that rules forbid to read."""

from collections.abc import Callable
from functools import cached_property

from gantlet.messages.value import value
from gantlet.permissions.case import Case
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.decision import Request
from gantlet.permissions.facts import NO_FACTS, Facts
from gantlet.permissions.files import forbidding_rule, has_forbidding
from gantlet.rules import Rule, RuleSet
from gantlet.system import Found, PathFacts
from gantlet.tool import AnyTool, Withheld


def withholds(tool: AnyTool, context: PermissionContext) -> bool:
    """Return whether anything could be withheld from calls of a tool."""
    return bool(tool.path_fields) and tool.path_kind == "read" and has_forbidding(context, "read")


def withheld_from(
    request: Request, context: PermissionContext, find_forbidden: Callable[[], Found]
) -> Withheld:
    """Return what a call that was allowed may not show of the directories it looks through.

    A rule that asks about a path which the call itself names has been answered.
    """
    return _ByRules(context.deny, _unanswered(context.ask, Case(request, context)), find_forbidden)


def _unanswered(asking: RuleSet, case: Case) -> RuleSet:
    """Return the ask rules that mean none of the paths a call names."""
    for target in case.targets:
        for place in target.places:
            while rule := forbidding_rule(asking, place, "read", case.request.facts):
                asking = _without(asking, rule)
    return asking


def _without(rules: RuleSet, answered: Rule) -> RuleSet:
    """Return the rules but for one."""
    return rules.kept(lambda rule: rule != answered)


@value
class _ByRules:
    """Withholds what a deny rule means, and what an ask rule means that nobody was asked about."""

    deny: RuleSet
    ask: RuleSet
    find_forbidden: Callable[[], Found]
    is_empty = False

    def holds(self, place: PathFacts) -> bool:
        """Return whether a rule means the place. Of a file with other names, all must be known."""
        facts = NO_FACTS
        if place.is_linked:
            if not self._forbidden.is_complete:
                return True
            facts = Facts(forbidden=self._forbidden)
        return any(
            forbidding_rule(rules, place, "read", facts) is not None
            for rules in (self.deny, self.ask)
        )

    @cached_property
    def _forbidden(self) -> Found:
        """Every file that a rule forbids. Searched for when the first one with other names came."""
        return self.find_forbidden()
