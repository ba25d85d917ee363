"""What is sent: where, with which headers, with which body; and what is never sent."""

import json
import subprocess
import sys
from typing import Any

import pytest

from gantlet.messages import Model, ModelErrorKind, dumps
from gantlet.models.messages_api import Endpoint, KeyHeader, MessagesApi
from gantlet.tool import UserError
from models.messages_api_kit import (
    HOLD,
    REPLY,
    RawServer,
    answer,
    head,
    request,
    streamed,
    talk,
)


async def headers_sent(**changes: Any) -> dict[str, str]:
    """Return the headers of a request, without those that frame it."""
    async with talk(streamed(*REPLY), **changes) as conversation:
        await conversation.hear(request(betas=("one-2026-01-01", "two-2026-01-01")))
        sent = conversation.server.requests[0]
    framing = {"host", "content-length", "connection", "accept-encoding"}
    return {name: value for name, value in sent.headers.items() if name not in framing}


def test_it_is_a_model() -> None:
    model: Model = MessagesApi(Endpoint())

    assert model.capabilities("claude-opus-5-5").model == "claude-opus-5-5"


async def test_a_request_goes_to_the_messages_of_the_base_url() -> None:
    async with RawServer([streamed(*REPLY), streamed(*REPLY)]) as server:
        for path in ("", "/gateway/"):
            model = MessagesApi(Endpoint(server.url + path))
            async with model.stream(request()) as events:
                await anext(events)
            await model.aclose()

    assert [sent.line for sent in server.requests] == [
        "POST /v1/messages HTTP/1.1",
        "POST /gateway/v1/messages HTTP/1.1",
    ]


async def test_headers_say_who_asks_and_what_for() -> None:
    assert await headers_sent() == {
        "accept": "application/json",
        "anthropic-beta": "one-2026-01-01,two-2026-01-01",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
        "user-agent": "gantlet",
        "x-api-key": "sk-test-0123456789",
    }


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"api_key": None}, {}),
        ({"key_header": KeyHeader.BEARER}, {"authorization": "Bearer sk-test-0123456789"}),
        ({"auth_token": "token"}, {"authorization": "Bearer token"}),
        ({"custom_headers": (("X-Api-Key", "mine"),)}, {"x-api-key": "mine"}),
        (
            {"custom_headers": (("Authorization", "Basic abc"),), "api_key": None},
            {"authorization": "Basic abc"},
        ),
    ],
)
async def test_one_credential_is_sent(changes: dict[str, Any], expected: dict[str, str]) -> None:
    sent = await headers_sent(**changes)

    credentials = {"x-api-key", "authorization"} & sent.keys()
    assert {name: sent[name] for name in credentials} == expected


async def test_custom_headers_win_and_betas_add_up() -> None:
    sent = await headers_sent(
        api_version="2026-10-21",
        betas=("two-2026-01-01", "three-2026-01-01"),
        custom_headers=(
            ("Anthropic-Beta", "four-2026-01-01, one-2026-01-01"),
            ("X-Team", "blue, green"),
        ),
        user_agent="gantlet/9",
    )

    assert sent["anthropic-version"] == "2026-10-21"
    assert sent["x-team"] == "blue, green"
    assert sent["user-agent"] == "gantlet/9"
    assert sent["anthropic-beta"] == (
        "two-2026-01-01,three-2026-01-01,one-2026-01-01,four-2026-01-01"
    )


async def test_the_body_is_the_request_with_the_extra_body_merged() -> None:
    asked = request(
        system=dumps([{"type": "text", "text": "Be kind."}]),
        tools=dumps([{"name": "Read", "input_schema": {"type": "object"}}]),
        extra={"thinking": {"type": "adaptive"}, "metadata": {"user_id": "u"}},
    )

    async with talk(streamed(*REPLY), extra_body={"metadata": {"user_id": "x"}, "y": 1}) as talked:
        await talked.hear(asked)
        body = talked.server.requests[0].body

    pairs = json.loads(body, object_pairs_hook=list)
    assert [name for name, _ in pairs] == [
        "model",
        "max_tokens",
        "thinking",
        "metadata",
        "y",
        "stream",
        "tools",
        "system",
        "messages",
    ]
    assert json.loads(body) == {
        "model": "claude-opus-5-5",
        "max_tokens": 100,
        "thinking": {"type": "adaptive"},
        "metadata": {"user_id": "x"},
        "y": 1,
        "stream": True,
        "tools": [{"name": "Read", "input_schema": {"type": "object"}}],
        "system": [{"type": "text", "text": "Be kind."}],
        "messages": [{"role": "user", "content": "Hello"}],
    }


async def test_a_large_request_is_sent_whole() -> None:
    long = dumps({"role": "user", "content": "é" * 3_000_000})

    async with talk(streamed(*REPLY)) as conversation:
        heard = await conversation.hear(request(messages=[long]))
        sent = conversation.server.requests[0]

    assert heard.error is None
    assert sent.wire["messages"] == [json.loads(long)]


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_is_refused_and_takes_the_key_nowhere(status: int) -> None:
    async with RawServer([]) as elsewhere:
        moved = [answer(status, b"", location=f"{elsewhere.url}/v1/messages")]
        async with talk(moved, max_retries=3) as conversation:
            heard = await conversation.hear()

    assert elsewhere.connections == 0
    assert len(conversation.server.requests) == 1
    assert heard.error is not None
    assert (heard.error.kind, heard.error.status) == (ModelErrorKind.UNKNOWN, status)
    assert elsewhere.url in str(heard.error)


async def test_the_public_api_without_a_key_is_not_even_called() -> None:
    model = MessagesApi(Endpoint())

    with pytest.raises(UserError, match="Set ANTHROPIC_API_KEY"):
        async with model.stream(request()):
            pass
    with pytest.raises(UserError, match="needs a key"):
        await model.complete(request())

    assert model._transport is None


async def test_a_proxy_of_the_environment_is_not_used_for_this_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    async with talk(streamed(*REPLY)) as conversation:
        heard = await conversation.hear()

    assert heard.error is None


async def test_a_server_that_answers_before_it_has_read_everything_is_heard() -> None:
    early = [answer(413, {"error": {"type": "request_too_large", "message": "too big"}})]

    async with talk(early) as conversation:
        heard = await conversation.hear(request(messages=[b'"' + b"x" * 5_000_000 + b'"']))

    assert heard.error is not None
    assert heard.error.kind is ModelErrorKind.PROMPT_TOO_LONG


async def test_an_informational_response_is_skipped() -> None:
    async with talk([b"HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", *streamed(*REPLY)]) as talked:
        heard = await talked.hear()

    assert heard.error is None


async def test_an_empty_reply_is_no_reply() -> None:
    async with talk([head(204, "", ""), HOLD]) as conversation:
        heard = await conversation.hear()

    assert heard.error is not None
    assert heard.error.kind is ModelErrorKind.BROKEN_STREAM


def test_http_is_loaded_with_the_first_request_only() -> None:
    program = (
        "import sys; import gantlet.models.messages_api as m; m.MessagesApi(m.Endpoint()); "
        "print([name for name in ('httpx2', 'httpcore2', 'anthropic') if name in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)

    assert done.stdout.strip() == b"[]"


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_the_body_is_json_whatever_it_holds(count: int) -> None:
    messages = [b'{"role":"user","content":"%d"}' % number for number in range(count)]
    for parts in ({}, {"tools": b"[1]"}, {"system": b"[2]"}, {"tools": b"[1]", "system": b"[2]"}):
        asked = request(messages=messages, extra={"thinking": None}, **parts)

        assert json.loads(asked.body(stream=True)) == {
            "model": "claude-opus-5-5",
            "max_tokens": 100,
            "thinking": None,
            "stream": True,
            "messages": [{"role": "user", "content": str(number)} for number in range(count)],
            **{name: json.loads(part) for name, part in parts.items()},
        }
