"""Results made of blocks that are too big: text goes to a file, media stay or go whole."""

import json
from pathlib import Path

import pytest

from fakes.bench import Bench
from fakes.tools import FakeTool, fake_call, returns
from gantlet.execution import Answer, Spill, Succeeded
from gantlet.execution.oversize import MAX_MEDIA_CHARS, size_of
from gantlet.messages import (
    Block,
    Document,
    FrozenDict,
    FrozenList,
    Image,
    ResultBlock,
    SearchResult,
    Text,
    ToolReference,
    Unknown,
)
from gantlet.tool import UNBOUNDED

PICTURE = Image(FrozenDict(type="base64", media_type="image/png", data="A" * 100_000))
PDF = Document(FrozenDict(type="base64", media_type="application/pdf", data="A" * 100_000))
FOUND = FrozenList([{"type": "text", "text": "x" * 60_000}])


def preview(whole: str, path: Path) -> str:
    """Return what a model reads in place of a long plain text."""
    return (
        f"[The output has {len(whole):,} characters and was saved whole to {path}."
        " Read it there in parts.]\n"
        f"{whole[:2_000]}\n[… {len(whole) - 3_000:,} characters left out …]\n{whole[-1_000:]}"
    )


async def answer_to(folder: Path, *blocks: Block) -> Answer:
    """Return the answer of a call that returned blocks."""
    return await Bench([FakeTool(returns(blocks))], folder).answer(fake_call())


def read(folder: Path, name: str) -> str:
    """Return a spilled text."""
    return (folder / "tool-results" / name).read_text()


async def test_blocks_that_fit_together_stay(tmp_path: Path) -> None:
    blocks = (Text("x" * 25_000), PICTURE, PDF, Text("y" * 25_000))

    answer = await answer_to(tmp_path, *blocks)

    assert answer.block == ResultBlock("c1", blocks)
    assert not (tmp_path / "tool-results").exists()


async def test_the_block_that_is_too_long_is_replaced_and_the_others_stay(tmp_path: Path) -> None:
    whole = "x" * 60_000

    answer = await answer_to(tmp_path, Text("before"), Text(whole), PICTURE, Text("after"))

    path = tmp_path / "tool-results" / "c1.txt"
    content = (Text("before"), Text(preview(whole, path)), PICTURE, Text("after"))
    assert answer.block == ResultBlock("c1", content)
    assert isinstance(answer.outcome, Succeeded)
    assert answer.outcome.output.data == content
    assert path.read_text() == whole


async def test_what_the_api_was_told_about_a_block_stays_with_its_preview(tmp_path: Path) -> None:
    extra = FrozenDict(cache_control={"type": "ephemeral"})
    cited = Text("x" * 60_000, citations=FrozenList([{"start": 59_000}]), extra=extra)

    answer = await answer_to(tmp_path, cited)

    whole = preview(cited.text, tmp_path / "tool-results" / "c1.txt")
    assert answer.block.content == (Text(whole, extra=extra),)


async def test_many_small_blocks_that_are_too_long_together_have_one_preview(
    tmp_path: Path,
) -> None:
    blocks = [Text(f"{number:0100}") for number in range(10_000)]

    answer = await answer_to(tmp_path, *blocks)

    content = answer.block.content
    assert isinstance(content, tuple)
    assert content[:500] == tuple(blocks[:500])
    assert len(content) == 501
    assert size_of(content) < 55_000
    assert read(tmp_path, "c1.txt") == "\n\n".join(block.text for block in blocks[500:])


async def test_many_long_blocks_have_one_preview(tmp_path: Path) -> None:
    blocks = [Text(f"{number:06}" * 10_000) for number in range(50)]

    answer = await answer_to(tmp_path, *blocks)

    path = tmp_path / "tool-results" / "c1.txt"
    whole = "\n\n".join(block.text for block in blocks)
    assert answer.block.content == (Text(preview(whole, path)),)
    assert path.read_text() == whole


@pytest.mark.parametrize(
    "block",
    [
        SearchResult("https://example.test", "T", FOUND),
        Unknown({"type": "new_block", "payload": "x" * 60_000}),
        Document(FrozenDict(type="text", media_type="text/plain", data="x" * 60_000)),
        Document(FrozenDict(type="content", content=FOUND)),
    ],
    ids=["search_result", "unknown", "text document", "content document"],
)
async def test_a_long_block_of_another_kind_goes_to_a_file_as_json(
    tmp_path: Path, block: Block
) -> None:
    answer = await answer_to(tmp_path, Text("Found:"), block)

    content = answer.block.content
    assert isinstance(content, tuple)
    assert content[0] == Text("Found:")
    assert isinstance(content[1], Text)
    assert len(content[1].text) < 4_000
    assert "x" * 60_000 in read(tmp_path, "c1.json")
    assert isinstance(json.loads(read(tmp_path, "c1.json")), dict)


async def test_references_to_tools_count_by_their_names(tmp_path: Path) -> None:
    blocks = tuple(ToolReference(f"Tool{number}") for number in range(100))

    answer = await answer_to(tmp_path, *blocks)

    assert (answer.block.content, answer.record.result_chars) == (blocks, 590)


@pytest.mark.parametrize("limit", [50_000, UNBOUNDED])
async def test_media_that_the_api_would_refuse_go_to_a_file_whatever_the_limit(
    tmp_path: Path, limit: float
) -> None:
    data = "A" * (MAX_MEDIA_CHARS + 1)
    large = Image(FrozenDict(type="base64", media_type="image/png", data=data))
    paper = Document(FrozenDict(type="base64", media_type="application/pdf", data=data))
    tool = FakeTool(returns((Text("Look:"), large, PICTURE, paper)))
    tool.max_result_chars = limit

    answer = await Bench([tool], tmp_path).answer(fake_call())

    first, second = (tmp_path / "tool-results" / name for name in ("c1-1.json", "c1-3.json"))
    size = len(first.read_text()), len(second.read_text())
    assert answer.block.content == (
        Text("Look:"),
        Text(
            f"[The image has {size[0]:,} characters, more than can be shown, and was saved whole"
            f" to {first}. Read it there in parts.]"
        ),
        PICTURE,
        Text(
            f"[The document has {size[1]:,} characters, more than can be shown, and was saved"
            f" whole to {second}. Read it there in parts.]"
        ),
    )
    assert json.loads(first.read_text())["source"]["data"] == data


async def test_media_of_exactly_what_the_api_takes_stay(tmp_path: Path) -> None:
    data = "A" * MAX_MEDIA_CHARS
    large = Image(FrozenDict(type="base64", media_type="image/png", data=data))

    answer = await answer_to(tmp_path, large)

    assert answer.block.content == (large,)


def test_large_media_are_replaced_at_once_too(tmp_path: Path) -> None:
    data = "A" * (MAX_MEDIA_CHARS + 1)
    large = Image(FrozenDict(type="base64", media_type="image/png", data=data))

    fitted = Spill(tmp_path).fit_now("c1", (large,), UNBOUNDED)

    assert [type(block) for block in fitted] == [Text]
    assert size_of(fitted) < 500


async def test_blocks_that_were_replaced_once_stay_so_identically(tmp_path: Path) -> None:
    spill, blocks = Spill(tmp_path), (Text("a" * 60_000), PICTURE)

    first = await spill.fit("c1", blocks, 50_000)

    assert await spill.fit("c1", blocks, 50_000) is first
    assert spill.fit_now("c1", first, 0) is first


async def test_blocks_over_the_budget_of_the_reply_keep_their_pictures(tmp_path: Path) -> None:
    blocks = (Text("a" * 30_000), PICTURE, Text("b" * 10_000))
    bench = Bench([FakeTool(returns(blocks))], tmp_path)

    answers = await bench.answers(*(fake_call("Fake", f"c{number}") for number in range(6)))

    path = tmp_path / "tool-results" / "c5.txt"
    whole = "a" * 30_000 + "\n\n" + "b" * 10_000
    assert [answer.block.content for answer in answers[:5]] == [blocks] * 5
    assert answers[5].block.content == (Text(preview(whole, path)), PICTURE)
    assert answers[5].structured is not None
