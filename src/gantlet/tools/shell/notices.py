"""What is said about commands beside their output."""

from collections.abc import Sequence

from gantlet.system.supervisor import NotStarted, Process
from gantlet.tool.wording import cut, quoted
from gantlet.tools.shell.capture import FILE_BYTES, Capture
from gantlet.tools.shell.changes import Changed
from gantlet.tools.shell.task import ShellTask

#: What the model reads of a failed command's output; the first line and notices come on top.
MAX_FAILURE_CHARS = 9_000
_END_CHARS = 2_000
_MAX_SHOWN = 5
_MAX_LISTED = 1_000


def task_ended(task: ShellTask) -> str:
    """Tell the model that a task in the background has ended."""
    return (
        "<task-notification>\n"
        f"<task-id>{task.id}</task-id>\n"
        f"<output-file>{task.output_path}</output-file>\n"
        f"<status>{task.status.value}</status>\n"
        f"<summary>Background command {quoted(task.description, 120)} {task.how_it_ended}"
        "</summary>\n"
        "</task-notification>\n"
        f"Read the output file to retrieve the result: {task.output_path}"
    )


def left_running(left: Sequence[Process], task_id: str, path: str) -> str:
    """Say what a command left running."""
    shown = "; ".join(cut(str(one), 80) for one in left[:_MAX_SHOWN])
    more = f" and {len(left) - _MAX_SHOWN} more" if len(left) > _MAX_SHOWN else ""
    what = "a process" if len(left) == 1 else f"{len(left)} processes"
    return (
        f"The command has ended and left {what} running ({shown}{more}), now background task"
        f" {task_id}; output is being written to: {path}. TaskStop ends it; it ends with the"
        " session in any case."
    )


def not_started(ending: NotStarted, command: str, cwd: str) -> str:
    """Say why a command could not be started."""
    if ending.stage == "directory":
        return (
            f"The working directory {cwd} cannot be entered ({ending.reason}). It may have been"
            " removed: make it again, or use another one by its absolute path."
        )
    return f"The command could not be started: {ending.reason} ({ending.stage}). Nothing was run."


def both_ends(capture: Capture) -> str:
    """Return the beginning and the end of an output that is too long, and where all of it is."""
    text, tail = capture.text()[:_END_CHARS], capture.tail()[-_END_CHARS:]
    if capture.has_file:
        kept = f"the first {FILE_BYTES >> 20} MiB of it are" if capture.is_cut else "all of it is"
        where = f"{kept} in {capture.path}. Read it there in parts"
    else:
        where = f"it could not be saved ({capture.problem})"
    notice = f"[The output has {capture.total:,} bytes; {where}.]"
    return f"{notice}\n{text}\n[…]\n{tail}"


def persisted(capture: Capture) -> dict[str, object]:
    """Tell programs which file has an output that is too long for memory, and its size."""
    if capture.is_whole or not capture.has_file:
        return {}
    return {"persistedOutputPath": str(capture.path), "persistedOutputSize": capture.total}


def fitted(capture: Capture, text: str) -> str:
    """Return both ends of what a failed command said if that is too much, and where the rest is."""
    if len(text) <= MAX_FAILURE_CHARS:
        return text
    half = MAX_FAILURE_CHARS // 2
    capture.to_file()
    where = f" (all of it is in {capture.path})" if capture.has_file else ""
    left_out = len(text) - 2 * half
    return (
        f"{text[:half]}\n... [{left_out} characters truncated] ...{where}\n{text[-half:].lstrip()}"
    )


def stale(seen: Sequence[str]) -> tuple[str, ...]:
    """Say which files the conversation has seen are not what it has seen any more."""
    if not seen:
        return ()
    shown = ", ".join(cut(path, 200) for path in seen[:_MAX_SHOWN])
    more = f" and {len(seen) - _MAX_SHOWN} more" if len(seen) > _MAX_SHOWN else ""
    return (f"The command changed files you have read: {shown}{more}. Read them before editing.",)


def changes_told(changed: Changed) -> dict[str, object]:
    """Return which files a command changed, for programs."""
    if not changed.files:
        return {}
    told: dict[str, object] = {"changedFiles": list(changed.files[:_MAX_LISTED])}
    if changed.lost:
        told["changedCannotBeUndone"] = list(changed.lost[:_MAX_LISTED])
    if changed.seen:
        told["staleReadFileStateHint"] = list(changed.seen[:_MAX_LISTED])
    if not changed.is_complete:
        told["changesIncomplete"] = True
    return told
