"""The letters of shape annotations such as ``Float[Array, "n d"]``: one meaning each, in all of fkeax.

The annotations are checked while the tests run and cost nothing otherwise. A word of several letters explains itself,
``_`` is any size, and a star stands for any number of axes.
"""

from __future__ import annotations

AXES: dict[str, str] = {
    "n": "samples",
    "m": "samples of a second set",
    "p": "points at which something is evaluated",
    "d": "dimension of a sample",
    "r": "frequencies of a Fourier map",
    "f": "features, f = 2r; or eigenvalues",
    "k": "modes, buckets or orders; starred, independent draws",
    "b": "rows of a batch, or permutations",
    "l": "mixture weights",
}
