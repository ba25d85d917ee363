"""The short way for plain deltas reads exactly what the long way reads."""

from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import stream_event_from_wire
from gantlet.messages.stream_wire import _EVENTS

names = st.sampled_from(["type", "index", "delta", "text", "partial_json", "thinking", "x", ""])
scalars = st.none() | st.booleans() | st.integers(-1, 3) | st.floats(0, 1) | st.text(max_size=3)
odd = scalars | st.lists(scalars, max_size=1) | st.dictionaries(names, scalars, max_size=2)
kinds = st.sampled_from(
    ["text_delta", "input_json_delta", "thinking_delta", "signature_delta", "new_delta"]
)
deltas = odd | st.builds(
    lambda kind, rest: {"type": kind, **rest},
    kinds | odd,
    st.dictionaries(names.filter(lambda name: name != "type"), odd, max_size=3),
)
events = st.builds(
    lambda kind, index, delta, rest: {**rest, "type": kind, "index": index, "delta": delta},
    st.just("content_block_delta") | odd,
    st.integers(0, 3) | odd,
    deltas,
    st.dictionaries(names, odd, max_size=1),
)


@given(events | odd)
def test_a_delta_is_read_the_same_on_the_short_and_on_the_long_way(wire: object) -> None:
    event = stream_event_from_wire(wire)

    assert event == _EVENTS.read(wire)
    assert repr(event) == repr(_EVENTS.read(wire))
