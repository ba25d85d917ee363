"""What happens, as the messages of the stream-json protocol (pure)."""

from collections.abc import Sequence

from gantlet.messages import (
    Block,
    BlockFinished,
    CallProgressed,
    Compacted,
    HookRan,
    HookStarted,
    JsonValue,
    Notice,
    PermissionDecided,
    ResultBlock,
    Retrying,
    StopHookSummary,
    StreamEvent,
    Usage,
    block_to_wire,
    stream_event_to_wire,
)
from gantlet.messages.value import value
from gantlet.system import new_id
from gantlet.tool.background import BackgroundTask, TaskStatus

#: The protocol's words for why the model was not reached.
_ASSISTANT_ERRORS = frozenset(
    {
        "authentication_failed",
        "billing_error",
        "rate_limit",
        "overloaded",
        "invalid_request",
        "model_not_found",
        "server_error",
    }
)

Frame = dict[str, JsonValue]


@value
class Frames:
    """Makes the messages of one session."""

    session_id: str

    def _frame(self, kind: str, uuid: str | None = None, /, **fields: JsonValue) -> Frame:
        """Return a message with what each of them has."""
        return {
            "type": kind,
            **fields,
            "session_id": self.session_id,
            "uuid": uuid or new_id(),
        }

    def system(self, subtype: str, **fields: JsonValue) -> Frame:
        """Return a message of the system's."""
        return self._frame("system", subtype=subtype, **fields)

    def assistant(
        self, finished: BlockFinished, uuid: str | None, model: str, usage: Usage
    ) -> Frame:
        """Return one finished block of a reply, with what the reply had taken at its start."""
        message: Frame = {
            "id": finished.message_id or f"msg_{new_id()}",
            "type": "message",
            "role": "assistant",
            "model": finished.model or model,
            "content": [block_to_wire(finished.block)],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage_fields(usage),
        }
        return self._frame("assistant", uuid, message=message, parent_tool_use_id=None)

    def failure(self, text: str, error: str, model: str) -> Frame:
        """Return what the model would have said, had it been reached: why it was not."""
        message: Frame = {
            "id": f"msg_{new_id()}",
            "type": "message",
            "role": "assistant",
            "model": model,
            "content": [{"type": "text", "text": text}],
            "stop_reason": "stop_sequence",
            "stop_sequence": "",
            "usage": usage_fields(Usage()),
        }
        return self._frame("assistant", message=message, parent_tool_use_id=None, error=error)

    def result_of_call(self, block: ResultBlock, structured: JsonValue, uuid: str | None) -> Frame:
        """Return the result of one call."""
        extra: Frame = {"tool_use_result": structured} if structured is not None else {}
        message: Frame = {"role": "user", "content": [block_to_wire(block)]}
        return self._frame("user", uuid, message=message, parent_tool_use_id=None, **extra)

    def user(self, content: JsonValue, uuid: str | None = None, **fields: JsonValue) -> Frame:
        """Return words of the user's."""
        message: Frame = {"role": "user", "content": content}
        return self._frame("user", uuid, message=message, parent_tool_use_id=None, **fields)

    def synthetic(self, blocks: Sequence[Block]) -> Frame:
        """Return words that stand in the user's place."""
        return self.user([block_to_wire(block) for block in blocks], isSynthetic=True)

    def stream_event(self, event: StreamEvent) -> Frame:
        """Return an event of the model's stream as it came."""
        return {
            "type": "stream_event",
            "event": stream_event_to_wire(event),
            "parent_tool_use_id": None,
            "session_id": self.session_id,
            "uuid": new_id(),
        }

    def retry(self, told: Retrying) -> Frame:
        """Return that a request is tried again."""
        return self.system(
            "api_retry",
            attempt=told.attempt,
            max_retries=told.max_attempts,
            retry_delay_ms=round(told.delay_seconds * 1000),
            error_status=told.status,
            error=_error_kind(told.status, told.reason),
        )

    def notice(self, told: Notice) -> Frame:
        """Return something the user should know."""
        extra: Frame = {"tool_use_id": told.call_id} if told.call_id else {}
        return self.system("informational", content=told.text, level=told.level.value, **extra)

    def compacted(self, told: Compacted) -> Frame:
        """Return that a shorter history has begun."""
        data: Frame = {"trigger": told.trigger.value, "pre_tokens": told.tokens_before}
        if told.tokens_after is not None:
            data["post_tokens"] = told.tokens_after
        return self.system("compact_boundary", compact_metadata=data)

    def hook_started(self, told: HookStarted) -> Frame:
        """Return that a hook runs."""
        return self.system(
            "hook_started", hook_id=told.run_id, hook_name=told.name, hook_event=told.event
        )

    def hook_ran(self, told: HookRan) -> Frame:
        """Return how a hook ended."""
        extra: Frame = {} if told.exit_code is None else {"exit_code": told.exit_code}
        return self.system(
            "hook_response",
            hook_id=told.run_id,
            hook_name=told.name,
            hook_event=told.event,
            output=told.stdout or told.stderr,
            stdout=told.stdout,
            stderr=told.stderr,
            outcome=told.outcome.value,
            **extra,
        )

    def stop_summary(self, told: StopHookSummary) -> Frame:
        """Return what the hooks at the end of a turn came to."""
        infos: list[JsonValue] = [
            {"command": hook.name, "durationMs": round(hook.duration_seconds * 1000)}
            for hook in told.hooks
        ]
        return self.system(
            "stop_hook_summary",
            hookCount=told.hook_count,
            hookInfos=infos,
            hookErrors=list(told.errors),
            preventedContinuation=told.prevented_continuation,
            stopReason=told.reason,
        )

    def progress(self, told: CallProgressed, name: str, seconds: float) -> Frame:
        """Return that a call still runs."""
        return self._frame(
            "tool_progress",
            tool_use_id=told.call_id,
            tool_name=name,
            parent_tool_use_id=None,
            elapsed_time_seconds=round(seconds, 3),
        )

    def denied(self, told: PermissionDecided, name: str) -> Frame:
        """Return that a call was not allowed."""
        return self.system(
            "permission_denied",
            tool_name=name,
            tool_use_id=told.call_id,
            message=told.reason,
            decision_reason_type=told.layer,
        )

    def task_started(self, task: BackgroundTask) -> Frame:
        """Return that something runs in the background from now on."""
        return self.system(
            "task_started",
            task_id=task.id,
            description=task.description,
            task_type=task.kind,
            is_backgrounded=True,
        )

    def task_ended(self, task: BackgroundTask) -> Frame:
        """Return how something in the background ended."""
        words = {TaskStatus.COMPLETED: "completed", TaskStatus.STOPPED: "stopped"}
        code = f" with exit code {task.exit_code}" if task.exit_code is not None else ""
        status = words.get(task.status, "failed")
        return self.system(
            "task_notification",
            task_id=task.id,
            status=status,
            output_file=task.output_path,
            summary=f"{task.description} {status}{code}",
        )

    def result(self, fields: Frame) -> Frame:
        """Return how a run ended."""
        return self._frame("result", None, **fields)


def usage_fields(usage: Usage) -> Frame:
    """Return token counts as replies report them."""
    return {
        "input_tokens": usage.input_tokens or 0,
        "output_tokens": usage.output_tokens or 0,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens or 0,
        "cache_read_input_tokens": usage.cache_read_input_tokens or 0,
        **usage.extra,
    }


def assistant_error(kind: str) -> str:
    """Return the protocol's word for why the model was not reached."""
    return kind if kind in _ASSISTANT_ERRORS else "unknown"


def _error_kind(status: int | None, reason: str) -> str:
    """Return the protocol's word for why a request failed."""
    known = {401: "authentication_failed", 403: "authentication_failed", 429: "rate_limit"}
    known |= {
        529: "overloaded",
        404: "model_not_found",
        400: "invalid_request",
        402: "billing_error",
    }
    if status in known:
        return known[status]
    if status is not None and status >= 500:
        return "server_error"
    return "overloaded" if "overload" in reason.lower() else "unknown"
