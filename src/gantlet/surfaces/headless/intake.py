"""What the program that drives us sends, line by line, and where each line goes."""

from collections.abc import Mapping

from anyio.abc import TaskGroup

from gantlet.messages import JsonValue
from gantlet.surfaces.headless.desk import Desk
from gantlet.surfaces.headless.held_agent import HeldAgent
from gantlet.surfaces.headless.inlet import read_message
from gantlet.surfaces.headless.prompt_queue import PromptQueue
from gantlet.surfaces.headless.prompts import Prompt, read_prompt
from gantlet.surfaces.headless.requests import Requests


class Intake:
    """Takes prompts, requests and answers. A line that makes no sense is told, and dropped."""

    def __init__(self, desk: Desk, held: HeldAgent, queue: PromptQueue, requests: Requests) -> None:
        self._desk = desk
        self._held = held
        self._queue = queue
        self._requests = requests

    def take_line(self, line: bytes | None, group: TaskGroup) -> None:
        """Take one line of the program that drives us; None is the end."""
        if line is None:
            self._desk.control.close()
            self._queue.end()
            return
        try:
            message = read_message(line)
            if message is not None:
                self._take_message(message, group)
        except ValueError as error:
            told = f"A line was not understood: {error}"
            frames = self._desk.telling.frames
            self._desk.sink.frame(frames.system("informational", content=told, level="warning"))

    def _take_message(self, message: Mapping[str, JsonValue], group: TaskGroup) -> None:
        """Do what a message says, or put it in the queue."""
        match message.get("type"):
            case "user":
                self._take_prompt(read_prompt(message))
            case "control_request":
                self._requests.take(message, group)
            case "control_response":
                self._desk.control.answered(message)
            case "control_cancel_request":
                self._requests.cancel(str(message.get("request_id")))
            case "keep_alive":
                return
            case other:
                raise ValueError(f"there is no message of type {other!r}")

    def _take_prompt(self, prompt: Prompt) -> None:
        """Queue what the user says, or hand it to the turn that runs.

        Raises:
            ValueError: It was said already: a second line of that id would break the transcript.
        """
        if prompt.uuid in self._desk.heard:
            raise ValueError(f"the message {prompt.uuid} was taken already")
        if prompt.uuid is not None:
            self._desk.heard.add(prompt.uuid)
        is_urgent = prompt.priority in ("now", "next") and prompt.is_asked
        if is_urgent and self._held.send(prompt):
            self._desk.tell_taken(prompt)
        else:
            self._queue.put(prompt)
