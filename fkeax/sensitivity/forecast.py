"""What theory expects of an audit's cells: z and power of tests with one kernel, without any test being run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from fkeax.kernels import Gaussian, Kernel, LaplaceL1
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


def kernel_of_test(test: str, dimension: int, scales: Scales) -> Kernel | None:
    """Return the kernel of a test that has one fixed by the corpus; the narrow Gaussian's takes the corpus's median."""
    if test == "kid":
        return kid_kernel(dimension)
    if test == "kad":
        return Gaussian(jnp.asarray(scales.l2.value, jnp.float32))
    if test == "window":
        return Gaussian(jnp.asarray(scales.window_multiple * scales.l2.value, jnp.float32))
    return LaplaceL1(jnp.asarray(scales.l1.value, jnp.float32)) if test == "laplace-l1" else None


def forecast(
    study: Study, arms: Iterable[tuple[str, float]], tests: Iterable[str], *, alpha: float
) -> dict[tuple[str, str, float], Forecast]:
    """Return forecasts by test, change and strength, for tests with one kernel and changes that are one affine map.

    The map is the one of the first draw (a shift's direction differs between draws); 600 random rows serve, set aside
    ones where there are any. Null variances are those of the law before the change: strong changes spread the pooled
    rows and with them the null distribution, so that predicted z are then too large.

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
    named = [(test, kernel_of_test(test, corpus.dimension, study.scales)) for test in tests]
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
        for test, kernel in named:
            if kernel is None:
                continue
            prediction = predict_from_rows(kernel, rows, images)
            leading = predict_leading(LEADING[test], corpus, moved).z(pool.num_samples) if test in LEADING else None
            found[test, change, strength] = Forecast(
                prediction.z(pool.num_samples), prediction.power(pool.num_samples, alpha=alpha), leading
            )
    return found
