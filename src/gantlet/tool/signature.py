"""What a function says of itself, and how its parameters become an input."""

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType, UnionType
from typing import Annotated, Any, TypeAlias, Union, get_args, get_origin, get_type_hints

from pydantic import Field, create_model
from pydantic.fields import FieldInfo

from gantlet.messages import FrozenDict
from gantlet.messages.value import value
from gantlet.tool.context import ToolContext
from gantlet.tool.errors import ToolDefinitionError
from gantlet.tool.models import ModelFormat, ToolInput
from gantlet.tool.problems import InputProblem
from gantlet.tool.wording import told

FunctionArgs: TypeAlias = Mapping[str, Any]


@value
class Signature:
    """What a function says of itself."""

    name: str
    description: str
    parameters: Mapping[str, tuple[object, object]]
    context_parameter: str
    is_async: bool


def read_signature(function: Callable[..., object]) -> Signature:
    """Return what `function` says of itself.

    Raises:
        ToolDefinitionError: It cannot be a tool; the message says why.
    """
    name = getattr(function, "__name__", type(function).__name__)
    _check_kind(function, name)
    try:
        hints = get_type_hints(function, include_extras=True)
    except (NameError, TypeError, AttributeError, SyntaxError) as error:
        raise ToolDefinitionError(
            f"The annotations of {name} cannot be read: {told(error)}"
        ) from error
    parameters: dict[str, tuple[object, object]] = {}
    contexts: list[str] = []
    for parameter in inspect.signature(function).parameters.values():
        hint = _checked_hint(name, parameter, hints)
        if _is_context(hint):
            contexts.append(parameter.name)
        else:
            parameters[parameter.name] = (_with_description(hint), parameter.default)
    if len(contexts) > 1:
        raise ToolDefinitionError(f"{name} takes the context twice: {', '.join(contexts)}.")
    return Signature(
        name=name,
        description=inspect.getdoc(function) or f"Call {name}.",
        parameters=parameters,
        context_parameter="".join(contexts),
        is_async=inspect.iscoroutinefunction(function),
    )


def _check_kind(function: object, name: str) -> None:
    """Refuse what is no function, or one that yields."""
    if not callable(function) or inspect.isclass(function):
        raise ToolDefinitionError(f"@tool needs a function, got {function!r}.")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ToolDefinitionError(
            f"{name} yields; a tool returns one value."
            " Report progress through a parameter annotated ToolContext."
        )


def _checked_hint(name: str, parameter: inspect.Parameter, hints: Mapping[str, object]) -> object:
    """Return a parameter's annotation, or say why the parameter cannot be a field."""
    if parameter.kind in {parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD}:
        raise ToolDefinitionError(
            f"{name} takes {parameter}: a model must know each field. Name the parameters singly."
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise ToolDefinitionError(
            f"The parameter {parameter.name!r} of {name} is positional-only; fields go by name."
        )
    if parameter.name not in hints:
        advice = (
            "@tool takes functions, not methods: put it outside the class, or write a Tool."
            if parameter.name in {"self", "cls"}
            else "annotate it, so that input can be checked."
        )
        raise ToolDefinitionError(
            f"The parameter {parameter.name!r} of {name} has no type: {advice}"
        )
    if isinstance(parameter.default, FieldInfo):
        raise ToolDefinitionError(
            f"The default of {parameter.name!r} of {name} is a Field, which a direct call would"
            " get as its value: write Annotated[…, Field(…)] and a plain default."
        )
    return hints[parameter.name]


def _is_context(hint: object) -> bool:
    """Return whether an annotation asks for the call's context, annotated or optional as well."""
    if get_origin(hint) in {Annotated, Union, UnionType}:
        return any(map(_is_context, get_args(hint)))
    return hint is ToolContext


def _with_description(hint: object) -> object:
    """Let a plain text in `Annotated[…, "text"]` describe the field."""
    if get_origin(hint) is not Annotated:
        return hint
    base, *notes = get_args(hint)
    fields_given = [Field(description=note) if isinstance(note, str) else note for note in notes]
    return Annotated[(base, *fields_given)]


def _alias(name: str, hint: object) -> str:
    """Return what a model calls a parameter: its name, or the alias a `Field` gives it."""
    notes = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    aliases = [note.alias for note in notes if isinstance(note, FieldInfo) and note.alias]
    return aliases[-1] if aliases else name


class FunctionFormat:
    """A function's parameters, read by a model that is made on first use.

    The model's own field names are numbered, so that a parameter may be called `schema`, `copy`
    or `_x`.
    """

    def __init__(self, signature: Signature) -> None:
        self._signature = signature
        self._names = {f"field_{i}": name for i, name in enumerate(signature.parameters)}

    @property
    def json_schema(self) -> FrozenDict:
        """The parameters as JSON Schema."""
        return self._model_format.json_schema

    def read(self, raw: Mapping[str, object]) -> FunctionArgs | list[InputProblem]:
        """Return the args by parameter name, or everything that is wrong."""
        model = self._model_format.read(raw)
        if isinstance(model, list):
            return model
        return MappingProxyType({name: getattr(model, own) for own, name in self._names.items()})

    @cached_property
    def _model_format(self) -> ModelFormat[ToolInput]:
        """The model, made on first use."""
        declared: dict[str, Any] = {}
        for own, name in self._names.items():
            hint, default = self._signature.parameters[name]
            alias = _alias(name, hint)
            required = default is inspect.Parameter.empty
            declared[own] = (hint, Field(alias=alias) if required else Field(default, alias=alias))
        try:
            model = create_model(self._signature.name, __base__=ToolInput, **declared)
            model.model_rebuild(force=True)
        except Exception as error:
            raise ToolDefinitionError(
                f"The parameters of {self._signature.name} cannot be an input: {told(error)}"
            ) from error
        return ModelFormat(model)
