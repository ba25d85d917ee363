"""What a call is told: where paths lead, and how to show progress."""

import os
from pathlib import Path

import pytest

from builders import tool_context
from gantlet.system import Place
from gantlet.tool import Surroundings, ToolError


def test_a_path_is_resolved_as_written_and_with_links_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    root = os.path.realpath(tmp_path)

    place = tool_context(root).resolve("link/new.txt")

    assert place == Place(f"{root}/link/new.txt", f"{root}/real/new.txt")
    assert (str(place.lexical), str(place.real)) == (place.lexical_text, place.real_text)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("a\0b", "'a\\x00b' cannot be a path: it holds a NUL byte. Give another path."),
        (
            "x" * 300,
            f"'{'x' * 58}… cannot be a path: a name in it is too long. Give another path.",
        ),
        (
            "x/" * 5_000,
            f"'{'x/' * 29}… cannot be a path: it is longer than 4096 characters."
            " Give another path.",
        ),
        (
            "a\ud800",
            "'a\\ud800' cannot be a path: it holds half of a surrogate pair, which is no"
            " character. Give another path.",
        ),
    ],
)
def test_what_cannot_be_a_path_is_told_to_the_model_in_a_sentence(
    path: str, said: str, tmp_path: Path
) -> None:
    with pytest.raises(ToolError) as caught:
        tool_context(str(tmp_path)).resolve(path)

    assert str(caught.value) == said


def test_progress_goes_to_whoever_watches() -> None:
    seen: list[object] = []
    context = tool_context(report=seen.append)

    context.progress("half")
    context.progress({"done": 2})

    assert seen == ["half", {"done": 2}]


def test_surroundings_are_changed_by_a_copy() -> None:
    before = Surroundings("/a", extra_directories=("/b",))

    after = before.moved_to("/c")

    assert (before.cwd, after) == ("/a", Surroundings("/c", extra_directories=("/b",)))
