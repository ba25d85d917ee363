"""A batch on every core. Lines are answered in order, and as soon as they have come."""

import gc
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from functools import partial
from typing import Protocol

from gantlet.surfaces.permission_batch import Batch
from gantlet.system.workers import core_count, forked_workers
from gantlet.tool import UserError

_BLOCK_BYTES = 512 * 1024
#: Fewer lines are not worth telling another process.
_FEW = 64
_PIECES_PER_WORKER = 2


class Bytes(Protocol):
    """Something that gives what it has, without waiting for more."""

    def read1(self, size: int, /) -> bytes:
        """Return some bytes; none at the end."""


def answer_all(batch: Batch, source: Bytes) -> Iterator[str]:
    """Yield the answers to all lines, a block of them at a time.

    Raises:
        UserError: A process that judged was ended from outside.
    """
    # What is made for one case is dropped with it: looking for cycles would only take time.
    gc.set_threshold(100_000)
    workers = core_count()
    with ExitStack() as stack:
        pool: ProcessPoolExecutor | None = None
        for lines in _blocks(source):
            if workers < 2 or len(lines) < _FEW:
                yield _answered(batch, lines)
                continue
            if pool is None:
                pool = stack.enter_context(forked_workers(workers))
                stack.callback(pool.shutdown, wait=False, cancel_futures=True)
            try:
                yield from pool.map(partial(_answered, batch), _pieces(lines, workers))
            except BrokenProcessPool as error:
                raise UserError("A process that judged cases was ended; run it again.") from error


def _answered(batch: Batch, lines: list[bytes]) -> str:
    """Return the answers to some lines, as they are written."""
    return "".join(f"{answer}\n" for answer in batch.answers(lines))


def _pieces(lines: list[bytes], workers: int) -> list[list[bytes]]:
    """Return lines in pieces that keep every worker busy."""
    size = -(-len(lines) // (workers * _PIECES_PER_WORKER))
    return [lines[at : at + size] for at in range(0, len(lines), size)]


def _blocks(source: Bytes) -> Iterator[list[bytes]]:
    """Yield the whole lines that have come, as often as some have."""
    parts: list[bytes] = []
    while chunk := source.read1(_BLOCK_BYTES):
        head, newline, rest = chunk.rpartition(b"\n")
        if newline:
            yield b"".join((*parts, head)).split(b"\n")
            parts = []
        parts.append(rest)
    last = b"".join(parts)
    if last:
        yield [last]
