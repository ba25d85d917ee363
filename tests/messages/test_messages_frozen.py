"""Frozen JSON: nobody can change it, and everybody can read it."""

import copy
import json
import pickle
from collections.abc import Callable
from enum import StrEnum
from types import MappingProxyType

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from gantlet.messages import FrozenDict, FrozenList, JsonValue, ToolUse, freeze, thaw

json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def nested_lists(depth: int) -> JsonValue:
    value: JsonValue = []
    for _ in range(depth - 1):
        value = [value]
    return value


def container_types(value: object) -> set[type]:
    """Return the types of all dicts and lists in `value`."""
    children = list(value.values()) if isinstance(value, dict) else value
    if not isinstance(children, list):
        return set()
    return {type(value)}.union(*map(container_types, children))


DICT_CHANGES: dict[str, Callable[[FrozenDict], object]] = {
    "__setitem__": lambda frozen: frozen.__setitem__("a", 1),
    "__delitem__": lambda frozen: frozen.__delitem__("a"),
    "__ior__": lambda frozen: frozen.__ior__({"b": 1}),
    "clear": lambda frozen: frozen.clear(),
    "pop": lambda frozen: frozen.pop("a"),
    "popitem": lambda frozen: frozen.popitem(),
    "setdefault": lambda frozen: frozen.setdefault("b", 1),
    "update": lambda frozen: frozen.update(b=1),
}
LIST_CHANGES: dict[str, Callable[[FrozenList], object]] = {
    "__setitem__": lambda frozen: frozen.__setitem__(0, 1),
    "__delitem__": lambda frozen: frozen.__delitem__(0),
    "__iadd__": lambda frozen: frozen.__iadd__([1]),
    "__imul__": lambda frozen: frozen.__imul__(2),
    "append": lambda frozen: frozen.append(1),
    "clear": lambda frozen: frozen.clear(),
    "extend": lambda frozen: frozen.extend([1]),
    "insert": lambda frozen: frozen.insert(0, 1),
    "pop": lambda frozen: frozen.pop(),
    "remove": lambda frozen: frozen.remove(2),
    "reverse": lambda frozen: frozen.reverse(),
    "sort": lambda frozen: frozen.sort(),
}


@pytest.mark.parametrize("method", DICT_CHANGES)
def test_a_frozen_dict_refuses_every_change(method: str) -> None:
    frozen = FrozenDict({"a": 2})

    with pytest.raises(TypeError, match="A FrozenDict cannot be changed"):
        DICT_CHANGES[method](frozen)

    assert frozen == {"a": 2}


@pytest.mark.parametrize("method", LIST_CHANGES)
def test_a_frozen_list_refuses_every_change(method: str) -> None:
    frozen = FrozenList([2])

    with pytest.raises(TypeError, match="A FrozenList cannot be changed"):
        LIST_CHANGES[method](frozen)

    assert frozen == [2]


@pytest.mark.parametrize(
    ("frozen_type", "plain_type", "changes"),
    [(FrozenDict, dict, DICT_CHANGES), (FrozenList, list, LIST_CHANGES)],
)
def test_no_changing_method_of_the_plain_type_is_forgotten(
    frozen_type: type, plain_type: type, changes: dict[str, object]
) -> None:
    reading = {"copy", "count", "fromkeys", "get", "index", "items", "keys", "values"}
    named = {name for name in dir(plain_type) if not name.startswith("_")} - reading
    operators = {"__setitem__", "__delitem__", "__ior__", "__iadd__", "__imul__"}

    inherited = {name for name in named if getattr(frozen_type, name) is getattr(plain_type, name)}

    assert inherited == set()
    assert set(changes) == named | (operators & set(dir(plain_type)))


def test_calling_init_again_changes_nothing() -> None:
    frozen_dict, frozen_list = FrozenDict(a=1), FrozenList([1])

    FrozenDict.__init__(frozen_dict, {"b": 2})
    FrozenList.__init__(frozen_list, [2])

    assert (frozen_dict, frozen_list) == ({"a": 1}, [1])


@given(json_values)
def test_freezing_keeps_the_value_and_leaves_no_plain_container(value: JsonValue) -> None:
    before = copy.deepcopy(value)

    frozen = freeze(value)

    assert frozen == before == value
    assert container_types(frozen) <= {FrozenDict, FrozenList}
    assert container_types(value) <= {dict, list}


@given(json_values)
def test_freezing_twice_gives_the_same_object(value: JsonValue) -> None:
    frozen = freeze(value)

    assert freeze(frozen) is frozen


@given(json_values)
def test_thawing_and_deep_copies_give_plain_containers_all_the_way_down(value: JsonValue) -> None:
    frozen = freeze(value)

    assert thaw(frozen) == copy.deepcopy(frozen) == value
    assert container_types(thaw(frozen)) <= {dict, list}
    assert container_types(copy.deepcopy(frozen)) <= {dict, list}


@given(json_values)
def test_pickle_gives_back_a_frozen_value(value: JsonValue) -> None:
    frozen = freeze(value)

    again = pickle.loads(pickle.dumps(frozen))

    assert again == frozen
    assert container_types(again) == container_types(frozen)


def test_a_shallow_copy_can_be_changed_and_its_parts_cannot() -> None:
    frozen = FrozenDict(a=[1])

    plain = copy.copy(frozen)
    plain["b"] = 2

    assert (type(plain), plain) == (dict, {"a": [1], "b": 2})
    assert (type(frozen.copy()), type(copy.copy(FrozenList([1])))) == (dict, list)
    assert type(plain["a"]) is FrozenList


def test_what_is_built_from_a_changing_dict_does_not_change_with_it() -> None:
    items: dict[str, list[int]] = {"a": [1]}

    frozen = FrozenDict(items)
    items["a"].append(2)

    assert frozen == {"a": [1]}


def test_equal_frozen_values_hash_alike() -> None:
    one, other = freeze({"a": [1, {"b": 2}], "c": None}), freeze({"c": None, "a": [1.0, {"b": 2}]})

    assert one == other
    assert hash(one) == hash(other)


def test_tuples_and_foreign_mappings_become_frozen_json() -> None:
    frozen = freeze({"a": (1, (2,)), "b": MappingProxyType({"c": [3]})})

    assert frozen == {"a": [1, [2]], "b": {"c": [3]}}
    assert container_types(frozen) == {FrozenDict, FrozenList}


def test_strings_of_a_subclass_are_kept() -> None:
    class Colour(StrEnum):
        RED = "red"

    frozen = freeze({Colour.RED: [Colour.RED]})

    assert frozen == {"red": ["red"]}
    assert freeze(Colour.RED) is Colour.RED


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ({"a": {1}}, "is a set, which JSON does not have"),
        ([b"x"], "is a bytes, which JSON does not have"),
        ({"a": {1: 2}}, "The key 1 is not a string"),
    ],
)
def test_what_is_not_json_is_refused(value: object, complaint: str) -> None:
    with pytest.raises(TypeError, match=complaint):
        freeze(value)


def test_ten_thousand_levels_can_be_frozen_and_thawed() -> None:
    frozen = freeze(nested_lists(10_000))

    assert type(frozen) is FrozenList
    assert type(thaw(frozen)) is list


def test_a_value_nested_deeper_than_allowed_is_refused() -> None:
    freeze(nested_lists(5), max_depth=5)

    with pytest.raises(ValueError, match="deeper than 5 levels"):
        freeze(nested_lists(6), max_depth=5)


def test_a_value_that_contains_itself_is_refused() -> None:
    value: dict[str, object] = {}
    value["both"] = [value, value]

    with pytest.raises(ValueError, match="contains itself"):
        freeze(value)


def test_the_standard_library_writes_frozen_values() -> None:
    frozen = freeze({"a": [1, {"b": None}]})

    assert json.dumps(frozen) == '{"a": [1, {"b": null}]}'


def test_pydantic_reads_frozen_values() -> None:
    class Item(BaseModel):
        name: str
        tags: list[str]

    frozen = freeze({"items": [{"name": "a", "tags": ["x"]}]})

    assert TypeAdapter(dict[str, list[Item]]).validate_python(frozen) == {
        "items": [Item(name="a", tags=["x"])]
    }


def test_json_schema_validators_read_frozen_values() -> None:
    item = {"type": "object", "required": ["name"]}
    schema = {"type": "object", "properties": {"items": {"type": "array", "items": item}}}
    validator = jsonschema_rs.validator_for(schema)

    assert validator.is_valid(freeze({"items": [{"name": "a"}]}))
    assert not validator.is_valid(freeze({"items": [{}]}))
    assert not validator.is_valid(freeze({"items": {}}))


def test_a_deep_copy_of_a_block_is_the_block_with_its_input_still_frozen() -> None:
    call = ToolUse("toolu_1", "Read", {"paths": ["a"]})

    assert copy.deepcopy([call])[0] is call
    assert copy.copy(call) is call
