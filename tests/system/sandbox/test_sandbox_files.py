"""What a sandboxed command can change and read, whatever it tries."""

import os
from pathlib import Path

import anyio
import pytest

from gantlet.config.sandbox_hosts import read_hosts
from gantlet.system.sandbox import NetworkList, SandboxError
from sandbox_kit import SECONDS, Box, names_in


async def test_a_command_writes_inside_and_says_how_it_ended(box: Box) -> None:
    said = await box.run("pwd; echo text > file; cat file; exit 7")

    assert (said.code, said.out) == (7, f"{box.workspace}\ntext\n")
    assert (box.workspace / "file").read_text() == "text\n"


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("echo x > {out}/new", id="a new file"),
        pytest.param("echo x > {out}/old", id="an old file"),
        pytest.param("echo x > ../outside/new", id="by a relative path"),
        pytest.param("mkdir {out}/folder", id="a folder"),
        pytest.param("rm {out}/old", id="removing"),
        pytest.param("mv {out}/old {out}/new", id="renaming"),
        pytest.param("mv {out}/old .", id="moving in"),
        pytest.param("touch mine && mv -T mine {out}/new", id="moving out"),
        pytest.param("touch mine && ln mine {out}/new", id="a hard link out"),
        pytest.param("ln {out}/old alias && echo x > alias", id="a hard link in"),
        pytest.param("ln -s {out} link && echo x > link/new", id="through a link"),
        pytest.param("chmod 777 {out}/old", id="its mode"),
        pytest.param("touch -d 2001-01-01 {out}/old", id="its time"),
        pytest.param("truncate -s 0 {out}/old", id="its length"),
        pytest.param("mkfifo {out}/new", id="a pipe"),
        pytest.param("cd / && mv {place} /renamed", id="a parent's name"),
    ],
)
async def test_writing_outside_is_refused(box: Box, line: str) -> None:
    (box.outside / "old").write_text("old")
    box.give()

    said = await box.run(line.format(out=box.outside, place=box.place))

    assert said.code != 0
    assert names_in(box.outside) == ["old"]
    assert (box.outside / "old").read_text() == "old"


@pytest.mark.parametrize("folder", ["/etc", "/usr/bin", "/var/lib", "/root", "/sys/fs/cgroup"])
async def test_the_system_is_read_only(box: Box, folder: str) -> None:
    said = await box.run(f"touch {folder}/gantlet-test")

    assert said.code != 0
    assert not _is_there(f"{folder}/gantlet-test")


async def test_tmp_is_the_commands_own(box: Box) -> None:
    said = await box.run(
        "echo x > /tmp/gantlet-test && ls /tmp /run /var/tmp && cat /tmp/gantlet-test"
    )

    assert said.code == 0, said.err
    assert not _is_there("/tmp/gantlet-test")
    assert "gantlet-test" in said.out


async def test_tmp_can_last_from_command_to_command(box: Box) -> None:
    (box.place / "tmp").mkdir()
    box.give()
    policy = box.with_policy(tmp=str(box.place / "tmp"))

    await box.run("echo kept > /tmp/file", policy=policy)
    said = await box.run("cat /tmp/file", policy=policy)

    assert said.out == "kept\n"


async def test_denied_files_and_folders_cannot_be_read(box: Box) -> None:
    (box.workspace / "deep").mkdir()
    for folder in (box.outside, box.workspace / "deep"):
        (folder / "secret").write_text("hunter2")
        (folder / "more").mkdir()
        (folder / "more" / "secret").write_text("hunter2")
    (box.workspace / "alias").symlink_to(box.outside / "secret")
    box.give()
    denied = [
        str(folder / name)
        for folder in (box.outside, box.workspace / "deep")
        for name in ("secret", "more")
    ]
    policy = box.with_policy(denied=tuple(denied))

    said = await box.run(
        f"cat deep/secret deep/more/secret {box.outside}/secret {box.outside}/more/secret alias; "
        f"ls deep/more; ln deep/secret x; cat x; cp -r deep copy; grep -r hunter . {box.outside}",
        policy=policy,
    )

    assert "hunter2" not in said.out
    assert "Permission denied" in said.err


async def test_a_denied_file_stays_hidden_when_its_folder_is_renamed(box: Box) -> None:
    (box.workspace / "deep").mkdir()
    (box.workspace / "deep" / "secret").write_text("hunter2")
    box.give()
    policy = box.with_policy(denied=(str(box.workspace / "deep" / "secret"),))

    first = await box.run("mv deep elsewhere", policy=policy)
    second = await box.run("cat */secret", policy=policy)

    assert first.code != 0
    assert "hunter2" not in second.out


async def test_denied_paths_that_are_out_of_reach_or_absent_do_no_harm(box: Box) -> None:
    locked = box.outside / "locked"
    locked.mkdir(mode=0o700)
    policy = box.with_policy(
        denied=(str(locked / "secret"), "/nowhere/at/all", f"{box.workspace}/absent")
    )

    said = await box.run("echo works", policy=policy)

    assert said.out == "works\n", said.err


async def test_a_workspace_in_a_denied_folder_is_still_there(box: Box) -> None:
    (box.outside / "shown").mkdir()
    (box.outside / "shown" / "file").write_text("shown")
    (box.outside / "file").write_text("hidden")
    box.give()
    policy = box.with_policy(denied=(str(box.place),), readable=(str(box.outside / "shown"),))

    said = await box.run(
        f"echo works > file && cat file {box.outside}/shown/file; cat {box.outside}/file; "
        f"echo x > {box.outside}/shown/file; ls {box.place}",
        policy=policy,
    )

    assert said.out == "works\nshownoutside\nworkspace\n"
    assert (box.outside / "shown" / "file").read_text() == "shown"


GUARDED = [
    ".claude",
    ".claude/settings.json",
    ".claude/commands/new.md",
    ".git",
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/info/attributes",
    ".git/commondir",
    ".git/config.worktree",
    ".git/modules/sub/hooks/post-checkout",
    ".git/modules/sub/config",
    ".git/worktrees/other/commondir",
    "own/settings.json",
]


#: Each line is one way; what got through is noted, because the next one may hide it.
ATTACKS = """
look() {{ grep -qs evil {path} && echo "$1" >> got-through; }}
mkdir -p {parent}; echo evil > {path}; echo evil >> {path}; look written
echo evil > x; mv -f x {path}; look replaced
echo evil > x; ln -f x {path}; look linked
rm -rf {path}; mkdir -p {parent}; echo evil > {path}; look removed
for one in {parents}; do mv $one moved; mkdir -p {parent}; echo evil > {path}; look moved; done
for one in {parents}; do
    rm -rf $one; ln -s /tmp $one; mkdir -p {parent}; echo evil > {path}; look leading-elsewhere
done
"""


@pytest.mark.parametrize("path", GUARDED)
@pytest.mark.parametrize("is_there", [True, False], ids=["present", "absent"])
async def test_guarded_paths_cannot_be_written_removed_replaced_linked_or_moved_away(
    box: Box, path: str, *, is_there: bool
) -> None:
    if is_there:
        _make_everything(box.workspace)
    box.give()
    policy = box.with_policy(own=(str(box.workspace / "own"),))
    before = _seen(box.workspace)
    parents = [str(one) for one in Path(path).parents][:-1] or [path]

    await box.run(
        ATTACKS.format(path=path, parent=Path(path).parent, parents=" ".join(parents)),
        policy=policy,
    )

    assert _seen(box.workspace) == before
    assert "got-through" not in names_in(box.workspace)


def _is_there(path: str) -> bool:
    """Return whether there is something at a path."""
    return os.path.lexists(path)  # false where we may not look


def _make_everything(root: Path) -> None:
    """Make a repository by hand, with a submodule and a linked worktree, and settings."""
    for path in GUARDED:
        if path not in {".claude", ".git"}:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text("kept")
    for folder in (".git", ".git/modules/sub"):
        (root / folder / "HEAD").write_text("ref: refs/heads/main\n")
        (root / folder / "objects").mkdir()
    (root / ".git" / "refs").mkdir()


def _seen(root: Path) -> dict[str, str]:
    """Return everything guarded in a folder that is there."""
    return {
        path: (root / path).read_text() if (root / path).is_file() else "a folder"
        for path in GUARDED
        if (root / path).exists() and (root / path).name not in {".git", ".claude"}
    }


@pytest.mark.parametrize("name", [".claude", ".git", "own"])
async def test_a_guarded_path_that_is_a_link_is_said_and_not_sandboxed(box: Box, name: str) -> None:
    (box.workspace / name).symlink_to(box.outside)
    policy = box.with_policy(own=(str(box.workspace / "own"),))

    with pytest.raises(SandboxError, match="symbolic link"):
        await box.run("true", policy=policy)


@pytest.mark.parametrize("name", ["hooks", "config", "info", "commondir"])
async def test_a_repository_with_linked_parts_becomes_read_only(box: Box, name: str) -> None:
    _make_everything(box.workspace)
    part = box.workspace / ".git" / name
    part.rename(box.outside / name)
    part.symlink_to(box.outside / name)
    box.give()

    said = await box.run(f"touch .git/new; rm .git/{name}; ls .git/{name}")

    assert part.is_symlink()
    assert not (box.workspace / ".git" / "new").exists()
    assert "Read-only file system" in said.err


async def test_protected_paths_of_the_policy_stay(box: Box) -> None:
    (box.workspace / "deep" / "er").mkdir(parents=True)
    (box.workspace / "deep" / "er" / "file").write_text("kept")
    box.give()
    there, absent = box.workspace / "deep" / "er" / "file", box.workspace / "new" / "file"
    policy = box.with_policy(protected=(str(there), str(absent)))

    said = await box.run(
        "echo x > deep/er/file; mv deep gone; mv deep/er gone; mkdir -p new; echo x > new/file; "
        "touch deep/er/sibling",
        policy=policy,
    )

    assert said.code == 0, said.err
    assert there.read_text() == "kept"
    assert not (box.workspace / "new").exists()
    assert (box.workspace / "deep" / "er" / "sibling").exists()


async def test_what_a_command_in_the_background_needs_stays_when_the_sandbox_is_closed(
    box: Box,
) -> None:
    heard, told = os.pipe()
    async with box.open() as sandbox:
        wrapped = await sandbox.wrap(
            ["bash", "-c", f"echo up >&{told}; read line; echo evil > .claude/evil"],
            str(box.workspace),
            kept=(told,),
        )
        other = box.user if box.user != os.getuid() else None
        words = wrapped.argv[4:] if other and wrapped.argv[0] == "/bin/sh" else wrapped.argv
        process = await anyio.open_process(
            words, env=wrapped.environment, pass_fds=(told,), user=other, group=other
        )
        os.close(told)
        assert os.read(heard, 3) == b"up\n"
        os.close(heard)

    assert names_in(box.workspace) == [".claude", ".git"]
    assert process.stdin is not None
    await process.stdin.send(b"go\n")
    with anyio.fail_after(SECONDS):
        await process.wait()
    await process.aclose()
    await box.all_ended()
    assert names_in(box.workspace / ".claude") == []

    async with box.open() as later:
        await later.state()

    assert names_in(box.workspace) == []


async def test_a_sandbox_can_be_opened_again(box: Box) -> None:
    hosts, _ = read_hosts(["allowed.test"], ())
    sandbox = box.open(box.with_policy(network=NetworkList(hosts)))

    for _ in range(2):
        async with sandbox:
            said = await box.start(sandbox, ["curl", "-sS", "http://other.test/"])
            assert "not among the allowed hosts" in said.out


async def test_nothing_is_left_of_what_stood_where_nothing_may_be(box: Box) -> None:
    async with box.open() as first, box.open() as second:
        await box.start(first, ["true"])
        await box.start(second, ["true"])
        assert names_in(box.workspace) == [".claude", ".git"]
        await second.__aexit__(None, None, None)
        assert names_in(box.workspace) == [".claude", ".git"]
        await box.all_ended()

    assert names_in(box.workspace) == []
