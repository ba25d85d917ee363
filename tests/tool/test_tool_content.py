"""Whatever a tool returns, the model gets text or blocks."""

import dataclasses
import threading
from collections.abc import Mapping
from enum import Enum
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from builders import SchemaTool, json_values
from gantlet.messages import FrozenDict, Image, JsonValue, Text, ToolReference, UserMessage, loads
from gantlet.tool import Surroundings, ToolResult, as_content, as_output, as_text

TOOL = SchemaTool({})
PICTURE = Image(FrozenDict(type="base64", media_type="image/png", data="AAAA"))


class Colour(Enum):
    """A colour."""

    RED = "red"


@dataclasses.dataclass
class Found:
    """A result with parts of several kinds."""

    path: PurePosixPath
    lines: list[int]
    inner: "Found | None" = None


class Answer(BaseModel):
    """A result with an alias."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    total: int = Field(serialization_alias="sum")
    owner: Any = None


class Unspeakable:
    """A value that fails whatever it is asked."""

    def __repr__(self) -> str:
        raise RuntimeError("no words")

    __str__ = __repr__


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("data", "content"),
    [
        ("as it is\n\x1b[1m", "as it is\n\x1b[1m"),
        ("", ""),
        (None, ""),
        (0, "0"),
        (False, "false"),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        ({"é": "日本"}, '{"é": "日本"}'),
        ([], "[]"),
        ((), "[]"),
        (b"caf\xc3\xa9 \xff", "café \ufffd"),
        ({3, 1, 2}, "[1, 2, 3]"),
        (frozenset("ab"), '["a", "b"]'),
        (Colour.RED, '"red"'),
        (PurePosixPath("/a/b"), '"/a/b"'),
        (MappingProxyType({"a": 1}), '{"a": 1}'),
        (FrozenDict(a=[1]), '{"a": [1]}'),
        (
            Found(PurePosixPath("/a"), [1, 2], Found(PurePosixPath("/b"), [])),
            '{"path": "/a", "lines": [1, 2], "inner": {"path": "/b", "lines": [], "inner": null}}',
        ),
        (Answer(total=3), '{"sum": 3, "owner": null}'),
        ([Answer(total=3)], '[{"sum": 3, "owner": null}]'),
        ({("a", "b"): 1}, "{('a', 'b'): 1}"),
        (Unspeakable(), "a Unspeakable that cannot be shown"),
        ({"a": Unspeakable()}, "a dict that cannot be shown"),
        (Answer.model_construct(total="\ud800"), '{"total": "\ud800"}'),
        (Text("hello"), (Text("hello"),)),
        ([Text("hello"), PICTURE], (Text("hello"), PICTURE)),
        ((ToolReference("Grep"),), (ToolReference("Grep"),)),
    ],
)
def test_a_result_is_what_the_model_can_read(data: object, content: object) -> None:
    assert TOOL.to_result_block(data) == content


def test_what_cannot_be_copied_or_written_is_still_shown() -> None:
    lock = threading.Lock()

    shown = as_text(Found(lock, []))  # type: ignore[arg-type]  # what the test is about

    assert shown == f'{{"path": "{lock!s}", "lines": [], "inner": null}}'


def test_a_value_deeper_than_the_stack_is_still_an_answer() -> None:
    assert as_text(nested(100_000)) == "a list that cannot be shown"


def test_a_value_that_contains_itself_is_shown_as_python_shows_it() -> None:
    circle: list[Any] = [1]
    circle.append(circle)

    assert as_text(circle) == "[1, [...]]"


@given(json_values)
def test_json_comes_back_from_what_the_model_reads(data: JsonValue) -> None:
    content = as_content({"data": data})

    assert isinstance(content, str)
    try:
        read = loads(content)
    except ValueError:  # NaN and its like are no JSON
        return
    assert read == {"data": data}


@given(st.lists(st.sampled_from([Text("a"), PICTURE, ToolReference("X")]), min_size=1))
def test_blocks_stay_as_they_are_in_their_order(blocks: list[Any]) -> None:
    assert as_content(blocks) == tuple(blocks)
    assert as_content(tuple(blocks)) == tuple(blocks)


def test_plain_data_and_a_whole_result_are_taken_alike() -> None:
    def moved(around: Surroundings) -> Surroundings:
        return around.moved_to("/elsewhere")

    whole: ToolResult[Mapping[str, int]] = ToolResult(
        {"lines": 3},
        new_messages=(UserMessage("note"),),
        context_modifier=moved,
        structured={"lines": 3},
        meta={"server": "a"},
    )

    assert as_output("text") == ToolResult("text")
    assert as_output(None) == ToolResult(None)
    assert as_output(whole) is whole


def test_a_result_can_be_made_with_its_type_written_out() -> None:
    assert ToolResult[str]("text") == ToolResult("text")
