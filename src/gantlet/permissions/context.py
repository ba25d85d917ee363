"""Everything that decides about calls, frozen all the way down. A change makes a new value."""

import posixpath
from collections.abc import Iterable
from dataclasses import field
from typing import assert_never

from gantlet.messages import Behaviour
from gantlet.messages.value import lazy, replace, value
from gantlet.permissions.modes import meet, silences
from gantlet.permissions.updates import (
    AddDirectories,
    AddRules,
    RemoveDirectories,
    RemoveRules,
    ReplaceRules,
    RuleUpdate,
    SetMode,
    Update,
)
from gantlet.permissions.workspace import NO_FENCE, Directory, Fence, Workspace
from gantlet.rules import BadRule, Rule, RuleSet, Source, SourceKind, parse_rule
from gantlet.tool import Mode


@value
class SubagentRequest:
    """What a sub-agent wants its permission to be. It can only narrow its parent's.

    Attributes:
        mode: The mode it asks for; None takes the parent's.
        rules: Its own rules; those that allow are not taken.
        avoid_prompts: It works where nobody can be asked.
    """

    mode: Mode | None = None
    rules: tuple[Rule | BadRule, ...] = ()
    avoid_prompts: bool = False


@value
class PermissionContext:
    """What one call is judged against.

    Attributes:
        allow, ask, deny: The rules, whatever their source.
        directories: Working directories beside the one the session was started in.
        bypass_available: Whether the mode may become bypassPermissions at all.
        auto_available: The same for auto.
        avoid_prompts: Nobody can be asked; what would be asked is denied.
        await_automated_checks: A dialog waits until automatic checks have had their say.
        pre_plan_mode: What the mode becomes when planning ends.
        is_trusted: The user said yes to the folder: its allow rules and directories count.
        managed_rules_only: Of all allow rules only the policy's count.
        sandboxed_shell: Commands run where they can do no harm, which auto mode relies on.
        unsandboxed: Beginnings of commands that run outside of it nevertheless.
        sandbox_allows: A command that runs there needs no further permission in any mode but plan.
        fence: What is denied outside of the working directories.
        problems: Rules that do not work as written.
    """

    workspace: Workspace
    mode: Mode = Mode.DEFAULT
    allow: RuleSet = field(default_factory=RuleSet)
    ask: RuleSet = field(default_factory=RuleSet)
    deny: RuleSet = field(default_factory=RuleSet)
    directories: tuple[Directory, ...] = ()
    bypass_available: bool = False
    auto_available: bool = False
    avoid_prompts: bool = False
    await_automated_checks: bool = False
    pre_plan_mode: Mode | None = None
    is_trusted: bool = False
    managed_rules_only: bool = False
    sandboxed_shell: bool = False
    unsandboxed: tuple[str, ...] = ()
    sandbox_allows: bool = False
    fence: Fence = NO_FENCE
    problems: tuple[BadRule, ...] = ()

    def __post_init__(self) -> None:
        if self.mode is Mode.BYPASS and not self.bypass_available:
            raise ValueError("bypassPermissions is not available in this session.")
        if self.mode is Mode.AUTO and not self.auto_available:
            raise ValueError("auto is not available in this session.")

    @lazy
    def counted_allow(self) -> RuleSet:
        """The allow rules that count: a project's need trust, a policy may want only its own."""
        return self.allow.kept(lambda rule: self._counts(rule.source.kind))

    @lazy
    def working_directories(self) -> tuple[Directory, ...]:
        """Where files may be read without asking, and edited as the mode says."""
        extra = [one for one in self.directories if self._counts(one.source)]
        return tuple(dict.fromkeys((self.workspace.original_cwd, self.workspace.cwd, *extra)))

    @lazy
    def readable_directories(self) -> tuple[Directory, ...]:
        """Where files may be read without asking, whether they may be edited or not."""
        return (*self.working_directories, *self.workspace.readable)

    def _counts(self, kind: SourceKind) -> bool:
        """Return whether what widens counts when it comes from such a source."""
        if self.managed_rules_only:
            return kind is SourceKind.POLICY
        return self.is_trusted or not kind.is_repository

    def with_rules(self, rules: Iterable[Rule | BadRule]) -> "PermissionContext":
        """Return the context with more rules. A bad one that forbids still holds in some form."""
        listed = list(rules)
        if not listed:
            return self
        bad = [rule for rule in listed if isinstance(rule, BadRule)]
        sound = [rule for rule in listed if isinstance(rule, Rule)]
        sound += [rule.stand_in for rule in bad if rule.stand_in is not None]
        changed = self
        for behaviour in Behaviour:
            own = [rule for rule in sound if rule.behaviour is behaviour]
            changed = changed._with_set(behaviour, changed.rules(behaviour).added(own))
        return replace(changed, problems=tuple(dict.fromkeys((*self.problems, *bad))))

    def rules(self, behaviour: Behaviour) -> RuleSet:
        """Return the rules of one behaviour, whether they count or not."""
        match behaviour:
            case Behaviour.ALLOW:
                return self.allow
            case Behaviour.ASK:
                return self.ask
            case Behaviour.DENY:
                return self.deny

    def _with_set(self, behaviour: Behaviour, rules: RuleSet) -> "PermissionContext":
        """Return the context with another set of one behaviour."""
        match behaviour:
            case Behaviour.ALLOW:
                return replace(self, allow=rules)
            case Behaviour.ASK:
                return replace(self, ask=rules)
            case Behaviour.DENY:
                return replace(self, deny=rules)

    def updated(self, update: Update) -> "PermissionContext":
        """Return the context after a change."""
        match update:
            case AddRules() | ReplaceRules() | RemoveRules():
                return self._with_rules_updated(update)
            case SetMode(mode):
                return self.in_mode(mode)
            case AddDirectories(paths, destination):
                added = [Directory.at(self._absolute(path), destination.kind) for path in paths]
                return self.with_directories(added)
            case RemoveDirectories(paths, destination):
                gone = {self._absolute(path) for path in paths}
                kept = [
                    one
                    for one in self.directories
                    if one.source is not destination.kind or not gone & set(one.names)
                ]
                return replace(self, directories=tuple(kept))
            case _:
                assert_never(update)

    def with_directories(self, added: Iterable[Directory]) -> "PermissionContext":
        """Return the context with more working directories."""
        return replace(self, directories=tuple(dict.fromkeys((*self.directories, *added))))

    def _absolute(self, path: str) -> str:
        """Return a directory as it is meant, seen from where the session was started."""
        home = self.workspace.home
        if home is not None and (path == "~" or path.startswith("~/")):
            path = home.path + path[1:]
        return posixpath.normpath(posixpath.join(self.workspace.original_cwd.path, path))

    def _with_rules_updated(self, update: RuleUpdate) -> "PermissionContext":
        """Return the context with rules added, replaced or removed at one source."""
        kind, behaviour = update.destination.kind, update.behaviour
        kept = self.rules(behaviour)
        if isinstance(update, ReplaceRules):
            kept = kept.kept(lambda rule: rule.source.kind is not kind)
        if isinstance(update, RemoveRules):
            gone = set(update.rules)
            kept = kept.kept(lambda rule: rule.source.kind is not kind or rule.text not in gone)
            return self._with_set(behaviour, kept)
        source = Source(kind, key=f"permissions.{behaviour}", anchors=self.workspace.anchors(kind))
        parsed = [parse_rule(text, behaviour, source) for text in update.rules]
        return self._with_set(behaviour, kept).with_rules(parsed)

    def in_mode(self, mode: Mode) -> "PermissionContext":
        """Return the context in another mode; one that is not available changes nothing.

        Entering plan mode remembers the mode before it.
        """
        if not self._offers(mode) or mode is self.mode:
            return self
        before = self.mode if mode is Mode.PLAN else None
        return replace(self, mode=mode, pre_plan_mode=before)

    def left_plan(self) -> "PermissionContext":
        """Return the context as it was before planning; outside plan mode, itself."""
        if self.mode is not Mode.PLAN:
            return self
        before = self.pre_plan_mode or Mode.DEFAULT
        mode = before if self._offers(before) else Mode.DEFAULT
        return replace(self, mode=mode, pre_plan_mode=None)

    def without_bypass(self) -> "PermissionContext":
        """Return the context where bypassPermissions is switched off for good."""
        mode = Mode.DEFAULT if self.mode is Mode.BYPASS else self.mode
        before = None if self.pre_plan_mode is Mode.BYPASS else self.pre_plan_mode
        return replace(self, mode=mode, pre_plan_mode=before, bypass_available=False)

    def _offers(self, mode: Mode) -> bool:
        """Return whether a mode may be entered here."""
        if mode is Mode.BYPASS:
            return self.bypass_available
        return self.auto_available or mode is not Mode.AUTO

    def for_subagent(self, request: SubagentRequest) -> "PermissionContext":
        """Return what a sub-agent is judged against: the meet of this and what it asks for.

        Where planning ends for it, it is back in this mode, and it can enter no wider one.
        """
        wanted = self.mode if request.mode is None else request.mode
        if wanted is Mode.AUTO and not self.auto_available:
            wanted = Mode.DEFAULT
        narrow = [rule for rule in request.rules if rule.behaviour is not Behaviour.ALLOW]
        quiet = request.avoid_prompts or silences(self.mode, wanted)
        mode = meet(self.mode, wanted)
        return replace(
            self.with_rules(narrow),
            mode=mode,
            pre_plan_mode=self.mode if mode is Mode.PLAN else None,
            bypass_available=self.mode is Mode.BYPASS,
            auto_available=self.auto_available and self.mode in {Mode.AUTO, Mode.BYPASS},
            avoid_prompts=self.avoid_prompts or quiet,
        )
