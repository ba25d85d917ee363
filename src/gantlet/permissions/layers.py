"""The layers: each has one opinion about a call, or none. None knows another."""

from collections.abc import Iterator
from typing import ClassVar, Protocol

from gantlet.messages import Behaviour
from gantlet.messages.value import value
from gantlet.permissions.case import Case
from gantlet.permissions.facts import Target
from gantlet.permissions.files import has_forbidding
from gantlet.permissions.matching import Match, forbidding_match
from gantlet.permissions.proof import BY_RULES, SAFE_ONLY, Proved
from gantlet.permissions.protected import is_own, may_be_own, why_protected, why_special
from gantlet.permissions.proving import prove
from gantlet.permissions.verdict import Ballot
from gantlet.rules import READ
from gantlet.system import PathFacts
from gantlet.tool import Allow, Ask, Deny, Mode, Vote


class Layer(Protocol):
    """One permission question."""

    name: ClassVar[str]

    def vote(self, case: Case) -> Ballot | None:
        """Return an opinion with its reason, or None. Never calls the next layer."""


@value
class HookLayer:
    """What the user's hooks said before the call."""

    name: ClassVar[str] = "hook"

    def vote(self, case: Case) -> Ballot | None:
        """Pass the hooks' vote on."""
        return _passed_on(self.name, case.request.hook_vote)


@value
class ToolLayer:
    """What the tool itself thinks."""

    name: ClassVar[str] = "tool"

    def vote(self, case: Case) -> Ballot | None:
        """Pass the tool's vote on; a doubt about programs counts where a proof rests on them."""
        if case.doubt is not None:
            return None
        return _passed_on(self.name, case.request.tool_vote)


def _passed_on(layer: str, vote: Vote | None) -> Ballot | None:
    """Return somebody else's vote as a ballot."""
    return None if vote is None else Ballot(layer, vote)


@value
class FileLayer:
    """Paths that no rule or mode should let pass unseen."""

    name: ClassVar[str] = "files"

    def vote(self, case: Case) -> Ballot | None:
        """Deny what is no file; ask about what decides over programs or has several names."""
        ballots = [ballot for target in case.targets for ballot in self._about(case, target)]
        ballots += self._swept(case)
        if not ballots:
            return None
        denials = (ballot for ballot in ballots if ballot.behaviour is Behaviour.DENY)
        asks = (ballot for ballot in ballots if not ballot.is_checkable)
        return next(denials, None) or next(asks, None) or next(iter(ballots), None)

    def _about(self, case: Case, target: Target) -> Iterator[Ballot]:
        """Yield every objection to one touched path."""
        if not target.touch.path and case.reading is None:
            yield Ballot(self.name, Deny("An empty path names no file. Name one.", self.name))
            return
        for place in target.places:
            if not target.touch.is_guess:
                yield from self._special(case, place)
            yield from self._protected(case, target, place)
            if place.is_linked:
                yield from self._several_names(case, target, place)
        if not (target.is_known or target.touch.is_guess) and has_forbidding(
            case.context, target.touch.kind
        ):
            path = target.touch.path
            yield self._ask(f"What {path} really is cannot be told, and some paths are forbidden.")

    def _special(self, case: Case, place: PathFacts) -> Iterator[Ballot]:
        """Yield a no to a tool, or a question about a command, that names what is no file."""
        is_command = case.reading is not None
        why = why_special(place, is_command=is_command)
        if why is not None and is_command:
            yield self._ask(f"{why}.")
        elif why is not None:
            yield Ballot(self.name, Deny(f"{why}. Name a file instead.", self.name))

    def _protected(self, case: Case, target: Target, place: PathFacts) -> Iterator[Ballot]:
        """Yield a question about editing what decides over us or other programs."""
        if target.touch.kind != "edit" and not target.touch.is_guess:
            return
        paths = {place.lexical, place.real}
        workspace = case.context.workspace
        is_ours = any(is_own(path, workspace) for path in paths)
        if target.touch.is_glob and not target.is_known:  # a word nobody looked at
            is_ours = is_ours or may_be_own(place.lexical, workspace)
        if is_ours:
            yield self._ask(f"{target.touch.path} decides what is allowed from then on.")
        if target.touch.is_guess or case.context.mode is Mode.BYPASS:
            return
        for why in filter(None, map(why_protected, paths)):
            yield self._ask(f"{target.touch.path} is protected: {why}.", is_checkable=True)

    def _swept(self, case: Case) -> Iterator[Ballot]:
        """Yield a question about our own files among those that a command does not name."""
        for part in case.reading.parts if case.reading is not None else ():
            for sweep in part.sweeps:
                found = case.request.facts.swept.get(sweep)
                if found is not None and found.paths:
                    path = found.paths[0].lexical
                    yield self._ask(
                        f"`{part.shown}` would change {path}, which decides what is allowed from"
                        " then on."
                    )
                elif found is None or not found.is_complete:
                    yield self._ask(
                        f"Which files `{part.shown}` changes cannot be told, and some may decide"
                        " what is allowed from then on."
                    )

    def _several_names(self, case: Case, target: Target, place: PathFacts) -> Iterator[Ballot]:
        """Yield a question about a file whose other names may be forbidden."""
        forbidden = case.request.facts.forbidden
        is_clear = forbidden is not None and forbidden.is_complete
        if not is_clear and has_forbidding(case.context, target.touch.kind):
            path = target.touch.path
            yield self._ask(f"{path} has other names, and one of them may be forbidden.")

    def _ask(self, reason: str, *, is_checkable: bool = False) -> Ballot:
        """Return a question."""
        return Ballot(self.name, Ask(reason, self.name), is_checkable=is_checkable)


@value
class SafeLayer:
    """What is harmless by itself: reading inside, safe programs."""

    name: ClassVar[str] = "safe"

    def vote(self, case: Case) -> Ballot | None:
        """Allow what can be proved harmless without any rule."""
        proving = prove(case, BY_RULES)
        if isinstance(proving, Proved) and proving.rules:
            if case.reading is not None and not case.reading.may_be_safe:
                return None
            proving = prove(case, SAFE_ONLY)
        if not isinstance(proving, Proved):
            return None  # what rules do not cover is not covered without them
        reason = f"{case.name} only reads what may be read."
        return Ballot(self.name, Allow(proving.proof, reason, self.name))


@value
class DenyLayer:
    """The deny rules, from every source."""

    name: ClassVar[str] = "deny rules"

    def vote(self, case: Case) -> Ballot | None:
        """Deny what a rule denies."""
        match = forbidding_match(case.context.deny, case)
        if match is None:
            return None
        reason = f"{_unreadable(match, case)}{_by_rule(match)}"
        return Ballot(self.name, Deny(reason, str(match.rule.source)), match.rule)


def _unreadable(match: Match, case: Case) -> str:
    """Return why a file that must not be read cannot be changed; nothing for other denials."""
    tool = case.request.tool
    if tool.path_kind != "edit" or match.rule.is_whole or match.rule.tool.text != READ:
        return ""
    return (
        "File is covered by a Read deny rule in your permission settings and cannot be"
        f" {tool.path_verb}. "
    )


@value
class RuleLayer:
    """The ask and allow rules, from every source that counts."""

    name: ClassVar[str] = "rules"

    def vote(self, case: Case) -> Ballot | None:
        """Ask where a rule says so; else allow what rules cover."""
        match = forbidding_match(case.context.ask, case)
        if match is not None:
            return Ballot(self.name, Ask(_by_rule(match), str(match.rule.source)), match.rule)
        if not case.context.counted_allow.rules:
            return None
        proving = prove(case, BY_RULES)
        if not isinstance(proving, Proved) or not proving.rules:
            return None
        rule = proving.rules[0]
        vote = Allow(proving.proof, f"{rule.text} allows it.", str(rule.source))
        return Ballot(self.name, vote, rule)


def _by_rule(match: Match) -> str:
    """Return why a rule forbids, in a sentence."""
    does = "denies" if match.rule.behaviour is Behaviour.DENY else "asks about"
    return f"The rule {match.rule.text} {does} {match.part}."


@value
class ModeLayer:
    """The mode as a layer: plan mode is the only one that votes, and it only denies."""

    name: ClassVar[str] = "mode"

    def vote(self, case: Case) -> Ballot | None:
        """While planning, look but do not touch."""
        if not case.plans or case.is_read_only:
            return None
        reason = f"{case.name} may change things; plan mode only reads."
        return Ballot(self.name, Deny(reason, "plan mode"))
