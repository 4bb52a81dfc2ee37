"""A changed sample and what was done to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from fkeax.numerics import checks

W2_KINDS = ("exact", "lower bound", "upper bound")


class InfeasibleChange(ValueError):
    """A change that cannot be made on this corpus; of a strength, the sentence names the largest possible one."""


@dataclass(frozen=True)
class Draw:
    """The rows of one draw.

    Attributes:
        rows: (m, d) rows to be changed, in float64.
        dtype: What they came in, and what a changed sample goes back to.
        reference: The other sample of the draw, which copies and reference directions are taken from.
        reserve: Rows that were not drawn, which refills are taken from.
    """

    rows: Float[np.ndarray, "m d"]
    dtype: np.dtype
    reference: Float[np.ndarray, "n d"] | None = None
    reserve: Float[np.ndarray, "_ d"] | None = None


@dataclass(frozen=True)
class Changed:
    """A changed sample and what the change did.

    Attributes:
        samples: (m, d) rows, in the dtype of the draw.
        change: Name of the change.
        strength: As asked for; its meaning is the change's own.
        w2: 2-Wasserstein distance that the change stands for, in the units of the data. For shifts, contractions,
            rescalings, rotations and temperature: between the corpus's law and its image. For drops and collapse:
            between the draw before and after. For copies: of the law of one row, which exact copies leave alone.
            None where nothing is known.
        w2_kind: "exact", "lower bound" or "upper bound"; None where ``w2`` is.
        mean_error: Distance of the sample's mean from where it is meant to be, in units of rho. Affine changes and
            changes that keep the mean (mean-matched drop, collapse): rounding. Drops and copies mean to leave the mean
            alone and move it: how far.
        trace_error: Trace of the sample's covariance over what it is meant to be, less 1. Affine changes: rounding. The
            others are compared with the draw as it came.
        mode_shares: Shares of the modes "before" and "after", for changes of modes; None otherwise.
        details: What else defines the change: angles, directions, numbers of rows, all fit for JSON.
    """

    samples: Float[np.ndarray, "m d"]
    change: str
    strength: float
    w2: float | None
    w2_kind: str | None
    mean_error: float
    trace_error: float
    mode_shares: dict[str, list[float]] | None = None
    details: dict[str, Any] = field(default_factory=dict)


def mean_and_trace(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the mean of rows and the trace of their covariance (1/n), in float64."""
    wide = np.asarray(rows, np.float64)
    mean = wide.mean(axis=0)
    return mean, float(np.square(wide - mean).sum() / wide.shape[0])


def relative_change(after: float, before: float) -> float:
    """Return ``after / before - 1``; 0 where both are 0."""
    return after / before - 1 if before else float(after != 0)


def checked_strength(strength: object, *, largest: float | None = None, what: str = "strength") -> float:
    """Return a strength as a float of at least 0, and at most ``largest``."""
    number = checks.finite_number(strength, what)
    if number < 0 or (largest is not None and number > largest):
        bounds = "at least 0" if largest is None else f"between 0 and {largest:g}"
        raise ValueError(f"{what} must be {bounds} for this change; got {number:g}.")
    return number


def shares(labels: np.ndarray, num_modes: int) -> list[float]:
    """Return the share of every mode among labels."""
    return [float(share) for share in np.bincount(labels, minlength=num_modes) / labels.size]


def unchanged_apart_from(
    draw: Draw,
    samples: np.ndarray,
    rho: float,
    *,
    change: str,
    strength: float,
    w2: float | None,
    w2_kind: str | None,
    details: dict[str, Any],
    labels: tuple[Sequence[int] | np.ndarray, Sequence[int] | np.ndarray, int] | None = None,
) -> Changed:
    """Return a changed sample whose mean and trace are compared with those of the draw as it came.

    Args:
        draw: Before.
        samples: After, in float64.
        rho: The corpus's.
        change: Its name.
        strength: Its strength.
        w2: See :class:`Changed`.
        w2_kind: Likewise.
        details: Likewise.
        labels: Modes of the rows before and after, and the number of modes.
    """
    samples = samples.astype(draw.dtype)
    (mean_before, trace_before), (mean_after, trace_after) = mean_and_trace(draw.rows), mean_and_trace(samples)
    found = None
    if labels is not None:
        before, after, num_modes = labels
        found = {"before": shares(np.asarray(before), num_modes), "after": shares(np.asarray(after), num_modes)}
    return Changed(
        samples=samples,
        change=change,
        strength=strength,
        w2=w2,
        w2_kind=w2_kind,
        mean_error=float(np.linalg.norm(mean_after - mean_before)) / rho,
        trace_error=relative_change(trace_after, trace_before),
        mode_shares=found,
        details=details,
    )
