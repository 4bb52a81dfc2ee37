"""Quantiles and low-discrepancy points, on the host in float64: what stratified and Sobol draws are made of."""

from __future__ import annotations

import numpy as np

MAX_SOBOL_DIMENSION = 21_201  # direction numbers of Joe and Kuo
_SOBOL_BITS = 30
_TINY = 2.0**-54


def uniform_levels(random: np.random.Generator, size: int) -> np.ndarray:
    """Return independent uniform numbers in (0, 1), never 0, where quantiles may be infinite."""
    return np.maximum(random.random(size), _TINY)


def stratified_levels(random: np.random.Generator, size: int) -> np.ndarray:
    """Return one uniform number in each of ``size`` equal parts of (0, 1), in random order.

    Each number alone is uniform, so means over it are unbiased; together they cover the interval evenly.

    Example:
        >>> import numpy as np
        >>> levels = stratified_levels(np.random.default_rng(0), 4)
        >>> sorted(np.floor(4 * levels).astype(int).tolist())
        [0, 1, 2, 3]
    """
    return random.permutation((np.arange(size) + uniform_levels(random, size)) / size)


def sobol_levels(random: np.random.Generator, size: int, dimension: int) -> np.ndarray:
    """Return the first ``size`` points of a scrambled Sobol sequence in (0, 1)^dimension, one a row.

    Each point alone is uniform (to 2^-31, half a cell of the sequence's grid). Balance is best where ``size`` is a
    power of 2.

    Raises:
        ValueError: If the dimension exceeds 21,201, where the direction numbers end.
    """
    from scipy.stats import qmc  # slow to import, and needed by this scheme alone

    if dimension > MAX_SOBOL_DIMENSION:
        raise ValueError(f"Sobol points exist up to dimension {MAX_SOBOL_DIMENSION:,}; {dimension:,} are needed.")
    engine = qmc.Sobol(dimension, scramble=True, bits=_SOBOL_BITS, rng=random)
    # A prefix of a power of two: other sizes are the same points, but SciPy warns about them.
    points = engine.random_base2((size - 1).bit_length())[:size]
    return points + 2.0 ** -(_SOBOL_BITS + 1)


def normal_quantiles(levels: np.ndarray) -> np.ndarray:
    """Return quantiles of N(0, 1)."""
    from scipy import special

    return special.ndtri(levels)


def gamma_quantiles(levels: np.ndarray, shape: float) -> np.ndarray:
    """Return quantiles of the gamma law of this shape and rate 1.

    Example:
        >>> import numpy as np
        >>> float(gamma_quantiles(np.asarray([0.5]), 1.0)[0])  # log 2
        0.693147...
    """
    from scipy import special

    return special.gammaincinv(shape, levels)


def chi_quantiles(levels: np.ndarray, degrees: int) -> np.ndarray:
    """Return quantiles of the chi law: of the length of a standard normal vector of dimension ``degrees``."""
    return np.sqrt(2 * gamma_quantiles(levels, degrees / 2))
