"""No result holds a secret: not what the model reads, not what programs read, not what is saved."""

from collections import ChainMap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from fakes.bench import Bench
from fakes.tools import FakeTool, fake_call, raises, returns
from gantlet.execution import Services
from gantlet.messages import (
    AssistantMessage,
    CallFinished,
    CallProgressed,
    Document,
    Image,
    SearchResult,
    Text,
    Unknown,
    UserMessage,
    freeze,
)
from gantlet.messages.value import replace
from gantlet.system import MASK, Masker
from gantlet.tool import ResultContent, ToolContext, ToolError, ToolResult

SECRET = "correct-horse-battery"
PICTURE = Image(freeze({"type": "base64", "media_type": "image/png", "data": SECRET}))


def _document(text: str) -> Document:
    """Return a document that is a text."""
    return Document(freeze({"type": "text", "media_type": "text/plain", "data": text}))


class Unreadable(dict[str, object]):
    """A mapping that breaks when it is read."""

    def __iter__(self) -> Iterator[str]:
        raise OSError("gone")

    items = __iter__  # type: ignore[assignment]


@dataclass
class Found:
    """What a tool returns as an object of its own."""

    line: str


class Shown(FakeTool):
    """A tool that cannot show what it returned."""

    def to_result_block(self, data: object) -> ResultContent:
        """Fail, and tell too much."""
        raise ToolError(f"no {SECRET} can be shown")


class Masked(Bench):
    """A bench whose environment holds a secret."""

    def _services(self) -> Services:
        """Return the services, with the secret known."""
        return replace(super()._services(), masker=Masker({"API_TOKEN": SECRET}))


@pytest.mark.parametrize(
    ("returned", "content", "structured"),
    [
        pytest.param(f"a {SECRET} b", f"a {MASK} b", f"a {MASK} b", id="text"),
        pytest.param(
            ToolResult("fine", structured={"env": [SECRET], "n": 1}),
            "fine",
            {"env": [MASK], "n": 1},
            id="structured",
        ),
        pytest.param(
            ToolResult([Text(SECRET), PICTURE], structured={"k": "v"}),
            (Text(MASK), PICTURE),
            {"k": "v"},
            id="blocks",
        ),
        pytest.param(
            ToolResult(f"a {SECRET} b", structured=Unreadable(key=SECRET)),
            f"a {MASK} b",
            f"a {MASK} b",
            id="beside what cannot be read",
        ),
        pytest.param(ToolResult("fine", structured={SECRET: 1}), "fine", {MASK: 1}, id="as a key"),
        pytest.param(
            ToolResult([_document(SECRET)], structured={"k": "v"}),
            (_document(MASK),),
            {"k": "v"},
            id="document of text",
        ),
    ],
)
async def test_a_secret_is_masked_in_every_form_of_result(
    returned: object, content: object, structured: object, tmp_path: Path
) -> None:
    answer = await Masked([FakeTool(returns(returned))], tmp_path).answer(fake_call())

    assert (answer.block.content, answer.structured) == (content, structured)


def _found(text: str) -> SearchResult:
    """Return something found."""
    return SearchResult(text, text, freeze([{"type": "text", "text": text}]))


def _says(text: str) -> tuple[UserMessage | AssistantMessage, ...]:
    """Return messages in every form that hold a text."""
    titled = Document(freeze({"type": "text", "media_type": "text/plain", "data": text}), text)
    strange = Unknown(freeze({"type": "novel", "words": [text]}))
    return (
        UserMessage(f"a {text} b"),
        UserMessage((Text(text), PICTURE, titled, _found(text), strange)),
        AssistantMessage((Text(text),)),
    )


async def test_a_secret_is_masked_in_what_comes_with_a_result(tmp_path: Path) -> None:
    meta = {"trace": {"token": [SECRET]}, SECRET: 1}
    returned = ToolResult("fine", new_messages=_says(SECRET), meta=meta)

    answer = await Masked([FakeTool(returns(returned))], tmp_path).answer(fake_call())

    assert answer.new_messages == _says(MASK)
    assert answer.meta == {"trace": {"token": [MASK]}, MASK: 1}


async def test_what_comes_with_a_result_and_holds_no_secret_stays(tmp_path: Path) -> None:
    returned = ToolResult("fine", new_messages=_says("plain"), meta={"a": PICTURE})

    answer = await Masked([FakeTool(returns(returned))], tmp_path).answer(fake_call())

    assert (answer.new_messages, answer.meta) == (_says("plain"), {"a": PICTURE})


async def test_what_comes_with_a_result_and_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    broken = UserMessage(7)  # type: ignore[arg-type]  # as a tool may
    returned = ToolResult("fine", new_messages=(broken,), meta=ChainMap(Unreadable(key=SECRET)))

    answer = await Masked([FakeTool(returns(returned))], tmp_path).answer(fake_call())

    assert (answer.block.content, answer.new_messages, answer.meta) == ("fine", (), {})


async def test_a_secret_is_masked_in_everything_found(tmp_path: Path) -> None:
    answer = await Masked([FakeTool(returns([_found(SECRET)]))], tmp_path).answer(fake_call())

    assert answer.block.content == (_found(MASK),)


async def test_a_secret_is_masked_in_a_failure(tmp_path: Path) -> None:
    bench = Masked([FakeTool(raises(ToolError(f"refused {SECRET}")))], tmp_path)

    answer = await bench.answer(fake_call())

    assert MASK in str(answer.block.content)
    assert SECRET not in f"{answer.block.content}{answer.structured}"


async def test_a_secret_is_masked_in_a_failure_to_show_the_result(tmp_path: Path) -> None:
    answer = await Masked([Shown(returns("fine"))], tmp_path).answer(fake_call())

    assert MASK in str(answer.block.content)
    assert SECRET not in f"{answer.block.content}{answer.structured}"


@pytest.mark.parametrize(
    "returned",
    [SECRET, SECRET.encode(), Found(SECRET), {"line": Found(SECRET)}, {SECRET}, [Text(SECRET)]],
    ids=lambda returned: type(returned).__name__,
)
async def test_a_secret_is_masked_in_what_is_told(returned: object, tmp_path: Path) -> None:

    def run(args: object, context: ToolContext) -> object:
        context.report(returned)
        return returned

    bench = Masked([FakeTool(run)], tmp_path)

    await bench.answer(fake_call())

    told = [one for one in bench.events if isinstance(one, CallProgressed | CallFinished)]
    assert len(told) == 2
    assert SECRET not in str(told)
    assert str(told).count(MASK) == 3


@pytest.mark.parametrize("data", [{"line": SECRET}, [SECRET]], ids=["object", "list"])
async def test_a_secret_is_masked_in_data_that_is_no_picture(data: object, tmp_path: Path) -> None:
    returned = ToolResult("fine", structured={"type": "event", "data": data})

    answer = await Masked([FakeTool(returns(returned))], tmp_path).answer(fake_call())

    assert SECRET not in str(answer.structured)
    assert MASK in str(answer.structured)


async def test_a_secret_is_masked_in_what_is_saved(tmp_path: Path) -> None:
    bench = Masked([FakeTool(returns(f"{SECRET}\n" * 20_000))], tmp_path)

    await bench.answer(fake_call())

    saved = bench.spilled[0].read_text()
    assert saved == f"{MASK}\n" * 20_000


async def test_a_secret_is_masked_beside_a_structure_that_contains_itself(tmp_path: Path) -> None:
    endless: dict[str, object] = {}
    endless["again"] = endless
    returned = ToolResult(f"a {SECRET} b", structured=endless)

    answer = await Masked([FakeTool(returns(returned))], tmp_path).answer(fake_call())

    assert answer.block.content == f"a {MASK} b"
    assert answer.structured == f"a {MASK} b"
