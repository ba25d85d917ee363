"""Git that only reads, in repositories whose own settings name programs: asked, unless covered."""

import os
import subprocess
from pathlib import Path

import anyio
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from gantlet import Agent
from gantlet.assembly.agent_parts import AgentParts
from gantlet.assembly.system_prompt import look_at_repository
from gantlet.messages import ResultBlock, UserMessage
from gantlet.models.scripted import ScriptedModel, parse_script
from gantlet.pool import DEFAULT_FLAGS
from gantlet.system import Environment
from gantlet.tools.shell.git_settings import read_git_settings
from patience import PATIENCE_SECONDS

pytestmark = pytest.mark.anyio

_GIT = ("git", "-c", "user.name=n", "-c", "user.email=n@example.com")


def git(folder: Path, *words: str) -> None:
    """Run git, which must work."""
    subprocess.run(
        [*_GIT, *words], cwd=folder, check=True, capture_output=True, timeout=PATIENCE_SECONDS
    )


def repository(folder: Path, mark: Path, settings: str) -> Path:
    """Make a repository with a change, whose filter leaves a mark if it is ever run."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q")
    (folder / ".gitattributes").write_text("* filter=x\n")
    (folder / "file").write_text("a\n")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "one")
    (folder / "file").write_text("bb\n")
    config = folder / ".git" / "config"
    clean = f'\tclean = "touch {mark}; cat"\n'
    text = config.read_text()
    config.write_text(settings.format(clean=clean, text=text), encoding="utf-8")
    return folder


async def answers(project: Path, command: str, *allowed: str) -> str:
    """Return what a command answers in a project, with nobody to ask."""
    environment = Environment(
        variables={
            "PATH": os.environ["PATH"],
            "HOME": str(project.parent),
            "GANTLET_HOME": str(project.parent / "own"),
        },
        flags=DEFAULT_FLAGS,
    )
    script = f"- - call: Bash\n    input: {{command: '{command}'}}\n- done\n"
    agent = Agent(
        ScriptedModel(parse_script(script)),
        cwd=project,
        settings={"permissions": {"allow": list(allowed)}},
        parts=AgentParts(environment=environment),
    )
    with anyio.fail_after(60):
        async with agent:
            await agent.run("Go.")
    [answer] = [
        block
        for message in agent.messages
        if isinstance(message, UserMessage)
        for block in message.content
        if isinstance(block, ResultBlock)
    ]
    return str(answer.content)


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param('{text}[filter "x"]\n{clean}', id="plainly"),
        pytest.param('{text}# said \\\n[filter "x"]\n{clean}', id="behind-a-comment"),
        pytest.param('{text}[user][filter "x"]{clean}', id="second-on-its-line"),
        pytest.param('\ufeff[filter "x"]\n{clean}{text}', id="behind-a-mark-of-order"),
        pytest.param("{text}[FILTER.x]{clean}", id="in-the-old-form"),
    ],
)
@pytest.mark.parametrize("command", ["git status --short", "cd deep && git diff"])
async def test_a_filter_of_the_repository_is_not_run_unasked(
    tmp_path: Path, settings: str, command: str
) -> None:
    mark = tmp_path / "mark"
    project = repository(tmp_path / "project", mark, settings)
    (project / "deep").mkdir()

    said = await answers(project, command)

    assert "filter.x.clean" in said
    assert not mark.exists()


def with_submodule(project: Path, mark: Path, *, is_absorbed: bool) -> None:
    """Make a repository whose submodule has a filter that leaves a mark."""
    project.mkdir()
    git(project, "init", "-q")
    repository(project / "sub", mark, '{text}[filter "x"]\n{clean}')
    git(project, "add", "sub")
    if is_absorbed:
        (project / ".gitmodules").write_text('[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n')
        git(project, "submodule", "absorbgitdirs")
    git(project, "commit", "-qm", "one")
    os.utime(project / "sub" / "file", (1, 1))
    mark.unlink(missing_ok=True)


@pytest.mark.parametrize("is_absorbed", [False, True], ids=["embedded", "absorbed"])
async def test_a_filter_of_a_submodule_is_not_run_unasked(
    tmp_path: Path, *, is_absorbed: bool
) -> None:
    mark, project = tmp_path / "mark", tmp_path / "project"
    with_submodule(project, mark, is_absorbed=is_absorbed)

    said = await answers(project, "git status")

    assert "filter.x.clean" in said
    assert not mark.exists()


async def test_looking_at_a_repository_when_a_session_begins_runs_nothing(tmp_path: Path) -> None:
    mark, project = tmp_path / "mark", tmp_path / "project"
    with_submodule(project, mark, is_absorbed=False)
    signer = repository(tmp_path / "signer", mark, "{text}")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\n")
    program.chmod(0o755)
    commit = ("tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904", "author n <n> 1 +0000",
              "committer n <n> 1 +0000", "gpgsig -----BEGIN PGP SIGNATURE-----", " x",
              " -----END PGP SIGNATURE-----", "", "one", "")  # fmt: skip
    git(signer, "hash-object", "-w", "-t", "tree", "/dev/null")
    (tmp_path / "commit").write_text("\n".join(commit))
    (signer / ".git" / "HEAD").write_text(made(signer, tmp_path / "commit"))
    for name, text in (("log.showSignature", "true"), ("gpg.program", str(program))):
        git(signer, "config", name, text)
    environment = Environment(variables={"PATH": os.environ["PATH"], "HOME": str(tmp_path)})

    seen = [await look_at_repository(one, environment) for one in (project, signer)]

    assert seen == ["", ""]
    assert not mark.exists()


def made(folder: Path, file: Path) -> str:
    """Write a commit as it stands in a file, and return its name."""
    argv = ["git", "hash-object", "-w", "-t", "commit", str(file)]
    told = subprocess.run(
        argv, cwd=folder, check=True, capture_output=True, timeout=PATIENCE_SECONDS
    )
    return told.stdout.decode()


@pytest.mark.parametrize(
    ("rule", "command"),
    [
        pytest.param("Bash(git status *)", "git status --short", id="status"),
        pytest.param("Bash(git *)", "git status --short && ls", id="beside-another"),
        pytest.param("Bash", "git status --short", id="every-command"),
    ],
)
async def test_a_rule_that_covers_the_command_answers_the_question(
    tmp_path: Path, rule: str, command: str
) -> None:
    mark = tmp_path / "mark"
    project = repository(tmp_path / "project", mark, '{text}[filter "x"]\n{clean}')

    assert " M file" in await answers(project, command, rule)


async def test_a_rule_for_something_else_does_not(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    project = repository(tmp_path / "project", mark, '{text}[filter "x"]\n{clean}')

    said = await answers(project, "git status --short && ls", "Bash(ls)")

    assert "filter.x.clean" in said
    assert not mark.exists()


_PIECES = st.sampled_from(
    ["[filter", '"x"', "]", "[a.b]", "clean", "=", "sh", "\\", "\n", "\r\n", "#", ";", '"', " ",
     "\t", "\ufeff", "[", "\x0b", "\u2028", "include", "path", "é"]
)  # fmt: skip


@hypothesis_settings(
    max_examples=60,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(text=st.lists(_PIECES, max_size=14).map("".join))
def test_settings_are_read_as_git_reads_them(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(text.encode())
    told = subprocess.run(
        ["git", "config", "-f", str(path), "--no-includes", "--name-only", "-z", "--list"],
        capture_output=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )
    names = {one.decode() for one in told.stdout.split(b"\0") if one}

    read = read_git_settings(text)

    if told.returncode:
        assert read is None
    elif read is not None:  # what only we cannot read is asked about
        assert {name for name, _ in read} == names
