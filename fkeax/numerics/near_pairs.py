"""Pairs of rows that lie very close together, found without all distances."""

from __future__ import annotations

import numpy as np

_NUM_TREE_AXES = 5
_NUM_AXES = 24
_MAX_CANDIDATES_PER_ROW = 20
_ROWS_AT_A_TIME = 4096
_PROBES = 256


def row_hashes(rows: np.ndarray) -> np.ndarray:
    """Return a 64-bit hash of every row of float32 or float64; equal rows have equal hashes, and 0.0 equals -0.0.

    Two different rows collide with probability of about 2^-64.

    Example:
        >>> import numpy as np
        >>> hashes = row_hashes(np.asarray([[1.0, 0.0], [1.0, -0.0], [0.0, 1.0]]))
        >>> bool(hashes[0] == hashes[1]), bool(hashes[0] == hashes[2])
        (True, False)
    """
    width = rows.shape[1] + (rows.shape[1] % 2 if rows.dtype.itemsize == 4 else 0)  # whole 64-bit words
    odd = 2 * np.random.default_rng(0).integers(1 << 63, size=width + 1, dtype=np.uint64) + np.uint64(1)
    hashes = np.empty(rows.shape[0], np.uint64)
    for start in range(0, rows.shape[0], _ROWS_AT_A_TIME):
        some = rows[start : start + _ROWS_AT_A_TIME]
        padded = np.zeros((some.shape[0], width), some.dtype)
        np.add(some, 0.0, out=padded[:, : some.shape[1]], dtype=some.dtype)
        words = padded.view(np.uint64)
        words ^= words >> np.uint64(32)  # the low half of a short float64 is 0
        words *= odd[: words.shape[1]]
        words ^= words >> np.uint64(29)  # else two changes of sign, of the highest bit, would cancel
        hashes[start : start + _ROWS_AT_A_TIME] = (words * odd[-words.shape[1] :]).sum(axis=1, dtype=np.uint64)
    return hashes


def near_pairs(rows: np.ndarray, radius: float) -> np.ndarray | None:
    """Return all pairs ``i < j`` of rows within ``radius`` of each other, as a (pairs, 2) array.

    Orthonormal projections only shorten distances: a tree on 5 axes misses no pair, 24 axes sift its candidates, and
    what is left is measured in float64. None if, judged by 256 rows, there are more than 20 candidates a row: such
    data are too clustered for this search.

    Cost:
        ``48 n d`` flops, a k-d tree, and the candidates' distances.

    Example:
        >>> import numpy as np
        >>> near_pairs(np.asarray([[0.0, 0.0], [0.0, 0.1], [5.0, 5.0]]), 0.2).tolist()
        [[0, 1]]
    """
    from scipy import spatial

    rows = np.asarray(rows)
    num_axes = min(_NUM_AXES, rows.shape[1])
    axes = np.linalg.qr(np.random.default_rng(0).standard_normal((rows.shape[1], num_axes)))[0]
    centred = rows - rows.mean(axis=0, dtype=np.float64)
    projected = centred @ axes
    on_tree = np.ascontiguousarray(projected[:, :_NUM_TREE_AXES])
    tree = spatial.KDTree(on_tree, leafsize=16)
    reach = radius * (1 + 1e-9)
    probes = on_tree[:: max(1, rows.shape[0] // _PROBES)]
    if np.mean(tree.query_ball_point(probes, reach, return_length=True)) - 1 > _MAX_CANDIDATES_PER_ROW:
        return None
    pairs = np.sort(tree.query_pairs(reach, output_type="ndarray"), axis=1)
    pairs = _within(projected, pairs, reach)
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]
    return _within(centred, pairs, radius)


def _within(rows: np.ndarray, pairs: np.ndarray, radius: float) -> np.ndarray:
    """Return the pairs of rows at most ``radius`` apart."""
    kept = [np.empty((0, 2), pairs.dtype)]
    for start in range(0, len(pairs), _ROWS_AT_A_TIME):
        some = pairs[start : start + _ROWS_AT_A_TIME]
        squared = np.square(rows[some[:, 0]] - rows[some[:, 1]]).sum(axis=1)
        kept.append(some[squared <= radius**2])
    return np.concatenate(kept)
