"""Where results that are too big go: private, inside their folder, whole, or not at all."""

import os
import resource
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.bench import Bench
from fakes.tools import FakeTool, fake_call, raises, returns
from gantlet.execution import Failed, Spill, Succeeded
from gantlet.messages import Text
from gantlet.tool import ToolError

LIMIT = 50_000
WHOLE = "".join(f"{number:07}\n" for number in range(10_000))
HOSTILE_IDS = [
    "",
    ".",
    "..",
    "../../x",
    "/etc/passwd",
    "a/b",
    "nul\0byte",
    "x" * 300,
    "x" * 5_000,
    "new\nline",
    "späce",
    "\ud800",
    "\x1b[31m",
    ".hidden",
    "CON",
    "-rf",
    "c1.txt",
    "~",
    "$HOME",
    "a b",
]


def mode(path: Path) -> str:
    """Return a file's permissions."""
    return oct(stat.S_IMODE(path.lstat().st_mode))


@contextmanager
def as_nobody_special() -> Iterator[None]:
    """Give up the rights of root for a while, to whom nothing is forbidden."""
    is_root = os.geteuid() == 0
    if is_root:
        os.seteuid(65534)
    try:
        yield
    finally:
        if is_root:
            os.seteuid(0)


def everything_below(folder: Path) -> list[Path]:
    """Return all files and folders below a folder."""
    return sorted(folder.rglob("*"))


def texts_below(folder: Path) -> list[str]:
    """Return the texts of all files in a folder."""
    return sorted(path.read_text() for path in folder.iterdir())


def saved_text(fitted: object) -> str:
    """Return the text that a preview says was saved."""
    path = str(fitted).partition("saved whole to ")[2].partition(". Read")[0]
    return Path(path).read_text()


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o777])
async def test_a_spilled_result_is_private_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        await Spill(tmp_path / "session" / "tool-results").fit("c1", WHOLE, LIMIT)
    finally:
        os.umask(before)

    assert {path.name: mode(path) for path in everything_below(tmp_path)} == {
        "session": "0o700",
        "tool-results": "0o700",
        "c1.txt": "0o600",
    }


@pytest.mark.parametrize("call_id", HOSTILE_IDS, ids=ascii)
async def test_no_id_of_a_call_leads_out_of_the_folder(tmp_path: Path, call_id: str) -> None:
    bench = Bench([FakeTool(returns(WHOLE))], tmp_path)

    answer = await bench.answer(fake_call("Fake", call_id))

    [path] = bench.spilled
    assert everything_below(tmp_path) == [tmp_path / "tool-results", path]
    assert path.read_text() == WHOLE
    assert f"saved whole to {path}. " in str(answer.block.content)
    assert len(path.name) < 120
    assert path.name.isprintable()
    assert path.name.isascii()


async def test_ids_that_look_alike_as_file_names_do_not_share_a_file(tmp_path: Path) -> None:
    spill = Spill(tmp_path)
    texts = {call_id: f"{number}{WHOLE}" for number, call_id in enumerate(HOSTILE_IDS)}

    fitted = {call_id: await spill.fit(call_id, text, LIMIT) for call_id, text in texts.items()}

    assert len(everything_below(tmp_path)) == len(HOSTILE_IDS)
    assert {call_id: saved_text(text) for call_id, text in fitted.items()} == texts


async def test_an_id_that_is_the_file_name_of_another_does_not_share_its_file(
    tmp_path: Path,
) -> None:
    spill = Spill(tmp_path)

    await spill.fit("../x", "a" + WHOLE, LIMIT)
    [first] = everything_below(tmp_path)
    await spill.fit(first.stem, "b" + WHOLE, LIMIT)

    assert first.read_text() == "a" + WHOLE
    assert texts_below(tmp_path) == ["a" + WHOLE, "b" + WHOLE]


async def test_the_file_of_an_earlier_session_is_not_overwritten(tmp_path: Path) -> None:
    await Spill(tmp_path).fit("c1", "a" + WHOLE, LIMIT)
    await Spill(tmp_path).fit("c1", "b" + WHOLE, LIMIT)

    assert (tmp_path / "c1.txt").read_text() == "a" + WHOLE
    assert texts_below(tmp_path) == ["a" + WHOLE, "b" + WHOLE]


async def test_a_link_planted_where_a_result_goes_is_not_followed(tmp_path: Path) -> None:
    folder, precious = tmp_path / "results", tmp_path / "precious"
    folder.mkdir()
    precious.write_text("keep me")
    for name in ("c1.txt", ".c1.txt.part", f".c1.txt.{os.getpid()}.part"):
        (folder / name).symlink_to(precious)

    await Spill(folder).fit("c1", WHOLE, LIMIT)

    assert precious.read_text() == "keep me"
    assert not (folder / "c1.txt").is_symlink()
    assert (folder / "c1.txt").read_text() == WHOLE


async def test_a_folder_that_is_a_file_costs_the_middle_and_not_the_call(tmp_path: Path) -> None:
    (tmp_path / "tool-results").write_text("in the way")
    bench = Bench([FakeTool(returns(WHOLE))], tmp_path)

    answer = await bench.answer(fake_call())

    text = (
        "[The output has 80,000 characters and could not be saved (File exists):"
        " what is not shown is lost.]\n"
        f"{WHOLE[:2_000]}\n[… 77,000 characters left out …]\n{WHOLE[-1_000:]}"
    )
    assert isinstance(answer.outcome, Succeeded)
    assert answer.block.content == text


async def test_a_full_disk_costs_the_middle_and_not_the_call(tmp_path: Path) -> None:
    bench = Bench([FakeTool(returns(WHOLE)), FakeTool(name="Next")], tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)

    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        answer, following = await bench.answers(fake_call("Fake", "a"), fake_call("Next", "b"))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))

    assert str(answer.block.content).startswith(
        "[The output has 80,000 characters and could not be saved (File too large):"
        f" what is not shown is lost.]\n{WHOLE[:2_000]}\n"
    )
    assert (answer.record.outcome, following.block.content) == ("succeeded", "done")
    assert everything_below(tmp_path) == [tmp_path / "tool-results"]


async def test_a_folder_that_may_not_be_written_costs_the_middle_and_not_the_call(
    tmp_path: Path,
) -> None:
    (tmp_path / "tool-results").mkdir(mode=0o500)
    bench = Bench([FakeTool(returns(WHOLE))], tmp_path)

    with as_nobody_special():
        answer = await bench.answer(fake_call())

    assert "could not be saved (Permission denied)" in str(answer.block.content)


async def test_a_failure_that_cannot_be_saved_is_still_a_failure(tmp_path: Path) -> None:
    (tmp_path / "tool-results").write_text("in the way")

    answer = await Bench([FakeTool(raises(ToolError(WHOLE)))], tmp_path).answer(fake_call())

    assert isinstance(answer.outcome, Failed)
    assert "could not be saved (File exists)" in answer.outcome.message


async def test_blocks_that_cannot_be_saved_are_previewed_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "tool-results").write_text("in the way")
    tool = FakeTool(returns((Text("first"), Text(WHOLE))))

    answer = await Bench([tool], tmp_path).answer(fake_call())

    content = answer.block.content
    assert isinstance(content, tuple)
    assert content[0] == Text("first")
    assert isinstance(content[1], Text)
    assert content[1].text.endswith(WHOLE[-1_000:])


async def test_what_could_not_be_saved_once_stays_so_identically(tmp_path: Path) -> None:
    (tmp_path / "results").write_text("in the way")
    spill = Spill(tmp_path / "results")

    first = await spill.fit("c1", WHOLE, LIMIT)
    (tmp_path / "results").unlink()

    assert spill.fit_now("c1", WHOLE, LIMIT) is first


@given(text=st.text(min_size=1, max_size=200))
def test_what_was_written_reads_back_exactly(text: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        Spill(Path(name)).fit_now("c1", text, 0)

        written = (Path(name) / "c1.txt").read_bytes()

    assert written.decode("utf-8") == text


@pytest.mark.parametrize("mark", ["\ud800", chr(0xDFFF), "\ud83d\ude00", "\ud800ä\udc80"])
async def test_lone_surrogates_read_back_exactly(tmp_path: Path, mark: str) -> None:
    bench = Bench([FakeTool(returns(mark + WHOLE))], tmp_path)

    answer = await bench.answer(fake_call())

    [path] = bench.spilled
    assert path.read_bytes().decode("utf-8", "surrogatepass") == mark + WHOLE
    assert mark in str(answer.block.content)


async def test_bytes_that_were_never_text_are_written_as_they_were(tmp_path: Path) -> None:
    raw = b"\xff\xfe\x80" + WHOLE.encode()
    bench = Bench([FakeTool(returns(raw.decode("utf-8", "surrogateescape")))], tmp_path)

    await bench.answer(fake_call())

    assert bench.spilled[0].read_bytes() == raw


async def test_many_results_at_once_each_have_their_file(tmp_path: Path) -> None:
    tool = FakeTool(lambda args, context: f"{args.text}{WHOLE}")
    bench = Bench([tool], tmp_path)

    await bench.answers(*(fake_call("Fake", f"c{n}", text=f"{n}\n") for n in range(30)))

    assert {path.stem: path.read_text() for path in bench.spilled} == {
        f"c{n}": f"{n}\n{WHOLE}" for n in range(30)
    }
