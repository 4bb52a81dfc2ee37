"""A score streamed from a memory-mapped file: seconds a row, and memory that does not depend on how many there are."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.case import Case, Family, Scale
from benchmarks.data import normal
from benchmarks.timing import Contender, all_threads, status_mb

_BLOCK = 16_384


@contextmanager
def anonymous_peak() -> Iterator[Callable[[], float]]:
    """Yield what tells the rise of the memory that is not pages of a file, in MB, looked at every 5 ms."""
    first = status_mb("RssAnon") or 0.0
    highest = [first]
    stopped = threading.Event()

    def watch() -> None:
        while not stopped.wait(0.005):
            highest[0] = max(highest[0], status_mb("RssAnon") or 0.0)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield lambda: highest[0] - first
    finally:
        stopped.set()
        watcher.join()


def make_file(path: Path, num_rows: int, dimension: int) -> None:
    """Write rows of N(0, I) moved a little from block to block, block by block."""
    block = normal(_BLOCK, dimension)
    rows = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(num_rows, dimension))
    for number, start in enumerate(range(0, num_rows, _BLOCK)):
        stop = min(start + _BLOCK, num_rows)
        rows[start:stop] = block[: stop - start] + np.float32(0.01 * (number % 7))
    rows.flush()


def _streamed(sizes: Sequence[int], d: int, r: int) -> list[Contender]:
    import jax

    import fkeax

    folder = tempfile.TemporaryDirectory(prefix="fkeax-bench-")  # lives as long as the contenders
    path = Path(folder.name) / "rows.npy"
    make_file(path, max(sizes), d)

    def score(num_rows: int, kept: tempfile.TemporaryDirectory[str]) -> tuple[float, float]:
        rows = np.load(path, mmap_mode="r")[:num_rows]
        with anonymous_peak() as rise:
            found = fkeax.score(
                rows,
                metrics=("rke",),
                bandwidth=28.0,
                method="fkea",
                num_frequencies=r,
                key=jax.random.key(0),
            )
            return float(found["rke"]), rise()

    return [
        Contender(f"fkeax, n = {size:,}", lambda size=size: score(size, folder), compiles=size == min(sizes))
        for size in sizes
    ]


def _cases(scale: Scale) -> Sequence[Case]:
    tolerance, reason = 40.0, "RKE of the same law, and the memory in MB: buffers of a few batches come and go"
    if scale == "smoke":
        return [Case("memory", "n=2,000 and 6,000, d=16", lambda: _streamed((2_000, 6_000), 16, 30), 200, reason, True)]
    cases = [
        Case(
            "memory",
            "d=768, 2r=500, RKE; the values are the score and the rise of memory in MB without pages of the file",
            lambda: _streamed((100_000, 1_000_000), 768, 250),
            tolerance,
            reason,
            absolute=True,
            threads=all_threads(),
        )
    ]
    if scale == "all":
        cases.append(
            Case(
                "2r=16k",
                "n=1,000,000, d=768, 2r=16,000, RKE",
                lambda: _streamed((1_000_000,), 768, 8_000),
                tolerance,
                reason,
                absolute=True,
                threads=all_threads(),
            )
        )
    return cases


FAMILY = Family(
    "Streaming",
    "A million rows of 768 numbers, 3 GB, in a file made in the temporary folder, read through a memory map. There is "
    "no peer: the question is whether memory grows with n.",
    _cases,
)
