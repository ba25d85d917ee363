"""JSON Schemas as a model should read them: no titles, no dialect, always in the same order."""

from collections.abc import Iterable, Mapping
from dataclasses import field

from gantlet.messages import FrozenDict, freeze
from gantlet.messages.json import encode
from gantlet.messages.value import value
from gantlet.tool.errors import ToolDefinitionError
from gantlet.tool.plain_schema import NOISE

#: How many schemas a root may combine, each reference counted as often as it is followed.
MAX_PARTS = 1_000

_FIRST = (
    "type",
    "description",
    "enum",
    "const",
    "default",
    "properties",
    "required",
    "additionalProperties",
)
#: Keywords whose values map names (not keywords) to schemas, or to data.
_NAME_MAPS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
#: Keywords whose values are data, not schemas.
_DATA = frozenset({"enum", "const", "default", "examples", "required", "dependentRequired"})
_PLACED = NOISE.union(_FIRST)
_SCALARS = frozenset({str, int, float, bool, type(None)})
_MAPPINGS = (dict, Mapping)  # asking an abstract class is slow
_ALTERNATIVES = ("anyOf", "oneOf")
_AT_ROOT = ("$ref", "allOf", *_ALTERNATIVES)


def compact(value: object) -> str:
    """Return any JSON value as it is sent: no spaces, no escapes that need not be.

    Raises:
        TypeError: Something inside is not JSON.
        ValueError: Something inside has no JSON form.
        RecursionError: It nests too deeply, or contains itself.
    """
    return "".join(encode(value, 0))


def clean(schema: Mapping[str, object]) -> FrozenDict:
    """Return `schema` without noise, frozen.

    Its keywords in a fixed order and its fields in theirs.
    """
    cleaned = freeze(tidied(schema))
    assert isinstance(cleaned, FrozenDict)
    return cleaned


def tidied(schema: Mapping[str, object]) -> dict[str, object]:
    """Return the same as a plain copy, whose data may still be shared with `schema`."""
    return _clean({"type": "object", **schema})


def _clean(schema: Mapping[str, object]) -> dict[str, object]:
    """Clean one schema and those inside it."""
    cleaned: dict[str, object] = {}
    for word in _FIRST:
        if word in schema:
            value = schema[word]
            cleaned[word] = value if type(value) in _SCALARS else _clean_value(word, value)
    if len(cleaned) < len(schema):
        for word in sorted(schema.keys() - _PLACED):
            value = schema[word]
            cleaned[word] = value if type(value) in _SCALARS else _clean_value(word, value)
    return cleaned


def _clean_value(word: str, value: object) -> object:
    """Clean what one keyword holds, if it holds schemas."""
    if word in _DATA:
        return value
    if isinstance(value, _MAPPINGS):
        if word in _NAME_MAPS:
            return {
                name: _clean(inner) if isinstance(inner, _MAPPINGS) else inner
                for name, inner in value.items()
            }
        return _clean(value)
    if isinstance(value, list | tuple):
        return [_clean(item) if isinstance(item, _MAPPINGS) else item for item in value]
    return value


def flattened(schema: FrozenDict) -> FrozenDict:
    """Return `schema` without combinations at its root, which the API does not take there.

    Fields of every alternative are offered; only what all of them require stays required. Where
    alternatives describe a field in different ways, each way is offered. This is what a model
    reads; an input is still checked by the schema itself.

    Raises:
        ToolDefinitionError: The root combines too much.
    """
    if not any(word in schema for word in _AT_ROOT):
        return schema
    offer = _Reader(schema).offer(schema)
    rest = {word: value for word, value in schema.items() if word not in _AT_ROOT}
    return clean({**rest, "properties": offer.fields, "required": list(offer.required)})


@value
class _Offer:
    """The fields that a schema and what it combines describe; `required` keeps their order."""

    fields: dict[str, object] = field(default_factory=dict)
    required: dict[str, None] = field(default_factory=dict)


class _Reader:
    """Collects fields through combinations and references, with an end in sight."""

    def __init__(self, root: FrozenDict) -> None:
        self._root = root
        self._left = MAX_PARTS

    def offer(self, node: Mapping[str, object], seen: frozenset[str] = frozenset()) -> _Offer:
        """Return the fields that one schema describes; `seen` are the references above it."""
        self._left -= 1
        if self._left < 0:
            raise ToolDefinitionError("The input schema combines too much at its root.")
        own = _Offer(_mapping(node.get("properties")), _names(node.get("required")))
        parts = [own]
        reference = node.get("$ref")
        if isinstance(reference, str) and reference not in seen:
            parts.append(self.offer(_target(reference, self._root), seen | {reference}))
        parts += [self.offer(branch, seen) for branch in _branches(node.get("allOf"))]
        for word in _ALTERNATIVES:
            branches = [self.offer(branch, seen) for branch in _branches(node.get(word))]
            if branches:
                parts.append(_Offer(_united("anyOf", branches), _common(branches)))
        fields = {**_united("allOf", parts[1:]), **own.fields}
        return _Offer(fields, {name: None for part in parts for name in part.required})


def _common(offers: list[_Offer]) -> dict[str, None]:
    """Return the names that every offer requires."""
    first, *others = offers
    return {name: None for name in first.required if all(name in one.required for one in others)}


def _united(word: str, offers: Iterable[_Offer]) -> dict[str, object]:
    """Return every field offered; one that is described in several ways under `word`."""
    ways: dict[str, list[object]] = {}
    for offer in offers:
        for name, described in offer.fields.items():
            known = ways.setdefault(name, [])
            if described not in known:
                known.append(described)
    return {name: known[0] if len(known) == 1 else {word: known} for name, known in ways.items()}


def _target(reference: str, root: FrozenDict) -> Mapping[str, object]:
    """Return the schema that a reference inside `root` points to; nothing for another one."""
    head, *steps = reference.split("/")
    node: object = root if head == "#" else None
    for step in steps:
        name = step.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if isinstance(node, Mapping) else None
    return _mapping(node)


def _branches(value: object) -> list[Mapping[str, object]]:
    """Return the schemas of a combination. `true` says nothing, and `false` is no way at all."""
    listed = value if isinstance(value, list) else []
    return [_mapping(branch) for branch in listed if branch is not False]


def _names(value: object) -> dict[str, None]:
    """Return a list of names, each once, in order; nothing for everything else."""
    listed = value if isinstance(value, list) else []
    return {name: None for name in listed if isinstance(name, str)}


def _mapping(value: object) -> dict[str, object]:
    """Return a mapping as a dict, and nothing for everything else."""
    return dict(value) if isinstance(value, Mapping) else {}
