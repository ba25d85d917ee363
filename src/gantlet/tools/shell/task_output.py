"""Look at what a task in the background has said."""

import re
from functools import partial

import anyio
from pydantic import Field

from gantlet.system import run_in_thread
from gantlet.tool import (
    READS_ONLY,
    UNBOUNDED,
    Access,
    Named,
    Ports,
    Rejected,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    Traits,
)
from gantlet.tool.background import BACKGROUND_TASKS, BackgroundTask, BackgroundTasks
from gantlet.tool.pattern_cost import may_take_for_ever
from gantlet.tool.wording import quoted
from gantlet.tools.shell.session import SHELL, ShellSession

_DEFAULT_MS = 30_000
_MAX_MS = 600_000
_MAX_PATTERN_CHARS = 500


class TaskOutputInput(ToolInput):
    """Which task to look at."""

    task_id: str | None = Field(None, description="The id of the task.")
    block: bool | None = Field(
        None, description="Wait for the task to end, for as long as `timeout` says. Default true."
    )
    timeout: float | None = Field(
        None, ge=0, le=_MAX_MS, description="Milliseconds to wait at the most; 30000 if not given."
    )
    filter: str | None = Field(
        None,
        max_length=_MAX_PATTERN_CHARS,
        description="A regular expression; only lines that match it are returned.",
    )
    bash_id: str | None = Field(
        None, description="Deprecated: the id of a shell. Only what is new is returned, at once."
    )


class TaskOutput(Tool[TaskOutputInput]):
    """Shows how a task stands and what it has said."""

    name = "TaskOutput"
    aliases = ("BashOutput", "AgentOutputTool")
    search_hint = "background shell output status result wait"
    description = (
        "Return how a background task stands and what it has said: a command, a monitor, an agent."
        " Waits for its end unless `block` is false. You are told when a task ends, so do not poll."
        " The output file that was named when the task started can be read as well."
    )
    input_type = TaskOutputInput
    max_result_chars = UNBOUNDED

    def __init__(self, tasks: BackgroundTasks, session: ShellSession) -> None:
        self._tasks = tasks
        self._session = session

    @classmethod
    def build(cls, ports: Ports) -> "TaskOutput":
        """Take the tasks of this session."""
        return cls(ports.need(BACKGROUND_TASKS), ports.need(SHELL))

    def traits(self, args: TaskOutputInput) -> Traits:
        """Looks at a task, and disturbs nobody; what is new is handed out once, in order."""
        if args.bash_id is None:
            return READS_ONLY
        access = Access(writes={Named(f"output of task {args.bash_id}")})
        return Traits(read_only=True, access=access, open_world=False)

    async def validate_input(self, args: TaskOutputInput, context: ToolContext) -> Rejected | None:
        """Refuse a call without a task, and a filter that is no pattern."""
        if not (args.task_id or args.bash_id):
            return Rejected("Give the id of the task as `task_id`.")
        try:
            re.compile(args.filter or "")
        except re.error as error:
            return Rejected(f"`filter` is no regular expression: {error}.")
        if may_take_for_ever(args.filter or ""):
            return Rejected(
                "`filter` may take for ever: it has a repeat or a choice in a repeat, or many of"
                " them. Write it more simply, or search the output file with Grep."
            )
        return None

    async def run(self, args: TaskOutputInput, context: ToolContext) -> str:
        """Wait if that is wanted, then tell."""
        task = find_task(self._tasks, args.task_id or args.bash_id or "")
        is_old = args.bash_id is not None and args.task_id is None
        blocks = args.block if args.block is not None else not is_old
        if blocks and not task.status.is_final:
            with anyio.move_on_after(
                (_DEFAULT_MS if args.timeout is None else args.timeout) / 1000
            ):
                await task.wait()
        read = task.new_output if is_old else task.output
        output = await run_in_thread(partial(read, self._session.settings.task_output_chars))
        return report(task, filtered(output, args.filter), waited=blocks)


def find_task(tasks: BackgroundTasks, name: str) -> BackgroundTask:
    """Return a task.

    Raises:
        ToolError: There is none of that name.
    """
    task = tasks.find(name)
    if task is not None:
        return task
    running = [one for one in tasks.all() if not one.status.is_final]
    listed = ", ".join(f"{one.id} ({quoted(one.description)})" for one in running[:20])
    known = f"Running: {listed}." if listed else "No background task is running."
    raise ToolError(f"No task found with ID: {quoted(name)}. {known}")


def filtered(output: str, pattern: str | None) -> str:
    """Return the lines that match a pattern; all of them without one."""
    if not pattern:
        return output
    wanted = re.compile(pattern)
    return "\n".join(line for line in output.splitlines() if wanted.search(line[:10_000]))


def report(task: BackgroundTask, output: str, *, waited: bool) -> str:
    """Return how a task stands, in the form that models know."""
    retrieval = "success" if task.status.is_final or not waited else "timeout"
    if not task.status.is_final and not waited:
        retrieval = "not_ready"
    parts = [
        f"<retrieval_status>{retrieval}</retrieval_status>",
        f"<task_id>{task.id}</task_id>",
        f"<task_type>{task.kind}</task_type>",
        f"<status>{task.status.value}</status>",
    ]
    if task.exit_code is not None:
        parts.append(f"<exit_code>{task.exit_code}</exit_code>")
    if output.strip():
        parts.append(f"<output>\n{output.rstrip()}\n</output>")
    return "\n\n".join(parts)
