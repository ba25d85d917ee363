"""The index of reservations says the same as comparing every pair, and does less."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from execution_kit import examples
from gantlet.execution.conflicts import ConflictIndex
from gantlet.system import Identity
from gantlet.tool import Footprint

PATHS = [
    Identity(parts, inode, is_tree, is_linked)
    for depth in range(4)
    for parts in itertools.product("ab", repeat=depth)
    for inode in (None, (1, 1), (1, 2))
    for is_tree in (False, True)
    for is_linked in (False, True)
]
SOME_PATHS = st.lists(st.sampled_from(PATHS), max_size=2).map(tuple)
SOME_NAMES = st.sampled_from(
    [frozenset[str](), frozenset({"x"}), frozenset({"y"}), frozenset({"x", "y"})]
)
PLAIN = st.builds(
    Footprint,
    reads=SOME_PATHS,
    writes=SOME_PATHS,
    reads_named=SOME_NAMES,
    writes_named=SOME_NAMES,
)
READING_ANYTHING = st.builds(
    Footprint, reads_anything=st.just(value=True), writes=SOME_PATHS, writes_named=SOME_NAMES
)
FOOTPRINTS = PLAIN | PLAIN | READING_ANYTHING | st.just(Footprint(is_exclusive=True))


@dataclass
class Everyone:
    """What the index must say: every pair compared."""

    reserved: dict[int, Footprint] = field(default_factory=dict)

    def blockers(self, position: int, footprint: Footprint) -> list[int]:
        """Return the earlier calls that conflict."""
        return [
            other
            for other, theirs in self.reserved.items()
            if other < position and footprint.conflicts(theirs)
        ]


@st.composite
def histories(draw: st.DrawFn) -> list[tuple[str, int, Footprint]]:
    """Return operations on an index: reservations come in any order of positions and go again."""
    steps: list[tuple[str, int, Footprint]] = []
    reserved: dict[int, Footprint] = {}
    positions = draw(st.permutations(range(12)))
    for position in positions:
        footprint = draw(FOOTPRINTS)
        steps.append(("ask", position, footprint))
        if draw(st.booleans()):
            steps.append(("add", position, footprint))
            reserved[position] = footprint
        if len(reserved) > 0 and draw(st.booleans()):
            gone = draw(st.sampled_from(sorted(reserved)))
            steps.append(("remove", gone, reserved.pop(gone)))
    return steps


@examples(200)
@given(histories())
def test_the_blocker_is_the_latest_earlier_call_that_conflicts(
    steps: Sequence[tuple[str, int, Footprint]],
) -> None:
    index, everyone = ConflictIndex(), Everyone()

    for kind, position, footprint in steps:
        if kind == "remove":
            index.remove(position, footprint)
            del everyone.reserved[position]
        expected = max(everyone.blockers(position, footprint), default=None)
        assert index.blocker(position, footprint) == expected
        if kind == "add":
            index.add(position, footprint)
            everyone.reserved[position] = footprint

    for position, footprint in everyone.reserved.items():
        index.remove(position, footprint)
    assert index == ConflictIndex()


@examples(300)
@given(FOOTPRINTS, FOOTPRINTS)
def test_two_calls_conflict_whichever_comes_first(one: Footprint, other: Footprint) -> None:
    there, back = ConflictIndex(), ConflictIndex()
    there.add(1, one)
    back.add(1, other)

    assert there.blocker(2, other) == back.blocker(2, one) == (1 if one.conflicts(other) else None)


@examples(300)
@given(FOOTPRINTS, FOOTPRINTS, FOOTPRINTS)
def test_what_covers_a_call_is_in_the_way_of_everybody_the_call_is_in_the_way_of(
    granted: Footprint, wanted: Footprint, neighbour: Footprint
) -> None:
    if granted.covers(wanted) and wanted.conflicts(neighbour):
        assert granted.conflicts(neighbour)


@pytest.mark.parametrize(
    ("one", "other", "conflict"),
    [
        (Footprint(writes=(Identity(()),)), Footprint(reads=(Identity(("a", "b")),)), True),
        (Footprint(reads=(Identity(()),)), Footprint(reads=(Identity(("a", "b")),)), False),
        (Footprint(writes=(Identity(("a",)),)), Footprint(reads=(Identity(("ab",)),)), False),
        (Footprint(writes=(Identity(("a",)),)), Footprint(writes=(Identity(("b",)),)), False),
        (Footprint(writes=(Identity(("a",)),)), Footprint(reads_anything=True), True),
        (Footprint(reads=(Identity(("a",)),)), Footprint(reads_anything=True), False),
        (Footprint(), Footprint(is_exclusive=True), True),
        (Footprint(), Footprint(reads_anything=True), False),
        (
            Footprint(writes=(Identity(("a",), (1, 7)),)),
            Footprint(reads=(Identity(("b",), (1, 7)),)),
            True,
        ),
        (
            Footprint(writes=(Identity(("a",), (1, 7), is_linked=True),)),
            Footprint(reads=(Identity(("b",), (1, 9), is_tree=True),)),
            True,
        ),
        (
            Footprint(writes=(Identity(("a",), (1, 7)),)),
            Footprint(reads=(Identity(("b",), (1, 9), is_tree=True),)),
            False,
        ),
        (
            Footprint(writes_named=frozenset({"x"})),
            Footprint(reads_named=frozenset({"x"})),
            True,
        ),
        (
            Footprint(writes_named=frozenset({"x"})),
            Footprint(writes=(Identity(("x",)),)),
            False,
        ),
    ],
)
def test_these_two_conflict_or_do_not(one: Footprint, other: Footprint, conflict: bool) -> None:
    index = ConflictIndex()
    index.add(1, one)

    assert (index.blocker(2, other) == 1, one.conflicts(other)) == (conflict, conflict)


class CountedPart(str):
    """A part of a path that counts how often somebody looks it up."""

    lookups = 0
    __slots__ = ()

    def __hash__(self) -> int:
        CountedPart.lookups += 1
        return super().__hash__()

    __eq__ = str.__eq__


def lookups(calls: int) -> int:
    """Return how many steps in the trie it takes to reserve, ask for and return that many calls."""
    CountedPart.lookups = 0
    index = ConflictIndex()
    footprints = [
        Footprint(writes=(Identity(tuple(map(CountedPart, ("home", "project", f"{number}.py")))),))
        for number in range(calls)
    ]
    for position, footprint in enumerate(footprints):
        index.blocker(position, footprint)
        index.add(position, footprint)
    for position, footprint in enumerate(footprints):
        index.remove(position, footprint)
    return CountedPart.lookups


def test_the_work_grows_with_the_number_of_calls_and_not_with_its_square() -> None:
    few, many = lookups(100), lookups(1000)

    assert many <= 11 * few
    assert many <= 1000 * 3 * 8
