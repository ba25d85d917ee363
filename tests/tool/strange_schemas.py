"""Schemas that a stranger could send to stop us, each with an input and what must be answered.

Run as a program, this prints the answers one by one: the tests do so in a process that has a
deadline and little memory, and that may die.
"""

import json
import resource
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from builders import SchemaTool
from gantlet.tool import Parsed, parse

MEMORY_BYTES = 2_000_000_000

Schema: TypeAlias = dict[str, Any]

FITS = "fits"
UNUSABLE = "This tool cannot be used: "
TOO_MUCH = "The input is too large or too deeply nested."
TOO_MANY = "The input does not fit the schema of this tool, in too many ways to list."


@dataclass(frozen=True, slots=True)
class Case:
    """A schema, an input, and how the answer begins; made late, because some are large."""

    schema: Callable[[], Schema]
    given: Callable[[], Any]
    answer: str


def field(schema: object, **rest: object) -> Schema:
    return {"properties": {"v": schema}, **rest}


def defs(schema: object, **named: object) -> Schema:
    return {"properties": {"v": schema}, "$defs": named}


def ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def doubling(word: str, depth: int) -> Schema:
    """Definitions that each name the next one twice."""
    named: Schema = {f"d{i}": {word: [ref(f"d{i + 1}"), ref(f"d{i + 1}")]} for i in range(depth)}
    return defs(ref("d0"), **named, **{f"d{depth}": {"type": "integer"}})


def doubling_by_parts(depth: int) -> Schema:
    """The same, but each pair judges a part of the value."""
    named: Schema = {
        f"d{i}": {"anyOf": [{"properties": {"k": ref(f"d{i + 1}")}} for _ in range(2)]}
        for i in range(depth)
    }
    return {**ref("d0"), "$defs": {**named, f"d{depth}": {"type": "integer"}}}


def wrapped(inner: Schema, depth: int, wrap: Callable[[Schema], Schema]) -> Schema:
    for _ in range(depth):
        inner = wrap(inner)
    return inner


def chain(depth: int, end: Any, key: str = "k") -> Any:
    value = end
    for _ in range(depth):
        value = {key: value}
    return value


def nested_list(depth: int, end: Any) -> Any:
    value = end
    for _ in range(depth):
        value = [value]
    return value


BRANCHING = {
    **ref("n"),
    "$defs": {
        "n": {
            "anyOf": [
                {"properties": {"k": ref("n")}, "required": ["a"]},
                {"properties": {"k": ref("n")}, "required": ["b"]},
            ]
        }
    },
}
TREE = {
    **ref("node"),
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "value": {"type": "integer"},
                "children": {"type": "array", "items": ref("node")},
            },
            "required": ["value"],
            "additionalProperties": False,
        }
    },
}
FILTER = defs(
    ref("filter"),
    filter={
        "oneOf": [
            {
                "type": "object",
                "properties": {"and": {"type": "array", "items": ref("filter")}},
                "required": ["and"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"not": ref("filter")},
                "required": ["not"],
                "additionalProperties": False,
            },
            {
                "type": "object",
                "properties": {"field": {"type": "string"}, "is": {}},
                "required": ["field", "is"],
                "additionalProperties": False,
            },
        ]
    },
)


def tree(depth: int, value: object) -> Any:
    node: Any = {"value": value}
    for _ in range(depth):
        node = {"value": 1, "children": [node, {"value": 2}]}
    return node


def of(value: Any) -> Callable[[], Any]:
    return lambda: value


CASES: dict[str, Case] = {
    "a reference to itself": Case(
        of(defs(ref("a"), a=ref("a"))), of({"v": 1}), f"{UNUSABLE}The input schema refers to itself"
    ),
    "a reference to the root from the root": Case(
        of({"$ref": "#"}), of({}), f"{UNUSABLE}The input schema refers to itself"
    ),
    "two that refer to each other": Case(
        of(defs(ref("a"), a={"allOf": [ref("b")]}, b={"not": ref("a")})),
        of({"v": 1}),
        f"{UNUSABLE}The input schema refers to itself",
    ),
    "a circle seen first through a part": Case(
        of(
            defs(
                ref("b"),
                b={"allOf": [ref("c"), ref("a")]},
                c={"properties": {"x": ref("a")}},
                a={"allOf": [ref("b")]},
            )
        ),
        of({"v": 1}),
        f"{UNUSABLE}The input schema refers to itself",
    ),
    "2^25 ways in anyOf": Case(
        lambda: doubling("anyOf", 25), of({"v": "x"}), f"{UNUSABLE}The input schema would take"
    ),
    "2^25 ways in oneOf": Case(
        lambda: doubling("oneOf", 25), of({"v": "x"}), f"{UNUSABLE}The input schema would take"
    ),
    "2^60 ways in allOf": Case(
        lambda: doubling("allOf", 60), of({"v": 1}), f"{UNUSABLE}The input schema would take"
    ),
    "2^16 ways, of which none fits": Case(lambda: doubling("anyOf", 16), of({"v": "x"}), TOO_MANY),
    "2^16 ways, of which one fits": Case(lambda: doubling("anyOf", 16), of({"v": 1}), FITS),
    "2^40 ways through parts": Case(
        lambda: doubling_by_parts(40), lambda: chain(40, "x"), TOO_MUCH
    ),
    "2^40 ways through parts that are not there": Case(
        lambda: doubling_by_parts(40), of({"other": 1}), FITS
    ),
    "what is unevaluated, inside itself": Case(
        lambda: wrapped(
            {"properties": {"a": True}},
            40,
            lambda s: {"allOf": [s], "unevaluatedProperties": False},
        ),
        of({"a": 1}),
        f"{UNUSABLE}The input schema would take",
    ),
    "unevaluated items, inside themselves": Case(
        lambda: field(
            wrapped({"items": {}}, 40, lambda s: {"anyOf": [s, {}], "unevaluatedItems": False})
        ),
        of({"v": [1, 2]}),
        f"{UNUSABLE}The input schema would take",
    ),
    "what is unevaluated, once": Case(
        of({"allOf": [{"properties": {"a": True}}], "unevaluatedProperties": False}),
        of({"a": 1, "b": 2}),
        "`b` is not a field of this tool.",
    ),
    "a recursion that branches, with a deep input": Case(
        of(BRANCHING), lambda: chain(60, {}), TOO_MUCH
    ),
    "a recursion that branches, with a flat input": Case(of(BRANCHING), of({"a": 1}), FITS),
    "a decoy for an anchor": Case(
        lambda: {
            **doubling("anyOf", 30),
            "default": {"$anchor": "start"},
            "properties": {"v": {"$ref": "#start"}, "w": {"$anchor": "start", **ref("d0")}},
        },
        of({"v": "x"}),
        f"{UNUSABLE}The input schema has two anchors 'start'.",
    ),
    "a decoy by percent signs": Case(
        lambda: {
            **doubling("anyOf", 30),
            "properties": {"v": {"$ref": "#/$defs/d%30"}},
        },
        of({"v": "x"}),
        f"{UNUSABLE}The input schema would take",
    ),
    "a decoy by an inner $id": Case(
        lambda: {
            "$defs": {"d0": True},
            "properties": {"v": {"$id": "urn:inner", **doubling("anyOf", 30), **ref("d0")}},
        },
        of({"v": "x"}),
        f"{UNUSABLE}The input schema holds another schema with an $id.",
    ),
    "an inner id as the old drafts have it": Case(
        of(
            {
                "$schema": "http://json-schema.org/draft-04/schema#",
                "properties": {"v": {"id": "urn:inner", "$ref": "#/x"}},
                "x": {},
            }
        ),
        of({"v": 1}),
        f"{UNUSABLE}The input schema holds another schema with an $id.",
    ),
    "a field called id": Case(
        of(field({"type": "string"}, required=["id"])), of({"id": "a", "v": "b"}), FITS
    ),
    "a dynamic reference": Case(
        of(field({"$dynamicRef": "#node"})),
        of({"v": 1}),
        f"{UNUSABLE}The input schema uses dynamic references.",
    ),
    "a recursive reference": Case(
        of(field({"$recursiveRef": "#"})),
        of({"v": 1}),
        f"{UNUSABLE}The input schema uses dynamic references.",
    ),
    "a reference to nothing": Case(
        of(field(ref("none"))), of({"v": 1}), f"{UNUSABLE}The input schema has nothing at"
    ),
    "a reference to an item that is no number": Case(
        of(field({"$ref": "#/allOf/\u00b2"}, allOf=[True])),
        of({"v": 1}),
        f"{UNUSABLE}The input schema has nothing at '#/allOf/\u00b2'.",
    ),
    "an anchor that is missing": Case(
        of(field({"$ref": "#none"})), of({"v": 1}), f"{UNUSABLE}The input schema has no anchor"
    ),
    "an anchor": Case(
        of(
            field({"$ref": "#number"}, **{"$defs": {"x": {"$anchor": "number", "type": "integer"}}})
        ),
        of({"v": "x"}),
        "`v` should be integer, got string 'x'.",
    ),
    "a reference with every kind of escape": Case(
        of(field({"$ref": "#/$defs/a~1b~0c%20d"}, **{"$defs": {"a/b~c d": {"type": "integer"}}})),
        of({"v": "x"}),
        "`v` should be integer, got string 'x'.",
    ),
    "a pattern that goes back for ever": Case(
        of(field({"pattern": "^(a|aa)+$"})), of({"v": "a" * 50_000 + "!"}), "`v` should match"
    ),
    "a pattern that looks around and goes back for ever": Case(
        of(field({"items": {"pattern": "^(?:(a+)+\\1)+$"}})),
        of({"v": ["a" * 40 + "!"] * 100}),
        "`v[0]` takes too long to match against its pattern",
    ),
    "a pattern that grows with its text": Case(
        of(field({"pattern": "(?:0|1[01]{1,9000})+[x-z]"})), of({"v": "01" * 50_000}), TOO_MUCH
    ),
    "a pattern that looks ahead at each place": Case(
        of(field({"pattern": "(?:(?![01]*1[01]{500}[x-z])[01])*b"})),
        of({"v": "01" * 2_500}),
        TOO_MUCH,
    ),
    "names of fields that match for ever": Case(
        of({"patternProperties": {"(?:(?![01]*1[01]{500}[x-z])[01])*b": {}}}),
        of({"01" * 2_500: 1}),
        TOO_MUCH,
    ),
    "patterns that fill the memory": Case(
        lambda: field({"allOf": [{"pattern": f"^\\p{{L}}{{1,{i}}}$"} for i in range(100, 300)]}),
        of({"v": "a"}),
        f"{UNUSABLE}The patterns of the input schema are too large.",
    ),
    "a pattern that is none": Case(
        of(field({"pattern": "("})), of({"v": "a"}), f"{UNUSABLE}The input schema is not valid:"
    ),
    "a password": Case(
        of(field({"pattern": "^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d).{8,64}$"})),
        of({"v": "Correct7horse"}),
        FITS,
    ),
    "a text that must not be blank": Case(
        of(field({"pattern": "^(?!\\s*$).+"})), of({"v": "word " * 2_000}), FITS
    ),
    "a hundred thousand fields": Case(
        lambda: {"properties": {f"f{i}": {"type": "string"} for i in range(100_000)}},
        of({}),
        f"{UNUSABLE}The input schema is too large",
    ),
    "a schema deeper than the stack": Case(
        lambda: wrapped({}, 3_000, lambda s: {"properties": {"v": s}}),
        of({}),
        f"{UNUSABLE}The input schema is too large or too deeply nested.",
    ),
    "many values that are allowed, for many items": Case(
        lambda: field({"items": {"enum": [{"a": i} for i in range(20_000)]}}),
        of({"v": [{"a": 19_999}] * 2_000}),
        TOO_MUCH,
    ),
    "many forms, for many items": Case(
        lambda: field({"items": {"anyOf": [{"const": i} for i in range(5_000)]}}),
        of({"v": ["x"] * 200}),
        TOO_MANY,
    ),
    "many fields missing from a large input": Case(
        lambda: {"required": [f"f{i}" for i in range(10_000)]},
        of({"v": "y" * 1_000_000}),
        "`f0` is required but missing.",
    ),
    "many forms of a large input": Case(
        lambda: {"anyOf": [{"required": [f"f{i}"]} for i in range(2_000)]},
        of({"v": "y" * 1_000_000}),
        TOO_MANY,
    ),
    "a large value at the bottom of a deep one": Case(
        of(defs(ref("l"), l={"items": ref("l")})),
        lambda: {"v": nested_list(60, [1] * 150_000)},
        FITS,
    ),
    "items of deep arrays that must differ": Case(
        of(field({"uniqueItems": True})),
        lambda: {"v": [nested_list(9_000, 1), nested_list(9_000, 2)]},
        "The input could not be checked: Recursion limit reached",
    ),
    "a schema that is always true": Case(of(field(True)), of({"v": 1}), FITS),
    "a schema that is never true": Case(
        of(field(False)), of({"v": 1}), "`v` is not allowed here, got integer 1."
    ),
    "a schema that says nothing": Case(of({}), of({"v": 1}), FITS),
    "a root that is an array": Case(
        of({"type": "array"}),
        of({}),
        f"{UNUSABLE}The input schema's type is 'array', not 'object'.",
    ),
    "a root that may be null": Case(
        of({"type": ["object", "null"]}),
        of({}),
        f"{UNUSABLE}The input schema's type is ['object', 'null'], not 'object'.",
    ),
    "a tree": Case(of(TREE), lambda: tree(60, 3), FITS),
    "a tree with something wrong in it": Case(
        of(TREE),
        lambda: tree(3, "x"),
        "`children[0].children[0].children[0].value` should be integer, got string 'x'.",
    ),
    "a filter": Case(
        of(FILTER),
        of({"v": {"and": [{"not": {"field": "a", "is": 1}}, {"field": "b", "is": None}]}}),
        FITS,
    ),
    "a filter with something wrong in it": Case(
        of(FILTER), of({"v": {"nor": []}}), "`v` does not fit exactly one of its forms"
    ),
}


def answer(case: Case) -> str:
    """Return what is said first about a case's input."""
    outcome = parse(SchemaTool(case.schema()), case.given())
    return FITS if isinstance(outcome, Parsed) else str(outcome.problems[0])


def main() -> None:
    """Answer every case, one line each, as soon as it is known."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for name, case in CASES.items():
        sys.stdout.write(json.dumps([name, answer(case)]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
