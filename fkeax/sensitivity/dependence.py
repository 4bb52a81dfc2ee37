"""Do the rows of a corpus look dependent? Neighbours in the file compared with rows drawn at random."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from fkeax.numerics import near_pairs, neighbors

BLOCK_ROWS = 4096
ADJACENT_SHARE = 0.05  # of rows whose nearest neighbour is the row above or below, which chance makes 2/N
CLOSER_Z = 4.0


@dataclass(frozen=True)
class Dependence:
    """What neighbouring rows of a file have in common.

    Attributes:
        adjacent_distance: Mean distance of disjoint pairs of adjacent rows, over that of random pairs.
        z: How many standard errors that is below 1; for independent rows in random order a standard normal number.
        adjacent_share: Share of rows whose nearest neighbour is the row before or after.
        chance_share: That share for rows in random order.
        num_duplicates: Rows that repeat an earlier one.
        num_rows: Rows that were looked at: one block from the middle of the file, all rows for duplicates.
    """

    adjacent_distance: float
    z: float
    adjacent_share: float
    chance_share: float
    num_duplicates: int
    num_rows: int

    def to_dict(self) -> dict[str, float | int]:
        """Return the fields as plain Python."""
        return asdict(self)

    def warnings(self) -> list[str]:
        """Return what a reader of tests on these rows should know."""
        found = []
        if self.num_duplicates:
            found.append(f"{self.num_duplicates} rows of the reference repeat an earlier one: rows are not independent")
        if self.adjacent_share > ADJACENT_SHARE:
            found.append(
                f"rows look dependent: for {self.adjacent_share:.0%} of them the nearest row is the one before or "
                f"after (chance: {self.chance_share:.2%}), as for frames of a clip; levels hold only with groups"
            )
        elif self.z > CLOSER_Z:
            found.append(
                f"adjacent rows are closer than random ones (distance x {self.adjacent_distance:.2f}, "
                f"z = {self.z:.0f}): the file is sorted, which does no harm as draws shuffle it, or neighbours depend "
                "on each other, and then give groups"
            )
        return found


def row_dependence(rows: np.ndarray, key_seed: np.ndarray) -> Dependence:
    """Compare adjacent rows of a corpus with random ones.

    Args:
        rows: (N, d), at least 4, in the order of the file.
        key_seed: Draws the random pairs.

    Cost:
        ``2 M^2 d`` flops for M rows, at most 4,096.

    Example:
        >>> import numpy as np
        >>> independent = np.random.default_rng(0).standard_normal((400, 8))
        >>> row_dependence(independent, np.asarray([0])).warnings()
        []
        >>> frames = np.repeat(independent[:100], 4, axis=0) + 0.1 * independent
        >>> row_dependence(frames, np.asarray([0])).warnings()[0].split(":")[0]
        'rows look dependent'
    """
    total = rows.shape[0]
    start = max(0, (total - BLOCK_ROWS) // 2)
    block = np.asarray(rows[start : start + BLOCK_ROWS], np.float32)
    size = block.shape[0]
    random = np.random.default_rng(key_seed)
    order = random.permutation(size)
    even = np.arange(0, size - 1, 2)
    adjacent, mixed = _distances(block, even, even + 1), _distances(block, order[even], order[even + 1])
    spread = np.sqrt(adjacent.var(ddof=1) / adjacent.size + mixed.var(ddof=1) / mixed.size)
    nearest = neighbors.nearest(block, block, 1, exclude_self=True)[1][:, 0]
    typical = float(mixed.mean())
    hashes = near_pairs.row_hashes(np.asarray(rows, np.float64 if rows.dtype == np.float64 else np.float32))
    return Dependence(
        adjacent_distance=float(adjacent.mean()) / typical if typical > 0 else 1.0,
        z=float((typical - adjacent.mean()) / spread) if spread > 0 else 0.0,
        adjacent_share=float(np.mean(np.abs(nearest - np.arange(size)) == 1)),
        chance_share=2 / (size - 1),
        num_duplicates=total - int(np.unique(hashes).size),
        num_rows=size,
    )


def _distances(rows: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return distances of pairs of rows in float64, a chunk at a time."""
    found = np.empty(first.size)
    for start in range(0, first.size, 512):
        part = slice(start, start + 512)
        difference = rows[first[part]].astype(np.float64) - rows[second[part]]
        found[part] = np.sqrt(np.square(difference).sum(axis=1))
    return found
