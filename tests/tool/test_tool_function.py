"""`@tool`: what a function becomes, and how it runs."""

import contextvars
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Optional

import anyio
import pytest
from pydantic import BaseModel, Field

from builders import args_of, problems_of, tool_context
from gantlet.messages import FrozenDict
from gantlet.tool import (
    EXCLUSIVE,
    MOST_DANGEROUS,
    READS_ANYTHING,
    UNBOUNDED,
    Access,
    AnyTool,
    File,
    Interrupt,
    RequestView,
    Tool,
    ToolContext,
    ToolError,
    Traits,
    ask_traits,
    tool,
)


async def call(made: AnyTool, /, report: Callable[[object], None] = print, **given: Any) -> object:
    """Run a tool as the pipeline would: parsed, with a deadline."""
    with anyio.fail_after(10):
        return await made.run(args_of(made, **given), tool_context(report=report))


def schema_of(made: AnyTool) -> FrozenDict:
    return made.input_format.json_schema


@tool
def add(first: int, second: int = 2) -> int:
    """Add two numbers.

    Both must be whole.
    """
    return first + second


def test_a_function_becomes_a_tool_with_its_name_its_words_and_its_types() -> None:
    assert isinstance(add, Tool)
    assert add.name == "add"
    assert add.describe(RequestView()) == "Add two numbers.\n\nBoth must be whole."
    assert schema_of(add) == {
        "type": "object",
        "properties": {
            "first": {"type": "integer"},
            "second": {"type": "integer", "default": 2},
        },
        "required": ["first"],
        "additionalProperties": False,
    }
    assert args_of(add, first=1) == {"first": 1, "second": 2}


def test_a_function_can_still_be_called_with_its_types() -> None:
    total: int = add(1, second=4)
    add_text: Callable[[], int] = lambda: add("1")  # type: ignore[arg-type]  # noqa: E731 - typed

    assert total == 5
    with pytest.raises(TypeError):
        add_text()


async def test_what_a_function_returns_is_the_result() -> None:
    assert await call(add, first=3) == 5


async def test_a_plain_function_runs_in_another_thread_and_sees_the_same_context() -> None:
    asked: contextvars.ContextVar[str] = contextvars.ContextVar("asked")

    @tool
    def where() -> tuple[int, str]:
        return threading.get_ident(), asked.get()

    asked.set("by the test")
    answer = await call(where)

    assert isinstance(answer, tuple)
    assert answer[0] != threading.get_ident()
    assert answer[1] == "by the test"


async def test_an_async_function_runs_in_the_loop() -> None:
    @tool
    async def where() -> int:
        await anyio.lowlevel.checkpoint()
        return threading.get_ident()

    assert await call(where) == threading.get_ident()


async def test_a_plain_function_that_returns_something_to_await_is_awaited() -> None:
    async def later(number: int) -> int:
        await anyio.lowlevel.checkpoint()
        return number

    @tool
    def wrapped(number: int) -> Awaitable[int]:
        return later(number)

    assert await call(wrapped, number=3) == 3


@pytest.mark.parametrize("error", [ToolError("No file."), ValueError("odd"), KeyError("k")])
async def test_what_a_function_raises_comes_out_as_it_is(error: Exception) -> None:
    @tool
    def fails() -> None:
        raise error

    @tool
    async def fails_later() -> None:
        raise error

    for made in (fails, fails_later):
        with pytest.raises(type(error)) as caught:
            await call(made)
        assert caught.value is error


async def test_a_function_that_raises_stop_iteration_does_not_hang() -> None:
    @tool
    def stops() -> object:
        return next(iter(()))

    with pytest.raises(RuntimeError, match="StopIteration"):
        await call(stops)


async def test_progress_from_a_worker_thread_arrives_in_the_loops_thread_in_order() -> None:
    seen: list[tuple[object, int]] = []

    @tool
    def steps(count: int, context: ToolContext) -> str:
        for step in range(count):
            context.progress(step)
        helper = threading.Thread(target=context.progress, args=("from a helper",))
        helper.start()
        helper.join()
        return "done"

    answer = await call(
        steps, count=3, report=lambda update: seen.append((update, threading.get_ident()))
    )

    here = threading.get_ident()
    assert answer == "done"
    assert seen == [(0, here), (1, here), (2, here), ("from a helper", here)]


async def test_an_async_function_gets_the_context_itself() -> None:
    seen: list[object] = []

    @tool
    async def steps(context: ToolContext) -> str:
        context.progress("half")
        return context.call.name

    assert await call(steps, report=seen.append) == "Any"
    assert seen == ["half"]


def test_the_context_is_hidden_from_the_model_however_it_is_annotated() -> None:
    def plain(context: ToolContext, path: str) -> None: ...
    def optional(path: str, context: ToolContext | None = None) -> None: ...
    def old(path: str, context: Optional[ToolContext] = None) -> None: ...  # noqa: UP045 - as asked
    def annotated(path: str, context: Annotated[ToolContext, "the call"]) -> None: ...
    def quoted(path: str, context: "ToolContext") -> None: ...

    for function in (plain, optional, old, annotated, quoted):
        assert args_of(tool(function), path="a") == {"path": "a"}
        assert problems_of(tool(function), {"path": "a", "context": {}}) == [
            "`context` is not a field of this tool. Its fields are: path."
        ]


def test_annotations_describe_the_fields() -> None:
    @tool
    def find(
        words: Annotated[list[str], "What to look for."],
        limit: Annotated[int, Field(ge=1, le=9, description="How many.")] = 3,
        case: Annotated[Literal["as is", "any"], "How letters count.", Field(examples=["any"])] = (
            "any"
        ),
    ) -> str:
        return f"{words}{limit}{case}"

    assert schema_of(find)["properties"] == {
        "words": {
            "type": "array",
            "description": "What to look for.",
            "items": {"type": "string"},
        },
        "limit": {
            "type": "integer",
            "description": "How many.",
            "default": 3,
            "maximum": 9,
            "minimum": 1,
        },
        "case": {
            "type": "string",
            "description": "How letters count.",
            "enum": ["as is", "any"],
            "default": "any",
            "examples": ["any"],
        },
    }
    assert problems_of(find, {"words": ["a"], "limit": 10}) == [
        "`limit` is not accepted: Input should be less than or equal to 9, got integer 10."
    ]


class Point(BaseModel):
    """A place in the plane."""

    x: int
    y: int = 0


@dataclass
class Size:
    """How large."""

    width: int
    height: int


async def test_parameters_of_every_kind_arrive_as_what_they_were_annotated() -> None:
    @tool
    def draw(
        *,
        at: Point,
        size: Size,
        note: str | None,
        colour: Literal["red", "blue"],
        path: list[Point],
        extra: dict[str, float] | None = None,
    ) -> list[object]:
        return [at, size, note, colour, path, extra]

    answer = await call(
        draw,
        at={"x": 1},
        size={"width": 2, "height": 3},
        note=None,
        colour="red",
        path=[{"x": 4, "y": 5}],
        extra={"a": 1},
    )

    assert answer == [Point(x=1), Size(2, 3), None, "red", [Point(x=4, y=5)], {"a": 1.0}]


async def test_a_parameter_may_bear_any_name() -> None:
    @tool
    def odd(
        *,
        schema: int,
        copy: int,
        _x: int,
        model_config: int,
        __dunder__: int,
        json: int,
        self_: int,
        field_0: int,
        class_: Annotated[int, Field(alias="class")],
    ) -> list[int]:
        return [schema, copy, _x, model_config, __dunder__, json, self_, field_0, class_]

    names = ["schema", "copy", "_x", "model_config", "__dunder__", "json", "self_", "field_0"]
    given: dict[str, Any] = {name: number for number, name in enumerate([*names, "class"])}

    assert schema_of(odd)["required"] == [*names, "class"]
    assert await call(odd, **given) == list(range(9))


async def test_a_mutable_default_is_not_shared_between_calls() -> None:
    @tool
    def collect(item: str, into: list[str] = []) -> list[str]:  # noqa: B006 - what the test is about
        into.append(item)
        return into

    assert await call(collect, item="a") == ["a"]
    assert await call(collect, item="b") == ["b"]


def test_a_default_that_json_does_not_have_is_left_out_of_the_schema() -> None:
    nothing = object()

    @tool
    def maybe(limit: int = nothing) -> bool:  # type: ignore[assignment]  # a sentinel, as some do
        return limit is nothing

    assert schema_of(maybe)["properties"] == {"limit": {"type": "integer"}}
    assert args_of(maybe) == {"limit": nothing}


def test_a_function_without_words_gets_some() -> None:
    @tool
    def mute() -> None: ...

    assert mute.describe(RequestView()) == "Call mute."
    assert schema_of(mute) == {"type": "object", "properties": {}, "additionalProperties": False}


def test_the_args_of_a_function_cannot_be_changed() -> None:
    args: Any = args_of(add, first=1)

    with pytest.raises(TypeError):
        args["first"] = 2


def test_options_say_what_the_function_does_not() -> None:
    @tool(
        name="Look-Up",
        description="Look it up.",
        aliases=["Lookup"],
        search_hint="dictionary of all words",
        strict=True,
        input_examples=[{"word": "a"}],
        should_defer=True,
        always_load=False,
        timeout_seconds=3,
        max_result_chars=UNBOUNDED,
        read_only=True,
        interrupt=Interrupt.BLOCK,
        failure_stops_siblings=True,
        open_world=False,
    )
    def look_up(word: str) -> str:
        """Not this."""
        return word

    assert (look_up.name, look_up.describe(RequestView())) == ("Look-Up", "Look it up.")
    assert look_up.aliases == ("Lookup",)
    assert look_up.search_hint == "dictionary of all words"
    assert look_up.input_examples == ({"word": "a"},)
    assert (look_up.strict, look_up.should_defer, look_up.always_load) == (True, True, False)
    assert (look_up.timeout_seconds, look_up.max_result_chars) == (3, UNBOUNDED)
    assert ask_traits(look_up, args_of(look_up, word="a")) == Traits(
        read_only=True,
        concurrency_safe=True,
        interrupt=Interrupt.BLOCK,
        failure_stops_siblings=True,
        open_world=False,
    )
    assert look_up("a") == "a"


def test_a_function_that_says_nothing_has_careful_traits() -> None:
    traits = ask_traits(add, args_of(add, first=1))

    assert traits == Traits()
    assert (traits.reach, traits.on_interrupt) == (EXCLUSIVE, Interrupt.BLOCK)


def test_traits_may_depend_on_the_args() -> None:
    @tool(
        read_only=lambda args: bool(args["dry_run"]),
        destructive=lambda args: not args["dry_run"],
        access=lambda args: Access(writes={File(args["path"])}),
    )
    def remove(path: str, dry_run: bool = False) -> None: ...

    assert ask_traits(remove, args_of(remove, path="a")) == Traits(
        destructive=True, access=Access(writes={File("a")})
    )
    assert ask_traits(remove, args_of(remove, path="a", dry_run=True)) == Traits(
        read_only=True,
        concurrency_safe=True,
        access=Access(writes={File("a")}),
        open_world=False,
    )


def test_a_reading_function_may_run_beside_others() -> None:
    @tool(read_only=True)
    def look() -> None: ...

    assert ask_traits(look, args_of(look)).reach == READS_ANYTHING


@pytest.mark.parametrize(
    "options",
    [
        {"read_only": lambda args: 1 / 0},
        {"read_only": lambda args: "yes"},
        {"access": lambda args: args["missing"]},
        {"access": lambda args: "/tmp"},
        {"read_only": True, "destructive": True},
    ],
)
def test_traits_that_fail_or_make_no_sense_make_the_call_most_dangerous(options: Any) -> None:
    @tool(**options)
    def odd(path: str) -> None: ...

    assert ask_traits(odd, args_of(odd, path="a")) == MOST_DANGEROUS


def test_a_summary_names_the_parameters() -> None:
    assert add.summary(args_of(add, first=1)) == "add(first=1, second=2)"
    assert add.classifier_input(args_of(add, first=1)) == '{"first": 1, "second": 2}'
