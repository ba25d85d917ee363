"""What settings cost: reading them at a start, and looking whether they changed before each call.

Run it with `python benchmarks/bench_settings.py`. Two settings files and a trusted folder are made
in a temporary directory. Times are medians of many rounds in one process, each beside a floor taken
in the same run. Reading has `json.loads` of the same files, with one `stat` for each file that is
looked for; looking has a bare `os.stat` of each file that is watched.
"""

import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from gantlet.config import SettingsRequest, SettingsWatch
from gantlet.system import Environment

ROUNDS = 200
USER = {
    "model": "claude-x",
    "permissions": {"deny": ["Read(.env)", "Bash(rm *)"], "allow": ["Bash(git log *)"]},
    "env": {"LANG": "C", "EDITOR": "vi"},
}
PROJECT = {
    "permissions": {"allow": ["Bash(make *)", "Bash(npm test)"], "ask": ["WebFetch"]},
    "hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x"}]}]},
    "sandbox": {"enabled": True},
}


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        request = desk(Path(folder).resolve())
        places = request.places()
        files = [path for _, path in places.listed()]
        there = [path for path in files if path.exists()]
        watched = [str(path) for _, path in request.watched(places)]
        watch = SettingsWatch(request.watched(places))

        def read_floor() -> None:
            for path in files:
                exists(str(path))
            for path in there:
                json.loads(path.read_text())

        def watch_floor() -> None:
            for path in watched:
                exists(path)

        show("read the settings", timed(request.read), timed(read_floor))
        show("look for changes", timed(watch.has_changed), timed(watch_floor))


def desk(root: Path) -> SettingsRequest:
    """Make a home and a trusted project."""
    for name, content in (("home", USER), ("app", PROJECT)):
        file = root / name / ".claude" / "settings.json"
        file.parent.mkdir(parents=True)
        file.write_text(json.dumps(content, indent=2))
    variables = {"HOME": str(root / "home"), "GANTLET_HOME": str(root / "own")}
    request = SettingsRequest(root / "app", Environment(variables=variables))
    trust = request.read().trust
    request.store.put(trust.root, [part.found for part in trust.parts])
    return request


def exists(path: str) -> None:
    """Ask for a file, and nothing else."""
    with suppress(OSError):
        os.stat(path)  # noqa: PTH116 - the floor


def timed(work: Callable[[], object]) -> float:
    """Return the median time of some work in microseconds."""
    rounds = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        work()
        rounds.append(time.perf_counter() - begun)
    return statistics.median(rounds) * 1e6


def show(name: str, ours: float, floor: float) -> None:
    """Print one comparison."""
    print(f"{name:<20} {ours:8.1f} µs   floor {floor:7.1f} µs   ratio {ours / floor:5.1f}")


if __name__ == "__main__":
    main()
