"""Transcripts in which a conversation was taken up before its end: what belongs to which branch."""

from typing import Any

import pytest

from gantlet.session import restore
from gantlet.session.entries import Line


def said(own: str, parent: str | None, reply: str, *calls: str, text: str = "") -> Line:
    """Return a line of a reply."""
    blocks: list[Any] = [
        {"type": "tool_use", "id": one, "name": "look", "input": {}} for one in calls
    ]
    content = [*blocks, *([{"type": "text", "text": text}] if text else [])]
    message: Any = {"id": reply, "role": "assistant", "content": content}
    return {"type": "assistant", "uuid": own, "parentUuid": parent, "message": message}


def words(own: str, parent: str | None, text: str) -> Line:
    """Return a line of the user's own words."""
    message: Any = {"role": "user", "content": text}
    return {"type": "user", "uuid": own, "parentUuid": parent, "message": message}


def result(own: str, parent: str, call: str) -> Line:
    """Return a line that answers a call."""
    content = [{"type": "tool_result", "tool_use_id": call, "content": "seen"}]
    message: Any = {"role": "user", "content": content}
    return {"type": "user", "uuid": own, "parentUuid": parent, "message": message}


FIRST = [words("u1", None, "one"), said("a1", "u1", "m1", "c1"), result("r1", "a1", "c1")]
SECOND = [words("u2", "r1", "two"), said("a2", "u2", "m2", "c2"), result("r2", "a2", "c2")]
OTHER = [words("u3", "r1", "three"), said("a3", "u3", "m3", "c3"), result("r3", "a3", "c3")]


@pytest.mark.parametrize(
    ("lines", "at", "left_behind"),
    [
        ([*FIRST, *SECOND], None, set()),
        ([*FIRST, *SECOND], "a1", {"c2"}),
        ([*FIRST, *SECOND], "a2", set()),
        ([*FIRST, *SECOND, *OTHER], None, {"c2"}),
        ([*FIRST, *SECOND, *OTHER], "a2", {"c3"}),
        ([*FIRST, *SECOND, *OTHER], "u1", {"c1", "c2", "c3"}),
    ],
    ids=["all", "the first reply", "the last reply", "a branch", "the other", "the first words"],
)
def test_calls_that_do_not_lead_to_where_it_stands_are_left_behind(
    lines: list[Line], at: str | None, left_behind: set[str]
) -> None:
    assert restore(lines, at=at).left_behind == left_behind


def test_what_was_made_shorter_is_not_left_behind() -> None:
    boundary: Line = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b",
        "parentUuid": None,
        "logicalParentUuid": "r3",
    }
    lines = [*FIRST, *SECOND, *OTHER, boundary, words("u4", "b", "a summary")]

    assert restore(lines).left_behind == {"c2"}


def test_a_reply_of_another_branch_is_none_of_this_one_though_its_id_is_the_same() -> None:
    other = [words("u3", "r1", "three"), said("a3", "u3", "m2", "c3"), result("r3", "a3", "c3")]

    told = restore([*FIRST, *SECOND, *other])

    assert set(told.owners) == {"c1", "c3"}
    assert told.notes == ()


def test_a_block_behind_lines_of_progress_belongs_to_its_reply() -> None:
    lines: list[Line] = [
        words("u1", None, "one"),
        said("a1", "u1", "m1", "c1"),
        {"type": "progress", "uuid": "p1", "parentUuid": "a1"},
        said("a2", "p1", "m1", "c2"),
        result("r2", "a2", "c2"),
        result("r1", "a1", "c1"),
        said("a3", "r1", "m2", text="Done."),
    ]

    told = restore(lines)

    assert set(told.owners) == {"c1", "c2"}
    assert told.notes == ()


@pytest.mark.parametrize("parent", ["x2", "x1"], ids=["each other", "itself"])
def test_lines_that_follow_each_other_in_a_circle_end_nothing(parent: str) -> None:
    circle = [said("x1", parent, "m1", "c8"), said("x2", "x1", "m1", "c9")]

    told = restore([*circle, *FIRST])

    assert set(told.owners) == {"c1"}
