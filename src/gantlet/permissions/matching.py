"""Which rules mean a call."""

from gantlet.messages.value import value
from gantlet.permissions.case import Case
from gantlet.permissions.facts import Target
from gantlet.permissions.files import forbidding_rule
from gantlet.rules import (
    HostPattern,
    NameSpec,
    OwnSpec,
    ParamPattern,
    Rule,
    RuleSet,
    host_of,
    path_names,
    strongest,
)
from gantlet.system import FileKind


@value
class Match:
    """A rule that means a call, and the part of the call it means."""

    rule: Rule
    part: str


def forbidding_match(rules: RuleSet, case: Case) -> Match | None:
    """Return the rule of a deny or ask set that means the call, or None."""
    if not rules.rules:
        return None
    whole = rules.whole(case.names) or special_rule(rules, case)
    if whole is not None:
        return Match(whole, case.shown)
    return _by_command(rules, case) or _by_path(rules, case) or _undeclared(rules, case)


def special_rule(rules: RuleSet, case: Case) -> Rule | None:
    """Return a rule about some calls of the tool that means this one, commands and paths apart."""
    found = rules.special(case.names)
    return strongest(rule for rule in found if _means(rule, case)) if found else None


def _means(rule: Rule, case: Case) -> bool:
    """Return whether a rule means the call. What cannot be compared is forbidden, never allowed."""
    match rule.spec:
        case ParamPattern() as param:
            return param.matches(case.request.call.input)
        case HostPattern() as pattern if case.rule_text is not None:
            host = host_of(case.rule_text)
            return rule.forbids if host is None else pattern.matches(host, forbids=rule.forbids)
        case NameSpec() as name if case.rule_text is not None:
            return name.matches(case.rule_text, forbids=rule.forbids)
        case HostPattern(text) | OwnSpec(text):
            return _by_own_matcher(rule, case, text)
        case NameSpec(pattern):
            return _by_own_matcher(rule, case, pattern.text)
        case _:
            return False


def _by_own_matcher(rule: Rule, case: Case, text: str) -> bool:
    """Let the tool itself compare."""
    matcher = case.request.tool.permission_matcher(case.request.args)
    return rule.forbids if matcher is None else bool(matcher(text))


def _by_command(rules: RuleSet, case: Case) -> Match | None:
    """Return a rule that means a command of the line, in any of its forms."""
    if not rules.has_commands(case.names):
        return None
    if case.reading is None:
        rule = rules.for_command(case.names, case.rule_text or "")
        return None if rule is None else Match(rule, case.shown)
    for part in case.reading.parts:
        for text in part.rule_texts:
            rule = rules.for_command(case.names, text)
            if rule is not None:
                return Match(rule, part.shown)
    return None


def _undeclared(rules: RuleSet, case: Case) -> Match | None:
    """Return a rule about paths of a tool so named that declares none.

    Nobody can tell whether the rule means the call, so it does.
    """
    tool = case.request.tool
    if tool.mcp is not None or tool.path_fields or case.touches or case.reading is not None:
        return None
    rule = rules.about_paths(path_names(case.names))
    return None if rule is None else Match(rule, case.shown)


def _by_path(rules: RuleSet, case: Case) -> Match | None:
    """Return a rule that means a path the call touches."""
    for target in case.targets:
        rule = path_match(rules, target, case)
        if rule is not None:
            return Match(rule, target.touch.path)
    return None


def _is_path(target: Target) -> bool:
    """Return whether a word is written like a path: `.env`, `a/b` and `a.pem`, not `build`."""
    path = target.touch.path
    return "/" in path or "." in path or path.startswith("~")


def path_match(rules: RuleSet, target: Target, case: Case) -> Rule | None:
    """Return a rule that means a touched path.

    What may be no path counts if a file is there, or if it is written like a path.
    """
    for place in target.places:
        if target.touch.is_guess and place.kind is FileKind.MISSING and not _is_path(target):
            continue
        rule = forbidding_rule(rules, place, target.touch.kind, case.request.facts)
        if rule is not None:
            return rule
    return None
