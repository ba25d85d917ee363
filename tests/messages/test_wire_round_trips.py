"""Any block, message or stream event that is read and written again is the same JSON."""

from hypothesis import given
from hypothesis import strategies as st

from gantlet.messages import (
    JsonValue,
    Unknown,
    UnknownEvent,
    block_from_wire,
    block_to_wire,
    blocks_of,
    dumps,
    message_from_wire,
    message_to_request,
    message_to_wire,
    stream_event_from_wire,
    stream_event_to_wire,
)

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(), max_size=8)
)
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
objects = st.dictionaries(st.text(max_size=5), json_values, max_size=3)
extra_names = st.sampled_from(["cache_control", "citations", "extra", "raw", "self", "é"])
extras = st.dictionaries(extra_names | st.text(max_size=5), json_values, max_size=3)


def with_fields(
    fixed: dict[str, JsonValue], fields: dict[str, st.SearchStrategy[JsonValue]]
) -> st.SearchStrategy[JsonValue]:
    """Objects with some of `fields`, most of the right type, and with fields nobody knows."""
    maybe_wrong = {name: right | right | right | json_values for name, right in fields.items()}
    known = st.fixed_dictionaries(dict[str, st.SearchStrategy[JsonValue]](), optional=maybe_wrong)
    return st.builds(lambda extra, some: {**extra, **some, **fixed}, extras, known)


text = st.text(st.characters(), max_size=8)
call: dict[str, st.SearchStrategy[JsonValue]] = {
    "id": text,
    "name": text,
    "input": objects,
    "caller": objects,
}
BLOCK_FIELDS: dict[str, dict[str, st.SearchStrategy[JsonValue]]] = {
    "text": {"text": text, "citations": st.lists(json_values, max_size=2)},
    "thinking": {"thinking": text, "signature": text},
    "redacted_thinking": {"data": text},
    "tool_use": call,
    "server_tool_use": call,
    "web_search_tool_result": {"tool_use_id": text, "content": json_values},
    "mcp_tool_result": {"tool_use_id": text, "content": json_values, "is_error": st.booleans()},
    "image": {"source": objects},
    "document": {"source": objects, "title": text, "context": text},
    "search_result": {"source": text, "title": text, "content": st.lists(objects, max_size=2)},
    "tool_reference": {"tool_name": text},
    "container_upload": {"file_id": text},
}
plain_blocks: st.SearchStrategy[JsonValue] = st.one_of(
    [with_fields({"type": kind}, fields) for kind, fields in BLOCK_FIELDS.items()]
)


def results_of(inner: st.SearchStrategy[JsonValue]) -> st.SearchStrategy[JsonValue]:
    content: st.SearchStrategy[JsonValue] = text | st.lists(inner | json_values, max_size=3)
    fields = {"tool_use_id": text, "content": content, "is_error": st.booleans()}
    return with_fields({"type": "tool_result"}, fields)


blocks = plain_blocks | results_of(plain_blocks | results_of(plain_blocks))
anything_as_block = blocks | json_values | extras.map(lambda extra: {**extra, "type": "text"})
contents: st.SearchStrategy[JsonValue] = text | st.lists(anything_as_block, max_size=3)
counts = st.integers(0, 1000)
usages = with_fields({}, {"input_tokens": counts, "output_tokens": counts})
ends: dict[str, st.SearchStrategy[JsonValue]] = {
    "stop_reason": text,
    "stop_sequence": text,
    "stop_details": objects,
}


@st.composite
def messages(draw: st.DrawFn) -> dict[str, JsonValue]:
    fields = {"id": text, "model": text, "usage": usages, "type": st.just("message"), **ends}
    rest = draw(with_fields({}, fields))
    role = draw(st.sampled_from(["user", "assistant"]))
    assert isinstance(rest, dict)
    return {**rest, "role": role, "content": draw(contents)}


deltas: st.SearchStrategy[JsonValue] = st.one_of(
    with_fields({"type": "text_delta"}, {"text": text}),
    with_fields({"type": "input_json_delta"}, {"partial_json": text}),
    with_fields({"type": "thinking_delta"}, {"thinking": text}),
    with_fields({"type": "signature_delta"}, {"signature": text}),
    with_fields({"type": "citations_delta"}, {"citation": objects}),
    with_fields({"type": "new_delta"}, {"text": text}),
)
EVENT_FIELDS: dict[str, dict[str, st.SearchStrategy[JsonValue]]] = {
    "message_start": {"message": messages()},
    "content_block_start": {"index": counts, "content_block": anything_as_block},
    "content_block_delta": {"index": counts, "delta": deltas},
    "content_block_stop": {"index": counts},
    "message_delta": {"delta": with_fields({}, ends), "usage": usages},
    "message_stop": {},
    "ping": {},
    "error": {"error": with_fields({}, {"type": text, "message": text})},
    "new_event": {"index": counts},
}
stream_events: st.SearchStrategy[JsonValue] = st.one_of(
    [with_fields({"type": kind}, fields) for kind, fields in EVENT_FIELDS.items()]
)


def exact(value: JsonValue) -> object:
    """Return something equal only for values that are the same JSON: 1 is not 1.0, nor True."""
    if isinstance(value, dict):
        return {name: exact(item) for name, item in value.items()}
    if isinstance(value, list):
        return [exact(item) for item in value]
    return type(value), repr(value)


@given(anything_as_block)
def test_any_block_is_written_as_it_was_read(wire: JsonValue) -> None:
    assert exact(block_to_wire(block_from_wire(wire))) == exact(wire)


@given(messages())
def test_any_message_is_written_as_it_was_read(wire: dict[str, JsonValue]) -> None:
    assert exact(message_to_wire(message_from_wire(wire))) == exact(wire)


@given(messages())
def test_a_request_carries_the_role_and_the_blocks_of_a_message(wire: dict[str, JsonValue]) -> None:
    message = message_from_wire(wire)
    content = [block_to_wire(block) for block in blocks_of(message)]

    assert message_to_request(message) == dumps({"role": wire["role"], "content": content})


@given(stream_events)
def test_any_stream_event_is_written_as_it_was_read(wire: JsonValue) -> None:
    assert exact(stream_event_to_wire(stream_event_from_wire(wire))) == exact(wire)


@given(json_values)
def test_json_that_is_no_block_and_no_event_is_kept_raw(wire: JsonValue) -> None:
    assert block_from_wire(wire) == Unknown(wire)
    assert stream_event_from_wire(wire) == UnknownEvent(wire)


@given(anything_as_block)
def test_reading_a_block_again_gives_an_equal_block(wire: JsonValue) -> None:
    block = block_from_wire(wire)

    assert block_from_wire(block_to_wire(block)) == block
