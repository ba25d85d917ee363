"""`gantlet --record` and `--replay`: a run against a real server, and the same run without it."""

import json
import os
import signal
import stat
import subprocess
from pathlib import Path
from typing import Any

import pytest

from end_to_end.program_kit import SECONDS, STREAM, Desk, frames, served

SECRET = "sk-ant-api03-abcdefghijklmnopqrstuvwxyz"
DRIVEN = (*STREAM, "--input-format", "stream-json")
#: What is another one in each run, and says nothing about what happened.
MADE_UP = {"uuid", "session_id", "duration_ms", "duration_api_ms", "timestamp", "apiKeySource"}
#: What is told only of a call that takes long, which depends on how busy the machine is.
OF_TIME = "tool_progress"


def work(desk: Desk) -> tuple[Any, ...]:
    """Return a script that changes a file, reads it, and says what it found."""
    file = str(desk.cwd / "notes.txt")
    return (
        [
            {"thinking": "A file first.", "signature": "c2ln"},
            {"text": "I will write.", "chunks": 3},
            {"call": "Write", "input": {"file_path": file, "content": "milk\n"}, "chunks": 4},
            {"call": "Bash", "input": {"command": "seq 1 9000"}},
        ],
        [{"call": "Read", "input": {"file_path": file}}],
        "It says: {{ result.1.text }}",
    )


def desk_at(folder: Path) -> Desk:
    """Return a desk with that script."""
    desk = Desk(folder)
    desk.write_script(*work(desk))
    return desk


def recorded(desk: Desk, *words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """Run against the served script and record it; undo what was done to the folder."""
    with served(desk) as url:
        ended = desk.command(
            *("--record", "../talk.jsonl", "--permission-mode", "bypassPermissions", *words),
            stdin=stdin,
            ANTHROPIC_BASE_URL=url,
            ANTHROPIC_API_KEY=SECRET,
            IS_SANDBOX="1",
        )
    (desk.cwd / "notes.txt").unlink(missing_ok=True)
    return ended


def replayed(desk: Desk, *words: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """Run again without any server or key."""
    return desk.command(
        *("--replay", "../talk.jsonl", "--permission-mode", "bypassPermissions", *words),
        stdin=stdin,
        IS_SANDBOX="1",
    )


def plain(value: Any) -> Any:
    """Return a line without what is made up anew in each run."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items() if name not in MADE_UP}
    return [plain(part) for part in value] if isinstance(value, list) else value


def told(text: str) -> dict[str, list[Any]]:
    """Return what was told of each kind, but for what is made up anew and this session's folder."""
    own = frames(text)[-1]["session_id"]
    kinds: dict[str, list[Any]] = {}
    for line in frames(text.replace(own, "SESSION")):
        if line["type"] != OF_TIME:
            kinds.setdefault(line["type"], []).append(plain(line))
    return kinds


def test_what_was_recorded_is_played_without_server_and_key(tmp_path: Path) -> None:
    desk = desk_at(tmp_path)
    del desk.env["ENABLE_TOOL_SEARCH"]  # then it depends on the server's address

    lived = recorded(desk, "-p", f"Work with {SECRET}")
    again = replayed(desk, "-p", f"Work with {SECRET}")

    assert (lived.returncode, lived.stderr) == (0, "")
    assert lived.stdout.startswith("It says: ")
    assert (again.returncode, again.stdout, again.stderr) == (0, lived.stdout, "")
    assert (desk.cwd / "notes.txt").read_text() == "milk\n"


def test_a_cassette_is_its_owners_and_holds_no_secret(tmp_path: Path) -> None:
    desk = desk_at(tmp_path)
    recorded(desk, "-p", f"Work with {SECRET}")

    cassette = tmp_path / "talk.jsonl"
    assert stat.S_IMODE(cassette.stat().st_mode) == 0o600
    assert SECRET not in cassette.read_text()
    assert "Work with [masked]" in cassette.read_text()


def test_a_stream_of_lines_is_the_same_again(tmp_path: Path) -> None:
    desk = desk_at(tmp_path)
    words = ("-p", "Work", *STREAM, "--include-partial-messages")

    lived, again = recorded(desk, *words), replayed(desk, *words)

    assert lived.returncode == again.returncode == 0
    assert told(again.stdout) == told(lived.stdout)
    assert len(told(lived.stdout)["stream_event"]) > 20


def test_a_driven_program_records_all_its_conversations(tmp_path: Path) -> None:
    desk = desk_at(tmp_path)
    prompts = [
        {"type": "user", "message": {"role": "user", "content": text}}
        for text in ("Work", "/clear", "Work once more")
    ]
    lines = "".join(f"{json.dumps(line)}\n" for line in prompts)

    lived, again = (run(desk, *DRIVEN, stdin=lines) for run in (recorded, replayed))

    ends = [
        [line.get("result") for line in frames(run.stdout) if line["type"] == "result"]
        for run in (lived, again)
    ]
    assert [text.split("\n")[0][:8] for text in ends[0] if text] == ["It says:", "It says:"]
    assert ends[0] == ends[1]


def test_a_script_can_be_recorded_too(tmp_path: Path) -> None:
    desk = desk_at(tmp_path)
    lived = desk.run("Work", "--record", "../talk.jsonl")

    again = desk.command("-p", "Work", "--replay", "../talk.jsonl")

    assert (lived.returncode, again.stdout, again.stderr) == (0, lived.stdout, "")


def test_another_day_and_another_state_of_the_repository_make_no_difference(
    tmp_path: Path,
) -> None:
    desk = Desk(tmp_path, "Hello.")
    desk.run("Hi", "--record", "../talk.jsonl")
    cassette = tmp_path / "talk.jsonl"
    text = cassette.read_text()
    dates = {json.loads(line)["changing"]["place"] for line in text.splitlines()[1:2]}
    (date,) = (line for line in dates.pop().splitlines() if line.startswith("Date: "))
    cassette.write_text(text.replace(date, "Date: 2001-01-01"))
    subprocess.run(["git", "init", "-q", desk.cwd], check=True, env=desk.env)

    again = desk.command("-p", "Hi", "--replay", "../talk.jsonl")

    assert (again.stdout, again.stderr) == ("Hello.\n", "")


def test_another_prompt_is_answered_with_the_difference(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Hello.")
    desk.run("Good morning", "--record", "../talk.jsonl")

    again = desk.command("-p", "Good evening", "--replay", "../talk.jsonl")

    assert again.returncode == 1
    assert "recorded 'Good morning', asked 'Good evening'" in again.stdout
    assert again.stderr == "gantlet: ../talk.jsonl: 1 recorded request was not made.\n"


def test_what_cannot_be_recorded_is_said_before_anything_happens(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Hello.")
    (tmp_path / "talk.jsonl").write_text("mine\n")

    there = desk.run("Hi", "--record", "../talk.jsonl")
    folder = desk.run("Hi", "--record", ".")
    nowhere = desk.run("Hi", "--record", "gone/talk.jsonl")

    assert (there.returncode, there.stdout) == (1, "")
    assert there.stderr == (
        "gantlet: There is a cassette '../talk.jsonl' already. Remove it, or name another.\n"
    )
    assert (tmp_path / "talk.jsonl").read_text() == "mine\n"
    assert (folder.returncode, folder.stdout) == (1, "")
    assert folder.stderr == "gantlet: The cassette '.' cannot be made: Is a directory.\n"
    assert (nowhere.returncode, nowhere.stdout) == (1, "")
    assert nowhere.stderr == (
        "gantlet: The cassette 'gone/talk.jsonl' cannot be made: No such file or directory.\n"
    )
    assert desk.transcripts == []


def test_what_cannot_be_played_is_said_in_one_line(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Hello.")
    (tmp_path / "other").write_text("something else\n")

    gone = desk.command("-p", "Hi", "--replay", "gone.jsonl")
    other = desk.command("-p", "Hi", "--replay", "../other")
    os.mkfifo(tmp_path / "pipe")
    pipe = desk.command("-p", "Hi", "--replay", "../pipe")
    device = desk.command("-p", "Hi", "--replay", "/dev/zero")

    assert (gone.returncode, gone.stderr) == (
        1,
        "gantlet: The cassette 'gone.jsonl' cannot be read: No such file or directory.\n",
    )
    assert (
        other.stderr == "gantlet: ../other:1: this is no cassette of version 1. Record it anew.\n"
    )
    for ended, path in ((pipe, "../pipe"), (device, "/dev/zero")):
        assert (ended.returncode, ended.stdout) == (1, "")
        assert ended.stderr == f"gantlet: The cassette '{path}' cannot be read: It is no file.\n"


def test_nothing_is_left_of_a_run_that_could_not_begin(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Hello.")

    ended = desk.run("Hi", "--record", "../talk.jsonl", "--resume", "nothing")

    assert ended.returncode == 1
    assert not (tmp_path / "talk.jsonl").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["term", "kill"])
def test_an_interrupted_run_leaves_what_happened_so_far(
    tmp_path: Path, number: signal.Signals
) -> None:
    desk = Desk(
        tmp_path,
        [{"call": "Glob", "input": {"pattern": "*"}}],
        [{"text": "I think", "chunks": 2, "pause": 1000}],
    )
    words = ("Look", *STREAM, "--include-partial-messages")
    process = desk.start(*words, "--record", "../talk.jsonl")
    assert process.stdout is not None
    while b'"I t' not in process.stdout.readline():
        pass
    process.send_signal(number)
    process.communicate(timeout=SECONDS)

    again = desk.command("-p", *words, "--replay", "../talk.jsonl")

    lines = frames(again.stdout)
    spoken = [line for line in lines if line["type"] == "stream_event"]
    assert spoken[-1]["event"]["delta"] == {"type": "text_delta", "text": "I t"}
    assert [line["type"] for line in lines if line["type"] == "user"] == ["user"]
    assert "nobody listened any longer" in lines[-1]["result"]
    assert again.returncode == 1


def test_the_flags_are_in_the_help(tmp_path: Path) -> None:
    ended = Desk(tmp_path).command("-p", "--help")

    assert "--record FILE" in ended.stdout
    assert "--replay FILE" in ended.stdout
