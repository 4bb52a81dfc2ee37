"""The measurements of :mod:`benchmarks.gpu`: each step times something on the default device and checks it.

Steps return rows of (what, seconds, what was found); a step that cannot run says why instead of failing the others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.lax import DotAlgorithmPreset

from fkeax.features import FourierMap, sample_fourier_map
from fkeax.kernels import Gaussian
from fkeax.numerics import trig

ALGORITHMS: dict[str, Any] = {
    "HIGHEST": lax.Precision.HIGHEST,
    "TF32": DotAlgorithmPreset.TF32_TF32_F32,
    "3xTF32": DotAlgorithmPreset.TF32_TF32_F32_X3,
    "bf16": DotAlgorithmPreset.BF16_BF16_F32,
    "3xbf16": DotAlgorithmPreset.BF16_BF16_F32_X3,
    "6xbf16": DotAlgorithmPreset.BF16_BF16_F32_X6,
    "9xbf16": DotAlgorithmPreset.BF16_BF16_F32_X9,
}


@dataclass(frozen=True)
class Sizes:
    """How large everything is.

    Attributes:
        n: Rows.
        d: Columns.
        r: Frequencies.
        few: Frequencies of the check of VENDI-1, whose eigenvalues the host finds.
        batch: Rows of a batch.
        spectra: Sizes of the spectra.
        n_test: Rows of either side of the permutation test.
        d_test: Columns there.
        permutations: Its relabellings.
        k: Clusters.
        n_aggregated: Rows of either side of MMDAgg.
    """

    n: int = 50_000
    d: int = 768
    r: int = 8_000
    few: int = 1_000
    batch: int = 5_000
    spectra: tuple[int, ...] = (4_000, 8_000, 16_000)
    n_test: int = 20_000
    d_test: int = 512
    permutations: int = 500
    k: int = 500
    n_aggregated: int = 780


TINY = Sizes(200, 8, 16, 12, 50, (24,), 30, 6, 39, 5, 30)
BANDWIDTH = 28.0


@dataclass(frozen=True)
class Row:
    """One line of the table: what, seconds (None where it did not run), and what was found."""

    what: str
    seconds: float | None
    found: str


def timed(call: Callable[[], Any], repeats: int = 2) -> tuple[float, Any]:
    """Return the least seconds of a compiled call, and its result on the device."""
    result = jax.block_until_ready(call())  # compiles
    best = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        result = jax.block_until_ready(call())
        best = min(best, time.perf_counter() - start)
    return best, result


def attempt(what: str, step: Callable[[], Sequence[Row]]) -> list[Row]:
    """Return the rows of a step, or one that says why there are none."""
    try:
        return list(step())
    except Exception as error:  # a device may refuse an algorithm, a solver may fail: that is a finding
        return [Row(what, None, f"failed: {type(error).__name__}: {str(error).splitlines()[0][:90]}")]


def bandwidth_of(sizes: Sizes) -> float:
    """Return the bandwidth, at which pairs of rows keep some of their kernel value."""
    return BANDWIDTH * (sizes.d / 768) ** 0.5


def data(sizes: Sizes) -> jax.Array:
    """Return the rows, on the device."""
    return jax.random.normal(jax.random.key(0), (sizes.n, sizes.d), jnp.float32)


def fourier_map(sizes: Sizes, r: int, draw: int = 0) -> FourierMap:
    """Return a map with r frequencies."""
    return sample_fourier_map(jax.random.key(draw + 1), Gaussian(bandwidth_of(sizes)), r, jnp.zeros(sizes.d))


def project(frequencies: jax.Array, rows: jax.Array, algorithm: Any) -> jax.Array:
    """Return angles in turns; products under a stated algorithm."""
    scaled = rows / (2 * jnp.pi)
    return lax.dot_general(scaled, frequencies, (((1,), (1,)), ((), ())), precision=algorithm)


def multiply(features: jax.Array, algorithm: Any) -> jax.Array:
    """Return ``F^T F`` under a stated algorithm."""
    return lax.dot_general(features, features, (((0,), (0,)), ((), ())), precision=algorithm)


def covariance(x: jax.Array, frequencies: jax.Array, batch: int, algorithms: tuple[Any, Any]) -> jax.Array:
    """Return the covariance of the features of all rows; one algorithm for projections, one for the product."""
    num_frequencies = frequencies.shape[0]

    def step(total: jax.Array, rows: jax.Array) -> tuple[jax.Array, None]:
        cosine, sine = trig.cos_sin_turns(project(frequencies, rows.astype(frequencies.dtype), algorithms[0]))
        return total + multiply(jnp.concatenate([cosine, sine], axis=1), algorithms[1]), None

    zero = jnp.zeros((2 * num_frequencies, 2 * num_frequencies), frequencies.dtype)
    batches = x.reshape(-1, batch, x.shape[1])
    total, _ = lax.scan(step, zero, batches)
    return total / (x.shape[0] * num_frequencies)


def rke(matrix: jax.Array) -> float:
    """Return ``1 / ||C||_F^2``, summed in float64."""
    with jax.enable_x64(True):
        return 1 / float(_squared_norm(matrix))


@jax.jit
def _squared_norm(matrix: jax.Array) -> jax.Array:
    return jnp.sum(jnp.square(matrix.astype(jnp.float64)))


def oracle_covariance(x: jax.Array, frequencies: jax.Array, batch: int) -> jax.Array:
    """Return the covariance of the same frequencies and rows in float64."""
    with jax.enable_x64(True):
        wide = jnp.asarray(frequencies, jnp.float64)
        return jax.jit(partial(covariance, batch=batch, algorithms=("highest", "highest")))(x, wide)


def vendi_of(matrix: np.ndarray | jax.Array) -> float:
    """Return VENDI-1 from eigenvalues that the host finds in float64."""
    from fkeax.numerics import linalg

    values = linalg.eigenvalues(np.asarray(matrix, np.float64), overwrite=True)
    values = np.maximum(values, 0)
    values /= values.sum()
    kept = values[values > 0]
    return float(np.exp(-np.sum(kept * np.log(kept))))


@dataclass(frozen=True)
class Precision:
    """What a dot algorithm costs and what it does to the scores.

    Attributes:
        name: Of the algorithm.
        seconds: Of the covariance at full size.
        rke_error: Relative error of RKE there, from float64.
        vendi_error: Relative error of VENDI-1 at few frequencies.
    """

    name: str
    seconds: float
    rke_error: float
    vendi_error: float


def feature_errors(x: jax.Array, sizes: Sizes, draws: int = 4) -> tuple[float, float]:
    """Return the relative spread of RKE and VENDI-1 over draws of the frequencies: what precision must stay below."""
    run = jax.jit(partial(covariance, batch=sizes.batch, algorithms=(ALGORITHMS["HIGHEST"],) * 2))
    scores = [rke(run(x, fourier_map(sizes, sizes.r, draw).frequencies)) for draw in range(draws)]
    vendis = [vendi_of(run(x, fourier_map(sizes, sizes.few, draw).frequencies)) for draw in range(draws)]
    return tuple(float(np.std(values, ddof=1) / np.mean(values)) for values in (scores, vendis))  # pyright: ignore[reportReturnType]


def precision_rows(sizes: Sizes) -> tuple[list[Row], list[Precision], tuple[float, float]]:
    """Time the covariance under each algorithm and compare its scores with those of float64."""
    x = data(sizes)
    frequencies = fourier_map(sizes, sizes.r).frequencies
    few = fourier_map(sizes, sizes.few).frequencies
    exact = rke(oracle_covariance(x, frequencies, sizes.batch))
    exact_vendi = vendi_of(oracle_covariance(x, few, sizes.batch))
    spread = feature_errors(x, sizes)
    rows = [Row("feature error", None, f"RKE {spread[0]:.1e} (2r={2 * sizes.r:,}), VENDI-1 {spread[1]:.1e}")]
    found: list[Precision] = []

    def one(name: str) -> list[Row]:
        both = (ALGORITHMS[name],) * 2
        run = jax.jit(partial(covariance, batch=sizes.batch, algorithms=both))
        seconds, matrix = timed(lambda: run(x, frequencies))
        error = abs(rke(matrix) / exact - 1)
        vendi_error = abs(vendi_of(run(x, few)) / exact_vendi - 1)
        found.append(Precision(name, seconds, error, vendi_error))
        flops = x.shape[0] * (2.0 * sizes.d * sizes.r + 2 * (2.0 * sizes.r) ** 2)
        what = f"{1e-12 * flops / seconds:.1f} Tflop/s; error RKE {error:.1e}, VENDI-1 {vendi_error:.1e}"
        return [Row(f"features and covariance, {name}", seconds, what)]

    for name in ALGORITHMS:
        rows += attempt(f"features and covariance, {name}", partial(one, name))
    return rows, found, spread


def chosen(found: Sequence[Precision], spread: tuple[float, float]) -> str | None:
    """Return the fastest algorithm whose score errors are below a tenth of the feature errors, if there is one."""
    good = [row for row in found if row.rke_error < spread[0] / 10 and row.vendi_error < spread[1] / 10]
    return min(good, key=lambda row: row.seconds).name if good else None


def part_rows(sizes: Sizes) -> list[Row]:
    """Time one batch's projection and product under each algorithm, and cosines and sines two ways."""
    rows_of_batch = data(sizes)[: sizes.batch]
    frequencies = fourier_map(sizes, sizes.r).frequencies
    turns = jax.jit(partial(project, algorithm=ALGORITHMS["HIGHEST"]))(frequencies, rows_of_batch)
    features = jnp.concatenate(jax.jit(trig.cos_sin_turns)(turns), axis=1)
    found: list[Row] = []
    for name, algorithm in ALGORITHMS.items():

        def one(algorithm: Any = algorithm, name: str = name) -> list[Row]:
            projecting = jax.jit(partial(project, algorithm=algorithm))
            multiplying = jax.jit(partial(multiply, algorithm=algorithm))
            first, _ = timed(lambda: projecting(frequencies, rows_of_batch))
            second, _ = timed(lambda: multiplying(features))
            return [
                Row(f"projection of {sizes.batch:,} rows, {name}", first, ""),
                Row(f"product of {sizes.batch:,} rows, {name}", second, ""),
            ]

        found += attempt(f"projection and product, {name}", one)
    together = jax.jit(trig.cos_sin_turns)
    apart = jax.jit(lambda t: (jnp.cos(2 * jnp.pi * t), jnp.sin(2 * jnp.pi * t)))
    ours, _ = timed(lambda: together(turns))
    library, _ = timed(lambda: apart(turns))
    return [
        *found,
        Row("cosines and sines, fkeax", ours, f"{ours / library:.2f}x of jnp.cos and jnp.sin"),
        Row("cosines and sines, jnp", library, ""),
    ]
