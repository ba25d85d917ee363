"""End a task in the background."""

from pydantic import Field

from gantlet.tool import (
    Access,
    Named,
    Ports,
    Rejected,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    ToolResult,
    Traits,
)
from gantlet.tool.background import BACKGROUND_TASKS, BackgroundTasks
from gantlet.tool.wording import quoted
from gantlet.tools.shell.task_output import find_task


class TaskStopInput(ToolInput):
    """Which task to end."""

    task_id: str | None = Field(None, description="The id of the background task to stop.")
    shell_id: str | None = Field(None, description="Deprecated: use task_id.")


class TaskStop(Tool[TaskStopInput]):
    """Ends a task and everything it started."""

    name = "TaskStop"
    aliases = ("KillShell", "KillBash")
    search_hint = "background shell kill end terminate"
    description = (
        "Stop a background task by its id: a command with everything it started, a monitor, an"
        " agent. Its output file stays."
    )
    input_type = TaskStopInput

    def __init__(self, tasks: BackgroundTasks) -> None:
        self._tasks = tasks

    @classmethod
    def build(cls, ports: Ports) -> "TaskStop":
        """Take the tasks of this session."""
        return cls(ports.need(BACKGROUND_TASKS))

    def traits(self, args: TaskStopInput) -> Traits:
        """Keeps our own house: ends only what the session itself started."""
        access = Access(writes={Named(f"task {args.task_id or args.shell_id}")})
        return Traits(read_only=True, access=access, open_world=False)

    async def validate_input(self, args: TaskStopInput, context: ToolContext) -> Rejected | None:
        """Refuse a call without a task."""
        if args.task_id or args.shell_id:
            return None
        return Rejected("Give the id of the task as `task_id`.")

    async def run(self, args: TaskStopInput, context: ToolContext) -> ToolResult[str]:
        """End it, and wait until it has ended."""
        task = find_task(self._tasks, args.task_id or args.shell_id or "")
        if task.status.is_final:
            raise ToolError(
                f"Task {task.id} is not running (status: {task.status.value}). There is nothing to"
                " stop.",
                is_benign=True,
            )
        await task.stop()
        message = f"Successfully stopped task: {task.id} ({quoted(task.description, 120)})"
        if not task.status.is_final:
            message = f"Task {task.id} was told to stop and has not ended yet."
        told = {"message": message, "task_id": task.id, "task_type": task.kind}
        return ToolResult(message, structured={**told, "command": task.description})
