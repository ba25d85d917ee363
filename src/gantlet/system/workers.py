"""Copies of this process that share its work."""

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor


def core_count() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def forked_workers(count: int) -> ProcessPoolExecutor:
    """Return processes that are copies of this one: nothing is imported again."""
    return ProcessPoolExecutor(
        count, mp_context=multiprocessing.get_context("fork"), initializer=_leave_to_parent
    )


def _leave_to_parent() -> None:
    """Let an interrupt end the parent, which then ends its workers."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
