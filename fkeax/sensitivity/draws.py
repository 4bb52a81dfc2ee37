"""Draws of two disjoint samples from a corpus, the same for every change and every test; rows that no draw touches."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import numpy as np

from fkeax.inference import Groups
from fkeax.numerics import batching, checks
from fkeax.sensitivity.cells import named_key


@dataclass(frozen=True)
class DrawnPair:
    """Two samples from one law.

    Attributes:
        reference: X.
        generated: Y before any change, disjoint from X.
        groups: A label for each row of X, then of Y; None where rows are independent.
        corpus: All rows.
        reserve_rows: Numbers of the rows in neither, which draws may take.
    """

    reference: np.ndarray
    generated: np.ndarray
    groups: np.ndarray | None
    corpus: np.ndarray
    reserve_rows: np.ndarray

    @property
    def reserve(self) -> np.ndarray:
        """The rows of the corpus in neither sample, a copy."""
        return self.corpus[self.reserve_rows]


@dataclass(frozen=True)
class Pool:
    """A corpus, cut into rows that draws take and rows that they never touch.

    Attributes:
        rows: (N, d), as they came.
        groups: A label for each row, as numbers; None where every row stands alone.
        num_samples: Rows of either side of a draw, as asked for; with groups, whole groups of about as many rows.
        num_units: Groups of either side (rows without groups).
        drawable: Units that draws take.
        spare: Units set aside for choices that must not see tested data; empty in a small corpus.
    """

    rows: np.ndarray
    groups: np.ndarray | None
    num_samples: int
    num_units: int
    drawable: np.ndarray
    spare: np.ndarray

    def draw(self, key: jax.Array, number: int) -> DrawnPair:
        """Return the draw of a number: it depends on the key, n and the number alone."""
        random = np.random.default_rng(batching.key_seed(named_key(key, "draw", self.num_samples, number)))
        return self._split(random.permutation(self.drawable))

    def spare_draw(self, key: jax.Array, number: int) -> DrawnPair:
        """Return a draw from the rows set aside; there must be some."""
        random = np.random.default_rng(batching.key_seed(named_key(key, "spare draw", self.num_samples, number)))
        return self._split(random.permutation(self.spare))

    @property
    def num_spare_rows(self) -> int:
        """How many rows are set aside."""
        return self._rows_of(self.spare).size

    @property
    def spare_rows(self) -> np.ndarray:
        """The rows set aside, a copy."""
        return self.rows[self._rows_of(self.spare)]

    def _split(self, units: np.ndarray) -> DrawnPair:
        k = self.num_units
        first, second, rest = (self._rows_of(part) for part in (units[:k], units[k : 2 * k], units[2 * k :]))
        labels = None if self.groups is None else np.concatenate([self.groups[first], self.groups[second]])
        return DrawnPair(self.rows[first], self.rows[second], labels, self.rows, rest)

    def _rows_of(self, units: np.ndarray) -> np.ndarray:
        return units if self.groups is None else np.flatnonzero(np.isin(self.groups, units))


def make_pool(key: jax.Array, rows: np.ndarray, num_samples: int, groups: Groups | None = None) -> Pool:
    """Cut a corpus; where it has 4 n rows, 2 n of them are set aside at random.

    Raises:
        ValueError: If there are fewer than 2 n rows (or groups for 2 n rows), or groups do not match the rows.
    """
    num_samples = checks.count(num_samples, "num_samples", minimum=4)
    total = rows.shape[0]
    labels, units, num_units = None, np.arange(total), num_samples
    if groups is not None:
        names = np.asarray(checks.own_array(groups, "groups"))
        if names.shape != (total,):
            raise ValueError(
                f"groups must hold one label for each of the {total} rows of the reference; got shape {names.shape}."
            )
        unique, labels = np.unique(names, return_inverse=True)
        units = np.arange(unique.size)
        num_units = max(2, round(num_samples * unique.size / total))
    if 2 * num_units > units.size:
        what = "rows" if groups is None else f"groups ({num_units} a side for some {num_samples} rows)"
        raise ValueError(
            f"reference must have at least twice num_samples = {num_samples} rows, for two disjoint samples of it: "
            f"{2 * num_units} {what} are needed and it has {units.size}."
        )
    if units.size < 4 * num_units:
        return Pool(rows, labels, num_samples, num_units, units, units[:0])
    random = np.random.default_rng(batching.key_seed(named_key(key, "rows set aside", num_samples)))
    shuffled = random.permutation(units)
    spare, drawable = np.sort(shuffled[: 2 * num_units]), np.sort(shuffled[2 * num_units :])
    return Pool(rows, labels, num_samples, num_units, drawable, spare)
