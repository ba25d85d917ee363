"""A preview never cuts through something that is one thing to a reader or a terminal."""

import itertools

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gantlet.execution.preview import HEAD_CHARS, TAIL_CHARS, head_and_tail, safe_cut

#: Each of these is one thing.
ATOMS = [
    "a",
    " ",
    "\n",
    "\r\n",
    "ä",
    "e\u0301",  # a letter and its accent
    "o\u0323\u0302",  # two accents
    "漢",
    "한",
    "\u1112\u1161\u11ab",  # the same, in parts
    "\u1100\uac01\u11a8",
    "กำ",  # a consonant and a vowel that follows it
    "कि",  # a consonant and its vowel sign
    "नी",
    "😀",
    "👍🏽",  # with a skin tone
    "👩‍👩‍👧‍👦",  # a family, joined
    "❤️",  # with a variation selector
    "1️⃣",  # a keycap
    "🇩🇪",
    "🏴󠁧󠁢󠁷󠁬󠁳󠁿",  # a flag, spelled with tags
    "\ud83d\ude00",  # a surrogate pair that was never joined
    "\ud83d",  # half of one
    "\x1b[0m",
    "\x1b[38;5;196m",
    "\x1b[?25l",
    "\x9b31m",
    "\x1b]0;a title\x07",
    "\x1b]8;;https://example.test/a/long/link\x1b\\",
    "\x1bP1$r0m\x1b\\",
    "\x1b(B",
    "\x1b7",
    "\x1b",  # cut off already
]
#: What would join with a neighbour is no atom beside it.
TEXTS = st.lists(st.sampled_from([atom for atom in ATOMS if atom not in ("\x1b", "\ud83d")]))


def edges(atoms: list[str]) -> set[int]:
    """Return the places between atoms."""
    return {0, *itertools.accumulate(len(atom) for atom in atoms)}


@given(atoms=TEXTS, head=st.integers(0, 30), tail=st.integers(0, 30))
@example(atoms=["\x1b]8;;https://x\x1b\\", "a"], head=12, tail=0)
@example(atoms=["🇩🇪", "🇩🇪", "🇩🇪"], head=3, tail=1)
@example(atoms=["\x1b[0m", "e\u0301"], head=3, tail=1)
def test_no_atom_is_cut(atoms: list[str], head: int, tail: int) -> None:
    text = "".join(atoms)

    first, last = head_and_tail(text, head, tail)

    assert text.startswith(first)
    assert text.endswith(last)
    if len(text) <= head + tail:
        assert (first, last) == (text, "")
    else:
        assert len(first) <= head
        assert len(last) <= tail
        assert {len(first), len(text) - len(last)} <= edges(atoms)


@given(text=st.text(max_size=60), head=st.integers(0, 30), tail=st.integers(0, 30))
def test_any_text_keeps_its_beginning_and_its_end(text: str, head: int, tail: int) -> None:
    first, last = head_and_tail(text, head, tail)

    assert len(first) + len(last) <= len(text)
    assert text.startswith(first)
    assert text.endswith(last)


@pytest.mark.parametrize("atom", ATOMS, ids=ascii)
@pytest.mark.parametrize("forward", [True, False])
def test_a_cut_anywhere_in_an_atom_moves_to_its_edge(atom: str, forward: bool) -> None:
    text = f"x{atom}x"

    cuts = {safe_cut(text, at, forward=forward) for at in range(2, len(atom) + 1)}

    assert cuts <= ({len(atom) + 1} if forward else {1})


def test_a_mark_behind_an_escape_stays_with_it() -> None:
    text = "x\x1b[0m\u0301y"

    assert safe_cut(text, 3, forward=True) == 6
    assert safe_cut(text, 5, forward=False) == 1


def test_plain_text_is_cut_exactly() -> None:
    text = "x" * 100_000

    assert head_and_tail(text) == ("x" * HEAD_CHARS, "x" * TAIL_CHARS)
    assert (HEAD_CHARS, TAIL_CHARS) == (2_000, 1_000)


def test_a_text_of_exactly_both_parts_is_whole() -> None:
    whole, longer = "x" * 3_000, "x" * 3_001

    assert head_and_tail(whole) == (whole, "")
    assert head_and_tail(longer) == ("x" * 2_000, "x" * 1_000)


def test_a_link_longer_than_the_head_is_not_opened_without_being_closed() -> None:
    text = "a" * 1_990 + "\x1b]8;;https://example.test/" + "y" * 5_000 + "\x1b\\" + "z" * 5_000

    head, tail = head_and_tail(text)

    assert (head, tail) == ("a" * 1_990, "z" * 1_000)


def test_a_picture_that_reaches_into_the_end_is_left_out_whole() -> None:
    text = "a" * 5_000 + "\x1bPq" + "?" * 2_000 + "\x1b\\" + "z" * 500

    assert head_and_tail(text) == ("a" * 2_000, "z" * 500)


def test_a_sequence_that_never_ends_does_not_take_the_preview_with_it() -> None:
    text = "\x1b]0;" + "a" * 10_000

    head, tail = head_and_tail(text)

    assert (len(head), len(tail)) == (2_000, 1_000)


@pytest.mark.parametrize("mark", ["\u0301", "\u200d", "🇩", "\ufe0f", "\u1161"])
def test_one_endless_character_is_cut_rather_than_lost(mark: str) -> None:
    head, tail = head_and_tail("a" + mark * 100_000)

    assert 1_700 <= len(head) <= 2_000
    assert 700 <= len(tail) <= 1_000


def test_a_storm_of_escapes_is_cut_between_two_of_them() -> None:
    head, tail = head_and_tail("\x1b[31m" * 100_000)

    assert (head, tail) == ("\x1b[31m" * 400, "\x1b[31m" * 200)
