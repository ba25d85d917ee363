"""What the model reads of a command, through the whole pipeline and with real processes."""

import os
from collections.abc import Mapping
from pathlib import Path

import anyio
import pytest

from bash_kit import bench, facts, said, until
from gantlet.execution import Failed, Invalid, Succeeded
from gantlet.messages import CallProgressed, ContextChangeDropped, Image
from gantlet.messages.value import replace

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("command", "text"),
    [
        pytest.param("true", "", id="silence"),
        pytest.param("echo out; echo err >&2; echo out", "out\nerr\nout", id="true-order"),
        pytest.param(r"printf '\n\n  \nbody  \n\n'", "body", id="blank-lines-around"),
        pytest.param(r"printf '\033[1;31mred\033[0m\033]0;title\007!'", "red!", id="escapes"),
        pytest.param(r"printf '10%%\r50%%\r100%%\n'", "100%", id="progress-bar"),
        pytest.param(r"printf 'b\bbo\bold'", "bold", id="struck-over"),
        pytest.param(r"printf 'a\0b\1c'", "abc", id="controls"),
        pytest.param(r"printf '\xff\xfe'", "\ufffd\ufffd", id="not-utf-8"),
        pytest.param("cat", "", id="stdin-is-empty"),
        pytest.param("[ -t 0 ] || echo no terminal", "no terminal", id="no-terminal"),
        pytest.param("cat /dev/tty 2>/dev/null || echo none", "none", id="no-controlling-terminal"),
        pytest.param('echo "$GIT_PAGER $PAGER $GIT_EDITOR $GIT_TERMINAL_PROMPT"', "cat cat true 0",
                     id="nobody-turns-pages"),
        pytest.param("yes | head -2", "y\ny", id="closed-pipe"),
        pytest.param("echo $((6 * 7)); # comment", "42", id="comment"),
        pytest.param("cat <<'END'\n$x\nEND", "$x", id="here-document"),
    ],
)  # fmt: skip
async def test_a_command_that_succeeds_is_what_it_said(
    tmp_path: Path, command: str, text: str
) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash(command)

    assert said(answer) == text
    assert answer.block.is_error is None
    assert isinstance(answer.outcome, Succeeded)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        pytest.param("echo a; echo b >&2; exit 3", "Exit code 3\na\nb", id="exit-code"),
        pytest.param("kill -9 $$", "Exit code 137\nThe command was ended by SIGKILL.", id="killed"),
        pytest.param(
            "kill -SEGV $$", "Exit code 139\nThe command was ended by SIGSEGV.", id="segv"
        ),
        pytest.param("ls nowhere 2>/dev/null", "Exit code 2", id="silent"),
        pytest.param("false | true; exit 9", "Exit code 9", id="after-a-pipe"),
        pytest.param(
            "printf 'Overwrite? [y/N] '; read answer",
            "Exit code 1\nOverwrite? [y/N]\nThe command asked 'Overwrite? [y/N]', and nobody can"
            " answer: its input is empty. Give the answer as an option (such as -y), in a file, or"
            " by a pipe.",
            id="a-question",
        ),
    ],
)
async def test_a_command_that_fails_says_its_exit_code_first(
    tmp_path: Path, command: str, text: str
) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash(command)

    assert said(answer) == text
    assert answer.block.is_error is True
    assert isinstance(answer.outcome, Failed)


@pytest.mark.parametrize(
    ("command", "text"),
    [
        pytest.param("echo a | grep b", "(exit code 1: nothing was found)", id="grep"),
        pytest.param("test -e nowhere", "(exit code 1: the condition is false)", id="test"),
        pytest.param("echo a > x; echo b > y; cmp -s x y", "(exit code 1: the files differ)",
                     id="cmp"),
    ],
)  # fmt: skip
async def test_an_exit_code_that_is_an_answer_is_no_failure(
    tmp_path: Path, command: str, text: str
) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash(command)

    assert said(answer) == text
    assert answer.block.is_error is None
    assert facts(answer)["returnCodeInterpretation"] in text


async def test_the_directory_carries_over_inside_the_project(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        await here.bash("mkdir -p 'a b'/c && cd 'a b'/c")
        inside = await here.bash("pwd")
        outside = await here.bash("cd / && pwd")
        after = await here.bash("pwd")

    place = str(here.folder / "a b" / "c")
    assert said(inside) == place
    assert said(outside) == f"/\nShell cwd was reset to {place}"
    assert said(after) == place


async def test_a_directory_read_by_a_harmless_line_counts_too(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        (here.folder / "sub").mkdir()
        await here.bash("cd sub && ls")
        after = await here.bash("pwd")

    assert said(after) == str(here.folder / "sub")
    assert not [event for event in here.events if isinstance(event, ContextChangeDropped)]


async def test_a_failed_line_leaves_the_directory_as_it_was(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        (here.folder / "sub").mkdir()
        await here.bash("cd sub && false")
        after = await here.bash("pwd")

    assert said(after) == str(here.folder)


async def test_the_directory_stays_where_the_user_wants_it(tmp_path: Path) -> None:
    async with bench(tmp_path, CLAUDE_BASH_MAINTAIN_PROJECT_WORKING_DIR="1") as here:
        (here.folder / "sub").mkdir()
        await here.bash("cd sub && true")
        after = await here.bash("pwd")

    assert said(after) == str(here.folder)


async def test_a_directory_that_is_gone_is_said_in_words(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        await here.bash("mkdir sub && cd sub")
        (here.folder / "sub").rmdir()
        answer = await here.bash("echo here")

    assert "cannot be entered (No such file or directory)" in said(answer)
    assert answer.block.is_error is True


_DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(f"printf 'data:image/png;base64,{_DOT}'", id="by-address"),
        pytest.param(f"echo {_DOT} | base64 -d", id="by-bytes"),
    ],
)
async def test_a_picture_is_answered_as_one(tmp_path: Path, command: str) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash(command)

    assert isinstance(answer.block.content, tuple)
    [block] = answer.block.content
    assert isinstance(block, Image)
    assert (block.source["media_type"], block.source["data"]) == ("image/png", _DOT)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        pytest.param("printf 'data:image/png;base64,A'", "base64,A", id="no-base64"),
        pytest.param("printf 'data:image/png;base64,aGVsbG8='", "aGVsbG8=", id="no-picture"),
        pytest.param(r"printf '\x89PNG\r\n\x1a\nrest'", "PNG", id="no-pixels"),
        pytest.param(f"echo {_DOT} | base64 -d | head -c 60", "PNG", id="half-of-one"),
        pytest.param(r"printf 'GIF89a\100\100\100\100rest of it;'", "too large", id="too-large"),
    ],
)
async def test_what_no_model_takes_as_a_picture_stays_text(
    tmp_path: Path, command: str, words: str
) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash(command)

    assert words in said(answer)


async def test_nothing_is_said_of_a_directory_that_is_gone(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash("mkdir gone && cd gone && rmdir ../gone && echo done")
        later = await here.bash("pwd")

    assert said(answer) == "done"
    assert said(later) == str(here.folder)


async def test_secrets_are_masked_by_value_and_by_shape(tmp_path: Path) -> None:
    async with bench(
        tmp_path, {"shell.keepVariables": ["MY_*"]}, MY_TOKEN="hunter2hunter2"
    ) as here:
        by_value = await here.bash("echo $MY_TOKEN")
        by_shape = await here.bash("echo ghp_012345678901234567890123456789012345")

    assert said(by_value) == "[masked]"
    assert said(by_shape) == "[masked]"


async def test_our_own_key_is_kept_from_commands(tmp_path: Path) -> None:
    async with bench(tmp_path, ANTHROPIC_API_KEY="sk-ant-aaaaaaaaaaaaaaaaaaaaaaaa") as here:
        answer = await here.bash("echo ${ANTHROPIC_API_KEY-unset} ${BASH_ENV-unset}")

    assert said(answer) == "unset unset"


async def test_long_output_goes_to_a_file(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash("seq 20000")
        failed = await here.bash("seq 20000; false")

    assert said(answer).startswith("[The output has 108,893 characters and was saved whole to ")
    assert len(said(answer)) < 5000
    first, _, rest = said(failed).partition("\n")
    assert first == "Exit code 1"
    assert rest.startswith("1\n2\n3\n")
    assert "characters truncated] ... (all of it is in " in rest
    assert rest.endswith("20000")
    assert len(rest) < 10_000


async def test_output_beyond_memory_is_streamed_to_a_file(tmp_path: Path) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash("seq 1000000; echo the end")

    text = said(answer)
    [path] = here.home.rglob("*.output")
    assert facts(answer)["persistedOutputPath"] == str(path)
    assert facts(answer)["persistedOutputSize"] == 6_888_904
    assert text.startswith(f"[The output has 6,888,904 bytes; all of it is in {path}.")
    assert text.endswith("1000000\nthe end")
    kept = path.read_text(encoding="utf-8")
    assert len(kept) == 6_888_904
    assert path.stat().st_mode & 0o777 == 0o600


async def test_progress_shows_the_last_lines(tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    async def open_when_shown() -> None:
        await until(lambda: any(isinstance(one, CallProgressed) for one in here.events))
        updates.extend(one for one in here.events if isinstance(one, CallProgressed))
        async with await anyio.open_file(gate, "w") as file:
            await file.write("go\n")

    updates: list[CallProgressed] = []
    async with bench(tmp_path) as here, anyio.create_task_group() as group:
        group.start_soon(open_when_shown)
        answer = await here.bash(f"printf 'one\\ntwo\\n'; read x < {gate}; echo $x")

    assert said(answer) == "one\ntwo\ngo"
    update = updates[0].update
    assert isinstance(update, Mapping)
    assert update["output"] == "one\ntwo"
    assert update["totalLines"] == 2


@pytest.mark.parametrize("command", ["", "   ", "a\0b", "x" * 200_000], ids=["0", "1", "2", "3"])
async def test_what_no_shell_takes_is_refused(tmp_path: Path, command: str) -> None:
    async with bench(tmp_path) as here:
        answer = await here.bash(command)

    assert isinstance(answer.outcome, Invalid)


async def test_the_users_own_shell_is_there_if_that_is_wanted_and_the_folder_is_trusted(
    tmp_path: Path,
) -> None:
    home = tmp_path / "person"
    home.mkdir()
    (home / ".bashrc").write_text(
        "greet() { echo hello $1; }\nalias twice='greet twice'\n", encoding="utf-8"
    )
    settings = {"shell.snapshot": True}
    async with bench(tmp_path, settings, HOME=str(home)) as here:
        untrusted = await here.bash("greet you")
        here.shell.settings = replace(here.shell.settings, is_trusted=True)
        function = await here.bash("greet you")
        alias = await here.bash("twice")
        reading = await here.bash("type -t ls")
    async with bench(tmp_path, HOME=str(home)) as here:
        off = await here.bash("greet you")

    assert said(function) == "hello you"
    assert said(alias) == "hello twice"
    assert said(reading) == "file"
    assert "greet: command not found" in said(off)
    assert "greet: command not found" in said(untrusted)


async def test_a_file_of_variables_is_read_before_each_command(tmp_path: Path) -> None:
    file = tmp_path / "env.sh"
    file.write_text("export SET_UP=yes\n", encoding="utf-8")
    async with bench(tmp_path, CLAUDE_ENV_FILE=str(file)) as here:
        answer = await here.bash("sh -c 'echo $SET_UP'")

    assert said(answer) == "yes"


async def test_programs_are_told_that_a_command_in_the_background_moves_nobody(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path) as here:
        moves = await here.bash("cd / && pwd", run_in_background=True)
        stays = await here.bash("pwd", run_in_background=True)
        late = await here.bash("cd / && exec tail -f /dev/null", timeout=200)

    hint = f"Session cwd remains {here.surroundings.cwd}; directory changes made by"
    assert facts(moves)["backgroundCwdHint"].startswith(hint)
    assert facts(late)["backgroundCwdHint"].startswith(hint)
    assert "backgroundCwdHint" not in facts(stays)
