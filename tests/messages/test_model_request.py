"""The body of a request, whatever is large in it."""

import json

import pytest

from gantlet.messages import ModelRequest

SAID = [b'{"role":"user","content":"a"}', b'{"role":"assistant","content":"b"}', b'{"role":"user"}']


@pytest.mark.parametrize("stream", [True, False])
@pytest.mark.parametrize("said", [SAID[:1], SAID[:2], SAID], ids=len)
@pytest.mark.parametrize("system", [b"", b'"Be brief."'], ids=["no system", "system"])
@pytest.mark.parametrize("chars", [0, 10, 100_000], ids=["no tools", "small", "large"])
def test_a_body_holds_everything_in_the_order_it_is_cached(
    chars: int, system: bytes, said: list[bytes], stream: bool
) -> None:
    tools = json.dumps([{"name": "x" * chars}]).encode() if chars else b""

    body = ModelRequest("m", 5, said, system, tools, {"k": [1]}).body(stream=stream)

    parts = json.loads(body)
    assert parts.pop("messages") == [json.loads(one) for one in said]
    assert parts.pop("system", None) == (json.loads(system) if system else None)
    assert parts.pop("tools", None) == (json.loads(tools) if tools else None)
    assert parts == {"model": "m", "max_tokens": 5, "k": [1], "stream": stream}
    places = [body.find(b'"%s":' % name) for name in (b"tools", b"system", b"messages")]
    assert [place for place in places if place >= 0] == sorted(
        place for place in places if place > 0
    )


def test_large_tools_are_sent_as_they_are_and_not_copied() -> None:
    tools = b"[%s]" % (b"1," * 100_000 + b"1")
    request = ModelRequest("m", 5, SAID, b"", tools)

    parts = request.parts(stream=True)

    assert any(part is tools for part in parts)
    assert b"".join(parts) == request.body(stream=True)
