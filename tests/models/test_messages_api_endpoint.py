"""What the environment says about the endpoint, and what is refused with a clear word."""

import pickle
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

from gantlet.models.messages_api import Endpoint, KeyHeader
from gantlet.models.messages_api.endpoint import PUBLIC_BASE_URL
from gantlet.system import Environment
from gantlet.tool import UserError


def read(**variables: str) -> Endpoint:
    return Endpoint.from_environment(Environment(variables=variables))


def test_nothing_set_is_the_public_api() -> None:
    assert read() == Endpoint(
        base_url="https://api.anthropic.com",
        api_key=None,
        auth_token=None,
        key_header=KeyHeader.X_API_KEY,
        api_version="2023-06-01",
        betas=(),
        custom_headers=(),
        extra_body={},
        timeout_seconds=600.0,
        idle_seconds=90.0,
        max_retries=10,
    )


def test_empty_variables_count_as_unset() -> None:
    names = [
        "ANTHROPIC_BASE_URL",
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_BETAS",
        "API_TIMEOUT_MS",
        "CLAUDE_CODE_MAX_RETRIES",
        "CLAUDE_CODE_EXTRA_BODY",
        "CLAUDE_STREAM_IDLE_TIMEOUT_MS",
        "GANTLET_KEY_HEADER",
        "GANTLET_API_VERSION",
    ]

    assert read(**dict.fromkeys(names, " ")) == Endpoint()


def test_every_variable_is_read() -> None:
    endpoint = read(
        ANTHROPIC_BASE_URL="http://localhost:8080/gateway/",
        ANTHROPIC_API_KEY=" key\n",
        ANTHROPIC_AUTH_TOKEN="token",
        ANTHROPIC_CUSTOM_HEADERS="X-Team: blue: green \r\n\n x-empty:\n",
        ANTHROPIC_BETAS="one-2026-01-01, two,,",
        API_TIMEOUT_MS="1500",
        CLAUDE_CODE_MAX_RETRIES="3",
        CLAUDE_CODE_EXTRA_BODY='{"a": {"b": [1]}}',
        CLAUDE_STREAM_IDLE_TIMEOUT_MS="2500",
        GANTLET_KEY_HEADER="Bearer",
        GANTLET_API_VERSION="2026-10-21",
    )

    assert endpoint == Endpoint(
        base_url="http://localhost:8080/gateway",
        api_key="key",
        auth_token="token",
        key_header=KeyHeader.BEARER,
        api_version="2026-10-21",
        betas=("one-2026-01-01", "two"),
        custom_headers=(("X-Team", "blue: green"), ("x-empty", "")),
        extra_body={"a": {"b": [1]}},
        timeout_seconds=1.5,
        idle_seconds=2.5,
        max_retries=3,
    )


@pytest.mark.parametrize(("asked", "given"), [("0", 0), ("15", 15), ("16", 15), ("9999", 15)])
def test_retries_have_a_cap(asked: str, given: int) -> None:
    assert read(CLAUDE_CODE_MAX_RETRIES=asked).max_retries == given


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("ANTHROPIC_BASE_URL", "api.example.test", "must begin with http"),
        ("ANTHROPIC_BASE_URL", "ftp://example.test", "must begin with http"),
        ("ANTHROPIC_BASE_URL", "http://", "must begin with http"),
        ("ANTHROPIC_BASE_URL", "http://x:99999", "cannot be read"),
        ("ANTHROPIC_BASE_URL", "http://[::1", "cannot be read"),
        ("ANTHROPIC_BASE_URL", "http://user:pass@x", "neither credentials nor a query"),
        ("ANTHROPIC_BASE_URL", "http://x/?a=b", "neither credentials nor a query"),
        ("ANTHROPIC_API_KEY", "a b", "The API key is empty or holds a space"),
        ("ANTHROPIC_API_KEY", "a\nb", "The API key is empty or holds a space"),
        ("ANTHROPIC_AUTH_TOKEN", "clé", "The auth token is empty or holds"),
        ("ANTHROPIC_CUSTOM_HEADERS", "X-A: 1\nnonsense", "line 2 of ANTHROPIC_CUSTOM_HEADERS"),
        ("ANTHROPIC_CUSTOM_HEADERS", ": x", "'' is no name of a header"),
        ("ANTHROPIC_CUSTOM_HEADERS", "X A: 1", "'X A' is no name of a header"),
        ("ANTHROPIC_CUSTOM_HEADERS", "X-A: a\x00b", "printable ASCII"),
        ("ANTHROPIC_CUSTOM_HEADERS", "X-A: naïve", "printable ASCII"),
        ("ANTHROPIC_CUSTOM_HEADERS", "Host: x", "set by the connection"),
        ("ANTHROPIC_CUSTOM_HEADERS", "transfer-encoding: chunked", "set by the connection"),
        ("ANTHROPIC_CUSTOM_HEADERS", "Content-Length: 3", "set by the connection"),
        ("ANTHROPIC_BETAS", "one two", "'one two' is no name of a beta"),
        ("API_TIMEOUT_MS", "soon", "API_TIMEOUT_MS is 'soon'"),
        ("API_TIMEOUT_MS", "0", "API_TIMEOUT_MS is 0"),
        ("API_TIMEOUT_MS", "-5", "API_TIMEOUT_MS is '-5'"),
        ("CLAUDE_STREAM_IDLE_TIMEOUT_MS", "1e3", "CLAUDE_STREAM_IDLE_TIMEOUT_MS is '1e3'"),
        ("CLAUDE_CODE_MAX_RETRIES", "٣", "CLAUDE_CODE_MAX_RETRIES is"),
        ("CLAUDE_CODE_EXTRA_BODY", "{", "CLAUDE_CODE_EXTRA_BODY is not JSON"),
        ("CLAUDE_CODE_EXTRA_BODY", "[1]", "CLAUDE_CODE_EXTRA_BODY is no JSON object"),
        ("CLAUDE_CODE_EXTRA_BODY", '{"stream": 1, "tools": 2}', "sets stream, tools, which"),
        ("GANTLET_KEY_HEADER", "basic", "Give one of: x-api-key, bearer"),
        ("GANTLET_API_VERSION", "latest", "'latest' is no date"),
    ],
)
def test_a_mistake_is_named(name: str, value: str, complaint: str) -> None:
    with pytest.raises(UserError) as caught:
        read(**{name: value})

    assert complaint in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("ANTHROPIC_BASE_URL", "http://user:s3cret@host"),
        ("ANTHROPIC_BASE_URL", "http://user:s3cret/x@host"),
        ("ANTHROPIC_API_KEY", "s3cret and more"),
        ("ANTHROPIC_AUTH_TOKEN", "s3cret\x1b"),
        ("ANTHROPIC_CUSTOM_HEADERS", "Authorization: s3cret\x7f"),
        ("CLAUDE_CODE_EXTRA_BODY", "{s3cret"),
    ],
)
def test_a_complaint_shows_no_secret(name: str, value: str) -> None:
    with pytest.raises(UserError) as caught:
        read(**{name: value})

    assert "s3cret" not in str(caught.value)
    assert str(caught.value.__cause__) == "None"


@pytest.mark.parametrize(
    "changes",
    [
        {"timeout_seconds": 0.0},
        {"timeout_seconds": float("inf")},
        {"idle_seconds": float("nan")},
        {"connect_timeout_seconds": -1.0},
        {"max_retries": -1},
        {"api_key": ""},
        {"user_agent": "a\r\nb"},
    ],
)
def test_a_wait_has_an_end_and_a_count_is_one(changes: dict[str, Any]) -> None:
    with pytest.raises(UserError):
        Endpoint(**changes)


def test_secrets_are_not_shown() -> None:
    shown = repr(
        Endpoint(
            api_key="s3cret-1",
            auth_token="s3cret-2",
            custom_headers=(("x", "s3cret-3"),),
            extra_body={"x": "s3cret-4"},
        )
    )

    assert "s3cret" not in shown
    assert PUBLIC_BASE_URL in shown


def test_an_endpoint_is_frozen_and_can_travel() -> None:
    endpoint = Endpoint(extra_body={"a": [1]})

    with pytest.raises(FrozenInstanceError):
        endpoint.api_key = "x"  # type: ignore[misc]  # what this test is about
    assert pickle.loads(pickle.dumps(endpoint)) == endpoint


@pytest.mark.parametrize(
    ("url", "is_public", "is_local"),
    [
        ("https://api.anthropic.com", True, False),
        ("https://API.Anthropic.com:443/x", True, False),
        ("https://api.anthropic.com.example.test", False, False),
        ("https://notanthropic.com", False, False),
        ("http://localhost:1", False, True),
        ("http://127.0.0.2", False, True),
        ("http://[::1]:80", False, True),
        ("http://192.168.0.1", False, False),
        ("http://127.example.test", False, False),
        ("http://127.0.0.1.example.test", False, False),
    ],
)
def test_a_host_is_known_by_its_name(url: str, is_public: bool, is_local: bool) -> None:
    endpoint = Endpoint(url)

    assert (endpoint.is_public, endpoint.is_local) == (is_public, is_local)
    assert endpoint.has_full_api is is_public
    assert Endpoint(url, full_api=True).has_full_api
    assert not Endpoint(url, full_api=False).has_full_api
