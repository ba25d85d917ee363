"""Hooks as users have them: settings files, scripts, and the real program around them."""

import json
from pathlib import Path
from typing import Any

import pytest

from end_to_end.program_kit import STREAM, Desk, frames

DEFER = '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"defer"}}'
TOUCH = [{"call": "Bash", "input": {"command": "touch made"}}]


def command(line: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": line, **more}


def desk_with(folder: Path, *replies: Any, **events: dict[str, Any]) -> Desk:
    """A desk whose user has one handler for each event."""
    desk = Desk(folder, *replies)
    hooks = {event: [{"hooks": [handler]}] for event, handler in events.items()}
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"hooks": hooks}))
    return desk


def results(text: str) -> list[str]:
    """What calls answered, in the order of a stream."""
    told = [frame["message"]["content"][0] for frame in frames(text) if frame["type"] == "user"]
    return [block["content"] for block in told if block["type"] == "tool_result"]


@pytest.mark.parametrize(
    ("line", "more", "told"),
    [
        ("exit 1", {}, "PreToolUse:Bash hook error: Failed with non-blocking status code"),
        ("sleep 60", {"timeout": 0.3}, "It took longer than 0.3 s and was ended."),
        ("yes", {}, "It wrote more than 1,000,000 bytes and was ended."),
        ("/no/such/program", {"args": []}, "It could not be started"),
        ('echo \'{"continue": "maybe"}\'', {}, "Its answer makes no sense"),
        ('echo \'{"systemMessage": "Look here."}\'', {}, "gantlet: Look here."),
    ],
    ids=["exit-1", "hangs", "floods", "missing", "nonsense", "system-message"],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_what_a_hook_has_to_say_is_on_stderr(
    tmp_path: Path, line: str, more: dict[str, Any], told: str, form: str
) -> None:
    desk = desk_with(tmp_path, TOUCH, "Done.", PreToolUse=command(line, **more))

    done = desk.run("go", "--allowedTools", "Bash", "--output-format", form)

    assert told in done.stderr
    assert (desk.cwd / "made").exists()


def test_no_hook_steers_the_terminal(tmp_path: Path) -> None:
    answer = json.dumps({"systemMessage": "a\x1b[2Jb\x07"})
    desk = desk_with(tmp_path, TOUCH, "Done.", PreToolUse=command(f"cat <<'X'\n{answer}\nX"))

    done = desk.run("go", "--allowedTools", "Bash")

    assert "a\\x1b[2Jb\\x07" in done.stderr
    assert "\x1b" not in done.stderr


def test_a_deferred_call_is_taken_up_without_a_prompt(tmp_path: Path) -> None:
    gate = command(f"[ -f go ] || echo '{DEFER}'")
    desk = desk_with(tmp_path, TOUCH, "Done.", PreToolUse=gate)
    first = json.loads(desk.run("go", "--allowedTools", "Bash", "--output-format", "json").stdout)
    assert first["deferred_tool_use"]["name"] == "Bash"
    assert not (desk.cwd / "made").exists()

    (desk.cwd / "go").touch()
    desk.write_script({"text": "unused"}, "Done.")
    words = ("--resume", first["session_id"], "--allowedTools", "Bash", *STREAM)
    done = desk.run(*words)

    assert done.returncode == 0, done.stderr
    assert (desk.cwd / "made").exists()
    assert frames(done.stdout)[-1]["terminal_reason"] == "completed"


def test_resuming_without_a_prompt_needs_a_call_that_waits(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Hello.")
    session = json.loads(desk.run("hi", "--output-format", "json").stdout)["session_id"]

    done = desk.run("--resume", session)

    assert done.returncode == 1
    assert "No call waits in this session" in done.stderr
    assert desk.run("again", "--resume", session).returncode == 0  # nothing holds it


def test_commands_have_what_hooks_export(tmp_path: Path) -> None:
    lines = """
cat >> "$CLAUDE_ENV_FILE" <<'X'
export PLACE="a b"
declare -x QUOTED='it'"'"'s'
export PATH="$PATH:/opt/of/hook"
export PAGER=less ANTHROPIC_API_KEY=key BASH_ENV=/evil
X
"""
    shown = 'echo "$PLACE|$QUOTED|${PATH##*:}|$PAGER|$ANTHROPIC_API_KEY|$BASH_ENV"'
    call = [{"call": "Bash", "input": {"command": shown}}]
    desk = desk_with(tmp_path, call, "Done.", SessionStart=command(lines))

    done = desk.run("go", "--allowedTools", "Bash", *STREAM)

    assert results(done.stdout) == ["a b|it's|/opt/of/hook|cat||"]


def test_a_secret_that_a_hook_exports_is_masked(tmp_path: Path) -> None:
    call = [{"call": "Bash", "input": {"command": "echo $DB_PASSWORD"}}]
    line = 'echo "export DB_PASSWORD=correct-horse-battery" > "$CLAUDE_ENV_FILE"'
    desk = desk_with(tmp_path, call, "Done.", SessionStart=command(line))

    done = desk.run("go", "--allowedTools", "Bash", *STREAM)

    assert "correct-horse" not in results(done.stdout)[0]


def test_a_broken_file_of_variables_is_told_and_commands_run(tmp_path: Path) -> None:
    call = [{"call": "Bash", "input": {"command": "echo ran"}}]
    line = "echo 'exit 3' > \"$CLAUDE_ENV_FILE\""
    desk = desk_with(tmp_path, call, "Done.", SessionStart=command(line))

    [result] = results(desk.run("go", "--allowedTools", "Bash", *STREAM).stdout)

    assert "ran" in result
    assert "are not used" in result


def test_hooks_of_the_checkout_are_found_from_a_folder_in_it(tmp_path: Path) -> None:
    desk = Desk(tmp_path, TOUCH, "Done.")
    top = desk.cwd
    (top / ".git").mkdir()
    (top / ".claude").mkdir()
    (top / ".claude" / "tell").write_text('#!/bin/sh\nenv > "$CLAUDE_PROJECT_DIR/told"\n')
    (top / ".claude" / "tell").chmod(0o755)
    handler = command('"$CLAUDE_PROJECT_DIR"/.claude/tell')
    hooks = {"hooks": {"PreToolUse": [{"hooks": [handler]}]}}
    (top / ".claude" / "settings.json").write_text(json.dumps(hooks))
    desk.cwd = top / "deep" / "inside"
    desk.cwd.mkdir(parents=True)

    done = desk.run("go", "--allowedTools", "Bash", "--trust", "--effort", "high")

    told = dict(line.split("=", 1) for line in (top / "told").read_text().splitlines())
    assert told["CLAUDE_PROJECT_DIR"] == str(top)
    assert told["CLAUDE_EFFORT"] == "high"
    assert done.stderr == ""


def test_a_hook_gives_a_session_its_title_when_a_prompt_comes(tmp_path: Path) -> None:
    special = {"hookEventName": "UserPromptSubmit", "sessionTitle": "Roses"}
    line = f"echo '{json.dumps({'hookSpecificOutput': special})}'"
    desk = desk_with(tmp_path, "Hello.", UserPromptSubmit=command(line))

    assert desk.run("hi").returncode == 0

    assert "Roses" in desk.command("sessions", "list").stdout


def test_a_fork_tells_hooks_that_it_is_one(tmp_path: Path) -> None:
    desk = desk_with(
        tmp_path, "Hello.", "Again.", SessionStart=command("cat >> told; echo >> told")
    )
    session = json.loads(desk.run("hi", "--output-format", "json").stdout)["session_id"]
    desk.run("hi", "--resume", session)
    desk.run("hi", "--resume", session, "--fork-session")

    told = [json.loads(line) for line in (desk.cwd / "told").read_text().split("\n") if line]
    assert [one["source"] for one in told] == ["startup", "resume", "fork"]


def test_a_malformed_rule_is_told_with_its_place(tmp_path: Path) -> None:
    desk = Desk(tmp_path, "Hello.")
    settings = desk.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"permissions": {\n"deny": [\n"Bash(("]}}')

    assert f"({settings}:3, permissions.deny)" in desk.run("hi").stderr


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"])
def test_why_a_hook_ended_a_turn_is_told(tmp_path: Path, event: str) -> None:
    line = 'echo \'{"continue": false, "stopReason": "closed today"}\''
    desk = desk_with(tmp_path, TOUCH, "Done.", **{event: command(line)})

    done = desk.run("go", "--allowedTools", "Bash")

    assert done.stderr.splitlines() == ["gantlet: A hook ended the turn: closed today"]


def test_a_trusted_projects_path_does_not_lead_the_users_own_hooks(tmp_path: Path) -> None:
    desk = desk_with(tmp_path, TOUCH, "Done.", PreToolUse=command("guard mine"))
    own, theirs = desk.home / "bin", desk.cwd / "bin"
    for folder in (own, theirs):
        folder.mkdir()
        (folder / "guard").write_text(f"#!/bin/sh\necho {folder} >> $1\n")
        (folder / "guard").chmod(0o755)
    desk.env["PATH"] = f"{own}:{desk.env['PATH']}"
    project = {
        "env": {"PATH": f"{theirs}:{desk.env['PATH']}"},
        "hooks": {"PreToolUse": [{"hooks": [command("guard theirs")]}]},
    }
    (desk.cwd / ".claude").mkdir()
    (desk.cwd / ".claude" / "settings.json").write_text(json.dumps(project))

    ended = desk.run("go", "--allowedTools", "Bash", "--trust")

    assert ended.stdout == "Done.\n"
    assert (desk.cwd / "mine").read_text() == f"{own}\n"
    assert (desk.cwd / "theirs").read_text() == f"{theirs}\n"
