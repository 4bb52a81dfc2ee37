"""What a score takes beside its input keeps to the budget, and does not depend on the number of rows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import fkeax
from fkeax.diversity import pairs, plan, streaming
from fkeax.diversity.plan import format_bytes, memory_bytes
from fkeax.kernels import Gaussian

X = np.random.default_rng(0).standard_normal((900, 6)).astype(np.float32)
FKEA = {"bandwidth": 2.0, "method": "fkea", "num_frequencies": 12, "key": jax.random.key(0)}


def shape(*sizes: int, dtype: type = np.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(sizes, dtype)


@pytest.mark.parametrize("budget", ["200MiB", "400MiB", None])
def test_a_compiled_batch_of_features_keeps_to_the_plan(budget: str | None) -> None:
    """The features of a batch and everything the compiler puts beside them, at r = 2,000 and d = 768."""
    r, d = 2000, 768
    planned = plan(1_000_000, d, method="fkea", num_frequencies=r, memory_budget=memory_bytes(budget))
    assert planned.total_bytes <= (memory_bytes(budget) or planned.total_bytes)
    compiled = streaming._weighted_features.lower(shape(planned.batch_size, r), shape(planned.batch_size)).compile()
    used = compiled.memory_analysis()
    own = used.temp_size_in_bytes + used.output_size_in_bytes + used.argument_size_in_bytes
    batch = own + planned.batch_size * d * 4
    matrix = (2 * r) ** 2 * 4
    assert batch <= planned.total_bytes - 2 * matrix
    if budget is None:
        assert planned.batch_size == 4096


@pytest.mark.parametrize("budget", ["40MiB", "150MiB", None])
def test_compiled_blocks_of_the_kernel_matrix_keep_to_the_plan(budget: str | None) -> None:
    """Exact RKE of 20,000 rows: 3.2 GB as a matrix, never held; blocks of it, and nothing larger, under the budget."""
    n, d = 20_000, 16
    planned = plan(n, d, method="exact", spectrum=False, memory_budget=memory_bytes(budget))
    with jax.enable_x64(True):
        compiled = pairs._row_powers.lower(
            Gaussian(4.0),
            shape(n, d, dtype=np.float64),
            shape(n, dtype=np.float64),
            block_rows=pairs.block_side(n, 8, planned.block_bytes),
            doubled=False,
        ).compile()
    used = compiled.memory_analysis()
    total = used.temp_size_in_bytes + used.output_size_in_bytes + used.argument_size_in_bytes
    assert total <= planned.total_bytes
    assert total < n * n * 8 / 10
    assert planned.total_bytes <= (memory_bytes(budget) or planned.total_bytes)


@pytest.mark.slow
def test_a_budget_changes_batches_and_no_score() -> None:
    """Sums of 900 products, rounded in another order: 1e-5 in float32."""
    whole = fkeax.score(X, batch_size=512, **FKEA)
    most = plan(900, 6, method="fkea", num_frequencies=12, batch_size=512).total_bytes
    small = fkeax.score(X, batch_size=512, memory_budget=most - 50_000, **FKEA)
    stream = fkeax.score(iter([X]), batch_size=512, memory_budget=most - 50_000, **FKEA)
    assert small["rke"].diagnostics["plan"]["batch_size"] < 512  # type: ignore[index]
    assert small["rke"].diagnostics["plan"]["total_bytes"] <= most - 50_000  # type: ignore[index,operator]
    for name, result in whole.items():
        if result.value is not None:
            assert small[name].value == pytest.approx(result.value, rel=1e-5)
            assert stream[name].value == pytest.approx(result.value, rel=1e-5)


def test_exact_scores_by_smaller_blocks() -> None:
    whole = fkeax.score(X, metrics=("rke",), bandwidth=2.0, method="exact")
    with pytest.raises(ValueError, match="memory_budget must be at least") as caught:
        fkeax.score(X, metrics=("rke",), bandwidth=2.0, method="exact", memory_budget=1000)
    least = memory_bytes(str(caught.value).partition("at least ")[2].partition(" for")[0])
    small = fkeax.score(X, metrics=("rke",), bandwidth=2.0, method="exact", memory_budget=least)
    assert small["rke"].diagnostics["plan"]["block_bytes"] < 64 * 2**20  # type: ignore[index]
    for name, result in whole.items():
        assert small[name].value == pytest.approx(result.value, rel=1e-12)


@pytest.mark.parametrize("method", ["fkea", "exact", "dual"])
def test_too_small_a_budget_names_the_smallest_that_works(method: str) -> None:
    options = {"method": method, "kernel": "linear" if method == "dual" else "gaussian", "num_frequencies": 500}
    with pytest.raises(
        ValueError, match=rf"memory_budget must be at least .* for the {method} route here; got 100 bytes:"
    ) as e:
        plan(50_000 if method != "exact" else 2000, 300, memory_budget=100, **options)  # type: ignore[arg-type]
    told = memory_bytes(str(e.value).partition("at least ")[2].partition(" for")[0])
    assert told is not None
    planned = plan(50_000 if method != "exact" else 2000, 300, memory_budget=told, **options)  # type: ignore[arg-type]
    assert planned.total_bytes <= told
    with pytest.raises(ValueError, match="must be at least"):  # the sentence rounds up to three digits
        plan(50_000 if method != "exact" else 2000, 300, memory_budget=int(told * 0.98), **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "number"), [("2GiB", 2**31), ("500 MB", 500_000_000), ("1.5e9", 1_500_000_000), ("64k", 64_000), (7, 7)]
)
def test_texts_of_bytes(text: str | int, number: int) -> None:
    assert memory_bytes(text) == number


@pytest.mark.parametrize("text", ["", "much", "2 XB", "-1GiB", "0", "1.2.3GB", "1e999999"])
def test_texts_that_are_no_bytes(text: str) -> None:
    with pytest.raises(ValueError, match="memory_budget must be a number of bytes or a text such as '2GiB'; got"):
        memory_bytes(text)


def test_what_is_shown_can_be_given() -> None:
    for number in (1, 1023, 1024, 10_000, 123_456_789, 2**40):
        again = memory_bytes(format_bytes(number))
        assert again is not None
        assert number <= again <= 1.01 * number + 1


STREAMED = """
import json, sys, threading, time
from pathlib import Path
import jax, numpy as np
import fkeax
from fkeax.io import load_features

def anonymous():
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) * 1024

x = load_features(sys.argv[1]).array
def score(rows):
    return fkeax.score(rows, metrics=("rke",), bandwidth=8.0, method="fkea", num_frequencies=64, batch_size=1024,
                       key=jax.random.key(0))
score(x[:8192])  # compiles
peaks = {}
for n in (200_000, 1_000_000):
    before, peak, done = anonymous(), [0], threading.Event()
    def watch():
        while not done.wait(0.002):
            peak[0] = max(peak[0], anonymous())
    thread = threading.Thread(target=watch)
    thread.start()
    found = score(x[:n])
    done.set()
    thread.join()
    peaks[n] = peak[0] - before
    assert found["rke"].settings["num_samples"] == n
print(json.dumps(peaks))
"""


@pytest.mark.slow
def test_a_million_rows_take_the_memory_of_a_fifth(tmp_path: Path) -> None:
    """1e6 x 64 in float16, 128 MB on disk, mapped: the 98 MiB that are more than a fifth raise the peak by less than 4.

    What the process owns is measured; pages of the mapped file are the system's, which takes them back when it wants.
    """
    path = tmp_path / "x.npy"
    rows = np.lib.format.open_memmap(path, "w+", np.float16, (1_000_000, 64))
    random = np.random.default_rng(0)
    for start in range(0, 1_000_000, 50_000):
        rows[start : start + 50_000] = random.standard_normal((50_000, 64), dtype=np.float32)
    rows.flush()
    done = subprocess.run(
        [sys.executable, "-c", STREAMED, str(path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    peaks = json.loads(done.stdout)
    assert peaks["1000000"] < peaks["200000"] + 4 * 2**20, peaks
    assert peaks["1000000"] < 64 * 2**20, peaks
