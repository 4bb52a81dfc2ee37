"""Spans of rows on all threads: every row once, faults come out, BLAS gets its threads back."""

from __future__ import annotations

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fkeax.numerics import host_threads


def _blas_threads() -> list[int]:
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.parametrize("num_threads", [1, 2])
@pytest.mark.parametrize("num_rows", [1, host_threads.MIN_SPAN_ROWS, 5 * host_threads.MIN_SPAN_ROWS + 3])
def test_every_row_once(num_threads: int, num_rows: int) -> None:
    visits = np.zeros(num_rows, int)

    def work(begin: int, end: int) -> None:
        visits[begin:end] += 1

    with threadpool_limits(num_threads, user_api="blas"), host_threads.spans_on_all_threads() as for_spans:
        for_spans(work, num_rows)
    assert (visits == 1).all()


def test_faults_come_out_and_blas_gets_its_threads_back() -> None:
    def work(begin: int, end: int) -> None:
        assert set(_blas_threads()) == {1}
        raise RuntimeError(f"rows {begin} to {end}")

    with threadpool_limits(2, user_api="blas"):
        before = _blas_threads()
        with pytest.raises(RuntimeError, match="rows 0 to"), host_threads.spans_on_all_threads() as for_spans:
            for_spans(work, 4 * host_threads.MIN_SPAN_ROWS)
        assert _blas_threads() == before
