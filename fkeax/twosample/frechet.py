"""The Frechet distance between Gaussians fitted to two samples, by a nuclear norm, and its extrapolation in n."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.numerics import batching, checks
from fkeax.numerics.transport_trace import covariance_root_trace, symmetric_root
from fkeax.results import Result
from fkeax.twosample.gaussian_state import GaussianState, finalize_gaussian
from fkeax.twosample.samples import TwoSamples, two_samples


def frechet(reference: ArrayLike, generated: ArrayLike, *, key: jax.Array | None = None) -> Result:
    """Return ``||mu_1 - mu_2||^2 + tr S_1 + tr S_2 - 2 tr (S_1 S_2)^{1/2}``, the FID of given features.

    Covariances with 1/(n - 1). The last trace is the nuclear norm of ``X_c Y_c' / sqrt((n - 1)(m - 1))``: no matrix
    square root, no ridge, exact for n < d, and 0 to 1e-14 of tr S for equal samples. Computed in float64 on the host,
    whatever the dtype of the rows.

    The value is biased upward by about c/n: values at different n do not compare; see :func:`frechet_infinity`. It has
    no standard error here. A test against chance at the full sample is ``two_sample_test(method="frechet")``.

    Args:
        reference: (n, d) rows, at least 2.
        generated: (m, d) rows, at least 2.
        key: Not used; every metric takes one.

    Raises:
        ValueError: If rows are not finite, widths differ, or a sample has fewer than 2 rows.

    Cost:
        ``2 (n + m) d^2`` flops and the singular values of a d x d matrix; for n < d, those of n x m.

    Example:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).standard_normal((50, 3))
        >>> round(frechet(x, x + [3.0, 0.0, 4.0]).value, 9)
        25.0
    """
    del key
    samples = two_samples(reference, generated)
    parts = frechet_parts(samples.reference, samples.generated)
    return _result("frechet", samples, sum(parts), {"mean_part": parts[0], "covariance_part": parts[1]})


def frechet_parts(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """Return the part of the distance that comes from the means, and the one from the covariances."""
    mean_first, mean_second = first.mean(axis=0, dtype=np.float64), second.mean(axis=0, dtype=np.float64)
    a = (first - mean_first) / (first.shape[0] - 1) ** 0.5
    b = (second - mean_second) / (second.shape[0] - 1) ** 0.5
    spread = float(np.vdot(a, a)) + float(np.vdot(b, b)) - 2 * covariance_root_trace(a, b)
    return float(np.square(mean_first - mean_second).sum()), spread


def frechet_from_states(reference: GaussianState, generated: GaussianState) -> Result:
    """Return the Frechet distance of two streamed samples.

    Raises:
        ValueError: If widths differ or a state has fewer than 2 rows.

    Cost:
        Two eigenvalue problems and the singular values of a d x d matrix. Directions with less than about 1e-8 of the
        largest deviation are lost in a covariance, as they are not in :func:`frechet`.

    Example:
        >>> import numpy as np
        >>> from fkeax.twosample.gaussian_state import init_gaussian, update_gaussian
        >>> x = np.random.default_rng(0).standard_normal((50, 3))
        >>> first, second = (update_gaussian(init_gaussian(3), rows) for rows in (x, x + [3.0, 0.0, 4.0]))
        >>> round(frechet_from_states(first, second).value, 6)
        25.0
    """
    if reference.mean.shape != generated.mean.shape:
        raise ValueError(f"both states must have the same width; got {reference.mean.size} and {generated.mean.size}.")
    (mean_first, first), (mean_second, second) = finalize_gaussian(reference), finalize_gaussian(generated)
    shift = float(np.square(mean_first - mean_second).sum())
    crossed = covariance_root_trace(symmetric_root(first), symmetric_root(second))
    spread = float(np.trace(first)) + float(np.trace(second)) - 2 * crossed
    return Result(
        name="frechet",
        value=shift + spread,
        stderr=None,
        settings={
            "n_ref": reference.num_rows,
            "n_gen": generated.num_rows,
            "dimension": mean_first.size,
            "dtype": "float64",
        },
        diagnostics={"mean_part": shift, "covariance_part": spread, "stderr_reason": _NO_ERROR},
    )


def frechet_infinity(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    side: str = "both",
    num_sizes: int = 8,
    smallest_share: float = 0.2,
) -> Result:
    """Return the Frechet distance extrapolated to infinitely many samples: FD_infinity (Chong and Forsyth 2020).

    FD at random subsets, drawn without replacement, of a share f of the rows is fitted by a line in 1/f and read off
    at 1/f = 0. The line holds where subsets have several times d rows; where they do not, a warning says so.
    Deviations: both samples shrink together, because the reference's finite n biases the value as well;
    ``side="generated"`` keeps the whole reference, as the paper does. No number of subsets is averaged: the shares are
    evenly spaced in 1/f from 1 to ``1/smallest_share``.

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows.
        key: Draws the subsets.
        side: "both" or "generated".
        num_sizes: Points of the line, at least 3.
        smallest_share: Of the rows in the smallest subset.

    Returns:
        A result without a standard error: subsets overlap. ``diagnostics["points"]`` holds shares and values.

    Raises:
        ValueError: If there is no key, the smallest subset has fewer than 2 rows, or an argument is out of range.

    Cost:
        ``num_sizes`` Frechet distances.

    Example:
        >>> import jax, numpy as np
        >>> random = np.random.default_rng(0)
        >>> x, y = random.standard_normal((2, 2000, 4))
        >>> plain, extrapolated = frechet(x, y).value, frechet_infinity(x, y, key=jax.random.key(0)).value
        >>> abs(extrapolated) < plain  # the truth is 0
        True
    """
    checks.choice(side, "side", ("both", "generated"))
    num_sizes = checks.count(num_sizes, "num_sizes", minimum=3)
    share = checks.positive_number(smallest_share, "smallest_share")
    random = np.random.default_rng(batching.key_seed(checks.typed_key(key, "random subsets")))
    samples = two_samples(reference, generated)
    if share >= 1 or share * min(samples.num_reference, samples.num_generated) < 2:
        raise ValueError(f"smallest_share must lie below 1 and leave at least 2 rows of each sample; got {share:g}.")
    inverse_shares = np.linspace(1, 1 / share, num_sizes)
    values = [_subset_value(samples, random, 1 / inverse, side) for inverse in inverse_shares]
    slope, value = np.polyfit(inverse_shares, values, 1)
    rows = share * min(samples.num_reference, samples.num_generated)
    few = f"the smallest subset has {rows:.0f} rows for {samples.dimension} columns: the line in 1/n does not hold yet"
    result = _result(
        "frechet-infinity",
        samples,
        float(value),
        {
            "points": [[float(1 / inverse), value] for inverse, value in zip(inverse_shares, values, strict=True)],
            "slope": float(slope),
            "stderr_reason": "subsets overlap: the scatter about the line is no error of its end",
        },
        {"side": side, "num_sizes": num_sizes, "smallest_share": share},
    )
    if rows < 2 * samples.dimension:
        result.diagnostics["warnings"] = [*samples.warnings, few]
    return result


def _subset_value(samples: TwoSamples, random: np.random.Generator, share: float, side: str) -> float:
    parts = []
    for rows, shrinks in ((samples.reference, side == "both"), (samples.generated, True)):
        size = rows.shape[0] if not shrinks else round(share * rows.shape[0])
        parts.append(rows[random.choice(rows.shape[0], size, replace=False)] if size < rows.shape[0] else rows)
    return sum(frechet_parts(parts[0], parts[1]))


_NO_ERROR = "none is known for one sample size: the value is biased upward by about c/n; see frechet_infinity"


def _result(
    name: str,
    samples: TwoSamples,
    value: float,
    diagnostics: dict[str, object],
    settings: dict[str, object] | None = None,
) -> Result:
    warnings: Sequence[str] = samples.warnings
    smaller = min(samples.num_reference, samples.num_generated)
    if smaller <= samples.dimension:
        warnings = [*warnings, f"{smaller} rows for {samples.dimension} columns: the bias is as large as the spread"]
    return Result(
        name=name,
        value=value,
        stderr=None,
        settings=samples.settings | {"dtype": "float64"} | (settings or {}),
        diagnostics={"stderr_reason": _NO_ERROR} | samples.diagnostics | diagnostics | {"warnings": list(warnings)},
    )
