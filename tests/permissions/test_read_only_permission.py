"""The strictest permission: reading is allowed, and nothing else."""

from pathlib import Path

import pytest

from fakes.bench import Bench
from fakes.hooks import ScriptedHooks
from fakes.permissions import PROOF
from fakes.tools import FakeInput, FakeTool, fake_call, returns
from gantlet.hooks import BeforeCall
from gantlet.messages import Behaviour, ToolUse
from gantlet.permissions import Decision, ReadOnlyPermission, Request
from gantlet.tool import (
    READS_ONLY,
    AgentIdentity,
    Allow,
    Ask,
    Covered,
    Deny,
    Proof,
    Surroundings,
    Traits,
    Vote,
)

ONLY_READS = Decision(
    Behaviour.ALLOW,
    "Fake only reads.",
    "read-only",
    proof=Proof((Covered("Fake", "the call declares itself read-only"),)),
)
CHANGES = Decision.deny("Fake changes things; only reading is allowed.", "read-only")


async def decision_on(
    traits: Traits, hook_vote: Vote | None = None, tool_vote: Vote | None = None
) -> Decision:
    """Return the decision about a call."""
    request = Request(
        call=ToolUse("c1", "Fake", {}),
        tool=FakeTool(traits=traits),
        args=FakeInput(),
        traits=traits,
        surroundings=Surroundings(cwd="/"),
        agent=AgentIdentity(),
        hook_vote=hook_vote,
        tool_vote=tool_vote,
    )
    return await ReadOnlyPermission().decide(request)


async def test_what_only_reads_is_allowed_with_a_proof() -> None:
    assert await decision_on(READS_ONLY) == ONLY_READS


@pytest.mark.parametrize(
    "traits", [Traits(), Traits(destructive=True), Traits(concurrency_safe=True)]
)
async def test_what_does_not_say_that_it_only_reads_is_denied(traits: Traits) -> None:
    assert await decision_on(traits) == CHANGES


async def test_nobody_can_allow_what_changes_things() -> None:
    allow = Allow(PROOF, "I want it.", "hook.sh")

    assert await decision_on(Traits(), hook_vote=allow, tool_vote=allow) == CHANGES


@pytest.mark.parametrize("layer", ["hook", "tool"])
async def test_a_deny_of_a_hook_or_the_tool_counts_and_is_named(layer: str) -> None:
    votes: dict[str, Vote] = {f"{layer}_vote": Deny("It holds secrets.", "guard.sh")}

    decision = await decision_on(
        READS_ONLY, hook_vote=votes.get("hook_vote"), tool_vote=votes.get("tool_vote")
    )

    assert decision == Decision(Behaviour.DENY, "It holds secrets.", layer, source="guard.sh")


async def test_a_question_is_a_no_because_nobody_is_there() -> None:
    decision = await decision_on(READS_ONLY, tool_vote=Ask("Read your mail?", "Fake"))

    assert decision == Decision(
        Behaviour.DENY, "Read your mail? Nobody is here to be asked.", "tool", source="Fake"
    )


async def test_a_no_counts_before_a_question() -> None:
    decision = await decision_on(
        READS_ONLY, hook_vote=Ask("Sure?", "hook.sh"), tool_vote=Deny("Never.", "Fake")
    )

    assert decision == Decision(Behaviour.DENY, "Never.", "tool", source="Fake")


async def test_an_allow_hides_no_deny() -> None:
    decision = await decision_on(READS_ONLY, hook_vote=Allow(PROOF), tool_vote=Deny("Never."))

    assert decision == Decision(Behaviour.DENY, "Never.", "tool")


@pytest.mark.parametrize("vote", [True, "allow", 1, object()])
async def test_a_vote_that_is_none_cannot_even_be_asked_about(vote: object) -> None:
    with pytest.raises(TypeError, match="A vote is Allow, Ask or Deny"):
        await decision_on(READS_ONLY, tool_vote=vote)  # type: ignore[arg-type]  # on purpose


class Moody(FakeTool):
    """Cannot say what its calls are like."""

    def traits(self, args: FakeInput) -> Traits:
        raise RuntimeError("who knows")


async def test_a_call_that_cannot_say_what_it_is_does_not_run(tmp_path: Path) -> None:
    tool = Moody()

    answer = await Bench([tool], tmp_path, ReadOnlyPermission()).answer(fake_call())

    assert (answer.record.outcome, tool.seen) == ("denied", [])
    assert answer.block.content == (
        "Permission denied: Fake changes things; only reading is allowed (read-only)."
        " Do not try to get around this; go on without it."
    )


async def test_every_vote_is_heard_on_the_way_through_the_pipeline(tmp_path: Path) -> None:
    hooks = ScriptedHooks(before_says=BeforeCall(vote=Allow(PROOF)))
    tool = FakeTool(vote=returns(Deny("The file is a device.", "Fake")))

    answer = await Bench([tool], tmp_path, ReadOnlyPermission(), hooks).answer(fake_call())

    assert answer.block.content == (
        "Permission denied: The file is a device (Fake)."
        " Do not try to get around this; go on without it."
    )
