"""A schema as a graph: which subschemas judge the same value, and which judge its parts."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from gantlet.messages import FrozenDict
from gantlet.tool.errors import ToolDefinitionError
from gantlet.tool.schema_patterns import PatternCost, check_together, pattern_cost
from gantlet.tool.wording import quoted

MAX_NODES = 50_000
MAX_DEPTH = 200

#: Keywords whose subschemas judge the same value as the schema that holds them.
_SAME_VALUE_LISTS = ("allOf", "anyOf", "oneOf")
_SAME_VALUE = ("not", "if", "then", "else")
_SAME_VALUE_MAPS = ("dependentSchemas", "dependencies")
#: Keywords whose subschemas judge the values of fields…
_ANY_FIELD = ("additionalProperties", "unevaluatedProperties")
#: …and the items of arrays.
_ITEMS = ("items", "additionalItems", "unevaluatedItems", "contains")
_ITEM_LISTS = ("items", "prefixItems")
_DYNAMIC = ("$dynamicRef", "$recursiveRef")
#: Keywords with lists that are walked for each value.
_WALKED = ("enum", "required", "properties", "dependentRequired")


@dataclass(slots=True, eq=False)
class Node:
    """One subschema: what it costs by itself, and which others it asks about what.

    Attributes:
        own_steps: What it looks at by itself.
        times: How often it asks those that judge the same value.
        same: Judge the same value.
        named: Judge the field of that name.
        fields: Judge any field.
        names: Judge the names of fields.
        items: Judge any item of an array.
        patterns: Match a text.
        name_patterns: Match the name of each field.
    """

    own_steps: int
    times: int = 1
    same: list["Node"] = field(default_factory=list)
    named: dict[str, "Node"] = field(default_factory=dict)
    fields: list["Node"] = field(default_factory=list)
    names: list["Node"] = field(default_factory=list)
    items: list["Node"] = field(default_factory=list)
    patterns: list[PatternCost] = field(default_factory=list)
    name_patterns: list[PatternCost] = field(default_factory=list)

    @property
    def parts(self) -> Iterator["Node"]:
        """Those that judge a part of the value."""
        yield from self.named.values()
        yield from self.fields
        yield from self.names
        yield from self.items


def read_graph(root: FrozenDict) -> Node:
    """Return the graph of everything that `root` can ask.

    Raises:
        ToolDefinitionError: It is too large, reaches outside itself, or means another schema than
            it seems to.
    """
    return _Reader(root).read()


class _Reader:
    """Turns a schema into nodes, each subschema once."""

    def __init__(self, root: FrozenDict) -> None:
        self._root = root
        self._anchors: dict[str, Mapping[str, object]] = {}
        self._nodes: dict[int, Node] = {}
        self._pending: list[tuple[Mapping[str, object], Node]] = []
        self._patterns: dict[str, PatternCost] = {}

    def read(self) -> Node:
        """Return the root's node, with everything it reaches behind it."""
        self._look_over()
        root = self._node(self._root)
        while self._pending:
            schema, node = self._pending.pop()
            self._fill(schema, node)
        check_together(self._patterns)
        return root

    def _look_over(self) -> None:
        """Measure the whole schema, and remember every `$anchor`."""
        is_old = "draft-04" in str(self._root.get("$schema", ""))
        own_base = ("$id", "id") if is_old else ("$id",)
        pending: list[tuple[object, int]] = [(self._root, 0)]
        seen = 0
        while pending:
            value, depth = pending.pop()
            seen += 1
            if seen > MAX_NODES or depth > MAX_DEPTH:
                raise ToolDefinitionError("The input schema is too large or too deeply nested.")
            if isinstance(value, Mapping):
                if depth and any(isinstance(value.get(word), str) for word in own_base):
                    # References below it would not mean what they seem to.
                    raise ToolDefinitionError("The input schema holds another schema with an $id.")
                self._remember_anchor(value)
                pending += [(child, depth + 1) for child in value.values()]
            elif isinstance(value, list):
                pending += [(child, depth + 1) for child in value]

    def _remember_anchor(self, value: Mapping[str, object]) -> None:
        """Remember what an `$anchor` names."""
        anchor = value.get("$anchor")
        if not isinstance(anchor, str):
            return
        if anchor in self._anchors:
            raise ToolDefinitionError(f"The input schema has two anchors {quoted(anchor)}.")
        self._anchors[anchor] = value

    def _node(self, schema: Mapping[str, object]) -> Node:
        """Return the node of a subschema; a new one is filled later."""
        node = self._nodes.get(id(schema))
        if node is None:
            own_steps = 1 + sum(_length(schema.get(word)) for word in _WALKED)
            node = self._nodes[id(schema)] = Node(own_steps)
            self._pending.append((schema, node))
        return node

    def _fill(self, schema: Mapping[str, object], node: Node) -> None:
        """Find out whom a subschema asks."""
        if any(word in schema for word in _DYNAMIC):
            raise ToolDefinitionError("The input schema uses dynamic references.")
        if any(word in schema for word in ("unevaluatedProperties", "unevaluatedItems")):
            node.times = 3  # they ask again what was asked, as do those inside
        node.same = [self._node(child) for child in self._same_value(schema)]
        named = schema.get("properties")
        if isinstance(named, Mapping):
            node.named = {
                name: self._node(child) for name, child in named.items() if _is_schema(child)
            }
        by_pattern = schema.get("patternProperties")
        node.fields = self._nodes_of([schema.get(word) for word in _ANY_FIELD])
        node.fields += self._nodes_of(_values(by_pattern))
        node.names = self._nodes_of([schema.get("propertyNames")])
        node.items = self._nodes_of([schema.get(word) for word in _ITEMS])
        for word in _ITEM_LISTS:
            node.items += self._nodes_of(schema.get(word))
        node.patterns = self._costs([schema.get("pattern")])
        node.name_patterns = self._costs(by_pattern if isinstance(by_pattern, Mapping) else ())

    def _nodes_of(self, values: object) -> list[Node]:
        """Return the nodes of those values that are schemas with content."""
        listed = values if isinstance(values, list) else []
        return [self._node(value) for value in listed if _is_schema(value)]

    def _costs(self, patterns: object) -> list[PatternCost]:
        """Return what each pattern costs."""
        listed = patterns if isinstance(patterns, list | Mapping) else ()
        return [
            self._patterns.setdefault(pattern, pattern_cost(pattern))
            for pattern in listed
            if isinstance(pattern, str)
        ]

    def _same_value(self, schema: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
        """Yield the subschemas that judge the same value, references followed."""
        found: list[object] = []
        reference = schema.get("$ref")
        if isinstance(reference, str):
            found.append(self._follow(reference))
        for word in _SAME_VALUE_LISTS:
            listed = schema.get(word)
            found += listed if isinstance(listed, list) else []
        found += [schema.get(word) for word in _SAME_VALUE]
        for word in _SAME_VALUE_MAPS:
            found += _values(schema.get(word))
        yield from (child for child in found if isinstance(child, Mapping))

    def _follow(self, reference: str) -> object:
        """Return what a reference inside this schema points to."""
        if not reference.startswith("#"):
            raise ToolDefinitionError(
                f"The input schema refers to {quoted(reference, 200)}, outside itself."
            )
        pointer = unquote(reference[1:])
        if pointer and not pointer.startswith("/"):
            if pointer not in self._anchors:
                raise ToolDefinitionError(f"The input schema has no anchor {quoted(pointer)}.")
            return self._anchors[pointer]
        value: object = self._root
        for raw in pointer.split("/")[1:]:
            value = _child(value, raw.replace("~1", "/").replace("~0", "~"))
            if value is None:
                raise ToolDefinitionError(
                    f"The input schema has nothing at {quoted(reference, 200)}."
                )
        return value


def _child(value: object, step: str) -> object:
    """Return what a step of a JSON pointer leads to; None if nothing is there."""
    if isinstance(value, Mapping):
        return value.get(step)
    if isinstance(value, list) and step.isascii() and step.isdecimal() and len(step) < 9:
        return value[int(step)] if int(step) < len(value) else None
    return None


def _is_schema(value: object) -> bool:
    """Return whether a value is a schema with content."""
    return isinstance(value, Mapping)


def _values(value: object) -> list[object]:
    """Return a mapping's values, or nothing."""
    return list(value.values()) if isinstance(value, Mapping) else []


def _length(value: object) -> int:
    """Return how many items a container holds."""
    return len(value) if isinstance(value, Mapping | list) else 0
