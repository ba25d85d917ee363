"""A value is a frozen dataclass in everything but what it costs to define."""

import copy
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from functools import cached_property
from inspect import signature
from typing import Any, ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages.value import filling, lazy, slotted, value
from gantlet.messages.value_shapes import SHAPES

_T = TypeVar("_T")


@value
class Point:
    """A point."""

    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False)
    kinds: ClassVar[int] = 7

    def moved(self) -> "Point":
        return replace(self, x=self.x + 1)


@value
class Checked:
    size: int

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError("too small")
        object.__setattr__(self, "size", self.size + 1)


@value
class Box(Generic[_T]):
    inside: _T


@value
class Deep(Point):
    z: int = 9


@value
class Empty:
    """Nothing in it."""


@value
class Discreet:
    name: str
    secret: str = field(default="", repr=False)
    length: int = field(init=False, repr=False, compare=False)
    seen: list[str] = field(default_factory=list, init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "length", len(self.name))

    @cached_property
    def shouted(self) -> str:
        self.seen.append(self.name)
        return self.name.upper()

    @lazy
    def doubled(self) -> str:
        self.seen.append("doubled")
        return self.name * 2


@slotted
class Counter:
    count: int = 0
    marks: list[int] = field(default_factory=list)

    def up(self) -> None:
        self.count += 1
        self.marks.append(self.count)


@dataclass(frozen=True, slots=True)
class Reference:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()


@value
class Candidate:
    x: int
    y: int = 2
    tags: tuple[str, ...] = ()


def test_fields_defaults_and_factories_work() -> None:
    first, second = Point(1), Point(1)

    assert (first.x, first.y, first.tags, first.note, Point.kinds) == (1, 2, [], "", 7)
    assert first.tags is not second.tags
    assert Point(x=3, y=4, tags=["a"]) == Point(3, 4, ["a"])


def test_fields_that_are_not_compared_do_not_count() -> None:
    other_kind: object = Reference(1)
    assert Candidate(1) != other_kind
    assert Point(1, note="here") == Point(1, note="there")


def test_a_value_cannot_be_changed() -> None:
    point = Point(1)

    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
        point.x = 5  # type: ignore[misc]  # what is being refused
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
        del point.x
    with pytest.raises((AttributeError, TypeError)):
        point.other = 5  # type: ignore[attr-defined]  # what is being refused
    assert not hasattr(point, "__dict__")


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]  # what is being refused
    with pytest.raises(TypeError, match="unexpected keyword argument 'w'"):
        Point(1, w=2)  # type: ignore[call-arg]  # what is being refused


def test_what_follows_the_fields_runs() -> None:
    assert Checked(1).size == 2
    with pytest.raises(ValueError, match="too small"):
        Checked(-1)


def test_dataclasses_take_it_for_their_own() -> None:
    point = Point(1)

    assert is_dataclass(point)
    assert [one.name for one in fields(point)] == ["x", "y", "tags", "note"]
    assert asdict(point) == {"x": 1, "y": 2, "tags": [], "note": ""}
    assert point.moved() == Point(2)


def test_it_can_be_matched_generic_inherited_and_empty() -> None:
    match Point(5):
        case Point(x, y=2):
            assert x == 5
        case _:
            pytest.fail("no match")

    assert Box[int](3) == Box(3)
    assert Deep(1, z=4) == Deep(1, 2, [], "", 4)
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())


def test_a_field_can_be_kept_from_the_arguments_and_from_what_is_shown() -> None:
    discreet = Discreet("ann", "hunter2")

    assert repr(discreet) == "Discreet(name='ann', seen=[])"
    assert discreet.length == 3
    assert (discreet.shouted, discreet.shouted, discreet.seen) == ("ANN", "ANN", ["ann"])
    assert (discreet.doubled, discreet.doubled, discreet.seen[1:]) == (
        "annann",
        "annann",
        ["doubled"],
    )
    assert Discreet.__match_args__ == ("name", "secret")
    assert replace(discreet, name="bo").length == 2
    assert pickle.loads(pickle.dumps(discreet)) == discreet
    with pytest.raises(TypeError, match="unexpected keyword argument 'length'"):
        Discreet("ann", length=1)  # type: ignore[call-arg]  # what is being refused


def test_a_class_tells_what_it_takes_before_and_after_its_first_object() -> None:
    @value
    class Fresh:
        x: int
        y: int = 2

    before = str(signature(Fresh))
    made = Fresh(1)

    assert (before, str(signature(Fresh)), made.y) == ("(x, y=2)", "(x, y=2)", 2)
    assert str(signature(Deep)).startswith("(x, y=2, tags=")


def test_what_is_slotted_can_be_changed_but_not_hashed() -> None:
    one, other = Counter(), Counter()

    one.up()
    assert one == Counter(1, [1])
    assert other == Counter()
    assert not hasattr(one, "__dict__")
    assert repr(one) == "Counter(count=1, marks=[1])"
    with pytest.raises(TypeError, match="unhashable type"):
        hash(one)


@given(st.integers(), st.integers(), st.lists(st.text(max_size=3), max_size=2))
def test_it_behaves_like_the_dataclass_it_stands_for(x: int, y: int, tags: list[str]) -> None:
    mine, theirs = Candidate(x, y, tuple(tags)), Reference(x, y, tuple(tags))

    assert repr(mine) == repr(theirs).replace("Reference", "Candidate")
    assert hash(mine) == hash(theirs)
    assert (mine == Candidate(1)) == (theirs == Reference(1))
    assert pickle.loads(pickle.dumps(mine)) == copy.deepcopy(mine) == copy.copy(mine) == mine


@given(
    st.lists(st.integers(), max_size=5),
    st.dictionaries(st.sampled_from(["x", "y", "tags", "note", "z"]), st.integers(), max_size=3),
)
def test_the_first_objects_are_filled_like_all_others(
    args: list[int], named: dict[str, int]
) -> None:
    @value
    class Fresh:
        x: int
        y: int = 2
        tags: list[str] = field(default_factory=list)
        note: str = field(default="", compare=False)

    def outcome(make: Any) -> object:
        try:
            made = make(*args, **named)
        except TypeError as error:
            return str(error).replace(make.__qualname__, "")
        return (made.x, made.y, made.tags, made.note)

    first = outcome(Fresh)
    for _ in range(30):
        Fresh(1)

    assert outcome(Fresh) == first
    assert Fresh(1).tags is not Fresh(1).tags


def test_a_field_without_a_default_is_asked_for_by_the_first_object() -> None:
    @value
    class Asked:
        kept: int
        hidden: int = field(repr=False)

    make: Any = Asked
    with pytest.raises(TypeError, match="hidden"):
        make(1)
    assert Asked(1, 2).hidden == 2


def test_classes_of_the_same_shape_keep_to_themselves() -> None:
    @value
    class One:
        left: int
        right: list[int] = field(default_factory=list)

    @value
    class Other:
        up: str
        down: dict[str, int] = field(default_factory=dict)

    @slotted
    class Third:
        here: float
        there: set[int] = field(default_factory=set)

    for number in range(20):
        assert (One(number).left, One(right=[3], left=1).right) == (number, [3])
        assert (Other(up="x").up, Other("y").down) == ("x", {})
        assert (Third(0.5).here, Third(0.5, {1}).there) == (0.5, {1})
    make: Any = One
    with pytest.raises(TypeError, match=r"One\.__init__\(\) got an unexpected .*'up'"):
        make(1, up=2)


def test_a_field_that_must_be_given_stands_before_those_that_need_not() -> None:
    @value
    class Odd:
        first: int = 1
        second: int  # type: ignore[misc]  # what is wrong here is the point

    make: Any = Odd
    with pytest.raises(TypeError, match="second"):
        signature(make)


@pytest.mark.parametrize("shape", sorted(SHAPES), ids=str)
def test_the_kept_code_of_a_shape_is_what_would_be_compiled(shape: tuple[str, bool, bool]) -> None:
    kinds, is_frozen, has_more = shape
    kept = SHAPES[shape]
    scope: dict[str, Any] = {}

    exec(filling(kinds, kept.co_name, is_frozen=is_frozen, has_more=has_more), scope)

    made = scope[kept.co_name].__code__
    for part in ("co_code", "co_consts", "co_names", "co_varnames", "co_argcount"):
        assert getattr(kept, part) == getattr(made, part), part
