"""Our reading against bash itself: what bash runs must be among what we list.

Bash runs in an empty directory, with a path that holds nothing but stubs which note their words. It
is let run only where walls and limits hold, which is tried first: a line at random may start itself
again and again.
"""

from collections.abc import Callable, Iterator
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gantlet.shell import SimpleCommand, analyse, strip_for_rules
from shell.bash_commands import PROGRAMS, Writer, quoted
from shell.bash_stage import HOME, Stage, why_no_stage
from shell.shell_kit import programs

UNHURRIED = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]


@pytest.fixture(scope="module")
def stage() -> Iterator[Stage]:
    reason = why_no_stage()
    if reason:
        pytest.skip(f"Bash cannot be let run: {reason}.")
    made = Stage(PROGRAMS)
    yield made
    made.close()


def is_told(ran: list[str], command: SimpleCommand) -> bool:
    """Return whether a listed command is what ran, as far as its words are written out."""
    words = command.argv
    if not words or command.program != ran[0]:
        return bool(words) and not words[0].is_literal
    if any(word.can_split or word.has_glob for word in words):
        return True
    if len(ran) != len(words):
        return False
    expected = [HOME + word.text[1:] if word.raw[:1] == "~" else word.text for word in words]
    pairs = zip(words[1:], expected[1:], ran[1:], strict=True)
    return all(not word.is_literal or text == given for word, text, given in pairs)


def compare(stage: Stage, command: str) -> None:
    """Hold what bash runs against what we list."""
    ran = stage.run(command)
    if ran is None:
        return
    analysis = analyse(command)
    known = programs(analysis)
    for words in ran:
        assert words[0] in known, (command, analysis.doubts)
        if analysis.is_proved:
            forms = [form for one in analysis.commands for form in strip_for_rules(one)]
            assert any(is_told(words, form) for form in forms), (command, words)


WRITERS: dict[str, Callable[[Writer], str]] = {
    "from the grammar": Writer.line,
    "damaged": Writer.damaged,
    "noise": Writer.noise,
}


@pytest.mark.parametrize("kind", WRITERS)
@given(seed=st.integers(0, 2**32))
@settings(suppress_health_check=UNHURRIED)
def test_what_bash_runs_is_listed(stage: Stage, kind: str, seed: int) -> None:
    compare(stage, WRITERS[kind](Writer(Random(seed))))


@given(
    st.lists(
        st.lists(st.text("ab '\"\\$*~{},;|&#!()<>=[]é\t\n`?", max_size=5), max_size=3),
        min_size=1,
        max_size=3,
    ),
    st.randoms(use_true_random=False),
)
@settings(suppress_health_check=UNHURRIED)
def test_a_proved_list_gives_each_program_exactly_its_words(
    stage: Stage, arguments: list[list[str]], random: Random
) -> None:
    from_us = [[random.choice(PROGRAMS), *words] for words in arguments]
    line = "; ".join(
        " ".join([name, *(quoted(word, random) for word in words)]) for name, *words in from_us
    )

    analysis = analyse(line)
    ran = stage.run(line)

    assert all("second reading" in doubt for doubt in analysis.doubts)
    assert [[word.text for word in part.argv] for part in analysis.parts] == from_us
    assert ran is None or sorted(ran) == sorted(from_us)
