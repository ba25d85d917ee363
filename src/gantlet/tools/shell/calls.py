"""Calls of the shell: a command is followed to its end, to its timeout, or to the background."""

import posixpath
from typing import Protocol

import anyio

from gantlet.messages import Image
from gantlet.messages.value import slotted
from gantlet.system.supervisor import Exited, NotStarted, Signalled
from gantlet.tool import ContextModifier, Surroundings, ToolContext, ToolError, ToolResult
from gantlet.tools.shell import notices, results
from gantlet.tools.shell.binding import UNBOUND
from gantlet.tools.shell.changes import Before, Changed, ChangeTracker
from gantlet.tools.shell.lines import CommandLine
from gantlet.tools.shell.operations import facts_of, rate_limit_hint
from gantlet.tools.shell.pictures import picture_in
from gantlet.tools.shell.results import BashOutput
from gantlet.tools.shell.session import ShellSession, Start
from gantlet.tools.shell.settings import BACKGROUND_MS, MAX_BACKGROUND_MS, SUBAGENT_BACKGROUND_MS
from gantlet.tools.shell.task import Order, Reason, ShellTask
from gantlet.tools.shell.vetting import binding_of
from gantlet.tools.shell.views import View, Views

#: How often progress is shown.
TICK_SECONDS = 0.25
#: How long nothing must be said after a question until it counts as one that waits.
_QUIET_SECONDS = 5.0
_MAX_PARTIAL = 64


class Asked(Protocol):
    """What a call asks for."""

    @property
    def command(self) -> str:
        """The command line."""

    @property
    def timeout(self) -> float | None:
        """How long it may take, in milliseconds."""

    @property
    def description(self) -> str | None:
        """What it does."""

    @property
    def run_in_background(self) -> bool | None:
        """Whether to return at once."""


@slotted
class _Watch:
    """What is known of a running call."""

    task: ShellTask
    before: Before | None = None
    view: View | None = None
    is_to_move: bool = False
    said_bytes: int = 0
    quiet_seconds: float = 0.0
    question: str = ""


class ShellCalls:
    """Runs the calls of one tool."""

    def __init__(
        self,
        session: ShellSession,
        tracker: ChangeTracker | None = None,
        views: Views | None = None,
    ) -> None:
        self._session = session
        self._tracker = tracker
        self._views = views
        self._watches: dict[str, _Watch] = {}
        self._partial: dict[str, str] = {}

    async def run(
        self, line: CommandLine, asked: Asked, context: ToolContext, argv: tuple[str, ...] = ()
    ) -> ToolResult[BashOutput]:
        """Run a command.

        Raises:
            ToolError: It failed, or could not be started.
        """
        settings = self._session.settings
        cwd = context.surroundings.cwd
        order = Order(asked.command, asked.description or "", cwd)
        in_background = bool(asked.run_in_background) and settings.allows_background
        tells_place = line.moves and settings.keeps_place and context.agent.is_main
        start = Start(
            order,
            line.may_only_read,
            tells_place and not in_background,
            is_plain=bool(getattr(asked, "dangerouslyDisableSandbox", None)),
            outlives=in_background and settings.outlives_session,
            argv=argv,
            binding=UNBOUND if argv else await binding_of(line, context, self._session),
        )
        before = None if in_background else await self._before(line, cwd)
        view = await self._views.look(line.analysis, cwd) if self._views is not None else None
        task = await self._session.start(start)
        if in_background:
            return await self._launched(task, asked.timeout, context, line)
        seconds = settings.timeout_ms(asked.timeout) / 1000
        watch = self._watches[context.call.id] = _Watch(task, before, view)
        try:
            has_ended = await self._followed(watch, seconds, context)
        except BaseException:
            await self._interrupted(watch, context)
            raise
        finally:
            del self._watches[context.call.id]
        if has_ended:
            answer = self._ended(watch, line, context, await self._changed(watch, context))
            await self._seen(watch, context.call.id)
            return answer
        if watch.is_to_move:
            self.put_in_background(task, context)
            text = results.running_in_background(task.id, task.output_path, by_user=True)
            facts = {"backgroundedByUser": True, **_stays(line, context)}
            return _in_background(task, text, facts)
        return await self._timed_out(watch, line, seconds, context)

    def move_to_background(self, call_id: str) -> bool:
        """Let a running command go on in the background, if there is one."""
        watch = self._watches.get(call_id)
        if watch is None or not self._session.settings.allows_background:
            return False
        watch.is_to_move = True
        return True

    def unfinished(self, call_id: str) -> str:
        """Return what a command had said when it was stopped, once."""
        return self._partial.pop(call_id, "")

    def put_in_background(
        self, task: ShellTask, context: ToolContext, asked_ms: float | None = None
    ) -> None:
        """Let a command go on as a task of the session."""
        most = MAX_BACKGROUND_MS if context.agent.is_main else SUBAGENT_BACKGROUND_MS
        lifetime_ms = min(asked_ms or BACKGROUND_MS, most)
        tasks = self._session.tasks
        tasks.add(task)

        def tell(ended: ShellTask) -> None:
            was_stopped = ended.reason is Reason.STOPPED  # which whoever did it knows
            tasks.tell(notices.task_ended(ended), is_urgent=not was_stopped)

        task.go_on_in_background(lifetime_ms / 1000, tell)

    async def _launched(
        self, task: ShellTask, asked_ms: float | None, context: ToolContext, line: CommandLine
    ) -> ToolResult[BashOutput]:
        """Answer a call that wants to go on in the background from the start."""
        try:
            await task.running.started.wait()
        except BaseException:
            await task.stop(Reason.INTERRUPTED)
            raise
        if isinstance(task.ending, NotStarted):
            cwd = context.surroundings.cwd
            raise ToolError(notices.not_started(task.ending, task.command, cwd))
        self.put_in_background(task, context, asked_ms)
        text = results.running_in_background(task.id, task.output_path)
        return _in_background(task, text, _stays(line, context))

    async def _followed(self, watch: _Watch, seconds: float, context: ToolContext) -> bool:
        """Wait for the end; return whether it came before the timeout and before a move."""
        deadline = anyio.current_time() + seconds
        while not watch.is_to_move:
            tick = min(TICK_SECONDS, deadline - anyio.current_time())
            if tick <= 0:
                return False
            with anyio.move_on_after(tick):
                await watch.task.running.wait()
                return True
            self._show(watch, context)
        return False

    def _show(self, watch: _Watch, context: ToolContext) -> None:
        """Show what the command has said, and notice when it waits for somebody."""
        capture = watch.task.capture
        if capture.total == watch.said_bytes:
            watch.quiet_seconds += TICK_SECONDS
            if watch.quiet_seconds < _QUIET_SECONDS or watch.question:
                return
            watch.question = results.question_in(capture.unfinished_line())
            if not watch.question:
                return
        else:
            watch.said_bytes, watch.quiet_seconds, watch.question = capture.total, 0.0, ""
        context.progress(
            {
                "type": "bash_progress",
                "output": capture.last_lines(),
                "elapsedTimeSeconds": round(watch.task.seconds, 1),
                "totalLines": capture.line_count(),
                "totalBytes": capture.total,
                **({"waitsForInput": watch.question} if watch.question else {}),
            }
        )

    async def _before(self, line: CommandLine, cwd: str) -> Before | None:
        """Look at the project before a command that may change it."""
        if self._tracker is None or line.read_only or not self._session.settings.tracks_changes:
            return None
        return await self._tracker.look(posixpath.join(cwd, path) for path in line.writes)

    async def _changed(self, watch: _Watch, context: ToolContext) -> Changed:
        """Return what a command has changed."""
        if self._tracker is None or watch.before is None:
            return Changed()
        return await self._tracker.note(watch.before, context.call.id, context.call.name)

    async def _seen(self, watch: _Watch, call_id: str) -> None:
        """Take note of the file that a command has shown."""
        capture = watch.task.capture
        if self._views is None or watch.view is None or watch.task.ending != Exited(0):
            return
        is_all = capture.is_whole and capture.total <= self._session.settings.output_chars
        if capture.total or watch.view.is_whole:
            await self._views.note(watch.view, call_id, is_all_shown=is_all)

    async def _interrupted(self, watch: _Watch, context: ToolContext) -> None:
        """End a command whose call is cancelled; what it said is kept for the answer."""
        task = watch.task
        with anyio.CancelScope(shield=True):
            await task.stop(Reason.INTERRUPTED)
            await self._changed(watch, context)
        while len(self._partial) >= _MAX_PARTIAL:
            self._partial.pop(next(iter(self._partial)))
        self._partial[context.call.id] = results.aborted(
            notices.fitted(task.capture, self._said(task))
        )

    async def _timed_out(
        self, watch: _Watch, line: CommandLine, seconds: float, context: ToolContext
    ) -> ToolResult[BashOutput]:
        """Move a command to the background whose time is over, or end it."""
        task, settings = watch.task, self._session.settings
        stale = notices.stale((await self._changed(watch, context)).seen)
        if settings.allows_background and line.can_go_on_later:
            self.put_in_background(task, context)
            cwd = context.surroundings.cwd
            text = results.moved_on_timeout(seconds, task.id, task.output_path, cwd)
            hints = (*_asked(watch), *stale)
            facts = {"timedOutAfterMs": seconds * 1000, **_stays(line, context)}
            return _in_background(task, text, facts, hints)
        await task.stop(Reason.TIMED_OUT)
        refused = self._session.sandbox_notices(task)
        told = (results.timed_out(seconds), *_asked(watch), *stale, *refused)
        said = notices.fitted(task.capture, self._said(task))
        raise ToolError(results.failure(task.exit_code or 143, said, told), is_plain=True)

    def _ended(
        self, watch: _Watch, line: CommandLine, context: ToolContext, changed: Changed
    ) -> ToolResult[BashOutput]:
        """Answer a call whose command has ended."""
        task = watch.task
        ending = task.ending
        told = [task.note] if task.note else []
        told += self._left_behind(task, context)
        told += notices.stale(changed.seen)
        if isinstance(ending, NotStarted):
            raise ToolError(notices.not_started(ending, task.command, context.surroundings.cwd))
        meaning = line.meaning_of(ending.code) if isinstance(ending, Exited) else ""
        if ending != Exited(0) and not meaning:
            self._fail(task, line, told)
        told += self._session.sandbox_notices(task)
        modifier, reset = self._place(task, line, context)
        told += [f"(exit code 1: {meaning})"] if meaning else []
        told += [reset] if reset else []
        facts: dict[str, object] = {"returnCodeInterpretation": meaning} if meaning else {}
        facts |= notices.changes_told(changed)
        picture = picture_in(task.capture.raw()) if task.capture.is_whole else None
        image = picture if isinstance(picture, Image) else None
        said = picture if isinstance(picture, str) else "" if image else self._said(task)
        facts |= {} if image else facts_of(line, said)
        facts |= notices.persisted(task.capture)
        output = BashOutput(said, tuple(told), image, facts=facts)
        return ToolResult(output, context_modifier=modifier, structured=output.structured())

    def _fail(self, task: ShellTask, line: CommandLine, told: list[str]) -> None:
        """Answer a call whose command failed."""
        ending = task.ending
        if task.reason is not Reason.NONE:
            told.append(f"The command was ended: {task.reason}.")
        elif isinstance(ending, Signalled):
            why = " because memory ran out" if ending.out_of_memory else ""
            told.append(f"The command was ended by {ending.name}{why}.")
        elif not isinstance(ending, Exited):
            told.append("The command was lost: how it ended is not known.")
        question = results.question_in(task.capture.unfinished_line())
        if question:
            told.append(results.asked_in_vain(question))
        said = notices.fitted(task.capture, self._said(task))
        told += filter(None, [rate_limit_hint(line, said)])
        told += self._session.withheld_in(said)
        told += self._session.sandbox_notices(task, said)
        raise ToolError(results.failure(task.exit_code or 1, said, tuple(told)), is_plain=True)

    def _left_behind(self, task: ShellTask, context: ToolContext) -> list[str]:
        """Take what a command left running as a task of the session; say so."""
        left = task.running.left
        if not left:
            return []
        self.put_in_background(task, context)
        return [notices.left_running(left, task.id, task.output_path)]

    def _place(
        self, task: ShellTask, line: CommandLine, context: ToolContext
    ) -> tuple[ContextModifier | None, str]:
        """Return the change of directory for later calls, or what to say about its reset."""
        place = task.running.place.removesuffix("\n")
        here = context.surroundings.cwd
        if not line.moves or not place.startswith("/") or place == here:
            return None, ""
        if self._session.holds(place, context):
            return lambda surroundings: _moved(surroundings, place), ""
        home = here if self._session.holds(here, context) else self._session.project
        modifier = None if home == here else lambda surroundings: _moved(surroundings, home)
        return modifier, f"Shell cwd was reset to {home}"

    def _said(self, task: ShellTask) -> str:
        """Return what the model reads of an output; of one that is too long, both ends."""
        capture = task.capture
        if capture.is_whole:
            return capture.text()
        capture.close()
        return notices.both_ends(capture)


def _moved(surroundings: Surroundings, place: str) -> Surroundings:
    """Return the surroundings in another directory."""
    return surroundings.moved_to(place)


def _asked(watch: _Watch) -> tuple[str, ...]:
    """Return what is to be said of a question that nobody can answer."""
    question = watch.question or results.question_in(watch.task.capture.unfinished_line())
    return (results.asked_in_vain(question),) if question else ()


def _stays(line: CommandLine, context: ToolContext) -> dict[str, object]:
    """Tell programs that a command in the background does not move the session."""
    hint = results.cwd_remains(context.surroundings.cwd)
    return {"backgroundCwdHint": hint} if line.moves else {}


def _in_background(
    task: ShellTask, text: str, facts: dict[str, object], told: tuple[str, ...] = ()
) -> ToolResult[BashOutput]:
    """Return the answer of a call whose command goes on."""
    told = (*([task.note] if task.note else ()), *told)
    known = {"backgroundTaskId": task.id, "rawOutputPath": task.output_path, **facts}
    output = BashOutput(notices=told, background=text, facts=known)
    return ToolResult(output, structured=output.structured())
