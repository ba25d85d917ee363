"""What comes in to be done: words of a user, or a command that begins with a slash."""

import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from gantlet.messages import Block, Document, Image, JsonValue, Text, block_from_wire
from gantlet.messages.value import replace, value
from gantlet.session import is_session_id
from gantlet.system import new_id

BUILT_IN_COMMANDS = ("clear", "compact", "context", "cost")
_NUMBERED = re.compile(r"\$(\d)")
_SHELL = re.compile(r"(?:^|\s)!`[^`]+`|^```!", re.MULTILINE)
_MAX_COMMAND_CHARS = 200_000


@value
class Prompt:
    """Words of a user, as they came; none have a call that waits in the session asked again.

    Attributes:
        priority: When they are heard if a turn runs: `now`, `next`, or after it.
        is_asked: Whether the model is to answer; else it reads them with what is said next.
        is_synthetic: Whether they are ours, in the user's place.
    """

    blocks: tuple[Block, ...]
    uuid: str | None = None
    origin: JsonValue = None
    priority: str = ""
    content: JsonValue = None
    is_asked: bool = True
    is_synthetic: bool = False

    @property
    def text(self) -> str:
        """The words, if there is nothing else."""
        only = self.blocks[0] if len(self.blocks) == 1 else None
        return only.text if isinstance(only, Text) else ""


def news_prompt(news: Iterable[str]) -> Prompt:
    """Return news of tasks in the background as what a turn begins with."""
    text = "\n\n".join(news)
    return Prompt(
        (Text(text),), new_id(), {"kind": "task-notification"}, content=text, is_synthetic=True
    )


#: What resumes a call that was put off: nobody says anything.
GO_ON = Prompt(())


def read_prompt(line: Mapping[str, JsonValue]) -> Prompt:
    """Return the words of a `user` message.

    Raises:
        ValueError: There are none.
    """
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        blocks: tuple[Block, ...] = (Text(_sendable(content)),)
    elif isinstance(content, list):
        blocks = tuple(_block(one) for one in content)
    else:
        text = "A user message needs a message with a content: a text or blocks."
        raise ValueError(text)  # noqa: TRY004 - what a program sent is wrong, not its type here
    if not any(not isinstance(block, Text) or block.text.strip() for block in blocks):
        raise ValueError("The message is empty.")
    uuid, priority = line.get("uuid"), line.get("priority")
    return Prompt(
        blocks,
        uuid if isinstance(uuid, str) and is_session_id(uuid) else new_id(),
        line.get("origin"),
        priority if isinstance(priority, str) else "",
        content,
        line.get("shouldQuery") is not False,
    )


def _block(wire: JsonValue) -> Block:
    """Return one block of a message.

    Raises:
        ValueError: A user cannot say that: in the conversation it would spoil every request.
    """
    block = block_from_wire(wire)
    if isinstance(block, Text):
        return replace(block, text=_sendable(block.text))
    if isinstance(block, Image | Document):
        return block
    kind = wire.get("type") if isinstance(wire, dict) else wire
    raise ValueError(
        f"A user message holds blocks of text, image or document; this one is {kind!r}, or lacks"
        " a field."
    )


def _sendable(text: str) -> str:
    """Return a text without the halves of letters that no request can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def command_files(cwd: Path, config: Path, sources: Iterable[str]) -> dict[str, Path]:
    """Return the commands that people keep in files, by name; a project's win."""
    found: dict[str, Path] = {}
    folders = {"user": config / "commands", "project": cwd / ".claude" / "commands"}
    for source, folder in folders.items():
        if source not in sources:
            continue
        try:
            files = sorted(folder.rglob("*.md"))
        except OSError:
            continue
        found |= {path.stem: path for path in files if path.is_file()}
    return found


def agent_names(cwd: Path, config: Path, sources: Iterable[str]) -> list[str]:
    """Return the names of the agents that people keep in files."""
    names: dict[str, None] = {}
    folders = {"user": config / "agents", "project": cwd / ".claude" / "agents"}
    for source, folder in folders.items():
        if source in sources:
            names |= dict.fromkeys(_agents_in(folder))
    return list(names)


def _agents_in(folder: Path) -> list[str]:
    """Return the names in a folder of agents; a file without one is none."""
    try:
        files = sorted(path for path in folder.rglob("*.md") if path.is_file())
    except OSError:
        return []
    names = []
    for path in files:
        try:
            text = path.read_text("utf-8", "replace")
        except OSError:
            continue
        found = re.search(r"\A---\n(?:.*\n)*?name:[ \t]*[\"']?([^\"'\n]+)", text)
        if found:
            names.append(found.group(1).strip())
    return names


def expanded(path: Path, arguments: str) -> str:
    """Return the text of a command, with what was said behind its name.

    Raises:
        ValueError: It cannot be used here; the message says why.
    """
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}.") from error
    if len(text) > _MAX_COMMAND_CHARS:
        raise ValueError(f"{path} is too long for a command.")
    if text.startswith("---\n"):
        text = text[text.find("\n---", 3) + 4 :].lstrip("\n")
    if _SHELL.search(text):
        raise ValueError(f"{path} runs shell commands, which is not supported yet.")
    try:
        words = shlex.split(arguments)
    except ValueError:
        words = arguments.split()
    filled = _NUMBERED.sub(
        lambda found: words[int(found[1])] if int(found[1]) < len(words) else "",
        text.replace("$ARGUMENTS", arguments),
    )
    if arguments and "$ARGUMENTS" not in text and not _NUMBERED.search(text):
        filled += f"\n\nARGUMENTS: {arguments}"
    return filled
