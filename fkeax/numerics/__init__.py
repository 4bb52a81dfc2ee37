"""Arrays only: sums that stream, symmetric products and spectra, trigonometry, input checks. Knows no metric.

Modules load when they are first used, so that what needs one of those without JAX, as reading files does, starts none.
"""

import importlib
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
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
        row_blocks,
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
    "row_blocks",
    "selection",
    "trig",
]


def __getattr__(name: str) -> ModuleType:
    """Load a module on its first use."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return importlib.import_module(f"{__name__}.{name}")
