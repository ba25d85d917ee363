"""What an engine remembers is what it would decide again, for every call and every context."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeAlias

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gantlet.permissions import ContextHolder, Decision, Engine, PermissionContext, Request
from gantlet.permissions.memory import Memory, holds_for_every_input
from gantlet.tool import (
    READS_ONLY,
    Allow,
    Ask,
    Covered,
    Deny,
    McpIdentity,
    Mode,
    Proof,
    Surroundings,
    Tool,
    Traits,
)
from permissions.permission_kit import (
    ALLOW,
    APP,
    DENY,
    READ_TOOL,
    SHELL_TOOL,
    PaperEyes,
    context,
    request_for,
)


class PlainTool(Tool[Mapping[str, object]]):
    """A tool without paths or commands; what a call says of itself depends on its input."""

    description = "Looks, or changes."
    input_schema = {"type": "object"}  # noqa: RUF012 - the contract declares it so

    def __init__(self, name: str, mcp: McpIdentity | None = None) -> None:
        self.name = name
        self.mcp = mcp

    def traits(self, args: Mapping[str, object]) -> Traits:
        """Return what the input says."""
        return READS_ONLY if args.get("kind") == "look" else Traits(destructive=bool(args))


class TellingTool(PlainTool):
    """The same, with a text of its own for rules."""

    def rule_text(self, args: Mapping[str, object]) -> str | None:
        """Return the kind."""
        return str(args.get("kind"))


TOOLS = [
    PlainTool("Look"),
    PlainTool("mcp__db__query", McpIdentity("db", "query")),
    TellingTool("Own"),
]
RULES = st.lists(
    st.sampled_from(
        [
            "Look", "Look(kind:look)", "Look(x)", "Own", "Own(look)", "Own(kind:change)", "*",
            "mcp__db", "mcp__db__query(kind:look)", "Read(.env)", "Look(src/**)", "Bash(rm *)",
        ]
    ),
    max_size=3,
)  # fmt: skip
CONTEXTS = st.builds(
    lambda mode, allow, ask, deny: context(mode, allow=allow, ask=ask, deny=deny),
    st.sampled_from(Mode),
    RULES,
    RULES,
    RULES,
)
INPUTS = st.sampled_from([{}, {"kind": "look"}, {"kind": "change"}])
VOTES = st.sampled_from(
    [None, None, None, Deny("no"), Ask("sure?"), Allow(Proof((Covered("it", "somebody"),)))]
)
PLACES = st.sampled_from([Surroundings(APP), Surroundings(APP, mode=Mode.PLAN)])
PLAIN = st.builds(lambda tool, given: request_for(tool, **given), st.sampled_from(TOOLS), INPUTS)
OTHERS = st.sampled_from(
    [request_for(READ_TOOL, file_path=".env"), request_for(SHELL_TOOL, command="ls")]
)
REQUESTS = st.builds(
    lambda request, hook, own, where: replace(
        request, hook_vote=hook, tool_vote=own, surroundings=where
    ),
    st.one_of(PLAIN, PLAIN, PLAIN, OTHERS),
    VOTES,
    VOTES,
    PLACES,
)
Round: TypeAlias = tuple[PermissionContext, list[Request]]


def engine(holder: ContextHolder) -> Engine:
    return Engine(holder, eyes=PaperEyes())


@given(st.lists(st.tuples(CONTEXTS, st.lists(REQUESTS, max_size=8)), max_size=3))
def test_a_remembered_decision_is_the_one_that_would_be_made(rounds: list[Round]) -> None:
    async def play() -> None:
        holder = ContextHolder(context())
        remembering = engine(holder)
        for made, requests in rounds:
            holder.replace(made)
            for request in [*requests, *requests]:
                fresh = await engine(ContextHolder(made)).decide(request)
                decision = await remembering.decide(request)
                assert (decision, decision.facts, decision.withheld) == (
                    fresh,
                    fresh.facts,
                    fresh.withheld,
                )

    anyio.run(play)


async def test_a_deny_rule_counts_for_the_very_next_call() -> None:
    holder = ContextHolder(context())
    judging = engine(holder)
    look = request_for(TOOLS[0], kind="look")
    before = [await judging.decide(look) for _ in range(3)]

    holder.replace(context(deny=["Look"]))

    assert [one.behaviour for one in before] == [ALLOW] * 3
    assert (await judging.decide(look)).behaviour is DENY


@pytest.mark.parametrize(
    ("request_made", "rules", "holds"),
    [
        (request_for(TOOLS[0]), [], True),
        (request_for(TOOLS[0]), ["Look", "Read(.env)", "Bash(rm *)"], True),
        (request_for(TOOLS[0]), ["Look(kind:look)"], False),
        (request_for(TOOLS[2]), [], False),
        (request_for(READ_TOOL, file_path="a"), [], False),
        (request_for(SHELL_TOOL, command="ls"), [], False),
    ],
    ids=["plain", "whole tool", "some calls", "own text", "path", "command"],
)
def test_only_what_does_not_depend_on_the_input_is_remembered(
    request_made: Request, rules: list[str], holds: bool
) -> None:
    made = context(deny=rules)
    memory = Memory()
    decision = Decision.deny("no", "test")

    memory.keep(request_made, made, decision)

    assert holds_for_every_input(request_made, made) is holds
    asked = (request_made.tool, request_made.traits, request_made.surroundings.mode)
    assert memory.recall(*asked, made) is (decision if holds else None)
    assert memory.recall(*asked, context(deny=rules)) is None


async def test_a_word_about_one_call_counts_whatever_is_remembered() -> None:
    judging = engine(ContextHolder(context()))
    look = request_for(TOOLS[0], kind="look")
    before = [await judging.decide(look) for _ in range(3)]

    denied = await judging.decide(replace(look, hook_vote=Deny("not this one")))
    refused = await judging.decide(replace(look, tool_vote=Deny("nor this one")))

    assert [one.behaviour for one in before] == [ALLOW] * 3
    assert (denied.behaviour, refused.behaviour) == (DENY, DENY)
