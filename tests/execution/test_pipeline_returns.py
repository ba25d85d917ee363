"""A tool may return anything; the model reads something sensible, and no call is lost."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import BaseModel

from fakes.bench import Bench
from fakes.tools import FakeInput, FakeTool, fake_call, returns
from gantlet.execution import Answer, Failed, Succeeded
from gantlet.messages import (
    AssistantMessage,
    CallFinished,
    ContextChangeDropped,
    Document,
    FrozenDict,
    FrozenList,
    Image,
    Notice,
    NoticeLevel,
    ResultBlock,
    SearchResult,
    Text,
    ToolReference,
    Unknown,
    UserMessage,
)
from gantlet.tool import EXCLUSIVE, ResultContent, Surroundings, ToolContext, ToolResult, Traits

PICTURE = Image(FrozenDict(type="base64", media_type="image/png", data="AAAA"))
BLOCKS = (
    Text("One:"),
    PICTURE,
    Document(FrozenDict(type="url", url="https://example.test/a.pdf"), title="A"),
    ToolReference("Fake"),
    SearchResult("https://example.test", "T", FrozenList([{"type": "text", "text": "x"}])),
    Unknown({"type": "new_block", "a": 1}),
)


@dataclass(frozen=True)
class Point:
    """Two numbers."""

    x: int
    y: int


class Model(BaseModel):
    """One word."""

    word: str


class Mute:
    """Cannot be shown in any way."""

    def __repr__(self) -> str:
        raise RuntimeError("do not look at me")

    __str__ = __repr__


async def answer_to(folder: Path, value: object) -> Answer:
    """Return the answer of a call that returned a value; one after it must go on as ever."""
    alone = Traits(read_only=True, access=EXCLUSIVE)
    bench = Bench([FakeTool(returns(value), traits=alone), FakeTool(name="Next")], folder)

    answer, following = await bench.answers(fake_call("Fake", "c1"), fake_call("Next", "c2"))

    assert following.block == ResultBlock("c2", "done")
    assert [event.call_id for event in bench.told(CallFinished)] == ["c1", "c2"]
    return answer


@pytest.mark.parametrize(
    ("value", "content"),
    [
        ("text", "text"),
        ("", ""),
        (None, ""),
        (True, "true"),
        (7, "7"),
        (1.5, "1.5"),
        ({"a": [1, None]}, '{"a": [1, null]}'),
        ([], "[]"),
        (Point(1, 2), '{"x": 1, "y": 2}'),
        (Model(word="ä"), '{"word": "ä"}'),
        ("lone \ud800 and \udc80", "lone \ud800 and \udc80"),
        (PICTURE, (PICTURE,)),
        (BLOCKS, BLOCKS),
        (list(BLOCKS), BLOCKS),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_a_value_is_read_as_text_json_or_blocks(
    tmp_path: Path, value: object, content: ResultContent
) -> None:
    answer = await answer_to(tmp_path, value)

    assert isinstance(answer.outcome, Succeeded)
    assert answer.block == ResultBlock("c1", content)


@pytest.mark.parametrize(
    "value",
    [
        b"bytes \xff",
        bytearray(b"x"),
        10**5000,
        {"big": 10**5000},
        float("inf"),
        object(),
        {object()},
        {1: 2, (3, 4): 5},
        lambda: None,
        Mute(),
        [Mute()],
        {"a": Mute()},
        Point(Mute(), 1),  # type: ignore[arg-type]  # nonsense on purpose
        Exception("returned, not raised"),
        Path,
        (Text("mixed"), "with text"),
        Unknown({"a": float("nan")}),
        range(3),
    ],
    ids=lambda value: type(value).__name__,
)
async def test_whatever_a_tool_returns_the_call_has_one_answer(
    tmp_path: Path, value: object
) -> None:
    answer = await answer_to(tmp_path, value)

    assert isinstance(answer.outcome, Succeeded | Failed)
    assert answer.block.tool_use_id == "c1"
    assert answer.block.content == answer.outcome.content


async def test_a_value_that_contains_itself_has_one_answer(tmp_path: Path) -> None:
    endless: list[object] = []
    endless.append(endless)

    answer = await answer_to(tmp_path, endless)

    assert answer.block == ResultBlock("c1", "[[...]]")


@pytest.mark.parametrize(
    "structured",
    [Mute(), {"a": Mute()}, {1: 2}, b"x", 10**5000, object()],
    ids=lambda value: type(value).__name__,
)
async def test_a_result_for_programs_that_is_no_json_costs_nothing(
    tmp_path: Path, structured: object
) -> None:
    answer = await answer_to(tmp_path, ToolResult("fine", structured=structured))

    assert answer.block == ResultBlock("c1", "fine")


async def test_everything_that_comes_with_a_result_is_passed_through(tmp_path: Path) -> None:
    def move(surroundings: Surroundings) -> Surroundings:
        return surroundings.moved_to("/")

    messages = (UserMessage("Look here."), AssistantMessage("Yes."))
    output: ToolResult[object] = ToolResult("text", messages, move, {"n": 1}, {"server": "tracker"})

    answer = await answer_to(tmp_path, output)

    assert answer == Answer(
        call=answer.call,
        outcome=Succeeded(output, "text"),
        block=ResultBlock("c1", "text"),
        record=answer.record,
        structured={"n": 1},
        new_messages=messages,
        meta={"server": "tracker"},
        modifier=move,
    )


async def test_the_data_itself_is_the_result_for_programs_where_there_is_no_other(
    tmp_path: Path,
) -> None:
    answer = await answer_to(tmp_path, {"n": [1, 2]})

    assert answer.structured == {"n": [1, 2]}


async def test_blocks_are_a_result_for_programs_as_on_the_wire(tmp_path: Path) -> None:
    bench = Bench([FakeTool(returns((Text("One:"), PICTURE)))], tmp_path)

    answer = await bench.answer(fake_call())

    wire = [
        {"type": "text", "text": "One:"},
        {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"},
        },
    ]
    assert answer.structured == wire
    assert [event.structured for event in bench.told(CallFinished)] == [wire]


@pytest.mark.parametrize(
    "messages", ["abc", 5, None, ("no message",), [object()], {"a": 1}, (Text("a block"),)]
)
async def test_messages_that_are_none_are_dropped_and_the_result_stays(
    tmp_path: Path, messages: object, caplog: pytest.LogCaptureFixture
) -> None:
    output = ToolResult("fine", new_messages=messages)  # type: ignore[arg-type]  # nonsense on purpose

    answer = await answer_to(tmp_path, output)

    assert (answer.outcome, answer.new_messages) == (Succeeded(ToolResult("fine"), "fine"), ())
    logged = [record.getMessage() for record in caplog.records if record.levelno == logging.ERROR]
    assert logged == ["Fake returned new_messages that are no messages; dropped."]


async def test_messages_in_a_list_are_messages(tmp_path: Path) -> None:
    output = ToolResult("fine", new_messages=[UserMessage("a")])  # type: ignore[arg-type]  # a list

    answer = await answer_to(tmp_path, output)

    assert answer.new_messages == (UserMessage("a"),)


@pytest.mark.parametrize("meta", [None, 5, "abc", ["a"]])
async def test_meta_that_is_no_mapping_is_dropped_and_the_result_stays(
    tmp_path: Path, meta: object
) -> None:
    answer = await answer_to(tmp_path, ToolResult("fine", meta=meta))  # type: ignore[arg-type]

    expected: Mapping[str, object] = {}
    assert (answer.block, answer.meta) == (ResultBlock("c1", "fine"), expected)


@pytest.mark.parametrize(
    "modifier",
    [5, lambda: None, lambda now: None, lambda now: now.nowhere],
    ids=["a number", "takes nothing", "returns nothing", "raises"],
)
async def test_a_context_change_that_cannot_be_made_is_dropped_and_told(
    tmp_path: Path, modifier: object
) -> None:
    output = ToolResult("fine", context_modifier=modifier)  # type: ignore[arg-type]
    changing = FakeTool(returns(output), traits=Traits(access=EXCLUSIVE))
    after = FakeTool(name="After")
    bench = Bench([changing, after], tmp_path)

    answers = await bench.answers(fake_call("Fake", "a"), fake_call("After", "b"))

    assert [answer.block.content for answer in answers] == ["fine", "done"]
    assert [context.surroundings.cwd for _, context in after.seen] == [str(tmp_path)]
    assert [(notice.level, notice.call_id) for notice in bench.told(Notice)] == [
        (NoticeLevel.WARNING, "a")
    ]


async def test_a_context_change_of_a_call_that_ran_beside_others_is_dropped(
    tmp_path: Path,
) -> None:
    bench = Bench([FakeTool(returns(ToolResult("x", context_modifier=lambda now: now)))], tmp_path)

    await bench.answer(fake_call())

    assert bench.told(ContextChangeDropped) == [ContextChangeDropped("c1")]


class Shows(FakeTool):
    """Shows its output in a way of its own."""

    def __init__(self, shown: object) -> None:
        super().__init__()
        self._shown = shown

    def to_result_block(self, data: object) -> ResultContent:
        if isinstance(self._shown, BaseException):
            raise self._shown
        shown: ResultContent = self._shown  # type: ignore[assignment]  # nonsense on purpose
        return shown


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(1), GeneratorExit()], ids=repr)
async def test_an_output_that_the_tool_cannot_show_is_a_failed_call(
    tmp_path: Path, error: BaseException
) -> None:
    answer = await Bench([Shows(error)], tmp_path).answer(fake_call())

    message = (
        f"Fake broke with {type(error).__name__}; this is a bug in the tool, not in your call."
        " Try another way."
    )
    text = f"<tool_use_error>{message}</tool_use_error>"
    assert answer.outcome == Failed(text, message, type(error).__name__)


@pytest.mark.parametrize(
    ("shown", "content"), [(None, ""), (42, "42"), (["a"], '["a"]'), (BLOCKS, BLOCKS)]
)
async def test_an_output_shown_as_something_else_is_made_readable(
    tmp_path: Path, shown: object, content: ResultContent
) -> None:
    answer = await Bench([Shows(shown)], tmp_path).answer(fake_call())

    assert answer.block == ResultBlock("c1", content)


async def test_a_way_to_show_that_is_a_coroutine_is_a_bug_in_the_tool(tmp_path: Path) -> None:
    class Later(FakeTool):
        async def to_result_block(self, data: object) -> str:  # type: ignore[override]
            return "later"

    answer = await Bench([Later()], tmp_path).answer(fake_call())

    assert answer.record.error_class == "TypeError"


async def test_a_result_of_blocks_that_cannot_be_sent_is_a_bug_in_the_tool(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    answer = await answer_to(tmp_path, Unknown({"a": float("nan")}))

    assert (answer.record.outcome, answer.record.error_class) == ("failed", "ValueError")
    assert [record.getMessage() for record in caplog.records] == ["Fake broke; this is a bug."]


async def test_a_tool_is_told_its_call_its_message_and_where_it_stands(tmp_path: Path) -> None:
    tool = FakeTool()

    await Bench([tool], tmp_path).answer(fake_call(text="a"))

    [(args, context)] = tool.seen
    assert args == FakeInput(text="a")
    assert context == ToolContext(
        call=fake_call(text="a"),
        surroundings=Surroundings(cwd=str(tmp_path)),
        message_id="msg_1",
        report=context.report,
    )
