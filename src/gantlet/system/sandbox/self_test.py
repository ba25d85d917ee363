"""Whether the sandbox holds on this machine: tried, not assumed."""

import hashlib
import os
import shutil
import socket
import tempfile
from contextlib import suppress
from pathlib import Path

from gantlet.messages.value import value
from gantlet.system.private_files import make_private_folder, write_private
from gantlet.system.processes import run_child
from gantlet.system.sandbox.backends import Backend, SandboxError
from gantlet.system.sandbox.environment import minimal_environment
from gantlet.system.sandbox.policy import Policy

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CACHE_NAME = "self-test"
_SECONDS = 30.0
_MUST = ("runs", "writes inside")
_MUST_NOT = (
    "changes settings",
    "writes outside",
    "reaches the network",
    "remounts",
    "makes a namespace",
    "writes outside after that",
)


@value
class Holds:
    """Everything that must not work was tried and did not.

    Attributes:
        was_tested_now: False if the answer is known from before, since the machine was started.
    """

    was_tested_now: bool = True


@value
class Absent:
    """There is no sandbox: nothing to make it with, or one that does not hold."""

    reason: str


async def test_sandbox(backend: Backend, home: Path) -> Holds | Absent:
    """Return whether the sandbox holds. A yes is kept until the machine or a program changes."""
    folder = home / "sandbox"
    key = _key(backend)
    if key is not None and _read(folder / _CACHE_NAME) == key:
        return Holds(was_tested_now=False)
    answer = await _try_it(backend, folder)
    if isinstance(answer, Holds) and key is not None:
        with suppress(OSError):
            write_private(folder / _CACHE_NAME, key)
    return answer


async def _try_it(backend: Backend, folder: Path) -> Holds | Absent:
    """Run the probe inside and look at what it did."""
    try:
        place = _new_place(folder)
    except OSError as error:
        return Absent(f"The sandbox could not be tested: {error}.")
    try:
        return await _probe(backend, place)
    except (OSError, SandboxError) as error:
        return Absent(f"The sandbox could not be tested: {error}")
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _new_place(folder: Path) -> Path:
    """Return a new folder for one test."""
    make_private_folder(folder)
    return Path(tempfile.mkdtemp(prefix="test-", dir=folder)).resolve()


async def _probe(backend: Backend, place: Path) -> Holds | Absent:
    """Start the probe with a listener that it must not reach, and judge."""
    inside, outside = place / "inside", place / "outside"
    for one in (inside, inside / ".claude", outside):
        one.mkdir()
    probe = (Path(__file__).with_name("probe.py")).read_text(encoding="utf-8")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        port = listener.getsockname()[1]
        policy = Policy((str(inside),), may_create_git=True)
        planned = backend.plan(policy, str(inside))
        if planned.problems:
            return Absent(planned.problems[0])
        words = (backend.python, "-I", "-S", "-c", probe, str(inside), str(outside), str(port))
        said = await run_child(
            (*planned.prefix, *words),
            env=minimal_environment(os.environ),
            cwd="/",
            seconds=_SECONDS,
        )
        was_reached = _was_reached(listener)
    answers = dict(
        line.rsplit(" ", 1)
        for line in said.stdout.decode("utf-8", "replace").splitlines()
        if " " in line
    )
    if was_reached or any(outside.iterdir()):
        return Absent("The sandbox does not hold: a test inside it got out.")
    return _judge(answers, backend, said.stderr.decode("utf-8", "replace").strip())


def _judge(answers: dict[str, str], backend: Backend, complaint: str) -> Holds | Absent:
    """Return what the probe's answers mean."""
    for name in _MUST:
        if answers.get(name) != "yes":
            return Absent(f"The sandbox does not start here: {complaint[-300:] or 'no answer'}")
    for name in _MUST_NOT:
        if answers.get(name) != "no":
            return Absent(f"The sandbox does not hold: a test inside it {name}.")
    for fact in backend.expected_status:
        if answers.get(fact) != "yes":
            return Absent(f"The sandbox does not hold: inside, the kernel does not say {fact}.")
    return Holds()


def _was_reached(listener: socket.socket) -> bool:
    """Return whether somebody has connected."""
    try:
        listener.accept()[0].close()
    except OSError:
        return False
    return True


def _key(backend: Backend) -> str | None:
    """Return what a kept answer depends on: this start of the machine, the programs, the user."""
    try:
        boot_id = _BOOT_ID.read_text(encoding="ascii").strip()
        digest = hashlib.sha256()
        for part in (boot_id, str(os.getuid()), backend.identity):
            digest.update(part.encode() + b"\0")
        for path in (*backend.programs, Path(__file__).with_name("probe.py")):
            digest.update(Path(path).read_bytes() + b"\0")
    except OSError:
        return None
    return digest.hexdigest()


def _read(path: Path) -> str | None:
    """Return a kept answer."""
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return None
