"""Changes are taken back exactly, and never over what somebody else did since."""

import os
import stat
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gantlet.session import BlockedFile, ChangeLog, RestoredFile, undo
from gantlet.session.undo_pruning import prune, prune_if_due
from gantlet.tool import FileChange, FileState, UserError


class Maker:
    """Changes files and writes that down, as tools do."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.log = ChangeLog(folder / ".home", "one")
        self.log.begin_turn()

    def change(self, call_id: str, name: str, content: bytes | None, mode: int = 0o644) -> Path:
        """Give a file another content, or take it away."""
        path = self.folder / name
        before = None
        if path.exists():
            before = FileState(path.read_bytes(), stat.S_IMODE(path.stat().st_mode))
        made = [str(one) for one in reversed(path.parents) if not one.exists()]
        after = None if content is None else FileState(content, mode)
        self.log.record(FileChange(call_id, "Edit", str(path), before, after, tuple(made)))
        if content is None:
            path.unlink()
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)
        return path

    def undo(self, target: str = "", **given: bool) -> tuple[list[str], list[str]]:
        """Undo, and return what was restored and what was left alone."""
        result = undo(self.log, target, **given)
        return [one.action for one in result.restored], [one.reason for one in result.blocked]


@pytest.fixture
def maker(tmp_path: Path) -> Maker:
    return Maker(tmp_path)


def snapshot(folder: Path) -> dict[str, tuple[bytes, int] | None]:
    """Return everything in a folder but our own."""
    return {
        str(path.relative_to(folder)): (
            (path.read_bytes(), path.stat().st_mode) if path.is_file() else None
        )
        for path in sorted(folder.rglob("*"))
        if ".home" not in path.parts
    }


def test_a_change_that_was_not_made_is_not_taken_back(maker: Maker, tmp_path: Path) -> None:
    path = maker.change("c1", "a", b"first")
    tried = FileChange("c1", "Edit", str(path), FileState(b"first", 0o644), FileState(b"new", 0))
    maker.log.record(tried)
    maker.log.withdraw(tried)
    path.write_bytes(b"somebody's")

    assert [entry.after and entry.after.size for entry in maker.log.entries()] == [5]
    assert maker.undo() == ([], ["it was changed outside of this session"])
    assert maker.undo(is_forced=True) == (["removed"], [])


def test_an_edit_a_new_file_and_a_removal_are_taken_back(maker: Maker, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"first")
    (tmp_path / "b").write_bytes(b"gone")
    (tmp_path / "b").chmod(0o600)
    before = snapshot(tmp_path)
    maker.change("c1", "a", b"second", 0o755)
    maker.change("c2", "new/deep/c", b"made")
    maker.change("c3", "b", None)

    result = undo(maker.log)

    assert snapshot(tmp_path) == before
    assert set(result.restored) == {
        RestoredFile(str(tmp_path / "a"), "restored"),
        RestoredFile(str(tmp_path / "b"), "recreated"),
        RestoredFile(str(tmp_path / "new/deep/c"), "removed"),
    }


def test_only_what_is_named_is_taken_back(maker: Maker) -> None:
    path = maker.change("toolu_1", "a", b"1")
    maker.log.begin_turn()
    maker.change("toolu_2", "a", b"2")
    other = maker.change("toolu_3", "b", b"3")

    assert maker.undo("toolu_2") == (["restored"], [])
    assert (path.read_bytes(), other.read_bytes()) == (b"1", b"3")
    assert maker.undo("2") == (["removed"], [])
    assert not other.exists()
    assert maker.undo("1") == (["removed"], [])


def test_a_later_change_of_another_call_is_named(maker: Maker) -> None:
    path = maker.change("c1", "a", b"1")
    maker.change("c2", "a", b"2")

    assert maker.undo("c1") == ([], ["call c2 (Edit) changed it later; undo that first"])
    assert path.read_bytes() == b"2"


def test_nothing_is_touched_if_one_file_was_changed_by_somebody_else(
    maker: Maker, tmp_path: Path
) -> None:
    mine = maker.change("c1", "mine", b"1")
    theirs = maker.change("c2", "theirs", b"1")
    gone = maker.change("c3", "gone", b"1")
    theirs.write_bytes(b"foreign")
    gone.unlink()
    before = snapshot(tmp_path)

    result = undo(maker.log, "1")
    after = snapshot(tmp_path)
    forced = undo(maker.log, "1", is_forced=True)

    assert after == before
    assert result.blocked == (BlockedFile(str(theirs), "it was changed outside of this session"),)
    assert not result.is_done
    assert forced.is_done
    assert not mine.exists()
    assert not theirs.exists()


def test_an_undo_can_be_undone(maker: Maker) -> None:
    path = maker.change("c1", "a", b"1")
    maker.change("c2", "a", b"2")

    first = undo(maker.log, "c2")
    undone = path.read_bytes()
    undo(maker.log, first.call_id)
    redone = path.read_bytes()
    again = undo(maker.log, "c2")

    assert (undone, redone, path.read_bytes()) == (b"1", b"2", b"1")
    assert again.is_done


def test_what_was_undone_is_not_undone_again(maker: Maker) -> None:
    maker.change("c1", "a", b"1")
    maker.undo()

    with pytest.raises(UserError, match="nothing to undo"):
        maker.undo()
    with pytest.raises(UserError, match="changed no files"):
        maker.undo("c1")
    with pytest.raises(UserError, match="changed no files"):
        maker.undo("77")


def test_the_beginning_of_an_id_is_enough_if_it_is_one(maker: Maker) -> None:
    maker.change("toolu_abc", "a", b"1")
    maker.change("toolu_abd", "b", b"1")

    with pytest.raises(UserError, match="may mean toolu_abc, toolu_abd"):
        maker.undo("toolu_ab")
    assert maker.undo("toolu_abd") == (["removed"], [])


def test_a_change_that_was_announced_and_never_made_is_nothing_to_undo(
    maker: Maker, tmp_path: Path
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"1")
    before, after = FileState(b"1", 0o644), FileState(b"2", 0o644)
    maker.log.record(FileChange("c1", "Edit", str(path), before, after))

    assert maker.undo("c1") == ([], [])
    assert path.read_bytes() == b"1"


def test_a_mode_that_somebody_gave_the_file_since_is_left(maker: Maker, tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    (tmp_path / "a").chmod(0o644)
    path = maker.change("c1", "a", b"2")
    path.chmod(0o755)

    maker.undo()

    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"1", 0o755)


def test_a_link_in_the_files_place_is_not_followed(maker: Maker, tmp_path: Path) -> None:
    path = maker.change("c1", "a", b"1")
    (tmp_path / "target").write_bytes(b"1")
    path.unlink()
    path.symlink_to(tmp_path / "target")

    _, blocked = maker.undo(is_forced=True)

    assert "link" in blocked[0]
    assert (tmp_path / "target").read_bytes() == b"1"


def test_a_trial_only_tells(maker: Maker) -> None:
    path = maker.change("c1", "a", b"1")

    assert maker.undo(is_trial=True) == (["removed"], [])
    assert path.exists()


contents = st.none() | st.binary(max_size=6)
steps = st.lists(st.tuples(st.sampled_from(["a", "b", "d/c"]), contents), min_size=1, max_size=8)


@given(start=st.dictionaries(st.sampled_from(["a", "b"]), st.binary(max_size=6)), changes=steps)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_undo_restores_exactly(
    tmp_path_factory: pytest.TempPathFactory,
    start: dict[str, bytes],
    changes: list[tuple[str, bytes | None]],
) -> None:
    folder = tmp_path_factory.mktemp("undo")
    for name, first in start.items():
        (folder / name).write_bytes(first)
    maker = Maker(folder)
    before = snapshot(folder)
    for number, (name, content) in enumerate(changes):
        if content is not None or (folder / name).exists():
            maker.change(f"c{number}", name, content)
    if not maker.log.entries():
        return

    result = undo(maker.log, "1")

    assert result.is_done
    assert snapshot(folder) == before


def test_old_sessions_are_let_go_with_what_only_they_need(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a").write_bytes(b"1")
    old = Maker(folder)
    old.change("c1", "a", b"2")
    young = ChangeLog(folder / ".home", "two")
    young.record(FileChange("c2", "Edit", "/x", FileState(b"kept", 0o644), None))
    month_ago = time.time() - 40 * 86_400
    os.utime(old.log.path, (month_ago, month_ago))
    images = folder / ".home" / "undo" / "images"
    for path in images.rglob("*"):
        if path.is_file():
            os.utime(path, (month_ago, month_ago))

    prune_if_due(folder / ".home" / "undo")
    not_due = old.log.path.exists()
    prune(folder / ".home" / "undo")

    assert not_due
    assert not old.log.path.exists()
    assert young.path.exists()
    assert [path.read_bytes() for path in images.rglob("*") if path.is_file()] == [b"kept"]


def test_the_oldest_sessions_go_when_there_is_too_much(tmp_path: Path) -> None:
    for number in range(3):
        log = ChangeLog(tmp_path, f"s{number}")
        state = FileState(bytes([number]) * 100, 0o644)
        log.record(FileChange("c", "Edit", "/x", state, None))
        os.utime(log.path, (time.time() - 100 + number,) * 2)

    prune(tmp_path / "undo", max_bytes=250)

    assert sorted(path.stem for path in (tmp_path / "undo/sessions").iterdir()) == ["s1", "s2"]
