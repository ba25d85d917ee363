"""What the program that drives us may ask of us."""

import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

import anyio
from anyio.abc import TaskGroup

from gantlet.assembly.models import DEFAULT_MODEL
from gantlet.hooks import read_callbacks
from gantlet.messages import JsonValue
from gantlet.session import Session, read_lines
from gantlet.surfaces.headless.desk import Desk
from gantlet.surfaces.headless.opening import (
    COMPATIBLE_VERSION,
    full_name,
    request_fields,
    thinking,
)
from gantlet.surfaces.headless.slash import Commands
from gantlet.system import run_in_thread
from gantlet.tool import UserError
from gantlet.tool.background import BackgroundTask

MAX_OUTPUT_CHARS = 32_000

_log = logging.getLogger(__name__)

_Fields: TypeAlias = Mapping[str, JsonValue]
_Answer: TypeAlias = Callable[[_Fields], Awaitable[_Fields]]


class RequestError(Exception):
    """A request that cannot be granted, and why."""


class Requests:
    """Answers each request of the driving program, side by side with the turn that runs."""

    def __init__(self, desk: Desk, commands: Commands) -> None:
        self._desk = desk
        self._commands = commands
        self._running: dict[str, anyio.CancelScope] = {}
        self._open = 0
        self._is_initialized = False
        self._answers: Mapping[str, _Answer] = {
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

    def take(self, message: _Fields, group: TaskGroup) -> None:
        """Answer a request, in a task of its own."""
        self._open += 1
        own = str(message.get("request_id"))
        request = message.get("request")
        fields = request if isinstance(request, dict) else {}
        group.start_soon(self._answer, own, str(fields.get("subtype")), fields)

    @property
    def is_busy(self) -> bool:
        """Whether a request has no answer yet."""
        return self._open > 0

    def cancel(self, request_id: str) -> None:
        """Stop working on a request; nobody waits for its answer."""
        scope = self._running.get(request_id)
        if scope is not None:
            scope.cancel()

    async def _answer(self, own: str, subtype: str, fields: _Fields) -> None:
        """Answer one request; a failure is an answer too."""
        answer = self._answers.get(subtype, _unsupported(subtype))
        with anyio.CancelScope() as scope:
            self._running[own] = scope
            try:
                told = await answer(fields)
            except (RequestError, UserError) as error:
                self._desk.control.fail(own, str(error))
            except Exception as error:  # noqa: BLE001 - one request must not end the session
                _log.exception("The request %s failed; this is a bug.", subtype)
                self._desk.control.fail(own, f"{subtype} failed: {error}")
            else:
                self._desk.control.succeed(own, told)
            finally:
                self._running.pop(own, None)
                self._open -= 1
                self._desk.look_again()

    async def _initialize(self, fields: _Fields) -> _Fields:
        """Take what the program brings, before anything begins."""
        if self._desk.agent is not None or self._is_initialized:
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
            "models": _models(),
            "account": {"apiProvider": "firstParty"},
            "hooks_applied": True,
            "hook_on_failure_supported": True,
            "claude_code_version": COMPATIBLE_VERSION,
        }

    async def _interrupt(self, fields: _Fields) -> _Fields:
        """Stop the turn that runs; queued prompts stay unless they are to go too."""
        queued: list[JsonValue] = [prompt.uuid for prompt in self._desk.waiting]
        cancelled: list[JsonValue] = []
        if fields.get("cancel_queued"):
            self._desk.waiting.clear()
            queued, cancelled = cancelled, queued
        self._desk.interrupt()
        return {"still_queued": queued, "cancelled": cancelled}

    async def _set_mode(self, fields: _Fields) -> _Fields:
        """Go on in another mode."""
        agent = await self._desk.opened()
        await agent.set_mode(str(fields.get("mode")))
        frames = self._desk.telling.frames
        self._desk.sink.frame(frames.system("status", status=None, permissionMode=agent.mode.value))
        return {"mode": agent.mode.value}

    async def _set_model(self, fields: _Fields) -> _Fields:
        """Ask another model from now on."""
        wanted = fields.get("model")
        agent = await self._desk.opened()
        if wanted is not None and not isinstance(wanted, str):
            raise RequestError(f"A model is named by a text, not {wanted!r}.")
        is_first = not wanted or wanted == "default"
        agent.set_model(None if is_first else full_name(str(wanted), self._desk.environment))
        return {"model": agent.model_name}

    async def _set_thinking(self, fields: _Fields) -> _Fields:
        """Have the model think so long from now on; null is as it began, 0 not at all."""
        wanted = fields.get("max_thinking_tokens")
        if wanted is not None and (not isinstance(wanted, int) or wanted < 0):
            raise RequestError(f"max_thinking_tokens is a number of tokens, not {wanted!r}.")
        agent = await self._desk.opened()
        given = request_fields(self._desk.flags, self._desk.environment)
        agent.set_request_field(
            "thinking", given.get("thinking") if wanted is None else thinking(wanted)
        )
        return {}

    async def _mcp_status(self, fields: _Fields) -> _Fields:
        """Tell how the servers stand."""
        return {"mcpServers": self._desk.servers.told_at_length()}

    async def _mcp_reconnect(self, fields: _Fields) -> _Fields:
        """Refuse: the servers of the driving program never lose their connection to it."""
        raise RequestError(f"The server {fields.get('serverName')!r} cannot be reconnected.")

    async def _context_usage(self, fields: _Fields) -> _Fields:
        """Tell how full the context is."""
        agent = await self._desk.opened()
        used, most = agent.context_usage()
        share = round(100 * used / most, 1) if most else 0.0
        return {
            "categories": [
                {"name": "Messages", "tokens": used, "color": "blue"},
                {"name": "Free space", "tokens": max(0, most - used), "color": "gray"},
            ],
            "totalTokens": used,
            "maxTokens": most,
            "rawMaxTokens": most,
            "percentage": share,
            "gridRows": [],
            "model": agent.model_name,
            "memoryFiles": [],
            "mcpTools": [],
            "agents": [],
            "apiUsage": None,
        }

    async def _session_cost(self, fields: _Fields) -> _Fields:
        """Tell what the session cost so far."""
        return {"total_cost_usd": self._desk.spent_usd}

    async def _settings(self, fields: _Fields) -> _Fields:
        """Tell which settings count."""
        settings = (await self._desk.opened()).configuration.settings
        return {"settings": {key: settings.value(key) for key in settings.counted}}

    async def _cancel_message(self, fields: _Fields) -> _Fields:
        """Take a queued prompt back."""
        wanted = fields.get("message_uuid")
        kept = [prompt for prompt in self._desk.waiting if prompt.uuid != wanted]
        was_there = len(kept) < len(self._desk.waiting)
        self._desk.waiting.clear()
        self._desk.waiting.extend(kept)
        return {"cancelled": was_there}

    async def _rename(self, fields: _Fields) -> _Fields:
        """Give the session a title."""
        if self._desk.session is None:
            raise RequestError("The session is not written down.")
        self._desk.session.rename(str(fields.get("title")))
        return {}

    async def _list_models(self, fields: _Fields) -> _Fields:
        """Tell which models may be asked for by a short name."""
        return {"models": _models()}

    async def _rewind_files(self, fields: _Fields) -> _Fields:
        """Put files back as they were before a message of the user's."""
        session, agent = self._desk.session, await self._desk.opened()
        if session is None:
            return {"canRewind": False, "error": "The session is not written down."}
        wanted = str(fields.get("user_message_id"))
        calls = calls_after(session, wanted)
        if calls is None:
            return {"canRewind": False, "error": f"The session has no message {wanted}."}
        done = await agent.rewind(calls, is_trial=fields.get("dry_run") is True)
        if done.blocked:
            told = "; ".join(f"{file.path}: {file.reason}" for file in done.blocked)
            return {"canRewind": False, "error": told}
        return {"canRewind": True, "filesChanged": [file.path for file in done.restored]}

    async def _stop_task(self, fields: _Fields) -> _Fields:
        """End a task in the background."""
        task = await self._task(fields)
        if task.status.is_final:
            raise RequestError(f"The task {task.id!r} has ended already.")
        await task.stop()
        return {}

    async def _task_output(self, fields: _Fields) -> _Fields:
        """Tell what a task in the background has said so far."""
        task = await self._task(fields)
        output = await run_in_thread(lambda: task.output(MAX_OUTPUT_CHARS))
        return {"task_id": task.id, "status": task.status.value, "output": output}

    async def _task(self, fields: _Fields) -> BackgroundTask:
        """Return the task that is meant."""
        name = str(fields.get("task_id"))
        task = (await self._desk.opened()).tasks.find(name)
        if task is None:
            raise RequestError(f"There is no task {name!r}.")
        return task

    async def _list_rules(self, fields: _Fields) -> _Fields:
        """Tell the permission rules, each with where it stands."""
        rules = (await self._desk.opened()).rules()
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

    async def _version(self, fields: _Fields) -> _Fields:
        """Tell what we are taken for."""
        return {"version": COMPATIBLE_VERSION}


def _unsupported(subtype: str) -> _Answer:
    """Return the answer to a request that nobody knows."""

    async def refuse(fields: _Fields) -> _Fields:
        raise RequestError(f"Unsupported control request subtype: {subtype}")

    return refuse


def calls_after(session: Session, message_id: str) -> set[str] | None:
    """Return the calls that came after a message; None if there is no such message."""
    lines = read_lines(session.path)[0] if session.path.exists() else []
    place = next((n for n, line in enumerate(lines) if line.get("uuid") == message_id), None)
    if place is None:
        return None
    return {str(line["toolUseId"]) for line in lines[place:] if line.get("type") == "call"}


def _models() -> list[JsonValue]:
    """Return the models with short names."""
    names = {"default": DEFAULT_MODEL, "sonnet": "Sonnet", "opus": "Opus", "haiku": "Haiku"}
    return [
        {"value": value, "displayName": shown, "description": ""} for value, shown in names.items()
    ]
