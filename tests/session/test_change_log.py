"""Changes of files are written down before they are made, for their owner only."""

import stat
from pathlib import Path

from gantlet.session import ChangeLog, Image
from gantlet.system import digest_of
from gantlet.tool import FileChange, FileState


def change(call_id: str, before: bytes | None, after: bytes | None) -> FileChange:
    """Return a change of a file."""
    states = [None if one is None else FileState(one, 0o644) for one in (before, after)]
    return FileChange(call_id, "Edit", "/repo/a", states[0], states[1])


def test_a_change_is_written_down_with_the_content_as_it_was(tmp_path: Path) -> None:
    log = ChangeLog(tmp_path, "one")

    log.record(change("c1", None, b"first"))
    log.begin_turn()
    log.record(change("c2", b"first", b"second"))

    created, edited = ChangeLog(tmp_path, "one").entries()
    first = Image(digest_of(b"first"), 5, 0o644)
    assert (created.number, created.turn, created.call_id, created.before) == (1, 0, "c1", None)
    assert (edited.number, edited.turn, edited.before, created.after) == (2, 1, first, first)
    assert log.images.fetch(first.digest) == b"first"


def test_only_the_owner_can_read_what_is_kept(tmp_path: Path) -> None:
    log = ChangeLog(tmp_path / "home", "one")

    log.record(change("c1", b"secret", b"x"))

    for path in (tmp_path / "home").rglob("*"):
        wanted = 0o700 if path.is_dir() else 0o600
        assert stat.S_IMODE(path.stat().st_mode) == wanted


def test_a_torn_line_loses_only_itself(tmp_path: Path) -> None:
    log = ChangeLog(tmp_path, "one")
    log.record(change("c1", b"a", b"b"))
    with log.path.open("ab") as torn:
        torn.write(b'{"number": 2, "turn')

    again = ChangeLog(tmp_path, "one")
    again.record(change("c3", b"b", b"c"))

    assert [entry.call_id for entry in again.entries()] == ["c1", "c3"]


def test_a_content_that_was_altered_on_disk_is_not_given_out(tmp_path: Path) -> None:
    log = ChangeLog(tmp_path, "one")
    digest = digest_of(b"was")
    log.images.keep(b"was", digest)

    log.images.path_of(digest).write_bytes(b"altered")

    assert log.images.fetch(digest) is None
    assert log.images.fetch("0" * 64) is None
