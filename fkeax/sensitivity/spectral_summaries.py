"""How concentrated the covariance of embeddings is: effective dimension, VENDI score, axes of 90 % of the trace."""

from __future__ import annotations

import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Float

from fkeax.numerics import checks
from fkeax.results import Result
from fkeax.sensitivity.relabelled_moments import spectral_numbers

SHARE = 0.9


def spectral_summaries(x: ArrayLike) -> dict[str, Result]:
    """Return summaries of the spectrum ``p_i = l_i / tr S`` of the covariance of rows.

    * "covariance-effective-dimension": ``1 / sum p^2 = (tr S)^2 / ||S||_F^2``, also called the participation ratio: the
      VENDI score of order 2 of the spectrum. The sample's is low by about its square over n.
    * "covariance-effective-dimension-debiased": the ratio of unbiased estimates of ``(tr S)^2`` and ``||S||_F^2`` for
      any law (Himeno and Yamada 2014). Gone is what grows with the square of the dimension; what stays, as of any
      ratio, is of the order of the squared standard error.
    * "covariance-vendi": ``d_H = exp(-sum p log p)``, the VENDI score of order 1.
    * "covariance-n90": the fewest principal axes that hold 90 % of the trace.

    All but n90 do not depend on location or scale, and all are at least 1 and at most d. The standard errors are
    infinitesimal jackknives: the influence of one row on a function f of the spectrum is
    ``sum_i df/dl_i ((v_i'(x - mu))^2 - l_i)``, and the error is its root mean square over ``sqrt n``. They do not cover
    the bias at n near d.

    Args:
        x: (n, d) rows, at least 4.

    Raises:
        ValueError: If rows are not finite, fewer than 4, or all equal.

    Cost:
        One eigendecomposition of the smaller side, ``4 n d min(n, d)`` flops, in float64 on the host.

    Example:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).standard_normal((2000, 10))
        >>> found = spectral_summaries(x)
        >>> round(found["covariance-effective-dimension-debiased"].value, 1), found["covariance-n90"].value
        (10.0, 9.0)
    """
    rows = np.asarray(checks.matrix(x))
    checks.finite_rows(rows)
    checks.square_range(rows, "x")
    n, dimension = rows.shape
    if n < 4:
        raise ValueError(f"x must have at least 4 rows for its spectrum; it has {n}.")
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    values, squares = _spectrum_and_squares(centred)
    trace, dimension_2, vendi = spectral_numbers(values)
    if not trace > 0:
        raise ValueError("x has equal rows only: their covariance has no spectrum.")
    shares = values / trace
    entropy = np.log(vendi)
    slopes = {
        "covariance-effective-dimension": 2 * (dimension_2 - dimension_2**2 * shares) / trace,
        "covariance-vendi": -vendi * (np.log(shares) + entropy) / trace,
    }
    errors = {name: float(np.linalg.norm((squares - values) @ slope)) / n for name, slope in slopes.items()}
    settings: dict[str, object] = {"n": n, "dimension": dimension, "dtype": "float64"}
    method = {"stderr_method": "infinitesimal jackknife over rows", "trace": trace * n / (n - 1)}
    warnings = [f"{n} rows for {dimension} columns: the spectrum is that of the sample"] if n <= dimension else []
    common = {"warnings": warnings}
    dimension_error = errors["covariance-effective-dimension"]
    num_axes = int(np.searchsorted(np.cumsum(shares), SHARE * (1 - 1e-12))) + 1
    none = {"stderr_reason": "a whole number has no standard error", "share": float(shares[:num_axes].sum())}
    found = (
        ("covariance-effective-dimension", dimension_2, dimension_error, method),
        ("covariance-effective-dimension-debiased", _debiased(centred, values), dimension_error, method),
        ("covariance-vendi", vendi, errors["covariance-vendi"], method),
        ("covariance-n90", float(num_axes), None, none),
    )
    return {
        name: Result(name, value, None if value is None else error, settings, how | common | _reason(value))
        for name, value, error, how in found
    }


def _reason(value: float | None) -> dict[str, object]:
    return {} if value is not None else {"reason": "the unbiased estimate of ||S||^2 is not positive at this n"}


def _spectrum_and_squares(
    centred: Float[np.ndarray, "n d"],
) -> tuple[Float[np.ndarray, "f"], Float[np.ndarray, "n f"]]:
    """Return positive eigenvalues of the covariance (1/n), descending, and squared coordinates on their axes."""
    n, dimension = centred.shape
    if n > dimension:
        values, vectors = np.linalg.eigh(centred.T @ centred / n)
        squares = np.square(centred @ vectors)
    else:
        values, vectors = np.linalg.eigh(centred @ centred.T / n)
        squares = n * values * np.square(vectors)
    kept = values > 1e-13 * max(float(values[-1]), np.finfo(float).tiny)
    return values[kept][::-1], squares[:, kept][:, ::-1]


def _debiased(centred: np.ndarray, values: np.ndarray) -> float | None:
    """Return the ratio of unbiased estimates of ``(tr S)^2`` and ``tr S^2``; None if the latter is not positive."""
    n = centred.shape[0]
    trace, square = float(values.sum()) * n / (n - 1), float(np.square(values).sum()) * (n / (n - 1)) ** 2
    fourth = float(np.square(np.square(centred).sum(axis=1)).sum()) / (n - 1)
    above = 2 * square + (n**2 - 3 * n + 1) * trace**2 - n * fourth
    below = (n - 1) * (n - 2) * square + trace**2 - n * fourth
    return above / below if below > 0 else None
