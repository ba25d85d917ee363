"""Which paths a call touches, and what was seen of them before it was judged."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from gantlet.messages.value import replace, value
from gantlet.shell import Sweep
from gantlet.system import NOTHING, FileKind, Found, PathFacts, Place
from gantlet.tool import PathKind


@value
class Touch:
    """One path a call reads or edits, as the call names it.

    Attributes:
        path: As the call has it.
        spot: The same, joined to the directory it is seen from; what is seen is kept under it.
        is_tree: Everything below is touched too, and its content read.
        is_glob: It is a pattern of the shell that stands for many paths.
        is_guess: It may be no path at all, but a word of a command nothing is known about.
        tracked_only: Of a tree, only what git keeps is touched.
        skips_hidden: Of a tree, what has a name that begins with a dot is left out.
        shows: Patterns of hidden names that are touched all the same, with a NUL between them.
        follows: Of a tree, links in it are followed, wherever they lead.
        follows_tracked: Only those links that git keeps.
        is_split: Of a tree, names are taken apart at blanks and quotes before they are used.
        named: Of a tree, only names like this pattern are touched, or like one of several with a
            NUL between them; nothing means all.
        may_edit: It is named by code that may change it, or only read it.
        is_condition: The call does not touch it; what stands there only decides what the call is.
        is_as_shown: It is written as names are shown to a model: backslashes may spell bytes.
    """

    path: str
    spot: str
    kind: PathKind = "read"
    is_tree: bool = False
    is_glob: bool = False
    is_guess: bool = False
    tracked_only: bool = False
    skips_hidden: bool = False
    shows: str = ""
    named: str = ""
    may_edit: bool = False
    is_condition: bool = False
    is_as_shown: bool = False
    follows: bool = False
    follows_tracked: bool = False
    is_split: bool = False


#: Where a process finds its own working directory.
_OWN_DIRECTORY = re.compile(r"/+proc/+(?:\./+)*(?:self|thread-self)/+(?:task/+[^/]+/+)?cwd(?=/|\Z)")


def behind_process(touch: Touch, cwd: str) -> Touch | None:
    """Return the place a path through a process's own directory leads to, or None for others."""
    found = _OWN_DIRECTORY.match(touch.spot)
    if found is None:
        return None
    return replace(touch, spot=f"{cwd.rstrip('/')}{touch.spot[found.end() :]}", is_guess=True)


@value
class Facts:
    """What was seen of the paths of one call.

    Attributes:
        places: What each spot is; a pattern may be many places, and None is too many.
        below: What lies below a touched tree and is forbidden by a rule.
        links: What below a touched tree leads out of the directories that may be read.
        apart: What below a tree of names to be taken apart has a name that is not taken for one.
        forbidden: All that a rule forbids by path, for files that have several names.
        swept: Our own files among those that a command changes without naming them.
    """

    places: Mapping[str, tuple[PathFacts, ...] | None] = field(
        default_factory=lambda: MappingProxyType({})
    )
    below: Mapping[Touch, Found] = field(default_factory=lambda: MappingProxyType({}))
    forbidden: Found | None = None
    links: Mapping[Touch, Found] = field(default_factory=lambda: MappingProxyType({}))
    apart: Mapping[Touch, Found] = field(default_factory=lambda: MappingProxyType({}))
    swept: Mapping[Sweep, Found] = field(default_factory=lambda: MappingProxyType({}))

    def leads_as(self, other: "Facts") -> bool:
        """Return whether every path led to the same place at another look."""
        mine, theirs = self.judged(), other.judged()
        return mine.keys() == theirs.keys() and all(
            place.real_text == theirs[spot].real_text for spot, place in mine.items()
        )

    def judged(self) -> dict[str, Place]:
        """Return where each path was that is one place and was seen, for whoever opens it."""
        return {
            spot: Place(seen[0].lexical, seen[0].real, seen[0].inode or NOTHING)
            for spot, seen in self.places.items()
            if seen is not None and len(seen) == 1 and seen[0].is_known
        }


NO_FACTS = Facts()


@value
class Target:
    """A touched path with what was seen of it; what was not looked at is not known."""

    touch: Touch
    places: tuple[PathFacts, ...]
    is_known: bool

    @classmethod
    def of(cls, touch: Touch, facts: Facts) -> "Target":
        """Return a touched path with what was seen of it."""
        places = facts.places.get(touch.spot)
        if places is None:
            lexical = posixpath.normpath("/" + touch.spot.lstrip("/"))
            return cls(touch, (PathFacts(lexical, lexical, FileKind.UNKNOWN),), is_known=False)
        return cls(touch, places, all(place.is_known for place in places))
