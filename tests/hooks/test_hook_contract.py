"""What hooks may answer, and what is no answer."""

from collections.abc import Callable, Mapping

import pytest

from fakes.permissions import PROOF
from fakes.tools import FakeInput, FakeTool
from gantlet.hooks import (
    NOTHING_AFTER,
    NOTHING_BEFORE,
    AfterCall,
    BeforeCall,
    HookEvent,
    Hooks,
    Moment,
    NoHooks,
)
from gantlet.messages import ToolUse
from gantlet.tool import AgentIdentity, Allow, Ask, Deny, Surroundings, ToolResult

MOMENT = Moment(
    ToolUse("c1", "Fake", {}), FakeTool(), FakeInput(), Surroundings(cwd="/"), AgentIdentity()
)


@pytest.mark.parametrize("event", list(HookEvent))
def test_where_there_are_no_hooks_nobody_listens(event: HookEvent) -> None:
    assert not NoHooks().wants(event, "Fake")


async def test_where_there_are_no_hooks_nothing_is_said() -> None:
    hooks: Hooks = NoHooks()

    said = (
        await hooks.before(MOMENT),
        await hooks.after(MOMENT, ToolResult("x")),
        await hooks.after_failure(MOMENT, "No.", was_interrupted=False),
    )

    assert said == (NOTHING_BEFORE, NOTHING_AFTER, NOTHING_AFTER)


def test_nothing_said_is_no_vote_no_change_and_no_stop() -> None:
    before, after = NOTHING_BEFORE, NOTHING_AFTER

    assert before == BeforeCall(None, updated_input=None, context=(), stop=None, defers=False)
    assert after == AfterCall(context=(), updated_output=None, stop=None)


@pytest.mark.parametrize("vote", [Allow(PROOF), Ask("Sure?"), Deny("No."), None])
def test_a_hook_votes_or_abstains(vote: Allow | Ask | Deny | None) -> None:
    assert BeforeCall(vote=vote).vote == vote


@pytest.mark.parametrize(
    ("kind", "said", "complaint"),
    [
        (BeforeCall, {"vote": "allow"}, "vote is Allow, Ask or Deny, not 'allow'"),
        (BeforeCall, {"vote": True}, "vote is Allow, Ask or Deny, not True"),
        (BeforeCall, {"vote": Allow}, "vote is Allow, Ask or Deny"),
        (BeforeCall, {"context": "abc"}, "context is a tuple of texts, not 'abc'"),
        (BeforeCall, {"context": ["abc"]}, "context is a tuple of texts"),
        (BeforeCall, {"context": (1,)}, "context is a tuple of texts"),
        (BeforeCall, {"stop": True}, "reason to stop is a text, not True"),
        (AfterCall, {"context": None}, "context is a tuple of texts, not None"),
        (AfterCall, {"stop": 0}, "reason to stop is a text, not 0"),
        (AfterCall, {"updated_output": "x"}, "output is a ToolResult, not 'x'"),
    ],
)
def test_what_makes_no_sense_cannot_be_said(
    kind: Callable[..., object], said: Mapping[str, object], complaint: str
) -> None:
    with pytest.raises(TypeError, match=complaint):
        kind(**said)
