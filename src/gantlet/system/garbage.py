"""Looking for garbage, and when it is in vain."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def nothing_to_collect() -> Iterator[None]:
    """Do not look for garbage meanwhile: what is made now stays. For what takes milliseconds.

    Afterwards it counts as old, so that the next look for young garbage does not go through it.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            count_as_old()
            gc.enable()


def count_as_old() -> None:
    """Let everything there is count as old, without a look at it.

    Freezing and thawing does that. Where a program has frozen something itself, it stays so.
    """
    if not gc.get_freeze_count():
        gc.freeze()
        gc.unfreeze()
