"""Which earlier call stands in a call's way, found by an index and not by comparing every pair.

Every reservation is a number in a few sorted lists: at the nodes of a trie of paths, under the
names of resources, under inodes. A question walks one path and looks into each list once.
"""

from bisect import bisect_left, insort
from collections.abc import Iterator
from dataclasses import field

from gantlet.messages.value import slotted
from gantlet.system import Identity, Parts
from gantlet.tool import Footprint


@slotted
class _Marks:
    """The positions of calls that read and write one thing, sorted."""

    reads: list[int] = field(default_factory=list)
    writes: list[int] = field(default_factory=list)

    def kept(self, *, writing: bool) -> list[int]:
        """Return the list for one kind of touch."""
        return self.writes if writing else self.reads

    def last_before(self, position: int, *, writing: bool) -> int:
        """Return the latest earlier position in the way of a touch, or -1."""
        latest = _last_before(self.writes, position)
        return max(latest, _last_before(self.reads, position)) if writing else latest

    @property
    def is_empty(self) -> bool:
        """Whether nobody touches this."""
        return not self.reads and not self.writes


@slotted
class _Node:
    """A directory or file in the trie: who touches it, and who touches anything at or below it."""

    here: _Marks = field(default_factory=_Marks)
    below: _Marks = field(default_factory=_Marks)
    children: dict[str, "_Node"] = field(default_factory=dict)


@slotted
class ConflictIndex:
    """The reservations of unfinished calls, by position in the reply."""

    _root: _Node = field(default_factory=_Node)
    _named: dict[object, _Marks] = field(default_factory=dict)
    _trees: _Marks = field(default_factory=_Marks)
    _linked: _Marks = field(default_factory=_Marks)
    _everyone: list[int] = field(default_factory=list)
    _writers: list[int] = field(default_factory=list)
    _readers_of_anything: list[int] = field(default_factory=list)
    _exclusive: list[int] = field(default_factory=list)

    def add(self, position: int, footprint: Footprint) -> None:
        """Reserve what a call touches."""
        _insert(self._everyone, position)
        if footprint.reads_anything:
            _insert(self._readers_of_anything, position)
        if footprint.writes_something:
            insort(self._writers, position)
        if footprint.is_exclusive:
            insort(self._exclusive, position)
        if footprint.names_nothing:
            return
        for key, writing in _keys(footprint):
            insort(self._named.setdefault(key, _Marks()).kept(writing=writing), position)
        for identity, writing in _paths(footprint):
            for kept in self._path_lists(identity, writing=writing):
                insort(kept, position)

    def remove(self, position: int, footprint: Footprint) -> None:
        """Give back what a call reserved."""
        _discard(self._everyone, position)
        if footprint.reads_anything:
            _discard(self._readers_of_anything, position)
        if footprint.writes_something:
            _discard(self._writers, position)
        if footprint.is_exclusive:
            _discard(self._exclusive, position)
        if not footprint.names_nothing:
            self._remove_named(position, footprint)

    def _remove_named(self, position: int, footprint: Footprint) -> None:
        """Give back what a call touches by path or name."""
        for key, writing in _keys(footprint):
            marks = self._named[key]
            _discard(marks.kept(writing=writing), position)
            if marks.is_empty:
                del self._named[key]
        for identity, writing in _paths(footprint):
            for kept in self._path_lists(identity, writing=writing):
                _discard(kept, position)
            self._prune(identity.parts)

    def blocker(self, position: int, footprint: Footprint) -> int | None:
        """Return the latest earlier call that conflicts, or None if the way is free."""
        if footprint.is_exclusive:
            latest = _last_before(self._everyone, position)
            return latest if latest >= 0 else None
        latest = _last_before(self._exclusive, position) if self._exclusive else -1
        if footprint.reads_anything and self._writers:
            latest = max(latest, _last_before(self._writers, position))
        if not footprint.names_nothing:
            latest = max(latest, self._named_blocker(position, footprint))
        return latest if latest >= 0 else None

    def _named_blocker(self, position: int, footprint: Footprint) -> int:
        """Return the latest earlier call that touches what is named, or -1."""
        latest = -1
        if footprint.writes or footprint.writes_named:
            latest = max(latest, _last_before(self._readers_of_anything, position))
        for key, writing in _keys(footprint):
            marks = self._named.get(key)
            if marks is not None:
                latest = max(latest, marks.last_before(position, writing=writing))
        for identity, writing in _paths(footprint):
            latest = max(latest, self._path_blocker(position, identity, writing=writing))
        return latest

    def _path_lists(self, identity: Identity, *, writing: bool) -> Iterator[list[int]]:
        """Yield the lists in which a touch of a path stands; makes the trie's nodes."""
        node = self._root
        yield node.below.kept(writing=writing)
        for part in identity.parts:
            node = node.children.setdefault(part, _Node())
            yield node.below.kept(writing=writing)
        yield node.here.kept(writing=writing)
        if identity.is_tree:
            yield self._trees.kept(writing=writing)
        if identity.is_linked:
            yield self._linked.kept(writing=writing)

    def _path_blocker(self, position: int, identity: Identity, *, writing: bool) -> int:
        """Return the latest earlier touch of the same path, of a parent, or of something below."""
        latest = -1
        node: _Node | None = self._root
        for part in identity.parts:
            if node is None:
                break
            latest = max(latest, node.here.last_before(position, writing=writing))
            node = node.children.get(part)
        if node is not None:
            latest = max(latest, node.below.last_before(position, writing=writing))
        if identity.is_tree:
            latest = max(latest, self._linked.last_before(position, writing=writing))
        if identity.is_linked:
            latest = max(latest, self._trees.last_before(position, writing=writing))
        return latest

    def _prune(self, parts: Parts) -> None:
        """Drop the nodes of a path that nobody touches any more."""
        trail = [self._root]
        for part in parts:
            child = trail[-1].children.get(part)
            if child is None:
                break
            trail.append(child)
        for parent, part in reversed(list(zip(trail, parts, strict=False))):
            child = parent.children.get(part)
            if child is None or not child.below.is_empty:
                return
            del parent.children[part]


def _keys(footprint: Footprint) -> Iterator[tuple[object, bool]]:
    """Yield what a call touches by name or inode, and whether it writes it; each once."""
    for name in footprint.writes_named:
        yield name, True
    for name in footprint.reads_named - footprint.writes_named:
        yield name, False
    written = {path.inode for path in footprint.writes if path.inode is not None}
    for inode in written:
        yield inode, True
    read = {path.inode for path in footprint.reads if path.inode is not None}
    for inode in read - written:
        yield inode, False


def _paths(footprint: Footprint) -> Iterator[tuple[Identity, bool]]:
    """Yield what a call touches by path, and whether it writes it."""
    for identity in footprint.reads:
        yield identity, False
    for identity in footprint.writes:
        yield identity, True


def _last_before(positions: list[int], position: int) -> int:
    """Return the greatest of sorted positions below one, or -1."""
    if not positions:
        return -1
    at = bisect_left(positions, position)
    return positions[at - 1] if at else -1


def _insert(positions: list[int], position: int) -> None:
    """Put a position into sorted ones; nearly always it is the latest."""
    if positions and position < positions[-1]:
        insort(positions, position)
    else:
        positions.append(position)


def _discard(positions: list[int], position: int) -> None:
    """Take one occurrence out of sorted positions."""
    if positions and positions[0] == position:  # nearly always: who begins first ends first
        del positions[0]
        return
    at = bisect_left(positions, position)
    if at < len(positions) and positions[at] == position:
        del positions[at]
