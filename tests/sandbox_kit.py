"""A sandbox around real commands, as the user who runs the tests and as another."""

import atexit
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

import anyio
import pytest

import gantlet.system.sandbox as room
from gantlet.system.sandbox import Policy, Sandbox, minimal_environment
from gantlet.system.sandbox.foreign_mounts import wait_until_unmounted

NOBODY = 65534
SYSTEM_PYTHON = "/usr/bin/python3"
SECONDS = 90
INSIDE = Path(room.__file__).with_name("inside.py")


@dataclass(frozen=True)
class Said:
    """How a sandboxed command ended, and what it said."""

    code: int
    out: str
    err: str


@dataclass
class Box:
    """A workspace, a folder outside it, and a sandbox to run commands in."""

    place: Path
    user: int
    home: Path
    policy: Policy = field(init=False)

    def __post_init__(self) -> None:
        for folder in (self.workspace, self.outside):
            folder.mkdir()
        self.policy = Policy(
            (str(self.workspace),),
            readable=(str(self.outside),),  # else it were hidden with the rest of /tmp
            environment=minimal_environment({"PATH": os.environ["PATH"]}),
        )
        self.give()

    @property
    def workspace(self) -> Path:
        """What may be changed."""
        return self.place / "workspace"

    @property
    def outside(self) -> Path:
        """What may not."""
        return self.place / "outside"

    @property
    def is_root(self) -> bool:
        """Whether commands run as root."""
        return self.user == 0

    def give(self) -> None:
        """Give everything to the user whose commands run, and let them pass."""
        for path in (self.place, *self.place.rglob("*")):
            os.chown(
                path, self.user, self.user if self.user == NOBODY else -1, follow_symlinks=False
            )

    def open(self, policy: Policy | None = None) -> Sandbox:
        """Return the sandbox."""
        interpreter = None if self.user == os.getuid() else SYSTEM_PYTHON
        return Sandbox(policy or self.policy, self.home, interpreter=interpreter)

    async def run(
        self,
        command: str | Sequence[str],
        *,
        policy: Policy | None = None,
        keeps: tuple[int, ...] = (),
        inherits: tuple[int, ...] = (),
        variables: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Said:
        """Run a command, or a line for bash, to its end."""
        words = ("bash", "-c", command) if isinstance(command, str) else command
        async with self.open(policy) as sandbox:
            said = await self.start(
                sandbox, words, keeps=keeps, inherits=inherits, variables=variables, cwd=cwd
            )
            await self.all_ended()
            return said

    async def all_ended(self) -> None:
        """Wait for the end of everything inside, which may come after that of what we started."""
        with anyio.fail_after(SECONDS):
            await wait_until_unmounted(str(self.workspace))

    async def start(
        self,
        sandbox: Sandbox,
        words: Sequence[str],
        *,
        keeps: tuple[int, ...] = (),
        inherits: tuple[int, ...] = (),
        variables: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> Said:
        """Run a command in a sandbox that is open."""
        folder = str(cwd or self.workspace)
        wrapped = await sandbox.wrap(words, folder, variables=variables, kept=keeps)
        for path in self.home.rglob("*"):  # made by us, who may be somebody else
            path.chmod(0o755 if path.is_dir() else path.stat().st_mode)
        words = wrapped.argv
        if self.user != os.getuid() and words[0] == "/bin/sh":
            words = words[4:]  # root's limit, which the other user cannot join and does not need
        self._share_proxy(words)
        with anyio.fail_after(SECONDS):
            ended = await anyio.run_process(
                words,
                check=False,
                stdin=subprocess.DEVNULL,
                env=wrapped.environment,
                pass_fds=inherits,
                user=self.user if self.user != os.getuid() else None,
                group=self.user if self.user != os.getuid() else None,
                extra_groups=[] if self.user != os.getuid() else None,
            )
        out, err = ended.stdout.decode("utf-8", "replace"), ended.stderr.decode("utf-8", "replace")
        return Said(ended.returncode, out, err)

    def _share_proxy(self, argv: Sequence[str]) -> None:
        """Let the user whose commands run reach the proxy, which is ours."""
        inside = "/run/gantlet/proxy.sock"
        if inside in argv and self.user != os.getuid():
            path = Path(argv[argv.index(inside) - 1])
            for one in (path, path.parent):
                os.chown(one, self.user, self.user)

    async def python(self, code: str, *words: str, policy: Policy | None = None) -> Said:
        """Run a Python program inside."""
        return await self.run((SYSTEM_PYTHON, "-c", code, *words), policy=policy)

    def with_policy(self, **changes: object) -> Policy:
        """Return the policy with changes."""
        return replace(self.policy, **changes)  # type: ignore[arg-type]


@cache
def reason_against(user: int) -> str | None:
    """Return why the tests cannot run as a user on this machine."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        return "bubblewrap is not installed"
    tried = subprocess.run(
        [bwrap, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "/bin/true"],
        check=False,
        capture_output=True,
    )
    if tried.returncode != 0:
        return f"bubblewrap does not work here: {tried.stderr.decode().strip()}"
    if user == os.getuid():
        return None
    if os.getuid() != 0:
        return "only root can run tests as another user"
    for path in (SYSTEM_PYTHON, str(INSIDE)):
        looked = subprocess.run(
            ["/usr/bin/test", "-r", path], user=user, group=user, extra_groups=[], check=False
        )
        if looked.returncode != 0:
            return f"another user cannot read {path}"
    return None


def boxes(user: int) -> Iterator[Box]:
    """Yield a box for a user, in a place that every user can reach."""
    place = new_place()
    try:
        yield Box(place, user, shared_home(user))
    finally:
        shutil.rmtree(place, ignore_errors=True)


@cache
def shared_home(user: int) -> Path:
    """Return where we keep our own files, the same for all tests: what was tested stays known."""
    home = new_place()
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    return home


def new_place() -> Path:
    """Return a folder that every user can reach."""
    place = Path(tempfile.mkdtemp(prefix="gantlet-box-")).resolve()
    place.chmod(0o755)
    return place


def names_in(folder: Path) -> list[str]:
    """Return what a folder holds."""
    return sorted(one.name for one in folder.iterdir())


USERS = [
    pytest.param(os.getuid(), id="as-this-user"),
    pytest.param(NOBODY, id="as-another-user"),
]
