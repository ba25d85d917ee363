"""Small values that many tests start from."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

from hypothesis import strategies as st

from gantlet.messages import JsonValue, ToolUse
from gantlet.tool import AnyTool, Invalid, Parsed, Surroundings, Tool, ToolContext, parse

_numbers = count(1)


def tool_use(name: str, /, **given: JsonValue) -> ToolUse:
    """Return a call with an id of its own."""
    return ToolUse(f"toolu_{next(_numbers)}", name, given)


def _nobody_listens(update: object) -> None:
    """Drop an update."""


def tool_context(
    cwd: str = "/", report: Callable[[object], None] = _nobody_listens, name: str = "Any"
) -> ToolContext:
    """Return the context of a call in `cwd`."""
    return ToolContext(tool_use(name), Surroundings(cwd), report=report)


def args_of(tool: AnyTool, /, **given: Any) -> Any:
    """Return the args of an input that must fit."""
    parsed = parse(tool, given)
    assert isinstance(parsed, Parsed), parsed.message
    return parsed.args


def problems_of(tool: AnyTool, raw: object) -> list[str]:
    """Return each problem of an input that must not fit, as the model reads it."""
    invalid = parse(tool, raw)
    assert isinstance(invalid, Invalid), invalid
    return [str(problem) for problem in invalid.problems]


class SchemaTool(Tool[Mapping[str, JsonValue]]):
    """A tool with a JSON Schema, as a server would send it."""

    name = "Stranger"
    description = "Does what a stranger says."

    def __init__(self, schema: Mapping[str, object]) -> None:
        self.input_schema = schema


#: Any JSON, lone surrogates and all.
json_values: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(), max_size=8), inner, max_size=4)
    ),
    max_leaves=12,
)


def run_python(code: str, variables: Mapping[str, str] | None = None) -> str:
    """Return what a fresh interpreter prints for `code`; warnings are errors there too.

    It imports from where this process does.
    """
    finished = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **(variables or {})},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout
