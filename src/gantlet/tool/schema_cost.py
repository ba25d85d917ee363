"""How long checking a value by a stranger's schema can take, told without doing it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from gantlet.tool.errors import ToolDefinitionError
from gantlet.tool.schema_graph import MAX_DEPTH, Node

#: About a tenth of a microsecond each.
MAX_STEPS = 10_000_000
#: How many pairs of a schema and a value are looked at before a value counts as too heavy.
MAX_PAIRS = 200_000
#: How much may be copied to say everything that is wrong.
MAX_REPORT = 2_000_000
#: Below this nothing is counted singly.
_LIGHT = 100_000
_ERROR_SIZE = 25


class Cost(NamedTuple):
    """An upper bound for one value.

    Attributes:
        steps: What the check itself takes.
        report: What collecting every problem takes; each one copies the value it is about.
    """

    steps: int
    report: int

    @property
    def is_too_high(self) -> bool:
        """Whether the value must not be checked at all."""
        return self.steps > MAX_STEPS


TOO_HIGH = Cost(MAX_STEPS + 1, MAX_REPORT + 1)
LIGHT = Cost(1, 1)


class Scales:
    """Weighs values against one schema."""

    def __init__(self, root: Node) -> None:
        self._root = root
        _check_that_it_ends(root)
        self._weight = _Unfolded().weight(root)

    def weigh(self, value: object) -> Cost:
        """Return what checking `value` can cost."""
        try:
            if self._weight is not None and self._weight * size_of(value) <= _LIGHT:
                return LIGHT
            return _Count(value).cost(self._root, value, depth=0)
        except OverflowError:
            return TOO_HIGH


def size_of(value: object) -> int:
    """Return how large a value is: one for each part, and one for every few characters.

    Raises:
        OverflowError: It is too large to be looked at.
    """
    total = 0
    pending = [value]
    while pending:
        part = pending.pop()
        total += _own_size(part)
        pending += _children(part)
        if total > MAX_STEPS:
            raise OverflowError
    return total


def _sizes_of(value: object) -> dict[int, int]:
    """Return the size of each part, by its id."""
    order = [value]
    for part in order:
        order += _children(part)  # grows while we walk it: children come after their parents
    sizes: dict[int, int] = {}
    for part in reversed(order):
        sizes[id(part)] = _own_size(part) + sum(sizes[id(child)] for child in _children(part))
    return sizes


def _own_size(part: object) -> int:
    """Return the size of a part without what is inside."""
    if isinstance(part, str):
        return 1 + (len(part) >> 4)
    return 1 + len(part) if isinstance(part, Mapping) else 1


def _children(part: object) -> Iterable[object]:
    """Return what is inside a part."""
    if isinstance(part, Mapping):
        return part.values()
    return part if isinstance(part, list) else ()


def _check_that_it_ends(root: Node) -> None:
    """Refuse a schema that judges one value for ever, or nearly so.

    Raises:
        ToolDefinitionError: It does.
    """
    weights: dict[int, int] = {}
    for node in _reachable(root):
        _weigh_in_place(node, weights, set())


def _weigh_in_place(node: Node, weights: dict[int, int], above: set[int]) -> int:
    """Return the steps of judging one value that has no parts."""
    key = id(node)
    if key in weights:
        return weights[key]
    if key in above:
        raise ToolDefinitionError("The input schema refers to itself without an end.")
    if len(above) > MAX_DEPTH:
        raise ToolDefinitionError("The input schema is too deeply nested.")
    above.add(key)
    asked = sum(_weigh_in_place(child, weights, above) for child in node.same)
    above.discard(key)
    weight = node.own_steps + node.times * asked
    if weight > MAX_STEPS:
        raise ToolDefinitionError("The input schema would take too long to check.")
    weights[key] = weight
    return weight


def _reachable(root: Node) -> Iterator[Node]:
    """Yield every node once."""
    seen = {id(root)}
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        for child in (*node.same, *node.parts):
            if id(child) not in seen:
                seen.add(id(child))
                pending.append(child)


class _Unfolded:
    """Weighs a schema without a value: with every reference written out."""

    def __init__(self) -> None:
        self._known: dict[int, int | None] = {}

    def weight(self, node: Node, depth: int = 0) -> int | None:
        """Return how many subschemas there are; None if there is no small number."""
        key = id(node)
        if key not in self._known:
            self._known[key] = None  # whoever comes back here while we look has found a cycle
            self._known[key] = self._sum(node, depth)
        return self._known[key]

    def _sum(self, node: Node, depth: int) -> int | None:
        """Add up a node and those it asks."""
        matched = [*node.patterns, *node.name_patterns]
        if depth > MAX_DEPTH or any(cost.backtracks or cost.repeats > 100 for cost in matched):
            return None
        total = node.own_steps + 10 * sum(cost.repeats for cost in matched)
        for children, times in ((node.same, node.times), (node.parts, 1)):
            for child in children:
                weight = self.weight(child, depth + 1)
                if weight is None or total > _LIGHT:
                    return None
                total += times * weight
        return total


class _Count:
    """Counts the steps for one value; each pair of a node and a part once."""

    def __init__(self, value: object) -> None:
        self._known: dict[tuple[int, int], Cost] = {}
        self._sizes = _sizes_of(value)

    def cost(self, node: Node, value: object, depth: int) -> Cost:
        """Return the cost of judging `value` by `node`.

        Raises:
            OverflowError: It is too high to be counted.
        """
        key = (id(node), id(value))
        if key in self._known:
            return self._known[key]
        if depth > MAX_DEPTH or len(self._known) > MAX_PAIRS:
            raise OverflowError
        steps = node.own_steps + _pattern_steps(node, value)
        report = node.own_steps * (_ERROR_SIZE + self._sizes.get(id(value), 1))
        for child in node.same:
            cost = self.cost(child, value, depth + 1)
            steps += node.times * cost.steps
            report += cost.report
        for child, part in _parts_of(node, value):
            cost = self.cost(child, part, depth + 1)
            steps += cost.steps
            report += cost.report
        if steps > MAX_STEPS:
            raise OverflowError
        self._known[key] = Cost(steps, report)
        return self._known[key]


def _pattern_steps(node: Node, value: object) -> int:
    """Return what the patterns of a node take."""
    if isinstance(value, str):
        return sum(cost.steps(len(value)) for cost in node.patterns)
    if isinstance(value, Mapping) and node.name_patterns:
        return sum(cost.steps(len(name)) for name in value for cost in node.name_patterns)
    return 0


def _parts_of(node: Node, value: object) -> Iterator[tuple[Node, object]]:
    """Yield each pair of a node and the part of `value` that it may judge."""
    if isinstance(value, Mapping):
        for name, part in value.items():
            if name in node.named:
                yield node.named[name], part
            yield from ((child, part) for child in node.fields)
            yield from ((child, name) for child in node.names)
    elif isinstance(value, list):
        for part in value:
            yield from ((child, part) for child in node.items)
