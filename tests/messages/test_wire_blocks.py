"""What each block of the Messages API becomes."""

import pytest

from gantlet.messages import (
    Block,
    Document,
    FrozenDict,
    FrozenList,
    Image,
    JsonValue,
    RedactedThinking,
    ResultBlock,
    SearchResult,
    ServerToolResult,
    ServerToolUse,
    Text,
    Thinking,
    ToolReference,
    ToolUse,
    Unknown,
    block_from_wire,
    block_to_wire,
)

SOURCE: dict[str, JsonValue] = {"type": "base64", "media_type": "image/png", "data": "AA=="}
KNOWN: list[tuple[dict[str, JsonValue], Block]] = [
    ({"type": "text", "text": "hello"}, Text("hello")),
    (
        {"type": "text", "text": "x", "citations": [{"type": "char_location"}]},
        Text("x", FrozenList([{"type": "char_location"}])),
    ),
    ({"type": "thinking", "thinking": "hm", "signature": "sig"}, Thinking("hm", "sig")),
    ({"type": "redacted_thinking", "data": "xyz"}, RedactedThinking("xyz")),
    (
        {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"path": "a"}},
        ToolUse("toolu_1", "Read", {"path": "a"}),
    ),
    (
        {"type": "tool_use", "id": "a", "name": "b", "input": {}, "caller": {"type": "direct"}},
        ToolUse("a", "b", {}, caller=FrozenDict(type="direct")),
    ),
    (
        {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"q": 1}},
        ServerToolUse("srvtoolu_1", "web_search", {"q": 1}),
    ),
    (
        {"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": [{"a": 1}]},
        ServerToolResult("web_search_tool_result", "srvtoolu_1", [{"a": 1}]),
    ),
    (
        {"type": "new_tool_result", "tool_use_id": "srvtoolu_1", "content": None},
        ServerToolResult("new_tool_result", "srvtoolu_1", None),
    ),
    ({"type": "tool_result", "tool_use_id": "toolu_1"}, ResultBlock("toolu_1")),
    (
        {"type": "tool_result", "tool_use_id": "toolu_1", "content": "no", "is_error": True},
        ResultBlock("toolu_1", "no", is_error=True),
    ),
    (
        {
            "type": "tool_result",
            "tool_use_id": "toolu_1",
            "content": [{"type": "tool_reference", "tool_name": "Grep"}, {"type": "new"}],
            "is_error": False,
        },
        ResultBlock(
            "toolu_1", (ToolReference("Grep"), Unknown(FrozenDict(type="new"))), is_error=False
        ),
    ),
    ({"type": "image", "source": SOURCE}, Image(FrozenDict(SOURCE))),
    (
        {"type": "document", "source": SOURCE, "title": "T"},
        Document(FrozenDict(SOURCE), "T"),
    ),
    (
        {"type": "search_result", "source": "s", "title": "t", "content": []},
        SearchResult("s", "t", FrozenList()),
    ),
    ({"type": "tool_reference", "tool_name": "Grep"}, ToolReference("Grep")),
]


@pytest.mark.parametrize(("wire", "block"), KNOWN)
def test_a_known_block_is_read_and_written(wire: dict[str, JsonValue], block: Block) -> None:
    assert block_from_wire(wire) == block
    assert block_to_wire(block) == wire


def test_unknown_fields_and_explicit_nulls_are_kept_in_extra() -> None:
    wire = {"type": "text", "text": "a", "citations": None, "cache_control": {"type": "ephemeral"}}

    block = block_from_wire(wire)

    assert block == Text("a", extra=FrozenDict(citations=None, cache_control={"type": "ephemeral"}))
    assert block_to_wire(block) == wire


@pytest.mark.parametrize(
    "wire",
    [
        None,
        "text",
        [],
        {},
        {"type": None},
        {"type": ["text"]},
        {"type": "from_the_future", "text": "a"},
        {"type": "text"},
        {"type": "text", "text": 1},
        {"type": "text", "text": None},
        {"type": "text", "text": "a", "citations": "b"},
        {"type": "tool_use", "id": "a", "name": "b", "input": "{}"},
        {"type": "tool_use", "id": "a", "name": "b", "input": {}, "caller": "me"},
        {"type": "tool_result", "tool_use_id": "a", "is_error": "yes"},
        {"type": "tool_result", "tool_use_id": "a", "content": {"type": "text"}},
        {"type": "tool_result", "content": "a"},
        {"type": "code_execution_tool_result", "content": {}},
    ],
)
def test_a_block_that_cannot_be_read_goes_back_unchanged(wire: JsonValue) -> None:
    block = block_from_wire(wire)

    assert block == Unknown(wire)
    assert block_to_wire(block) == wire


def test_a_result_inside_a_result_stays_raw_however_deep() -> None:
    wire: JsonValue = {"type": "tool_result", "tool_use_id": "0"}
    for _ in range(5_000):
        wire = {"type": "tool_result", "tool_use_id": "1", "content": [wire]}

    block = block_from_wire(wire)

    assert isinstance(block, ResultBlock)
    assert isinstance(block.content, tuple)
    assert [type(inner) for inner in block.content] == [Unknown]


def test_a_field_wins_over_what_extra_says_about_it() -> None:
    block = ResultBlock("toolu_1", "done", extra=FrozenDict(content=None, type="other", x=1))

    assert block_to_wire(block) == {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": "done",
        "x": 1,
    }


@pytest.mark.parametrize("make", [ToolUse, ServerToolUse])
def test_a_call_does_not_change_with_the_dict_it_was_built_from(
    make: type[ToolUse] | type[ServerToolUse],
) -> None:
    given: dict[str, JsonValue] = {"paths": ["a"]}

    call = make("toolu_1", "Read", given)
    given["paths"] = []

    assert call == make("toolu_1", "Read", FrozenDict(paths=["a"]))
    assert type(call.input) is FrozenDict


def test_blocks_read_from_a_dict_do_not_change_with_it() -> None:
    wire: dict[str, JsonValue] = {"type": "text", "text": "a", "later": [1]}

    block = block_from_wire(wire)
    wire["later"] = None

    assert block == Text("a", extra=FrozenDict(later=[1]))
