"""The tasks of a session that run in the background, and what the model has yet to be told."""

import threading
from collections.abc import Callable, Sequence

from gantlet.system.clock import Clock, RealClock
from gantlet.system.thread_event import ThreadEvent
from gantlet.tool.background import BackgroundTask

#: How long the first news wait for more, where other tasks still run: many end together.
GATHERING_SECONDS = 0.25


class TaskBoard:
    """Keeps tasks by their ids, and news of them until somebody takes them."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or RealClock()
        self._tasks: dict[str, BackgroundTask] = {}
        self._lock = threading.Lock()
        self._news: list[str] = []
        self._has_news = ThreadEvent()
        self._is_due = ThreadEvent()
        self.listeners: list[Callable[[BackgroundTask], None]] = []

    def add(self, task: BackgroundTask) -> None:
        """Take a task on, and tell those who listen."""
        self._tasks[task.id] = task
        for listener in self.listeners:
            listener(task)

    def find(self, name: str) -> BackgroundTask | None:
        """Return a task by its id, or None."""
        return self._tasks.get(name)

    def all(self) -> Sequence[BackgroundTask]:
        """Return the tasks, the oldest first."""
        return list(self._tasks.values())

    def running(self) -> Sequence[BackgroundTask]:
        """Return the tasks that have not ended."""
        return [task for task in self._tasks.values() if not task.status.is_final]

    def tell(self, text: str, *, is_urgent: bool = True) -> None:
        """Have the model told something with the next message. Any thread may call this.

        What is urgent is worth a turn of its own if nothing else is going on.
        """
        with self._lock:
            self._news.append(text)
            self._has_news.set()
            if is_urgent:
                self._is_due.set()

    def take_news(self) -> list[str]:
        """Return what is to be told, and forget it."""
        with self._lock:
            news, self._news = self._news, []
            self._has_news, self._is_due = ThreadEvent(), ThreadEvent()
        return news

    @property
    def has_urgent_news(self) -> bool:
        """Whether there is something to tell that is worth a turn of its own."""
        return self._is_due.is_set()

    async def wait_for_news(self) -> None:
        """Wait until there is something to tell."""
        await self._has_news.wait()

    async def wait_for_urgent_news(self) -> None:
        """Wait until there is something that is worth a turn; a surface that idles takes one.

        Where other tasks run, those that end a moment later are waited for: they share the turn.
        """
        await self._is_due.wait()
        if self.running():
            await self._clock.sleep_until(self._clock.now() + GATHERING_SECONDS)
