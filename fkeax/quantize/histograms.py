"""From samples to bins: labels of given classes, labels of a lattice, and counts of labels.

Bins are made jointly for all samples that are to be compared, so that one label means one bin in all of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jax.typing import ArrayLike
from jaxtyping import Array, Float, Int, Num

from fkeax.numerics import checks


@dataclass(frozen=True)
class Labelling:
    """Bins of several samples.

    Attributes:
        labels: One vector per sample: the bin of each row, an int32 from 0 to ``num_buckets - 1``.
        names: What each bin is: the given class, or the lattice point (an integer vector), sorted.
    """

    labels: tuple[np.ndarray, ...]
    names: np.ndarray

    @property
    def num_buckets(self) -> int:
        """The number of bins; every one is met in some sample."""
        return len(self.names)


def given_labels(*samples: Sequence[Any] | np.ndarray) -> Labelling:
    """Return bins for samples that come with a class for each row: integers, strings, or anything that sorts.

    Args:
        samples: One vector of classes for each sample.

    Raises:
        ValueError: No sample, an empty one, or one that is no vector.
        TypeError: The classes of the samples cannot be sorted together.

    Cost:
        A sort of all rows.

    Example:
        >>> found = given_labels(["cat", "dog", "cat"], ["dog", "eel"])
        >>> [row.tolist() for row in found.labels], found.names.tolist()
        ([[0, 1, 0], [1, 2]], ['cat', 'dog', 'eel'])
    """
    arrays = [np.asarray(sample) for sample in samples]
    if not arrays:
        raise ValueError("samples must be at least one vector of classes; got none.")
    for number, array in enumerate(arrays):
        if array.ndim != 1 or array.size == 0:
            raise ValueError(f"sample {number} must be one vector with a class for each row; got shape {array.shape}.")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"sample {number} must hold classes; got NaN or infinity.")
    kinds = {"number" if array.dtype.kind in "iufb" else array.dtype.kind for array in arrays}
    if len(kinds) > 1:
        raise TypeError("samples must hold classes of one type; got numbers in some and text or objects in others.")
    return _joint(arrays)


def lattice_labels(*samples: np.ndarray | jax.Array, cell_width: float, origin: np.ndarray | None = None) -> Labelling:
    """Return the bins of a cubic lattice: rows with the same ``round((x - origin) / cell_width)`` share one.

    A quantizer that does not depend on the data, so bins of different samples and runs are the same; but the number of
    bins met grows like the samples themselves from about 10 dimensions on.

    Args:
        samples: (n, d) arrays of one d.
        cell_width: Side of a cell, in the units of the data.
        origin: Centre of a cell; 0 unless given.

    Raises:
        ValueError: The samples differ in dimension or hold a NaN or infinity, or the width is not positive.

    Cost:
        A sort of all rows.

    Example:
        >>> import numpy as np
        >>> found = lattice_labels(np.array([[0.1], [0.9]]), np.array([[1.2], [-0.3]]), cell_width=1.0)
        >>> [row.tolist() for row in found.labels], found.names.tolist()
        ([[0, 1], [1, 0]], [[0], [1]])
    """
    width = checks.positive_number(cell_width, "cell_width")
    if not samples:
        raise ValueError("samples must be at least one (n, d) array; got none.")
    cells = []
    for number, sample in enumerate(samples):
        rows = np.asarray(checks.matrix(sample, f"sample {number}"), np.float64)
        checks.finite_rows(rows, f"sample {number}")
        if rows.shape[1] != np.shape(samples[0])[1]:
            raise ValueError(
                f"samples must have one dimension; sample 0 has {np.shape(samples[0])[1]}, "
                f"sample {number} has {rows.shape[1]}."
            )
        centre = np.zeros(rows.shape[1]) if origin is None else np.asarray(origin, np.float64)
        if centre.shape != (rows.shape[1],):
            raise ValueError(f"origin must be a point of dimension {rows.shape[1]}; got shape {centre.shape}.")
        scaled = np.rint((rows - centre) / width)
        if np.abs(scaled).max() >= 2**62:
            raise ValueError(f"cell_width must not be so small that cells have no number; got {width:g}.")
        cells.append(scaled.astype(np.int64))
    return _joint(cells)


def _joint(arrays: Sequence[np.ndarray]) -> Labelling:
    names, inverse = np.unique(np.concatenate(arrays), axis=0, return_inverse=True)
    edges = np.cumsum([len(array) for array in arrays])[:-1]
    return Labelling(tuple(np.split(inverse.reshape(-1).astype(np.int32), edges)), names)


def counts_from_labels(
    labels: ArrayLike, num_buckets: int, weights: ArrayLike | None = None
) -> Num[Array, "k"] | Int[Array, "k"]:
    """Return how many rows, or how much weight, each bin holds.

    Args:
        labels: The bin of each row, whole numbers from 0 to ``num_buckets - 1``.
        num_buckets: Static.
        weights: Of the rows: finite, not negative, not all 0.

    Returns:
        int32 counts, or weight sums in the working dtype.

    Raises:
        ValueError: A label is out of range (outside a trace), or the weights do not fit.
        TypeError: The labels are not whole numbers.

    Example:
        >>> import numpy as np
        >>> counts_from_labels(np.array([0, 2, 2]), 4).tolist()
        [1, 0, 2, 0]
    """
    number = checks.count(num_buckets, "num_buckets")
    array = jnp.asarray(labels)
    if not jnp.issubdtype(array.dtype, jnp.integer):
        raise TypeError(f"labels must be whole numbers; got dtype {array.dtype}.")
    if array.ndim != 1:
        raise ValueError(f"labels must be one vector; got shape {array.shape}.")
    if not isinstance(array, Tracer) and array.size and not 0 <= int(array.min()) <= int(array.max()) < number:
        raise ValueError(f"labels must lie from 0 to {number - 1}; they range from {array.min()} to {array.max()}.")
    if weights is None:
        return jnp.zeros(number, jnp.int32).at[array].add(1)
    if isinstance(weights, Tracer):
        return jnp.zeros(number, weights.dtype).at[array].add(weights)
    checked = checks.weight_vector(weights, array.shape[0])
    dtype = checks.working_dtype(np.asarray(weights).dtype)
    return jnp.zeros(number, dtype).at[array].add(jnp.asarray(checked, dtype))


def sparse_bins(counts: Num[Array, "k"]) -> tuple[Float[Array, ""], Float[Array, ""]]:
    """Return the mean count per bin and the share of empty bins, by which to judge a plug-in estimate.

    Divergences of empirical histograms are too large by about ``k / n``: a mean below 5 deserves a warning.
    """
    values = counts.astype(checks.working_dtype(counts.dtype))
    return jnp.mean(values), jnp.mean((values == 0).astype(values.dtype))
