"""Git at work inside the sandbox: it commits, and cannot plant what it would run later."""

import subprocess
from pathlib import Path

import pytest

from sandbox_kit import Box

COMMIT = "echo more >> file && git add file && git commit -qm inside && git log --format=%s -1"


def git(folder: Path, *words: str) -> str:
    """Run git outside, as whoever runs the tests."""
    settings = ["safe.directory=*", "user.name=t", "user.email=t@t.test"]
    settings += ["protocol.file.allow=always", "init.defaultBranch=main"]
    options = [word for one in settings for word in ("-c", one)]
    ended = subprocess.run(
        ["git", *options, *words], cwd=folder, check=True, capture_output=True, text=True
    )
    return ended.stdout


def make_repository(folder: Path) -> None:
    """Make a repository with one commit, in which anybody can commit."""
    folder.mkdir(exist_ok=True)
    git(folder, "init", "-q")
    git(folder, "config", "user.name", "t")
    git(folder, "config", "user.email", "t@t.test")
    git(folder, "commit", "-q", "--allow-empty", "-m", "outside")


async def test_git_commit_works_inside(box: Box) -> None:
    make_repository(box.workspace)
    box.give()

    said = await box.run(f"{COMMIT} && git status --short && git branch other && git stash list")

    assert (said.code, said.out) == (0, "inside\n"), said.err
    assert git(box.workspace, "log", "--format=%s") == "inside\noutside\n"
    assert not (box.workspace / ".git" / "commondir").exists()


async def test_everyday_git_works_inside(box: Box) -> None:
    make_repository(box.workspace)
    box.give()

    said = await box.run(
        "set -e; echo 1 > a; git add .; git commit -qm a; git checkout -qb side; echo 2 > b; "
        "git add .; git commit -qm b; git checkout -q main; git merge -q side; echo 3 >> a; "
        "git stash -q; git stash pop -q; git reset -q --hard; git tag v1; git rebase -q side; "
        "git worktree add -q wt side2 2>/dev/null || git worktree add -q -b side2 wt; "
        "git fsck; git worktree list | wc -l; git rev-parse --git-common-dir"
    )

    assert said.code == 0, said.err
    assert said.out.splitlines()[-2].strip() == "2"


async def test_hooks_and_settings_planted_inside_are_not_run_outside(box: Box) -> None:
    make_repository(box.workspace)
    box.give()

    await box.run(
        "git config core.fsmonitor 'touch /tmp/x'; git config core.hooksPath evil; "
        "echo 'touch pwned' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; "
        "mkdir -p evil/hooks; printf '#!/bin/sh\\ntouch pwned\\n' > evil/hooks/pre-commit; "
        "chmod +x evil/hooks/pre-commit; echo ../evil > .git/commondir; "
        "printf '[core]\\n\\thooksPath = evil/hooks\\n' > .git/config.worktree; "
        "mv .git .old; cp -r .old .git; echo '* filter=evil' > .git/info/attributes"
    )
    git(box.workspace, "commit", "-q", "--allow-empty", "-m", "after")

    assert not (box.workspace / "pwned").exists()
    assert "evil" not in git(box.workspace, "config", "--list")


async def test_what_the_configuration_obeys_elsewhere_is_guarded_too(box: Box) -> None:
    make_repository(box.workspace)
    (box.workspace / "hooks").mkdir()
    (box.workspace / "shared.ini").write_text("[user]\n\tname = t\n")
    git(box.workspace, "config", "core.hooksPath", "hooks")
    git(box.workspace, "config", "include.path", "../shared.ini")
    box.give()

    said = await box.run(
        "echo evil > hooks/pre-commit; echo evil > shared.ini; mv hooks gone; rm shared.ini"
    )

    assert said.err.count("Read-only file system") == 2
    assert (box.workspace / "shared.ini").read_text() == "[user]\n\tname = t\n"
    assert (box.workspace / "hooks").is_dir()


async def test_git_commit_works_in_a_linked_worktree(box: Box) -> None:
    make_repository(box.outside / "main")
    box.workspace.rmdir()
    git(box.outside / "main", "worktree", "add", "-q", str(box.workspace), "-b", "linked")
    box.give()

    said = await box.run(
        f"{COMMIT}; echo evil > {box.outside}/main/.git/hooks/pre-commit; "
        f"echo evil > {box.outside}/main/.git/config; echo x > {box.outside}/main/file; "
        f"echo evil > {box.outside}/main/.git/worktrees/workspace/commondir; echo evil > .git"
    )

    assert said.out == "inside\n", said.err
    assert git(box.workspace, "log", "--format=%s", "linked") == "inside\noutside\n"
    assert said.err.count("Read-only file system") == 5


async def test_git_commit_works_in_a_submodule_and_in_what_holds_it(box: Box) -> None:
    make_repository(box.outside / "library")
    make_repository(box.workspace)
    git(box.workspace, "submodule", "add", "-q", str(box.outside / "library"), "sub")
    git(box.workspace, "commit", "-q", "-m", "with a submodule")
    for name, stated in (("user.name", "t"), ("user.email", "t@t.test")):
        git(box.workspace / "sub", "config", name, stated)
    box.give()

    said = await box.run(
        f"cd sub && {COMMIT} && cd .. && git add sub && git commit -qm both && git status --short; "
        "echo evil > .git/modules/sub/hooks/pre-commit; echo evil > .git/modules/sub/config"
    )

    assert said.out == "inside\n", said.err
    assert said.err.count("Read-only file system") == 2
    assert git(box.workspace, "log", "--format=%s", "-1") == "both\n"


async def test_git_commit_works_where_the_workspace_is_a_submodule(box: Box) -> None:
    make_repository(box.outside / "library")
    make_repository(box.outside / "all")
    git(box.outside / "all", "submodule", "add", "-q", str(box.outside / "library"), "sub")
    inner = box.outside / "all" / "sub"
    for name, stated in (("user.name", "t"), ("user.email", "t@t.test")):
        git(inner, "config", name, stated)
    box.give()

    said = await box.run(COMMIT, policy=box.with_policy(writable=(str(inner),)), cwd=inner)

    assert said.out == "inside\n", said.err


@pytest.mark.parametrize(
    "pointer",
    [
        "gitdir: {outside}/other/.git",
        "gitdir: {outside}/other/.git/worktrees/linked",
        "gitdir: {outside}/other/.git/modules/sub",
        "gitdir: {outside}",
        "junk",
    ],
)
async def test_a_git_file_that_nobody_confirms_opens_nothing(box: Box, pointer: str) -> None:
    make_repository(box.outside / "library")
    make_repository(box.outside / "other")
    git(box.outside / "other", "worktree", "add", "-q", str(box.outside / "linked"), "-b", "side")
    git(box.outside / "other", "submodule", "add", "-q", str(box.outside / "library"), "sub")
    (box.workspace / ".git").write_text(pointer.format(outside=box.outside))
    box.give()

    said = await box.run(
        f"touch {box.outside}/other/.git/x {box.outside}/x {box.outside}/other/.git/modules/sub/x; "
        "git commit --allow-empty -m x"
    )

    assert said.code != 0
    assert not (box.outside / "other" / ".git" / "modules" / "sub" / "x").exists()
    assert not (box.outside / "other" / ".git" / "x").exists()
    assert not (box.outside / "x").exists()


async def test_a_repository_can_be_made_where_that_is_allowed(box: Box) -> None:
    refused = await box.run("git init -q .")
    made = await box.run("git init -q . && ls -d .git", policy=box.with_policy(may_create_git=True))

    assert "Read-only file system" in refused.err
    assert made.out == ".git\n"


async def test_other_repositories_of_the_workspace_are_guarded_too(box: Box) -> None:
    make_repository(box.workspace / "nested")
    box.give()
    policy = box.with_policy(repositories=(str(box.workspace / "nested"),))

    said = await box.run(
        f"cd nested && {COMMIT}; echo evil > .git/hooks/pre-commit; cd .. && mv nested gone",
        policy=policy,
    )

    assert said.out == "inside\n", said.err
    assert (box.workspace / "nested").is_dir()
    assert not (box.workspace / "nested" / ".git" / "hooks" / "pre-commit").exists()
