"""JSON values that cannot be changed, yet are still dicts and lists to everyone who reads them."""

import reprlib
from collections.abc import Callable, Iterable, Mapping
from types import NoneType
from typing import NoReturn, Self, TypeAlias, TypeVar, cast, final, overload

JsonValue: TypeAlias = bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"] | None
MAX_DEPTH = 10_000
"""How deep a frozen value may nest; a value that contains itself is deeper than any number."""

_Item = TypeVar("_Item")
_Items: TypeAlias = Mapping[str, object] | Iterable[tuple[str, object]]


def _refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
    """Stand in for each method that would change the value."""
    raise TypeError(f"A {type(self).__name__} cannot be changed. Change thaw(value), a plain copy.")


@final
class FrozenDict(dict[str, JsonValue]):
    """A JSON object that is frozen all the way down; copies of it are plain and mutable."""

    __slots__ = ()

    def __new__(cls, items: _Items = (), /, **named: object) -> Self:
        """Take what `dict` takes, and freeze whatever is inside."""
        return freeze(dict(items, **named))

    def __init__(self, items: _Items = (), /, **named: object) -> None:
        pass  # filled by __new__; dict's own __init__ would be one more way to change it

    def __hash__(self) -> int:  # type: ignore[override]  # a dict has none because it can change
        return hash(frozenset(self.items()))

    def __copy__(self) -> dict[str, JsonValue]:
        return dict(self)

    def __deepcopy__(self, memo: object) -> dict[str, JsonValue]:
        return thaw(self)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return freeze, (thaw(self),)

    __setitem__ = _refuse
    __delitem__ = _refuse
    __ior__ = _refuse
    clear = _refuse
    pop = _refuse
    popitem = _refuse
    setdefault = _refuse
    update = _refuse


@final
class FrozenList(list[JsonValue]):
    """A JSON array that is frozen all the way down; copies of it are plain and mutable."""

    __slots__ = ()

    def __new__(cls, items: Iterable[object] = (), /) -> Self:
        """Take what `list` takes, and freeze whatever is inside."""
        return freeze(list(items))

    def __init__(self, items: Iterable[object] = (), /) -> None:
        pass  # filled by __new__; list's own __init__ would be one more way to change it

    def __hash__(self) -> int:  # type: ignore[override]  # a list has none because it can change
        return hash(tuple(self))

    def __copy__(self) -> list[JsonValue]:
        return list(self)

    def __deepcopy__(self, memo: object) -> list[JsonValue]:
        return thaw(self)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return freeze, (thaw(self),)

    __setitem__ = _refuse
    __delitem__ = _refuse
    __iadd__ = _refuse
    __imul__ = _refuse
    append = _refuse
    clear = _refuse
    extend = _refuse
    insert = _refuse
    pop = _refuse
    remove = _refuse
    reverse = _refuse
    sort = _refuse


class FrozenValue:
    """Base of the frozen dataclasses that hold JSON: a copy of one is the value itself.

    Without it `copy.deepcopy` would put mutable dicts into a value that promises frozen ones.
    """

    __slots__ = ()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self


@overload
def freeze(value: Mapping[str, object], *, max_depth: int = ...) -> FrozenDict: ...
@overload
def freeze(value: list[_Item] | tuple[_Item, ...], *, max_depth: int = ...) -> FrozenList: ...
@overload
def freeze(value: object, *, max_depth: int = ...) -> JsonValue: ...
def freeze(value: object, *, max_depth: int = MAX_DEPTH) -> JsonValue:
    """Return `value` frozen all the way down; the same object if it already is.

    Parts that are already frozen are kept as they are, and their depth is not counted. Tuples
    become arrays.

    Raises:
        TypeError: Something inside is not JSON.
        ValueError: The value nests deeper than `max_depth`, or contains itself.
    """
    kind = type(value)
    if kind in _FROZEN_OR_SCALAR:
        return value  # type: ignore[return-value]  # a hot path: cast() is a call
    if kind is dict and max_depth > 0 and _is_flat(value):  # type: ignore[arg-type]  # the same
        return _frozen_dict(value)  # type: ignore[arg-type]  # the same
    return _rebuild(value, _FROZEN_OR_SCALAR, _frozen_dict, _frozen_list, max_depth)


def frozen_if_flat(value: dict[str, JsonValue]) -> FrozenDict | None:
    """Return `value` frozen if nothing inside it is left to be, as in most inputs of calls."""
    return _frozen_dict(value) if _FROZEN_OR_SCALAR.issuperset(map(type, value.values())) else None


def _is_flat(value: dict[object, object]) -> bool:
    """Return whether nothing inside is left to be frozen, as in most objects that come by."""
    return _STR.issuperset(map(type, value)) and _FROZEN_OR_SCALAR.issuperset(
        map(type, value.values())
    )


@overload
def thaw(value: Mapping[str, JsonValue]) -> dict[str, JsonValue]: ...
@overload
def thaw(value: list[JsonValue]) -> list[JsonValue]: ...
@overload
def thaw(value: JsonValue) -> JsonValue: ...
def thaw(value: object) -> JsonValue:
    """Return a copy of `value` made of plain dicts and lists, free to change.

    Raises:
        TypeError: Something inside is not JSON.
        ValueError: The value nests deeper than `MAX_DEPTH`, or contains itself.
    """
    return _rebuild(value, _SCALAR, dict, list, MAX_DEPTH)


_STR = frozenset({str})
_SCALAR: frozenset[type] = frozenset({str, int, float, bool, NoneType})
_FROZEN_OR_SCALAR = _SCALAR | {FrozenDict, FrozenList}
_NewDict: TypeAlias = Callable[[Mapping[str, JsonValue]], dict[str, JsonValue]]
_NewList: TypeAlias = Callable[[list[JsonValue] | tuple[JsonValue, ...]], list[JsonValue]]


def _frozen_dict(items: Mapping[str, JsonValue]) -> FrozenDict:
    """Return a frozen dict of `items` whose own contents are still as they were."""
    made = dict.__new__(FrozenDict)
    dict.update(made, items)
    return made


def _frozen_list(items: list[JsonValue] | tuple[JsonValue, ...]) -> FrozenList:
    """Return a frozen list of `items` whose own contents are still as they were."""
    made = list.__new__(FrozenList)
    list.extend(made, items)
    return made


def _rebuild(
    value: object, keep: frozenset[type], new_dict: _NewDict, new_list: _NewList, max_depth: int
) -> JsonValue:
    """Copy `value`, making each container anew unless its type is in `keep`.

    A container is copied whole and its children mended afterwards, from a list of our own: a
    recursive copy runs out of stack on what a stranger may send.
    """
    if type(value) in keep:
        return cast("JsonValue", value)
    root = _copied(value, new_dict, new_list)
    pending = [(root, 1)] if isinstance(root, (dict, list)) else []
    while pending:
        box, depth = pending.pop()
        if depth > max_depth:
            raise ValueError(
                f"The value nests deeper than {max_depth} levels, or contains itself. Flatten it."
            )
        put, places = _places(box)
        for place, item in places:
            if type(item) not in keep:
                child = _copied(item, new_dict, new_list)
                put(box, place, child)
                if isinstance(child, (dict, list)):
                    pending.append((child, depth + 1))
    return root


def _places(
    box: dict[str, JsonValue] | list[JsonValue],
) -> tuple[Callable[..., None], Iterable[tuple[object, JsonValue]]]:
    """Return how to put a child into `box`, frozen or not, and the places with what is there."""
    if isinstance(box, dict):
        return dict.__setitem__, box.items()
    return list.__setitem__, enumerate(box)


def _copied(value: object, new_dict: _NewDict, new_list: _NewList) -> JsonValue:
    """Return a new container with the contents of `value`, or `value` if it is a scalar."""
    if isinstance(value, (dict, Mapping)):  # dict first: asking an abstract class is slow
        if not _STR.issuperset(map(type, value)):
            _check_keys(value)
        return new_dict(value)
    if isinstance(value, (list, tuple)):
        return new_list(value)
    if isinstance(value, (str, int, float)):
        return value
    raise TypeError(
        f"{reprlib.repr(value)} is a {type(value).__name__}, which JSON does not have. Convert it."
    )


def _check_keys(value: Mapping[object, object]) -> None:
    """Raise unless each key is a string of some kind."""
    for key in value:
        if not isinstance(key, str):
            raise TypeError(f"The key {reprlib.repr(key)} is not a string. JSON has no other keys.")


NOTHING_EXTRA = FrozenDict()
"""The usual `extra` of a block, a message or an event: no field that its class does not know."""
