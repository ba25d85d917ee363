"""What the shell tools of a session share: the supervisor, the settings, the tasks."""

import os
import secrets
import shlex
import shutil
import weakref
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from gantlet.messages.value import replace, value
from gantlet.system import Environment, Masker, home_folder
from gantlet.system.programs import FixedPath, absolute_folders, find_program
from gantlet.system.supervisor import (
    Exited,
    Launch,
    Running,
    StartError,
    Supervisor,
)
from gantlet.system.task_records import TaskFolder
from gantlet.tool import Port, ToolContext, ToolError
from gantlet.tool.background import BackgroundTasks
from gantlet.tools.shell.binding import UNBOUND, Binding
from gantlet.tools.shell.capture import Capture
from gantlet.tools.shell.env_files import EnvFiles, EnvRead
from gantlet.tools.shell.settings import ShellSettings
from gantlet.tools.shell.snapshot import take_snapshot
from gantlet.tools.shell.task import Order, ShellTask
from gantlet.tools.shell.variables import added_variables, command_variables, withheld

#: Where bash is, in the order in which it is looked for.
_SHELLS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/opt/homebrew/bin/bash")
#: The shell says where it ended when it ends; a command that sets another trap says nothing.
_TELL_PLACE = "trap 'pwd -P >/dev/fd/199 2>/dev/null' EXIT; "
_GRACE_SECONDS = 2.0
#: How long the processes of a sandbox may take to end, which they do when its command has.
_SANDBOX_SECONDS = 10.0
_GIT_SECONDS = 20.0


@value
class Start:
    """How a command is to be started.

    Attributes:
        read_only: It is taken to change nothing, and runs without anything of the user's shell.
        tells_place: It is to say where it ended.
        is_plain: It runs without a sandbox.
        outlives: It goes on when the session ends.
        argv: The program and its words, if it is not the shell with the command.
        binding: Which files its programs are, where something rests on that.
        input: A descriptor of ours that is its stdin.
        on_output: What takes its output, if that is not kept as a command's.
    """

    order: Order
    read_only: bool = False
    tells_place: bool = False
    is_plain: bool = False
    outlives: bool = False
    argv: tuple[str, ...] = ()
    binding: Binding = UNBOUND
    input: int | None = None
    on_output: Callable[[bytes], None] | None = None


@dataclass(slots=True, weakref_slot=True)
class ShellSession:
    """Starts commands for the tools of one session. Nothing runs on when nobody holds it."""

    project: str
    environment: Environment
    tasks: BackgroundTasks
    settings: ShellSettings = field(default_factory=ShellSettings)
    supervisor: Supervisor = field(default_factory=Supervisor)
    #: The sandbox's `Shelter`, where the settings want one.
    shelter: object = None
    #: Where hooks write variables for commands.
    hook_file: str = ""
    #: What was found of the programs of calls that were judged, until they run.
    bound: dict[str, tuple[str, str, Binding | None]] = field(default_factory=dict)
    _env_files: EnvFiles | None = None
    _last_read: EnvRead = field(default_factory=lambda: EnvRead({}))
    _started: weakref.WeakSet[ShellTask] = field(default_factory=weakref.WeakSet)
    _folder: TaskFolder | None = None
    _masker: Masker | None = None
    _snapshot: str | None = None
    _fixed: tuple[tuple[str, ...], FixedPath] | None = None

    def __post_init__(self) -> None:
        weakref.finalize(self, self.supervisor.close)

    @property
    def folder(self) -> TaskFolder:
        """Where the output of tasks goes."""
        if self._folder is None:
            self._folder = TaskFolder(home_folder(self.environment))
        return self._folder

    @property
    def masker(self) -> Masker:
        """What hides secrets in output."""
        if self._masker is None:
            known = {**self.environment.variables, **self.settings.variables}
            self._masker = Masker({**known, **self._last_read.variables})
        return self._masker

    @property
    def has_sandbox(self) -> bool:
        """Whether commands are to run in a sandbox."""
        return self.shelter is not None

    async def start(self, start: Start) -> ShellTask:
        """Start a command.

        Raises:
            ToolError: It cannot be started.
        """
        order = start.order
        task_id = f"b{secrets.token_hex(4)}"
        argv, variables, note, is_inside = await self._placed(start)
        capture = Capture(self.masker, self.folder.output_path(task_id), lambda: task.flood())
        task = ShellTask(task_id, order, capture, self.folder)
        task.note, task.is_inside = note, is_inside
        launch = Launch(
            argv=argv,
            cwd=order.cwd,
            env=variables,
            limits=self.settings.limits,
            input=start.input,
            tells_place=start.tells_place,
            grace_seconds=_GRACE_SECONDS,
        )
        if is_inside:
            launch = replace(launch, aftermath_seconds=_SANDBOX_SECONDS)
        try:
            task.follow(self._launched(launch, start, capture))
        except OSError as error:
            text = f"{error} This is a fault of this machine, not of the command."
            raise ToolError(text) from error
        self._started.add(task)
        return task

    def _launched(self, launch: Launch, start: Start, capture: Capture) -> Running:
        """Start a command; one that is to outlive us writes to its file itself."""
        if not start.outlives:
            return self.supervisor.start(launch, start.on_output or capture.feed)
        descriptor = capture.open_for_others()
        try:
            lasting = replace(launch, output=descriptor, outlives=True)
            return self.supervisor.start(lasting, capture.feed)
        finally:
            os.close(descriptor)

    async def _placed(self, start: Start) -> tuple[tuple[str, ...], dict[str, str], str, bool]:
        """Return the words and variables of a command, what to say, and whether it is sandboxed.

        Raises:
            ToolError: It must not run without a sandbox, and there is none.
        """
        argv = start.argv or self._argv(start, await self._told_before(start))
        read = await self._from_hooks()
        variables = self.variables(start, read.variables)
        if self.shelter is None:
            return argv, variables, read.problem, False
        from gantlet.tools.shell.sheltering import (  # noqa: PLC0415 - heavy, and rarely needed
            place,
        )

        own = added_variables(
            self.settings, start.order.cwd, read_only=start.read_only, more=read.variables
        )
        if start.binding.path:
            own["PATH"] = start.binding.path
        words, variables, note, is_inside = await place(
            self.shelter,
            start.order.command,
            argv,
            (variables, own),
            cwd=start.order.cwd,
            leaves=start.is_plain,
            tells_place=start.tells_place,
        )
        return words, variables, "\n".join(filter(None, (note, read.problem))), is_inside

    async def _from_hooks(self) -> EnvRead:
        """Return the variables that hooks have written for commands."""
        if self._env_files is None:
            self._env_files = EnvFiles((self.hook_file,))
        read = self._env_files.known()
        if read is None:
            given = command_variables(
                self.environment.variables, self.settings, self.project, read_only=False
            )
            read = await self._env_files.read(self._shell_words(), given, self.project)
        if read is not self._last_read:
            self._last_read, self._masker = read, None
        return read

    def withheld_in(self, said: str) -> list[str]:
        """Return which credentials a failed command speaks of, and was not given."""
        names = withheld(self.environment.variables, self.settings)
        found = sorted(name for name in names if name in said)
        given = " and ".join(found)
        how = "to hand it on, the user can name it in the setting shell.keepVariables"
        return [f"({given} is kept from commands; {how}.)"] if found else []

    def sandbox_notices(self, task: ShellTask, failed: str | None = None) -> list[str]:
        """Return what the sandbox has to say about a command that ended; `failed` is its output."""
        if self.shelter is None or not task.is_inside:
            return []
        from gantlet.tools.shell.sheltering import (  # noqa: PLC0415 - heavy, and rarely needed
            hint,
            refusals,
        )

        told = refusals(self.shelter)
        return told if told or failed is None else hint(self.shelter, failed)

    async def run_git(self, words: tuple[str, ...], cwd: str, given: bytes) -> bytes | None:
        """Run git so that it only reads; return what it said, or None where it failed."""
        path = self.environment.variables.get("PATH", "")
        fixed = self.fixed_path(path, (cwd,))
        program = fixed.file_of("git") or find_program("git", absolute_folders(path))
        if not program or fixed.is_of_workspace(program):
            return None
        said = bytearray()
        start = Start(Order("git", "", cwd), read_only=True)
        descriptor = os.memfd_create("input") if given and hasattr(os, "memfd_create") else None
        try:
            if descriptor is not None:
                os.write(descriptor, given)
                os.lseek(descriptor, 0, os.SEEK_SET)
            options = ("-c", "core.autocrlf=false", "--no-pager", "--literal-pathspecs")
            launch = Launch(
                argv=(program, *options, *words),
                cwd=cwd,
                env=self.variables(start),
                input=descriptor,
                lifetime_seconds=_GIT_SECONDS,
            )
            running = self.supervisor.start(launch, said.extend)
        except StartError:
            return None
        finally:
            if descriptor is not None:
                os.close(descriptor)
        return bytes(said) if await running.wait() == Exited(0) else None

    def variables(self, start: Start, more: Mapping[str, str] | None = None) -> dict[str, str]:
        """Return the variables of a command; `more` is what hooks have written for it."""
        return command_variables(
            self.environment.variables,
            self.settings,
            start.order.cwd,
            read_only=start.read_only,
            more=more,
            is_known=start.binding.is_whole,
            path="" if self.settings.prefix else start.binding.path,
        )

    async def plain_variables(self, cwd: str) -> dict[str, str]:
        """Return the variables a command has whatever it is."""
        read = await self._from_hooks()
        return command_variables(
            self.environment.variables, self.settings, cwd, read_only=False, more=read.variables
        )

    def fixed_path(self, path: str, further: Iterable[str]) -> FixedPath:
        """Return where programs are found that only root can change, nor whoever works here."""
        key = (path, *further)
        if self._fixed is None or self._fixed[0] != key:  # only root can make it another
            home = self.environment.variables.get("HOME", "")
            named = [_below_home(one, home) for one in self.settings.program_folders]
            workspace = (self.project, *key[1:])
            made = FixedPath.of(path, workspace=workspace, home=home, named=named)
            self._fixed = (key, made)
        return self._fixed[1]

    async def _told_before(self, start: Start) -> str:
        """Return what the shell is told before the command, its own lines or nothing."""
        set_up = await self._set_up(start)
        is_bash = Path(self.shell).name == "bash"
        if not is_bash or self.settings.prefix or (start.binding.path and not set_up):
            return set_up  # other files have these names there, or nothing else has
        return f"{set_up}{start.binding.lines}"

    async def _set_up(self, start: Start) -> str:
        """Return how the shell of the user is set up, its own lines or nothing.

        A command that is proved to read only must not depend on what somebody set up.
        """
        if start.read_only:
            return ""
        settings = self.settings
        files = [settings.env_file] if settings.env_file else []
        if settings.takes_snapshot and settings.is_trusted:
            if self._snapshot is None:
                home = home_folder(self.environment)
                self._snapshot = await take_snapshot(self, self.shell, home)
            files.insert(0, self._snapshot)
        return "".join(f". {shlex.quote(file)} >/dev/null 2>&1\n" for file in files if file)

    async def run_program(self, argv: tuple[str, ...], seconds: float) -> bytes | None:
        """Return what a program printed, or None where it failed or took too long."""
        said = bytearray()
        variables = command_variables(
            self.environment.variables, self.settings, self.project, read_only=False
        )
        launch = Launch(argv=argv, cwd=self.project, env=variables, lifetime_seconds=seconds)
        try:
            running = self.supervisor.start(launch, said.extend)
        except StartError:
            return None
        return bytes(said) if await running.wait() == Exited(0) else None

    def _argv(self, start: Start, set_up: str) -> tuple[str, ...]:
        """Return the shell with the command."""
        text = start.order.command
        if start.tells_place:
            text = f"{_TELL_PLACE}{text}"
        text = f"{set_up}{text}"
        if self.settings.prefix:
            text = f"{self.settings.prefix} {shlex.quote(text)}"
        return (*self._shell_words(), "-c", text)

    def _shell_words(self) -> tuple[str, ...]:
        """Return the shell, so that it reads no files of its own."""
        shell = self.shell
        return (shell, "--noprofile", "--norc") if Path(shell).name == "bash" else (shell,)

    @property
    def shell(self) -> str:
        """The program that reads commands.

        Raises:
            ToolError: There is none.
        """
        for path in (self.settings.shell, *_SHELLS):
            if path.startswith("/") and os.access(path, os.X_OK):
                return path
        found = shutil.which("bash", path=self.environment.variables.get("PATH", os.defpath))
        if found is None:
            raise ToolError("There is no bash on this machine, so that no command can be run.")
        return found

    def holds(self, folder: str, context: ToolContext) -> bool:
        """Return whether a folder lies in the project or in an additional directory."""
        inside = (self.project, *context.surroundings.extra_directories)
        real = os.path.realpath(folder)
        return any(
            real == root or real.startswith(f"{root.rstrip('/')}/")
            for root in map(os.path.realpath, inside)
        )

    def close(self) -> None:
        """End every command. Blocks until nothing is left."""
        for task in list(self._started):
            if not task.running.launch.outlives:
                task.note_end_of_session()
        self.supervisor.close()


def _below_home(folder: str, home: str) -> str:
    """Return a folder with its leading `~` written out."""
    return f"{home}{folder[1:]}" if folder == "~" or folder.startswith("~/") else folder


SHELL: Port[ShellSession] = Port("shell")
