"""What waits to be done."""

from collections import deque

import anyio

from gantlet.messages import JsonValue
from gantlet.surfaces.headless.prompts import Prompt


class PromptQueue:
    """Prompts that wait for their turn, and whether more may come."""

    def __init__(self) -> None:
        self.has_ended = False
        self._waiting: deque[Prompt] = deque()
        self._more = anyio.Event()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def ids(self) -> list[JsonValue]:
        """The ids of those that wait."""
        return [prompt.uuid for prompt in self._waiting]

    def put(self, prompt: Prompt) -> None:
        """Let a prompt wait behind the others."""
        self._waiting.append(prompt)
        self._more.set()

    def take(self) -> Prompt:
        """Return the one that has waited longest."""
        return self._waiting.popleft()

    def drop(self, prompt_id: JsonValue) -> bool:
        """Take a prompt back; return whether it was still there."""
        kept = [prompt for prompt in self._waiting if prompt.uuid != prompt_id]
        was_there = len(kept) < len(self._waiting)
        self._waiting = deque(kept)
        return was_there

    def clear(self) -> None:
        """Take all of them back."""
        self._waiting.clear()

    def end(self) -> None:
        """Note that no more will come."""
        self.has_ended = True
        self._more.set()

    def look_again(self) -> None:
        """Have whoever waits look whether there is something to do, or nothing any more."""
        self._more.set()

    async def wait(self) -> None:
        """Wait until there is a reason to look again."""
        self._more = anyio.Event()
        await self._more.wait()
