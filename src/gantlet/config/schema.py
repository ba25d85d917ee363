"""The JSON Schema of settings files, made from the table of keys."""

from gantlet.config.keys import GROUPS, KEYS, Form, Gate, Key
from gantlet.hooks import HandlerKind, HookEvent, OnFailure
from gantlet.messages import JsonValue

SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_TITLE = "Gantlet settings"
_MAX_NUMBER = 10**15
_NOT_BLANK = r"^[^\u0000]*[^\s\u0000][^\u0000]*$"
_NO_NUL = r"^[^\u0000]*$"
_RULES = frozenset({"permissions.allow", "permissions.ask", "permissions.deny"})
_RULE = "A tool's name, perhaps with something in brackets: Bash(npm test), Read(.env), mcp__db."
_WRITTEN_HANDLERS = tuple(kind for kind in HandlerKind if kind not in {"callback", "function"})


def settings_schema() -> dict[str, JsonValue]:
    """Return the schema. It accepts what we take without a word, and nothing that we tell of."""
    root = _object("Settings of a coding agent's tool system.")
    root = {"$schema": SCHEMA_DIALECT, "title": _TITLE, **root}
    properties = _properties(root)
    properties["$schema"] = {"type": "string", "description": "This schema, for editors."}
    for key in KEYS.values():
        *groups, name = key.name.split(".")
        _properties(_group(root, groups))[name] = _schema_of(key)
    return root


def _group(root: dict[str, JsonValue], names: list[str]) -> dict[str, JsonValue]:
    """Return the schema of a group of keys, made if it is not there yet."""
    here = root
    for at, name in enumerate(names):
        properties = _properties(here)
        assert ".".join(names[: at + 1]) in GROUPS
        found = properties.setdefault(name, _object(f"Keys about {name}."))
        assert isinstance(found, dict)
        here = found
    return here


def _object(about: str) -> dict[str, JsonValue]:
    """Return the schema of an object that may hold more than we know."""
    return {
        "type": "object",
        "description": about,
        "properties": {},
        "additionalProperties": True,
    }


def _properties(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the part of a schema that lists the members."""
    found = schema["properties"]
    assert isinstance(found, dict)
    return found


def _schema_of(key: Key) -> dict[str, JsonValue]:
    """Return the schema of one key."""
    if key.name == "hooks":
        return {**_hooks(), "description": _about(key)}
    if key.name in _RULES:
        items: JsonValue = {"type": "string", "description": _RULE}
        return {"type": "array", "items": items, "description": _about(key)}
    made: dict[str, JsonValue] = dict(_FORMS[key.form])
    if key.choices:
        made = {"type": "string", "enum": [str(choice) for choice in key.choices]}
    return {**made, "description": _about(key)}


def _about(key: Key) -> str:
    """Return what a key is for, and who may set it where not everybody may."""
    return key.about if key.gate is Gate.OPEN else f"{key.about} Set by: {key.gate}."


_TEXT: dict[str, JsonValue] = {"type": "string", "pattern": _NOT_BLANK}
_FORMS: dict[Form, dict[str, JsonValue]] = {
    Form.TEXT: _TEXT,
    Form.TEXTS: {"type": "array", "items": _TEXT},
    Form.TEXT_OR_TEXTS: {"type": ["string", "array"], "items": {"type": "string"}},
    Form.NUMBER: {"type": "number", "minimum": 0, "maximum": _MAX_NUMBER},
    Form.SWITCH: {"type": "boolean"},
    Form.OBJECT: {"type": "object"},
    Form.OBJECTS: {"type": "array", "items": {"type": "object"}},
    Form.TEXT_MAP: {
        "type": "object",
        "propertyNames": {"pattern": r"^[^=\u0000]+$"},
        "additionalProperties": {"type": "string", "pattern": _NO_NUL},
    },
    Form.ANYTHING: {},
}


def _hooks() -> dict[str, JsonValue]:
    """Return the schema of hooks: events, groups with a matcher, handlers."""
    handler: dict[str, JsonValue] = {
        "type": "object",
        "required": ["type"],
        "properties": {
            "type": {"type": "string", "enum": [str(kind) for kind in _WRITTEN_HANDLERS]},
            "command": {"type": "string", "description": "What to run."},
            "args": {"type": "array", "items": {"type": "string"}},
            "url": {"type": "string", "description": "Where to send it."},
            "prompt": {"type": "string", "description": "What to ask the model."},
            "if": {"type": "string", "description": _RULE},
            "timeout": {"type": "number", "exclusiveMinimum": 0, "description": "Seconds."},
            "onFailure": {"type": "string", "enum": [str(word) for word in OnFailure]},
        },
    }
    group: dict[str, JsonValue] = {
        "type": "object",
        "required": ["hooks"],
        "properties": {
            "matcher": {"type": "string", "description": "Which of them; all, without one."},
            "hooks": {"type": "array", "items": handler},
        },
    }
    events: dict[str, JsonValue] = {
        str(event): {"type": "array", "items": group} for event in HookEvent
    }
    return {"type": "object", "properties": events, "additionalProperties": False}
