"""Which schemas the API can hold a model to, and how many of them one request may hold."""

from collections.abc import Iterator, Mapping

from gantlet.messages.value import slotted, value

MAX_TOOLS = 20
MAX_OPTIONAL = 24
MAX_UNIONS = 16

#: All that a strict schema may say. A word that is not here makes the API refuse the request.
_WORDS = frozenset(
    {
        "type", "description", "enum", "const", "default", "properties", "required",
        "additionalProperties", "items", "anyOf", "allOf", "$ref", "$defs", "definitions",
        "format", "minItems",
    }
)  # fmt: skip
_FORMATS = frozenset(
    {
        "date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6",
        "uuid",
    }
)  # fmt: skip
#: One of these says what a value may be. Where none does, it may be an open object.
_KINDS = frozenset({"type", "enum", "const", "anyOf", "allOf", "$ref"})
_MAPS = ("properties", "$defs", "definitions")
_LISTS = ("anyOf", "allOf")


@value
class Need:
    """What a strict tool takes of a request's budget."""

    optional: int
    unions: int


@slotted
class Budget:
    """How much strictness a request has left; the API takes only so much."""

    tools: int = MAX_TOOLS
    optional: int = MAX_OPTIONAL
    unions: int = MAX_UNIONS

    def affords(self, need: Need) -> bool:
        """Take what a strict tool needs, if it is there."""
        if self.tools < 1 or self.optional < need.optional or self.unions < need.unions:
            return False
        self.tools -= 1
        self.optional -= need.optional
        self.unions -= need.unions
        return True


def strict_need(schema: Mapping[str, object]) -> Need | None:
    """Return what a schema takes if it is strict; None where the API would not take it so.

    Every object in it must be closed, and nothing may refer to itself.
    """
    optional = unions = 0
    for node in _schemas(schema):
        if not _is_in_subset(node):
            return None
        if _is_object(node):
            if node.get("additionalProperties") is not False:
                return None
            optional += len(_mapping(node, "properties").keys() - set(_list(node, "required")))
        unions += "anyOf" in node or isinstance(node.get("type"), list)
    return None if _refers_to_itself(schema) else Need(optional, unions)


def _schemas(root: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield a schema and every schema inside it."""
    pending: list[object] = [root]
    while pending:
        node = pending.pop()
        if not isinstance(node, Mapping):
            continue
        yield node
        pending.append(node.get("items"))
        for word in _MAPS:
            pending += _mapping(node, word).values()
        for word in _LISTS:
            pending += _list(node, word)


def _is_in_subset(node: Mapping[str, object]) -> bool:
    """Return whether one schema says only what a strict one may."""
    if not node.keys() <= _WORDS or node.keys().isdisjoint(_KINDS):
        return False
    if node.get("minItems", 0) not in (0, 1) or node.get("format", "uuid") not in _FORMATS:
        return False
    if "array" in _kinds(node) and not isinstance(node.get("items"), Mapping):
        return False
    return not any(isinstance(value, dict | list) for value in _list(node, "enum"))


def _kinds(node: Mapping[str, object]) -> list[object]:
    """Return the types one schema allows by name."""
    return _list(node, "type") or [node.get("type")]


def _is_object(node: Mapping[str, object]) -> bool:
    """Return whether one schema describes an object, or may."""
    return "object" in _kinds(node) or "properties" in node


def _refers_to_itself(root: Mapping[str, object]) -> bool:
    """Return whether following references from a definition can lead back to it."""
    links: dict[str, set[str]] = {"#": _references(root)}
    for word in ("$defs", "definitions"):
        for name, node in _mapping(root, word).items():
            links[f"#/{word}/{name}"] = _references(node)
    done: set[str] = set()
    while ready := [at for at in links if at not in done and links[at] <= done]:
        done.update(ready)
    return len(done) < len(links)


def _references(node: object) -> set[str]:
    """Return every reference in a schema, those of its definitions left out."""
    if not isinstance(node, Mapping):
        return set()
    inside = {word: value for word, value in node.items() if word not in ("$defs", "definitions")}
    return {str(one["$ref"]) for one in _schemas(inside) if "$ref" in one}


def _mapping(node: Mapping[str, object], word: str) -> Mapping[str, object]:
    """Return the mapping at `word`, or an empty one."""
    value = node.get(word)
    return value if isinstance(value, Mapping) else {}


def _list(node: Mapping[str, object], word: str) -> list[object]:
    """Return the list at `word`, or an empty one."""
    value = node.get(word)
    return value if isinstance(value, list) else []
