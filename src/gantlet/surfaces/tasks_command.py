"""`gantlet tasks`: what runs in the background, in this and other sessions."""

import argparse
import json
import os
import signal
import time
from collections.abc import Sequence
from dataclasses import asdict

from gantlet.system import Environment, home_folder
from gantlet.system.task_records import TaskRecord, is_alive, read_records
from gantlet.tool import UserError

_SHOWN_CHARS = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "action", nargs="?", choices=("list", "stop"), default="list", help="list is the default"
    )
    parser.add_argument("id", nargs="?", help="which task to stop")
    parser.add_argument("--all", action="store_true", help="also list tasks that have ended")
    parser.add_argument("--json", action="store_true", help="print a JSON object for each task")


def run(arguments: argparse.Namespace) -> int:
    """List the tasks, or stop one."""
    records = read_records(home_folder(Environment.current()))
    if arguments.action == "stop":
        return _stop(records, arguments.id)
    shown = [one for one in records if arguments.all or status_of(one) == "running"]
    for record in shown:
        print(_as_json(record) if arguments.json else _as_line(record))
    if not shown and not arguments.json:
        print("No task runs in the background.")
    return 0


def status_of(record: TaskRecord) -> str:
    """Return how a task stands now; one whose keeper is gone does not run, whatever was written."""
    if record.status == "running" and not is_alive(record.keeper):
        return "lost"
    return record.status


def _stop(records: Sequence[TaskRecord], task_id: str | None) -> int:
    """Ask the keeper of a task to end it."""
    if not task_id:
        raise UserError("say which task to stop: `gantlet tasks stop ID`.")
    for record in records:
        if record.id == task_id:
            if status_of(record) != "running":
                raise UserError(f"task {task_id} does not run: it is {status_of(record)}.")
            os.kill(record.keeper[0], signal.SIGTERM)
            print(f"Task {task_id} was told to stop.")
            return 0
    raise UserError(f"there is no task {task_id!r}. `gantlet tasks` lists those that run.")


def _as_json(record: TaskRecord) -> str:
    """Return a task for programs."""
    return json.dumps({**asdict(record), "status": status_of(record)})


def _as_line(record: TaskRecord) -> str:
    """Return a task for people."""
    seconds = (record.ended_at or time.time()) - record.started_at
    command = " ".join(record.command.split())
    if len(command) > _SHOWN_CHARS:
        command = f"{command[: _SHOWN_CHARS - 1]}…"
    code = f" {record.exit_code}" if record.exit_code is not None else ""
    owner = f"pid {record.owner[0]}"
    text = f"{record.id}  {status_of(record)}{code}  {_span(seconds)}  {owner}  {command}"
    return "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)


def _span(seconds: float) -> str:
    """Return a time in its largest unit."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "m")):
        if seconds >= size:
            return f"{seconds / size:.0f}{unit}"
    return f"{max(seconds, 0):.0f}s"
