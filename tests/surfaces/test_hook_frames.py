"""What a program that drives us reads about hooks."""

from gantlet.messages import HookInfo, StopHookSummary
from gantlet.surfaces.headless.frames import Frames


def test_a_summary_of_stop_hooks_has_its_counts_errors_and_reason() -> None:
    summary = StopHookSummary(
        (HookInfo("./check", 0.25), HookInfo("./gone", 0.001, "not found")),
        prevented_continuation=True,
        reason="enough",
    )

    frame = Frames("s1").stop_summary(summary)

    assert {name: frame[name] for name in frame if name not in {"uuid", "session_id"}} == {
        "type": "system",
        "subtype": "stop_hook_summary",
        "hookCount": 2,
        "hookInfos": [
            {"command": "./check", "durationMs": 250},
            {"command": "./gone", "durationMs": 1},
        ],
        "hookErrors": ["not found"],
        "preventedContinuation": True,
        "stopReason": "enough",
    }
