"""No result holds a secret: not what the model reads, not what programs read, not what is saved."""

from pathlib import Path

import pytest

from fakes.bench import Bench
from fakes.tools import FakeTool, fake_call, raises, returns
from gantlet.execution import Services
from gantlet.messages import Image, Text, freeze
from gantlet.messages.value import replace
from gantlet.system import MASK, Masker
from gantlet.tool import ToolError, ToolResult

SECRET = "correct-horse-battery"
PICTURE = Image(freeze({"type": "base64", "media_type": "image/png", "data": SECRET}))


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
    ],
)
async def test_a_secret_is_masked_in_every_form_of_result(
    returned: object, content: object, structured: object, tmp_path: Path
) -> None:
    answer = await Masked([FakeTool(returns(returned))], tmp_path).answer(fake_call())

    assert (answer.block.content, answer.structured) == (content, structured)


async def test_a_secret_is_masked_in_a_failure(tmp_path: Path) -> None:
    bench = Masked([FakeTool(raises(ToolError(f"refused {SECRET}")))], tmp_path)

    answer = await bench.answer(fake_call())

    assert MASK in str(answer.block.content)
    assert SECRET not in f"{answer.block.content}{answer.structured}"


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
