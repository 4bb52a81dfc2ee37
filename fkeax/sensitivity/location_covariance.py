"""How far two samples lie apart in mean and covariance, in units of the reference."""

from __future__ import annotations

import numpy as np
from jax.typing import ArrayLike

from fkeax.results import Result
from fkeax.sensitivity.relabelled_moments import covariance_spectrum, moment_differences
from fkeax.twosample.samples import TwoSamples, two_samples


def location_covariance(reference: ArrayLike, generated: ArrayLike) -> dict[str, Result]:
    """Return summaries of the difference in means and covariances, ``rho^2 = tr S`` of the reference.

    * "mean-shift": ``||mu_2 - mu_1|| / rho``, biased upward: at equal means it is near ``diagnostics["noise"]``. Its
      standard error is the delta method's, and null where the shift does not stand out from that noise.
    * "trace-ratio": ``tr S_2 / tr S_1``, with the delta method's error.
    * "bures": the Bures distance of the covariances over rho; biased upward, without an error.
    * "covariance-difference": ``||S_2 - S_1||_F / ||S_1||_F``; likewise.

    Tests against chance: :func:`fkeax.sensitivity.four_questions.four_questions`.

    Args:
        reference: (n, d) rows, at least 2.
        generated: (m, d) rows, at least 2.

    Raises:
        ValueError: If rows are unfit or all rows of the reference are equal.

    Cost:
        ``4 (n + m) d^2`` flops, three spectral problems of the smaller of n, m and d, and three d x d matrices.

    Example:
        >>> import numpy as np
        >>> x = np.random.default_rng(0).standard_normal((500, 4))
        >>> found = location_covariance(x, 2 * x)
        >>> round(found["trace-ratio"].value, 9), round(found["bures"].value, 9)
        (4.0, 1.0)
    """
    samples = two_samples(reference, generated)
    first = samples.reference.astype(np.float64) - samples.centre
    second = samples.generated.astype(np.float64) - samples.centre
    spectrum = covariance_spectrum(first)
    rho = float(spectrum.sum()) ** 0.5
    if not rho > 0:
        raise ValueError("reference has equal rows only: there is no spread to measure by.")
    found = moment_differences(first, second)
    shift, error, noise = _shift(first, second, rho)
    ratio = float(np.exp(found.log_trace)) if np.ptp(second, axis=0).max() > 0 else 0.0
    difference = np.cov(second, rowvar=False) - np.cov(first, rowvar=False)
    frobenius = float(np.linalg.norm(difference)) / float(np.linalg.norm(spectrum))
    biased: dict[str, object] = {
        "stderr_reason": "biased upward at finite n by more than its spread: calibrate by relabelling"
    }
    faint: dict[str, object] = {"stderr_reason": _FAINT} if error is None else {}
    parts = (
        ("mean-shift", shift, error, {"noise": noise} | faint),
        ("trace-ratio", ratio, ratio * _log_trace_error(first, second), {}),
        ("bures", found.bures / rho, None, biased),
        ("covariance-difference", frobenius, None, biased),
    )
    return {name: _result(samples, name, value, spread, seen | {"rho": rho}) for name, value, spread, seen in parts}


_FAINT = "the shift does not stand out from the noise of the means: its square is below twice that of the noise"


def _shift(first: np.ndarray, second: np.ndarray, rho: float) -> tuple[float, float | None, float]:
    """Return length, error and noise of the mean shift, over rho."""
    move = second.mean(axis=0) - first.mean(axis=0)
    length = float(np.linalg.norm(move))
    noise = sum(float(rows.var(axis=0, ddof=1).sum()) / len(rows) for rows in (first, second)) ** 0.5
    error = None
    if length**2 > 2 * noise**2:
        along = [float((rows @ (move / length)).var(ddof=1)) / len(rows) for rows in (first, second)]
        error = sum(along) ** 0.5 / rho
    return length / rho, error, noise / rho


def _log_trace_error(first: np.ndarray, second: np.ndarray) -> float:
    """Return the standard error of the logarithm of the ratio of traces."""
    total = 0.0
    for rows in (first, second):
        squares = np.square(rows - rows.mean(axis=0)).sum(axis=1)
        mean = float(squares.mean())
        total += float(squares.var(ddof=1)) / (len(rows) * mean**2) if mean > 0 else 0.0
    return total**0.5


def _result(samples: TwoSamples, name: str, value: float, error: float | None, seen: dict[str, object]) -> Result:
    return Result(
        name=name,
        value=value,
        stderr=error,
        settings=samples.settings | {"dtype": "float64"},
        diagnostics=samples.diagnostics | seen | {"warnings": list(samples.warnings)},
    )
