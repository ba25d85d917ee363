"""`@tool`: what it refuses, with words that help, and that it works however it is imported."""

from collections.abc import AsyncIterator, Callable, Iterator
from functools import partial
from typing import Any

import pytest
from pydantic import Field

from builders import run_python
from gantlet.tool import ToolContext, ToolDefinitionError, tool


@tool
def add(first: int, second: int = 2) -> int:
    """Add two numbers."""
    return first + second


def no_type(path) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001 - as the test needs
def many(*paths: str) -> None: ...
def named(**paths: str) -> None: ...
def positional(path: str, /) -> None: ...
def generates() -> Iterator[int]:
    yield 1


async def generates_later() -> AsyncIterator[int]:
    yield 1


def unknown_type(path: "Nowhere") -> None: ...  # type: ignore[name-defined]  # noqa: F821 - as asked
def broken_type(path: "list[") -> None: ...  # type: ignore[valid-type]  # noqa: F722 - as the test needs
def two_contexts(one: ToolContext, two: ToolContext) -> None: ...
def field_default(path: str = Field("a", description="b")) -> None: ...


class Methods:
    """Something with a method."""

    def method(self, path: str) -> None: ...


REFUSALS: list[tuple[Any, str]] = [
    (
        no_type,
        "The parameter 'path' of no_type has no type: annotate it, so that input can be checked.",
    ),
    (
        many,
        "many takes *paths: str: a model must know each field. Name the parameters singly.",
    ),
    (
        named,
        "named takes **paths: str: a model must know each field. Name the parameters singly.",
    ),
    (positional, "The parameter 'path' of positional is positional-only; fields go by name."),
    (
        generates,
        "generates yields; a tool returns one value."
        " Report progress through a parameter annotated ToolContext.",
    ),
    (
        generates_later,
        "generates_later yields; a tool returns one value."
        " Report progress through a parameter annotated ToolContext.",
    ),
    (
        unknown_type,
        "The annotations of unknown_type cannot be read: name 'Nowhere' is not defined",
    ),
    (
        broken_type,
        "The annotations of broken_type cannot be read:"
        " Forward reference must be an expression -- got 'list['",
    ),
    (two_contexts, "two_contexts takes the context twice: one, two."),
    (
        field_default,
        "The default of 'path' of field_default is a Field, which a direct call would get as its"
        " value: write Annotated[…, Field(…)] and a plain default.",
    ),
    (
        Methods.method,
        "The parameter 'self' of method has no type: @tool takes functions, not methods:"
        " put it outside the class, or write a Tool.",
    ),
    (Methods, f"@tool needs a function, got {Methods!r}."),
    ("add", "@tool needs a function, got 'add'."),
    (add, "add is a tool already."),
    (lambda: None, "'<lambda>' cannot be a tool's name: use 1 to 64 letters, digits, '_' or '-'."),
]


@pytest.mark.parametrize(("function", "said"), REFUSALS)
def test_what_cannot_be_a_tool_is_refused_with_what_to_do(function: Any, said: str) -> None:
    with pytest.raises(ToolDefinitionError) as caught:
        tool(function)

    assert str(caught.value) == said


def test_a_function_with_some_arguments_filled_in_is_refused() -> None:
    with pytest.raises(ToolDefinitionError, match="The annotations of partial cannot be read"):
        tool(partial(positional, "a"))


@pytest.mark.parametrize("name", ["", "has space", "x" * 65, "naïve", "a.b", "a\n", "a/b"])
def test_a_bad_name_is_refused(name: str) -> None:
    def fine() -> None: ...

    with pytest.raises(ToolDefinitionError, match="cannot be a tool's name"):
        tool(name=name)(fine)


async def _later(args: object) -> bool:
    return True


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"read_olny": True}, "@tool has no option 'read_olny'. Did you mean read_only?"),
        (
            {"read_only": _later},
            "The option read_only of @tool is an async function; traits are asked without"
            " waiting. Make it a plain one.",
        ),
    ],
)
def test_an_option_that_would_not_do_what_it_seems_to_is_refused(options: Any, said: str) -> None:
    with pytest.raises(ToolDefinitionError) as caught:
        tool(**options)(many)

    assert str(caught.value) == said


def test_a_type_that_json_does_not_have_is_refused_when_it_is_described() -> None:
    @tool
    def apply(function: Callable[[int], int]) -> int:
        return function(1)

    with pytest.raises(ToolDefinitionError, match="The input apply cannot be described"):
        _ = apply.input_format.json_schema


IMPORTS = [
    "",
    "import gantlet.tool",
    "import gantlet.tool.access",
    "from gantlet import Tool",
    "from gantlet import tool",
    "from gantlet.tool import tool",
    "import gantlet.pool",
    "import gantlet; gantlet.tool",
    "from gantlet import *",
]


@pytest.mark.parametrize("before", IMPORTS)
def test_the_decorator_works_whatever_was_imported_before(before: str) -> None:
    printed = run_python(
        f"""
{before}
from gantlet import tool

@tool
def plain(x: int) -> int:
    "Say x."
    return x

@tool(name="Optioned", read_only=True)
async def optioned(x: int) -> int:
    "Say x."
    return x

from gantlet import tool as again
import gantlet

print(type(plain).__name__, plain.name, optioned.name, plain(3))
print(again(plain._function).name, gantlet.tool(name="b")(plain._function).name)
from gantlet.tool import Tool, tool as inner
print(isinstance(plain, Tool), inner(plain._function).name, gantlet.tool.Tool is Tool)
"""
    )

    assert printed == "FunctionTool plain Optioned 3\nplain b\nTrue plain True\n"
