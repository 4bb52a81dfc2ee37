"""What theory expects of an audit's cells: z and power of tests with one kernel, without any test being run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from fkeax.kernels import Gaussian, Kernel, LaplaceL1, median_bandwidth
from fkeax.numerics import batching
from fkeax.sensitivity.cells import named_key
from fkeax.sensitivity.changed import InfeasibleChange
from fkeax.sensitivity.changes import CHANGES
from fkeax.sensitivity.detectors import Scales
from fkeax.sensitivity.power import Study, change_key
from fkeax.sensitivity.prediction import predict_from_rows, predict_leading
from fkeax.twosample.presets import kid_kernel

LEADING = {"kid": "kid", "kad": "gaussian-median"}
ROWS = 600


@dataclass(frozen=True)
class Forecast:
    """The expected outcome of one test against one change.

    Attributes:
        z: Expected z, from rows of the corpus and their images: see
            :func:`fkeax.sensitivity.prediction.predict_from_rows`.
        power: Probability of rejection that goes with it.
        leading_z: Expected z to leading order, from the spectrum alone; None for kernels without such a formula.
    """

    z: float
    power: float
    leading_z: float | None


def kernel_of_test(test: str, scales: Scales, pooled: np.ndarray) -> Kernel | None:
    """Return the kernel of a test with a single one: fixed by the corpus, or, for "window", by the pooled rows."""
    if test == "kid":
        return kid_kernel(pooled.shape[1])
    if test == "kad":
        return Gaussian(jnp.asarray(scales.l2.value, jnp.float32))
    if test == "window":
        # A strong change moves the pooled median, and with it the bandwidth of a narrow kernel, which it feels.
        return Gaussian(jnp.asarray(scales.window_multiple * median_bandwidth(pooled).value, jnp.float32))
    return LaplaceL1(jnp.asarray(scales.l1.value, jnp.float32)) if test == "laplace-l1" else None


def forecast(
    study: Study, arms: Iterable[tuple[str, float]], tests: Iterable[str], *, alpha: float
) -> dict[tuple[str, str, float], Forecast]:
    """Return forecasts by test, change and strength, for tests with one kernel and changes that are one affine map.

    The map is the one of the first draw (a shift's direction differs between draws); 600 random rows serve, set aside
    ones where there are any. Half of them changed, they also stand for the pooled rows of a test: for its null variance
    and for the bandwidth of "window".

    Args:
        study: The corpus.
        arms: Changes and strengths; those without a map, and those that cannot be made, are left out.
        tests: Names of tests; those with several kernels or none are left out.
        alpha: Level of the tests.

    Cost:
        An arm and test: three Gram matrices of 600 rows in float64.
    """
    pool, corpus = study.pool, study.corpus
    # Files are often sorted by class: rows from all over it.
    places = np.random.default_rng(batching.key_seed(named_key(study.key, "forecast"))).permutation
    usable = pool.spare_rows if pool.spare.size else pool.rows
    rows = np.asarray(usable[places(usable.shape[0])[:ROWS]], np.float64)
    named = tuple(tests)
    found: dict[tuple[str, str, float], Forecast] = {}
    for change, strength in arms:
        affine = CHANGES[change].affine
        if affine is None or change == "null" or rows.shape[0] < 4:
            continue
        first = study.pool.draw(study.key, 0)
        try:
            moved = affine(change_key(study, change, 0), strength, corpus, first.reference.astype(np.float64))
        except InfeasibleChange:
            continue
        images = corpus.mean + moved.shift + moved.linear(rows - corpus.mean)
        pooled = np.concatenate([rows[::2], images[1::2]])
        for test in named:
            kernel = kernel_of_test(test, study.scales, pooled)
            if kernel is None:
                continue
            prediction = predict_from_rows(kernel, rows, images)
            leading = predict_leading(LEADING[test], corpus, moved).z(pool.num_samples) if test in LEADING else None
            found[test, change, strength] = Forecast(
                prediction.z(pool.num_samples), prediction.power(pool.num_samples, alpha=alpha), leading
            )
    return found
