"""Handlers that are no programs: addresses, models, tools of servers, functions, callbacks."""

import asyncio
import gzip
import json
import os
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import anyio
import pytest

from gantlet.assembly.hooks import HookParts
from gantlet.hooks import (
    HookEvent,
    HookPorts,
    HookRunner,
    HookSession,
    HooksRead,
    OnFailure,
    at,
    occasion,
    parse_hooks,
    read_callbacks,
)
from gantlet.messages import JsonValue, TurnEnd
from gantlet.rules import Source, SourceKind
from gantlet.tool import Surroundings, UserError
from hooks_kit import ACT, Stage, hooks, read_by_model, results, run

DENY = {
    "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "deny",
        "permissionDecisionReason": "not so",
    }
}


class Server:
    """A server that answers what it is told to, and remembers what it was sent."""

    def __init__(self) -> None:
        self.status = 200
        self.body = b""
        self.encoding = "identity"
        self.seen: list[tuple[dict[str, str], dict[str, object]]] = []
        outer = self

        class Answer(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                outer.seen.append((dict(self.headers), json.loads(body)))
                self.send_response(outer.status)
                self.send_header("content-length", str(len(outer.body)))
                self.send_header("location", "/elsewhere")
                self.send_header("content-encoding", outer.encoding)
                self.end_headers()
                self.wfile.write(outer.body)

            def log_message(self, *args: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Answer)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever)
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.close()


def http(server: Server, **more: object) -> dict[str, object]:
    return {"type": "http", "url": server.url, **more}


async def test_an_event_is_posted_and_the_answer_obeyed(tmp_path: Path, server: Server) -> None:
    stage = Stage(tmp_path)
    server.body = json.dumps(DENY).encode()
    handler = http(server, headers={"X-Token": "Bearer $TOKEN ${OTHER}"}, allowedEnvVars=["TOKEN"])
    agent = stage.agent(
        ACT,
        "done",
        settings=hooks("PreToolUse", handler),
        variables={"TOKEN": "t1", "OTHER": "secret"},
    )

    await run(agent)

    assert stage.ran == []
    assert "not so" in results(agent)[0]
    [(headers, told)] = server.seen
    assert headers["X-Token"] == "Bearer t1"
    assert told["tool_input"] == {"text": "a"}


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (200, b"", ""),
        (204, b"", ""),
        (200, b"words", "It answered something that is no JSON object."),
        (200, b"[1]", "It answered something that is no JSON object."),
        (200, b'{"continue": 3}', "Its answer makes no sense"),
        (302, b"", "It answered with status 302."),
        (500, json.dumps(DENY).encode(), "It answered with status 500."),
        (200, b"x" * 1_000_001, "It answered with more than 1,000,000 bytes."),
    ],
    ids=["empty", "no-content", "words", "list", "nonsense", "redirect", "broken", "flood"],
)
async def test_what_is_no_answer_says_nothing(
    tmp_path: Path, server: Server, status: int, body: bytes, told: str
) -> None:
    stage = Stage(tmp_path)
    server.status, server.body = status, body
    agent = stage.agent(ACT, "done", settings=hooks("PreToolUse", http(server)))

    await run(agent)

    assert stage.ran == ["a"]
    assert len(server.seen) == 1
    assert [told in notice for notice in stage.notices] == ([True] if told else [])


@pytest.mark.parametrize(
    ("url", "allowed", "told"),
    [
        ("http://example.com/x", None, "plain http goes to this machine only"),
        ("https://example.com/x", ["https://hooks.corp/*"], "not in allowedHttpHookUrls"),
        ("https://evil.com/hooks.corp/x", ["https://*.corp/*"], "not in allowedHttpHookUrls"),
        ("https://me:pass@example.com/x", None, "its address holds a password"),
        ("https://evil.com#.corp/x", ["https://*.corp/*"], "not in allowedHttpHookUrls"),
        ("https://evil.com?.corp/x", ["https://*.corp/*"], "not in allowedHttpHookUrls"),
        ("https://evil.com\\.corp/x", ["https://*.corp/*"], "what no address holds"),
        ("https://evil.com\t.corp/x", ["https://*.corp/*"], "what no address holds"),
        ("https://a.corp:x/", ["https://*.corp*/*"], "its address makes no sense"),
        ("http://127.0.0.1:9/x", ["http://127.0.0.1:9/*"], "There was no answer"),
        ("http://[::1]:9", ["http://[::1]:9/"], "There was no answer"),
        ("http://127.0.0.1:9/x", [], "not in allowedHttpHookUrls"),
        ("http://127.0.0.1:9/x", None, "There was no answer"),
    ],
    ids=[
        "plain",
        "not-listed",
        "host-in-path",
        "password",
        "fragment",
        "query",
        "backslash",
        "tab",
        "bad-port",
        "listed",
        "listed-6",
        "empty-list",
        "nobody-there",
    ],
)
async def test_addresses_are_limited(
    tmp_path: Path, url: str, allowed: list[str] | None, told: str
) -> None:
    stage = Stage(tmp_path)
    settings = hooks("PreToolUse", {"type": "http", "url": url})
    if allowed is not None:
        settings["allowedHttpHookUrls"] = allowed
    agent = stage.agent(ACT, "done", settings=settings)

    await run(agent)

    [notice] = stage.notices
    assert told in notice


async def test_a_packed_answer_is_none(tmp_path: Path, server: Server) -> None:
    stage = Stage(tmp_path)
    server.encoding, server.body = "gzip", gzip.compress(b" " * 5_000_000)
    agent = stage.agent(ACT, "done", settings=hooks("PreToolUse", http(server)))

    await run(agent)

    [notice] = stage.notices
    assert "packed bytes" in notice
    assert server.seen[0][0]["accept-encoding"] == "identity"


async def test_a_slow_server_is_not_waited_for(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    listener = await anyio.create_tcp_listener(local_host="127.0.0.1")
    port = listener.extra(anyio.abc.SocketAttribute.local_port)
    handler = {"type": "http", "url": f"http://127.0.0.1:{port}/", "timeout": 0.2}
    agent = stage.agent(ACT, "done", settings=hooks("PreToolUse", handler))

    async with listener:
        await run(agent)

    assert stage.ran == ["a"]
    assert "It took longer than 0.2 s." in stage.notices[0]


@pytest.mark.parametrize(
    ("event", "reply", "reason", "ran"),
    [
        ("PreToolUse", '{"ok": true}', TurnEnd.COMPLETED, True),
        ("PreToolUse", '{"ok": false, "reason": "risky"}', TurnEnd.HOOK_STOPPED, False),
        ("PreToolUse", 'Well: {"ok": false, "reason": "risky"} so', TurnEnd.HOOK_STOPPED, False),
        ("PreToolUse", "who knows", TurnEnd.COMPLETED, True),
        ("PostToolUse", '{"ok": false, "reason": "risky"}', TurnEnd.HOOK_STOPPED, True),
        ("UserPromptSubmit", '{"ok": false, "reason": "risky"}', TurnEnd.HOOK_STOPPED, False),
    ],
    ids=["yes", "no", "no-in-words", "nonsense", "after", "prompt"],
)
async def test_a_model_judges(
    tmp_path: Path, event: str, reply: str, reason: TurnEnd, ran: bool
) -> None:
    stage = Stage(tmp_path)
    handler = {"type": "prompt", "prompt": "Is it safe? $ARGUMENTS"}
    agent = stage.agent(
        ACT, "done", settings=hooks(event, handler), asides=[("Is it safe?", reply)]
    )

    result = await run(agent)

    assert result.reason is reason
    assert bool(stage.ran) is ran


async def test_a_model_that_says_no_need_not_end_the_turn(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    handler = {"type": "prompt", "prompt": "Is it safe?", "continueOnBlock": True}
    agent = stage.agent(
        ACT,
        "done",
        settings=hooks("PreToolUse", handler),
        asides=[("Is it safe?", '{"ok": false, "reason": "risky"}')],
    )

    assert (await run(agent)).text == "done"
    assert "risky" in results(agent)[0]


async def test_a_hook_of_type_agent_abstains_here_and_says_so(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(
        ACT, "done", settings=hooks("PreToolUse", {"type": "agent", "prompt": "look"})
    )

    await run(agent)

    assert stage.ran == ["a"]
    assert "Hooks of type agent are not run here" in stage.notices[0]


class Servers:
    """A server 's' with a tool 't' that answers what it is told to."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.given: list[Mapping[str, JsonValue]] = []

    async def call(self, server: str, tool: str, given: Mapping[str, JsonValue]) -> str:
        if (server, tool) != ("s", "t"):
            raise LookupError(f"there is no {tool}")
        self.given.append(given)
        return self.text


async def test_a_servers_tool_is_called_with_parts_of_the_event(tmp_path: Path) -> None:
    stage, servers = Stage(tmp_path), Servers(json.dumps(DENY))
    handler = {
        "type": "mcp_tool",
        "server": "s",
        "tool": "t",
        "input": {
            "whole": "${tool_input}",
            "part": "was ${tool_input.text}!",
            "none": ["${no.such}"],
            "n": 1,
        },
    }
    agent = stage.agent(
        ACT, "done", settings=hooks("PreToolUse", handler), parts=HookParts(mcp=servers)
    )

    await run(agent)

    assert servers.given == [{"whole": {"text": "a"}, "part": "was a!", "none": [None], "n": 1}]
    assert stage.ran == []


@pytest.mark.parametrize(
    ("servers", "told"),
    [(None, "There is no server 's' here."), (Servers("x"), "s/u cannot be called")],
    ids=["no-server", "no-tool"],
)
async def test_without_its_server_a_tool_hook_abstains(
    tmp_path: Path, servers: Servers | None, told: str
) -> None:
    stage = Stage(tmp_path)
    handler = {"type": "mcp_tool", "server": "s", "tool": "u"}
    agent = stage.agent(
        ACT, "done", settings=hooks("PreToolUse", handler), parts=HookParts(mcp=servers)
    )

    await run(agent)

    assert stage.ran == ["a"]
    assert told in stage.notices[0]


async def test_a_function_is_a_hook(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings={})
    told = []

    @agent.hook("PreToolUse", matcher="act")
    async def guard(event: Mapping[str, object]) -> object:
        told.append(event["tool_input"])
        return DENY

    @agent.hook("PreToolUse", matcher="fail")
    def never(event: Mapping[str, object]) -> None:
        raise AssertionError

    await run(agent)

    assert told == [{"text": "a"}]
    assert stage.ran == []


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("allow", "It answered str, not an object or nothing."),
        ({"decision": "perhaps"}, "Its answer makes no sense"),
        (RuntimeError("boom"), "It failed with RuntimeError: boom"),
        (SystemExit(1), "It failed with SystemExit: 1"),
        (asyncio.CancelledError(), "It failed with CancelledError"),
    ],
    ids=["text", "nonsense", "raises", "exits", "pretends"],
)
async def test_a_function_that_fails_abstains(tmp_path: Path, returned: object, told: str) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings={})

    @agent.hook("PreToolUse")
    def guard(event: object) -> object:
        if isinstance(returned, BaseException):
            raise returned
        return returned

    await run(agent)

    assert stage.ran == ["a"]
    assert told in stage.notices[0]


async def test_a_function_cannot_change_what_others_are_told(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings={})

    @agent.hook("PreToolUse")
    def spoil(event: dict[str, dict[str, str]]) -> None:
        event["tool_input"]["text"] = "spoilt"

    await run(agent)

    assert stage.ran == ["a"]


@pytest.mark.parametrize(
    ("event", "ran", "reason"),
    [
        ("PreToolUse", [], TurnEnd.COMPLETED),
        ("UserPromptSubmit", [], TurnEnd.HOOK_STOPPED),
        ("PostToolUse", ["a"], TurnEnd.COMPLETED),
    ],
)
async def test_the_silence_of_a_function_is_a_no_before_calls_and_prompts(
    tmp_path: Path, event: str, ran: list[str], reason: TurnEnd
) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings={})

    @agent.hook(event, timeout=0.1)
    async def hang(told: object) -> None:
        await anyio.sleep_forever()

    result = await run(agent)

    assert (stage.ran, result.reason) == (ran, reason)


async def test_a_function_that_fails_can_be_told_to_block(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings={})

    @agent.hook("PreToolUse", on_failure="block")
    def guard(event: object) -> None:
        raise RuntimeError("boom")

    await run(agent)

    assert stage.ran == []


@pytest.mark.parametrize(
    ("event", "matcher"), [("PreTolUse", ""), ("PreToolUse", "(")], ids=["event", "matcher"]
)
def test_a_function_for_nothing_is_refused(tmp_path: Path, event: str, matcher: str) -> None:
    agent = Stage(tmp_path).agent("x", settings={})

    with pytest.raises(UserError):
        agent.hook(event, matcher)


class Host:
    """A program that holds the functions."""

    def __init__(self, answer: object = None, *, hangs: bool = False) -> None:
        self.answer = answer
        self.hangs = hangs
        self.calls: list[tuple[str, object, str | None]] = []

    async def call(
        self, callback_id: str, payload: Mapping[str, JsonValue], call_id: str | None
    ) -> object:
        self.calls.append((callback_id, payload["hook_event_name"], call_id))
        if self.hangs:
            await anyio.sleep_forever()
        return self.answer


def callbacks(**more: object) -> HooksRead:
    return read_callbacks({"PreToolUse": [{"matcher": "act", "hookCallbackIds": ["h0"], **more}]})


async def test_a_callback_is_called_by_its_id(tmp_path: Path) -> None:
    stage, host = Stage(tmp_path), Host(DENY)
    agent = stage.agent(
        ACT, "done", settings={}, parts=HookParts(callbacks().entries, callbacks=host)
    )

    await run(agent)

    [(callback_id, event, call_id)] = host.calls
    assert (callback_id, event) == ("h0", "PreToolUse")
    assert call_id
    assert stage.ran == []


async def test_a_callback_that_is_silent_blocks(tmp_path: Path) -> None:
    stage, host = Stage(tmp_path), Host(hangs=True)
    agent = stage.agent(
        ACT, "done", settings={}, parts=HookParts(callbacks(timeout=0.1).entries, callbacks=host)
    )

    await run(agent)

    assert stage.ran == []


async def test_a_callback_whose_program_is_gone_abstains(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent(ACT, "done", settings={}, parts=HookParts(callbacks().entries))

    await run(agent)

    assert stage.ran == ["a"]
    assert "not connected" in stage.notices[0]


def test_callbacks_are_read_entry_by_entry() -> None:
    read = read_callbacks(
        {
            "PreToolUse": [{"hookCallbackIds": ["a", "b"], "timeout": 3, "onFailure": "block"}],
            "Nope": [],
            "Stop": [{"hookCallbackIds": None}, 7, {"matcher": "(", "hookCallbackIds": []}],
        }
    )

    assert [(one.event, one.handler.timeout, one.handler.on_failure) for one in read.entries] == [
        (HookEvent.PRE_TOOL_USE, 3.0, OnFailure.BLOCK)
    ] * 2
    assert len(read.problems) == 4
    assert read_callbacks(None) == HooksRead()


async def test_context_of_every_kind_is_read(tmp_path: Path) -> None:
    stage = Stage(tmp_path)
    agent = stage.agent("ok", settings=hooks("UserPromptSubmit", "echo from a program"))

    @agent.hook("UserPromptSubmit")
    def add(event: object) -> object:
        special = {"hookEventName": "UserPromptSubmit", "additionalContext": "from a function"}
        return {"hookSpecificOutput": special}

    await run(agent)

    assert "from a program" in read_by_model(agent)
    assert "from a function" in read_by_model(agent)


async def test_a_listener_that_breaks_does_not_make_a_hook_go_unheard(tmp_path: Path) -> None:
    stage = Stage(tmp_path)

    def broken(event: object) -> None:
        raise RuntimeError("nobody home")

    runner = HookRunner(
        HookSession("s"),
        parse_hooks(
            hooks("UserPromptSubmit", "echo no >&2; exit 2", "exit 0")["hooks"],
            at(Source(SourceKind.USER)),
        ).entries,
        ports=HookPorts(emit=broken, variables={"PATH": os.environ["PATH"]}),
    )
    happened = occasion(HookEvent.USER_PROMPT_SUBMIT, Surroundings(str(stage.folder)), prompt="x")

    assert (await runner.fire(happened)).block == "no"
