"""Kernel metrics as they are quoted: KID, KAD and CMMD, each with its fixed kernel, estimator and display scale.

Values are never scaled; what a paper or tool multiplies them by for display is in ``diagnostics["display"]``.
"""

from __future__ import annotations

import dataclasses

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.kernels import Bandwidth, Gaussian, Polynomial
from fkeax.numerics import batching, checks
from fkeax.results import Result
from fkeax.twosample.kernel_choice import chosen_kernel, median_of_rows, prepared, unit_rows
from fkeax.twosample.mmd import mmd_result
from fkeax.twosample.mmd_estimates import unbiased_mmd2
from fkeax.twosample.pair_sums import pair_sums
from fkeax.twosample.samples import two_samples
from fkeax.twosample.tiles import pooled_points

CMMD_BANDWIDTH = 10.0
SHIPPED_KAD_EPSILON = 1e-8


def kid_kernel(dimension: int) -> Polynomial:
    """Return KID's kernel ``(x.y / d + 1)^3`` (Binkowski et al. 2018)."""
    return Polynomial(3, 1.0 / dimension, 1.0)


def kid(reference: ArrayLike, generated: ArrayLike, *, key: jax.Array | None = None) -> Result:
    """Return the kernel Inception distance on all samples: the unbiased MMD^2 of ``(x.y / d + 1)^3``.

    As a population value ``(3/d) ||dmu||^2 + (3/d^2) ||dM2||^2 + ||dM3||^2 / d^3`` with uncentred moments: it depends
    on where the origin lies. Deviation from common packages: no subsets (see :func:`kid_subsets`), so the value has a
    standard error and no noise of its own.

    Args:
        reference: (n, d) rows, at least 2.
        generated: (m, d) rows, at least 2.
        key: Not used; every metric takes one.

    Raises:
        ValueError: If rows are not finite, widths differ, or a sample has fewer than 2 rows.

    Cost:
        ``1.2 (n + m)^2 d`` flops; tiles of at most 4 MiB.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (100, 8))
        >>> y = jax.random.normal(jax.random.key(1), (100, 8)) + 1.0
        >>> result = kid(x, y)
        >>> bool(result.value > 5 * result.stderr), result.settings["estimator"]
        (True, 'unbiased')
    """
    del key
    samples = two_samples(reference, generated)
    choice = chosen_kernel(kid_kernel(samples.dimension))
    sums = pair_sums(choice.kernel, prepared(samples, choice), samples.num_reference)
    return mmd_result("kid", samples, choice, sums, "unbiased", settings={"preset": "kid"}, display={"scale": 1.0})


def kid_subsets(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    num_subsets: int = 100,
    subset_size: int = 1000,
) -> Result:
    """Return KID as packages compute it: the mean of unbiased KID over random subsets drawn without replacement.

    For comparison with published numbers; :func:`kid` uses all samples and has an error. The spread over subsets,
    ``diagnostics["subset_std"]``, describes one subset of this size and is no error of the mean: subsets overlap.
    Deviation: fewer rows than a subset are refused, where packages crash or take the whole set every time.

    Args:
        reference: (n, d) rows, at least ``subset_size``.
        generated: (m, d) rows, at least ``subset_size``.
        key: Draws the subsets.
        num_subsets: How many.
        subset_size: Rows of each, from either sample.

    Raises:
        ValueError: If a sample has fewer rows than a subset, there is no key, or rows are unfit.

    Cost:
        ``5 num_subsets subset_size^2 d`` flops.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (300, 8))
        >>> result = kid_subsets(x, x + 1.0, key=jax.random.key(1), num_subsets=5, subset_size=100)
        >>> result.stderr is None, result.settings["subset_size"]
        (True, 100)
    """
    num_subsets = checks.count(num_subsets, "num_subsets")
    subset_size = checks.count(subset_size, "subset_size", minimum=2)
    random = np.random.default_rng(batching.key_seed(checks.typed_key(key, "random subsets")))
    samples = two_samples(reference, generated)
    for name, rows in (("reference", samples.reference), ("generated", samples.generated)):
        if rows.shape[0] < subset_size:
            raise ValueError(
                f"{name} must have at least {subset_size} rows for subsets of {subset_size}; it has {rows.shape[0]}. "
                "Use kid, which takes all rows."
            )
    choice = chosen_kernel(kid_kernel(samples.dimension))
    values = np.empty(num_subsets)
    for subset in range(num_subsets):
        parts = [
            rows[random.choice(rows.shape[0], subset_size, replace=False)]
            for rows in (samples.reference, samples.generated)
        ]
        points = pooled_points(parts[0], parts[1], samples.centre, choice.kernel, samples.dtype)
        values[subset] = unbiased_mmd2(pair_sums(choice.kernel, points, subset_size))
    return Result(
        name="kid-subsets",
        value=values.mean(),
        stderr=None,
        settings=choice.settings
        | samples.settings
        | {"preset": "kid-subsets", "estimator": "unbiased", "num_subsets": num_subsets, "subset_size": subset_size},
        diagnostics=samples.diagnostics
        | {
            "subset_std": values.std(ddof=1) if num_subsets > 1 else None,
            "stderr_reason": "subsets overlap: their spread is no error of their mean; kid has one",
            "display": {"scale": 1.0},
            "warnings": list(samples.warnings),
        },
    )


def kad(reference: ArrayLike, generated: ArrayLike, *, key: jax.Array | None = None) -> Result:
    """Return the kernel audio distance: unbiased MMD^2 of a Gaussian kernel at the reference's median distance.

    Shown times 100. The bandwidth depends on the reference alone, so that models compare.

    Args:
        reference: (n, d) rows, at least 2.
        generated: (m, d) rows, at least 2.
        key: Only beyond some 14,000 reference rows, where the median is over random pairs.

    Raises:
        ValueError: If rows are unfit or the median is 0.

    Cost:
        ``1.2 (n + m)^2 d`` flops, and ``1.2 n^2 d`` for the median; at most 512 MiB of distances.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (100, 8))
        >>> y = jax.random.normal(jax.random.key(1), (100, 8)) + 1.0
        >>> result = kad(x, y)
        >>> round(result.value, 1), result.diagnostics["display"]
        (0.2, {'scale': 100.0})
    """
    samples = two_samples(reference, generated)
    width = median_of_rows(samples.reference, samples.centre, samples.dtype, "reference", key)
    choice = chosen_kernel("gaussian", width)
    sums = pair_sums(choice.kernel, prepared(samples, choice), samples.num_reference)
    return mmd_result("kad", samples, choice, sums, "unbiased", settings={"preset": "kad"}, display={"scale": 100.0})


def kad_shipped(reference: ArrayLike, generated: ArrayLike, *, key: jax.Array | None = None) -> Result:
    """Return the kernel audio distance as the released tool computes it, for comparison with its numbers.

    It takes the bandwidth from the **evaluated** set (so that each model is measured with its own kernel), as the lower
    of two middle distances, and ``exp(-d^2 / (2 sigma^2 + 1e-8))``. Shown times 100. Prefer :func:`kad`.

    Args:
        reference: (n, d) rows, at least 2.
        generated: (m, d) rows, at least 2.
        key: Only beyond some 14,000 generated rows.

    Raises:
        ValueError: If rows are unfit or the median is 0.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (100, 8))
        >>> y = jax.random.normal(jax.random.key(1), (100, 8)) + 1.0
        >>> round(kad_shipped(x, y).value, 1)
        0.2
    """
    samples = two_samples(reference, generated)
    width = median_of_rows(samples.generated, samples.centre, samples.dtype, "generated rows", key, lower=True)
    shipped = (width.value**2 + SHIPPED_KAD_EPSILON / 2) ** 0.5
    choice = chosen_kernel("gaussian", Bandwidth(shipped, width.source, width.stderr))
    sums = pair_sums(choice.kernel, prepared(samples, choice), samples.num_reference)
    return mmd_result(
        "kad-shipped", samples, choice, sums, "unbiased", settings={"preset": "kad-shipped"}, display={"scale": 100.0}
    )


def cmmd(reference: ArrayLike, generated: ArrayLike, *, key: jax.Array | None = None) -> Result:
    """Return CMMD (Jayasumana et al. 2024): biased MMD^2 of a Gaussian kernel of width 10 on rows of unit length.

    Shown times 1000. At that width it compares means of the unit rows alone: what is shown is ``10 ||dmu||^2`` to 0.3 %
    at mean cosine 0.7 and 0.9 % at 0. The V-statistic is too high by about
    ``(1 - k) (1/n + 1/m)``: values at different n do not compare.

    Args:
        reference: (n, d) rows, none of length 0.
        generated: (m, d) rows, none of length 0.
        key: Not used; every metric takes one.

    Raises:
        ValueError: If rows are unfit or a row is 0.

    Cost:
        ``1.2 (n + m)^2 d`` flops; tiles of at most 4 MiB.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (100, 8))
        >>> y = jax.random.normal(jax.random.key(1), (100, 8)) + 1.0
        >>> result = cmmd(x, y)
        >>> bool(result.value * 1000 > 0.1), result.diagnostics["display"]
        (True, {'scale': 1000.0})
    """
    del key
    samples = two_samples(reference, generated)
    choice = chosen_kernel(Gaussian(CMMD_BANDWIDTH))
    rows = unit_rows(samples.reference, "reference"), unit_rows(samples.generated, "generated")
    centred = dataclasses.replace(samples, reference=rows[0], generated=rows[1], centre=rows[0].mean(axis=0))
    sums = pair_sums(choice.kernel, prepared(centred, choice), samples.num_reference)
    return mmd_result(
        "cmmd",
        samples,
        choice,
        sums,
        "biased",
        settings={"preset": "cmmd", "rows": "unit length"},
        display={"scale": 1000.0},
    )
