"""A tool's own code: what of the contract it leaves as it is, and its `run`."""

import inspect
from types import CoroutineType

from gantlet.execution.foreign import EscapedError, is_meant_for_us
from gantlet.execution.outputs import finished
from gantlet.tool import AnyTool, Tool, ToolContext


def inherits_validate_input(tool: AnyTool) -> bool:
    """Return whether a tool has left the method as it is, so that there is nothing to ask."""
    is_inherited = type(tool).validate_input is Tool.validate_input
    return is_inherited and "validate_input" not in vars(tool)


def inherits_check_permissions(tool: AnyTool) -> bool:
    """Return the same of the other method."""
    is_inherited = type(tool).check_permissions is Tool.check_permissions
    return is_inherited and "check_permissions" not in vars(tool)


def inherits_to_result_block(tool: AnyTool) -> bool:
    """Return the same of the method that shows the output."""
    is_inherited = type(tool).to_result_block is Tool.to_result_block
    return is_inherited and "to_result_block" not in vars(tool)


async def run_tool(tool: AnyTool, args: object, context: ToolContext) -> object:
    """Run a tool, also one whose `run` is not a coroutine.

    It can neither end the program, nor pretend to have been cancelled.
    """
    try:
        returned: object = tool.run(args, context)
        if type(returned) is CoroutineType or inspect.isawaitable(returned):
            returned = await returned
        return returned if type(returned) is str else finished(returned)
    except (Exception, KeyboardInterrupt):
        raise
    except BaseException as error:
        if is_meant_for_us(error):
            raise
        raise EscapedError(error) from error
