"""What is seen of paths is what is there: links, hard links, devices, patterns, trees."""

import os
import subprocess
from pathlib import Path

import pytest

from gantlet.system import FileKind, Found, PathFacts, Scout, directory_names, look_at
from gantlet.system.path_facts import expand
from gantlet.system.path_search import find_below


def seen(path: Path) -> PathFacts:
    return look_at(str(path), "/")


def test_a_file_a_directory_and_nothing_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "a").touch()

    assert seen(tmp_path / "a").kind is FileKind.FILE
    assert seen(tmp_path).kind is FileKind.DIRECTORY
    assert seen(tmp_path / "gone") == PathFacts(
        str(tmp_path / "gone"), str(tmp_path / "gone"), FileKind.MISSING
    )
    assert seen(tmp_path / "a" / "below").kind is FileKind.MISSING
    assert look_at("/dev/null", "/").kind is FileKind.DEVICE


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    assert seen(tmp_path / "pipe").kind is FileKind.OTHER


def test_a_link_has_two_names_also_where_it_leads_nowhere(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("target/file")

    facts = seen(tmp_path / "link")

    assert facts.lexical == str(tmp_path / "link")
    assert facts.real == str(tmp_path / "target/file")
    assert facts.kind is FileKind.MISSING


def test_dots_are_folded_in_one_name_and_followed_in_the_other(tmp_path: Path) -> None:
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "link").symlink_to("far/away")

    facts = look_at("link/../x", str(tmp_path))

    assert facts.lexical == str(tmp_path / "x")
    assert facts.real == str(tmp_path / "far" / "x")


def test_two_slashes_in_front_are_one() -> None:
    facts = look_at("//proc/self/environ", "/")

    assert facts.lexical == "/proc/self/environ"
    assert facts.real.startswith("/proc/")


def test_a_file_with_two_names_is_linked(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    assert not seen(tmp_path / "a").is_linked

    (tmp_path / "b").hardlink_to(tmp_path / "a")

    assert seen(tmp_path / "a").is_linked
    assert seen(tmp_path / "a").inode == seen(tmp_path / "b").inode
    assert not seen(tmp_path).is_linked


@pytest.mark.parametrize("path", ["a\0b", "x" * 5000, "/" + "y/" * 3000])
def test_what_cannot_be_a_path_is_not_known(path: str) -> None:
    assert not look_at(path, "/").is_known


def test_a_loop_of_links_is_looked_at_and_left(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")

    assert seen(tmp_path / "one").kind in {FileKind.UNKNOWN, FileKind.MISSING}


def test_a_chain_of_very_many_links_is_not_known_and_leads_nowhere(tmp_path: Path) -> None:
    chain = tmp_path / "chain"
    chain.mkdir()
    (chain / "0").touch()
    for number in range(1, 1_500):
        (chain / str(number)).symlink_to(str(number - 1))
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "link").symlink_to(chain / "1499")

    assert seen(chain / "1499").kind is FileKind.UNKNOWN
    assert seen(chain / "60").kind is FileKind.UNKNOWN  # the system does not follow so many either
    assert seen(chain / "5").kind is FileKind.FILE
    assert not look_at(f"{chain}/1499{'/x' * 3_000}", "/").is_known  # too long a path to ask about
    found = find_below(str(tmp_path / "below"), lambda path: path.endswith("/0"))
    assert found == (Found((), is_complete=True),)


def test_a_search_follows_as_many_links_as_the_system_does(tmp_path: Path) -> None:
    (tmp_path / "0").touch()
    for number in range(1, 60):
        (tmp_path / str(number)).symlink_to(str(number - 1))
    (tmp_path / "circle").symlink_to("circle")
    (tmp_path / "missing").symlink_to("gone/0")

    (found,) = find_below(str(tmp_path), lambda path: path.endswith("/0"))

    followed = {str(path) for path in tmp_path.iterdir() if path.name.isdigit() and path.exists()}
    assert {facts.lexical for facts in found.paths} == {*followed, str(tmp_path / "missing")}
    assert 1 < len(followed) < 60
    assert found.is_complete


def test_a_directory_is_known_under_both_its_names(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")

    assert directory_names(str(tmp_path / "link")) == (
        str(tmp_path / "link"),
        str(tmp_path / "real"),
    )
    assert directory_names("/") == ("/",)


def names(found: Found) -> list[str]:
    return sorted(Path(one.lexical).name for one in found.paths)


def test_a_search_finds_what_is_wanted_by_name_or_behind_a_link(tmp_path: Path) -> None:
    (tmp_path / "deep" / "down").mkdir(parents=True)
    for path in (".env", "deep/.env", "deep/down/.env", "other"):
        (tmp_path / path).touch()
    (tmp_path / "alias").symlink_to(".env")

    (found,) = Scout().find(str(tmp_path), lambda path: path.endswith("/.env"))

    assert found.is_complete
    assert names(found) == [".env", ".env", ".env", "alias"]


def test_a_search_does_not_enter_links_and_gives_up_in_time(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "up").symlink_to(tmp_path)
    for number in range(20):
        (tmp_path / f"file-{number}").touch()

    assert find_below(str(tmp_path), lambda _: False, max_entries=30) == (Found(),)
    (cut,) = find_below(str(tmp_path), lambda _: False, max_entries=10)
    assert not cut.is_complete


def test_one_walk_answers_several_questions(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "a.txt"):
        (tmp_path / name).touch()
    asked: list[str] = []

    def is_code(path: str) -> bool:
        asked.append(path)
        return path.endswith(".py")

    code, a, nothing = Scout().find(
        str(tmp_path), is_code, lambda path: "/a." in path, lambda _: False
    )

    assert (names(code), names(a), nothing) == (["a.py", "b.py"], ["a.py", "a.txt"], Found())
    assert len(asked) == 3
    assert Scout().find(str(tmp_path)) == ()


def test_a_search_below_a_file_or_nothing_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / "a").touch()

    assert find_below(str(tmp_path / "a"), lambda _: True) == (Found(),)
    assert find_below(str(tmp_path / "gone"), lambda _: True) == (Found(),)


def expanded(pattern: str, cwd: Path) -> set[str]:
    found = expand(pattern, str(cwd))
    assert found is not None
    return {os.path.relpath(one.lexical, cwd) for one in found[1:]}


def test_a_pattern_stands_for_what_the_shell_would_put_there(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for path in ("a.py", "b.py", ".env", "sub/c.py", "sub/.env"):
        (tmp_path / path).touch()

    assert expanded("*.py", tmp_path) == {"a.py", "b.py"}
    assert expanded("*", tmp_path) == {"a.py", "b.py", "sub"}
    assert expanded(".e*", tmp_path) == {".env"}
    assert expanded("*/*.py", tmp_path) == {"sub/c.py"}
    assert expanded("?.py", tmp_path) == {"a.py", "b.py"}
    assert expanded("gone/*", tmp_path) == set()


def test_a_set_of_characters_stands_for_at_least_what_it_means(tmp_path: Path) -> None:
    for path in ("a.py", "b.py", ".env"):
        (tmp_path / path).touch()

    assert {"a.py"} <= expanded("[a].py", tmp_path)
    assert {".env"} <= expanded("[.]env", tmp_path)
    assert {".env"} <= expanded(".[[:alpha:]]nv", tmp_path)


def test_a_pattern_includes_itself_and_too_many_matches_are_unknown(tmp_path: Path) -> None:
    found = expand("*", str(tmp_path))
    assert found is not None
    assert found[0].lexical == f"{tmp_path}/*"

    for number in range(1001):
        (tmp_path / f"file-{number}").touch()

    assert expand("*", str(tmp_path)) is None
    assert Scout().expand("*", str(tmp_path)) is None
    assert Scout().look("file-1", str(tmp_path)).kind is FileKind.FILE


def tracked(folder: Path) -> list[str]:
    (found,) = Scout().find(str(folder), lambda path: "/.git" not in path)
    return sorted(Path(one.lexical).name for one in found.paths if one.is_tracked)


def test_a_search_tells_which_files_git_keeps(tmp_path: Path) -> None:
    for name in ("kept", "kep", "new"):
        (tmp_path / name).touch()
    assert tracked(tmp_path) == []

    for words in (["init", "--quiet"], ["add", "kept"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True, capture_output=True)

    assert tracked(tmp_path) == ["kept"]


@pytest.mark.parametrize(("index", "counts"), [(None, []), (b"DIRC\0\0\0\4", ["a"])])
def test_what_git_keeps_in_another_form_counts_as_kept(
    tmp_path: Path, index: bytes | None, counts: list[str]
) -> None:
    (tmp_path / "a").touch()
    (tmp_path / ".git").mkdir()
    if index is not None:
        (tmp_path / ".git" / "index").write_bytes(index)

    assert tracked(tmp_path) == counts


def test_what_git_keeps_elsewhere_counts_as_kept(tmp_path: Path) -> None:
    (tmp_path / "a").touch()
    (tmp_path / ".git").write_text("gitdir: /elsewhere")

    assert tracked(tmp_path) == ["a"]


def test_of_very_many_files_the_rest_counts_as_kept(tmp_path: Path) -> None:
    for number in range(150):
        (tmp_path / f"file-{number}").touch()

    assert len(tracked(tmp_path)) == 50
