"""What each mode does where nobody votes, and that none of them can hide a deny."""

from dataclasses import replace

import pytest

from gantlet.messages import Behaviour
from gantlet.permissions import RiskLevel
from gantlet.tool import (
    READS_ONLY,
    Allow,
    Ask,
    Covered,
    Deny,
    Mode,
    Proof,
    Surroundings,
    Traits,
)
from permissions.permission_kit import (
    AGENT_TOOL,
    ALLOW,
    APP,
    ASK,
    DENY,
    EDIT_TOOL,
    FETCH_TOOL,
    READ_TOOL,
    SERVER_TOOL,
    Judge,
    NamedTool,
    context,
    judge,
)

PROOF = Proof((Covered("the call", "somebody"),))


@pytest.mark.parametrize(
    ("mode", "inside", "outside", "other"),
    [
        (Mode.DEFAULT, ASK, ASK, ASK),
        (Mode.ACCEPT_EDITS, ALLOW, ASK, ASK),
        (Mode.PLAN, DENY, DENY, DENY),
        (Mode.AUTO, ALLOW, ASK, ASK),
        (Mode.DONT_ASK, DENY, DENY, DENY),
        (Mode.BYPASS, ALLOW, ALLOW, ALLOW),
    ],
)
def test_each_mode_has_its_own_fallback(
    mode: Mode, inside: Behaviour, outside: Behaviour, other: Behaviour
) -> None:
    assert judge(mode).edit("a.py") is inside
    assert judge(mode).edit("/etc/hosts") is outside
    assert judge(mode).verdict(AGENT_TOOL, name="Explore").behaviour is other
    assert judge(mode).read("a.py") is ALLOW


@pytest.mark.parametrize("mode", list(Mode))
def test_a_deny_rule_holds_in_every_mode(mode: Mode) -> None:
    found = judge(mode, deny=["Agent", "Edit(a.py)"], allow=["Agent", "Edit", "Edit(a.py)"])

    assert found.verdict(AGENT_TOOL).behaviour is DENY
    assert found.edit("a.py") is DENY


@pytest.mark.parametrize("mode", list(Mode))
def test_an_ask_rule_asks_in_every_mode_that_can_ask(mode: Mode) -> None:
    expected = DENY if mode in {Mode.DONT_ASK, Mode.PLAN} else ASK

    found = judge(mode, ask=["Agent"], allow=["Agent"])

    assert found.verdict(AGENT_TOOL).behaviour is expected


def test_plan_mode_denies_whatever_is_not_read_only_whatever_a_rule_allows() -> None:
    found = judge(Mode.PLAN, allow=["Edit", "Agent"])

    verdict = found.verdict(AGENT_TOOL)

    assert (verdict.behaviour, verdict.layer) == (DENY, "mode")
    assert verdict.reason == "Agent may change things; plan mode only reads."
    assert found.edit("a.py") is DENY
    assert found.read("a.py") is ALLOW
    assert found.fetch("https://a.test/") is ASK


def test_planning_in_the_surroundings_is_planning() -> None:
    found = replace(judge(Mode.BYPASS), surroundings=Surroundings(APP, mode=Mode.PLAN))

    assert found.edit("a.py") is DENY


def test_a_mode_that_denies_says_what_nothing_covers() -> None:
    verdict = judge(Mode.DONT_ASK).verdict(EDIT_TOOL, file_path="a.py")

    assert verdict.reason == "Edit changes a.py. Mode dontAsk denies what nothing allows."


def test_where_nobody_can_be_asked_a_question_is_a_no_that_says_so() -> None:
    verdict = judge(avoid_prompts=True).verdict(EDIT_TOOL, file_path="a.py")

    assert verdict.behaviour is DENY
    assert verdict.reason == (
        "Edit changes a.py. Nobody can be asked here: allow it by a rule, or run it where somebody"
        " can answer."
    )
    assert judge(avoid_prompts=True, allow=["Edit"]).edit("a.py") is ALLOW


def test_bypass_names_itself_as_the_proof() -> None:
    verdict = judge(Mode.BYPASS).verdict(AGENT_TOOL, name="Explore")

    assert verdict.proof == Proof((Covered("Agent(Explore)", "mode bypassPermissions"),))
    assert verdict.layer == "mode bypassPermissions"


def test_what_destroys_is_asked_about_in_auto_mode_and_never_suggested_for_ever() -> None:
    eraser = NamedTool("Erase", Traits(destructive=True))

    verdict = judge(Mode.AUTO).verdict(eraser)

    assert (verdict.behaviour, verdict.suggestions) == (ASK, ())
    assert (verdict.risk.level, verdict.is_checkable) == (RiskLevel.HIGH, False)


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        (NamedTool("Own", READS_ONLY), ALLOW),
        (NamedTool("Own", Traits(read_only=True)), ASK),
        (NamedTool("Own", Traits()), ASK),
        (SERVER_TOOL, ASK),
    ],
)
def test_a_tool_of_ours_that_only_reads_here_needs_no_question(
    tool: NamedTool, expected: Behaviour
) -> None:
    assert judge().verdict(tool).behaviour is expected


def test_what_a_server_says_of_its_tool_grants_nothing_even_while_planning() -> None:
    assert judge(Mode.PLAN).verdict(SERVER_TOOL).behaviour is ASK


@pytest.mark.parametrize("layer", ["hook_vote", "tool_vote"])
def test_an_allow_of_a_hook_or_a_tool_answers_only_where_the_rules_are_silent(layer: str) -> None:
    def voted(**rules: list[str]) -> Judge:
        return replace(judge(**rules), **{layer: Allow(PROOF)})  # type: ignore[arg-type]

    assert voted().edit("a.py") is ALLOW
    assert voted(deny=["Edit"]).edit("a.py") is DENY
    assert voted(ask=["Edit"]).edit("a.py") is ASK
    assert voted(ask=["Edit(a.py)"]).edit("a.py") is ASK
    assert voted().edit(".git/config") is ASK
    assert replace(voted(), context=context(Mode.PLAN)).edit("a.py") is DENY


@pytest.mark.parametrize("layer", ["hook_vote", "tool_vote"])
@pytest.mark.parametrize("mode", list(Mode))
def test_a_deny_or_ask_of_a_hook_or_a_tool_holds_in_every_mode(layer: str, mode: Mode) -> None:
    made = judge(mode, allow=["Read"])

    assert replace(made, **{layer: Deny("No.")}).read("a.py") is DENY  # type: ignore[arg-type]
    asked = replace(made, **{layer: Ask("Sure?")}).read("a.py")  # type: ignore[arg-type]
    assert asked is (DENY if mode is Mode.DONT_ASK else ASK)


def test_every_layer_is_asked_and_its_vote_kept_for_the_explanation() -> None:
    found = replace(
        judge(deny=["Read(a.py)"], allow=["Read"]), hook_vote=Allow(PROOF), tool_vote=Ask("Sure?")
    )

    verdict = found.verdict(READ_TOOL, file_path="a.py")

    assert [(ballot.layer, str(ballot.behaviour)) for ballot in verdict.ballots] == [
        ("hook", "allow"),
        ("tool", "ask"),
        ("safe", "allow"),
        ("deny rules", "deny"),
        ("rules", "allow"),
    ]
    assert (verdict.behaviour, verdict.layer, verdict.rule) == (DENY, "deny rules", "Read(a.py)")
    assert (verdict.file, verdict.key) == ("/user.json", "permissions")
    assert verdict.source == "user settings (/user.json:3, permissions)"
    assert verdict.reason == "The rule Read(a.py) denies a.py."


@pytest.mark.parametrize(
    ("tool", "given", "level"),
    [
        (READ_TOOL, {"file_path": "a"}, RiskLevel.LOW),
        (EDIT_TOOL, {"file_path": "a"}, RiskLevel.MEDIUM),
        (EDIT_TOOL, {"file_path": ".git/config"}, RiskLevel.HIGH),
        (FETCH_TOOL, {"url": "https://a.test/"}, RiskLevel.MEDIUM),
    ],
)
def test_the_risk_is_told(tool: NamedTool, given: dict[str, str], level: RiskLevel) -> None:
    risk = judge().verdict(tool, **given).risk

    assert risk.level is level
    assert risk.reason.endswith(".")


class BrokenTool(NamedTool):
    """A tool that cannot be asked what rules should look at."""

    def rule_text(self, args: object) -> str | None:
        """Fail."""
        raise RuntimeError("no")


@pytest.mark.parametrize(
    ("mode", "expected"), [(Mode.DEFAULT, ASK), (Mode.BYPASS, ASK), (Mode.DONT_ASK, DENY)]
)
def test_what_fails_while_judging_is_a_question_and_a_no_where_nobody_is_asked(
    mode: Mode, expected: Behaviour
) -> None:
    verdict = judge(mode, deny=["Broken(x)"]).verdict(BrokenTool("Broken"))

    assert verdict.behaviour is expected
    assert "could not be decided (RuntimeError)" in verdict.reason
