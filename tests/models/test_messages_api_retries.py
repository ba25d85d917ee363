"""Which failures are tried again, after which waits, and what is said about them."""

from typing import Any

import anyio
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gantlet.messages import ModelError, ModelErrorKind
from gantlet.messages.value import replace
from gantlet.models.messages_api.retry_after import retry_after_seconds
from gantlet.testing import VirtualClock
from models.messages_api_kit import (
    EVENTS,
    HOLD,
    LAST_CHUNK,
    REPLY,
    RawServer,
    Script,
    Talk,
    answer,
    head,
    refusal,
    request,
    streamed,
    talk,
)

pytestmark = pytest.mark.usefixtures("each_transport")

MESSAGE = {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]}


async def waits(*scripts: Script, **changes: Any) -> list[tuple[float, str, int | None]]:
    """Return each wait, its reason and its status, until a reply or the last failure."""
    told: list[tuple[float, str, int | None]] = []

    def listen(*, delay_seconds: float, reason: str, status: int | None, **_: object) -> None:
        told.append((delay_seconds, reason, status))

    values = {"max_retries": 10, **changes}
    async with VirtualClock() as clock, talk(*scripts, clock=clock, **values) as conversation:
        with anyio.fail_after(20):
            async with conversation.model.stream(request(), listen) as events:
                assert [event async for event in events] == EVENTS
        assert clock.now() == sum(delay for delay, _, _ in told)
        assert not conversation.server.scripts
    return told


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (408, "unknown"),
        (409, "unknown"),
        (429, "rate_limit"),
        (500, "server_error"),
        (502, "server_error"),
        (503, "server_error"),
        (504, "server_error"),
        (529, "overloaded"),
    ],
)
async def test_a_passing_failure_is_tried_again(status: int, reason: str) -> None:
    told = await waits([answer(status, b"")], streamed(*REPLY))

    assert told == [(0.5, reason, status)]


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404, 405, 413, 422])
async def test_a_lasting_failure_is_not_tried_again(status: int) -> None:
    async with talk([answer(status, b"")], max_retries=10) as conversation:
        heard = await conversation.hear()

    assert heard.error is not None
    assert heard.error.status == status
    assert len(conversation.server.requests) == 1


@pytest.mark.parametrize(
    ("status", "wish", "count"),
    [(422, "true", 2), (500, "false", 1), (429, "FALSE", 1), (400, "true", 1), (401, "true", 1)],
)
async def test_the_server_may_say_whether_to_try_again(status: int, wish: str, count: int) -> None:
    failure = [answer(status, b"", x_should_retry=wish)]

    async with (
        VirtualClock() as clock,
        talk(failure, failure, clock=clock, max_retries=1) as conversation,
    ):
        await conversation.hear()

    assert len(conversation.server.requests) == count


async def test_the_waits_grow_and_then_stay() -> None:
    told = await waits(*[[answer(500, b"")]] * 7, streamed(*REPLY))

    assert [delay for delay, _, _ in told] == [0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


async def test_chance_makes_a_wait_shorter() -> None:
    server = RawServer([[answer(500, b"")], streamed(*REPLY)])

    async with (
        VirtualClock() as clock,
        Talk(server, {"max_retries": 1}, clock, chance=lambda: 1.0) as conversation,
    ):
        heard = await conversation.hear()

    assert heard.events == EVENTS
    assert clock.now() == 0.375


@pytest.mark.parametrize(
    ("headers", "delay"),
    [
        ({"retry_after": "7"}, 7.0),
        ({"retry_after": "1.5"}, 1.5),
        ({"retry_after": "0"}, 0.0),
        ({"retry_after": "3600"}, 60.0),
        ({"retry_after_ms": "250", "retry_after": "7"}, 0.25),
        (
            {
                "date": "Sun, 15 Nov 2026 10:00:00 GMT",
                "retry_after": "Sun, 15 Nov 2026 10:00:09 GMT",
            },
            9.0,
        ),
        ({"retry_after": "Sun, 15 Nov 2020 10:00:00 GMT"}, 0.0),
        ({"retry_after": "soon"}, 0.5),
        ({"retry_after": "-3"}, 0.5),
        ({"retry_after": "inf"}, 0.5),
    ],
)
async def test_the_server_may_say_how_long_to_wait(headers: dict[str, str], delay: float) -> None:
    told = await waits([refusal(429, "rate_limit_error", **headers)], streamed(*REPLY))

    assert told == [(delay, "rate_limit", 429)]


def test_a_date_without_the_servers_clock_is_compared_with_ours() -> None:
    asked = {"retry-after": "Thu, 01 Jan 1970 00:01:00 GMT"}

    assert retry_after_seconds(asked, now=20.0) == 40.0


@given(st.text(max_size=40) | st.from_regex(r"\A[A-Z][a-z]{2}, \d+ Jan \d+ \d+:\d+:\d+ [+-]\d+\Z"))
@example("Mon, 01 Jan 9999999 00:00:00 GMT")
@example("Mon, 01 Jan 0001 00:00:00 +2359")
@example("9" * 5000)
def test_no_wish_is_so_odd_that_it_breaks_us(asked: str) -> None:
    wait = retry_after_seconds({"retry-after": asked, "date": asked}, now=20.0)

    assert wait is None or wait >= 0


async def test_retries_end() -> None:
    failure = [answer(500, b"")]

    async with (
        VirtualClock() as clock,
        talk(*[failure] * 9, clock=clock, max_retries=3) as conversation,
    ):
        heard = await conversation.hear()
        with pytest.raises(ModelError):
            await conversation.model.complete(request())

    assert heard.error is not None
    assert heard.error.kind is ModelErrorKind.SERVER_ERROR
    assert len(conversation.server.requests) == 8


async def test_a_whole_reply_is_tried_again_too() -> None:
    told = []

    async with (
        VirtualClock() as clock,
        talk([answer(529, b"")], [answer(200, MESSAGE)], clock=clock, max_retries=1) as talked,
    ):
        message = await talked.model.complete(request(), lambda **facts: told.append(facts))

    assert len(message.content) == 1
    assert told == [
        {
            "attempt": 1,
            "max_attempts": 1,
            "delay_seconds": 0.5,
            "reason": "overloaded",
            "status": 529,
        }
    ]


async def test_an_overloaded_model_with_a_fallback_is_left_soon() -> None:
    overloaded = [answer(529, b"")]
    asked = replace(request(), has_fallback=True)

    async with (
        VirtualClock() as clock,
        talk(*[overloaded] * 9, clock=clock, max_retries=8) as conversation,
    ):
        with pytest.raises(ModelError):
            await conversation.model.complete(asked)

    assert len(conversation.server.requests) == 3


async def test_each_try_sends_the_same_request() -> None:
    async with (
        VirtualClock() as clock,
        talk([answer(500, b"")], streamed(*REPLY), clock=clock, max_retries=1) as conversation,
    ):
        await conversation.hear()

    first, second = conversation.server.requests
    assert first == second


@pytest.mark.parametrize(
    ("status", "kind", "message", "expected"),
    [
        (400, "invalid_request_error", "max_tokens: required", "invalid_request"),
        (400, "invalid_request_error", "prompt is too long: 9 > 8", "prompt_too_long"),
        (
            400,
            "invalid_request_error",
            "input length and `max_tokens` exceed context limit: 1 + 2 > 3",
            "prompt_too_long",
        ),
        (400, "invalid_request_error", "Your credit balance is too low", "billing_error"),
        (401, "authentication_error", "invalid x-api-key", "authentication_failed"),
        (402, "billing_error", "pay", "billing_error"),
        (403, "permission_error", "no", "authentication_failed"),
        (404, "not_found_error", "model: claude-opus-99", "model_not_found"),
        (404, "not_found_error", "Not Found", "invalid_request"),
        (413, "request_too_large", "Request exceeds the maximum size", "prompt_too_long"),
        (429, "rate_limit_error", "slow down", "rate_limit"),
        (500, "api_error", "Internal server error", "server_error"),
        (504, "timeout_error", "too slow", "server_error"),
        (529, "overloaded_error", "Overloaded", "overloaded"),
        (418, "teapot_error", "short and stout", "unknown"),
    ],
)
async def test_an_error_is_of_a_known_kind(
    status: int, kind: str, message: str, expected: str
) -> None:
    async with talk([refusal(status, kind, message, request_id="req_1")]) as conversation:
        heard = await conversation.hear()

    assert heard.error is not None
    assert heard.error.kind.value == expected
    assert (heard.error.status, heard.error.request_id) == (status, "req_1")
    assert message.rstrip(".") in str(heard.error)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ({"error": "plain words"}, "plain words"),
        ({"error": {"message": "in a field"}}, "in a field"),
        ({"message": "at the top"}, "at the top"),
        ({"detail": "elsewhere"}, '{"detail":"elsewhere"}'),
        (b"<h1>Bad\nGateway</h1>", "<h1>Bad Gateway</h1>"),
        (b"[1]", "[1]"),
        (b"\xff\xfe", "��"),
        (b"", "it gave no reason"),
    ],
)
async def test_an_error_in_any_form_says_something(body: object, said: str) -> None:
    async with talk([answer(502, body)]) as conversation:
        heard = await conversation.hear()

    assert str(heard.error) == f"The API answered 502: {said}."


async def test_the_words_of_a_server_are_short_and_cannot_draw() -> None:
    words = "\x1b[31mred\x1b[0m\r\n\x07\u202e" + "long " * 1000

    async with talk([refusal(500, "api_error", words)]) as conversation:
        heard = await conversation.hear()

    shown = str(heard.error)
    assert shown.isprintable()
    assert len(shown) < 600
    assert shown.startswith("The API answered 500: [31mred [0m long long")


@pytest.mark.parametrize(
    "changes",
    [
        {"api_key": "s3cret-0123"},
        {"auth_token": "s3cret-0123"},
        {"custom_headers": (("Authorization", "Basic s3cret-0123"),)},
        {"custom_headers": (("X-Gateway", "s3cret-0123"),)},
    ],
    ids=["key", "token", "header", "a gateway's header"],
)
async def test_a_credential_that_the_server_repeats_is_not_shown(changes: dict[str, Any]) -> None:
    words = "the key s3cret-0123 is wrong"

    async with talk([refusal(401, "authentication_error", words)], **changes) as conversation:
        heard = await conversation.hear()

    assert str(heard.error) == (
        "The API answered 401: the key *** is wrong. "
        "Check ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN."
    )


@pytest.mark.parametrize(
    "script",
    [
        pytest.param([head(400, request_id="req_s3cret-0123") + LAST_CHUNK], id="header"),
        pytest.param([answer(400, b'{"request_id": "req_s3cret-0123"}')], id="body"),
        pytest.param([head(request_id="req_s3cret-0123") + LAST_CHUNK], id="stream"),
    ],
)
async def test_a_credential_in_the_id_of_a_request_is_not_kept(script: Script) -> None:
    async with talk(script, api_key="s3cret-0123") as conversation:
        heard = await conversation.hear()

    assert isinstance(heard.error, ModelError)
    assert heard.error.request_id == "req_***"


async def test_a_credential_in_what_cannot_be_read_is_not_shown() -> None:
    script = [head(200, "text/s3cret-0123", "content-length: 0")]

    async with talk(script, api_key="s3cret-0123") as conversation:
        heard = await conversation.hear()

    assert "it is text/***" in str(heard.error)


async def test_a_page_that_is_not_there_tells_where_to_look() -> None:
    async with talk([answer(404, b"")]) as conversation:
        heard = await conversation.hear()

    assert str(heard.error) == (
        "The API answered 404: it gave no reason. "
        "Check that ANTHROPIC_BASE_URL leads to a Messages API."
    )


async def test_the_reason_for_an_error_is_read_only_so_far() -> None:
    endless: Script = [head(400, "text/plain", "content-length: 9999999"), b"x" * 200_000, HOLD]

    async with talk(endless) as conversation:
        heard = await conversation.hear()
        with anyio.fail_after(5):
            await conversation.server.gone.wait()

    assert heard.error is not None
    assert heard.error.status == 400


async def test_a_reason_that_does_not_come_is_not_waited_for() -> None:
    silent: Script = [head(400, "text/plain", "content-length: 9"), b"because", HOLD]

    async with talk(silent, idle_seconds=0.3) as conversation:
        heard = await conversation.hear()

    assert str(heard.error) == "The API answered 400: because."


async def test_an_id_in_the_body_is_kept() -> None:
    body = {"type": "error", "error": {"type": "api_error", "message": "no"}, "request_id": "r\x1b"}

    async with talk([answer(500, body)]) as conversation:
        heard = await conversation.hear()

    assert heard.error is not None
    assert heard.error.request_id == "r"
