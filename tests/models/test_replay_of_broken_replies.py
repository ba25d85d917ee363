"""A reply that broke off while its calls ran is played so that the same has happened by then."""

import json
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest

from gantlet import Agent, AgentParts, RunResult
from gantlet.messages import Model, ResultBlock, blocks_of
from gantlet.models.recorded import RecordingModel, ReplayingModel
from gantlet.models.scripted import ScriptedModel, script_of
from gantlet.system import Clock, Environment, Masker
from gantlet.testing import VirtualClock
from gantlet.tool import EXCLUSIVE, Interrupt, Tool, ToolContext, ToolInput, Traits

NO_SECRETS = Masker({})


class MarkInput(ToolInput):
    """Which mark to make."""

    name: str


class Mark(Tool[MarkInput]):
    """Makes a mark, which takes a while; no two at a time."""

    name = "Mark"
    description = "Make a mark."
    input_type = MarkInput

    def __init__(self, clock: Clock, interrupt: Interrupt) -> None:
        self._clock = clock
        self._interrupt = interrupt
        self.marks: list[str] = []

    def traits(self, args: MarkInput) -> Traits:
        return Traits(read_only=False, access=EXCLUSIVE, interrupt=self._interrupt)

    async def run(self, args: MarkInput, context: ToolContext) -> str:
        await self._clock.sleep_until(self._clock.now() + 0.01)
        self.marks.append(args.name)
        return f"mark {len(self.marks)}: {args.name}"


async def run(
    model: Model, clock: Clock, interrupt: Interrupt
) -> tuple[RunResult, list[str], list[object]]:
    """Run a prompt; return what came of it, what was done, and what the model was told."""
    mark = Mark(clock, interrupt)
    agent = Agent(
        model,
        tools=[mark],
        builtin_tools="",
        permission_mode="bypassPermissions",
        parts=AgentParts(clock=clock, environment=Environment(variables={"IS_SANDBOX": "1"})),
    )
    with anyio.fail_after(60):
        result = await agent.run("Go")
    return result, mark.marks, list(_told(agent))


def _told(agent: Agent) -> Iterator[object]:
    """Yield what the model was told of its calls."""
    for message in agent.messages:
        for block in blocks_of(message):
            if isinstance(block, ResultBlock):
                yield block.content


def calls(*names: str, wait: float, rest: list[object]) -> list[object]:
    """Return a reply with calls that breaks off a while after them."""
    asked: list[object] = [{"call": "Mark", "input": {"name": name}} for name in names]
    return [*asked, "And so on.", {"wait": wait}, *rest, "The end."]


#: In the last words.
BROKEN = {"drop": True, "at": "mid_text", "nth": 2}


#: How long after the calls the reply breaks off; each call takes 10 ms, one after the other.
BREAKS = {"first runs": 0.005, "second runs": 0.015, "both done": 0.035}


@pytest.mark.parametrize("wait", BREAKS.values(), ids=BREAKS.keys())
@pytest.mark.parametrize("interrupt", list(Interrupt), ids=lambda kind: kind.value)
@pytest.mark.parametrize("pace", [0.0, 1.0, 3.0])
@pytest.mark.parametrize("rest", [[], [{"call": "Mark", "input": {"name": "c"}}]], ids=["2", "3"])
async def test_the_same_has_happened_when_the_reply_breaks_off(
    tmp_path: Path, wait: float, interrupt: Interrupt, pace: float, rest: list[object]
) -> None:
    path = tmp_path / "talk.jsonl"
    reply = {"say": calls("a", "b", wait=wait, rest=rest), "fault": BROKEN}
    async with VirtualClock() as clock:
        inner = ScriptedModel(script_of(reply, "Done."), clock)
        recorder = RecordingModel(inner, path, clock, masker=NO_SECRETS)
        lived = await run(recorder, clock, interrupt)
        await recorder.aclose()

        model = ReplayingModel(path, clock, pace=pace, masker=NO_SECRETS)
        again = await run(model, clock, interrupt)

    assert lived[0].text == again[0].text == "Done."
    assert again[1:] == lived[1:]
    assert model.unplayed == 0


async def test_a_cassette_tells_how_far_calls_had_come(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    reply = {"say": calls("a", "b", "c", wait=0.015, rest=[]), "fault": BROKEN}
    async with VirtualClock() as clock:
        inner = ScriptedModel(script_of(reply, "Done."), clock)
        recorder = RecordingModel(inner, path, clock, masker=NO_SECRETS)
        await run(recorder, clock, Interrupt.BLOCK)
        await recorder.aclose()

    lines = [json.loads(line) for line in path.read_text().splitlines()]
    (failure,) = (line["data"] for line in lines if "failure" in line)
    assert list(failure["calls"].values()) == ["done", "running", "waiting"]


async def test_calls_that_never_come_as_far_do_not_hold_a_replay_for_ever(tmp_path: Path) -> None:
    path = tmp_path / "talk.jsonl"
    reply = {"say": calls("a", wait=0.05, rest=[]), "fault": BROKEN}
    async with VirtualClock() as clock:
        inner = ScriptedModel(script_of(reply, "Done."), clock)
        recorder = RecordingModel(inner, path, clock, masker=NO_SECRETS)
        await run(recorder, clock, Interrupt.BLOCK)
        await recorder.aclose()
    text = path.read_text()
    path.write_text(text.replace('"calls":{"', '"calls":{"toolu_never":"done","'))

    impatient = _Leaping()
    model = ReplayingModel(path, impatient, masker=NO_SECRETS)
    async with VirtualClock() as clock:
        result, _, _ = await run(model, clock, Interrupt.BLOCK)

    assert '"toolu_never"' in path.read_text()
    assert result.text == "Done."


class _Leaping:
    """A clock on which every wait is long."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    async def sleep_until(self, when: float) -> None:
        self._now = when + 100
        await anyio.lowlevel.checkpoint()
