"""There is no allow without a proof, and no proof of nothing."""

from dataclasses import replace

import pytest

from gantlet.tool import Allow, Covered, Proof

RULE = Covered("ls -l", "Bash(ls:*)")


def test_an_allow_carries_its_proof() -> None:
    allow = Allow(Proof((RULE,)), reason="a rule says so", source="user settings")

    assert allow.proof.covered == (RULE,)


@pytest.mark.parametrize("nothing", [(), [], frozenset()])
def test_a_proof_of_nothing_is_refused(nothing: tuple[Covered, ...]) -> None:
    with pytest.raises(ValueError, match="at least one part"):
        Proof(nothing)


@pytest.mark.parametrize("covered", ["ls", ["ls"], (RULE, "ls"), [("ls", "rule")], [None]])
def test_a_proof_is_made_of_parts_that_are_covered(covered: tuple[Covered, ...]) -> None:
    with pytest.raises(TypeError, match="does not say which part"):
        Proof(covered)


def test_a_proof_cannot_be_emptied_through_the_list_it_was_made_of() -> None:
    parts = [RULE]
    proof = Proof(parts)  # type: ignore[arg-type]  # what a careless author passes

    parts.clear()

    assert proof == Proof((RULE,))


def test_a_part_that_nothing_covers_is_refused() -> None:
    with pytest.raises(ValueError, match="Nothing covers 'rm -rf /'"):
        Covered("rm -rf /", "")


@pytest.mark.parametrize("proof", [None, True, "because", (RULE,), [RULE]])
def test_an_allow_without_a_proof_is_refused(proof: Proof) -> None:
    with pytest.raises(TypeError, match="no allow without a proof"):
        Allow(proof)


def test_an_allow_cannot_lose_its_proof_in_a_copy() -> None:
    allow = Allow(Proof((RULE,)))

    with pytest.raises(TypeError, match="no allow without a proof"):
        replace(allow, proof=None)  # type: ignore[arg-type]  # what the test is about
