"""Values of any kind as a model reads them: blocks, text, or JSON."""

import dataclasses
import json
import sys
from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, TypeGuard, get_args

from gantlet.messages import Block
from gantlet.tool.result import ResultContent, ToolResult
from gantlet.tool.wording import cut

if TYPE_CHECKING:  # loaded at the seam for models
    from pydantic import BaseModel

_BLOCK_TYPES = get_args(Block)


def as_output(returned: object) -> ToolResult[object]:
    """Return what a tool returned as a `ToolResult`, whichever way it was written."""
    return returned if isinstance(returned, ToolResult) else ToolResult(returned)


def as_content(data: object) -> ResultContent:
    """Return data as text or blocks: blocks as they are, text as it is, the rest as JSON."""
    if isinstance(data, str):
        return data
    if isinstance(data, _BLOCK_TYPES):
        return (data,)
    if (
        isinstance(data, list | tuple)
        and data
        and all(isinstance(one, _BLOCK_TYPES) for one in data)
    ):
        return tuple(data)
    return as_text(data)


def as_text(data: object) -> str:
    """Return data as text: text as it is, the rest as JSON, and as Python shows it if need be.

    Never raises, whatever the value does when asked.
    """
    if data is None:
        return ""
    if isinstance(data, str):
        return data
    if isinstance(data, bytes):
        return data.decode(errors="replace")
    try:
        return json.dumps(data, ensure_ascii=False, default=_plain)
    except Exception:  # noqa: BLE001 - a foreign value's failure becomes a value here
        return _as_python_shows_it(data)


def _as_python_shows_it(data: object) -> str:
    """Return a value's representation, or say that it has none."""
    try:
        return repr(data)
    except Exception:  # noqa: BLE001 - a foreign value's failure becomes a value here
        return f"a {type(data).__name__} that cannot be shown"


def _plain(value: object) -> object:
    """Return what JSON does not have as something it has; its parts are asked about later."""
    if _is_model(value):
        return _dumped(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=repr)
    if isinstance(value, Enum):
        return value.value
    return value.decode(errors="replace") if isinstance(value, bytes) else str(value)


def _is_model(value: object) -> "TypeGuard[BaseModel]":
    """Return whether a value is a pydantic model; where nobody loaded that library, none is."""
    library = sys.modules.get("pydantic")
    return library is not None and isinstance(value, library.BaseModel)


def _dumped(model: "BaseModel") -> object:
    """Return a model as it wants to be written, or else its fields as they are."""
    try:
        return model.model_dump(mode="json", by_alias=True)
    except Exception:  # noqa: BLE001 - a foreign model's failure becomes a value here
        return fields_of(model)


def fields_of(args: object) -> Mapping[str, object]:
    """Return args by the names a model knows them by, those left at their default dropped."""
    if _is_model(args):
        given = args.model_fields_set
        return {
            declared.alias or name: getattr(args, name)
            for name, declared in type(args).model_fields.items()
            if name in given and getattr(args, name) != declared.default
        }
    return args if isinstance(args, Mapping) else {}


def brief(value: object) -> str:
    """Return a value in a few characters, on one line."""
    if isinstance(value, str):
        value = json.dumps(value[:200], ensure_ascii=False)
    return cut(as_text(value))
