"""`gantlet -p` as scripts and CI use it: what comes out, where, and with which exit code."""

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

import pytest

from end_to_end.program_kit import SECONDS, STREAM, Desk, frames, served
from gantlet.session import read_lines, restore
from gantlet.surfaces.headless.held_agent import LINGER_SECONDS

GLOB = {"call": "Glob", "input": {"pattern": "*.txt"}}


def test_words_in_words_out(tmp_path: Path) -> None:
    ended = Desk(tmp_path, "Four.").run("Two and two?")

    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "Four.\n", "")


def shown_by(desk: Desk, *words: str) -> str:
    """Run the program on a terminal of its own; return what it sends there."""
    screen, terminal = os.openpty()
    shown = b""
    with subprocess.Popen(
        desk.argv(*words), cwd=desk.cwd, env=desk.env, stdin=subprocess.DEVNULL, stdout=terminal
    ) as process:
        os.close(terminal)
        with suppress(OSError):  # the end of a terminal is an error
            while part := os.read(screen, 65_536):
                shown += part
        assert process.wait(SECONDS) == 0
    os.close(screen)
    return shown.decode()


@pytest.mark.parametrize("form", ["text", "json", "stream-json"])
def test_what_a_model_says_steers_no_terminal(tmp_path: Path, form: str) -> None:
    desk = Desk(tmp_path, "Red: \x1b[31m\x9b31m\x1b]0;title\x07 and \u202eback.")
    words = ("--output-format", form, "--verbose") if form != "text" else ()

    shown = shown_by(desk, "Say it", *words)

    assert "Red: " in shown
    assert "back." in shown
    assert not set(shown) & set("\x1b\x9b\x07\u202e")


def test_in_a_pipe_words_are_as_they_were_said(tmp_path: Path) -> None:
    ended = Desk(tmp_path, "Red: \x1b[31m").run("Say it")

    assert ended.stdout == "Red: \x1b[31m\n"


def test_one_json_object(tmp_path: Path) -> None:
    ended = Desk(tmp_path, [GLOB], "Done.").run("Look", "--output-format", "json")

    told = json.loads(ended.stdout)
    assert (told["type"], told["subtype"], told["result"]) == ("result", "success", "Done.")
    assert (told["num_turns"], told["is_error"], ended.stderr) == (2, False, "")


def test_a_stream_has_its_order(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ["Look:", GLOB, GLOB], "Done.")
    told = frames(desk.run("Look", *STREAM).stdout)

    assert [frame["type"] for frame in told] == [
        *("system", "assistant", "assistant", "assistant"),
        *("user", "user", "assistant", "result"),
    ]
    assert len({frame["session_id"] for frame in told}) == 1
    assert len({frame["uuid"] for frame in told}) == len(told)
    assert {frame["message"]["id"] for frame in told[1:4]} == {told[1]["message"]["id"]}


def test_lines_on_disk_and_on_the_wire_have_the_same_ids(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ["Look:", GLOB, GLOB], "Done.")
    told = frames(desk.run("Look", *STREAM).stdout)
    written, _ = read_lines(desk.transcripts[0])

    ids = {line.get("uuid") for line in written}
    assert {frame["uuid"] for frame in told if frame["type"] in ("assistant", "user")} <= ids


def test_what_is_piped_in_is_part_of_the_prompt(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Short.")
    ended = desk.run("Sum up:", stdin="a long text\n")

    assert "a long text" in desk.transcripts[0].read_text()
    assert ended.returncode == 0


def test_a_prompt_can_be_piped_alone(tmp_path: Path) -> None:
    assert Desk(tmp_path, "Yes.").run(stdin="Are you there?").stdout == "Yes.\n"


def test_nothing_to_do_is_said(tmp_path: Path) -> None:
    ended = Desk(tmp_path, "Yes.").run()

    assert (ended.returncode, ended.stdout) == (1, "")
    assert "There is nothing to do" in ended.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("x", "--max-turns", "none"), "--max-turns needs a number"),
        (("x", "--resume", "nothing"), "No session 'nothing' was found"),
        (("x", "--continue"), "no session in"),
        (("x", "--mcp-config", "/nowhere.json"), "/nowhere.json cannot be read"),
        (("x", "--settings", "/nowhere.json"), "/nowhere.json"),
        (("x", "--worktree"), "--worktree is not supported yet"),
        (("x", "--json-schema", '{"type": "nonsense"}'), "not a valid JSON Schema"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, tuple) else "",
)
def test_what_cannot_begin_is_said_in_one_line(
    tmp_path: Path, words: tuple[str, ...], message: str
) -> None:
    ended = Desk(tmp_path, "Yes.").run(*words)

    assert ended.returncode == 1
    assert message in ended.stderr + ended.stdout
    assert "Traceback" not in ended.stderr


def test_a_limit_is_a_failure_that_still_tells_its_result(tmp_path: Path) -> None:
    desk = Desk(tmp_path, [GLOB], [GLOB], [GLOB])
    ended = desk.run("Look", "--max-turns", "2", "--output-format", "json")

    told = json.loads(ended.stdout)
    assert ended.returncode == 1
    assert (told["subtype"], told["terminal_reason"]) == ("error_max_turns", "max_turns")


def test_what_nobody_can_be_asked_about_is_denied_and_told(tmp_path: Path) -> None:
    write = {"call": "Write", "input": {"file_path": str(tmp_path / "work/a"), "content": "x"}}
    desk = Desk(tmp_path, [write], "Well.")
    told = json.loads(desk.run("Write", "--output-format", "json").stdout)

    assert [denial["tool_name"] for denial in told["permission_denials"]] == ["Write"]
    assert not (desk.cwd / "a").exists()


def test_allowed_tools_and_modes_count(tmp_path: Path) -> None:
    write = {"call": "Write", "input": {"file_path": str(tmp_path / "work/a"), "content": "x"}}
    desk = Desk(tmp_path, [write], "Well.")
    desk.run("Write", "--permission-mode", "acceptEdits")

    assert (desk.cwd / "a").read_text() == "x"


def test_a_reader_that_goes_away_leaves_a_valid_session(tmp_path: Path) -> None:
    desk = Desk(tmp_path, *[[GLOB] for _ in range(5)], "Done.")
    process = desk.start("Look", *STREAM)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    process.wait(timeout=60)
    process.stderr.close()

    told = restore(read_lines(desk.transcripts[0])[0])
    assert told.notes == ()


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["term", "int"]
)
def test_a_signal_leaves_a_valid_session(tmp_path: Path, number: signal.Signals, code: int) -> None:
    slow = [{"text": "I think", "chunks": 2, "pause": 1000}]
    desk = Desk(tmp_path, [GLOB], slow)
    process = desk.start("Look", *STREAM, "--include-partial-messages")
    assert process.stdout is not None
    while b'"I t' not in process.stdout.readline():
        pass
    process.send_signal(number)
    out, err = process.communicate(timeout=60)

    assert (process.returncode, err) == (code, b"")
    assert json.loads(out.splitlines()[-1])["terminal_reason"] == "aborted_streaming"
    assert restore(read_lines(desk.transcripts[0])[0]).notes == ()


def test_a_call_that_the_model_had_not_left_behind_is_no_part_of_the_session(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path, [GLOB, {"wait": 1000}])
    process = desk.start("Look", *STREAM, "--include-partial-messages")
    assert process.stdout is not None
    while b'"content_block_stop"' not in process.stdout.readline():
        pass
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)

    told = restore(read_lines(desk.transcripts[0])[0])
    assert told.notes == ()
    assert told.history.ids == frozenset()


def test_sessions_are_listed_shown_renamed_exported_and_deleted(tmp_path: Path) -> None:
    desk = Desk(tmp_path, ["Look:", GLOB], "Done <b>.")
    desk.run("Look around & tell")
    own = desk.transcripts[0].stem

    listed = desk.command("sessions").stdout
    shown = desk.command("sessions", "show", own).stdout
    desk.command("sessions", "rename", own, "My plan")
    page = desk.command("export", "My plan", "--html", "-o", "-").stdout
    gone = desk.command("sessions", "delete", "My plan")

    assert own in listed
    assert "Look around" in listed
    assert "[succeeded] Glob" in shown
    assert "Done &lt;b&gt;." in page
    assert "The calls over time" in page
    assert "<script" not in page
    assert gone.returncode == 0
    assert desk.transcripts == []


def test_the_model_can_be_found_behind_an_address(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Over HTTP.")
    with served(desk) as url:
        ended = desk.command("-p", "Hi", ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="k")

    assert (ended.returncode, ended.stdout) == (0, "Over HTTP.\n")


def test_a_budget_is_that_of_all_prompts_together(tmp_path: Path) -> None:
    dear = {"say": "Dear.", "usage": {"input_tokens": 1_000_000, "output_tokens": 1}}
    desk = Desk(tmp_path, dear, dear, dear)
    lines = [{"type": "user", "message": {"role": "user", "content": word}} for word in "abc"]
    with served(desk) as url:
        ended = desk.command(
            *STREAM,
            *("--input-format", "stream-json", "--model", "claude-sonnet-5-5"),
            *("--max-budget-usd", "0.001"),
            stdin="".join(f"{json.dumps(line)}\n" for line in lines),
            ANTHROPIC_BASE_URL=url,
            ANTHROPIC_API_KEY="k",
        )

    told = [frame for frame in frames(ended.stdout) if frame["type"] == "result"]
    assert [one["terminal_reason"] for one in told] == [
        "completed",
        "budget_exhausted",
        "budget_exhausted",
    ]
    assert "The budget of $0.001 is spent" in told[1]["errors"][0]


def test_tasks_in_the_background_are_told_and_ended(tmp_path: Path) -> None:
    sleep = {
        "call": "Bash",
        "input": {"command": "echo hi; sleep 0.1", "run_in_background": True},
    }
    desk = Desk(tmp_path, [sleep], "Done.")
    began = time.monotonic()
    ended = desk.run("Go", *STREAM, "--allowedTools", "Bash")
    took = time.monotonic() - began

    told = [frame for frame in frames(ended.stdout) if frame.get("subtype", "").startswith("task_")]
    assert [frame["subtype"] for frame in told] == ["task_started", "task_notification"]
    assert told[1]["status"] == "completed" or took > LINGER_SECONDS
    assert Path(told[1]["output_file"]).name
    assert ended.returncode == 0


@pytest.mark.parametrize(
    ("flags", "told"),
    [
        ([], "Edit and Write to change them, Glob to find them"),
        (["--tools", ""], "You have no tools here"),
        (["--tools", "Read,Bash"], "rather than the shell: Read for files.\n"),
        (["--disallowedTools", "Edit", "Grep"], "Write to change them, Glob to find them.\n"),
    ],
    ids=["all", "none", "two", "denied"],
)
def test_the_model_is_told_only_about_tools_that_are_there(
    tmp_path: Path, flags: list[str], told: str
) -> None:
    desk = Desk(tmp_path)
    heard = {"when": {"system": {"contains": told}}, "then": ["Heard."]}
    desk.script.write_text(json.dumps([heard]))

    ended = desk.run("Hi", *flags)

    assert (ended.returncode, ended.stdout) == (0, "Heard.\n")
