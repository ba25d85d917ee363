"""What a sandboxed command cannot do to the machine and to other processes."""

import os
import platform
import pty
import shlex
import stat
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

import anyio
import psutil
import pytest

from gantlet.system.sandbox.control_groups import open_control_group
from gantlet.system.sandbox.syscalls import MACHINES
from gantlet.system.sandbox.tools import landlock_version
from sandbox_kit import NOBODY, SYSTEM_PYTHON, Box

#: Prints the name of the error that a raw system call fails with, or what it returned.
CALL = """
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
words = [int(word) if word.lstrip('-').isdigit() else word.encode() for word in sys.argv[1:]]
answer = libc.syscall(*[ctypes.c_long(w) if isinstance(w, int) else w for w in words])
print(errno.errorcode[ctypes.get_errno()] if answer == -1 else answer)
"""


@contextmanager
def sleeper(box: Box) -> Iterator[int]:
    """Run a process outside, as the same user, with a secret in its environment."""
    other = box.user if box.user != os.getuid() else None
    with subprocess.Popen(
        ["/bin/sleep", "1000"], env={"SECRET_OUTSIDE": "hunter2"}, user=other, group=other
    ) as process:
        try:
            yield process.pid
        finally:
            process.kill()


async def test_processes_outside_cannot_be_seen_read_or_ended(box: Box) -> None:
    with sleeper(box) as pid:
        said = await box.run(
            f"cat /proc/{pid}/environ; kill -9 {pid}; kill -9 -1; ls -d /proc/[0-9]* | wc -l; "
            "cat /proc/*/environ"
        )
        is_alive = psutil.Process(pid).status() != psutil.STATUS_ZOMBIE

    assert is_alive
    assert "hunter2" not in said.out


async def test_no_process_outlives_its_command(box: Box) -> None:
    said = await box.run(
        "setsid nohup bash -c 'while sleep 0.05; do echo x >> log; done' >/dev/null 2>&1 & "
        "while [ ! -s log ]; do sleep 0.01; done; echo started"
    )
    size = (box.workspace / "log").stat().st_size
    again = await box.run("sleep 0.2; wc -c < log")

    assert said.out == "started\n"
    assert int(again.out) == size


async def test_capabilities_are_gone_and_cannot_come_back(box: Box) -> None:
    said = await box.run("grep -E '^(Cap|NoNewPrivs|Seccomp:)' /proc/self/status | sort")

    none = "\t0000000000000000"
    assert said.out.splitlines() == [
        f"CapAmb:{none}",
        f"CapBnd:{none}",
        f"CapEff:{none}",
        f"CapInh:{none}",
        f"CapPrm:{none}",
        "NoNewPrivs:\t1",
        "Seccomp:\t2",
    ]


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("mount -o remount,rw /", id="the root again"),
        pytest.param("mount -o remount,bind,rw /", id="the root as a bind"),
        pytest.param("mount -t tmpfs none /etc", id="over the system"),
        pytest.param("mount --bind /tmp .claude", id="over settings"),
        pytest.param("umount .claude", id="settings away"),
        pytest.param("umount -l .git", id="a repository away"),
        pytest.param("mount -t proc none /tmp", id="proc"),
    ],
)
async def test_nothing_can_be_mounted(box: Box, line: str) -> None:
    said = await box.run(f"{line}; code=$?; touch /etc/gantlet-test; exit $code")

    assert said.code != 0
    assert "Read-only file system" in said.err


@pytest.mark.parametrize(
    "line",
    [
        "unshare -Ur true",
        "unshare -m true",
        "unshare -n true",
        "unshare -p --fork true",
        "unshare --mount --map-root-user touch /etc/gantlet-test",
        "bwrap --ro-bind / / true",
        "nsenter -t 1 -m true",
        "chroot . true",
    ],
)
async def test_no_further_namespace_can_be_made(box: Box, line: str) -> None:
    said = await box.run(line)

    assert said.code != 0


def _numbers() -> dict[str, int]:
    """Return this processor's system calls."""
    machine = MACHINES.get(platform.machine())
    return machine.numbers if machine else {}


_EXAMINED = {"clone", "clone3", "openat2", "ioctl", "socket", "socketpair"}


async def test_every_call_of_the_list_is_refused(box: Box) -> None:
    numbers = {name: n for name, n in _numbers().items() if name not in _EXAMINED}
    if not numbers:
        pytest.skip(f"no list of system calls for {platform.machine()}")
    code = (
        "import ctypes, errno, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "for n in sys.argv[1:]:\n"
        "    print(libc.syscall(int(n), -1, -1, -1, -1, -1), errno.errorcode[ctypes.get_errno()])"
    )

    said = await box.python(code, *map(str, numbers.values()))

    assert said.out.splitlines() == ["-1 EPERM"] * len(numbers)


async def test_no_file_can_be_left_that_runs_as_its_owner(box: Box) -> None:
    code = """
import os
def attempt(what):
    try:
        what()
    except PermissionError:
        pass
open('plain', 'w').close()
attempt(lambda: os.chmod('plain', 0o4755))
attempt(lambda: os.fchmod(os.open('plain', os.O_RDONLY), 0o6755))
attempt(lambda: os.open('made', os.O_CREAT | os.O_WRONLY, 0o4755))
attempt(lambda: os.mknod('node', 0o104755))
os.chmod('plain', 0o755)
"""
    said = await box.run(f"{SYSTEM_PYTHON} -c {shlex.quote(code)}; cp plain copy; ls")
    modes = [path.stat().st_mode for path in box.workspace.iterdir()]

    assert "copy" in said.out
    assert not any(mode & stat.S_ISUID for mode in modes)
    assert (box.workspace / "plain").stat().st_mode & 0o777 == 0o755


async def test_clone_makes_processes_but_no_namespaces(box: Box) -> None:
    numbers = _numbers()
    if not numbers:
        pytest.skip(f"no list of system calls for {platform.machine()}")
    flags = [0x10000000, 0x20000, 0x20000000, 0x40000000, 0x08000000, 0x04000000, 0x02000000]

    answers = [
        (await box.python(CALL, str(numbers["clone"]), str(flag | 17), "0", "0", "0", "0")).out
        for flag in flags
    ]
    modern = await box.python(CALL, str(numbers["clone3"]), "0", "0")

    assert answers == ["EPERM\n"] * len(flags)
    assert modern.out == "ENOSYS\n"


async def test_calls_in_another_processors_form_are_refused(box: Box) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("only x86_64 has a second numbering in the same mode")

    said = await box.python(CALL, str(0x40000000 + 41), "1", "1", "0")

    assert said.out == "EPERM\n"


async def test_debugging_is_refused_even_inside(box: Box) -> None:
    said = await box.python(
        "import ctypes, os, time\n"
        "pid = os.fork()\n"
        "if pid == 0: time.sleep(30)\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "print(libc.ptrace(16, pid, 0, 0), ctypes.get_errno())\n"
        "os.kill(pid, 9)"
    )

    assert said.out == "-1 1\n"


async def test_nothing_can_be_typed_into_the_terminal(box: Box) -> None:
    """Give the command a terminal as its input, as a careless starter would."""
    near, far = pty.openpty()
    code = (
        "import fcntl, os, sys\n"
        "for number in (0, int(sys.argv[1])):\n"
        "    for request in (0x5412, 0x541C, 0x100005412):\n"
        "        try: fcntl.ioctl(number, request & 0xFFFFFFFF, b'x'); print('typed')\n"
        "        except OSError as error: print(error.strerror)\n"
        "print(os.getsid(0) == os.getpid() or os.getsid(0) < os.getpid())"
    )
    try:
        said = await box.run((SYSTEM_PYTHON, "-c", code, str(far)), keeps=(far,), inherits=(far,))
    finally:
        os.close(near)
        os.close(far)

    assert "typed" not in said.out
    assert said.out.count("Operation not permitted") >= 2


async def test_the_command_leads_a_session_of_its_own(box: Box) -> None:
    said = await box.run("echo $(ps -o sid= -p $$); tty; echo x > /dev/tty")

    assert said.out.split()[0] in {"1", "2"}
    assert "not a tty" in said.out


async def test_descriptors_are_not_inherited_unless_they_are_to_be_kept(box: Box) -> None:
    (box.outside / "secret").write_text("hunter2")
    leaked = os.open(box.outside / "secret", os.O_RDWR)
    folder = os.open(box.outside, os.O_RDONLY | os.O_DIRECTORY)
    kept_end, told_end = os.pipe()
    try:
        said = await box.run(
            f"ls /proc/self/fd; cat <&{leaked}; echo told >&{told_end}",
            inherits=(leaked, folder, told_end),
            keeps=(told_end,),
        )
        told = os.read(kept_end, 100)
    finally:
        for descriptor in (leaked, folder, kept_end, told_end):
            os.close(descriptor)

    assert told == b"told\n"
    assert "hunter2" not in said.out
    assert set(said.out.split()) == {"0", "1", "2", "3", str(told_end)}  # 3 is the listing's own


async def test_the_environment_is_what_was_given_and_nothing_else(box: Box) -> None:
    said = await box.run("env -0 | sort -z | tr '\\0' '\\n'", variables={"GIVEN": "yes\nso"})

    names = {line.partition("=")[0] for line in said.out.splitlines() if "=" in line}
    assert names == {"GIVEN", "PATH", "PWD", "SHLVL", "_"}
    assert "GIVEN=yes\nso\n" in said.out


async def test_signals_have_their_usual_meaning(box: Box) -> None:
    said = await box.run("yes | head -1; echo ${PIPESTATUS[0]}; kill -TERM $$")

    assert (said.code, said.out) == (128 + 15, "y\n141\n")


async def test_devices_are_the_harmless_ones(box: Box) -> None:
    said = await box.run("ls /dev; echo x > /dev/null; mknod disk b 8 0; ls disk; ls /dev/mem")

    assert set(said.out.split()) >= {"null", "zero", "urandom", "tty"}
    assert not {"sda", "vda", "mem", "kmsg", "fuse", "kvm"} & set(said.out.split())


async def test_processes_are_limited(box: Box) -> None:
    if box.is_root and not await _has_control_groups():
        pytest.skip("root is held by control groups only, and we may make none here")
    code = (
        "import os, sys, time\n"
        "made = 0\n"
        "for _ in range(120):\n"  # a bomb with a bound of its own
        "    try:\n"
        "        if os.fork() == 0: time.sleep(30); os._exit(0)\n"
        "        made += 1\n"
        "    except BlockingIOError: break\n"
        "print(made)"
    )

    said = await box.python(code, policy=box.with_policy(max_processes=40))

    assert 15 < int(said.out) < 40


async def test_a_fork_bomb_ends_with_its_command(box: Box) -> None:
    if box.is_root and not await _has_control_groups():
        pytest.skip("root is held by control groups only, and we may make none here")
    bomb = "timeout -s KILL 1 bash -c 'b() { b | b & }; b; wait' 2>/dev/null"

    said = await box.run(f"{bomb}; echo over", policy=box.with_policy(max_processes=40))
    again = await box.run("echo here")

    assert said.out in {"over\n", ""}
    assert again.out == "here\n"


async def _has_control_groups() -> bool:
    """Return whether a control group can be made."""
    group = open_control_group(10)
    if group is not None:
        await group.close()
    return group is not None


async def test_landlock_is_a_second_wall(box: Box) -> None:
    """A file that is writable by its mount is still kept by Landlock if no rule opens it."""
    if landlock_version() < 1:
        pytest.skip("the kernel has no Landlock")
    wrapped = await box.open().wrap(["touch", f"{box.workspace}/file"], str(box.workspace))
    words = list(wrapped.argv)
    opened = [at for at, word in enumerate(words) if word == "--write"]
    for at in reversed(opened):
        if words[at + 1] not in {"/dev", "/proc"}:
            del words[at : at + 2]

    other = box.user if box.user == NOBODY else None
    ended = await anyio.run_process(
        words, check=False, env=wrapped.environment, user=other, group=other
    )

    assert b"Permission denied" in ended.stderr
    assert not (box.workspace / "file").exists()
