"""The sums of a Fourier state under another centre, without the samples.

``w^T (x - c')`` is ``w^T (x - c) + delta`` with ``delta = w^T (c - c')``: the features of one frequency turn by an
angle that is the same for all samples. Sums of products of features turn with them, so that states whose maps differ in
the centre alone still merge.
"""

from __future__ import annotations

from dataclasses import replace

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from fkeax.diversity.moments import in_two_parts
from fkeax.diversity.streaming import FkeaState

_TILE_ROWS = 1024


def recentred(state: FkeaState, centre: Float[np.ndarray, "d"]) -> FkeaState:
    """Return the state that the same samples would have left under a map with another centre. Eager.

    Exact up to rounding: angles in float64, one rotation of every sum. No score depends on the centre, but rounding
    does: it must be near the data.

    Args:
        state: Sums in any layout.
        centre: In the units of the data.

    Returns:
        A state of two parts, cosines and sines.

    Cost:
        ``O(r d + r^2)`` time; the sums of the new state and a few thousand rows of them in float64.
    """
    fourier_map = state.fourier_map
    frequencies, old = np.asarray(fourier_map.frequencies), np.asarray(fourier_map.centre)
    moved = replace(fourier_map, centre=jnp.asarray(centre.astype(old.dtype)))
    delta = frequencies.astype(np.float64) @ (old.astype(np.float64) - np.asarray(moved.centre, np.float64))
    cc, cs, ss = (np.asarray(block) for block in in_two_parts(state.moment).blocks)
    turned = _rotated(cc, cs, ss, np.cos(delta), np.sin(delta))
    return FkeaState(moved, replace(state.moment, blocks=tuple(jnp.asarray(block) for block in turned)))


def _rotated(
    cc: np.ndarray, cs: np.ndarray, ss: np.ndarray, cosine: np.ndarray, sine: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sums of ``cos'cos'``, ``cos'sin'`` and ``sin'sin'`` for angles that are ``delta`` larger."""
    turned = np.empty_like(cc), np.empty_like(cs), np.empty_like(ss)
    for start in range(0, cc.shape[0], _TILE_ROWS):
        rows = slice(start, start + _TILE_ROWS)
        c, s = cosine[rows, None], sine[rows, None]
        first, second = c * cc[rows] - s * cs.T[rows], c * cs[rows] - s * ss[rows]  # cos' with the old cos and sin
        third, fourth = c * cs.T[rows] + s * cc[rows], c * ss[rows] + s * cs[rows]  # sin' with the old cos and sin
        turned[0][rows] = first * cosine - second * sine
        turned[1][rows] = second * cosine + first * sine
        turned[2][rows] = fourth * cosine + third * sine
    return turned
