"""The tree of reasons to stop: what stops a part stops all inside, and the greatest reason wins."""

import itertools

import pytest

from gantlet.execution import Abort, AbortKind, AbortScope

MESSAGE, USER, ENDED, SIBLING, DISCARDED = (
    Abort(kind)
    for kind in (
        AbortKind.MESSAGE,
        AbortKind.USER,
        AbortKind.ENDED,
        AbortKind.SIBLING,
        AbortKind.DISCARDED,
    )
)


def test_the_order_of_reasons_is_discarded_then_sibling_then_the_user() -> None:
    assert sorted([DISCARDED, USER, SIBLING, MESSAGE, ENDED]) == [
        MESSAGE,
        USER,
        ENDED,
        SIBLING,
        DISCARDED,
    ]


def test_what_stops_the_turn_stops_every_call_in_it() -> None:
    told: list[tuple[str, Abort]] = []
    turn = AbortScope()
    reply = turn.child()
    reply.child(lambda reason: told.append(("a", reason)))
    reply.child(lambda reason: told.append(("b", reason)))

    turn.abort(USER)

    assert told == [("a", USER), ("b", USER)]


def test_what_stops_one_call_stops_no_other() -> None:
    turn = AbortScope()
    one, other = turn.child(), turn.child()

    one.abort(SIBLING)

    assert (one.reason, other.reason, turn.reason) == (SIBLING, None, None)


@pytest.mark.parametrize("first", [MESSAGE, USER, SIBLING, DISCARDED])
@pytest.mark.parametrize("second", [MESSAGE, USER, SIBLING, DISCARDED])
def test_the_greatest_reason_counts_wherever_it_came_from(first: Abort, second: Abort) -> None:
    for at_turn, at_call in itertools.product((first, second), repeat=2):
        turn = AbortScope()
        call = turn.child()
        call.abort(at_call)
        turn.abort(at_turn)

        assert call.reason == max(at_turn, at_call)
        assert turn.reason == at_turn


def test_a_lesser_or_equal_reason_is_not_told_again_and_a_greater_one_is() -> None:
    told: list[Abort] = []
    scope = AbortScope(on_abort=told.append)

    for reason in (USER, MESSAGE, USER, SIBLING, ENDED, DISCARDED):
        scope.abort(reason)

    assert told == [USER, SIBLING, DISCARDED]


def test_a_scope_made_after_the_abort_has_its_reason() -> None:
    turn = AbortScope()
    turn.abort(USER)

    assert turn.child().child().reason == USER


def test_a_scope_that_left_the_tree_is_not_told() -> None:
    told: list[Abort] = []
    turn = AbortScope()
    call = turn.child(told.append)

    call.close()
    call.close()
    turn.abort(USER)

    assert told == []


def test_a_scope_may_leave_the_tree_while_it_is_told() -> None:
    told: list[str] = []
    turn = AbortScope()
    first, second = turn.child(), turn.child()

    def leave(reason: Abort) -> None:
        told.append("first")
        first.close()
        second.close()

    first.on_abort = leave
    second.on_abort = lambda reason: told.append("second")
    turn.abort(USER)

    assert told[0] == "first"
    assert not turn._children


def test_whoever_is_told_finds_the_reason_everywhere() -> None:
    turn = AbortScope()
    first = turn.child()
    inside = turn.child().child()
    found: list[Abort | None] = []
    first.on_abort = lambda reason: found.append(inside.reason)

    turn.abort(USER)

    assert found == [USER]


def test_one_who_breaks_when_told_takes_the_reason_from_nobody() -> None:
    turn = AbortScope()
    first, second = turn.child(), turn.child()

    def fail(reason: Abort) -> None:
        raise KeyboardInterrupt

    first.on_abort = fail
    with pytest.raises(KeyboardInterrupt):
        turn.abort(USER)

    assert second.reason == USER


def test_the_description_of_a_sibling_does_not_make_one_failure_greater_than_another() -> None:
    first, second = Abort(AbortKind.SIBLING, "Bash(a)"), Abort(AbortKind.SIBLING, "Bash(b)")
    scope = AbortScope()

    scope.abort(first)
    scope.abort(second)

    assert scope.reason is first
