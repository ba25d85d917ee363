"""The vendor's own client as the judge: it sends what we send and reads what we read."""

import json
from typing import Any

import pytest

from gantlet.loop.reply import Reply
from gantlet.messages import (
    BlockDelta,
    BlockStart,
    BlockStop,
    CitationsDelta,
    InputJsonDelta,
    MessageDelta,
    MessageStart,
    ModelRequest,
    SignatureDelta,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    Usage,
    block_to_wire,
    blocks_of,
    dumps,
    message_to_wire,
    thaw,
)
from gantlet.models.messages_api import Endpoint, KeyHeader, MessagesApi
from models.messages_api_kit import (
    LAST_CHUNK,
    PING,
    REPLY,
    START,
    STOP,
    RawServer,
    Wire,
    answer,
    block,
    call_block,
    chunks,
    end,
    head,
    request,
    sse,
    streamed,
    text_block,
)

KEY = "sk-test-0123456789"
VERSION = "2026-10-21"
CITATION = {
    "type": "char_location",
    "cited_text": "sky",
    "document_index": 0,
    "document_title": None,
    "start_char_index": 0,
    "end_char_index": 3,
    "file_id": None,
}
SEARCHED = {
    "type": "web_search_tool_result",
    "tool_use_id": "srvtoolu_1",
    "content": [
        {
            "type": "web_search_result",
            "title": "A page",
            "url": "http://page.test",
            "encrypted_content": "xyz",
            "page_age": None,
        }
    ],
}

TRANSCRIPTS: dict[str, list[Wire]] = {
    "a text and a call": list(REPLY),
    "an empty reply": [START, end(), STOP],
    "an empty text": [START, *text_block(0), end(), STOP],
    "calls side by side": [
        START,
        *text_block(0, "I look."),
        *call_block(1, "Read", '{"path":', ' "a"}'),
        *call_block(2, "Read", "", '{"path": "b", "limit": 10, "deep": [1.5, null, true, {}]}'),
        *call_block(3, "Now"),
        end("tool_use"),
        STOP,
    ],
    "escapes in an input": [
        START,
        *call_block(0, "Write", '{"text": "a\\n', "b\\u00e9\\ud83d\\ude00", ' \\"c\\""}'),
        end("tool_use"),
        STOP,
    ],
    "thinking": [
        START,
        *block(
            0,
            {"type": "thinking", "thinking": "", "signature": ""},
            {"type": "thinking_delta", "thinking": "Let me "},
            {"type": "thinking_delta", "thinking": "see."},
            {"type": "signature_delta", "signature": "EqQB=="},
        ),
        *block(1, {"type": "redacted_thinking", "data": "hidden"}),
        *text_block(2, "Done."),
        end(),
        STOP,
    ],
    "citations": [
        START,
        *block(
            0,
            {"type": "text", "text": "", "citations": []},
            {"type": "text_delta", "text": "The sky"},
            {"type": "citations_delta", "citation": CITATION},
            {"type": "citations_delta", "citation": {**CITATION, "document_index": 1}},
        ),
        end(),
        STOP,
    ],
    "a tool of the server": [
        START,
        *block(
            0,
            {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}},
            {"type": "input_json_delta", "partial_json": '{"query": "weather"}'},
        ),
        *block(1, SEARCHED),
        *text_block(2, "Sunny."),
        end("pause_turn"),
        STOP,
    ],
    "usage that changes": [
        START,
        *text_block(0, "a"),
        end("stop_sequence", input_tokens=40, cache_read_input_tokens=7),
        end("max_tokens", output_tokens=55, cache_creation_input_tokens=9),
        STOP,
    ],
    "pings and events from the future": [
        PING,
        START,
        PING,
        *text_block(0, "a", "b"),
        PING,
        {"type": "from_the_future", "x": 1},
        end(),
        PING,
        STOP,
    ],
    "a long input": [
        START,
        *call_block(0, "Write", '{"t": "', *["x" * 999] * 50, '"}'),
        end(),
        STOP,
    ],
}


def accumulated(events: list[StreamEvent]) -> Wire:
    """Return the message that the events make, as the rules say."""
    message: Wire = {}
    usage = Usage()
    parts: dict[int, list[str]] = {}
    for event in events:
        match event:
            case MessageStart(start):
                message = thaw(message_to_wire(start))
                usage = start.usage or usage
            case BlockStart(_, started):
                message["content"].append(thaw(block_to_wire(started)))
            case BlockDelta(index, delta):
                grow(message["content"][index], delta, parts.setdefault(index, []))
            case BlockStop(index) if "input" in message["content"][index]:
                message["content"][index]["input"] = json.loads(
                    "".join(parts.get(index, [])) or "{}"
                )
            case MessageDelta() as last:
                message["stop_reason"] = last.delta.stop_reason
                message["stop_sequence"] = last.delta.stop_sequence
                usage = usage.updated(last.usage or Usage())
    message["usage"] = {
        name: count
        for name in (
            "input_tokens",
            "output_tokens",
            "cache_creation_input_tokens",
            "cache_read_input_tokens",
        )
        if (count := getattr(usage, name)) is not None
    }
    return message


def grow(started: Wire, delta: object, parts: list[str]) -> None:
    """Add a delta to a block."""
    match delta:
        case TextDelta(text):
            started["text"] += text
        case ThinkingDelta(thinking):
            started["thinking"] += thinking
        case SignatureDelta(signature):
            started["signature"] = signature
        case CitationsDelta(citation):
            started["citations"] = [*(started.get("citations") or []), thaw(citation)]
        case InputJsonDelta(part):
            parts.append(part)


def kept_by_the_loop(events: list[StreamEvent]) -> list[object]:
    """Return the content that the loop puts into history, and sends back."""
    reply = Reply()
    for event in events:
        reply.feed(event)
    message = reply.message()
    return [thaw(block_to_wire(one)) for one in blocks_of(message)] if message else []


def without_nulls(message: Wire) -> Wire:
    """Return a message without members that say nothing."""
    return {name: value for name, value in message.items() if value is not None}


def judge(server: RawServer, **options: Any) -> Any:
    anthropic = pytest.importorskip("anthropic")  # here, because its import takes seconds
    return anthropic.AsyncAnthropic(
        base_url=server.url, max_retries=0, **(options or {"api_key": KEY})
    )


def ours(server: RawServer, **options: Any) -> MessagesApi:
    values = {"api_key": KEY, "key_header": KeyHeader.BEARER, "api_version": VERSION, **options}
    return MessagesApi(Endpoint(server.url, max_retries=0, **values))


@pytest.mark.parametrize("size", [1 << 20, 13], ids=["at once", "in pieces"])
@pytest.mark.parametrize("name", TRANSCRIPTS)
async def test_both_read_the_same_message(name: str, size: int) -> None:
    script = [head() + chunks(sse(*TRANSCRIPTS[name]), size) + LAST_CHUNK]

    async with RawServer([script, script]) as server:
        model = ours(server)
        async with model.stream(request()) as events:
            read = [event async for event in events]
        await model.aclose()
        async with (
            judge(server) as client,
            client.messages.stream(
                model="claude-opus-5-5",
                max_tokens=100,
                messages=[{"role": "user", "content": "Hello"}],
            ) as stream,
        ):
            final = await stream.get_final_message()

    theirs = json.loads(final.to_json())
    assert without_nulls(accumulated(read)) == without_nulls(theirs)
    assert kept_by_the_loop(read) == [one for one in theirs["content"] if one.get("text") != ""]


async def test_both_read_the_same_whole_message() -> None:
    reply = [
        answer(
            200,
            {
                **START["message"],
                "content": [
                    {"type": "text", "text": "Ça va", "citations": None},
                    {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"a": [1]}},
                ],
                "stop_reason": "tool_use",
            },
        )
    ]

    async with RawServer([reply, reply]) as server:
        model = ours(server)
        message = await model.complete(request())
        await model.aclose()
        async with judge(server) as client:
            theirs = await client.messages.create(
                model="claude-opus-5-5",
                max_tokens=100,
                messages=[{"role": "user", "content": "Hello"}],
            )

    assert without_nulls(message_to_wire(message)) == without_nulls(json.loads(theirs.to_json()))


RICH: dict[str, Any] = {
    "model": "claude-opus-5-5",
    "max_tokens": 4096,
    "system": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
    "tools": [
        {
            "name": "Read",
            "description": "Read a file.",
            "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}},
            "strict": True,
        }
    ],
    "tool_choice": {"type": "auto", "disable_parallel_tool_use": False},
    "thinking": {"type": "adaptive"},
    "metadata": {"user_id": "u"},
    "messages": [
        {"role": "user", "content": "Où est naïve.txt ?"},
        {
            "role": "assistant",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "sig"},
                {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"path": "é"}},
            ],
        },
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "x"}],
        },
    ],
}


def rich_request(**changes: Any) -> ModelRequest:
    known = {"model", "max_tokens", "system", "tools", "messages"}
    return ModelRequest(
        RICH["model"],
        RICH["max_tokens"],
        [dumps(message) for message in RICH["messages"]],
        dumps(RICH["system"]),
        dumps(RICH["tools"]),
        {name: value for name, value in RICH.items() if name not in known},
        **changes,
    )


@pytest.mark.parametrize("is_stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(
    ("their_options", "our_options"),
    [
        ({"api_key": KEY}, {}),
        ({"auth_token": "token"}, {"api_key": None, "auth_token": "token"}),
        (
            {"api_key": KEY, "default_headers": {"anthropic-version": "2023-06-01", "X-Team": "b"}},
            {"api_version": "2023-06-01", "custom_headers": (("X-Team", "b"),)},
        ),
    ],
    ids=["key", "token", "headers"],
)
async def test_both_send_the_same_request(
    is_stream: bool, their_options: dict[str, Any], our_options: dict[str, Any]
) -> None:
    reply = streamed(*REPLY) if is_stream else [answer(200, START["message"])]
    betas = ("one-2026-01-01", "two-2026-01-01")

    async with RawServer([reply, reply]) as server:
        model = ours(server, **our_options)
        if is_stream:
            async with model.stream(rich_request(betas=betas)) as events:
                assert [event async for event in events]
        else:
            await model.complete(rich_request(betas=betas))
        await model.aclose()
        async with judge(server, **their_options) as client:
            made = await client.messages.create(
                **RICH, stream=is_stream, extra_headers={"anthropic-beta": ",".join(betas)}
            )
            if is_stream:
                assert [event async for event in made]

    mine, theirs = server.requests
    assert mine.line == theirs.line
    assert compared(mine.headers) == compared(theirs.headers)
    assert mine.wire == {"stream": False, **theirs.wire}


def compared(headers: Any) -> dict[str, str]:
    """Return the headers that mean something to the API."""
    own = {"user-agent", "host", "content-length", "accept-encoding", "connection"}
    return {
        name: value
        for name, value in headers.items()
        if name not in own and not name.startswith("x-stainless")
    }
