"""What lies below a touched directory, and what of it a touch would reach."""

from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase

from gantlet.messages.value import replace, value
from gantlet.system import Found, PathFacts

#: What was found where nobody could look.
UNSEEN = Found(is_complete=False)


@value
class Below:
    """What one walk found, one part for each question.

    Attributes:
        forbidden: What a rule forbids.
        outside: What leads out of the directories that may be read.
        apart: What has a name that is taken apart where names are read from a list.
    """

    forbidden: Found = Found()
    outside: Found = Found()
    apart: Found = Found()

    @classmethod
    def of(cls, below: Sequence["Below"]) -> "Below":
        """Return several directories as one."""
        return cls(
            joined([one.forbidden for one in below]),
            joined([one.outside for one in below]),
            joined([one.apart for one in below]),
        )

    @property
    def has_any(self) -> bool:
        """Whether something is forbidden or leads outside."""
        return bool(self.forbidden.paths or self.outside.paths)

    def named(self, patterns: str) -> "Below":
        """Return what has a name like one of some patterns; without any, everything."""
        if not patterns:
            return self
        return Below(
            *(_only(found, lambda one: _is_named(one, patterns)) for found in self._parts())
        )

    def kept(self, *, tracked_only: bool, links_tracked: bool) -> "Below":
        """Return what is left where only files, or only links, count that git keeps."""
        forbidden, outside, apart = self._parts()
        if tracked_only:
            forbidden = _only(forbidden, _is_tracked)
        if tracked_only or links_tracked:
            outside = _only(outside, _is_tracked)
        return Below(forbidden, outside, _only(apart, _is_tracked) if links_tracked else apart)

    def shown(self, root: str, shows: str, is_shown: Callable[[str], bool]) -> "Below":
        """Return what is left where hidden names and links are passed over, but for some.

        Args:
            root: Where the search begins.
            shows: Patterns of names that are shown all the same, with a NUL between them.
            is_shown: Tells of a hidden path whether a file may have it shown.
        """
        forbidden, outside = (
            _only(found, lambda one: _is_shown(one, root, shows) or is_shown(one.lexical))
            for found in (self.forbidden, self.outside)
        )
        return Below(forbidden, outside, self.apart)

    def _parts(self) -> tuple[Found, Found, Found]:
        """Return what was found, question by question."""
        return self.forbidden, self.outside, self.apart


def joined(found: Sequence[Found]) -> Found:
    """Return several searches as one."""
    paths = tuple(path for one in found for path in one.paths)
    return Found(paths, all(one.is_complete for one in found))


def _only(found: Found, is_meant: Callable[[PathFacts], bool]) -> Found:
    """Return what of a search is meant."""
    if not found.paths:
        return found
    return replace(found, paths=tuple(filter(is_meant, found.paths)))


def _is_tracked(found: PathFacts) -> bool:
    """Return whether git keeps a file."""
    return found.is_tracked


def _is_named(found: PathFacts, patterns: str) -> bool:
    """Return whether a file's name fits one of some patterns; case plays no part."""
    name = found.lexical.rpartition("/")[2].lower()
    return any(fnmatchcase(name, pattern) for pattern in patterns.lower().split("\0"))


def _is_shown(found: PathFacts, root: str, shows: str) -> bool:
    """Return whether a file is neither hidden nor a link, or is asked for by name."""
    if shows and _is_named(found, shows):
        return True
    return found.lexical == found.real and "/." not in found.lexical.removeprefix(root)
