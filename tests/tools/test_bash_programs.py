"""A proof rests on what is known of a program, and so the program that runs must be that one."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bash_kit import Bench, bench, said
from gantlet.execution import Answer, Denied
from gantlet.messages import Behaviour
from gantlet.messages.value import replace
from gantlet.permissions import (
    ContextHolder,
    Decision,
    Engine,
    PermissionContext,
    Request,
    Workspace,
)
from gantlet.rules import Source, SourceKind, parse_rule
from gantlet.system import Scout
from gantlet.system.programs import FixedPath, find_program, is_fixed
from gantlet.tool import Mode

SYSTEM = "/usr/bin:/bin"


def put_program(folder: Path, name: str, says: str = "trapped") -> Path:
    """Put a program of one's own into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / name
    file.write_text(f"#!/bin/sh\necho {says}\n", encoding="utf-8")
    file.chmod(0o755)
    return file


class Judged:
    """Permission with some rules and nobody to ask; `between` happens before a call runs."""

    def __init__(
        self,
        here: Bench,
        *allow: str,
        mode: Mode = Mode.DEFAULT,
        between: Callable[[], object] = lambda: None,
    ) -> None:
        workspace = Workspace.at(str(here.folder))
        source = Source(SourceKind.USER, anchors=workspace.anchors(SourceKind.USER))
        rules = [parse_rule(text, Behaviour.ALLOW, source) for text in allow]
        context = PermissionContext(workspace, mode, bypass_available=True).with_rules(rules)
        self._engine = Engine(ContextHolder(context), eyes=Scout())
        self._between = between

    async def decide(self, request: Request) -> Decision:
        """Judge, and let time pass."""
        decision = await self._engine.decide(request)
        self._between()
        return decision


async def run(here: Bench, command: str, *allow: str) -> Answer:
    """Run a command as far as rules allow it."""
    here.permission = Judged(here, *allow)
    return await here.bash(command)


def refusal(answer: Answer) -> str:
    """Return why a call was denied."""
    assert isinstance(answer.outcome, Denied), said(answer)
    return said(answer)


@pytest.mark.parametrize(
    "command",
    ["ls", "git status", "timeout 5 ls", "find . -name x | xargs cat", "echo x | head", "ls; pwd"],
)
async def test_a_program_of_the_project_is_never_run_by_a_proof(
    tmp_path: Path, command: str
) -> None:
    programs = tmp_path / "project" / "bin"
    for name in ("ls", "git", "cat", "head"):
        put_program(programs, name)
    async with bench(tmp_path, PATH=f"{programs}:{SYSTEM}") as here:
        answer = await run(here, command)

    assert "a file of the project, and not the program of the system" in refusal(answer)


async def test_a_program_that_others_than_root_can_change_is_asked_about(tmp_path: Path) -> None:
    mine = put_program(tmp_path / "mine", "node", "v1")
    async with bench(tmp_path, PATH=f"{mine.parent}:{SYSTEM}") as here:
        asked = await run(here, "node --version")
        ruled = await run(here, "node --version", "Bash(node --version)")
        system = await run(here, "ls; pwd")

    assert f"node is {mine}, which not only root can change" in refusal(asked)
    assert said(ruled) == "v1"
    assert not isinstance(system.outcome, Denied)


async def test_the_user_can_name_folders_whose_programs_are_the_known_ones(tmp_path: Path) -> None:
    mine = put_program(tmp_path / "person" / "tools", "node", "v1")
    inside = put_program(tmp_path / "project" / "tools", "jq", "v2")
    path = f"{mine.parent}:{inside.parent}:{SYSTEM}"
    settings = {"shell.programFolders": ["~/tools", str(inside.parent)]}
    async with bench(tmp_path, settings, PATH=path, HOME=str(tmp_path / "person")) as here:
        named = await run(here, "node --version")
        project = await run(here, "jq --version")

    assert said(named) == "v1"
    assert "a file of the project" in refusal(project)


async def test_a_rule_for_one_program_does_not_vouch_for_another(tmp_path: Path) -> None:
    programs = tmp_path / "project" / "bin"
    for name in ("cat", "ls"):
        put_program(programs, name)
    async with bench(tmp_path, PATH=f"{programs}:{SYSTEM}") as here:
        both = await run(here, "cat x; ls", "Bash(cat *)")
        other = await run(here, "cat x; ls", "Bash(ls)")
        allowed = await run(here, "cat x", "Bash(cat *)")

    assert "ls is " in refusal(both)
    assert "cat is " in refusal(other)
    assert said(allowed) == "trapped"


async def test_what_stands_beside_an_allowed_command_is_proved_of_what_runs(
    tmp_path: Path,
) -> None:
    mine = tmp_path / "mine"
    put_program(mine, "build", "built")
    async with bench(tmp_path, PATH=f"{mine}:{SYSTEM}") as here:
        quiet = await run(here, "build | head -1", "Bash(build)")
        put_program(mine, "head")
        shadowed = await run(here, "build | head -1", "Bash(build)")

    assert said(quiet) == "built"
    assert f"head is {mine}/head" in refusal(shadowed)


@pytest.mark.parametrize("command", ["cat x", "build; cat x", "which sh >/dev/null; cat x"])
async def test_a_program_that_appears_after_the_judging_is_not_run(
    tmp_path: Path, command: str
) -> None:
    mine = tmp_path / "mine"
    put_program(mine, "build", "built")
    async with bench(tmp_path, PATH=f"{mine}:{SYSTEM}") as here:
        (here.folder / "x").write_text("real\n", encoding="utf-8")
        here.permission = Judged(
            here, "Bash(build)", between=lambda: put_program(tmp_path / "mine", "cat")
        )
        answer = await here.bash(command)

    assert said(answer).splitlines()[-1] == "real"


async def test_a_function_or_alias_of_the_users_shell_does_not_stand_for_what_was_proved(
    tmp_path: Path,
) -> None:
    home = tmp_path / "person"
    home.mkdir()
    (home / ".bashrc").write_text(
        "cat() { echo trapped; }\nalias head='echo trapped'\nbuild() { echo built; }\n",
        encoding="utf-8",
    )
    async with bench(tmp_path, {"shell.snapshot": True}, HOME=str(home), PATH=SYSTEM) as here:
        here.shell.settings = replace(here.shell.settings, is_trusted=True)
        answer = await run(here, "build | cat | head -1", "Bash(build)")

    assert said(answer) == "built"


async def test_variables_of_hooks_say_where_programs_are_looked_for(tmp_path: Path) -> None:
    programs = tmp_path / "project" / "bin"
    put_program(programs, "ls")
    file = tmp_path / "hooks.sh"
    file.write_text(f'export PATH="{programs}:$PATH"\n', encoding="utf-8")
    async with bench(tmp_path, PATH=SYSTEM) as here:
        here.shell.hook_file = str(file)
        answer = await run(here, "ls")

    assert f"ls is {programs}/ls" in refusal(answer)


async def test_a_search_path_that_depends_on_the_place_vouches_for_nothing_that_others_start(
    tmp_path: Path,
) -> None:
    async with bench(tmp_path, PATH=f".:{SYSTEM}") as here:
        put_program(here.folder, "ls")
        put_program(tmp_path / "project", "build", "built")
        whole = await run(here, "timeout 5 ls build")
        mixed = await run(here, "./build; timeout 5 ls", "Bash(./build)")

    assert said(whole) == "build"
    assert "is looked for where the command happens to be" in refusal(mixed)


async def test_git_beside_an_allowed_command_is_looked_at_too(tmp_path: Path) -> None:
    (tmp_path / "project" / ".git").mkdir(parents=True)
    config = tmp_path / "project" / ".git" / "config"
    config.write_text('[core]\n\tfsmonitor = "touch trapped"\n', encoding="utf-8")
    async with bench(tmp_path, PATH=SYSTEM) as here:
        put_program(here.folder, "build", "built")
        answer = await run(here, "./build && git status", "Bash(./build)")
        elsewhere = await run(here, "/usr/bin/git status")

    assert "core.fsmonitor" in refusal(answer)
    assert "core.fsmonitor" in refusal(elsewhere)


async def test_git_that_is_told_to_work_elsewhere_is_asked_about(tmp_path: Path) -> None:
    async with bench(tmp_path, PATH=SYSTEM, GIT_DIR=str(tmp_path / "other")) as here:
        answer = await run(here, "git status")

    assert "GIT_DIR is set" in refusal(answer)


async def test_bypass_runs_what_the_user_has(tmp_path: Path) -> None:
    mine = put_program(tmp_path / "mine", "node", "v1")
    async with bench(tmp_path, PATH=f"{mine.parent}:{SYSTEM}") as here:
        here.permission = Judged(here, mode=Mode.BYPASS)
        answer = await here.bash("node --version")

    assert said(answer) == "v1"


async def test_what_is_proved_gets_only_fixed_folders_and_what_is_approved_gets_all(
    tmp_path: Path,
) -> None:
    mine = put_program(tmp_path / "mine", "unlisted", "mine")
    path = f"{mine.parent}:{SYSTEM}"
    steering = {"LD_LIBRARY_PATH": "/nowhere", "RIPGREP_CONFIG_PATH": "rc", "KEPT": "yes"}
    async with bench(tmp_path, None, PATH=path, **steering) as here:
        proved = await here.bash("cat /proc/self/environ | tr '\\0' '\\n'")
        asked = await here.bash("echo $PATH")
        approved = await here.bash("unlisted; printenv LD_LIBRARY_PATH")

    variables = said(proved).splitlines()
    assert {"KEPT=yes", "GOPROXY=off", "CARGO_NET_OFFLINE=true"} <= set(variables)
    assert not [one for one in variables if one.startswith(("LD_", "RIPGREP"))]
    assert str(mine.parent) not in said(proved)
    assert said(asked) == path
    assert said(approved).splitlines() == ["mine", "/nowhere"]


async def test_credentials_are_kept_from_commands(tmp_path: Path) -> None:
    secrets = {
        "ANTHROPIC_API_KEY": "a" * 12,
        "GITHUB_TOKEN": "b" * 12,
        "AWS_SECRET_ACCESS_KEY": "c" * 12,
        "DB_PASS": "d" * 12,
        "AWS_PROFILE": "work",
    }
    names = ["ANTHROPIC_API_KEY", "AWS_PROFILE", "AWS_SECRET_ACCESS_KEY", "DB_PASS", "GITHUB_TOKEN"]
    show = f"for one in {' '.join(names)}; do printenv $one >/dev/null && echo $one; done; true"
    keep = {"shell.keepVariables": ["GITHUB_*", "ANTHROPIC_API_KEY"]}
    async with bench(tmp_path, None, **secrets) as here:
        default = await here.bash(show)
        failed = await here.bash("echo 'set GITHUB_TOKEN first' >&2; sh -c 'exit 4'")
    async with bench(tmp_path, keep, **secrets) as here:
        kept = await here.bash(show)
    async with bench(tmp_path, keep, CLAUDE_CODE_SUBPROCESS_ENV_SCRUB="1", **secrets) as here:
        strict = await here.bash(show)
    async with bench(tmp_path, None, CLAUDE_CODE_SUBPROCESS_ENV_SCRUB="0", **secrets) as here:
        loose = await here.bash(show)
    async with bench(tmp_path, {"env": {"DB_PASS": "for tests"}}, **secrets) as here:
        given = await here.bash(show)

    assert said(default).split() == ["AWS_PROFILE"]
    assert "GITHUB_TOKEN is kept from commands" in said(failed)
    assert said(kept).split() == ["AWS_PROFILE", "GITHUB_TOKEN"]
    assert said(strict).split() == ["AWS_PROFILE"]
    assert said(loose).split() == names[1:]
    assert said(given).split() == ["AWS_PROFILE", "DB_PASS"]


def test_a_file_is_fixed_if_root_owns_it_and_all_that_leads_to_it(tmp_path: Path) -> None:
    open_folder = tmp_path / "open"
    program = put_program(open_folder, "ls")
    open_folder.chmod(0o777)
    link = tmp_path / "link"
    link.symlink_to("/usr/lib/../bin/env")
    round_trip = tmp_path / "round"
    round_trip.symlink_to(round_trip)

    assert is_fixed("/usr/bin/env")
    assert is_fixed("/usr/lib/.././bin/env")
    assert not is_fixed(str(program))
    assert not is_fixed(str(round_trip))
    assert not is_fixed("usr/bin/env")
    assert not is_fixed("/usr/bin/there is no such program")
    assert not is_fixed("/usr/bin/\0")
    assert is_fixed(str(link)) is (os.getuid() == 0)


def test_a_fixed_path_leaves_out_the_workspace_the_home_and_what_passes(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("project", "home", "other")]
    for folder in folders:
        folder.mkdir()
    path = ":".join(["", ".", "bin", *map(str, folders), "/usr/bin"])
    made = FixedPath.of(path, workspace=[str(folders[0])], home=str(folders[1]))

    assert made.folders[0] == "/usr/bin"
    assert made.file_of("env") == "/usr/bin/env"
    assert made.file_of("there is no such program") == ""
    assert find_program("bin", ["/usr"]) == ""


def test_who_works_in_the_root_does_not_own_the_system_by_that() -> None:
    made = FixedPath.of("/usr/bin", workspace=["/"], home="/")

    assert made.file_of("env") == "/usr/bin/env"
