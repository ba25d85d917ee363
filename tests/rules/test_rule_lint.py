"""What is odd about a set of rules is found and said."""

import pytest

from gantlet.messages import Behaviour
from gantlet.rules import (
    Anchors,
    BadRule,
    Finding,
    Oddity,
    Rule,
    Source,
    SourceKind,
    lint_rules,
    parse_rule,
)

ALLOW, ASK, DENY = Behaviour.ALLOW, Behaviour.ASK, Behaviour.DENY
SOURCE = Source(SourceKind.USER, anchors=Anchors.at("/app", home="/home/me"))


def rules(*written: tuple[Behaviour, str]) -> list[Rule | BadRule]:
    return [parse_rule(text, behaviour, SOURCE) for behaviour, text in written]


def found(*written: tuple[Behaviour, str]) -> list[tuple[Oddity, str]]:
    return [(finding.oddity, str(finding.rule.text)) for finding in lint_rules(rules(*written))]


@pytest.mark.parametrize(
    ("strict", "dead"),
    [
        ((DENY, "Bash"), (ALLOW, "Bash(npm test)")),
        ((DENY, "Bash(git *)"), (ALLOW, "Bash(git log *)")),
        ((DENY, "Bash(git *)"), (ASK, "Bash(git push *)")),
        ((ASK, "Bash(git push *)"), (ALLOW, "Bash(git push origin)")),
        ((DENY, "Read(//**)"), (ALLOW, "Read(src/**)")),
        ((DENY, "Edit(src/**)"), (ALLOW, "Edit(//app/SRC/a.py)")),
        ((DENY, "mcp__db"), (ALLOW, "mcp__db__query")),
        ((DENY, "*"), (ALLOW, "WebSearch")),
    ],
)
def test_a_rule_below_a_stricter_one_is_dead(
    strict: tuple[Behaviour, str], dead: tuple[Behaviour, str]
) -> None:
    if strict[1] == "Edit(src/**)":
        strict = (DENY, "Edit(//app/src/**)")

    assert (Oddity.DEAD, dead[1]) in found(dead, strict)


def test_a_rule_below_a_wider_one_of_its_kind_is_shadowed_and_told_by_which() -> None:
    written = rules((ALLOW, "Bash(git log *)"), (ALLOW, "Bash(git *)"))

    assert lint_rules(written) == (
        Finding(
            Oddity.SHADOWED,
            written[0],
            "allow Bash(git log *) adds nothing to allow Bash(git *) (user).",
            written[1] if isinstance(written[1], Rule) else None,
        ),
    )


def test_of_two_rules_that_say_the_same_the_second_is_shadowed() -> None:
    assert found((ALLOW, "Bash(ls:*)"), (ALLOW, "Bash(ls *)")) == [(Oddity.SHADOWED, "Bash(ls *)")]


@pytest.mark.parametrize(
    "text",
    [
        "Bash", "Bash(*)", "Bash(python *)", "Bash(python3:*)", "Bash(sudo *)", "Bash(sh *)",
        "Bash(* --version)", "Edit", "Edit(//**)", "Read(//**)", "WebFetch(domain:*)",
    ],
)  # fmt: skip
def test_an_allow_of_nearly_everything_is_broad(text: str) -> None:
    assert found((ALLOW, text)) == [(Oddity.BROAD, text)]


@pytest.mark.parametrize(
    "text",
    ["Bash(npm test *)", "Bash(python manage.py *)", "Read(src/**)", "WebFetch(domain:a.test)"],
)
def test_an_allow_that_names_what_it_means_is_not_broad(text: str) -> None:
    assert found((ALLOW, text)) == []


def test_a_broken_rule_is_told() -> None:
    findings = lint_rules(rules((DENY, "Bash(rm")))

    assert [finding.oddity for finding in findings] == [Oddity.BROKEN]
    assert "its bracket is never closed" in findings[0].message


def test_a_tool_nobody_has_is_told_unless_its_name_could_be_a_servers() -> None:
    written = rules((DENY, "Bahs"), (DENY, "Bash"), (DENY, "mcp__x"), (DENY, "Foo*"))

    findings = lint_rules(written, known_tools=["Bash", "Read"])

    assert [finding.message for finding in findings] == [
        "deny Bahs is about a tool that does not exist here: Bahs."
    ]
