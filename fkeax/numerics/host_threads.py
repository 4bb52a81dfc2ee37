"""Rows in spans, one for each thread of BLAS: what NumPy does between two products runs on all cores as well.

NumPy's own passes (a minimum, an argmin) run on one core while the threads of BLAS spin, waiting for the next product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache

ForSpans = Callable[[Callable[[int, int], None], int], None]
"""``for_spans(work, n)`` calls ``work(begin, end)`` for spans that cover 0 to n, and returns when all are done."""

MIN_SPAN_ROWS = 1_024  # below, starting a thread costs more than it saves


def one_span(work: Callable[[int, int], None], num_rows: int) -> None:
    """Call ``work`` once, for all rows."""
    work(0, num_rows)


@contextmanager
def spans_on_all_threads() -> Iterator[ForSpans]:
    """Yield a loop over spans of rows that runs them side by side, with one BLAS thread each.

    As many spans as BLAS has threads now (``OPENBLAS_NUM_THREADS`` counts); BLAS has them back at the end. The work of
    a span must write to rows of its own only.

    Example:
        >>> import numpy as np
        >>> doubled = np.arange(6)
        >>> def work(begin: int, end: int) -> None:
        ...     doubled[begin:end] *= 2
        >>> with spans_on_all_threads() as for_spans:
        ...     for_spans(work, 6)
        >>> doubled.tolist()
        [0, 2, 4, 6, 8, 10]
    """
    blas = _blas()
    num_threads = max((library["num_threads"] for library in blas.info()), default=1)
    if num_threads == 1:
        yield one_span
        return
    with blas.limit(limits=1), ThreadPoolExecutor(num_threads) as pool:

        def for_spans(work: Callable[[int, int], None], num_rows: int) -> None:
            number = min(num_threads, max(1, num_rows // MIN_SPAN_ROWS))
            edges = [num_rows * i // number for i in range(number + 1)]
            for _ in pool.map(work, edges[:-1], edges[1:]):  # raises what a span raised
                pass

        yield for_spans


@cache
def _blas():
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
