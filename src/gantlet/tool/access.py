"""What a call touches: resources, access sets, and when two calls get in each other's way."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import TypeAlias, get_args

from gantlet.messages.value import lazy, value
from gantlet.system import Identity, identify, meant_path


@value
class File:
    """One file, by a path that may be relative to the call's directory."""

    path: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", os.fsdecode(self.path))


@value
class Tree:
    """A directory and everything below it."""

    path: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", os.fsdecode(self.path))


@value
class Named:
    """Something that is no file: a server, a task list, the clipboard."""

    name: str


@value
class Anything:
    """Whatever there is."""


Resource: TypeAlias = File | Tree | Named | Anything
_RESOURCE_TYPES = get_args(Resource)


@value
class Access:
    """What a call reads and what it writes. Any iterable of resources is taken."""

    reads: Iterable[Resource] = field(default=frozenset())
    writes: Iterable[Resource] = field(default=frozenset())

    def __post_init__(self) -> None:
        object.__setattr__(self, "reads", _resources(self.reads))
        object.__setattr__(self, "writes", _resources(self.writes))

    @property
    def is_exclusive(self) -> bool:
        """Whether the call must have the floor to itself."""
        return _ANYTHING in self.writes


def _resources(given: Iterable[Resource]) -> frozenset[Resource]:
    """Return a set of resources; anything else in it would be a touch that nobody sees."""
    kept = frozenset(given)
    for resource in kept:
        if not isinstance(resource, _RESOURCE_TYPES):
            raise TypeError(f"{resource!r} is no resource. Name it: File(…), Tree(…) or Named(…).")
    return kept


_ANYTHING = Anything()

#: Alone on the floor: waits for everything before it, holds everything after it.
EXCLUSIVE = Access(writes={_ANYTHING})
#: May read whatever there is, and writes nothing.
READS_ANYTHING = Access(reads={_ANYTHING})
#: Touches nothing that another call could touch.
TOUCHES_NOTHING = Access()


@value
class Footprint:
    """An access set with every path resolved, ready to be compared."""

    is_exclusive: bool = False
    reads_anything: bool = False
    reads: tuple[Identity, ...] = ()
    writes: tuple[Identity, ...] = ()
    reads_named: frozenset[str] = frozenset()
    writes_named: frozenset[str] = frozenset()

    @lazy
    def names_nothing(self) -> bool:
        """Whether neither a path nor a name is touched by itself."""
        return not (self.reads or self.writes or self.reads_named or self.writes_named)

    @lazy
    def writes_something(self) -> bool:
        """Whether anything at all is written."""
        return self.is_exclusive or bool(self.writes or self.writes_named)

    @lazy
    def is_harmless(self) -> bool:
        """Whether nothing is written and nothing is named: such calls are in nobody's way."""
        return self.names_nothing and not self.is_exclusive

    def conflicts(self, other: "Footprint") -> bool:
        """Return whether one writes what the other touches, or either must be alone."""
        return (
            self.is_exclusive
            or other.is_exclusive
            or self._disturbs(other)
            or other._disturbs(self)
        )

    def _disturbs(self, other: "Footprint") -> bool:
        """Return whether something written here is touched there."""
        if other.reads_anything and (self.writes or self.writes_named):
            return True
        if self.writes_named & (other.reads_named | other.writes_named):
            return True
        touched = other.reads + other.writes
        return any(mine.touches(theirs) for mine in self.writes for theirs in touched)

    def covers(self, other: "Footprint") -> bool:
        """Return whether everything `other` may do was already reserved here."""
        if self.is_exclusive:
            return True
        if other.is_exclusive or (other.reads_anything and not self.reads_anything):
            return False
        return (
            other.writes_named <= self.writes_named
            and _all_within(other.writes, self.writes)
            and (
                self.reads_anything
                or (
                    other.reads_named <= self.reads_named | self.writes_named
                    and _all_within(other.reads, self.reads + self.writes)
                )
            )
        )


def _all_within(inner: tuple[Identity, ...], outer: tuple[Identity, ...]) -> bool:
    """Return whether each of `inner` is one of `outer` or lies below a tree of it."""
    return all(any(_is_within(one, holder) for holder in outer) for one in inner)


def _is_within(one: Identity, holder: Identity) -> bool:
    """Return whether `one` is `holder`, or lies below it and has no second name elsewhere."""
    if one == holder:
        return True
    below = one.parts[: len(holder.parts)] == holder.parts
    return holder.is_tree and below and not one.is_linked


def footprint(access: Access, cwd: str) -> Footprint:
    """Resolve every path of `access`, seen from `cwd`."""
    if access is READS_ANYTHING:  # as most calls that only look
        return _READING
    if access.is_exclusive:
        return _ALONE
    reads, reads_named, reads_anything = _resolve(access.reads, cwd)
    writes, writes_named, _ = _resolve(access.writes, cwd)
    return Footprint(False, reads_anything, reads, writes, reads_named, writes_named)


_ALONE = Footprint(is_exclusive=True)
_READING = Footprint(reads_anything=True)


def _identities(path: str, cwd: str, *, is_tree: bool = False) -> Iterator[Identity]:
    """Yield what a path means: as it is written, and as it may have been shown to the model."""
    yield identify(path, cwd, is_tree=is_tree)
    if "\\" in path and (meant := meant_path(path, cwd)) != path:
        yield identify(meant, cwd, is_tree=is_tree)


def _resolve(
    resources: Iterable[Resource], cwd: str
) -> tuple[tuple[Identity, ...], frozenset[str], bool]:
    """Sort resources into resolved paths, names, and "anything"."""
    paths: list[Identity] = []
    names: set[str] = set()
    anything = False
    for resource in resources:
        match resource:
            case File(path):
                paths += _identities(path, cwd)
            case Tree(path):
                paths += _identities(path, cwd, is_tree=True)
            case Named(name):
                names.add(name)
            case Anything():
                anything = True
    return tuple(paths), frozenset(names), anything
