"""Are generated rows copies of training rows? Two checks, each with held-out rows of its own to compare with."""

from __future__ import annotations

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.numerics import neighbors
from fkeax.results import Result
from fkeax.twosample.samples import two_samples


def copying(
    training: ArrayLike, held_out: ArrayLike, generated: ArrayLike, *, key: jax.Array | None = None
) -> dict[str, Result]:
    """Return C_T and authenticity of generated rows, given what the model was trained on and what it was not.

    C_T (Meehan et al. 2020) is the standardised Mann-Whitney statistic of distances to the nearest training row,
    generated against held-out rows: below -3 the generated rows lie nearer to the training rows than fresh data do
    (copying), above 3 farther away (underfitting). Deviation: the paper averages it over k-means cells; here the space
    is one cell, so that copying in one region can hide behind underfitting in another. Ties count half, and their
    correction is in the variance.

    Authenticity (Alaa et al. 2022) is the share of generated rows that are farther from their nearest training row than
    that row is from its own nearest training row. It is not 1 for fresh data either: the share of held-out rows is in
    ``diagnostics["held_out"]``.

    Args:
        training: (n, d) rows the model has seen, at least 2.
        held_out: (p, d) rows of the same law that it has not seen, at least 2.
        generated: (m, d) rows, at least 2.
        key: Not used; every metric takes one.

    Returns:
        Results "c-t" and "authenticity".

    Raises:
        ValueError: If rows are unfit or widths differ.

    Cost:
        ``2 n (n + p + m) d`` flops; blocks of at most 32 MiB of distances.

    Example:
        >>> import numpy as np
        >>> random = np.random.default_rng(0)
        >>> training, held_out = random.standard_normal((2, 300, 4))
        >>> found = copying(training, held_out, training + 0.01 * random.standard_normal((300, 4)))
        >>> bool(found["c-t"].value < -3), bool(found["authenticity"].value < 0.1)
        (True, True)
    """
    del key
    samples = two_samples(training, generated)
    others = two_samples(training, held_out, find_duplicates=False)
    of_generated = neighbors.nearest(samples.generated, samples.reference, 1, exclude_self=False)
    of_held_out = neighbors.nearest(others.generated, others.reference, 1, exclude_self=False)
    own = neighbors.nearest(samples.reference, samples.reference, 1, exclude_self=True)[0][:, 0]
    settings = {
        "n_train": samples.num_reference,
        "n_held_out": others.num_generated,
        "n_gen": samples.num_generated,
        "dimension": samples.dimension,
        "dtype": str(samples.dtype),
    }
    shared = samples.diagnostics | {"warnings": list(samples.warnings)}
    authentic = (of_generated[0][:, 0] > own[of_generated[1][:, 0]]).astype(np.float64)
    fresh = (of_held_out[0][:, 0] > own[of_held_out[1][:, 0]]).astype(np.float64)
    return {
        "c-t": Result(
            name="c-t",
            value=_mann_whitney(of_generated[0][:, 0], of_held_out[0][:, 0]),
            stderr=1.0,
            settings=settings,
            diagnostics=shared
            | {"stderr_method": "a standardised statistic: its standard deviation is 1 without copying"},
        ),
        "authenticity": Result(
            name="authenticity",
            value=authentic.mean(),
            stderr=float(authentic.std(ddof=1) / authentic.size**0.5),
            settings=settings,
            diagnostics=shared
            | {
                "held_out": float(fresh.mean()),
                "held_out_stderr": float(fresh.std(ddof=1) / fresh.size**0.5),
                "stderr_method": "over generated rows, given the training rows",
            },
        ),
    }


def _mann_whitney(first: np.ndarray, second: np.ndarray) -> float:
    """Return the standardised count of pairs in which the first is larger; ties count half."""
    m, p = first.size, second.size
    _, inverse, counts = np.unique(np.concatenate([first, second]), return_inverse=True, return_counts=True)
    midranks = np.cumsum(counts) - (counts - 1) / 2
    above = float(midranks[inverse][:m].sum()) - m * (m + 1) / 2
    total = m + p
    ties = float((counts.astype(np.float64) ** 3 - counts).sum()) / (total * (total - 1))
    variance = m * p / 12 * (total + 1 - ties)
    return (above - m * p / 2) / variance**0.5 if variance > 0 else 0.0
