"""What a message becomes, in the form of a request and of a reply."""

import pytest

from gantlet.messages import (
    AssistantMessage,
    FrozenDict,
    JsonValue,
    Message,
    ResultBlock,
    StopReason,
    Text,
    ToolUse,
    Usage,
    UserMessage,
    blocks_of,
    loads,
    message_from_wire,
    message_to_request,
    message_to_wire,
)

HELLO: JsonValue = [{"type": "text", "text": "hello"}]
CALL: dict[str, JsonValue] = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {}}
REPLY: dict[str, JsonValue] = {
    "id": "msg_1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [CALL],
    "stop_reason": "tool_use",
    "stop_sequence": None,
    "usage": {"input_tokens": 3, "output_tokens": 0, "service_tier": "standard"},
}


@pytest.mark.parametrize(
    ("wire", "message"),
    [
        ({"role": "user", "content": "hello"}, UserMessage("hello")),
        ({"role": "user", "content": HELLO}, UserMessage((Text("hello"),))),
        ({"role": "user", "content": []}, UserMessage(())),
        ({"role": "assistant", "content": "hello"}, AssistantMessage("hello")),
        (
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1"}]},
            UserMessage((ResultBlock("toolu_1"),)),
        ),
        (
            REPLY,
            AssistantMessage(
                (ToolUse("toolu_1", "Read", {}),),
                id="msg_1",
                model="m",
                stop_reason=StopReason.TOOL_USE,
                usage=Usage(3, 0, extra=FrozenDict(service_tier="standard")),
                extra=FrozenDict(type="message", stop_sequence=None),
            ),
        ),
    ],
)
def test_a_message_is_read_and_written(wire: dict[str, JsonValue], message: Message) -> None:
    assert message_from_wire(wire) == message
    assert message_to_wire(message) == wire


def test_a_stop_reason_from_the_future_is_kept() -> None:
    message = message_from_wire({**REPLY, "stop_reason": "tired"})

    assert isinstance(message, AssistantMessage)
    assert message.stop_reason == "tired"


def test_fields_of_an_unexpected_type_do_not_spoil_the_message() -> None:
    usage: JsonValue = {"input_tokens": "many", "output_tokens": True}
    wire = {**REPLY, "stop_reason": 5, "usage": usage}

    message = message_from_wire(wire)

    assert isinstance(message, AssistantMessage)
    assert (message.stop_reason, message.extra["stop_reason"]) == (None, 5)
    assert message.usage == Usage(extra=FrozenDict(input_tokens="many", output_tokens=True))
    assert message_to_wire(message) == wire


@pytest.mark.parametrize("wire", [None, [], {}, {"role": "system", "content": ""}, {"role": []}])
def test_a_message_of_another_role_is_refused(wire: JsonValue) -> None:
    with pytest.raises(ValueError, match="The role of a message is 'user' or 'assistant'"):
        message_from_wire(wire)


@pytest.mark.parametrize("role", ["user", "assistant"])
@pytest.mark.parametrize("content", [None, 1, {"type": "text", "text": "a"}])
def test_a_message_of_other_content_is_refused(role: str, content: JsonValue) -> None:
    with pytest.raises(ValueError, match="The content of a message is a string or an array"):
        message_from_wire({"role": role, "content": content})


def test_a_plain_string_is_one_block_of_text() -> None:
    assert blocks_of(UserMessage("hello")) == (Text("hello"),)
    assert blocks_of(AssistantMessage((Text("a"), Text("b")))) == (Text("a"), Text("b"))


def test_what_has_no_json_form_is_told_by_a_request_too() -> None:
    call = ToolUse("c", "Read", {"x": float("nan")})

    with pytest.raises(ValueError, match="cannot be written as JSON"):
        message_to_request(AssistantMessage((call,)))


def test_half_a_surrogate_pair_survives_in_a_request() -> None:
    sent = message_to_request(UserMessage((ResultBlock("c", "half \ud83d pair"),)))

    assert loads(sent) == {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "c", "content": "half \ud83d pair"}],
    }
