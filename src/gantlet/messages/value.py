"""`@value` and `@slotted`: classes with slots, made eight times faster than a dataclass makes them.

We define hundreds of small classes, and a program that starts pays for each. A dataclass compiles
six methods for every class; here one is compiled and the others are shared. To everybody else the
result is a dataclass: `replace`, `fields`, `match` and type checkers take it for one. A `@value` is
frozen; what is `@slotted` can be changed, and so cannot be hashed.
"""

from collections.abc import Callable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field
from functools import cache, cached_property
from operator import attrgetter
from types import CodeType, FunctionType
from typing import (
    Any,
    ClassVar,
    Generic,
    Self,
    TypeVar,
    dataclass_transform,
    get_origin,
    overload,
)

from gantlet.messages.value_shapes import SHAPES

_T = TypeVar("_T")
_Found = TypeVar("_Found")

_NAMES = "__value_names__"
_DEFAULTS = "__value_defaults__"

_put = object.__setattr__


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def value(cls: type[_T]) -> type[_T]:
    """Turn a class with annotated fields into a frozen one with slots."""
    return _make(cls, is_frozen=True)


@dataclass_transform(field_specifiers=(field,))
def slotted(cls: type[_T]) -> type[_T]:
    """Turn a class with annotated fields into one with slots, whose fields can be changed."""
    return _make(cls, is_frozen=False)


def replace(original: _T, **changes: object) -> _T:
    """Return the same value with other content in some of its fields; faster than a dataclass does.

    Raises:
        TypeError: There is no such field.
    """
    made: Any = original.__class__
    contents, places = _taken_apart(made)
    content = list(contents(original))
    for name, given in changes.items():
        at = places.get(name)
        if at is None:
            raise TypeError(f"{made.__name__} has no field {name!r}")
        content[at] = given
    changed: _T = made(*content)
    return changed


@cache
def _taken_apart(made: Any) -> tuple[Callable[[object], Iterable[object]], dict[str, int]]:  # noqa: ANN401 - any class
    """Return how the fields of a class are taken from an object, and where each of them stands."""
    names = made.__match_args__
    places = {name: at for at, name in enumerate(names)}
    if len(names) > 1:
        return attrgetter(*names), places
    return (lambda original: [getattr(original, name) for name in names]), places


class lazy(Generic[_Found]):  # noqa: N801 - reads like the decorator it is
    """A property that is found out once. Unlike functools' own it takes no lock: a hot path."""

    def __init__(self, find: Callable[[Any], _Found]) -> None:
        self._find = find
        self._name = find.__name__
        self.__doc__ = find.__doc__

    @overload
    def __get__(self, instance: None, owner: object = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: object = None) -> _Found: ...
    def __get__(self, instance: Any, owner: object = None) -> Self | _Found:  # any value
        if instance is None:
            return self
        found = self._find(instance)
        _put(instance, self._name, found)
        return found


class _Factory:
    """The default of a parameter whose default is made anew for each object."""

    def __repr__(self) -> str:
        return "<factory>"


_FACTORY = _Factory()


def _make(cls: type[_T], *, is_frozen: bool) -> type[_T]:
    """Make the class again, with slots and the methods that its fields ask for."""
    namespace = {
        name: item for name, item in vars(cls).items() if name not in {"__dict__", "__weakref__"}
    }
    names, defaults = _inherited(cls)
    own = [
        name
        for name, kind in namespace.get("__annotations__", {}).items()
        if kind is not ClassVar and get_origin(kind) is not ClassVar
    ]
    names += [name for name in own if name not in names]
    defaults |= {name: namespace.pop(name) for name in own if name in namespace}
    namespace |= {
        "__slots__": (*own, *_room_for_more(namespace)),
        "__match_args__": tuple(_chosen("init", names, defaults)),
        _NAMES: tuple(names),
        _DEFAULTS: defaults,
        "__getstate__": _get_state,
        "__setstate__": _set_state,
        "__dataclass_fields__": _LateFields(),
        "__signature__": _LateSignature(),
    }
    if is_frozen:
        namespace |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
    methods = _methods(names, defaults, is_hashed=is_frozen)
    metaclass: Any = type(cls)
    made: Any = metaclass(cls.__name__, cls.__bases__, methods | namespace)
    made.__qualname__ = cls.__qualname__
    made.__init__ = _late_init(made, is_frozen=is_frozen)
    return made  # type: ignore[no-any-return]  # the same class, made again


def _inherited(cls: type[object]) -> tuple[list[str], dict[str, object]]:
    """Return the fields and defaults of the values a class is built on."""
    names: list[str] = []
    defaults: dict[str, object] = {}
    for base in reversed(cls.__mro__[1:]):
        if _DEFAULTS in vars(base):
            names += [name for name in vars(base)[_NAMES] if name not in names]
            defaults |= vars(base)[_DEFAULTS]
    return names, defaults


def _room_for_more(namespace: dict[str, Any]) -> list[str]:
    """Return the slot that cached properties need, if there are any."""
    kept = (lazy, cached_property)
    return ["__dict__"] if any(isinstance(it, kept) for it in namespace.values()) else []


def _chosen(trait: str, names: list[str], defaults: dict[str, object]) -> list[str]:
    """Return the fields that are not declared to be left out: of `init`, `repr` or `compare`."""
    return [
        name
        for name in names
        if not isinstance(it := defaults.get(name), Field) or getattr(it, trait)
    ]


#: How many objects of a class are filled one field at a time before a method is made for it, which
#: takes as long as filling some ten of them, as long as its code is kept in `value_shapes`. Most
#: classes never have as many.
_FILLED = 4


def _late_init(made: Any, *, is_frozen: bool) -> object:  # noqa: ANN401 - any class
    """Return a method that fills the first few objects itself, and then makes the real one."""
    left = _FILLED

    def make() -> Callable[..., None]:
        made.__init__ = real = _make_init(made, is_frozen=is_frozen)
        return real

    def __init__(self: object, *args: object, **named: object) -> None:  # noqa: N807 - it stands in for one
        nonlocal left
        left -= 1
        if left < 0 or not _filled(self, made, args, named):
            make()(self, *args, **named)  # which also says what is wrong

    vars(__init__)["make"] = make
    return __init__


def _filled(
    self: object,
    made: Any,  # noqa: ANN401 - any class
    args: tuple[object, ...],
    named: dict[str, object],
) -> bool:
    """Fill an object by what is given, or else by defaults; return whether that fits.

    Nothing is prepared for the class: of most there are one or two objects.
    """
    taken: tuple[str, ...] = made.__match_args__
    defaults: dict[str, object] = getattr(made, _DEFAULTS)
    if len(args) > len(taken):
        return False
    for name, content in zip(taken, args, strict=False):
        _put(self, name, content)
    used = 0
    for name in taken[len(args) :]:
        if name in named:
            used += 1
            content = named[name]
        else:
            content = _stand_in(defaults.get(name, MISSING))
            if content is MISSING:
                return False
        _put(self, name, content)
    if used != len(named):
        return False
    _finish(self, made, taken, defaults)
    return True


def _finish(
    self: object,
    made: Any,  # noqa: ANN401 - any class
    taken: tuple[str, ...],
    defaults: dict[str, object],
) -> None:
    """Fill the fields that are not given but made, as far as __post_init__ does not."""
    names: tuple[str, ...] = getattr(made, _NAMES)
    for name in names if len(taken) < len(names) else ():
        if name not in taken:
            content = _stand_in(defaults.get(name, MISSING))
            if content is not MISSING:
                _put(self, name, content)
    if hasattr(made, "__post_init__"):
        self.__post_init__()  # type: ignore[attr-defined]  # it has one


def _stand_in(declared: object) -> object:
    """Return what fills a field if nothing is given; MISSING where something must be."""
    if not isinstance(declared, Field):
        return declared
    factory = declared.default_factory
    return declared.default if factory is MISSING else factory()


def _fallback(declared: object) -> tuple[object, Callable[[], object] | None]:
    """Return what a field is filled with if nothing is given, and what makes that anew."""
    if not isinstance(declared, Field):
        return declared, None
    factory = declared.default_factory
    return declared.default, None if factory is MISSING else factory


def _make_init(made: Any, *, is_frozen: bool) -> Callable[..., None]:  # noqa: ANN401 - any class
    """Return the one method that must be fast and have a signature of its own.

    Classes with as many fields of the same kinds share its code: only the names differ.
    """
    names, taken = getattr(made, _NAMES), made.__match_args__
    scope: dict[str, object] = {"missing": _FACTORY}
    defaults: list[object] = []
    kinds = ""
    for at, name in enumerate(names):
        default, factory = _fallback(getattr(made, _DEFAULTS).get(name, MISSING))
        scope[f"made{at}"], scope[f"default{at}"] = factory, default
        if is_frozen:
            scope[f"set{at}"] = getattr(made, name).__set__
        has_default = default is not MISSING or factory is not None
        kinds += _KINDS[name in taken, default is not MISSING, factory is not None]
        if name in taken and has_default:
            defaults.append(_FACTORY if factory is not None else default)
        elif name in taken and defaults:
            raise TypeError(
                f"{made.__name__}.{name} has no default, but stands behind one that has"
            )
    code = _code(kinds, is_frozen=is_frozen, has_more=hasattr(made, "__post_init__"))
    real = {f"field{at}": name for at, name in enumerate(names)}
    code = code.replace(
        co_varnames=("self", *taken),
        co_names=tuple(real.get(name, name) for name in code.co_names),
        co_name="__init__",
        co_qualname=f"{made.__qualname__}.__init__",
    )
    return FunctionType(code, scope, "__init__", tuple(defaults))


#: How a field is filled: whether it is an argument, and what it is filled with if nothing is given.
_KINDS = {
    (True, False, False): "a",
    (True, True, False): "a",
    (True, False, True): "f",
    (False, False, True): "m",
    (False, True, False): "d",
    (False, False, False): "-",  # __post_init__ fills it
}
_FILLINGS = {
    "a": "arg{0}",
    "f": "made{0}() if arg{0} is missing else arg{0}",
    "m": "made{0}()",
    "d": "default{0}",
}


def filling(kinds: str, name: str, *, is_frozen: bool, has_more: bool) -> str:
    """Return the source of a method that fills fields of these kinds."""
    arguments = "".join([f", arg{at}" for at, kind in enumerate(kinds) if kind in "af"])
    put = "    set{0}(self, {1})" if is_frozen else "    self.field{0} = {1}"
    lines = [f"def {name}(self{arguments}):"]
    lines += [
        put.format(at, _FILLINGS[kind].format(at)) for at, kind in enumerate(kinds) if kind != "-"
    ]
    lines.append("    self.__post_init__()" if has_more else "    return")
    return "\n".join(lines)


@cache
def _code(kinds: str, *, is_frozen: bool, has_more: bool) -> CodeType:
    """Return the code that fills fields of these kinds; what is not kept is compiled."""
    kept: CodeType | None = SHAPES.get((kinds, is_frozen, has_more))
    if kept is not None:
        return kept
    scope: dict[str, Any] = {}
    exec(filling(kinds, "__init__", is_frozen=is_frozen, has_more=has_more), scope)
    code: CodeType = scope["__init__"].__code__
    return code


def _methods(
    names: list[str], defaults: dict[str, object], *, is_hashed: bool
) -> dict[str, object]:
    """Return how objects with these fields are compared, hashed and shown."""
    compared = _chosen("compare", names, defaults)
    shown = _chosen("repr", names, defaults)
    contents: Callable[[object], object] = attrgetter(*compared) if compared else _nothing

    def equal(self: object, other: object) -> object:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return contents(self) == contents(other)

    def hashed(self: object) -> int:
        return hash(contents(self))

    def show(self: object) -> str:
        inside = (f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({', '.join(inside)})"

    return {"__eq__": equal, "__hash__": hashed if is_hashed else None, "__repr__": show}


def _nothing(self: object) -> tuple[()]:
    """Return what a value without fields holds."""
    return ()


def _refuse_to_set(self: object, name: str, item: object) -> None:
    """Keep a value as it is."""
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    """Keep a value as it is."""
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[object]:  # noqa: ANN401 - any value
    """Return what a copy or a pickle needs."""
    return [getattr(self, name) for name in getattr(self, _NAMES)]


def _set_state(self: Any, state: list[object]) -> None:  # noqa: ANN401 - any value
    """Fill a value that is being copied or unpickled."""
    for name, item in zip(getattr(self, _NAMES), state, strict=True):
        object.__setattr__(self, name, item)


class _LateSignature:
    """What a class takes, for those who ask before its first object is made."""

    def __get__(self, instance: object, owner: Any) -> object:  # noqa: ANN401 - any class
        if instance is not None:
            raise AttributeError("__signature__")  # an object that can be called has its own
        from inspect import Signature, signature  # noqa: PLC0415 - heavy, and rarely asked for

        init = owner.__init__
        real = init.make() if hasattr(init, "make") else init
        _, *taken = signature(real).parameters.values()
        return Signature(taken)


class _LateFields:
    """What `dataclasses` wants to know of a class, made when it asks."""

    def __get__(self, instance: object, owner: Any) -> dict[str, object]:  # noqa: ANN401 - any class
        annotations = dict.fromkeys(getattr(owner, _NAMES), object)
        shadow = type(
            owner.__name__, (), {"__annotations__": annotations, **vars(owner)[_DEFAULTS]}
        )
        fields: dict[str, object] = vars(dataclass(shadow))["__dataclass_fields__"]
        owner.__dataclass_fields__ = fields
        return fields
