"""When two calls get in each other's way, against an oracle that asks the kernel."""

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from hypothesis import assume, event, example, given
from hypothesis import strategies as st

from gantlet.tool import (
    EXCLUSIVE,
    READS_ANYTHING,
    TOUCHES_NOTHING,
    Access,
    Anything,
    File,
    Footprint,
    Named,
    Resource,
    Tree,
    footprint,
)
from tool.access_oracle import UnresolvedError, clash

_world: list[str] = []


@pytest.fixture(scope="module", autouse=True)
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A folder with files, folders, and links of every kind, which no test changes."""
    root = Path(os.path.realpath(tmp_path_factory.mktemp("world")))
    for folder in ("dir/sub", "other", "empty"):
        (root / folder).mkdir(parents=True)
    for file in ("a", "b", "dir/x", "dir/sub/y", "other/z"):
        (root / file).write_text(file)
    for link, target in {
        "to_a": "a",
        "to_to_a": "to_a",
        "to_dir": "dir",
        "other/up": "../dir/sub",
        "dangling": "dir/new",
        "dangling_deep": "nowhere/new",
        "whole": str(root / "dir"),
        "loop": "loop",
        "ping": "pong",
        "pong": "ping",
    }.items():
        (root / link).symlink_to(target)
    os.link(root / "dir" / "x", root / "other" / "hard")
    _world.append(str(root))
    yield str(root)
    _world.pop()


PLAIN_STEPS = ["a", "b", "dir", "sub", "y", "other", "z", "empty", "new", "to_dir", "to_a", "whole"]
STEPS = [
    *PLAIN_STEPS, "x", "hard", "up", "..", ".", "dangling", "dangling_deep", "nowhere", "to_to_a",
    "loop", "ping",
]  # fmt: skip


def paths_of(steps: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(steps), min_size=1, max_size=4).map("/".join)


def resources_of(paths: st.SearchStrategy[str]) -> st.SearchStrategy[Resource]:
    named = st.sampled_from(["tasks", "clipboard"]).map(Named)
    return st.one_of(paths.map(File), paths.map(File), paths.map(Tree), named)


def accesses_of(paths: st.SearchStrategy[str]) -> st.SearchStrategy[Access]:
    some = st.lists(resources_of(paths), max_size=2)
    return st.builds(Access, reads=some, writes=some)


accesses = accesses_of(paths_of(STEPS))
plain_accesses = accesses_of(paths_of(PLAIN_STEPS))
any_accesses = accesses | st.sampled_from([EXCLUSIVE, READS_ANYTHING, TOUCHES_NOTHING])


def seen(access: Access) -> Footprint:
    return footprint(access, _world[-1])


@given(accesses, accesses)
@example(Access(writes={File("dir/x")}), Access(reads={File("other/hard")}))
@example(Access(writes={Tree("other")}), Access(reads={File("dir/x")}))
@example(Access(writes={File("dangling")}), Access(reads={File("to_dir/new")}))
@example(Access(writes={File("other/up/../x")}), Access(reads={File("dir/x")}))
def test_whatever_the_kernel_says_clashes_conflicts(first: Access, second: Access) -> None:
    try:
        clashes = clash(first, second, _world[-1])
    except UnresolvedError:
        clashes = False
    event("clashes" if clashes else "does not")

    assert seen(first).conflicts(seen(second)) >= clashes


@given(plain_accesses, plain_accesses)
@example(Access(writes={File("a")}), Access(writes={File("b")}))
@example(Access(writes={Tree("dir")}), Access(reads={Tree("other")}))
def test_what_has_one_name_and_can_be_resolved_conflicts_only_if_it_clashes(
    first: Access, second: Access
) -> None:
    try:
        clashes = clash(first, second, _world[-1])
    except UnresolvedError:
        assume(False)
    footprints = [seen(first), seen(second)]
    touched = [one for each in footprints for one in each.reads + each.writes]
    assume(not any(one.is_linked for one in touched))
    event("clashes" if clashes else "does not")

    assert footprints[0].conflicts(footprints[1]) == clashes


@pytest.mark.xfail(reason="finding it would mean walking through both trees", strict=True)
def test_two_trees_that_share_a_file_by_a_hard_link_conflict() -> None:
    assert seen(Access(writes={Tree("dir")})).conflicts(seen(Access(reads={Tree("other")})))


@given(any_accesses, any_accesses)
def test_conflicts_go_both_ways(first: Access, second: Access) -> None:
    assert seen(first).conflicts(seen(second)) == seen(second).conflicts(seen(first))


def below(resource: Resource) -> list[Resource]:
    """Return a resource, and for a folder some of what may lie in it."""
    if isinstance(resource, Tree):
        return [resource, *(File(f"{resource.path}/{step}") for step in ("x", "new", "sub/y"))]
    return [resource]


def narrowed(draw: st.DrawFn, wide: Access) -> Access:
    """Return an access that names some of what `wide` names, or of what lies below."""
    writes = [one for each in wide.writes if each != Anything() for one in below(each)]
    reads = [one for each in wide.reads if each != Anything() for one in below(each)]
    return Access(
        reads=draw(st.lists(st.sampled_from(reads + writes))) if reads + writes else (),
        writes=draw(st.lists(st.sampled_from(writes))) if writes else (),
    )


@st.composite
def narrowing(draw: st.DrawFn, length: int) -> tuple[Access, ...]:
    """Return accesses of which each names some of what the one before it names."""
    accesses = [draw(any_accesses)]
    while len(accesses) < length:
        accesses.append(narrowed(draw, accesses[-1]))
    return tuple(accesses)


@given(narrowing(2) | st.tuples(any_accesses, any_accesses), any_accesses)
@example((Access(writes={Tree("dir")}), Access(writes={File("dir/x")})), READS_ANYTHING)
@example((READS_ANYTHING, Access(reads={Named("tasks")})), Access(writes={Named("tasks")}))
def test_what_covers_a_call_conflicts_with_whatever_that_call_conflicts_with(
    pair: tuple[Access, ...], third: Access
) -> None:
    wide, narrow = (seen(access) for access in pair)
    event("covers" if wide.covers(narrow) else "does not")

    if wide.covers(narrow) and narrow.conflicts(seen(third)):
        assert wide.conflicts(seen(third))


@given(narrowing(3) | st.tuples(any_accesses, any_accesses, any_accesses))
def test_covering_goes_from_one_to_the_next(three: tuple[Access, ...]) -> None:
    first, second, third = (seen(access) for access in three)
    both = first.covers(second) and second.covers(third)
    event("covers" if both else "does not")

    if both:
        assert first.covers(third)


@given(any_accesses, any_accesses)
def test_more_access_covers_less(access: Access, more: Access) -> None:
    both = Access(reads={*access.reads, *more.reads}, writes={*access.writes, *more.writes})

    assert seen(access).covers(seen(access))
    assert seen(both).covers(seen(access))
    assert seen(EXCLUSIVE).covers(seen(access))
    assert seen(access).covers(seen(TOUCHES_NOTHING))


@given(any_accesses)
def test_an_exclusive_call_conflicts_with_everything(access: Access) -> None:
    assert seen(EXCLUSIVE).conflicts(seen(access))
    assert seen(access).conflicts(seen(EXCLUSIVE))


@given(accesses, accesses)
def test_reading_never_conflicts_with_reading(first: Access, second: Access) -> None:
    readers = [Access(reads={*access.reads, *access.writes}) for access in (first, second)]

    assert not seen(readers[0]).conflicts(seen(readers[1]))
    assert not seen(readers[0]).conflicts(seen(READS_ANYTHING))


@given(accesses)
def test_who_reads_anything_conflicts_with_whoever_writes(access: Access) -> None:
    assert seen(READS_ANYTHING).conflicts(seen(access)) == seen(access).writes_something
    assert seen(access).writes_something == bool(access.writes)


def test_touching_nothing_conflicts_only_with_being_alone() -> None:
    nothing = seen(TOUCHES_NOTHING)

    assert nothing.conflicts(seen(EXCLUSIVE))
    assert not nothing.conflicts(nothing)
    assert not nothing.conflicts(seen(READS_ANYTHING))
    assert not nothing.conflicts(seen(Access(writes={Tree("/"), Named("tasks")})))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        (Access(writes={Named("a")}), Access(writes={Named("a")}), True),
        (Access(writes={Named("a")}), Access(reads={Named("a")}), True),
        (Access(reads={Named("a")}), Access(reads={Named("a")}), False),
        (Access(writes={Named("a")}), Access(writes={Named("A")}), False),
        (Access(writes={Named("a")}), Access(writes={File("a")}), False),
        (Access(writes={Named("a")}), Access(reads={Tree("/")}), False),
        (Access(writes={File("new/README")}), Access(writes={File("new/readme")}), True),
        (Access(writes={File("caf\u00e9")}), Access(reads={File("cafe\u0301")}), True),
        (Access(writes={File("a")}), Access(reads={Tree(".")}), True),
        (Access(writes={File("new")}), Access(reads={File("new/below")}), True),
        (Access(writes={File("newer")}), Access(reads={File("new")}), False),
        (Access(writes={File("x" * 300)}), Access(reads={File("a")}), True),
        (Access(writes={File("dir/" + "x" * 300)}), Access(reads={File("a")}), False),
        (Access(writes={File("nul\0")}), Access(reads={File("a")}), True),
        (Access(writes={File("loop")}), Access(reads={File("a")}), True),
        (Access(reads={Anything()}, writes={File("a")}), Access(reads={File("b")}), False),
        (Access(reads={Anything()}, writes={File("a")}), Access(writes={File("b")}), True),
        (Access(writes={Anything(), File("a")}), TOUCHES_NOTHING, True),
    ],
)
def test_two_accesses_conflict_as_written(first: Access, second: Access, expected: bool) -> None:
    assert seen(first).conflicts(seen(second)) is expected


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        (Access(writes={Tree("dir")}), Access(writes={File("dir/sub/y")}), True),
        (Access(writes={Tree("dir")}), Access(reads={File("dir/sub/y")}), True),
        (Access(reads={Tree("dir")}), Access(reads={File("dir/sub/y")}), True),
        (Access(reads={Tree("dir")}), Access(writes={File("dir/sub/y")}), False),
        (Access(writes={Tree("dir")}), Access(writes={File("dir/x")}), False),
        (Access(writes={File("a")}), Access(writes={File("to_a")}), True),
        (Access(writes={File("a")}), Access(writes={File("b")}), False),
        (Access(writes={File("a")}), Access(reads={File("a")}), True),
        (Access(writes={Named("a")}), Access(reads={Named("a")}), True),
        (Access(reads={Named("a")}), Access(writes={Named("a")}), False),
        (READS_ANYTHING, Access(reads={File("a"), Named("b")}), True),
        (READS_ANYTHING, Access(writes={File("a")}), False),
        (Access(reads={Tree("/")}), READS_ANYTHING, False),
        (READS_ANYTHING, EXCLUSIVE, False),
        (EXCLUSIVE, EXCLUSIVE, True),
    ],
)
def test_a_reservation_covers_what_lies_within_it(
    wide: Access, narrow: Access, expected: bool
) -> None:
    assert seen(wide).covers(seen(narrow)) is expected


def test_paths_may_be_path_objects() -> None:
    assert File(PurePosixPath("/a/b")) == File("/a/b")  # type: ignore[arg-type]  # as people do
    assert Tree(b"/a") == Tree("/a")  # type: ignore[arg-type]  # as the system does


@pytest.mark.parametrize(
    "given_resources", ["a", {"a"}, [Path("a")], [File("a"), "b"], [File], [None], 3, File("a")]
)
def test_what_is_no_resource_is_refused_rather_than_unseen(given_resources: Any) -> None:
    with pytest.raises(TypeError):
        Access(writes=given_resources)
    with pytest.raises(TypeError):
        Access(reads=given_resources)


@pytest.mark.parametrize("path", [None, 3, ["a"]])
def test_what_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(TypeError):
        File(path)
    with pytest.raises(TypeError):
        Tree(path)


def test_any_iterable_of_resources_is_taken() -> None:
    assert Access(reads=[File("a")], writes=(Tree(path) for path in ["b"])) == Access(
        reads=frozenset({File("a")}), writes={Tree("b")}
    )
