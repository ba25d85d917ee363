"""`@tool`: a typed function becomes a whole tool."""

import difflib
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar, Unpack, overload

from typing_extensions import TypedDict

from gantlet.messages.value import lazy, replace
from gantlet.system import in_loop_thread, run_in_thread
from gantlet.tool.access import Access
from gantlet.tool.context import ToolContext
from gantlet.tool.contract import DEFAULT_MAX_RESULT_CHARS, TOOL_NAME, Tool
from gantlet.tool.errors import ToolDefinitionError
from gantlet.tool.signature import FunctionArgs, FunctionFormat, read_signature
from gantlet.tool.traits import Interrupt, Traits

_P = ParamSpec("_P")
_R = TypeVar("_R")

AccessOf: TypeAlias = Callable[[FunctionArgs], Access]
ReadOnlyOf: TypeAlias = Callable[[FunctionArgs], bool]


class FunctionOptions(TypedDict, total=False):
    """What `@tool(...)` takes. Traits may be a value, or a function of the args."""

    name: str
    description: str
    aliases: Sequence[str]
    search_hint: str
    read_only: bool | ReadOnlyOf
    destructive: bool | ReadOnlyOf
    concurrency_safe: bool | ReadOnlyOf
    access: Access | AccessOf
    interrupt: Interrupt
    failure_stops_siblings: bool
    open_world: bool
    timeout_seconds: float
    max_result_chars: float
    strict: bool
    input_examples: Sequence[Mapping[str, object]]
    should_defer: bool
    always_load: bool


@overload
def tool(function: Callable[_P, _R], /) -> "FunctionTool[_P, _R]": ...
@overload
def tool(
    **options: Unpack[FunctionOptions],
) -> "Callable[[Callable[_P, _R]], FunctionTool[_P, _R]]": ...
def tool(
    function: Callable[_P, _R] | None = None, /, **options: Unpack[FunctionOptions]
) -> "FunctionTool[_P, _R] | Callable[[Callable[_P, _R]], FunctionTool[_P, _R]]":
    """Turn a typed function, sync or async, into a tool.

    The docstring is the description, the annotations are the input, `Annotated[str, "…"]`
    describes a field, a parameter annotated `ToolContext` gets the call's context and is hidden
    from the model. Sync functions run in a worker thread. The tool can still be called like the
    function.

    Raises:
        ToolDefinitionError: The function cannot be a tool; the message says why.
    """
    if function is not None:
        return FunctionTool(function, options)
    return lambda wrapped: FunctionTool(wrapped, options)


class FunctionTool(Tool[FunctionArgs], Generic[_P, _R]):
    """A tool made of a function."""

    def __init__(self, function: Callable[_P, _R], options: FunctionOptions) -> None:
        if isinstance(function, Tool):
            raise ToolDefinitionError(f"{function.name} is a tool already.")
        _check_options(options)
        self._signature = read_signature(function)
        self._function = function
        self._options = options
        self.name = options.get("name", self._signature.name)
        if not TOOL_NAME.fullmatch(self.name):
            raise ToolDefinitionError(
                f"{self.name!r} cannot be a tool's name: use 1 to 64 letters, digits, '_' or '-'."
            )
        self.description = options.get("description") or self._signature.description
        self.aliases = tuple(options.get("aliases", ()))
        self.search_hint = options.get("search_hint", "")
        self.strict = options.get("strict", False)
        self.input_examples = tuple(options.get("input_examples", ()))
        self.should_defer = options.get("should_defer", False)
        self.always_load = options.get("always_load", False)
        self.timeout_seconds = options.get("timeout_seconds")
        self.max_result_chars = options.get("max_result_chars", DEFAULT_MAX_RESULT_CHARS)

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        """Call the function itself."""
        return self._function(*args, **kwargs)

    @lazy
    def input_format(self) -> FunctionFormat:
        """The function's parameters as an input."""
        return FunctionFormat(self._signature)

    def traits(self, args: FunctionArgs) -> Traits:
        """Return the traits given to the decorator, asked of the args where they are functions."""
        given = self._options
        read_only = _asked(given.get("read_only", False), args)
        access = given.get("access")
        return Traits(
            read_only=read_only,
            destructive=_asked(given.get("destructive", False), args),
            concurrency_safe=_asked(given.get("concurrency_safe", read_only), args),
            access=access(args) if callable(access) else access,
            interrupt=given.get("interrupt"),
            failure_stops_siblings=given.get("failure_stops_siblings", False),
            open_world=given.get("open_world", not read_only),
        )

    async def run(self, args: FunctionArgs, context: ToolContext) -> object:
        """Call the function: in the event loop if it is async, in a worker thread if not."""
        call: Callable[..., Any] = self._function
        given = dict(args)
        if self._signature.context_parameter:
            given[self._signature.context_parameter] = self._own_context(context)
        if self._signature.is_async:
            return await call(**given)
        answer = await run_in_thread(partial(call, **given))
        return await answer if inspect.isawaitable(answer) else answer

    def _own_context(self, context: ToolContext) -> ToolContext:
        """Return the context as the function may use it, from whichever thread it runs in."""
        if self._signature.is_async:
            return context
        return replace(context, report=in_loop_thread(context.report))


def _asked(trait: bool | ReadOnlyOf, args: FunctionArgs) -> bool:
    """Return a trait's value for these args."""
    return trait(args) if callable(trait) else trait


def _check_options(options: FunctionOptions) -> None:
    """Refuse options that do not exist, and traits that would have to be awaited.

    Raises:
        ToolDefinitionError: There is one.
    """
    known = FunctionOptions.__annotations__
    for name, value in options.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f" Did you mean {near[0]}?" if near else f" It takes {', '.join(known)}."
            raise ToolDefinitionError(f"@tool has no option {name!r}.{hint}")
        if inspect.iscoroutinefunction(value):
            raise ToolDefinitionError(
                f"The option {name} of @tool is an async function; traits are asked without"
                " waiting. Make it a plain one."
            )
