"""Who may go: the scheduler against a model that compares every pair."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from execution_kit import examples
from gantlet.execution.conflicts import ConflictIndex
from gantlet.execution.scheduler import Scheduler
from gantlet.system import Identity
from gantlet.tool import Footprint

ALONE = Footprint(is_exclusive=True)
READS_ANYTHING = Footprint(reads_anything=True)


def writing(*names: str) -> Footprint:
    """Return a footprint that writes these things."""
    return Footprint(writes_named=frozenset(names))


def reading(*names: str) -> Footprint:
    """Return a footprint that reads these things."""
    return Footprint(reads_named=frozenset(names))


def at(*parts: str, is_tree: bool = False) -> Footprint:
    """Return a footprint that writes a path."""
    return Footprint(writes=(Identity(parts, is_tree=is_tree),))


FOOTPRINTS = st.sampled_from(
    [
        ALONE,
        READS_ANYTHING,
        Footprint(),
        writing("x"),
        writing("y"),
        writing("x", "y"),
        reading("x"),
        reading("y"),
        at("a", "b"),
        at("a", is_tree=True),
        at("c"),
        Footprint(reads=(Identity(("a", "b")),)),
        Footprint(writes=(Identity(("d",), (1, 1), is_linked=True),)),
    ]
)


@dataclass
class Model:
    """The same rules, said plainly."""

    reserved: dict[int, Footprint] = field(default_factory=dict)
    going: set[int] = field(default_factory=set)
    changed: set[int] = field(default_factory=set)

    def blockers(self, position: int) -> set[int]:
        """Return for whom a call may have to wait."""
        mine = self.reserved[position]
        return {
            other
            for other, theirs in self.reserved.items()
            if other != position
            and mine.conflicts(theirs)
            and (other < position or (position in self.changed and other in self.going))
        }

    def let_go(self) -> set[int]:
        """Return those who may go now, and let them, earliest first."""
        let: set[int] = set()
        for position in sorted(set(self.reserved) - self.going):
            if not self.blockers(position):
                self.going.add(position)
                let.add(position)
        return let

    def check(self, scheduler: Scheduler) -> None:
        """Compare what the scheduler says with these rules."""
        waiting = sorted(set(self.reserved) - self.going)
        assert scheduler.waiting == waiting
        for position in waiting:
            assert scheduler.blocker_of(position) in self.blockers(position)
        for one in self.going:
            assert scheduler.blocker_of(one) is None
            for other in self.going - {one}:
                assert not self.reserved[one].conflicts(self.reserved[other])


@dataclass
class Pair:
    """The scheduler and its model, told the same."""

    scheduler: Scheduler = field(default_factory=Scheduler)
    model: Model = field(default_factory=Model)
    count: int = 0

    def add(self, footprint: Footprint) -> None:
        """Reserve for the next call."""
        may_go = self.scheduler.add(self.count, footprint)
        self.model.reserved[self.count] = footprint
        assert self.model.let_go() == ({self.count} if may_go else set())
        self.count += 1

    def finish(self, position: int) -> None:
        """End a call."""
        freed = self.scheduler.finish(position)
        del self.model.reserved[position]
        self.model.going.discard(position)
        assert freed == sorted(self.model.let_go())

    def change(self, position: int, footprint: Footprint) -> None:
        """Give a call that goes another footprint."""
        may_go, freed = self.scheduler.change(position, footprint)
        self.model.reserved[position] = footprint
        self.model.going.discard(position)
        self.model.changed.add(position)
        let = self.model.let_go()
        assert (may_go, set(freed)) == (position in let, let - {position})

    def move(self, footprints: list[Footprint]) -> None:
        """End a call that goes alone and changes what all who wait for it touch."""
        (alone,) = self.model.going
        waiting = self.scheduler.waiting
        kept = [self.model.reserved[position] for position in waiting[len(footprints) :]]
        for position, footprint in zip(waiting, [*footprints, *kept], strict=False):
            assert not self.scheduler.refresh(position, footprint)
            self.model.reserved[position] = footprint
        self.model.check(self.scheduler)
        self.finish(alone)

    @property
    def goes_alone(self) -> bool:
        """Whether the only one that goes must be alone."""
        going = [self.model.reserved[position] for position in self.model.going]
        return going == [ALONE]


def step(pair: Pair, data: st.DataObject) -> None:
    """Do one thing to both."""
    unfinished, going = sorted(pair.model.reserved), sorted(pair.model.going)
    kinds = ["add", "add"]
    if going:
        kinds += ["finish", "finish", "change", "abort"]
    if pair.goes_alone:
        kinds += ["move"]
    match data.draw(st.sampled_from(kinds)):
        case "add":
            pair.add(data.draw(FOOTPRINTS))
        case "finish":
            pair.finish(data.draw(st.sampled_from(going)))
        case "abort":
            pair.finish(data.draw(st.sampled_from(unfinished)))
        case "change":
            pair.change(data.draw(st.sampled_from(going)), data.draw(FOOTPRINTS))
        case _:
            pair.move(data.draw(st.lists(FOOTPRINTS, max_size=6)))


@examples(300)
@given(st.data())
def test_who_goes_and_who_waits_is_what_comparing_every_pair_says(data: st.DataObject) -> None:
    pair = Pair()

    for _ in range(data.draw(st.integers(1, 25))):
        step(pair, data)
        pair.model.check(pair.scheduler)

    while pair.model.reserved:
        pair.finish(min(pair.model.going))  # somebody always goes: nobody waits for ever
    assert pair.scheduler.waiting == []
    assert pair.scheduler._index == ConflictIndex()
    assert pair.scheduler._waiters == {}


def test_a_call_waits_only_for_earlier_ones_it_conflicts_with() -> None:
    scheduler = Scheduler()

    assert scheduler.add(0, writing("x"))
    assert scheduler.add(1, writing("y"))
    assert not scheduler.add(2, reading("x"))
    assert not scheduler.add(3, ALONE)
    assert not scheduler.add(4, Footprint())

    assert scheduler.waiting == [2, 3, 4]
    assert scheduler.finish(1) == []
    assert scheduler.finish(0) == [2]
    assert scheduler.finish(2) == [3]
    assert scheduler.finish(3) == [4]


def test_a_changed_call_waits_for_a_later_one_that_is_going() -> None:
    scheduler = Scheduler()
    scheduler.add(0, writing("x"))
    scheduler.add(1, writing("y"))

    assert scheduler.change(0, writing("y")) == (False, [])

    assert scheduler.blocker_of(0) == 1
    assert not scheduler.add(2, writing("y"))
    assert scheduler.finish(1) == [0]
    assert scheduler.finish(0) == [2]


def test_a_changed_call_lets_those_go_who_waited_for_what_it_gave_back() -> None:
    scheduler = Scheduler()
    scheduler.add(0, writing("x"))
    scheduler.add(1, writing("x"))

    assert scheduler.change(0, writing("y")) == (True, [1])


def test_two_calls_that_change_into_each_other_do_not_wait_for_each_other() -> None:
    scheduler = Scheduler()
    scheduler.add(0, writing("x"))
    scheduler.add(1, writing("y"))

    assert scheduler.change(0, writing("x", "y")) == (False, [])
    assert scheduler.change(1, writing("x", "y")) == (False, [0])
    assert scheduler.finish(0) == [1]


def test_ending_a_call_that_nobody_knows_does_nothing() -> None:
    assert Scheduler().finish(7) == []


def test_whom_a_call_has_waited_for_is_told_once_each_and_in_order() -> None:
    scheduler = Scheduler()
    scheduler.add(0, writing("x"))
    scheduler.add(1, ALONE)
    scheduler.add(2, writing("x"))

    scheduler.finish(0)
    scheduler.refresh(2, writing("y"))
    scheduler.finish(1)

    assert (scheduler.waited_for(0), scheduler.waited_for(1), scheduler.waited_for(2)) == (
        [],
        [0],
        [1],
    )
