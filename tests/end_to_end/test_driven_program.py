"""The program, driven line by line: by a client that is honest, careless, hostile or gone."""

import json
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from end_to_end.program_kit import COMMAND, SECONDS, STREAM, Desk, frames
from gantlet.session import read_lines, restore

DRIVEN = (*STREAM, "--input-format", "stream-json")
TOUCH = {"call": "Bash", "input": {"command": "touch made.txt"}}
FIRST = "11111111-1111-4111-8111-111111111111"


def says(text: Any, **fields: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": text}, **fields}


def asks(subtype: str, own: str = "r1", **fields: Any) -> dict[str, Any]:
    return {
        "type": "control_request",
        "request_id": own,
        "request": {"subtype": subtype, **fields},
    }


def drive(desk: Desk, *lines: dict[str, Any] | str, words: tuple[str, ...] = ()) -> Any:
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    ended = desk.command(*DRIVEN, "--script", str(desk.script), *words, stdin=text)
    return ended, frames(ended.stdout)


def results(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [frame for frame in told if frame["type"] == "result"]


def answers(told: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        frame["response"]["request_id"]: frame["response"]
        for frame in told
        if frame["type"] == "control_response"
    }


@contextmanager
def running(desk: Desk, *words: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [*COMMAND, *DRIVEN, "--script", str(desk.script), *words],
        cwd=desk.cwd,
        env=desk.env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate(timeout=SECONDS)


def send(process: "subprocess.Popen[str]", line: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(line) + "\n")
    process.stdin.flush()


def until(
    process: "subprocess.Popen[str]", is_it: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    assert process.stdout is not None
    for line in process.stdout:
        frame: dict[str, Any] = json.loads(line)
        if is_it(frame):
            return frame
    raise AssertionError("the program ended first")


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("no JSON", id="words"),
        pytest.param("[1]", id="list"),
        pytest.param('{"type": 5}', id="type"),
        pytest.param("[" * 100_000, id="deep"),
        pytest.param('{"type": "user"}', id="no-message"),
        pytest.param('{"type": "user", "message": {"content": [5]}}', id="number-as-block"),
        pytest.param('{"type": "user", "message": {"content": [{"type": "text"}]}}', id="no-text"),
        pytest.param(
            '{"type": "user", "message": {"content": [{"type": "tool_result"}]}}', id="result"
        ),
        pytest.param('{"type": "control_response"}', id="answer"),
        pytest.param('{"type": "control_request"}', id="request"),
        pytest.param('{"type": "control_cancel_request", "request_id": "x"}', id="cancel"),
    ],
)
def test_a_line_that_makes_no_sense_costs_only_itself(line: str, tmp_path: Path) -> None:
    ended, told = drive(Desk(tmp_path, "Fine."), line, says("Hi"))

    assert (ended.returncode, ended.stderr) == (0, "")
    assert [frame["result"] for frame in results(told)] == ["Fine."]


def test_half_a_letter_in_a_prompt_does_not_spoil_the_conversation(tmp_path: Path) -> None:
    _, told = drive(Desk(tmp_path, "Fine."), '{"type":"user","message":{"content":"\\ud800"}}')

    assert results(told)[0]["result"] == "Fine."


def test_every_request_is_answered_before_the_end(tmp_path: Path) -> None:
    _, told = drive(
        Desk(tmp_path, "Fine."),
        asks("interrupt", "a"),
        asks("set_permission_mode", "b", mode="acceptEdits"),
        asks("set_permission_mode", "c", mode="bogus"),
        asks("set_model", "d", model="opus"),
        asks("set_model", "e", model={"x": 1}),
        asks("get_context_usage", "f"),
        asks("rewind_files", "g", user_message_id="none"),
        asks("stop_task", "h", task_id="none"),
        asks("nonsense", "i"),
        asks("set_max_thinking_tokens", "j", max_thinking_tokens=2000),
        asks("set_max_thinking_tokens", "k", max_thinking_tokens="much"),
    )

    given = answers(told)
    assert {own: answer["subtype"] for own, answer in given.items()} == {
        **dict.fromkeys("abdfgj", "success"),
        **dict.fromkeys("cehik", "error"),
    }
    assert given["d"]["response"]["model"].startswith("claude-opus")
    assert given["g"]["response"]["canRewind"] is False


def test_hooks_that_cannot_be_used_are_refused_and_not_forgotten(tmp_path: Path) -> None:
    hooks = {"PreToolUse": [{"matcher": "(", "hookCallbackIds": ["h"]}]}
    _, told = drive(Desk(tmp_path, "Fine."), asks("initialize", hooks=hooks))

    assert answers(told)["r1"]["subtype"] == "error"
    assert "matcher" in answers(told)["r1"]["error"]


def test_initialize_brings_a_form_for_the_answer_and_a_title(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    desk = Desk(tmp_path, [{"call": "StructuredOutput", "input": {"n": 4}}], "Done.")
    _, told = drive(desk, asks("initialize", jsonSchema=schema, title="Sums"), says("Two and two?"))

    assert results(told)[0]["structured_output"] == {"n": 4}
    assert "Sums" in desk.command("sessions").stdout


def test_where_we_are_can_be_told_beside_the_system_prompt(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Fine.")
    drive(desk, asks("initialize", excludeDynamicSections=True), says("Hi"))

    first = desk.transcripts[0].read_text().splitlines()[0]
    assert "Working directory" in first
    assert "system-reminder" in first


def test_a_message_that_came_twice_is_taken_once(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "One.", "Two.", "Three.")
    _, told = drive(desk, says("A", uuid=FIRST), says("A", uuid=FIRST), says("B"))

    assert [frame["result"] for frame in results(told)] == ["One.", "Two."]
    lines, _ = read_lines(desk.transcripts[0])
    assert [line.get("uuid") for line in lines].count(FIRST) == 1
    assert len(restore(lines).history.messages) == 4


def test_words_that_need_no_answer_are_read_with_the_next(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Both.", "Never.")
    _, told = drive(desk, says("Know this.", shouldQuery=False), says("And now?"))

    assert [frame["result"] for frame in results(told)] == ["Both."]
    assert "Know this." in desk.transcripts[0].read_text()


def test_replayed_words_have_the_id_of_their_line(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Fine.")
    _, told = drive(desk, says("Hi"), words=("--replay-user-messages",))

    replayed = next(frame for frame in told if frame.get("isReplay"))
    lines, _ = read_lines(desk.transcripts[0])
    assert replayed["uuid"] in {line.get("uuid") for line in lines}


def test_an_answer_that_shows_a_cut_input_is_not_a_change_of_it(tmp_path: Path) -> None:
    text = "x" * 900_000
    write = {"call": "Write", "input": {"file_path": "big.txt", "content": text}}
    desk = Desk(tmp_path, [write], "Done.")
    with running(desk, "--permission-prompt-tool", "stdio") as process:
        send(process, says("Go"))
        asked = until(process, lambda frame: frame["type"] == "control_request")
        shown = asked["request"]["input"]
        yes = {"behavior": "allow", "updatedInput": shown}
        answer = {"subtype": "success", "request_id": asked["request_id"], "response": yes}
        send(process, {"type": "control_response", "response": answer})
        until(process, lambda frame: frame["type"] == "user")

    assert len(shown["content"]) < len(text)
    assert (desk.cwd / "big.txt").read_text() == text


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param({"behavior": "maybe"}, id="neither"),
        pytest.param({"behavior": "allow", "updatedInput": 5}, id="no-input"),
        pytest.param({"behavior": "allow", "updatedPermissions": [{"type": "x"}]}, id="no-update"),
        pytest.param({}, id="nothing"),
    ],
)
def test_an_answer_that_is_none_is_no_yes(answer: dict[str, Any], tmp_path: Path) -> None:
    desk = Desk(tmp_path, [TOUCH], "Done.")
    with running(desk, "--permission-prompt-tool", "stdio") as process:
        send(process, says("Go"))
        asked = until(process, lambda frame: frame["type"] == "control_request")
        told = {"subtype": "success", "request_id": asked["request_id"], "response": answer}
        send(process, {"type": "control_response", "response": told})
        yes = {**told, "response": {"behavior": "allow"}}  # too late: it is answered
        send(process, {"type": "control_response", "response": yes})
        result = until(process, lambda frame: frame["type"] == "result")

    assert not (desk.cwd / "made.txt").exists()
    assert [denial["tool_name"] for denial in result["permission_denials"]] == ["Bash"]


def test_a_client_that_dies_while_it_is_asked_allows_nothing(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [TOUCH], "Done.")
    with running(desk, "--permission-prompt-tool", "stdio") as process:
        send(process, says("Go"))
        until(process, lambda frame: frame["type"] == "control_request")
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        process.stdout.close()
        process.wait(SECONDS)
        process.stdin = process.stdout = None

    assert not (desk.cwd / "made.txt").exists()
    lines, notes = read_lines(desk.transcripts[0])
    assert notes == ()
    assert restore(lines).missing == ()


def test_nobody_who_reads_ends_the_work(tmp_path: Path) -> None:
    slow = {"text": "word " * 1000, "chunks": 1000, "pause": 0.05}
    desk = Desk(tmp_path, [slow, TOUCH], *["More."] * 20)
    words = ("--include-partial-messages", "--allowedTools", "Bash")
    with running(desk, *words) as process:
        send(process, says("Go"))
        until(process, lambda frame: frame["type"] == "stream_event")
        assert process.stdout is not None
        process.stdout.close()
        process.wait(SECONDS)
        process.stdout = None

    assert not (desk.cwd / "made.txt").exists()


DEFER = {
    "hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "defer"},
}


def put_off(tmp_path: Path) -> tuple[Desk, str, dict[str, Any]]:
    """Return a session with a call that a hook has put off, and its result."""
    desk = Desk(tmp_path, [TOUCH], "Done.")
    command = f"test -e go || echo '{json.dumps(DEFER)}'"
    hook = {"matcher": "Bash", "hooks": [{"type": "command", "command": command}]}
    (desk.home / ".claude").mkdir()
    settings = {"hooks": {"PreToolUse": [hook]}, "permissions": {"allow": ["Bash(touch *)"]}}
    (desk.home / ".claude" / "settings.json").write_text(json.dumps(settings))
    ended = desk.run("Go", "--output-format", "json")
    told = json.loads(ended.stdout)
    return desk, told["session_id"], told


def test_a_call_that_was_put_off_is_told_and_asked_again_on_resume(tmp_path: Path) -> None:
    desk, own, told = put_off(tmp_path)
    call = told["deferred_tool_use"]
    (desk.cwd / "go").touch()
    ended = desk.run("--resume", own, "--output-format", "json")

    assert (told["stop_reason"], told["terminal_reason"]) == ("tool_deferred", "tool_deferred")
    assert (call["name"], call["input"]) == ("Bash", TOUCH["input"])
    assert json.loads(ended.stdout)["result"] == "Done."
    assert (desk.cwd / "made.txt").exists()


def test_a_call_that_was_put_off_may_have_lost_its_tool(tmp_path: Path) -> None:
    desk, own, _ = put_off(tmp_path)
    ended = desk.run("--resume", own, "--output-format", "json", "--tools", "Read")

    told = json.loads(ended.stdout)
    assert (told["terminal_reason"], told["is_error"]) == ("tool_deferred_unavailable", True)
    assert ended.returncode == 1


def test_resuming_where_nothing_waits_needs_a_prompt(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Fine.")
    desk.run("Hi")
    ended = desk.run("--continue")

    assert (ended.returncode, ended.stdout) == (1, "")
    assert "No call waits" in ended.stderr


def test_retries_for_a_form_are_counted_in_the_result(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Four.", [{"call": "StructuredOutput", "input": {"n": 4}}], "Done.")
    schema = '{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}'
    told = json.loads(desk.run("x", "--json-schema", schema, "--output-format", "json").stdout)

    assert (told["structured_output"], told["num_turns"]) == ({"n": 4}, 3)


def old_session(desk: Desk) -> Path:
    """Return a transcript that nobody has touched for twenty days."""
    desk.run("Long ago")
    [path] = desk.transcripts
    then = time.time() - 20 * 86_400
    os.utime(path, (then, then))
    (desk.own / "projects" / ".purged").unlink()
    return path


def with_settings(folder: Path, days: int) -> None:
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text(json.dumps({"cleanupPeriodDays": days}))


def test_sessions_are_let_go_when_they_are_older_than_they_are_kept(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Fine.")
    path = old_session(desk)
    with_settings(desk.home, 10)
    desk.run("Hi")

    assert path not in desk.transcripts
    assert len(desk.transcripts) == 1


def test_a_project_cannot_have_sessions_deleted(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Fine.")
    path = old_session(desk)
    with_settings(desk.cwd, 1)
    desk.run("Hi", "--trust")

    assert path in desk.transcripts
    assert len(desk.transcripts) == 2


def test_a_session_that_is_in_use_is_not_deleted(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Fine.")
    with running(desk) as process:
        send(process, says("Hi"))
        until(process, lambda frame: frame["type"] == "result")
        ended = desk.command("sessions", "delete", desk.transcripts[0].stem)

    assert "in use" in ended.stderr
    assert len(desk.transcripts) == 1


def test_what_was_mended_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "One.", "Two.")
    desk.run("Hi")
    with desk.transcripts[0].open("ab") as file:
        file.write(b'{"type":"user","uuid":"torn')
    ended = desk.run("Again", "--continue")

    assert (ended.returncode, ended.stdout) == (0, "Two.\n")
    assert "mended" in ended.stderr


def test_a_log_is_written_where_it_is_wanted_and_holds_no_secret(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "The key is correct-horse.")
    log = tmp_path / "log.txt"
    ended = desk.run("Hi", "--debug-file", str(log), MY_API_KEY="correct-horse")

    assert ended.stderr == ""
    assert "TurnFinished" in log.read_text()
    assert "correct-horse" not in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("words", "message"),
    [
        pytest.param(("x", "--nonsense"), "unrecognized arguments: --nonsense", id="unknown"),
        pytest.param(("x", *DRIVEN), "prompt comes on standard input", id="prompt"),
        pytest.param(("x", "--session-mirror"), "is not supported yet", id="mirror"),
        pytest.param(("x", "--agents", '{"a": 5}'), "needs a description", id="agents"),
    ],
)
def test_a_wrong_command_line_gets_one_line(
    words: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    ended = Desk(tmp_path, "Fine.").run(*words)

    assert ended.returncode in (1, 2)
    assert message in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_a_server_that_cannot_be_had_is_told(tmp_path: Path) -> None:
    servers = '{"mcpServers": {"far": {"command": "true"}}}'
    ended = Desk(tmp_path, "Fine.").run("Hi", "--mcp-config", servers)

    assert ended.stdout == "Fine.\n"
    assert "'far' is left out" in ended.stderr


def test_a_frame_says_what_its_reply_took_at_the_start(tmp_path: Path) -> None:
    _, told = drive(Desk(tmp_path, "Fine."), says("Hi"))

    said = next(frame for frame in told if frame["type"] == "assistant")
    assert said["message"]["usage"]["input_tokens"] == results(told)[0]["usage"]["input_tokens"] > 0


def in_background(command: str, **more: Any) -> dict[str, Any]:
    return {"call": "Bash", "input": {"command": command, "run_in_background": True, **more}}


WAIT_FOR_GO = "while [ ! -e go ]; do sleep 0.05; done; echo went"


def is_result(frame: dict[str, Any]) -> bool:
    return bool(frame["type"] == "result")


def test_the_end_of_a_task_wakes_the_model_when_nothing_else_goes_on(tmp_path: Path) -> None:
    told = {"when": {"user": {"contains": "<status>completed</status>"}}, "then": ["It went."]}
    desk = Desk(tmp_path, [in_background(WAIT_FOR_GO)], "Begun.", told)
    with running(desk, "--allowedTools", "Bash") as process:
        send(process, says("Wait.", origin={"kind": "human"}))
        first = until(process, is_result)
        (desk.cwd / "go").touch()
        said = until(process, lambda frame: bool(frame.get("isSynthetic")))
        init = until(process, lambda frame: frame.get("subtype") == "init")
        second = until(process, is_result)

    assert (first["result"], first["origin"]) == ("Begun.", {"kind": "human"})
    assert said["origin"] == second["origin"] == {"kind": "task-notification"}
    assert "<task-notification>" in said["message"]["content"]
    assert init["session_id"] == second["session_id"] == first["session_id"]
    assert second["result"] == "It went."
    lines, _ = read_lines(desk.transcripts[0])
    assert said["uuid"] in [line.get("uuid") for line in lines]


def test_a_task_that_the_client_stopped_wakes_nobody_and_is_told_later(tmp_path: Path) -> None:
    told = {
        "when": {"user": {"contains": "Well?"}},
        "then": ["It was stopped."],
        "else": ["Nobody asked."],
    }
    desk = Desk(tmp_path, [in_background(WAIT_FOR_GO)], "Begun.", told)
    with running(desk, "--allowedTools", "Bash") as process:
        send(process, says("Wait."))
        task = until(process, lambda frame: frame.get("subtype") == "task_started")["task_id"]
        until(process, is_result)
        send(process, asks("stop_task", task_id=task))
        until(process, lambda frame: frame.get("subtype") == "task_notification")
        send(process, asks("get_session_cost", "r2"))
        until(process, lambda frame: frame["type"] == "control_response")
        send(process, says("Well?"))
        last = until(process, is_result)

    assert last["result"] == "It was stopped."
    assert "<status>killed</status>" in desk.transcripts[0].read_text()


def test_after_the_end_of_the_input_no_task_begins_a_turn(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [in_background("sleep 0.3")], "Begun.")
    ended, told = drive(desk, says("Wait."), words=("--allowedTools", "Bash"))

    assert ended.returncode == 0
    assert [frame["result"] for frame in results(told)] == ["Begun."]
    assert len([frame for frame in told if frame.get("subtype") == "task_notification"]) == 1


def serve_tools(process: "subprocess.Popen[str]", tools: list[Any], answer: str) -> dict[str, Any]:
    """Be the servers of the program until it tells a result; return that."""

    def is_over(frame: dict[str, Any]) -> bool:
        if frame.get("request", {}).get("subtype") == "mcp_message":
            message = frame["request"]["message"]
            result: Any = {"tools": tools} if message["method"] == "tools/list" else {}
            if message["method"] == "tools/call":
                given = json.dumps(message["params"]["arguments"])
                text = answer.replace("GIVEN", json.dumps(given)[1:-1])
                result = {"content": [{"type": "text", "text": text}]}
            told = {"jsonrpc": "2.0", "id": message.get("id"), "result": result}
            response = {"subtype": "success", "request_id": frame["request_id"]}
            response["response"] = {"mcp_response": told}
            send(process, {"type": "control_response", "response": response})
        return is_result(frame)

    return until(process, is_over)


SDK_SERVER = {"mcpServers": {"guard": {"type": "sdk", "name": "guard"}}}
JUDGE = {"name": "judge", "description": "Judges.", "inputSchema": {"type": "object"}}


@pytest.mark.parametrize(
    ("tool", "answer", "denials", "made"),
    [
        (
            "judge",
            '{"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",'
            ' "permissionDecisionReason": "saw GIVEN"}}',
            1,
            False,
        ),
        ("judge", "nothing to say", 0, True),
        ("gone", "", 0, True),
    ],
    ids=["denies", "abstains", "no-such-tool"],
)
def test_a_hook_asks_a_tool_of_the_client(
    tmp_path: Path, tool: str, answer: str, denials: int, made: bool
) -> None:
    desk = Desk(tmp_path, [TOUCH], "Done.")
    given = {"what": "${tool_input.command}"}
    handler = {"type": "mcp_tool", "server": "guard", "tool": tool, "input": given}
    hooks = {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [handler]}]}}
    words = ("--settings", json.dumps(hooks), "--mcp-config", json.dumps(SDK_SERVER))
    with running(desk, "--allowedTools", "Bash", *words) as process:
        send(process, says("Go"))
        result = serve_tools(process, [JUDGE], answer)

    assert (result["result"], len(result["permission_denials"])) == ("Done.", denials)
    assert (desk.cwd / "made.txt").exists() == made
    told = desk.transcripts[0].read_text()
    assert ('saw {\\"what\\": \\"touch made.txt\\"}' in told.replace("\\\\", "")) == bool(denials)


def test_the_context_is_told_part_by_part(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Fine.")
    memory = desk.cwd / "CLAUDE.md"
    memory.write_text("Prefer tabs. " * 100)
    with running(desk, "--mcp-config", json.dumps(SDK_SERVER)) as process:
        send(process, says("Hi"))
        serve_tools(process, [JUDGE], "")
        send(process, asks("get_context_usage"))
        answer = until(process, lambda frame: frame["type"] == "control_response")
    told = answer["response"]["response"]

    sizes = {part["name"]: part["tokens"] for part in told["categories"]}
    assert list(sizes) == [
        *("System prompt", "System tools", "MCP tools", "Memory files", "Messages", "Free space"),
    ]
    assert all(sizes.values())
    assert told["totalTokens"] == sum(sizes.values()) - sizes["Free space"]
    assert told["maxTokens"] == sum(sizes.values())
    assert told["memoryFiles"] == [
        {"path": str(memory), "type": "Project", "tokens": sizes["Memory files"]}
    ]
    assert told["mcpTools"] == [
        {"name": "mcp__guard__judge", "serverName": "guard", "tokens": sizes["MCP tools"]}
    ]
    assert set(told["apiUsage"]) >= {"input_tokens", "output_tokens"}
