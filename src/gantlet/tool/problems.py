"""What is wrong with an input, in words a model can act on."""

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from gantlet.messages.value import value
from gantlet.tool.wording import cut, dotted, quoted, shown

if TYPE_CHECKING:  # loaded at the seam for models
    from pydantic_core import ErrorDetails

#: How many problems are put into words; the others are counted.
MAX_PROBLEMS = 50
MAX_MESSAGE_CHARS = 8_000
_MAX_LIST_CHARS = 400
_MAX_COMPARED = 200

_WANTED = {
    "string_type": "a string", "string_unicode": "valid Unicode text",
    "int_type": "an integer", "int_parsing": "an integer",
    "int_from_float": "an integer", "float_type": "a number", "float_parsing": "a number",
    "bool_type": "true or false", "bool_parsing": "true or false", "list_type": "an array",
    "tuple_type": "an array", "set_type": "an array", "dict_type": "an object",
    "model_type": "an object", "dataclass_type": "an object",
    "model_attributes_type": "an object", "none_required": "null",
}  # fmt: skip


@value
class InputProblem:
    """One thing wrong with an input: where, and what."""

    path: str
    message: str

    def __str__(self) -> str:
        if self.path:
            return f"`{self.path}` {self.message}"
        return f"The input {self.message}" if self.message[:1].islower() else self.message


def sentence(tool_name: str, problems: Sequence[InputProblem]) -> str:
    """Return every problem as one text, bounded, ending in what to do."""
    lines: list[str] = []
    left = MAX_MESSAGE_CHARS
    for problem in problems[:MAX_PROBLEMS]:
        line = f"- {problem}"
        left -= len(line)
        if left < 0:
            break
        lines.append(line)
    if len(problems) > len(lines):
        lines.append(f"- and {len(problems) - len(lines)} more")
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    head = f"The input of {cut(tool_name)} has {count}:"
    return "\n".join([head, *lines, "Correct this and call the tool again."])


def from_pydantic(
    details: "Sequence[ErrorDetails]", known: Sequence[str], raw: Mapping[str, object]
) -> list[InputProblem]:
    """Put pydantic's findings about `raw` into our words; `known` are the input's fields."""
    told = [_from_pydantic(detail, known, raw) for detail in details[:MAX_PROBLEMS]]
    counted = details[MAX_PROBLEMS:]
    return told + [InputProblem(dotted(each["loc"]), cut(each["msg"])) for each in counted]


def _from_pydantic(
    detail: "ErrorDetails", known: Sequence[str], raw: Mapping[str, object]
) -> InputProblem:
    """Put one finding into our words."""
    where, forms = _place(detail, raw)
    message = _said(detail, known if len(detail["loc"]) == 1 else ())
    if forms:
        message = f"as {cut(' '.join(forms))}: {message}"
    return InputProblem(dotted(where), message)


def _place(detail: "ErrorDetails", raw: object) -> tuple[list[str | int], list[str]]:
    """Return where in the input a finding lies, and which forms of a union it is about.

    Pydantic writes both into one list; what the input holds nothing of is a form's name.
    """
    where: list[str | int] = []
    forms: list[str] = []
    value = raw
    last = len(detail["loc"]) - 1
    for index, step in enumerate(detail["loc"]):
        part = _part(value, step)
        is_missing_field = index == last and detail["type"] == "missing"
        if part is _NOTHING and isinstance(step, str) and not is_missing_field:
            forms.append("a key" if step == "[key]" else step)
        else:
            where.append(step)
            value = part
    return where, forms


_NOTHING = object()


def _part(value: object, step: str | int) -> object:
    """Return the field or item of that name or number, if there is one."""
    if isinstance(value, Mapping):
        return value.get(step, _NOTHING)
    if isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
        return value[step]
    return _NOTHING


def _said(detail: "ErrorDetails", known: Sequence[str]) -> str:
    """Say what is wrong, without where."""
    kind, value = detail["type"], detail.get("input")
    if kind == "missing":
        return "is required but missing."
    if kind == "extra_forbidden":
        return _unknown_field(str(detail["loc"][-1]), known)
    if kind in _WANTED:
        return f"should be {_WANTED[kind]}, got {shown(value)}."
    if kind in {"literal_error", "enum"}:
        expected = str(detail.get("ctx", {}).get("expected", ""))
        return f"should be {cut(expected, _MAX_LIST_CHARS)}, got {shown(value)}."
    message = detail["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    return f"is not accepted: {cut(message, 300).rstrip('.')}, got {shown(value)}."


def _unknown_field(name: str, known: Sequence[str]) -> str:
    """Say that a field does not exist, and which ones do."""
    text = "is not a field of this tool."
    near = difflib.get_close_matches(name[:_MAX_COMPARED], known[:_MAX_COMPARED], n=1)
    if near:
        return f"{text} Did you mean `{cut(near[0])}`?"
    return f"{text} Its fields are: {cut(', '.join(known), _MAX_LIST_CHARS)}." if known else text


def from_json_schema(errors: Iterable[Any], known: Sequence[str]) -> list[InputProblem]:
    """Put a JSON Schema validator's findings into our words; `known` are the input's fields."""
    problems: list[InputProblem] = []
    for error in errors:
        if len(problems) < MAX_PROBLEMS:
            problems += _from_json_schema(error, known)
        else:
            problems.append(InputProblem(dotted(error.instance_path), cut(error.message)))
    return problems


def _from_json_schema(error: Any, known: Sequence[str]) -> list[InputProblem]:  # noqa: ANN401 - what jsonschema_rs raises
    """Put one finding into our words; some name several fields."""
    facts: Mapping[str, object] = error.kind.as_dict()
    where = list(error.instance_path)
    words = _WORDS.get(error.kind.name)
    match error.kind.name:
        case "required":
            return [missing(where, str(facts["property"]))]
        case "additionalProperties" | "unevaluatedProperties":
            fields = known if not where else ()
            names = enumerate(_strings(facts.get("unexpected")))
            return [
                InputProblem(
                    dotted([*where, name]), _unknown_field(name, fields if i < MAX_PROBLEMS else ())
                )
                for i, name in names
            ]
    message = words(facts) if words else f"is not accepted: {cut(error.message, 300)}"
    return [InputProblem(dotted(where), f"{message}, got {shown(error.instance)}.")]


def missing(where: Sequence[str | int], name: str) -> InputProblem:
    """Say that a field is missing."""
    return InputProblem(dotted([*where, name]), "is required but missing.")


def _strings(value: object) -> list[str]:
    """Return the items of a list as text."""
    return [str(item) for item in value] if isinstance(value, list) else []


def _types(facts: Mapping[str, object]) -> str:
    """Say which type was wanted."""
    return f"should be {' or '.join(_strings(facts.get('types')))}"


def _options(facts: Mapping[str, object]) -> str:
    """Say which values were wanted."""
    options = facts.get("options")
    shown_options = [quoted(item) for item in options[:50]] if isinstance(options, list) else []
    return f"should be one of {cut(', '.join(shown_options), _MAX_LIST_CHARS)}"


_WORDS: dict[str, Callable[[Mapping[str, object]], str]] = {
    "type": _types,
    "enum": _options,
    "const": lambda facts: f"should be {quoted(facts.get('expected_value'), 200)}",
    "minimum": lambda facts: f"should be at least {facts.get('limit')}",
    "maximum": lambda facts: f"should be at most {facts.get('limit')}",
    "exclusiveMinimum": lambda facts: f"should be more than {facts.get('limit')}",
    "exclusiveMaximum": lambda facts: f"should be less than {facts.get('limit')}",
    "minLength": lambda facts: f"should have at least {facts.get('limit')} characters",
    "maxLength": lambda facts: f"should have at most {facts.get('limit')} characters",
    "minItems": lambda facts: f"should have at least {facts.get('limit')} items",
    "maxItems": lambda facts: f"should have at most {facts.get('limit')} items",
    "pattern": lambda facts: _pattern(facts),
    "format": lambda facts: f"should be a valid {cut(str(facts.get('format')))}",
    "falseSchema": lambda facts: "is not allowed here",
    "anyOf": lambda facts: f"fits none of its forms ({_forms(facts)})",
    "oneOf": lambda facts: f"does not fit exactly one of its forms ({_forms(facts)})",
}


def _pattern(facts: Mapping[str, object]) -> str:
    """Say which pattern a text should match."""
    if "pattern" not in facts:
        return "takes too long to match against its pattern"
    return f"should match the pattern {quoted(facts['pattern'], 200)}"


def _forms(facts: Mapping[str, object]) -> str:
    """Say what each form of a union objected to."""
    context = facts.get("context")
    if not isinstance(context, list):
        return ""
    complaints = [cut(branch[0].message) if branch else "fits" for branch in context[:20]]
    return cut("; ".join(complaints), _MAX_LIST_CHARS)
