"""Inputs described by pydantic models: the one seam behind which that library is loaded.

A program that has only tools with JSON Schemas, or calls none of the built-in ones, never pays.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import GenerateJsonSchema

from gantlet.messages import FrozenDict
from gantlet.tool.errors import ToolDefinitionError
from gantlet.tool.problems import InputProblem, from_pydantic
from gantlet.tool.schema import clean
from gantlet.tool.wording import told

_Args_co = TypeVar("_Args_co", covariant=True)


class ToolInput(BaseModel):
    """Base of a tool's input: unknown fields are refused, values are frozen, built on first use."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class _SilentSchemas(GenerateJsonSchema):
    """Leaves out a default that is no JSON without a word: who reads the schema can do nothing."""

    ignored_warning_kinds = {"skipped-choice", "non-serializable-default"}  # noqa: RUF012 - pydantic declares it so


_MODEL_VALIDATE = BaseModel.model_validate.__func__  # type: ignore[attr-defined]  # of a class method


class ModelFormat(Generic[_Args_co]):
    """An input described by a pydantic model."""

    def __init__(self, model: type[Any]) -> None:
        if not (isinstance(model, type) and issubclass(model, BaseModel)):
            raise ToolDefinitionError(f"The input_type {model!r} is not a pydantic model.")
        self._model: type[Any] = model
        #: Whether pydantic itself reads the model, so that its validator can be asked at once.
        self._is_plain = getattr(model.model_validate, "__func__", None) is _MODEL_VALIDATE

    @cached_property
    def json_schema(self) -> FrozenDict:
        """The input as JSON Schema, as the model gives it.

        Raises:
            ToolDefinitionError: The model holds something that JSON cannot.
        """
        try:
            return clean(
                self._model.model_json_schema(by_alias=True, schema_generator=_SilentSchemas)
            )
        except Exception as error:
            raise ToolDefinitionError(
                f"The input {self._model.__name__} cannot be described to a model: {told(error)}"
            ) from error

    def read(self, raw: Mapping[str, object]) -> _Args_co | list[InputProblem]:
        """Return the args, or everything that is wrong."""
        try:
            if self._is_plain:
                validator = self._model.__pydantic_validator__
                args: _Args_co = validator.validate_python(raw, by_alias=True)
            else:
                args = self._model.model_validate(raw, by_alias=True)
        except ValidationError as error:
            fields = self._model.model_fields.items()
            known = [field.alias or name for name, field in fields]
            return from_pydantic(error.errors(include_url=False), known, raw)
        return args
