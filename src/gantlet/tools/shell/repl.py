"""Run Python in a process that stays."""

import json
import os
import secrets
import shutil
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

import anyio
from pydantic import Field

from gantlet.system.terminal_text import plain
from gantlet.system.thread_event import ThreadEvent
from gantlet.tool import (
    EXCLUSIVE,
    Ports,
    Rejected,
    Tool,
    ToolContext,
    ToolError,
    ToolInput,
    Traits,
)
from gantlet.tool.wording import cut
from gantlet.tools.shell.results import in_words
from gantlet.tools.shell.session import SHELL, ShellSession, Start
from gantlet.tools.shell.task import Order, Reason, ShellTask

_CHILD = Path(__file__).with_name("repl_child.py")
_DEFAULT_MS = 30_000
_MAX_MS = 600_000
_MAX_CODE_CHARS = 1_000_000
_KEPT_BYTES = 1 << 20
_TAIL_BYTES = 4096
#: How long code has to heed an interrupt before its process is ended.
_HEED_SECONDS = 3.0


class REPLInput(ToolInput):
    """What to run."""

    code: str = Field(
        min_length=1, max_length=_MAX_CODE_CHARS, description="The Python code to run."
    )
    description: str | None = Field(None, description="What the code does, in a few words.")
    timeout: float | None = Field(
        None, gt=0, description="Milliseconds the code may take: 30000 if not given, up to 600000."
    )


class REPL(Tool[REPLInput]):
    """Keeps one Python process for a session, in which variables last."""

    name = "REPL"
    search_hint = "python interpreter execute code notebook variables"
    description = (
        "Run Python code in a process that stays for the session: variables, imports and functions"
        " last from call to call. Returns what the code prints, and the value of a last expression."
        " Code that takes too long is interrupted; if it does not heed that, the process is"
        " restarted and everything in it is lost. There is no input."
    )
    input_type = REPLInput
    should_defer = True

    def __init__(self, session: ShellSession) -> None:
        self._session = session
        self._process: _Process | None = None

    @classmethod
    def build(cls, ports: Ports) -> "REPL":
        """Take the shell of this session."""
        return cls(ports.need(SHELL))

    def traits(self, args: REPLInput) -> Traits:
        """Code may do anything."""
        return Traits(access=EXCLUSIVE)

    async def validate_input(self, args: REPLInput, context: ToolContext) -> Rejected | None:
        """Refuse code that no file could hold."""
        if "\0" in args.code:
            return Rejected("The code holds a NUL character. Write it as an escape.")
        return None

    async def run(self, args: REPLInput, context: ToolContext) -> str:
        """Run the code in the process, which is started if there is none."""
        process = self._process
        if process is None or process.has_ended:
            process = self._process = await _Process.started(self._session, context)
        seconds = min(args.timeout or _DEFAULT_MS, _MAX_MS) / 1000
        try:
            with anyio.move_on_after(seconds):
                return process.told(await process.run(args.code))
            return await self._late(process, seconds)
        except BaseException:
            if process.is_busy:
                with anyio.CancelScope(shield=True):
                    await process.end()
            raise

    async def _late(self, process: "_Process", seconds: float) -> str:
        """Interrupt code whose time is over; end its process if it does not heed that."""
        process.interrupt()
        with anyio.move_on_after(_HEED_SECONDS):
            await process.done()
        kept = "Variables are kept."
        if process.is_busy:
            await process.end()
            kept = "Its process was restarted: variables and imports are lost."
        said = process.output()
        raise ToolError(f"{said}\nThe code was stopped after {in_words(seconds)}. {kept}".lstrip())

    def summary(self, args: REPLInput) -> str:
        """Return the code, on one line."""
        return cut(f"REPL({args.description or args.code})", 200)


class _Process:
    """The Python process and the code it runs."""

    def __init__(self, session: ShellSession) -> None:
        self._session = session
        self._mark = f"gantlet-repl-{secrets.token_hex(16)}"
        self._orders = -1
        self._writing = threading.Lock()
        self._task: ShellTask | None = None
        self._number = 0
        self._said = bytearray()
        self._recent = b""
        self._done = ThreadEvent()
        self._has_failed = False

    @classmethod
    async def started(cls, session: ShellSession, context: ToolContext) -> "_Process":
        """Start a process."""
        process = cls(session)
        theirs, process._orders = os.pipe()
        path = session.environment.variables.get("PATH")
        program = shutil.which("python3", path=path) or sys.executable
        order = Order("python3 (REPL)", "", context.surroundings.cwd)
        words = (program, "-u", str(_CHILD), process._mark)
        try:
            start = Start(order, argv=words, input=theirs, on_output=process.feed)
            process._task = await session.start(start)
        except BaseException:
            os.close(process._orders)
            raise
        finally:
            os.close(theirs)
        process._task.running.when_gone(process._finish)
        return process

    @property
    def has_ended(self) -> bool:
        """Whether the process is gone."""
        return self._task is None or self._task.status.is_final

    @property
    def is_busy(self) -> bool:
        """Whether code runs."""
        return self._number > 0 and not self._done.is_set()

    async def run(self, code: str) -> bool:
        """Run code and wait for it; return whether it ran to its end."""
        self._number += 1
        self._done, self._has_failed = ThreadEvent(), False
        self._said, self._recent = bytearray(), b""
        order = json.dumps({"code": code, "number": self._number}) + "\n"
        with suppress(BrokenPipeError):  # the process is gone; `_finish` says so
            await anyio.to_thread.run_sync(self._write, order.encode(), abandon_on_cancel=True)
        await self._done.wait()
        return not self._has_failed

    async def done(self) -> None:
        """Wait until the code has ended."""
        await self._done.wait()

    def interrupt(self) -> None:
        """Interrupt the code as a person would."""
        if self._task is not None and self._task.running.pid:
            with suppress(OSError):
                os.kill(self._task.running.pid, signal.SIGINT)

    async def end(self) -> None:
        """End the process."""
        if self._task is not None:
            await self._task.stop(Reason.INTERRUPTED)

    def told(self, is_good: bool) -> str:
        """Return what the code said.

        Raises:
            ToolError: It failed, or its process is gone.
        """
        if self.has_ended and self._task is not None:
            said = f"{self.output()}\nThe process ended ({self._task.how_it_ended}); it is started"
            raise ToolError(f"{said} again by the next call, without its variables.".lstrip())
        if not is_good:
            raise ToolError(self.output(), is_plain=True)
        return self.output()

    def output(self) -> str:
        """Return what the code has said, cleaned and masked."""
        text = plain(bytes(self._said).decode("utf-8", "replace"))
        return self._session.masker.text(text.partition(f"\n{self._mark}")[0]).rstrip()

    def feed(self, data: bytes) -> None:
        """Take what the process says; its mark means that the code has ended."""
        room = _KEPT_BYTES - len(self._said)
        if room > 0:
            self._said += data[:room]
        self._recent = (self._recent + data)[-_TAIL_BYTES:]
        for is_good in (True, False):
            if f"\n{self._mark} {self._number} {int(is_good)}\n".encode() in self._recent:
                self._has_failed = not is_good
                self._done.set()

    def _finish(self) -> None:
        """Take note that the process is gone."""
        with self._writing:  # the number may be another's as soon as it is closed
            orders, self._orders = self._orders, -1
            if orders >= 0:
                os.close(orders)
        self._has_failed = True
        self._done.set()

    def _write(self, data: bytes) -> None:
        """Hand an order to the process, unless that is gone. Blocks."""
        with self._writing:
            while data and self._orders >= 0:
                data = data[os.write(self._orders, data) :]
