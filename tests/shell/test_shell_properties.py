"""What holds for every command line."""

import os
import sys
from collections.abc import Callable

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from gantlet.shell import (
    SimpleCommand,
    Word,
    analyse,
    critical_removal,
    failing_command,
    judge,
    strip_for_allow,
    strip_for_rules,
    suggest_rules,
    text_of,
)
from shell.bash_commands import quoted
from shell.shell_kit import corpus, objections

#: How long a text is of which eight times as much costs eight times as much.
LENGTH = 4_000 if os.environ.get("GANTLET_TEST_DEPTH") == "deep" else 2_000
#: Characters that mean something to a shell, and some that mean nothing to anybody.
SHELL_LETTERS = "abrm xé\u200b\u202e \t\n\r\0'\"\\$`(){}[]<>|&;#!*?~=,.-+0129@%^:/"
anything = st.one_of(
    st.text(),
    st.text(st.characters()),
    st.text(SHELL_LETTERS, max_size=60),
    st.lists(
        st.sampled_from(
            [
                *(
                    "$(",
                    ")",
                    "`",
                    '"',
                    "'",
                    "${",
                    "}",
                    "((",
                    "))",
                    "<<E\n",
                    "\nE\n",
                    "<(",
                    "[[ ",
                    " ]]",
                ),
                *(
                    "if ",
                    "; then ",
                    "; fi",
                    "for i in ",
                    "; do ",
                    "; done",
                    "case x in ",
                    ") ",
                    ";; ",
                    "esac",
                ),
                *(
                    "f() {",
                    ";",
                    "&&",
                    "||",
                    "|",
                    "&",
                    "\n",
                    " ",
                    "rm",
                    "x",
                    "-c ",
                    "bash ",
                    "eval ",
                    "sudo ",
                ),
                *(
                    "\\\n",
                    "\\",
                    "$'",
                    "$x",
                    "{a,b}",
                    ">",
                    "2>&1",
                    "X=",
                    "export ",
                    "cd ",
                    "~",
                    "*",
                    "#",
                ),
            ]
        ),
        max_size=25,
    ).map("".join),
)
READERS = [
    case["command"]
    for case in corpus("everyday")
    if not any(mark in case["command"] for mark in ("cd", "#", "<<", "=", "\\", "exit"))
    and not case["command"].endswith(";")
]
VALID = [case["command"] for case in corpus("attacks") if not case["id"].startswith("invalid")]
DOUBTED = [case["command"] for case in corpus("attacks") if analyse(case["command"]).doubts]


@given(anything)
@example("(" * 5000)
@example("$(" * 5000)
@example('"$(' * 3000)
@example("{ " * 5000)
@example("if " * 5000)
@example("`\\`" * 3000)
@example("${x:-" * 3000)
@example("$((" * 3000)
@example("eval " * 3000 + "rm")
@example("env " * 3000 + "rm")
@example("\ud800")
@example("a" * 100_000)
@example("; " * 50_000)
def test_every_text_is_taken_apart_and_judged_without_a_fault(text: str) -> None:
    analysis = analyse(text)

    assert analysis.source == text
    for command in analysis.commands[:50]:
        judge(command, "/proj")
        text_of(command)
        assert strip_for_rules(command)[0] == command
        assert strip_for_allow(command)
    critical_removal(analysis, "/proj", "/home/me", ["/data"])
    suggest_rules(analysis)
    failing_command(analysis)


def own_doubts(command: str) -> list[str]:
    """Return the doubts that are not those of the second reader, who is often wrong."""
    return [doubt for doubt in analyse(command).doubts if "second reading" not in doubt]


def test_a_caller_deep_in_its_own_stack_gets_an_answer() -> None:
    def deep(levels: int) -> tuple[str, ...]:
        return deep(levels - 1) if levels else analyse("$(" * 45 + "rm x" + ")" * 45).doubts

    room = sys.getrecursionlimit() - len(list(_frames())) - 120

    assert deep(room)


def _frames() -> list[object]:
    frame, found = sys._getframe(), []
    while frame is not None:
        found.append(frame)
        frame = frame.f_back  # type: ignore[assignment]  # None ends the loop
    return found


@given(
    st.lists(st.text(SHELL_LETTERS.replace("\0", "").replace("\r", ""), max_size=8), max_size=4),
    st.randoms(use_true_random=False),
)
def test_how_a_word_is_quoted_does_not_matter(texts: list[str], random: object) -> None:
    assume(not any(set("\u200b\u202e") & set(text) for text in texts))
    line = " ".join(["echo", *(quoted(text, random) for text in texts)])

    [command] = analyse(line).parts

    assert [word.text for word in command.argv] == ["echo", *texts]
    assert all(word.is_literal for word in command.argv)
    assert own_doubts(line) == []


@given(
    st.lists(
        st.text(SHELL_LETTERS.replace("\0", "").replace("\r", ""), max_size=8),
        min_size=1,
        max_size=4,
    )
)
def test_a_command_written_out_again_is_the_same_command(texts: list[str]) -> None:
    assume(not any(set("\u200b\u202e") & set(text) for text in texts))
    words = ("echo", *texts)
    written = text_of(SimpleCommand(tuple(Word(text, is_literal=True, raw=text) for text in words)))

    [command] = analyse(written).parts

    assert tuple(word.text for word in command.argv) == words
    assert text_of(command) == written


@given(st.sampled_from(READERS), st.sampled_from(READERS), st.sampled_from(["; ", " && ", "\n"]))
def test_a_list_is_the_sum_of_its_commands(first: str, second: str, joint: str) -> None:
    together = analyse(f"{first}{joint}{second}")

    assert together.commands == (*analyse(first).commands, *analyse(second).commands)
    assert together.doubts == ()


@given(st.sampled_from(READERS), st.sampled_from(DOUBTED), st.sampled_from(["; ", "\n", " | "]))
def test_a_command_in_front_never_removes_a_doubt(reader: str, doubted: str, joint: str) -> None:
    assert analyse(f"{reader}{joint}{doubted}").doubts


@given(
    st.sampled_from(VALID),
    st.sampled_from(
        ["timeout 5 ", "nice ", "LC_ALL=C ", "time ", "! ", "command ", "sudo ", "env "]
    ),
)
def test_a_wrapper_never_makes_a_command_harmless(command: str, wrapper: str) -> None:
    assume(not command.startswith(("#", "cd", "pushd", "popd")))  # wrappers keep these from working

    assert objections(f"{wrapper}{command}")


@given(st.sampled_from([case["command"] for case in corpus("hidden")]), st.sampled_from(READERS))
def test_a_hidden_command_is_found_behind_others_too(hidden: str, reader: str) -> None:
    analysis = analyse(f"{reader}\n{hidden}")

    assert "rm" in {
        form.program for command in analysis.commands for form in strip_for_rules(command)
    }


@given(st.integers(1, 40), st.sampled_from(["; ", " && ", " | ", "\n"]))
def test_no_number_of_parts_hides_a_command(count: int, joint: str) -> None:
    analysis = analyse(joint.join(["true"] * (count * 40) + ["rm x"]))

    assert analysis.commands[-1].program == "rm"


@pytest.mark.parametrize("size", [70_000, 300_000])
def test_what_is_too_long_is_still_searched(size: int) -> None:
    analysis = analyse("echo " + "x" * size + '; r"m" -rf y')

    assert analysis.doubts
    assert ["rm", "-rf", "y"] in [[word.text for word in one.argv] for one in analysis.commands]


def calls(run: Callable[[], object]) -> int:
    """Return how many functions are called, which time does not blur."""
    count = 0

    def tick(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(tick)
    try:
        run()
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize(
    "piece",
    [
        "ls -la src && grep -n foo bar.txt | head -5; ",
        "echo 'a b' \"c $x\" $(ls x); ",
        "x ",
        "(",
        "$(",
        '"$(',
        "`",
        "{a,b}",
        "{ ",
        "if x; then ",
        "case x in a) ",
        "${x:-",
        "$((",
        "<<a ",
        "cat <<E\nx\nE\n",
        "eval ",
        "sudo -@ ",
        "timeout 5 ",
        "env ",
        "xargs ",
        "find . -exec ",
        "su -c ",
        "bash -c 'rm x'; ",
        "X=rm; $X y; ",
        "cd a; ",
        "cd a && ",
        "for i in a b; do echo $i; done; ",
        "python -c 'os.system(\"x\")'; ",
        "a=b ",
        "git -c a=!b ",
        "a? ; ",
        "\\\n",
        "'a' ",
        "# x\n",
        "\u200b",
        "[[ a ",
        "f() { ",
        "sed 1e; ",
        "echo rm | sh | ",
        "$IFS",
        "{a[ ",
        "alias a=b; ",
        "%000",
    ],
)
def test_the_cost_grows_with_the_length_and_no_faster(piece: str) -> None:
    small, large = piece * (LENGTH // len(piece)), piece * (8 * LENGTH // len(piece))
    analyse(small)

    ratio = calls(lambda: analyse(large)) / calls(lambda: analyse(small))

    assert ratio < 8 * 1.6
