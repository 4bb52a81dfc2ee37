"""Arrays only: sums that stream, symmetric products and spectra, trigonometry, input checks. Knows no metric."""

from fkeax.numerics import (
    accumulate,
    assignment,
    batching,
    binomial,
    checks,
    host_products,
    linalg,
    logspace,
    near_pairs,
    neighbors,
    pairwise,
    pytrees,
    quadrature,
    quasi_random,
    selection,
    trig,
)

__all__ = [
    "accumulate",
    "assignment",
    "batching",
    "binomial",
    "checks",
    "host_products",
    "linalg",
    "logspace",
    "near_pairs",
    "neighbors",
    "pairwise",
    "pytrees",
    "quadrature",
    "quasi_random",
    "selection",
    "trig",
]
