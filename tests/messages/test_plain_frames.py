"""The short ways through decoding give what the long ones give."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import FrozenDict, FrozenList, freeze, loads, stream_event_from_wire
from gantlet.messages.stream_wire import _EVENTS

INDEXES = st.sampled_from([0, 3, -1, True, 1.0, "0", None])
BLOCKS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["tool_use", "text", 3]),
        "id": st.sampled_from(["a", "", None, 1]),
        "name": st.sampled_from(["Read", "", None]),
        "input": st.sampled_from([{}, {"a": 1}, None, [], FrozenDict()]),
        "caller": st.sampled_from([None, {"type": "direct"}]),
        "text": st.just("x"),
    },
)
WIRES = st.fixed_dictionaries(
    {"type": st.sampled_from(["content_block_start", "content_block_stop", "ping"])},
    optional={"index": INDEXES, "content_block": BLOCKS, "more": st.just(1)},
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=5,
)


@given(WIRES)
def test_the_short_way_reads_the_same_event(wire: dict[str, Any]) -> None:
    assert stream_event_from_wire(wire) == _EVENTS.read(wire)


@given(VALUES, st.sampled_from(["", " ", "\n"]), st.sampled_from(["", " ", "x", "}"]))
def test_the_short_way_reads_the_same_json(value: object, before: str, after: str) -> None:
    text = before + json.dumps(value) + after

    try:
        expected = json.loads(text)
    except ValueError as error:
        with pytest.raises(ValueError, match="Extra data") as raised:
            loads(text)
        assert raised.value.args == error.args  # noqa: PT017 - the same error both ways
    else:
        assert loads(text) == expected


@given(VALUES)
def test_what_is_flat_is_frozen_like_the_rest(value: object) -> None:
    frozen = freeze(value)

    assert frozen == value
    for part in [frozen, *(frozen.values() if isinstance(frozen, dict) else ())]:
        assert not isinstance(part, dict) or isinstance(part, FrozenDict)
        assert not isinstance(part, list) or isinstance(part, FrozenList)


def test_a_flat_value_with_a_key_that_is_no_text_is_refused() -> None:
    with pytest.raises(TypeError):
        freeze({1: "a"})
