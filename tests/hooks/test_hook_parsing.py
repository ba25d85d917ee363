"""The `hooks` of settings files: what loads, what is dropped, and what is said about it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.hooks import (
    FIRED,
    Command,
    Handler,
    HookEntry,
    HookEvent,
    HookProblem,
    Http,
    KeyPath,
    Matcher,
    McpTool,
    OnFailure,
    Prompt,
    at,
    key_text,
    parse_hooks,
)
from gantlet.messages import FrozenDict
from gantlet.rules import Source, SourceKind

USER = Source(SourceKind.USER, "/home/u/.claude/settings.json")


def group(*handlers: object, matcher: str = "") -> list[object]:
    return [{"matcher": matcher, "hooks": list(handlers)}]


def test_every_kind_of_handler_loads_with_its_fields() -> None:
    read = parse_hooks(
        {
            "PreToolUse": group(
                {"type": "command", "command": "./check", "args": ["-v", ""], "timeout": 5},
                {"type": "command", "command": "log", "async": True, "onFailure": "block"},
                {"type": "command", "command": "wake", "asyncRewake": True, "shell": "bash"},
                {
                    "type": "http",
                    "url": "https://h/x",
                    "headers": {"A": "$T"},
                    "allowedEnvVars": ["T"],
                },
                {"type": "mcp_tool", "server": "s", "tool": "t", "input": {"p": "${cwd}"}},
                {"type": "prompt", "prompt": "ok?", "model": "m", "continueOnBlock": True},
                {"type": "agent", "prompt": "look", "statusMessage": "looking", "once": True},
                matcher="Bash|Edit",
            )
        },
        at(USER),
    )

    assert read.problems == ()
    assert [entry.handler for entry in read.entries] == [
        Handler(Command("./check", ("-v", "")), timeout=5.0),
        Handler(Command("log", is_async=True), on_failure=OnFailure.BLOCK),
        Handler(Command("wake", is_async=True, rewakes=True, shell="bash")),
        Handler(Http("https://h/x", (("A", "$T"),), ("T",))),
        Handler(McpTool("s", "t", FrozenDict({"p": "${cwd}"}))),
        Handler(Prompt("ok?", "m", continues_on_block=True)),
        Handler(Prompt("look", uses_tools=True), status_message="looking", is_once=True),
    ]
    assert {(entry.event, entry.matcher, entry.source) for entry in read.entries} == {
        (HookEvent.PRE_TOOL_USE, Matcher("Bash|Edit"), USER)
    }


def test_an_entry_is_given_the_place_it_stands_at() -> None:
    def where(path: KeyPath) -> Source:
        return Source(SourceKind.PROJECT, "s.json", len(path), key_text(path))

    read = parse_hooks({"Stop": group({"type": "command", "command": "x"})}, where)

    assert read.entries == (
        HookEntry(
            HookEvent.STOP,
            Matcher(""),
            Handler(Command("x")),
            Source(SourceKind.PROJECT, "s.json", 4, "hooks.Stop[0].hooks[0]"),
        ),
    )


@pytest.mark.parametrize("event", list(HookEvent), ids=str)
def test_every_known_event_loads_without_a_word(event: HookEvent) -> None:
    read = parse_hooks({str(event): group({"type": "command", "command": "x"})}, at(USER))

    assert (len(read.entries), read.problems) == (1, ())


def test_the_sixteen_events_of_the_loop_are_the_ones_fired() -> None:
    assert len(HookEvent) == 33
    assert {str(event) for event in FIRED} == {
        "PreToolUse",
        "PostToolUse",
        "PostToolUseFailure",
        "PostToolBatch",
        "PermissionRequest",
        "PermissionDenied",
        "UserPromptSubmit",
        "Stop",
        "SubagentStart",
        "SubagentStop",
        "SessionStart",
        "SessionEnd",
        "PreCompact",
        "PostCompact",
        "Notification",
        "ConfigChange",
    }


COMMAND = {"type": "command", "command": "x"}


@pytest.mark.parametrize(
    ("raw", "problem", "kept"),
    [
        pytest.param(
            [],
            HookProblem((), "'hooks' must be an object of events. No hook of it is used."),
            0,
            id="no-object",
        ),
        pytest.param(
            {"PreTolUse": group(COMMAND)},
            HookProblem(
                ("PreTolUse",),
                "There is no event 'PreTolUse'; its hooks are not used. Did you mean PreToolUse?",
            ),
            0,
            id="unknown-event",
        ),
        pytest.param(
            {"Zzz": 1},
            HookProblem(("Zzz",), "There is no event 'Zzz'; its hooks are not used."),
            0,
            id="strange-event",
        ),
        pytest.param(
            {"Stop": {}},
            HookProblem(("Stop",), "Stop must hold a list; its hooks are not used."),
            0,
            id="no-list",
        ),
        pytest.param(
            {"Stop": ["x"]},
            HookProblem(
                ("Stop", 0), 'Write an object: {"matcher": …, "hooks": [ … ]}. It is not used.'
            ),
            0,
            id="no-group",
        ),
        pytest.param(
            {"Stop": [{"command": "x"}]},
            HookProblem(("Stop", 0, "hooks"), "'hooks' must be a list of handlers. None is used."),
            0,
            id="no-handlers",
        ),
        pytest.param(
            {"Stop": [{"matcher": 1, "hooks": [COMMAND]}]},
            HookProblem(
                ("Stop", 0, "matcher"),
                "'matcher' must be a text. The hooks beside it are not used.",
            ),
            0,
            id="matcher-no-text",
        ),
        pytest.param(
            {"Stop": ["", *group(COMMAND)]},
            HookProblem(
                ("Stop", 0), 'Write an object: {"matcher": …, "hooks": [ … ]}. It is not used.'
            ),
            1,
            id="neighbour-stays",
        ),
        pytest.param(
            {"Stop": group(1)},
            HookProblem(
                ("Stop", 0, "hooks", 0),
                'A handler is an object, as {"type": "command", …}. It is not used.',
            ),
            0,
            id="handler-no-object",
        ),
        pytest.param(
            {"Stop": group({"command": "x"})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "type"), "'type' is missing. The handler is not used."
            ),
            0,
            id="no-type",
        ),
        pytest.param(
            {"Stop": group({"type": "cmd", "command": "x"})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "type"),
                "There is no handler of type 'cmd'; write one of command, http, mcp_tool, prompt,"
                " agent. It is not used.",
            ),
            0,
            id="unknown-type",
        ),
        pytest.param(
            {"SessionStart": group({"type": "prompt", "prompt": "x"})},
            HookProblem(
                ("SessionStart", 0, "hooks", 0, "type"),
                "SessionStart takes no prompt handlers. It is not used.",
            ),
            0,
            id="type-not-here",
        ),
        pytest.param(
            {"Stop": group({"type": "command", "command": ""})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "command"),
                "'command' must be a text, not ''. The handler is not used.",
            ),
            0,
            id="empty-command",
        ),
        pytest.param(
            {"Stop": group({"type": "command", "command": "a\0"})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "command"),
                "'command' holds a NUL character. The handler is not used.",
            ),
            0,
            id="nul",
        ),
        pytest.param(
            {"Stop": group({**COMMAND, "args": [1]})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "args"),
                "'args' must be a list of texts. The handler is not used.",
            ),
            0,
            id="args",
        ),
        pytest.param(
            {"Stop": group({**COMMAND, "if": "Bash"})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "if"),
                "'if' has no meaning for Stop: with it the handler never runs. Remove it.",
            ),
            0,
            id="if-not-here",
        ),
        pytest.param(
            {"PreToolUse": group({**COMMAND, "if": "Bash(git"})},
            HookProblem(
                ("PreToolUse", 0, "hooks", 0, "if"),
                "The condition 'Bash(git' does not work: its bracket is never closed. The handler"
                " is not used.",
            ),
            0,
            id="if-no-rule",
        ),
        pytest.param(
            {"Stop": group({**COMMAND, "timeout": -1})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "timeout"),
                "'timeout' must be a number of seconds above 0, not -1; the default holds.",
            ),
            1,
            id="timeout",
        ),
        pytest.param(
            {"Stop": group({**COMMAND, "timeout": 10**400})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "timeout"),
                f"'timeout' must be a number of seconds above 0, not 1{'0' * 56}…; the default"
                " holds.",
            ),
            1,
            id="timeout-beyond-numbers",
        ),
        pytest.param(
            {"Stop": group({**COMMAND, "onFailure": "blok"})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "onFailure"),
                "'onFailure' must be 'continue' or 'block', not 'blok'; 'block' holds.",
            ),
            1,
            id="on-failure",
        ),
        pytest.param(
            {"Stop": group({**COMMAND, "async": "yes"})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "async"),
                "'async' must be true or false, not 'yes'; false holds.",
            ),
            1,
            id="async",
        ),
        pytest.param(
            {"Stop": group({"type": "http", "url": "ftp://x"})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "url"),
                "The url 'ftp://x' is neither http nor https. The handler is not used.",
            ),
            0,
            id="url",
        ),
        pytest.param(
            {"Stop": group({"type": "http", "url": "https://x", "headers": [1]})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "headers"),
                "'headers' must be an object that holds texts. The handler is not used.",
            ),
            0,
            id="headers",
        ),
        pytest.param(
            {"Stop": group({"type": "mcp_tool", "server": "s", "tool": "t", "input": 1})},
            HookProblem(
                ("Stop", 0, "hooks", 0, "input"),
                "'input' must be an object. The handler is not used.",
            ),
            0,
            id="mcp-input",
        ),
    ],
)
def test_what_is_wrong_is_said_with_its_place_and_nothing_else_is_lost(
    raw: object, problem: HookProblem, kept: int
) -> None:
    read = parse_hooks(raw, at(USER))

    assert read.problems == (problem,)
    assert len(read.entries) == kept


def test_a_broken_pattern_drops_its_group_and_is_named() -> None:
    read = parse_hooks({"PreToolUse": group(COMMAND, matcher="Ba(sh")}, at(USER))

    assert read.entries == ()
    [problem] = read.problems
    assert problem.key == "hooks.PreToolUse[0].matcher"
    assert "'Ba(sh' does not work: it is no regular expression" in problem.message


def test_a_failure_that_cannot_be_read_blocks() -> None:
    read = parse_hooks({"PreToolUse": group({**COMMAND, "onFailure": 7})}, at(USER))

    assert read.entries[0].handler.on_failure is OnFailure.BLOCK


@pytest.mark.parametrize(
    ("matcher", "subject", "matches"),
    [
        ("", "Bash", True),
        ("*", "Bash", True),
        ("Bash", "Bash", True),
        ("Bash", "BashOutput", False),
        ("bash", "Bash", False),
        ("Edit|Write", "Write", True),
        ("Edit, Write", "Write", True),
        ("Edit|Write", "NotebookEdit", False),
        ("mcp__a", "mcp__a__b", False),
        ("mcp__a__.*", "mcp__a__b", True),
        ("mcp__.*", "xmcp__b", True),
        ("^Ed", "Edit", True),
        ("^Ed$", "Edit", False),
        ("(?<x>E)dit", "Edit", True),
        ("(?<!Notebook)Edit", "NotebookEdit", False),
        ("Task", "Agent", True),
        ("|", "Bash", False),
    ],
)
def test_a_matcher_is_a_list_of_names_or_a_pattern(
    matcher: str, subject: str, matches: bool
) -> None:
    assert Matcher(matcher).matches((subject,)) is matches


KEYS = st.sampled_from(
    [
        "PreToolUse",
        "Stop",
        "matcher",
        "hooks",
        "type",
        "command",
        "args",
        "timeout",
        "if",
        "url",
        "headers",
        "onFailure",
        "x",
    ]
)
JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_no_json_value_breaks_the_reading(raw: object) -> None:
    read = parse_hooks(raw, at(USER))

    assert isinstance(raw, dict) or read.problems
