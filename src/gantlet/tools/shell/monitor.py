"""Watch a command that tells of events, line by line."""

import threading

from pydantic import Field

from gantlet.tool import Ports, Rejected, Tool, ToolContext, ToolInput, ToolResult, Traits, Vote
from gantlet.tool.background import BackgroundTasks
from gantlet.tool.wording import cut, quoted
from gantlet.tools.shell import notices
from gantlet.tools.shell.bash import why_refused
from gantlet.tools.shell.lines import read_line
from gantlet.tools.shell.session import SHELL, ShellSession, Start
from gantlet.tools.shell.task import Order, Reason, ShellTask
from gantlet.tools.shell.vetting import binding_of, objection

_DEFAULT_MS = 300_000
_MAX_MS = 1_800_000
#: Lines that come within this time are told together.
_TOGETHER_SECONDS = 0.2
_MAX_LINE_CHARS = 500
_MAX_LINES = 50
#: A monitor that tells more than this is no monitor.
_MAX_EVENTS = 2_000


class MonitorInput(ToolInput):
    """What to watch."""

    description: str = Field(
        min_length=1, description="What is watched, in a few words; shown with every event."
    )
    timeout_ms: float = Field(
        _DEFAULT_MS, gt=0, description="Milliseconds until the monitor is ended, up to 1800000."
    )
    command: str | None = Field(
        None, description="The command. Each line it prints is an event; its end ends the watch."
    )
    persistent: bool | None = Field(
        None, description="Watch until the session ends; `timeout_ms` does not count then."
    )


class Monitor(Tool[MonitorInput]):
    """Runs a command in the background and tells the model each line it prints."""

    name = "Monitor"
    search_hint = "watch events log stream notify background"
    description = (
        "Start a command in the background that watches something, and be told each line it prints"
        " as an event: `tail -f log | grep --line-buffered ERROR`, or a loop that prints when"
        " something has changed. Print only what you would act on. Every branch should print,"
        " failures too: silence looks like success. Returns at once with the id of the task."
    )
    input_type = MonitorInput
    rule_field = "command"
    runs_shell = True

    def __init__(self, session: ShellSession) -> None:
        self._session = session

    @classmethod
    def build(cls, ports: Ports) -> "Monitor":
        """Take the shell of this session."""
        return cls(ports.need(SHELL))

    def traits(self, args: MonitorInput) -> Traits:
        """Goes on after the call, so that nothing can be said of what it touches."""
        return Traits(failure_stops_siblings=False, access=read_line(args.command or "").access)

    async def validate_input(self, args: MonitorInput, context: ToolContext) -> Rejected | None:
        """Refuse what no shell can be given."""
        if not self._session.settings.allows_background:
            return Rejected("Background tasks are switched off here. Run the command with Bash.")
        if args.command is None:
            return Rejected(
                "Give the command to watch as `command`. A socket (`ws`) cannot be watched itself"
                " here: give a command that prints what comes from it."
            )
        return why_refused(args.command)

    async def check_permissions(self, args: MonitorInput, context: ToolContext) -> Vote | None:
        """Ask where a command would run more than its words say."""
        return await objection(read_line(args.command or ""), context, self._session)

    async def run(self, args: MonitorInput, context: ToolContext) -> ToolResult[str]:
        """Start it."""
        command = args.command or ""
        order = Order(command, args.description, context.surroundings.cwd, "monitor")
        line = read_line(command)
        binding = await binding_of(line, context, self._session)
        task = await self._session.start(Start(order, line.may_only_read, binding=binding))
        events = _Events(task, self._session.tasks)
        task.capture.on_text = events.take
        await task.running.started.wait()
        lifetime_ms = 0.0 if args.persistent else min(args.timeout_ms, _MAX_MS)
        tasks = self._session.tasks
        tasks.add(task)
        task.go_on_in_background(lifetime_ms / 1000, events.end)
        text = (
            f"Monitor started with ID: {task.id}. Each line is told as it comes; output is being"
            f" written to: {task.output_path}"
        )
        told = {"taskId": task.id, "timeoutMs": lifetime_ms, "persistent": bool(args.persistent)}
        return ToolResult(text, structured=told)

    def summary(self, args: MonitorInput) -> str:
        """Return what is watched, on one line."""
        return cut(f"Monitor({args.description}: {args.command})", 200)


class _Events:
    """Puts lines that come close together into one message."""

    def __init__(self, task: ShellTask, tasks: BackgroundTasks) -> None:
        self._task = task
        self._tasks = tasks
        self._lock = threading.Lock()
        self._lines: list[str] = []
        self._timer: threading.Timer | None = None
        self._count = 0

    def take(self, text: str) -> None:
        """Take lines as they come."""
        with self._lock:
            fresh = [line[:_MAX_LINE_CHARS] for line in text.splitlines() if line.strip()]
            self._count += len(fresh)
            self._lines += fresh[: _MAX_LINES + 1]
            if self._timer is None and fresh:
                self._timer = threading.Timer(_TOGETHER_SECONDS, self._tell)
                self._timer.daemon = True
                self._timer.start()
        if self._count > _MAX_EVENTS:
            self._task.flood()

    def end(self, task: ShellTask) -> None:
        """Tell what is left, and that it is over."""
        self._tell()
        if task.reason is Reason.FLOOD:
            self._tasks.tell(f"Monitor {task.id} printed too much and was stopped. Filter more.")
        self._tasks.tell(notices.task_ended(task), is_urgent=task.reason is not Reason.STOPPED)

    def _tell(self) -> None:
        """Tell the lines that have come."""
        with self._lock:
            timer, self._timer = self._timer, None
            lines, self._lines = self._lines, []
        if timer is not None and timer is not threading.current_thread():
            timer.cancel()
        if not lines:
            return
        more = ["[more lines left out; see the output file]"] if len(lines) > _MAX_LINES else []
        shown = "\n".join([*lines[:_MAX_LINES], *more])
        self._tasks.tell(
            f"<task-notification>\n<task-id>{self._task.id}</task-id>\n<event monitor="
            f"{quoted(self._task.description, 120)}>\n{shown}\n</event>\n</task-notification>"
        )
