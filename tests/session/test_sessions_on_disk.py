"""Sessions are found, listed, renamed and deleted, and lie where other readers look for them."""

import os
from pathlib import Path

import pytest

from gantlet import Environment
from gantlet.session import (
    SessionError,
    Shelf,
    all_sessions_folders,
    delete,
    new_session,
    project_key,
    sessions_folder,
)
from session.session_kit import VERSION, agent_in, begin

pytestmark = pytest.mark.anyio


async def told(folder: Path, cwd: Path, words: str, title: str = "") -> str:
    with begin(folder, cwd) as session:
        await agent_in(session, "Yes.").run(words)
        if title:
            session.rename(title)
    return session.id


def shelf(folder: Path) -> Shelf:
    return Shelf((folder / "projects",))


async def test_sessions_of_a_folder_are_listed_newest_first(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    first = await told(tmp_path, here, "one")
    second = await told(tmp_path, here, "two")
    await told(tmp_path, there, "three")
    os.utime(shelf(tmp_path).find(first), (1, 1))

    listed = shelf(tmp_path).sessions(str(here))

    assert [info.id for info in listed] == [second, first]
    assert [info.last_prompt for info in listed] == ["two", "one"]
    assert [info.cwd for info in listed] == [str(here)] * 2
    assert len(shelf(tmp_path).sessions()) == 3


async def test_a_session_is_found_by_id_beginning_and_title(tmp_path: Path) -> None:
    own = await told(tmp_path, tmp_path / "a", "one", title="The plan")

    found = [shelf(tmp_path).find(wanted).stem for wanted in (own, own[:8], "The plan")]

    assert found == [own] * 3


async def test_what_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(SessionError, match="No session 'nothing' was found"):
        shelf(tmp_path).find("nothing")
    with pytest.raises(SessionError, match="no session in"):
        shelf(tmp_path).latest(str(tmp_path))


async def test_two_of_a_name_are_not_guessed_between(tmp_path: Path) -> None:
    await told(tmp_path, tmp_path / "a", "one", title="Same")
    await told(tmp_path, tmp_path / "a", "two", title="Same")

    with pytest.raises(SessionError, match="Several sessions are meant by 'Same'"):
        shelf(tmp_path).find("Same")


async def test_a_deleted_session_is_gone_with_what_lay_beside_it(tmp_path: Path) -> None:
    own = await told(tmp_path, tmp_path / "a", "one")
    path = shelf(tmp_path).find(own)
    beside = path.with_suffix("") / "tool-results"
    beside.mkdir(parents=True)

    delete(path)

    assert shelf(tmp_path).sessions() == []
    assert not beside.parent.exists()


async def test_old_sessions_are_purged(tmp_path: Path) -> None:
    old = await told(tmp_path, tmp_path / "a", "one")
    new = await told(tmp_path, tmp_path / "a", "two")
    os.utime(shelf(tmp_path).find(old), (1_000, 1_000))
    now = shelf(tmp_path).find(new).stat().st_mtime

    assert shelf(tmp_path).purge(30, now) == [old]
    assert [info.id for info in shelf(tmp_path).sessions()] == [new]


def test_an_id_that_is_taken_is_refused(tmp_path: Path) -> None:
    own = "0b1c2d3e-0000-4000-8000-000000000000"
    path = tmp_path / project_key(tmp_path) / f"{own}.jsonl"
    path.parent.mkdir(parents=True)
    path.touch()

    with pytest.raises(SessionError, match="exists already"):
        new_session(tmp_path, str(tmp_path), VERSION, session_id=own)


def test_keys_are_those_of_compatible_readers() -> None:
    assert project_key("/") == "-"
    assert project_key("/nowhere/my.project_1") == "-nowhere-my-project-1"
    assert project_key("/" + "a" * 300) == "-" + "a" * 199 + "-vtkmfl"


def test_where_sessions_lie_is_told_by_the_environment(tmp_path: Path) -> None:
    own = Environment(variables={"GANTLET_HOME": str(tmp_path)})
    other = Environment(
        variables={"GANTLET_SESSIONS_DIR": str(tmp_path), "CLAUDE_CONFIG_DIR": "/else"}
    )

    assert sessions_folder(own) == tmp_path / "projects"
    assert all_sessions_folders(other) == (tmp_path, Path("/else/projects"))
