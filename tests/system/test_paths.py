"""Where paths lead, and when two of them can mean the same file."""

import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from builders import run_python
from gantlet.system import Environment, Identity, Place, absolute, identify, is_on, locate
from gantlet.system.paths import MAX_PATH_CHARS

IS_ROOT = os.geteuid() == 0

names = st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1)
name_like = names.filter(lambda name: name not in {".", ".."} and not name.startswith("~"))


@pytest.fixture
def root(tmp_path: Path) -> str:
    """A folder by its real name."""
    return os.path.realpath(tmp_path)


def tree_of(path: str) -> Identity:
    return identify(path, "/", is_tree=True)


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        ("a", "/cwd/a"),
        ("./a//b/", "/cwd/./a//b/"),
        ("../a", "/cwd/../a"),
        ("/a", "/a"),
        ("//a", "/a"),
        ("///a", "/a"),
        ("", "/cwd/"),
        ("a~b", "/cwd/a~b"),
        ("~no-such-user/a", "/cwd/~no-such-user/a"),
    ],
)
def test_a_path_is_made_absolute_and_otherwise_left_alone(path: str, whole: str) -> None:
    assert absolute(path, "/cwd") == whole


def test_a_tilde_is_the_home_of_the_user() -> None:
    home = str(Path.home())

    assert absolute("~/a", "/cwd") == f"{home}/a"
    assert identify("~/no-such-file", "/cwd") == identify(f"{home}/no-such-file", "/")
    assert locate("~", "/cwd") == Place(home, os.path.realpath(home))
    assert locate("./~", "/cwd") == Place("/cwd/~", "/cwd/~")


def test_two_slashes_at_the_start_are_one() -> None:
    assert locate("//etc/hosts", "/") == locate("/etc/hosts", "/")
    assert identify("//etc/hosts", "/") == identify("/etc/hosts", "/")


def test_dots_behind_a_link_are_followed_as_the_kernel_does(root: str) -> None:
    (Path(root) / "far" / "deep").mkdir(parents=True)
    (Path(root) / "near").symlink_to("far/deep")
    (Path(root) / "far" / "a").write_text("")
    (Path(root) / "a").write_text("")

    assert locate("near/../a", root).real_text == f"{root}/far/a"
    assert identify("near/../a", root) == identify("far/a", root)
    assert not identify("near/../a", root).touches(identify("a", root))


def test_a_link_is_the_file_it_leads_to_even_if_that_is_not_there_yet(root: str) -> None:
    (Path(root) / "dangling").symlink_to("folder/new")

    assert identify("dangling", root) == identify("folder/new", root)
    assert locate("dangling", root) == Place(f"{root}/dangling", f"{root}/folder/new")


def test_two_names_of_one_file_touch_each_other_and_every_tree(root: str) -> None:
    Path(root, "one").mkdir()
    Path(root, "one", "a").write_text("")
    Path(root, "two").mkdir()
    os.link(f"{root}/one/a", f"{root}/two/b")
    Path(root, "c").write_text("")
    first, second, other = (identify(path, root) for path in ("one/a", "two/b", "c"))

    assert first.inode == second.inode
    assert first.touches(second)
    assert first.touches(identify("two", root))
    assert not first.touches(other)
    assert not other.touches(identify("two", root))


def test_a_folder_counts_with_everything_below_it(root: str) -> None:
    Path(root, "folder").mkdir()
    folder = identify("folder", root)

    assert folder.is_tree
    assert folder.touches(identify("folder/new/a", root))
    assert not folder.touches(identify("folder2", root))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("README", "readme"),
        ("Straße", "STRASSE"),
        ("caf\u00e9", "cafe\u0301"),
        ("\u212b", "\u00e5"),
        ("\u1fb3\u0301", "\u1fb4"),
        ("\uac00", "\u1100\u1161"),
        ("so\u00adft", "soft"),
        ("ze\u200bro", "zero"),
        ("a\u0301\u200b\u0327", "a\u0327\u0301"),
        ("heart\u2764\ufe0f", "heart\u2764"),
    ],
)
def test_names_that_some_mount_takes_for_the_same_are_the_same(
    first: str, second: str, root: str
) -> None:
    assert identify(first, root) == identify(second, root)
    assert identify(f"{first}/a", root) == identify(f"{second}/a", root)


@given(name_like, st.sampled_from(["NFC", "NFD"]))
@example("\u0345\u0301", "NFC")
@example("\u03b1\u0345\u0301", "NFC")
def test_the_normal_form_and_the_case_of_a_name_do_not_matter(name: str, form: str) -> None:
    plain = identify(f"/nowhere/{name}", "/")

    normal = unicodedata.normalize(form, name)  # type: ignore[arg-type]  # one of two literals
    folded = unicodedata.normalize("NFD", name).casefold()

    assert identify(f"/nowhere/{normal}", "/") == plain
    assert identify(f"/nowhere/{folded}", "/") == plain


@pytest.mark.parametrize(
    "path",
    [
        "missing/../a",
        "missing/../../a",
        "loop",
        "loop/a",
        "ping",
        "plain/below",
        "x" * 300,
        "folder/" + "x" * 300,
        "a\0b",
        "\0",
        "half\ud800",
        "half\ud800/a",
        "~\ud800",
        "x" * MAX_PATH_CHARS,
        "x/" * 100_000,
    ],
    ids=lambda path: ascii(path[:20]),
)
def test_what_cannot_be_resolved_counts_as_a_tree_around_it(path: str, root: str) -> None:
    folder = Path(root)
    (folder / "folder").mkdir()
    (folder / "plain").write_text("")
    (folder / "loop").symlink_to("loop")
    (folder / "ping").symlink_to("pong")
    (folder / "pong").symlink_to("ping")

    found = identify(path, root)

    assert found.is_tree
    assert tree_of(root).touches(found)


def test_a_home_that_cannot_be_resolved_counts_as_a_tree_around_it(root: str) -> None:
    found = identify("~\0", root)

    assert found.is_tree
    assert tree_of(str(Path.home())).touches(found)


@pytest.mark.parametrize(
    ("path", "around"),
    [
        ("missing/../a", ""),
        ("folder/missing/../a", "folder"),
        ("loop", ""),
        ("folder/loop/a", "folder"),
        ("link/../loop", "folder"),
        ("plain/below", "plain"),
        ("folder/" + "x" * 300, "folder"),
        ("folder/a\0b", "folder"),
        ("folder/half\ud800", "folder"),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_the_tree_around_it_is_the_nearest_that_can_be_resolved(
    path: str, around: str, root: str
) -> None:
    folder = Path(root)
    (folder / "folder" / "deep").mkdir(parents=True)
    (folder / "plain").write_text("")
    (folder / "loop").symlink_to("loop")
    (folder / "folder" / "loop").symlink_to("loop")
    (folder / "link").symlink_to("folder/deep")

    found = identify(path, root)

    assert found.parts == identify(around or ".", root).parts


@pytest.mark.skipif(IS_ROOT, reason="root may read everything")
def test_what_lies_in_a_closed_folder_counts_as_that_folder(root: str) -> None:
    closed = Path(root, "closed")
    closed.mkdir(mode=0o000)
    try:
        found = identify("closed/a/b", root)
    finally:
        closed.chmod(0o700)

    assert (found.parts, found.is_tree) == (identify("closed", root).parts, True)


paths = st.text(st.characters(), max_size=30) | st.lists(
    st.sampled_from(["..", ".", "", "a", "~", "x" * 200, "\0", "\ud800", "é"]), max_size=30
).map("/".join)


@given(paths, paths)
def test_any_two_paths_can_be_compared(first: str, second: str) -> None:
    one, two = identify(first, "/nowhere"), identify(second, "/nowhere")

    assert one.touches(one)
    assert one.touches(two) == two.touches(one)


@given(paths)
def test_a_path_is_located_or_refused_and_nothing_else(path: str) -> None:
    try:
        place = locate(path, "/nowhere")
    except ValueError as error:
        said = str(error)
    else:
        said = f"it is at {place.lexical_text} {place.real_text}"

    assert said.startswith(("it ", "a name "))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("a\0", "it holds a NUL byte"),
        ("x" * 300, "a name in it is too long"),
        ("x/" * 5_000, f"it is longer than {MAX_PATH_CHARS} characters"),
        ("\ud800", "it holds half of a surrogate pair, which is no character"),
        ("~\ud800", "it holds half of a surrogate pair, which is no character"),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_what_cannot_be_a_path_is_refused_with_the_reason(path: str, said: str, root: str) -> None:
    with pytest.raises(ValueError, match=said):
        locate(path, root)


def test_a_chain_of_links_longer_than_the_stack_is_no_crash(root: str) -> None:
    for number in range(1_500):
        Path(root, f"link{number}").symlink_to(f"link{number + 1}")

    for path in ("link0", "link0/a", "link0/../a"):
        assert tree_of(root).touches(identify(path, root))
        try:
            said = locate(path, root).real_text  # newer Pythons follow it without a stack
        except ValueError as error:
            said = str(error)
        assert said == "it leads through too many links" or said.startswith(root)


def test_a_flag_in_the_environment_switches_a_feature() -> None:
    variables = {
        "GANTLET_FLAG_NEW_SEARCH": "1",
        "GANTLET_FLAG_OLD_SEARCH": "off",
        "GANTLET_FLAG_": "1",
    }

    printed = run_python(
        "from gantlet.system import Environment\n"
        "environment = Environment.current(frozenset({'old_search', 'kept'}))\n"
        "print(sorted(environment.flags), environment.is_set('GANTLET_FLAG_NEW_SEARCH'))",
        variables,
    )

    assert printed == "['kept', 'new_search'] True\n"


@pytest.mark.parametrize("value", ["1", "true", "YES", " on ", "2", "anything"])
def test_a_value_that_says_something_is_on(value: str) -> None:
    assert is_on(value)
    assert Environment(variables={"X": value}).is_set("X")


@pytest.mark.parametrize("value", ["", " ", "0", "false", "No", "OFF"])
def test_a_value_that_says_no_is_off(value: str) -> None:
    assert not is_on(value)
    assert not Environment(variables={"X": value}).is_set("X")
    assert not Environment().is_set("X")


def test_a_program_is_looked_for_where_the_environment_says(root: str) -> None:
    program = Path(root, "made-up-program")
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)

    assert Environment(variables={"PATH": root}).has_program("made-up-program")
    assert not Environment(variables={"PATH": root}).has_program("sh")
    assert not Environment().has_program("made-up-program")
    assert Environment().has_program("sh")
