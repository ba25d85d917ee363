"""A program that is killed at any point loses nothing that finished, and does nothing twice."""

import json
import os
from pathlib import Path
from random import Random
from typing import Any

import pytest

from end_to_end.program_kit import STREAM, Desk
from gantlet.messages import ResultBlock, ToolUse, blocks_of
from gantlet.session import read_lines, restore

STEPS = 5
DEEP = os.environ.get("GANTLET_TEST_DEPTH") == "deep"
POINTS = 200 if DEEP else 10
#: How many lines the program writes when nobody kills it: the start, then block by block.
LINES = 2 + STEPS * 5
#: And that is with parts of replies among them, at most.
MOST = LINES * 4


def steps() -> list[Any]:
    return [
        [
            f"Step {number}.",
            bash(f"echo {number}a >> log"),
            bash(f"echo {number}b >> log"),
        ]
        for number in range(STEPS)
    ]


def bash(command: str) -> dict[str, Any]:
    return {"call": "Bash", "input": {"command": command, "description": "note"}}


def answers(lines: Any) -> dict[str, str]:
    return {
        block["tool_use_id"]: json.dumps(block.get("content"))
        for line in lines
        if line["type"] == "user"
        for block in line["message"]["content"]
        if block["type"] == "tool_result"
    }


def killed_after(desk: Desk, lines: int, random: Random) -> None:
    """Start the program and kill it when it has written so many lines, and a little more."""
    process = desk.start("Go", *STREAM, "--include-partial-messages", "--allowedTools", "Bash")
    assert process.stdout is not None
    assert process.stderr is not None
    for _ in range(lines):
        if not process.stdout.readline():
            break
    for _ in range(random.randrange(4000)):
        pass
    process.kill()
    process.wait()
    process.stdout.close()
    process.stderr.close()


@pytest.mark.parametrize("point", range(POINTS), ids=lambda point: f"point{point}")
def test_killed_at_any_point(tmp_path: Path, point: int) -> None:
    random = Random(point)
    desk = Desk(tmp_path, *steps(), "Done.")
    lines = 1 + (point * MOST + random.randrange(MOST)) // POINTS  # spread over the whole run
    killed_after(desk, lines, random)
    if not desk.transcripts:
        return
    path = desk.transcripts[0]
    before, _ = read_lines(path)

    ended = desk.run("Go on", "--resume", path.stem, "--allowedTools", "Bash")

    mended = ended.stderr.splitlines()
    assert ended.returncode == 0
    assert all(line.startswith("gantlet: The session was mended: ") for line in mended)
    assert len(mended) == len(set(mended))
    assert ended.stdout == "Done.\n" or '"text":"Done."' in json.dumps(
        before, separators=(",", ":")
    )
    after, _ = read_lines(path)
    assert answers(before).items() <= answers(after).items()
    history = restore(after).history
    asked = [b.id for m in history.messages for b in blocks_of(m) if isinstance(b, ToolUse)]
    told = [
        b.tool_use_id for m in history.messages for b in blocks_of(m) if isinstance(b, ResultBlock)
    ]
    assert sorted(asked) == sorted(told)
    noted = (desk.cwd / "log").read_text().split() if (desk.cwd / "log").exists() else []
    assert len(noted) == len(set(noted))
    started = [line["toolUseId"] for line in after if line["type"] == "started"]
    assert len(started) == len(set(started))
    ran = {line["toolUseId"] for line in after if line["type"] == "call"}
    assert len(noted) >= len([one for one in started if one in ran])
