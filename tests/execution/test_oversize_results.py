"""Results that are too big: what the model reads of them, and that nothing is lost or kept."""

import gc
import weakref
from pathlib import Path

import pytest

from fakes.bench import Bench
from fakes.tools import FakeInput, FakeTool, fake_call, raises, returns
from gantlet.execution import ExecutionSettings, Failed, Invalid, Spill, Succeeded
from gantlet.messages import CallFinished, ResultBlock, ToolUse
from gantlet.tool import UNBOUNDED, Rejected, ToolContext, ToolError, ToolResult


def preview(whole: str, path: Path, head: int = 2_000, tail: int = 1_000) -> str:
    """Return what a model reads in place of a long plain text."""
    return (
        f"[The output has {len(whole):,} characters and was saved whole to {path}."
        " Read it there in parts.]\n"
        f"{whole[:head]}\n"
        f"[… {len(whole) - head - tail:,} characters left out …]\n"
        f"{whole[-tail:]}"
    )


def long_text(chars: int, mark: str = "") -> str:
    """Return a text whose every part differs."""
    lines = "".join(f"{mark}{number:07}\n" for number in range(chars // 8 + 1))
    return lines[:chars]


def file_names(folder: Path) -> list[str]:
    """Return the names of all files in a folder."""
    return sorted(path.name for path in folder.iterdir())


async def test_a_result_of_exactly_the_limit_stays(tmp_path: Path) -> None:
    whole = long_text(50_000)
    bench = Bench([FakeTool(returns(whole))], tmp_path)

    answer = await bench.answer(fake_call())

    assert (answer.block, bench.spilled) == (ResultBlock("c1", whole), [])


async def test_a_result_over_the_limit_goes_to_a_file_and_is_previewed(tmp_path: Path) -> None:
    whole = long_text(50_001)
    bench = Bench([FakeTool(returns(whole))], tmp_path)

    answer = await bench.answer(fake_call())

    path = tmp_path / "tool-results" / "c1.txt"
    text = preview(whole, path)
    assert (bench.spilled, path.read_text()) == ([path], whole)
    assert answer.outcome == Succeeded(ToolResult(text), text)
    assert answer.block == ResultBlock("c1", text)
    assert answer.record.result_chars == len(text) < 4_000
    assert answer.structured == text
    assert [event.result for event in bench.told(CallFinished)] == [answer.block]


async def test_a_tool_has_its_own_limit(tmp_path: Path) -> None:
    whole = long_text(30_001)
    tool = FakeTool(returns(whole))
    tool.max_result_chars = 30_000
    bench = Bench([tool], tmp_path)

    answer = await bench.answer(fake_call())

    assert answer.block.content == preview(whole, bench.spilled[0])


async def test_a_small_limit_makes_a_small_preview(tmp_path: Path) -> None:
    whole = long_text(151)
    tool = FakeTool(returns(whole))
    tool.max_result_chars = 150
    bench = Bench([tool], tmp_path)

    answer = await bench.answer(fake_call())

    assert answer.block.content == preview(whole, bench.spilled[0], head=100, tail=50)


async def test_a_tool_that_bounds_itself_is_never_sent_to_a_file(tmp_path: Path) -> None:
    whole = long_text(1_000_000)
    tool = FakeTool(returns(whole))
    tool.max_result_chars = UNBOUNDED
    bench = Bench([tool], tmp_path)

    answers = await bench.answers(fake_call("Fake", "a"), fake_call("Fake", "b"))

    assert [answer.block.content for answer in answers] == [whole, whole]
    assert bench.spilled == []


async def test_data_that_is_no_text_is_bounded_as_what_the_model_reads(tmp_path: Path) -> None:
    bench = Bench([FakeTool(returns({"numbers": list(range(20_000))}))], tmp_path)

    answer = await bench.answer(fake_call())

    [path] = bench.spilled
    assert path.read_text().startswith('{"numbers": [0, 1, 2,')
    assert answer.block.content == preview(path.read_text(), path)


async def test_a_short_result_for_programs_outlives_the_long_one_for_the_model(
    tmp_path: Path,
) -> None:
    output = ToolResult(long_text(60_000), structured={"lines": 7_500}, meta={"a": 1})

    answer = await Bench([FakeTool(returns(output))], tmp_path).answer(fake_call())

    assert (answer.structured, answer.meta) == ({"lines": 7_500}, {"a": 1})


@pytest.mark.parametrize("structured", [{"whole": "x" * 60_000}, object()])
async def test_a_long_result_for_programs_goes_with_the_one_for_the_model(
    tmp_path: Path, structured: object
) -> None:
    output = ToolResult(long_text(60_000), structured=structured)

    answer = await Bench([FakeTool(returns(output))], tmp_path).answer(fake_call())

    assert answer.structured == answer.block.content


async def test_a_failure_has_a_limit_of_its_own(tmp_path: Path) -> None:
    whole = long_text(10_001)
    bench = Bench([FakeTool(raises(ToolError(whole, is_benign=True)))], tmp_path)

    answer = await bench.answer(fake_call())

    [path] = bench.spilled
    message = preview(whole, path)
    text = f"<tool_use_error>{message}</tool_use_error>"
    assert answer.outcome == Failed(text, message, "ToolError", is_benign=True)
    assert answer.block == ResultBlock("c1", text, is_error=True)
    assert (path.read_text(), answer.structured) == (whole, f"Error: {message}")


async def test_a_failure_within_its_limit_stays(tmp_path: Path) -> None:
    tool = FakeTool(raises(ToolError(long_text(9_000))))
    bench = Bench([tool], tmp_path)

    answer = await bench.answer(fake_call())

    assert len(str(answer.block.content)) > 9_000
    assert bench.spilled == []


async def test_an_endless_rejection_is_bounded(tmp_path: Path) -> None:
    whole = long_text(20_000)
    bench = Bench([FakeTool(check=returns(Rejected(whole, 4)))], tmp_path)

    answer = await bench.answer(fake_call())

    message = preview(whole, bench.spilled[0])
    assert answer.outcome == Invalid(f"<tool_use_error>{message}</tool_use_error>", message, 4)


async def test_endless_problems_of_an_input_are_bounded(tmp_path: Path) -> None:
    bench = Bench([FakeTool()], tmp_path)

    answer = await bench.answer(ToolUse("c1", "Fake", {"x" * 100_000: 1}))

    assert answer.record.outcome == "invalid"
    assert len(str(answer.block.content)) < 10_100


async def test_the_results_of_a_reply_share_a_budget_in_the_order_of_the_calls(
    tmp_path: Path,
) -> None:
    texts = {name: long_text(45_000, name) for name in "abcdef"}
    tool = FakeTool(lambda args, context: texts[args.text])
    bench = Bench([tool], tmp_path)

    answers = await bench.answers(*(fake_call("Fake", name, text=name) for name in "abcdef"))

    kept = [answer.block.content for answer in answers[:4]]
    assert kept == [texts[name] for name in "abcd"]
    assert [answer.block.content for answer in answers[4:]] == [
        preview(texts[name], tmp_path / "tool-results" / f"{name}.txt") for name in "ef"
    ]
    assert [path.read_text() for path in bench.spilled] == [texts["e"], texts["f"]]
    assert [answer.record.result_chars for answer in answers[3:5]] == [
        45_000,
        len(str(answers[4].block.content)),
    ]
    assert answers[4].structured == answers[4].block.content


async def test_what_a_self_bounded_tool_takes_counts_for_those_behind_it(tmp_path: Path) -> None:
    reader = FakeTool(returns(long_text(190_000)), name="Read")
    reader.max_result_chars = UNBOUNDED
    bench = Bench([reader, FakeTool(returns(long_text(20_000)))], tmp_path)

    answers = await bench.answers(
        fake_call("Fake", "a"), fake_call("Read", "b"), fake_call("Fake", "c")
    )

    sizes = [answer.record.result_chars for answer in answers]
    assert sizes[:2] == [20_000, 190_000]
    assert sizes[2] < 4_000


async def test_what_is_no_longer_than_a_preview_stays_when_the_budget_is_used_up(
    tmp_path: Path,
) -> None:
    small, large = FakeTool(returns(long_text(3_000)), name="Small"), long_text(40_000)
    settings = ExecutionSettings(reply_budget_chars=40_000)
    bench = Bench([small, FakeTool(returns(large))], tmp_path, settings=settings)

    answers = await bench.answers(
        fake_call("Fake", "a"), fake_call("Small", "b"), fake_call("Small", "c")
    )

    assert [answer.record.result_chars for answer in answers] == [40_000, 3_000, 3_000]
    assert bench.spilled == []


async def test_long_failures_share_the_budget_too(tmp_path: Path) -> None:
    whole = long_text(9_000)
    settings = ExecutionSettings(reply_budget_chars=10_000)
    bench = Bench([FakeTool(raises(ToolError(whole)))], tmp_path, settings=settings)

    first, second = await bench.answers(fake_call("Fake", "a"), fake_call("Fake", "b"))

    message = preview(whole, tmp_path / "tool-results" / "b.txt")
    text = f"<tool_use_error>{message}</tool_use_error>"
    assert first.record.result_chars > 9_000
    assert second.outcome == Failed(text, message, "ToolError")
    assert second.block == ResultBlock("b", text, is_error=True)


async def test_what_was_replaced_once_stays_so_identically(tmp_path: Path) -> None:
    spill, whole = Spill(tmp_path / "results"), long_text(60_000)

    first = await spill.fit("c1", whole, 50_000)
    (tmp_path / "results" / "c1.txt").unlink()

    assert await spill.fit("c1", whole, 50_000) is first
    assert await spill.fit("c1", whole, 1_000_000) is first
    assert await spill.fit("c1", first, 10) is first
    assert spill.fit_now("c1", whole, 50_000) is first
    assert spill.fit_now("c1", first, 0) is first


async def test_what_was_replaced_is_replaced_identically_by_another_session(
    tmp_path: Path,
) -> None:
    whole = long_text(60_000)

    before = await Spill(tmp_path).fit("c1", whole, 50_000)
    after = Spill(tmp_path).fit_now("c1", whole, 50_000)

    assert before == after
    assert file_names(tmp_path) == ["c1.txt"]


async def test_a_second_result_under_the_same_id_is_not_taken_for_the_first(
    tmp_path: Path,
) -> None:
    first, second = long_text(60_000, "a"), long_text(60_000, "b")
    bench = Bench([FakeTool(lambda args, context: first if args.text else second)], tmp_path)

    answers = await bench.answers(fake_call(text="first"), fake_call())

    paths = [tmp_path / "tool-results" / "c1.txt", *bench.spilled]
    other = next(path for path in paths[1:] if path != paths[0])
    contents = {answer.block.content for answer in answers}
    assert contents == {preview(paths[0].read_text(), paths[0]), preview(other.read_text(), other)}
    assert {paths[0].read_text(), other.read_text()} == {first, second}


async def test_a_short_result_under_the_id_of_a_long_one_is_itself(tmp_path: Path) -> None:
    spill = Spill(tmp_path)

    await spill.fit("c1", long_text(60_000), 50_000)

    assert await spill.fit("c1", "short", 50_000) == "short"
    assert spill.fit_now("c1", "short", 50_000) == "short"


class Bulk(str):
    """A text that can be asked whether it is still there."""

    __slots__ = ("__weakref__",)


async def test_nothing_holds_on_to_fifty_results_of_a_megabyte(tmp_path: Path) -> None:
    alive: list[weakref.ref[Bulk]] = []

    def run(args: FakeInput, context: ToolContext) -> Bulk:
        whole = Bulk(f"{args.count:09}\n" * 100_000)
        alive.append(weakref.ref(whole))
        if args.text:
            raise ToolError(whole)
        return whole

    bench = Bench([FakeTool(run)], tmp_path)
    calls = [fake_call("Fake", f"c{number}", count=number) for number in range(40)]
    failures = [fake_call("Fake", f"f{number}", text="fail") for number in range(10)]

    answers = await bench.answers(*calls, *failures)
    gc.collect()

    assert len(alive) == 50
    assert [ref() for ref in alive if ref() is not None] == []
    assert sum(len(str(answer)) for answer in answers) < 50 * 20_000
    assert sum(path.stat().st_size for path in bench.spilled) == 50_000_000
