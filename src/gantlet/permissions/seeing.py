"""Having the paths of a call looked at, by somebody who may."""

import re
from collections.abc import Sequence
from types import MappingProxyType

from gantlet.messages.value import lazy, replace, value
from gantlet.permissions.below import UNSEEN, Below, joined
from gantlet.permissions.case import Case
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.decision import Request
from gantlet.permissions.eyes import Eyes
from gantlet.permissions.facts import Facts, Touch
from gantlet.permissions.files import has_forbidding
from gantlet.permissions.ignoring import may_mean
from gantlet.permissions.sweeping import Sweeper
from gantlet.rules import EDIT, READ, PathParts
from gantlet.shell import Sweep
from gantlet.system import FileKind, Found, PathFacts

#: Where the system keeps what everybody may read, and what virtual environments lead to.
_EVERYBODYS = ("/usr/bin/", "/usr/lib/", "/usr/share/")

#: Where a list of names is taken apart.
_APART = re.compile(r"[\s'\"\\]")


def see(request: Request, context: PermissionContext, eyes: Eyes) -> Request:
    """Return the request with everything seen that judging it needs."""
    sight = Sight(request, context, eyes)
    seen = sight.looked()
    return sight.searched(seen) if sight.needs_search(seen) else seen


@value
class Sight:
    """One request in front of one pair of eyes: a quick look, and a search where one is needed."""

    request: Request
    context: PermissionContext
    eyes: Eyes

    @lazy
    def _case(self) -> Case:
        """The call as the layers see it."""
        return Case(self.request, self.context)

    @property
    def _sweeps(self) -> tuple[Sweep, ...]:
        """What a command changes without naming it."""
        return self._case.reading.sweeps if self._case.reading is not None else ()

    @lazy
    def _touches(self) -> tuple[Touch, ...]:
        """The paths to look at. Guesses matter only where something is forbidden."""
        touches = self._case.touches
        if has_forbidding(self.context, "edit"):  # which is also where reading is forbidden
            return touches
        return tuple(touch for touch in touches if not touch.is_guess)

    def looked(self) -> Request:
        """Return the request with what a look at each path shows."""
        touches = self._touches
        if not touches:
            return self.request
        places = {touch.spot: self._look(touch) for touch in touches}
        return replace(self.request, facts=Facts(places=MappingProxyType(places)))

    def _look(self, touch: Touch) -> tuple[PathFacts, ...] | None:
        """Look at one path, or at all that a pattern stands for."""
        if touch.is_glob:
            return self.eyes.expand(touch.spot, "/")
        look = self.eyes.look_as_shown if touch.is_as_shown else self.eyes.look
        return (look(touch.spot, "/"),)

    def needs_search(self, seen: Request) -> bool:
        """Return whether something could only be told by searching directories."""
        return bool(self._trees or self._sweeps) or self._has_linked(seen)

    def searched(self, seen: Request) -> Request:
        """Return the request with what lies below its directories and is forbidden.

        This may take a while: it is for a thread of its own.
        """
        found = {touch: self._find_below(seen, touch) for touch in self._trees}
        below = {touch: one.forbidden for touch, one in found.items()}
        links = {touch: one.outside for touch, one in found.items() if touch.follows}
        apart = {touch: one.apart for touch, one in found.items() if touch.is_split}
        sweeper = Sweeper(self.context, self.eyes)
        swept = {sweep: sweeper.own_in(sweep) for sweep in self._sweeps}
        facts = replace(
            seen.facts,
            below=MappingProxyType(below),
            forbidden=self.find_forbidden() if self._has_linked(seen) else None,
            links=MappingProxyType(links),
            apart=MappingProxyType(apart),
            swept=MappingProxyType(swept),
        )
        return replace(seen, facts=facts)

    @lazy
    def _trees(self) -> tuple[Touch, ...]:
        """The directories of which everything below is touched, where that has to be looked at."""
        return tuple(
            touch
            for touch in self._touches
            if touch.follows
            or touch.is_split
            or (touch.is_tree and has_forbidding(self.context, touch.kind))
        )

    def _has_linked(self, seen: Request) -> bool:
        """Return whether a touched file has several names, and something is forbidden."""
        if not has_forbidding(self.context, "edit"):
            return False
        places = (place for found in seen.facts.places.values() for place in found or ())
        return any(place.is_linked for place in places)

    def _find_below(self, seen: Request, touch: Touch) -> Below:
        """Search everything below a touched tree, each directory once for all that is asked.

        Of a directory that is missing nobody can tell what it will hold; but no link leads out of
        it, and no command starts there.
        """
        places = seen.facts.places.get(touch.spot)
        if places is None:
            return Below(UNSEEN, UNSEEN, UNSEEN)
        below = Below.of([self._find_in(place.real, touch) for place in places])
        return replace(below, forbidden=UNSEEN) if self._is_nowhere(touch, places) else below

    def _is_nowhere(self, touch: Touch, places: Sequence[PathFacts]) -> bool:
        """Return whether a tree is the directory the call is made in, and that is missing.

        Then nobody can tell what it will hold. Git keeps nothing where there is no directory.
        """
        cwd = self.request.surroundings.cwd
        return not touch.tracked_only and any(
            place.kind is FileKind.MISSING and place.lexical == cwd for place in places
        )

    def _find_in(self, root: str, touch: Touch) -> Below:
        """Search one directory for what a touch of it would reach."""

        def is_apart(path: str) -> bool:  # by its own name, not by that of the directory
            return comes_apart(path.removeprefix(root))

        forbidden, outside, apart = self.eyes.find(
            root,
            self._is_forbidden,
            self._is_outside if touch.follows else _never,
            is_apart if touch.is_split else _never,
        )
        below = Below(forbidden, outside, apart).named(touch.named)
        below = below.kept(tracked_only=touch.tracked_only, links_tracked=touch.follows_tracked)
        if touch.skips_hidden and below.has_any:
            return below.shown(root, touch.shows, self._is_shown)
        return below

    def _is_shown(self, path: str) -> bool:
        """Return whether an ignore file may have a search show a path that is hidden."""
        lines = self.eyes.showing_lines(path)
        return any(may_mean(folder, line, path) for folder, line in lines)

    def find_forbidden(self) -> Found:
        """Search for every file that a rule forbids by its path."""
        patterns = (
            pattern
            for rules in (self.context.deny, self.context.ask)
            for tool in (READ, EDIT)
            for pattern in rules.path_patterns(tool)
        )
        roots = dict.fromkeys(root for pattern in patterns for root in pattern.roots)
        return joined(
            [found for root in roots for found in self.eyes.find(root, self._is_forbidden)]
        )

    def _is_outside(self, path: str) -> bool:
        """Return whether a path lies where nothing may be read without asking."""
        if path.startswith(_EVERYBODYS):
            return False
        return not any(directory.holds(path) for directory in self.context.readable_directories)

    def _is_forbidden(self, path: str) -> bool:
        """Return whether a rule denies a path or asks about it."""
        parts = PathParts.of(path)
        return any(
            rules.for_path(tool, parts) is not None
            for rules in (self.context.deny, self.context.ask)
            for tool in (READ, EDIT)
        )


def comes_apart(path: str) -> bool:
    """Return whether a program that takes names apart would not take a path for one."""
    return _APART.search(path) is not None


def _never(path: str) -> bool:
    """Pass nothing, where a question need not be asked."""
    return False
