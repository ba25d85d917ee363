"""The program without a screen, at work: prompts in, one turn after the other, results out."""

import signal
from pathlib import Path

import anyio

from gantlet.messages import Notice, NoticeLevel, Text
from gantlet.surfaces.headless.answers import Answers
from gantlet.surfaces.headless.desk import Desk
from gantlet.surfaces.headless.flags import NOTHING_TO_DO, FlagError, Flags
from gantlet.surfaces.headless.held_agent import HeldAgent
from gantlet.surfaces.headless.inlet import read_lines
from gantlet.surfaces.headless.intake import Intake
from gantlet.surfaces.headless.model_choice import ModelSource
from gantlet.surfaces.headless.prompt_queue import PromptQueue
from gantlet.surfaces.headless.prompts import GO_ON, Prompt, news_prompt
from gantlet.surfaces.headless.reports import Sink
from gantlet.surfaces.headless.requests import Requests
from gantlet.surfaces.headless.results import Results
from gantlet.surfaces.headless.slash import Commands
from gantlet.surfaces.headless.turns import Turns
from gantlet.system import Environment


class Host:
    """One run of the program: a session, an agent, and whoever drives them."""

    def __init__(
        self, flags: Flags, cwd: Path, environment: Environment, sink: Sink, source: ModelSource
    ) -> None:
        self._desk = desk = Desk(flags, cwd, environment, sink, source)
        self._held = held = HeldAgent(desk)
        self._queue = queue = PromptQueue()
        self._results = Results(desk)
        commands = Commands(desk, held, self._results)
        self._turns = Turns(desk, held, commands, self._results)
        answers = Answers(desk, held, queue, commands)
        self._requests = Requests(desk.control, answers.by_subtype, queue.look_again)
        self._intake = Intake(desk, held, queue, self._requests)
        self._has_worked = False
        self._signal = 0

    async def run(self, prompt: str | None) -> int:
        """Do what is asked for, until there is nothing more; return the exit code."""
        if prompt is not None:
            self._queue.put(self._first(prompt))
            self._queue.end()
        async with anyio.create_task_group() as group:
            self._held.group = group
            group.start_soon(self._heed_signals)
            if prompt is None:
                read_lines(0, lambda line: self._intake.take_line(line, group))
            self._tell_mended()
            try:
                await self._work()
            finally:
                self._desk.control.close()
                with anyio.CancelScope(shield=True):
                    await self._held.close()
            group.cancel_scope.cancel()
        return 128 + self._signal if self._signal else self._results.exit_code

    def give_up(self) -> None:
        """Stop for good: nobody reads what is said."""
        self._queue.clear()
        self._desk.control.close()
        self._queue.end()
        self._held.interrupt()

    def _first(self, text: str) -> Prompt:
        """Return the only prompt; it may be empty where a call waits to be asked again.

        Raises:
            FlagError: There is nothing to do.
        """
        if text:
            return Prompt((Text(text),), content=text)
        if not self._has_deferred_call:
            if self._desk.session is not None:
                self._desk.session.close()
            raise FlagError(f"{NOTHING_TO_DO} No call waits in this session.")
        return Prompt(())

    @property
    def _has_deferred_call(self) -> bool:
        """Whether a call waits in the session to be asked again."""
        return self._desk.session is not None and self._desk.session.deferred is not None

    def _tell_mended(self) -> None:
        """Tell what had to be mended in the session that is resumed."""
        desk = self._desk
        for note in dict.fromkeys(desk.session.notes) if desk.session is not None else ():
            notice = Notice(NoticeLevel.WARNING, f"The session was mended: {note}.")
            desk.sink.frame(desk.telling.frames.notice(notice))

    async def _work(self) -> None:
        """Take turns until the input has ended and everything is done."""
        while not self._signal:
            if self._queue:
                self._has_worked = True
                self._desk.tell_state("running")
                await self._turns.take(self._queue.take())
                if not self._queue:
                    self._desk.tell_state("idle")
            elif self._queue.has_ended and not self._requests.is_busy:
                if self._has_worked or not self._has_deferred_call:
                    return
                self._queue.put(GO_ON)
            elif self._held.has_urgent_news and not self._queue.has_ended:
                self._queue.put(news_prompt(self._held.take_news()))
            else:
                await self._idle()

    async def _idle(self) -> None:
        """Wait until something comes in, or a task in the background has news for the model."""
        async with anyio.create_task_group() as group:
            group.start_soon(self._held.wait_for_urgent_news, self._queue.look_again)
            await self._queue.wait()
            group.cancel_scope.cancel()

    async def _heed_signals(self) -> None:
        """Stop at the first signal so that all is written down; at the second, at once."""
        with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
            async for number in signals:
                if self._signal:
                    raise KeyboardInterrupt
                self._signal = number
                self._held.lingers = False
                self.give_up()
