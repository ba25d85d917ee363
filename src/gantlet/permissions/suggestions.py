"""What a person could say once and for all: changes under which a call is not asked about again."""

import posixpath
from collections.abc import Callable, Iterator, Sequence

from gantlet.messages import Behaviour
from gantlet.permissions.case import Case
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.decision import Request
from gantlet.permissions.layers import Layer
from gantlet.permissions.updates import AddRules, Destination, SetMode, Update
from gantlet.permissions.verdict import Verdict
from gantlet.rules import (
    EDIT,
    READ,
    Brackets,
    canonical,
    grammar_of,
    host_of,
)
from gantlet.shell import suggest_rules
from gantlet.system import PathFacts
from gantlet.tool import Mode

_MAX_RULES = 5
_PATTERN_CHARS = "\\*?["

_Weigh = Callable[[Request, PermissionContext, Sequence[Layer]], Verdict]


def suggest(
    request: Request, context: PermissionContext, layers: Sequence[Layer], weigh: _Weigh
) -> tuple[Update, ...]:
    """Return the changes to offer; each one is tried out, so that it works the next time.

    Nothing is offered for what destroys, nor where only the policy's rules count.
    """
    if request.traits.destructive or context.managed_rules_only:
        return ()
    try:
        offered = list(_offers(Case(request, context)))
    except Exception:  # noqa: BLE001 - a tool that cannot be asked gets no suggestion
        return ()
    return tuple(
        update
        for update in offered
        if weigh(request, context.updated(update), layers).behaviour is Behaviour.ALLOW
    )


def _offers(case: Case) -> Iterator[Update]:
    """Yield changes that may help."""
    kept = Destination.LOCAL if case.context.is_trusted else Destination.SESSION
    if case.reading is not None:
        patterns = suggest_rules(case.reading.analysis)
        if patterns and len(patterns) <= _MAX_RULES:
            rules = tuple(f"{case.name}({pattern})" for pattern in patterns)
            yield AddRules(rules, Behaviour.ALLOW, kept)
    elif case.request.tool.path_fields:
        yield from _path_offers(case)
    else:
        yield AddRules((_rule_for(case),), Behaviour.ALLOW, kept)


def _path_offers(case: Case) -> Iterator[Update]:
    """Yield changes for calls that name paths. They last as long as the session."""
    kind = case.request.tool.path_kind
    if kind == "edit" and case.context.mode is Mode.DEFAULT:
        yield SetMode(Mode.ACCEPT_EDITS)
    tool = EDIT if kind == "edit" else READ
    paths = (path for target in case.targets for place in target.places for path in _both(place))
    folders = dict.fromkeys(posixpath.dirname(path) for path in paths)
    rules = tuple(f"{tool}(/{_escaped(folder)}/**)" for folder in folders if folder != "/")
    if rules and len(rules) <= _MAX_RULES:
        yield AddRules(rules, Behaviour.ALLOW, Destination.SESSION)


def _both(place: PathFacts) -> tuple[str, str]:
    """Return both names of a place; an allow needs both covered."""
    return place.lexical, place.real


def _escaped(path: str) -> str:
    """Return a path as a pattern that means itself."""
    return "".join(f"\\{char}" if char in _PATTERN_CHARS else char for char in path)


def _rule_for(case: Case) -> str:
    """Return the narrowest rule that means the call."""
    name, text = case.names[-1] if case.request.tool.mcp else case.name, case.rule_text
    if text is None:
        return name
    match grammar_of(canonical(name)).brackets:
        case Brackets.HOST:
            host = host_of(text)
            return f"{name}(domain:{host})" if host is not None else name
        case Brackets.NAME:
            return f"{name}({text})"
        case _:
            return name
