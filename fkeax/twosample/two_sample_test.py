"""One door to all tests: do two samples come from one law?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
from jax.typing import ArrayLike

from fkeax.inference import Groups
from fkeax.numerics import checks
from fkeax.twosample.aggregated import bandwidth_sweep, mmd_fuse, mmdagg
from fkeax.twosample.decisions import TwoSampleTest
from fkeax.twosample.frechet_permutations import frechet_test
from fkeax.twosample.mmd_permutations import mmd_test

METHODS: dict[str, Callable[..., TwoSampleTest]] = {
    "mmd": mmd_test,
    "mmdagg": mmdagg,
    "fuse": mmd_fuse,
    "sweep": bandwidth_sweep,
    "frechet": frechet_test,
}


def two_sample_test(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    method: str = "mmdagg",
    key: jax.Array | None = None,
    alpha: float = 0.05,
    groups: Groups | None = None,
    num_permutations: int | None = None,
    **options: Any,
) -> TwoSampleTest:
    """Test whether two samples come from one law.

    ============  ============================================================  ==============================
    method        statistic                                                     sees
    ============  ============================================================  ==============================
    ``mmd``       MMD^2, one Gaussian kernel at the pooled median               mostly means and spreads
    ``mmdagg``    many Laplace and Gaussian kernels, level corrected (default)  small and large scales
    ``fuse``      a soft maximum over the same                                  likewise
    ``sweep``     one kernel, bandwidths 2^-4 .. 2^2 times the pooled median    names the scale of the difference
    ``frechet``   the Frechet distance                                          means and covariances only
    ============  ============================================================  ==============================

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows; n and m may differ.
        method: One of the above.
        key: Draws the relabellings.
        alpha: The level: a true null hypothesis is rejected with at most this probability.
        groups: A label for each row, the reference's rows first; rows of one label move together.
        num_permutations: Of the method's own choice by default (500, 2000, 2000, 500, 199).
        options: Further arguments of the method: see :func:`mmd_test`, :func:`mmdagg`, :func:`mmd_fuse`,
            :func:`bandwidth_sweep` and :func:`frechet_test` of :mod:`fkeax.twosample`.

    Raises:
        ValueError: If an argument is out of range or rows are unfit; one sentence says which and why.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (80, 3))
        >>> y = jax.random.normal(jax.random.key(1), (80, 3)) + 1.0
        >>> result = two_sample_test(x, y, method="mmd", key=jax.random.key(2), num_permutations=199)
        >>> result.reject, result.p_value
        (True, 0.005)
    """
    checks.choice(method, "method", tuple(METHODS))
    if num_permutations is not None:
        options["num_permutations"] = num_permutations
    return METHODS[method](reference, generated, key=key, alpha=alpha, groups=groups, **options)
