"""Changes that are one affine map of every row, about the corpus's mean."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from fkeax.sensitivity.changed import Changed, Draw, mean_and_trace, relative_change
from fkeax.sensitivity.corpus import Corpus


@dataclass(frozen=True)
class AffineMap:
    """The map ``y = mu + shift + B (x - mu)``, mu the corpus's mean.

    Attributes:
        shift: How far the mean moves.
        matrix: B; a number stands for that multiple of the identity.
        w2: Distance of the corpus's law from its image.
        w2_kind: "exact" where B is symmetric and not negative (Brenier: such a map is optimal), else a bound.
        trace_ratio: What the map multiplies the trace of any sample's covariance by; None where that depends on the
            sample.
        details: For the change's own.
    """

    shift: Float[np.ndarray, "d"]
    matrix: Float[np.ndarray, "d d"] | float
    w2: float
    w2_kind: str
    trace_ratio: float | None
    details: dict[str, Any] = field(default_factory=dict)

    def linear(self, rows: np.ndarray) -> np.ndarray:
        """Return ``B`` times every row."""
        return rows @ self.matrix.T if isinstance(self.matrix, np.ndarray) else self.matrix * rows

    def covariance(self, covariance: np.ndarray) -> np.ndarray:
        """Return ``B S B'``."""
        if not isinstance(self.matrix, np.ndarray):
            return self.matrix**2 * covariance
        moved = self.matrix @ covariance @ self.matrix.T
        return (moved + moved.T) / 2


def apply_affine(name: str, strength: float, found: AffineMap, corpus: Corpus, draw: Draw) -> Changed:
    """Return the image of a draw, with what the rounding to its dtype did to mean and trace."""
    samples = corpus.mean + found.shift + found.linear(draw.rows - corpus.mean)
    mean_before, trace_before = mean_and_trace(draw.rows)
    meant_mean = corpus.mean + found.shift + found.linear(mean_before - corpus.mean)
    exact_trace = mean_and_trace(samples)[1]
    meant_trace = exact_trace if found.trace_ratio is None else found.trace_ratio * trace_before
    samples = samples.astype(draw.dtype)
    mean_after, trace_after = mean_and_trace(samples)
    return Changed(
        samples=samples,
        change=name,
        strength=strength,
        w2=found.w2,
        w2_kind=found.w2_kind,
        mean_error=float(np.linalg.norm(mean_after - meant_mean)) / corpus.rho,
        trace_error=relative_change(trace_after, meant_trace),
        details=found.details,
    )
