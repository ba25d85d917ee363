"""From what a model sent to what a tool gets: two kinds of schema behind one interface."""

import json
from collections.abc import Mapping
from functools import cache, cached_property
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

from gantlet.messages import FrozenDict, freeze
from gantlet.messages.value import value
from gantlet.tool.errors import TooHeavyError, ToolDefinitionError
from gantlet.tool.plain_schema import plain_text
from gantlet.tool.problems import InputProblem, from_json_schema, missing, sentence
from gantlet.tool.schema import clean, tidied
from gantlet.tool.wording import cut, shown, told

if TYPE_CHECKING:  # the library behind it is loaded at the seam below
    from gantlet.tool.json_schema import CheckedSchema

_Args_co = TypeVar("_Args_co", covariant=True)

Schema: TypeAlias = Mapping[str, object]


@value
class Parsed(Generic[_Args_co]):
    """An input that fits, as the tool gets it."""

    args: _Args_co


@value
class Invalid:
    """An input that does not fit, with everything that is wrong with it."""

    tool_name: str
    problems: tuple[InputProblem, ...]

    @property
    def message(self) -> str:
        """Every problem, in words for the model."""
        return sentence(self.tool_name, self.problems)


class InputFormat(Protocol[_Args_co]):
    """How a tool's input is described and read."""

    @property
    def json_schema(self) -> FrozenDict:
        """The input as JSON Schema, without noise."""

    def read(self, raw: Mapping[str, object]) -> _Args_co | list[InputProblem]:
        """Return the args, or everything that is wrong."""


class SchemaFormat:
    """An input described by a JSON Schema. The args are the frozen input itself.

    The library that checks is loaded by its first use: who has only models never pays for it.

    Attributes:
        plain_text: The schema as JSON, if it is one whose validity needs no library; nothing for
            others. A text cannot be changed by whoever gave the schema.
    """

    plain_text: str
    _schema: Schema

    def __init__(self, schema: Schema) -> None:
        _fill(self, schema)

    @cached_property
    def json_schema(self) -> FrozenDict:
        """The schema as it was given, without noise.

        Raises:
            ToolDefinitionError: It is no schema of the kind the API takes.
        """
        if self.plain_text:
            return FrozenDict(json.loads(self.plain_text))
        try:
            cleaned = clean(self._schema)
            is_valid = _checking().is_schema(cleaned)
        except (TypeError, ValueError, RecursionError) as error:
            raise ToolDefinitionError(f"The input schema cannot be read: {told(error)}") from error
        if not is_valid:
            raise ToolDefinitionError("The input schema is not valid JSON Schema (draft 2020-12).")
        return cleaned

    @cached_property
    def _checked(self) -> "CheckedSchema":
        """The compiled schema, made on first use."""
        checked: CheckedSchema = _checking().compile_schema(self._schema)
        return checked

    def check(self) -> None:
        """Compile the schema now.

        Raises:
            ToolDefinitionError: It cannot be used.
        """
        _ = self._checked

    def read(self, raw: Mapping[str, object]) -> FrozenDict | list[InputProblem]:
        """Return the args, or everything that is wrong."""
        frozen = freeze(raw)
        errors = self._checked.errors(frozen)
        if errors is None:
            return [*self._missing(frozen), InputProblem("", _TOO_MANY)]
        return from_json_schema(errors, self._known) if errors else frozen

    @property
    def _known(self) -> list[str]:
        """The fields that the schema names."""
        properties = self._schema.get("properties")
        return list(properties) if isinstance(properties, Mapping) else []

    def _missing(self, frozen: FrozenDict) -> list[InputProblem]:
        """Say which fields are missing, where saying everything would take too long."""
        required = self._schema.get("required")
        names = required if isinstance(required, list | tuple) else ()
        return [missing([], str(name)) for name in names if name not in frozen]


def schema_format(schema: Schema) -> SchemaFormat:
    """Return the format of a schema: what the class gives, sooner, for one of a thousand tools."""
    return _fill(_new(SchemaFormat), schema)


def _fill(made: SchemaFormat, schema: Schema) -> SchemaFormat:
    """Let a format be about a schema."""
    made._schema = schema
    try:
        made.plain_text = plain_text(schema) or plain_text(tidied(schema))
    except Exception:  # noqa: BLE001 - what a foreign schema does is told where it is read
        made.plain_text = ""
    return made


_new = object.__new__


@cache
def _checking() -> ModuleType:
    """Load the validator for JSON Schema: the one seam for it."""
    return import_module("gantlet.tool.json_schema")


_TOO_MANY = (
    "does not fit the schema of this tool, in too many ways to list. Send a smaller one, or one"
    " field at a time."
)


def read_input(
    tool_name: str, input_format: InputFormat[_Args_co], raw: object
) -> Parsed[_Args_co] | Invalid:
    """Parse what a model sent. Never raises: what cannot be checked does not fit."""
    if type(raw) is not FrozenDict and not isinstance(raw, Mapping):
        return _refused(tool_name, f"should be a JSON object, got {shown(raw)}.")
    try:
        answer = input_format.read(raw)
    except (RecursionError, TooHeavyError):
        return _refused(tool_name, "is too large or too deeply nested. Send a simpler one.")
    except ToolDefinitionError as error:
        reason = cut(str(error), 500)
        return _refused(tool_name, f"This tool cannot be used: {reason} Choose another one.")
    except UnicodeEncodeError:
        return _refused(tool_name, "holds half of a surrogate pair. Send valid Unicode text.")
    except Exception as error:  # noqa: BLE001 - a foreign validator's failure becomes a value here
        return _refused(tool_name, f"could not be checked: {told(error)}")
    if isinstance(answer, list):
        return Invalid(tool_name, tuple(answer))
    return Parsed(answer)


def _refused(tool_name: str, message: str) -> Invalid:
    """Return an invalid outcome that concerns the input as a whole."""
    return Invalid(tool_name, (InputProblem("", message),))
