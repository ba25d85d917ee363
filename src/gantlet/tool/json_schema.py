"""Check values against JSON Schemas that strangers wrote.

A schema from a server is hostile until shown otherwise. Nothing is ever fetched. A schema that
would take exponentially long for any value is refused when it is built; each value is weighed
before it is checked, and every problem is collected only where that is cheap.
"""

from collections.abc import Mapping
from typing import Any

import jsonschema_rs

from gantlet.messages import freeze, thaw
from gantlet.messages.value import value
from gantlet.tool.errors import TooHeavyError, ToolDefinitionError
from gantlet.tool.inputs import Schema
from gantlet.tool.schema_cost import MAX_REPORT, Scales
from gantlet.tool.schema_graph import read_graph
from gantlet.tool.schema_patterns import BACKTRACK_LIMIT
from gantlet.tool.wording import quoted, told


@value
class CheckedSchema:
    """A schema that may be used, and its compiled form."""

    validator: jsonschema_rs.Validator
    scales: Scales

    def errors(self, value: object) -> list[jsonschema_rs.ValidationError] | None:
        """Return every way in which `value` does not fit; None if there are too many to say.

        Raises:
            TooHeavyError: Checking this value could take too long.
        """
        cost = self.scales.weigh(value)
        if cost.is_too_high:
            raise TooHeavyError
        if self.validator.is_valid(value):
            return []
        return None if cost.report > MAX_REPORT else list(self.validator.iter_errors(value))


def is_schema(schema: dict[str, Any]) -> bool:
    """Return whether a schema is one, by the dialect the API takes."""
    return jsonschema_rs.meta.is_valid(schema)


def compile_schema(schema: Schema) -> CheckedSchema:
    """Return `schema` ready for use.

    Raises:
        ToolDefinitionError: It is not valid, reaches outside itself, or could be used to stop us.
    """
    if not isinstance(schema, Mapping):
        raise ToolDefinitionError(f"The input schema is {type(schema).__name__}, not an object.")
    if schema.get("type", "object") != "object":
        raise ToolDefinitionError(
            f"The input schema's type is {quoted(schema['type'])}, not 'object'."
        )
    try:
        frozen = freeze({"type": "object", **schema})
        scales = Scales(read_graph(frozen))
        validator = jsonschema_rs.validator_for(
            thaw(frozen),
            offline=True,
            pattern_options=jsonschema_rs.FancyRegexOptions(backtrack_limit=BACKTRACK_LIMIT),
        )
    except ToolDefinitionError:
        raise
    except (
        jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError, TypeError
    ) as error:  # fmt: skip
        reason = getattr(error, "message", None) or told(error)
        raise ToolDefinitionError(
            f"The input schema is not valid: {quoted(reason, 300)}"
        ) from error
    return CheckedSchema(validator, scales)
