"""How frozen classes look on the wire: one small table per class, read in both directions."""

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Generic, Protocol, TypeVar, cast

from gantlet.messages.frozen import NOTHING_EXTRA, FrozenDict, JsonValue, freeze
from gantlet.messages.value import value


class HasExtra(Protocol):
    """A value that keeps the members its class does not know."""

    @property
    def extra(self) -> FrozenDict:
        """Those members."""


class HasRaw(Protocol):
    """A value that keeps a JSON value nobody here understands."""

    @property
    def raw(self) -> JsonValue:
        """That JSON value."""


Known = TypeVar("Known", bound=HasExtra)
Unread = TypeVar("Unread", bound=HasRaw)


class Wrong(Enum):
    """What a field gives for a JSON value it cannot read."""

    WRONG = "wrong"


WRONG = Wrong.WRONG


@value
class Field:
    """How to read one member, and how to write it if not as it is."""

    load: Callable[[object], object]
    dump: Callable[..., JsonValue] | None = None


TEXT = Field(lambda item: item if isinstance(item, str) else WRONG)
FLAG = Field(lambda item: item if isinstance(item, bool) else WRONG)
COUNT = Field(lambda item: item if type(item) is int and item >= 0 else WRONG)
OBJECT = Field(lambda item: freeze(item) if isinstance(item, dict) else WRONG)
ARRAY = Field(lambda item: freeze(item) if isinstance(item, list) else WRONG)
ANYTHING = Field(freeze)


class Shape(Generic[Known]):
    """The wire form of one class: fixed members, and a field for each attribute except `extra`.

    An optional field is `None` when absent; an explicit null of it is kept in `extra`. If its type
    is wrong, a `lenient` shape keeps it in `extra` too, while another one does not read the object.
    """

    def __init__(
        self,
        make: Callable[..., Known],
        fixed: Mapping[str, JsonValue],
        required: Mapping[str, Field],
        optional: Mapping[str, Field] | None = None,
        *,
        lenient: bool = False,
    ) -> None:
        self.make = make
        self.fixed = fixed
        self._required = required.keys()
        self._fields = {**required, **(optional or {})}
        self._lenient = lenient

    def read(self, wire: Mapping[str, object]) -> Known | None:
        """Return the value written in `wire`, or nothing if a member is missing or wrong."""
        values: dict[str, object] = {}
        rest: dict[str, object] = {}
        for name, item in wire.items():
            field = self._fields.get(name)
            loaded = WRONG if field is None else field.load(item)
            if loaded is not WRONG:
                values[name] = loaded
            elif name not in self.fixed:
                rest[name] = item
        if not self._required <= values.keys() or (rest and not self._tolerates(rest)):
            return None
        return self.make(**values, extra=freeze(rest) if rest else NOTHING_EXTRA)

    def write(self, value: Known) -> dict[str, JsonValue]:
        """Return `value` as it goes on the wire; what is in `extra` never hides a field."""
        wire = dict(self.fixed)
        for name, field in self._fields.items():
            item = getattr(value, name)
            if item is not None or name in self._required:
                wire[name] = field.dump(item) if field.dump else item
        for name, item in value.extra.items():
            wire.setdefault(name, item)
        return wire

    def _tolerates(self, rest: Mapping[str, object]) -> bool:
        """Say whether no field is among what could not be read, except as a null."""
        return self._lenient or all(
            rest[name] is None for name in rest.keys() & self._fields.keys()
        )


def nested(shape: Shape[Known]) -> Field:
    """Return the field for a member that has itself a shape, and its fixed members."""

    def load(item: object) -> object:
        if not isinstance(item, dict):
            return WRONG
        if any(item.get(name) != fixed for name, fixed in shape.fixed.items()):
            return WRONG
        value = shape.read(item)
        return WRONG if value is None else value

    return Field(load, shape.write)


class Family(Generic[Known, Unread]):
    """Classes told apart by the member `type`, and one for whatever none of them can read.

    `otherwise` may find a shape for a type that no shape names in its fixed members.
    """

    def __init__(
        self,
        shapes: Iterable[Shape[Known]],
        unread: Callable[[JsonValue], Unread],
        otherwise: Callable[[str], Shape[Known] | None] = lambda kind: None,
    ) -> None:
        self._by_class: dict[object, Shape[Known]] = {shape.make: shape for shape in shapes}
        self._by_type = {shape.fixed.get("type"): shape for shape in self._by_class.values()}
        self._unread = unread
        self._otherwise = otherwise

    def read(self, wire: object) -> Known | Unread:
        """Return the value written in `wire`, or the whole of it raw."""
        kind = wire.get("type") if isinstance(wire, dict) else None
        if isinstance(wire, dict) and isinstance(kind, str):
            shape = self._by_type.get(kind) or self._otherwise(kind)
            value = shape.read(wire) if shape else None
            if value is not None:
                return value
        return self._unread(freeze(wire))

    def write(self, value: Known | Unread) -> JsonValue:
        """Return `value` as it goes on the wire."""
        shape = self._by_class.get(type(value))
        return shape.write(cast("Known", value)) if shape else cast("Unread", value).raw
