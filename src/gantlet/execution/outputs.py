"""What a tool handed back: made sound, shown to the model, and shown to programs."""

import inspect
import logging
from collections.abc import Mapping
from typing import get_args

from gantlet.execution.outcome import Denied, Failed, Invalid, Outcome, Succeeded
from gantlet.execution.oversize import size_of
from gantlet.messages import AssistantMessage, Block, UserMessage, block_to_wire, dumps
from gantlet.messages.value import replace
from gantlet.tool import AnyTool, ResultContent, ToolResult, as_content, as_output

_log = logging.getLogger(__name__)

#: How much of a result for programs is kept when the one for the model went to a file.
_MAX_KEPT_BYTES = 50_000
_BLOCK_TYPES = get_args(Block)


def finished(returned: object) -> object:
    """Return what foreign code returned, unless it still has to be run.

    Raises:
        TypeError: It is a coroutine or a generator.
    """
    if type(returned) is str:
        return returned
    if inspect.iscoroutine(returned):
        returned.close()
        raise TypeError("a coroutine was returned instead of awaited")
    if inspect.isgenerator(returned) or inspect.isasyncgen(returned):
        raise TypeError("the result was yielded instead of returned")
    return returned


def sound_output(tool_name: str, returned: object) -> ToolResult[object]:
    """Return a tool's output without what makes no sense beside it.

    The call had its effect: nonsense that came along must not make it look as if it had not.
    """
    if type(returned) is str:  # as nearly all of them
        return ToolResult(returned)
    output = as_output(returned)
    messages, meta = output.new_messages, output.meta
    if not isinstance(messages, tuple | list) or not all(map(_is_message, messages)):
        _log.error("%s returned new_messages that are no messages; dropped.", tool_name)
        output = replace(output, new_messages=())
    elif isinstance(messages, list):
        output = replace(output, new_messages=tuple(messages))
    if not isinstance(meta, Mapping):
        _log.error("%s returned meta that is no mapping; dropped.", tool_name)
        output = replace(output, meta={})
    return output


def _is_message(value: object) -> bool:
    """Return whether something can be said in a conversation."""
    return isinstance(value, UserMessage | AssistantMessage)


def put_in_place(updated: ToolResult[object], output: ToolResult[object]) -> ToolResult[object]:
    """Return another output for the same call; what the call did to later ones stays."""
    return replace(
        updated,
        new_messages=updated.new_messages or output.new_messages,
        context_modifier=updated.context_modifier or output.context_modifier,
    )


def content_of(tool: AnyTool, output: ToolResult[object]) -> ResultContent:
    """Return an output as the model reads it. Raises what the tool raises."""
    content = as_content(finished(tool.to_result_block(output.data)))
    if not isinstance(content, str):
        size_of(content)  # what cannot be written as JSON cannot be sent
    return content


def without_bulk(output: ToolResult[object], fitted: ResultContent) -> ToolResult[object]:
    """Return an output whose whole text lies in a file.

    So that nothing holds on to the bulk of it.
    """
    kept = output.structured if _is_small(output.structured) else None
    return replace(output, data=fitted, structured=kept)


def _is_small(value: object) -> bool:
    """Return whether a value takes little room."""
    try:
        return len(dumps(value)) <= _MAX_KEPT_BYTES
    except (TypeError, ValueError):
        return False


def structured_of(outcome: Outcome) -> object:
    """Return the result for programs."""
    if isinstance(outcome, Succeeded):
        output = outcome.output
        return _on_the_wire(output.data if output.structured is None else output.structured)
    match outcome:
        case Failed(message=message) | Invalid(message=message):
            return f"Error: {message}"
        case Denied(decision=decision):
            return f"Error: {decision.reason}"
        case _:
            return f"Error: {outcome.content}"


def _on_the_wire(value: object) -> object:
    """Return blocks as JSON, everything else as it is."""
    if isinstance(value, str):
        return value
    if isinstance(value, _BLOCK_TYPES):
        return block_to_wire(value)
    if (
        isinstance(value, tuple | list)
        and value
        and all(isinstance(one, _BLOCK_TYPES) for one in value)
    ):
        return [block_to_wire(one) for one in value]
    return value
