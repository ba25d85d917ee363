"""What rules and directories say about paths: as written and as they really are."""

from collections.abc import Iterator

from gantlet.permissions.context import PermissionContext
from gantlet.permissions.facts import Facts, Target
from gantlet.permissions.proof import Draft, Means
from gantlet.permissions.workspace import Directory
from gantlet.rules import EDIT, READ, PathParts, Rule, RuleSet, could_meet
from gantlet.system import PathFacts
from gantlet.tool import PathKind

#: Which rules forbid a kind of touch: what may not be read may not be edited either.
_FORBIDDEN_BY = {"read": (READ,), "edit": (EDIT, READ)}
#: Which rules allow it: where editing is allowed, reading is.
_ALLOWED_BY = {"read": (READ, EDIT), "edit": (EDIT,)}


def forbidding_rule(rules: RuleSet, place: PathFacts, kind: PathKind, facts: Facts) -> Rule | None:
    """Return a deny or ask rule that means the place by any of its names, or None."""
    for path in _names(place, facts):
        parts = PathParts.of(path)
        for tool in _FORBIDDEN_BY[kind]:
            rule = rules.for_path(tool, parts)
            if rule is not None:
                return rule
    return None


def has_forbidding(context: PermissionContext, kind: PathKind) -> bool:
    """Return whether any rule forbids or asks about some path for a kind of touch."""
    tools = _FORBIDDEN_BY[kind]
    deny, ask = context.deny.path_tools, context.ask.path_tools
    return not (deny.isdisjoint(tools) and ask.isdisjoint(tools))


def may_stand_for_forbidden(context: PermissionContext, target: Target) -> bool:
    """Return whether a shell's pattern that nothing fits could mean what a rule forbids."""
    if not target.touch.is_glob or len(target.places) > 1:
        return False
    return any(
        could_meet(target.places[0].lexical, pattern)
        for rules in (context.deny, context.ask)
        for tool in _FORBIDDEN_BY[target.touch.kind]
        for pattern in rules.path_patterns(tool)
    )


def _names(place: PathFacts, facts: Facts) -> Iterator[str]:
    """Yield the names of a place, and those of forbidden files that are the same file."""
    yield place.lexical
    if place.real != place.lexical:
        yield place.real
    if place.is_linked and facts.forbidden is not None:
        for other in facts.forbidden.paths:
            if other.inode is not None and other.inode == place.inode:
                yield other.lexical


def cover(context: PermissionContext, target: Target, draft: Draft) -> bool:
    """Note what covers every place a path can be, by both of its names; no if anything is bare.

    Reading is covered inside the working directories. Editing there is covered only where the mode
    says so. Elsewhere it takes a rule.
    """
    if not target.is_known:
        return False
    for place in target.places:
        paths = (place.lexical,) if place.real == place.lexical else (place.lexical, place.real)
        for path in paths:
            directory = _directory(context, target.touch.kind, path, draft.means)
            if directory is not None:
                draft.by(path, f"inside {directory.path}")
                continue
            rule = _allowing_rule(context, target, path) if draft.means.with_rules else None
            if rule is None:
                return False
            draft.by_rule(path, rule)
    return True


def _directory(
    context: PermissionContext, kind: PathKind, path: str, means: Means
) -> Directory | None:
    """Return the directory that makes touching a path harmless, or None."""
    if kind == "edit" and not means.edits_inside:
        return None
    directories = context.readable_directories if kind == "read" else context.working_directories
    for directory in directories:
        if directory.holds(path):
            return directory
    return None


def _allowing_rule(context: PermissionContext, target: Target, path: str) -> Rule | None:
    """Return an allow rule that means a path exactly as it is spelled, or None."""
    kind, parts = target.touch.kind, PathParts.of(path)
    for tool in _ALLOWED_BY[kind]:
        rule = context.counted_allow.for_path(tool, parts, with_root=kind == "read")
        if rule is not None:
            return rule
    return None
