"""What each request of the program that drives us is answered with."""

from collections.abc import Mapping

from gantlet.hooks import read_callbacks
from gantlet.messages import JsonValue, Usage
from gantlet.session import Session, read_lines
from gantlet.surfaces.headless import COMPATIBLE_VERSION
from gantlet.surfaces.headless.context_report import context_report
from gantlet.surfaces.headless.desk import Desk
from gantlet.surfaces.headless.frames import usage_fields
from gantlet.surfaces.headless.held_agent import HeldAgent
from gantlet.surfaces.headless.model_choice import (
    full_name,
    known_models,
    request_fields,
    thinking,
)
from gantlet.surfaces.headless.prompt_queue import PromptQueue
from gantlet.surfaces.headless.requests import Fields, RequestAnswer, RequestError
from gantlet.surfaces.headless.slash import Commands
from gantlet.system import run_in_thread
from gantlet.tool.background import BackgroundTask

MAX_OUTPUT_CHARS = 32_000


class Answers:
    """Grants what may be asked of one run, or says why not."""

    def __init__(self, desk: Desk, held: HeldAgent, queue: PromptQueue, commands: Commands) -> None:
        self._desk = desk
        self._held = held
        self._queue = queue
        self._commands = commands
        self._is_initialized = False

    @property
    def by_subtype(self) -> Mapping[str, RequestAnswer]:
        """What answers each kind of request."""
        return {
            "initialize": self._initialize,
            "interrupt": self._interrupt,
            "set_permission_mode": self._set_mode,
            "set_model": self._set_model,
            "set_max_thinking_tokens": self._set_thinking,
            "mcp_status": self._mcp_status,
            "mcp_reconnect": self._mcp_reconnect,
            "get_context_usage": self._context_usage,
            "get_session_cost": self._session_cost,
            "get_settings": self._settings,
            "cancel_async_message": self._cancel_message,
            "rename_session": self._rename,
            "list_models": self._list_models,
            "get_binary_version": self._version,
            "rewind_files": self._rewind_files,
            "stop_task": self._stop_task,
            "get_task_output": self._task_output,
            "list_permission_rules": self._list_rules,
        }

    async def _initialize(self, fields: Fields) -> Fields:
        """Take what the program brings, before anything begins."""
        if self._held.agent is not None or self._is_initialized:
            raise RequestError("initialize_not_first: a session has begun already")
        problems = read_callbacks(fields.get("hooks")).problems
        if problems:
            raise RequestError(f"The hooks cannot be used: {problems[0]}")
        self._desk.take_told(fields)
        self._is_initialized = True
        names = fields.get("sdkMcpServers")
        if isinstance(names, list):
            self._desk.servers.add_driven([str(name) for name in names])
        return {
            **self._commands.described(),
            "output_style": "default",
            "available_output_styles": ["default"],
            "models": known_models(),
            "account": {"apiProvider": "firstParty"},
            "hooks_applied": True,
            "hook_on_failure_supported": True,
            "claude_code_version": COMPATIBLE_VERSION,
        }

    async def _interrupt(self, fields: Fields) -> Fields:
        """Stop the turn that runs; queued prompts stay unless they are to go too."""
        queued, cancelled = self._queue.ids, list[JsonValue]()
        if fields.get("cancel_queued"):
            self._queue.clear()
            queued, cancelled = cancelled, queued
        self._held.interrupt()
        return {"still_queued": queued, "cancelled": cancelled}

    async def _set_mode(self, fields: Fields) -> Fields:
        """Go on in another mode."""
        agent = await self._held.opened()
        await agent.set_mode(str(fields.get("mode")))
        frames = self._desk.telling.frames
        self._desk.sink.frame(frames.system("status", status=None, permissionMode=agent.mode.value))
        return {"mode": agent.mode.value}

    async def _set_model(self, fields: Fields) -> Fields:
        """Ask another model from now on."""
        wanted = fields.get("model")
        agent = await self._held.opened()
        if wanted is not None and not isinstance(wanted, str):
            raise RequestError(f"A model is named by a text, not {wanted!r}.")
        is_first = not wanted or wanted == "default"
        agent.set_model(None if is_first else full_name(str(wanted), self._desk.environment))
        return {"model": agent.model_name}

    async def _set_thinking(self, fields: Fields) -> Fields:
        """Have the model think so long from now on; null is as it began, 0 not at all."""
        wanted = fields.get("max_thinking_tokens")
        if wanted is not None and (not isinstance(wanted, int) or wanted < 0):
            raise RequestError(f"max_thinking_tokens is a number of tokens, not {wanted!r}.")
        agent = await self._held.opened()
        given = request_fields(self._desk.flags, self._desk.environment)
        agent.set_request_field(
            "thinking", given.get("thinking") if wanted is None else thinking(wanted)
        )
        return {}

    async def _mcp_status(self, fields: Fields) -> Fields:
        """Tell how the servers stand."""
        return {"mcpServers": self._desk.servers.told_at_length()}

    async def _mcp_reconnect(self, fields: Fields) -> Fields:
        """Refuse: the servers of the driving program never lose their connection to it."""
        raise RequestError(f"The server {fields.get('serverName')!r} cannot be reconnected.")

    async def _context_usage(self, fields: Fields) -> Fields:
        """Tell how full the context is."""
        agent = await self._held.opened()
        report = context_report(agent.context_usage(), self._desk.memory)
        usage = self._desk.telling.usage
        told = None if usage == Usage() else usage_fields(usage)
        return {**report, "model": agent.model_name, "agents": [], "apiUsage": told}

    async def _session_cost(self, fields: Fields) -> Fields:
        """Tell what the session cost so far."""
        return {"total_cost_usd": self._desk.spent_usd}

    async def _settings(self, fields: Fields) -> Fields:
        """Tell which settings count."""
        settings = (await self._held.opened()).configuration.settings
        return {"settings": {key: settings.value(key) for key in settings.counted}}

    async def _cancel_message(self, fields: Fields) -> Fields:
        """Take a queued prompt back."""
        return {"cancelled": self._queue.drop(fields.get("message_uuid"))}

    async def _rename(self, fields: Fields) -> Fields:
        """Give the session a title."""
        if self._desk.session is None:
            raise RequestError("The session is not written down.")
        self._desk.session.rename(str(fields.get("title")))
        return {}

    async def _list_models(self, fields: Fields) -> Fields:
        """Tell which models may be asked for by a short name."""
        return {"models": known_models()}

    async def _rewind_files(self, fields: Fields) -> Fields:
        """Put files back as they were before a message of the user's."""
        session, agent = self._desk.session, await self._held.opened()
        if session is None:
            return {"canRewind": False, "error": "The session is not written down."}
        wanted = str(fields.get("user_message_id"))
        calls = _calls_after(session, wanted)
        if calls is None:
            return {"canRewind": False, "error": f"The session has no message {wanted}."}
        done = await agent.rewind(calls, is_trial=fields.get("dry_run") is True)
        if done.blocked:
            told = "; ".join(f"{file.path}: {file.reason}" for file in done.blocked)
            return {"canRewind": False, "error": told}
        return {"canRewind": True, "filesChanged": [file.path for file in done.restored]}

    async def _stop_task(self, fields: Fields) -> Fields:
        """End a task in the background."""
        task = await self._task(fields)
        if task.status.is_final:
            raise RequestError(f"The task {task.id!r} has ended already.")
        await task.stop()
        return {}

    async def _task_output(self, fields: Fields) -> Fields:
        """Tell what a task in the background has said so far."""
        task = await self._task(fields)
        output = await run_in_thread(lambda: task.output(MAX_OUTPUT_CHARS))
        return {"task_id": task.id, "status": task.status.value, "output": output}

    async def _task(self, fields: Fields) -> BackgroundTask:
        """Return the task that is meant."""
        name = str(fields.get("task_id"))
        task = (await self._held.opened()).tasks.find(name)
        if task is None:
            raise RequestError(f"There is no task {name!r}.")
        return task

    async def _list_rules(self, fields: Fields) -> Fields:
        """Tell the permission rules, each with where it stands."""
        rules = (await self._held.opened()).rules()
        return {
            "rules": [
                {
                    "rule": rule.text,
                    "behavior": rule.behaviour.value,
                    "source": rule.source.kind.value,
                    "file": rule.source.file,
                }
                for rule in rules
            ]
        }

    async def _version(self, fields: Fields) -> Fields:
        """Tell what we are taken for."""
        return {"version": COMPATIBLE_VERSION}


def _calls_after(session: Session, message_id: str) -> set[str] | None:
    """Return the calls that came after a message; None if there is no such message."""
    lines = read_lines(session.path)[0] if session.path.exists() else []
    place = next((n for n, line in enumerate(lines) if line.get("uuid") == message_id), None)
    if place is None:
        return None
    return {str(line["toolUseId"]) for line in lines[place:] if line.get("type") == "call"}
