"""What the model reads of a command: pure texts, from how it ended and what it said."""

import re
from dataclasses import field

from gantlet.messages import Image
from gantlet.messages.value import value
from gantlet.tool import ResultContent

ABORTED = "<error>Command was aborted before completion</error>"
_BLANK_START = re.compile(r"\A(?:\s*\n)+")
#: The end of a line that asks for an answer.
_QUESTION = re.compile(
    r"(?:[?:]|\([yY](?:es)?/[nN]o?(?:/\S*)?\)|\[[yY]/[nN]\S*\]|>|password[^\n]{0,60})\s*\Z",
    re.IGNORECASE,
)


@value
class BashOutput:
    """What came of a command that did not fail.

    Attributes:
        stdout: What it said, both streams in their true order.
        notices: What we say beside it.
        image: The picture it printed instead of text.
        background: The sentence about the task it has become.
        facts: What else programs may want to know, under the names of the contract.
    """

    stdout: str = ""
    notices: tuple[str, ...] = ()
    image: Image | None = None
    background: str = ""
    facts: dict[str, object] = field(default_factory=dict)

    def content(self) -> ResultContent:
        """Return what the model reads."""
        if self.image is not None:
            return (self.image,)
        parts = (_BLANK_START.sub("", self.stdout).rstrip(), *self.notices, self.background)
        return "\n".join(part for part in parts if part)

    def structured(self) -> dict[str, object]:
        """Return the result for programs."""
        return {
            "stdout": self.stdout,
            "stderr": "\n".join(self.notices),
            "interrupted": False,
            "isImage": self.image is not None,
            **self.facts,
        }


def failure(code: int, output: str, notices: tuple[str, ...]) -> str:
    """Return what the model reads of a command that failed."""
    parts = (f"Exit code {code}", _BLANK_START.sub("", output).rstrip(), *notices)
    return "\n".join(part for part in parts if part)


def aborted(output: str) -> str:
    """Return what the model reads of a command that was stopped."""
    parts = (_BLANK_START.sub("", output).rstrip(), ABORTED)
    return "\n".join(part for part in parts if part)


def running_in_background(task_id: str, path: str, *, by_user: bool = False) -> str:
    """Say that a command goes on in the background."""
    how = "was manually backgrounded by user" if by_user else "running in background"
    return f"Command {how} with ID: {task_id}. Output is being written to: {path}"


def moved_on_timeout(seconds: float, task_id: str, path: str, cwd: str) -> str:
    """Say that a command goes on in the background because its time was over."""
    return (
        f"Command did not complete within its {seconds:g}s timeout and was moved to the background"
        f" with ID: {task_id}. Output is being written to: {path}\n{cwd_remains(cwd)}"
    )


def cwd_remains(cwd: str) -> str:
    """Say that a command in the background moves nobody else."""
    return (
        f"Session cwd remains {cwd}; directory changes made by the backgrounded command do not"
        " apply to subsequent commands."
    )


def timed_out(seconds: float) -> str:
    """Say that a command was ended because its time was over."""
    return f"Command timed out after {in_words(seconds)}"


def in_words(seconds: float) -> str:
    """Return a time in minutes and seconds."""
    if seconds < 60:
        return f"{seconds:g}s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}h {minutes}m {rest}s" if hours else f"{minutes}m {rest}s"


def question_in(line: str) -> str:
    """Return the question that an unfinished line asks, or nothing."""
    line = line.strip()
    return line[-200:] if line and _QUESTION.search(line[-200:]) else ""


def asked_in_vain(question: str) -> str:
    """Say that a command asked somebody who is not there."""
    return (
        f"The command asked {question!r}, and nobody can answer: its input is empty. Give the"
        " answer as an option (such as -y), in a file, or by a pipe."
    )
