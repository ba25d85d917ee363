"""The contract every tool fulfils. A tool declares what it is.

The rooms above decide what happens.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import import_module
from itertools import islice
from types import ModuleType
from typing import Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

from gantlet.messages import FrozenDict
from gantlet.messages.value import lazy, value
from gantlet.system import Environment
from gantlet.tool.content import as_content, as_text, brief, fields_of
from gantlet.tool.context import RequestView, ToolContext
from gantlet.tool.errors import Rejected, ToolDefinitionError
from gantlet.tool.inputs import InputFormat, Invalid, Parsed, read_input, schema_format
from gantlet.tool.ports import Ports
from gantlet.tool.result import ResultContent
from gantlet.tool.traits import Traits
from gantlet.tool.vote import Vote
from gantlet.tool.wording import cut

DEFAULT_MAX_RESULT_CHARS = 50_000
DEFAULT_MAX_FAILURE_CHARS = 10_000
TOOL_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
#: For a tool that bounds its own output, and must never be sent to a file.
UNBOUNDED = float("inf")

_Args = TypeVar("_Args")

#: What a call does to the paths it names.
PathKind: TypeAlias = Literal["read", "edit"]


@value
class McpIdentity:
    """Where a tool of another process comes from, under the names its server uses."""

    server: str
    tool: str


class Tool(Generic[_Args]):
    """Something a model can ask for.

    A subclass needs a name, a description, an input (`input_type` or `input_schema`) and `run`.
    Everything else has a careful default: a tool that says nothing of itself runs alone and is
    asked about.
    """

    name: str
    #: Older names that calls, rules and lists may still use.
    aliases: Sequence[str] = ()
    #: Three to ten words that are not in the name, for finding the tool when it is deferred.
    search_hint: str = ""
    #: A text, or a method of the request.
    description: str | Callable[[RequestView], str]
    #: A pydantic model…
    input_type: type[_Args] | None = None
    #: …or a JSON Schema with an object at its root.
    input_schema: Mapping[str, object] | None = None
    #: Ask the API to hold the model to the schema, where it can.
    strict: bool = False
    input_examples: Sequence[Mapping[str, object]] = ()
    #: May be announced by name only when there are many tools…
    should_defer: bool = False
    #: …or must never be.
    always_load: bool = False
    #: The module whose `described(ports)` is the description, for a built-in tool whose text
    #: depends on the session: it is described before it is loaded.
    described_in: ClassVar[str] = ""
    #: Exists only where this program is.
    requires_program: str = ""
    #: Exists only while this feature flag is on.
    requires_flag: str = ""
    #: Does not exist while this feature flag is on.
    hidden_by_flag: str = ""
    #: Can be called, but is not shown to the model: an old name with an old input.
    hidden: bool = False
    max_result_chars: float = DEFAULT_MAX_RESULT_CHARS
    #: The same for what the model reads of a failure.
    max_failure_chars: float = DEFAULT_MAX_FAILURE_CHARS
    #: Keep the input of each call in the audit trail.
    keeps_input: bool = False
    #: How long one call may run; None leaves it to the tool.
    timeout_seconds: float | None = None
    #: Set for tools that live in another process.
    mcp: McpIdentity | None = None
    #: Which fields hold paths, so that `Read(…)` and `Edit(…)` rules bind them…
    path_fields: Sequence[str] = ()
    #: …and whether the call reads what they name, or changes it.
    path_kind: PathKind = "read"
    #: What becomes of a file that it changes, in a word.
    path_verb: str = "edited"
    #: Which field the text of a rule `Tool(text)` is compared with: a command, a URL, a name.
    rule_field: str = ""
    #: Whether that field is a command line, so that `Bash(…)` rules bind it.
    runs_shell: bool = False

    @classmethod
    def build(cls, ports: Ports) -> Self:
        """Make the tool for a session. Take what lasts that long from `ports`."""
        return cls()

    def is_enabled(self, environment: Environment) -> bool:
        """Return whether the tool exists here at all."""
        return not self.requires_program or environment.has_program(self.requires_program)

    def traits(self, args: _Args) -> Traits:
        """Return what a call with `args` is like. Must not raise."""
        return Traits()

    async def validate_input(self, args: _Args, context: ToolContext) -> Rejected | None:
        """Return why well-formed args make no sense here, before hooks and permission are asked."""
        return None

    async def check_permissions(self, args: _Args, context: ToolContext) -> Vote | None:
        """Return the tool's own opinion on whether the call may run, or None."""
        return None

    def paths(self, args: _Args) -> Sequence[str]:
        """Return the paths of a call that rules about files bind; none given means where it is."""
        given = [_field(args, name) for name in self.path_fields]
        named = [path for path in given if isinstance(path, str)]
        return named or ["."] if self.path_fields else []

    def rule_text(self, args: _Args) -> str | None:
        """Return what the text of a rule `Tool(text)` is compared with, or None."""
        value = _field(args, self.rule_field) if self.rule_field else None
        return value if isinstance(value, str) else None

    def permission_matcher(self, args: _Args) -> Callable[[str], bool] | None:
        """Return what decides whether the pattern in `Tool(pattern)` fits this call, or None."""
        return None

    def classifier_input(self, args: _Args) -> str:
        """Return what an automatic check should see of this call."""
        return cut(as_text(args), 2000)

    async def run(self, args: _Args, context: ToolContext) -> object:
        """Do it. Return data or a `ToolResult`.

        Raise `ToolError` for what the model should read.
        """
        raise NotImplementedError

    def move_to_background(self, call_id: str) -> bool:
        """Let a running call end now and its work go on elsewhere, if that is possible."""
        return False

    def unfinished(self, call_id: str) -> str:
        """Return what the model should read of a call that was stopped, or nothing."""
        return ""

    def to_result_block(self, data: object) -> ResultContent:
        """Return `data` as the model reads it."""
        return as_content(data)

    def user_facing_name(self, args: _Args | None) -> str:
        """Return what people call this tool, for a call where one is at hand."""
        return self.name

    def summary(self, args: _Args) -> str:
        """Return one line for people that says what a call does."""
        fields = islice(fields_of(args).items(), 50)
        shown = ", ".join(f"{cut(name)}={brief(value)}" for name, value in fields)
        return cut(f"{self.user_facing_name(args)}({shown})", 200)

    def describe(self, request: RequestView) -> str:
        """Return the description for one request."""
        described = self.description
        return described if isinstance(described, str) else described(request)

    @lazy
    def input_format(self) -> InputFormat[_Args]:
        """How the input is described and read.

        Raises:
            ToolDefinitionError: The tool has no input, or two, or one that is no model.
        """
        model, schema = self.input_type, self.input_schema
        if (model is None) == (schema is None):
            raise ToolDefinitionError(
                f"{self.name} needs either an input_type or an input_schema, and not both."
            )
        if schema is not None:
            return schema_format(schema)  # type: ignore[return-value]  # its args are a mapping
        assert model is not None
        described: InputFormat[_Args] = _models().ModelFormat(model)
        return described


@cache
def _models() -> ModuleType:
    """Load what reads inputs by pydantic models: the one seam for it."""
    return import_module("gantlet.tool.models")


#: The one place where the type of a tool's args is given up: a pool holds tools of every kind.
AnyTool: TypeAlias = Tool[Any]


def parse(tool: AnyTool, raw: object) -> Parsed[Any] | Invalid:
    """Return the args for a call of `tool`, or everything that is wrong. Never raises."""
    try:
        input_format = tool.input_format
    except ToolDefinitionError as error:
        return read_input(tool.name, _Broken(error), raw)
    return read_input(tool.name, input_format, raw)


@value
class _Broken:
    """The input of a tool that has none: every reading fails in the same way."""

    error: ToolDefinitionError

    @property
    def json_schema(self) -> FrozenDict:
        """Fail."""
        raise self.error

    def read(self, raw: Mapping[str, object]) -> None:
        """Fail."""
        raise self.error


def _field(args: object, name: str) -> object:
    """Return one field of a call's args, whichever kind of input they are.

    Raises:
        AttributeError: A model has no such field: the tool's declaration is wrong.
    """
    return args.get(name) if isinstance(args, Mapping) else getattr(args, name)
