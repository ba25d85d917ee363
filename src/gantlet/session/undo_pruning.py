"""Let old changes go, so that the log for undoing them stays within bounds."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

MAX_AGE_DAYS = 30
MAX_BYTES = 1024**3
#: A content that is younger may belong to a change that is just being written down.
_SAFE_SECONDS = 3600
_DAY_SECONDS = 86_400
_MARK = "pruned"


def prune_if_due(root: Path) -> None:
    """Prune, unless that was done within the last day. Never raises."""
    with suppress(OSError):
        mark = root / _MARK
        with suppress(FileNotFoundError):
            if time.time() - mark.stat().st_mtime < _DAY_SECONDS:
                return
        mark.touch(mode=0o600)
        prune(root)


def prune(root: Path, *, max_age_days: float = MAX_AGE_DAYS, max_bytes: int = MAX_BYTES) -> None:
    """Remove the logs that are too old, then the oldest until the contents are within bounds.

    Raises:
        OSError: The folder cannot be read.
    """
    now = time.time()
    logs = sorted(_files(root / "sessions"), key=lambda found: found[1].st_mtime)
    kept = []
    for path, facts in logs:
        if now - facts.st_mtime > max_age_days * _DAY_SECONDS:
            path.unlink(missing_ok=True)
        else:
            kept.append(path)
    sizes = {path: facts.st_size for path, facts in _files(root / "images")}
    needs = {log: _needed(log, root) for log in kept}
    while kept and sum(sizes.get(one, 0) for one in set().union(*needs.values())) > max_bytes:
        oldest = kept.pop(0)
        del needs[oldest]
        oldest.unlink(missing_ok=True)
    needed = set().union(*needs.values()) if needs else set()
    for path, facts in _files(root / "images"):
        if path not in needed and now - facts.st_mtime > _SAFE_SECONDS:
            path.unlink(missing_ok=True)


def _files(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield the files below a folder with what is known of them."""
    for path in folder.rglob("*"):
        with suppress(OSError):
            facts = path.stat()
            if path.is_file():
                yield path, facts


def _needed(log: Path, root: Path) -> set[Path]:
    """Return the contents that a log needs."""
    needed: set[Path] = set()
    with suppress(OSError):
        for line in log.read_bytes().splitlines():
            with suppress(ValueError, TypeError, KeyError, AttributeError):
                before = json.loads(line)["before"]
                if before is not None:
                    digest = str(before["digest"])
                    needed.add(root / "images" / digest[:2] / digest[2:])
    return needed
