"""What results tell programs of what a command did."""

from pathlib import Path

import pytest

from bash_kit import bench, facts, said
from gantlet.tools.shell.lines import read_line
from gantlet.tools.shell.operations import facts_of, rate_limit_hint

pytestmark = pytest.mark.anyio

_AS = "-c user.name=n -c user.email=n@example.com"


async def test_commits_and_pushes_are_told(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        await here.bash("git init -q -b main . && git init -q --bare up.git")
        made = await here.bash(f"git {_AS} commit --allow-empty -m one")
        amended = await here.bash(f"git {_AS} commit --allow-empty --amend -m two")
        pushed = await here.bash("git push ./up.git main")
        silent = await here.bash("mkdir -p a/b && rm -r a")
        plain = await here.bash("echo '[main 1234567] said by somebody else'")

    sha = said(made).partition("] ")[0].rpartition(" ")[2]
    assert facts(made)["gitOperation"] == {
        "commit": {"sha": sha, "kind": "committed", "branch": "main"}
    }
    assert facts(amended)["gitOperation"]["commit"]["kind"] == "amended"
    assert facts(pushed)["gitOperation"] == {"push": {"branch": "main"}}
    assert facts(silent)["noOutputExpected"] is True
    assert "gitOperation" not in facts(plain)


@pytest.mark.parametrize(
    ("command", "output", "operation"),
    [
        pytest.param(
            "gh pr create --fill",
            "https://github.example/o/r/pull/7\n",
            {"pr": {"number": 7, "url": "https://github.example/o/r/pull/7", "action": "created"}},
            id="pull-request",
        ),
        pytest.param(
            "gh pr merge 12", "", {"pr": {"number": 12, "action": "merged"}}, id="by-its-number"
        ),
        pytest.param(
            "git -C x merge --no-ff topic",
            "",
            {"branch": {"ref": "topic", "action": "merged"}},
            id="merge",
        ),
        pytest.param(
            "git rebase main", "", {"branch": {"ref": "main", "action": "rebased"}}, id="rebase"
        ),
    ],
)
def test_other_operations_are_told(command: str, output: str, operation: dict[str, object]) -> None:
    assert facts_of(read_line(command), output)["gitOperation"] == operation


def test_a_reached_limit_is_told_of_gh_only() -> None:
    said_so = "HTTP 403: API rate limit exceeded for user"

    assert "rate limit is reached" in rate_limit_hint(read_line("gh api repos/x"), said_so)
    assert rate_limit_hint(read_line("cat log"), said_so) == ""


async def test_a_monitor_without_a_command_is_refused_in_clear_words(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        nothing = await here.call("Monitor", description="d", timeout_ms=1000)
        socket = await here.call("Monitor", description="d", ws={"url": "wss://a.example"})

    assert "Give the command to watch" in said(nothing)
    assert "ws" in said(socket)
    assert nothing.block.is_error
    assert socket.block.is_error


def test_a_reached_limit_is_told_also_where_the_command_succeeded() -> None:
    line = read_line("gh api user || true")

    told = facts_of(line, "gh: API rate limit exceeded for user ID 1.\n")
    assert "rate limit is reached" in str(told["ghRateLimitHint"])
    assert "ghRateLimitHint" not in facts_of(line, "fine")
