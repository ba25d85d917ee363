"""Having the paths of a call looked at, by somebody who may."""

import re
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from types import MappingProxyType
from typing import Protocol

from gantlet.messages.value import lazy, replace, value
from gantlet.permissions.case import Case
from gantlet.permissions.context import PermissionContext
from gantlet.permissions.decision import Request
from gantlet.permissions.facts import Facts, Touch
from gantlet.permissions.files import has_forbidding
from gantlet.rules import EDIT, READ, PathParts
from gantlet.system import FileKind, Found, PathFacts

#: Where `rg` and `fd` are told what to leave out, and what not to.
_EXCEPTIONS = (".ignore", ".rgignore", ".fdignore")
#: Where the system keeps what everybody may read, and what virtual environments lead to.
_EVERYBODYS = ("/usr/bin/", "/usr/lib/", "/usr/share/")

#: Where a list of names is taken apart.
_APART = re.compile(r"[\s'\"\\]")


class Eyes(Protocol):
    """Who looks at files. Permission itself never does."""

    def look(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about a path."""

    def look_as_shown(self, path: str, cwd: str) -> PathFacts:
        """Return what is known about a path that is written as names are shown to a model."""

    def expand(self, pattern: str, cwd: str) -> tuple[PathFacts, ...] | None:
        """Return what a shell's pattern can stand for, or None where that is too much."""

    def find(self, root: str, is_wanted: Callable[[str], bool]) -> Found:
        """Return what lies below a directory and is wanted."""


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
    def _touches(self) -> tuple[Touch, ...]:
        """The paths to look at. Guesses matter only where something is forbidden."""
        touches = Case(self.request, self.context).touches
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
        return bool(self._trees) or self._has_linked(seen)

    def searched(self, seen: Request) -> Request:
        """Return the request with what lies below its directories and is forbidden.

        This may take a while: it is for a thread of its own.
        """
        found = {touch: self._find_below(seen, touch) for touch in self._trees}
        below = {touch: _of(one, self._is_forbidden) for touch, one in found.items()}
        links = {
            touch: self._links(seen, touch, one) for touch, one in found.items() if touch.follows
        }
        apart = {touch: self._apart(seen, touch) for touch in found if touch.is_split}
        facts = replace(
            seen.facts,
            below=MappingProxyType(below),
            forbidden=self.find_forbidden() if self._has_linked(seen) else None,
            links=MappingProxyType(links),
            apart=MappingProxyType(apart),
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

    def _find_below(self, seen: Request, touch: Touch) -> Found:
        """Search everything below a touched tree."""
        places = seen.facts.places.get(touch.spot)
        if places is None:
            return Found(is_complete=False)
        if self._is_nowhere(touch, places):
            return Found(is_complete=False)
        below = [self._find_in(place.real, touch) for place in places]
        return _joined(below)

    def _is_nowhere(self, touch: Touch, places: Sequence[PathFacts]) -> bool:
        """Return whether a tree is the directory the call is made in, and that is missing.

        Then nobody can tell what it will hold. Git keeps nothing where there is no directory.
        """
        cwd = self.request.surroundings.cwd
        return not touch.tracked_only and any(
            place.kind is FileKind.MISSING and place.lexical == cwd for place in places
        )

    def _find_in(self, root: str, touch: Touch) -> Found:
        """Search one directory for what a touch of it would reach."""
        found = self.eyes.find(root, self._is_wanted if touch.follows else self._is_forbidden)
        if touch.tracked_only:
            found = replace(found, paths=tuple(one for one in found.paths if one.is_tracked))
        if touch.named:
            fitting = (one for one in found.paths if _is_named(one, touch.named))
            found = replace(found, paths=tuple(fitting))
        if touch.skips_hidden and found.paths and not self._has_exceptions(root):
            shown = (one for one in found.paths if _is_shown(one, root, touch.shows))
            found = replace(found, paths=tuple(shown))
        return found

    def _has_exceptions(self, root: str) -> bool:
        """Return whether a file stands in a directory that may have hidden names shown."""
        looks = (self.eyes.look(f"{root}/{name}", "/") for name in _EXCEPTIONS)
        return any(place.kind is not FileKind.MISSING for place in looks)

    def find_forbidden(self) -> Found:
        """Search for every file that a rule forbids by its path."""
        patterns = (
            pattern
            for rules in (self.context.deny, self.context.ask)
            for tool in (READ, EDIT)
            for pattern in rules.path_patterns(tool)
        )
        roots = dict.fromkeys(root for pattern in patterns for root in pattern.roots)
        return _joined([self.eyes.find(root, self._is_forbidden) for root in roots])

    def _links(self, seen: Request, touch: Touch, found: Found) -> Found:
        """Return what of a search leads out of the directories that may be read.

        No link leads out of a directory that is missing, and no command starts there.
        """
        places = seen.facts.places.get(touch.spot)
        if places is not None and self._is_nowhere(touch, places):
            return Found()
        links = _of(found, self._is_outside)
        if not touch.follows_tracked:
            return links
        return replace(links, paths=tuple(one for one in links.paths if one.is_tracked))

    def _apart(self, seen: Request, touch: Touch) -> Found:
        """Return what lies below a tree and has a name that is not taken for one."""
        places = seen.facts.places.get(touch.spot)
        if places is None:
            return Found(is_complete=False)
        found = _joined([self._find_apart(place.real) for place in places])
        named = (
            one
            for one in found.paths
            if (not touch.named or _is_named(one, touch.named))
            and (one.is_tracked or not touch.follows_tracked)
        )
        return replace(found, paths=tuple(named))

    def _find_apart(self, root: str) -> Found:
        """Search one directory for such names; its own is not among them."""
        return self.eyes.find(root, lambda path: comes_apart(path.removeprefix(root)))

    def _is_wanted(self, path: str) -> bool:
        """Return whether a search has to tell of a path, where links are followed."""
        return self._is_outside(path) or self._is_forbidden(path)

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


def _of(found: Found, is_meant: Callable[[str], bool]) -> Found:
    """Return what of a search is meant, by either of its names."""
    paths = tuple(one for one in found.paths if is_meant(one.lexical) or is_meant(one.real))
    return Found(paths, found.is_complete)


def _is_named(found: PathFacts, patterns: str) -> bool:
    """Return whether a file's name fits one of some patterns; case plays no part."""
    name = found.lexical.rpartition("/")[2].lower()
    return any(fnmatchcase(name, pattern) for pattern in patterns.lower().split("\0"))


def _is_shown(found: PathFacts, root: str, shows: str) -> bool:
    """Return whether a file is neither hidden nor a link, or is asked for by name."""
    if shows and _is_named(found, shows):
        return True
    return found.lexical == found.real and "/." not in found.lexical.removeprefix(root)


def _joined(found: list[Found]) -> Found:
    """Return several searches as one."""
    paths = tuple(path for one in found for path in one.paths)
    return Found(paths, all(one.is_complete for one in found))
