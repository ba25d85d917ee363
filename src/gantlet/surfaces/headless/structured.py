"""Answers in a form that was asked for: a tool by which the model gives them, and its schema."""

from collections.abc import Mapping

from gantlet.messages import JsonValue, freeze
from gantlet.surfaces.headless.flags import FlagError
from gantlet.tool import Invalid, Tool, ToolContext, ToolDefinitionError, Traits, parse

NAME = "StructuredOutput"
MAX_RETRIES = 5
INSTRUCTION = (
    f"Your final answer must be given by calling the tool {NAME} exactly once, with input that"
    " fits its schema. Use other tools first where you need them."
)
REMINDER = (
    f"You have not given your answer yet. Call {NAME} now, with input that fits its schema, based"
    " on what you have found out."
)


class StructuredOutput(Tool[Mapping[str, JsonValue]]):
    """Takes the answer."""

    name = NAME
    description = "Give the final answer in the form that was asked for. Call it once, at the end."
    always_load = True

    def __init__(self, schema: Mapping[str, JsonValue]) -> None:
        self.input_schema = freeze(dict(schema))
        self.answer: Mapping[str, JsonValue] | None = None

    def traits(self, args: Mapping[str, JsonValue]) -> Traits:
        """Giving an answer changes nothing on the machine."""
        return Traits(read_only=True, concurrency_safe=True, open_world=False)

    async def run(self, args: Mapping[str, JsonValue], context: ToolContext) -> str:
        """Keep the answer."""
        self.answer = args
        return "The answer was taken. Say nothing more."


def open_structured(schema: Mapping[str, JsonValue]) -> StructuredOutput:
    """Return the tool for a schema.

    Raises:
        FlagError: It is no schema of an object.
    """
    message = "Error: --json-schema is not a valid JSON Schema"
    if schema.get("type", "object") != "object":
        raise FlagError(f"{message}: its root must be an object.")
    tool = StructuredOutput({"type": "object", **schema})
    try:
        tool.input_format  # noqa: B018 - made here so that a broken schema is told at once
        problem = parse(tool, {})
    except ToolDefinitionError as error:
        raise FlagError(f"{message}: {error}") from error
    if isinstance(problem, Invalid) and "schema" in problem.message.lower():
        raise FlagError(f"{message}: {problem.message}")
    return tool
