"""Handlers that are programs: a line for the shell, or a program with its arguments."""

from collections.abc import Mapping

from gantlet.hooks.background import Background
from gantlet.hooks.handlers import Command
from gantlet.hooks.hearing import Heard, failed, hear_exit
from gantlet.hooks.names import HookEvent
from gantlet.messages import loads
from gantlet.messages.value import replace, value
from gantlet.system import Child, ChildResult, ChildStarter
from gantlet.system.kept_children import open_children

#: How much of what a hook writes is read. More is a flood, and ends it.
MAX_BYTES = 1_000_000


@value
class Detached:
    """A program that said it wants to go on in the background, and how long it may."""

    child: Child
    seconds: float


@value
class Program:
    """One run of a program."""

    event: HookEvent
    work: Command
    stdin: bytes
    env: Mapping[str, str]
    cwd: str
    seconds: float

    async def run(self, background: Background) -> Heard | Detached:
        """Run it. Processes it leaves running, quietly, are the background's from then on."""
        if background.is_open:
            return await self._run_by(background.starter(open_children), background)
        starter = open_children()
        try:
            return await self._run_by(starter, background)
        finally:
            await starter.close()

    async def _run_by(self, starter: ChildStarter, background: Background) -> Heard | Detached:
        """Have it started, and hear it to its end."""
        try:
            child = starter.start(
                _argv(self.work),
                env=self.env,
                cwd=self.cwd,
                stdin=self.stdin,
                max_bytes=MAX_BYTES,
            )
        except (OSError, ValueError) as error:
            return failed(f"It could not be started: {error}.")
        is_handed_over = False
        try:
            result = await child.result(self.seconds, until=_wants_to_detach)
            wanted = _detached(result) if child.is_running else None
            if wanted is not None and background.is_open:
                is_handed_over = True
                return Detached(child, wanted or self.seconds)
            left = child.leave() if result.is_clean and background.is_open else None
            if left is not None:
                background.keep(left, self.seconds)
            return self.heard(result)
        except OSError as error:
            return failed(f"It could not be started: {error}.")
        finally:
            if not is_handed_over:
                await child.end()

    def heard(self, result: ChildResult) -> Heard:
        """Return what a program said. One that went wrong can forbid, never allow."""
        stdout = result.stdout.decode("utf-8", "replace")
        stderr = result.stderr.decode("utf-8", "replace")
        problem = _problem(result, self.seconds)
        if result.exit_code is None:
            return replace(
                failed(problem, timed_out=result.timed_out), stdout=stdout, stderr=stderr
            )
        heard = hear_exit(self.event, result.exit_code, stdout, stderr)
        if not problem:
            return heard
        return replace(heard, saying=heard.saying.only_forbidding(), failure=problem)


def _problem(result: ChildResult, seconds: float) -> str:
    """Return what went wrong with a run as such."""
    if result.overflowed:
        return f"It wrote more than {MAX_BYTES:,} bytes and was ended."
    if result.timed_out:
        return f"It took longer than {seconds:g} s and was ended."
    if result.was_held:
        return "It left a process behind that held its output; that was ended."
    return "" if result.exit_code is not None else "It did not end by itself."


def _argv(work: Command) -> list[str]:
    """Return what to start: with `args` the program as it stands, else a shell."""
    if work.args is not None:
        return [work.command, *work.args]
    if work.shell == "bash":
        return ["bash", "-c", work.command]
    if work.shell == "powershell":
        return ["pwsh", "-NoProfile", "-NonInteractive", "-Command", work.command]
    return ["/bin/sh", "-c", work.command]


def _wants_to_detach(said: bytes) -> bool:
    """Return whether the first line asks to go on in the background."""
    return b"\n" in said and _async_seconds(said) is not None


def _detached(result: ChildResult) -> float | None:
    """Return how long a program that still runs may go on in the background; None if not."""
    if result.timed_out or result.overflowed or result.exit_code is not None:
        return None
    return _async_seconds(result.stdout)


def _async_seconds(said: bytes) -> float | None:
    """Return the time in `{"async": true, "asyncTimeout": n}`, 0 without one, None without it."""
    line = said.split(b"\n", 1)[0].strip()
    if not line.startswith(b"{") or b'"async"' not in line:
        return None
    try:
        raw = loads(line)
    except ValueError:
        return None
    if not isinstance(raw, dict) or raw.get("async") is not True:
        return None
    wanted = raw.get("asyncTimeout")
    if isinstance(wanted, bool) or not isinstance(wanted, int | float):
        return 0.0
    return max(0.0, float(wanted))
