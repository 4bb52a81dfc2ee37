"""The two samples of a comparison: checked once, with what a reader should know about them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jax.typing import ArrayLike

from fkeax.numerics import checks, near_pairs

NEAR = 0.01  # of the root mean square distance between rows
_CENTRE_ROWS = 256


@dataclass(frozen=True)
class TwoSamples:
    """Reference and generated rows on the host.

    Attributes:
        reference: (n, d), float32 or float64 as they came (other dtypes become float32).
        generated: (m, d).
        dtype: What is computed in.
        centre: A point near the rows, in float64: the median of up to 256 of them. The median, so that one far row does
            not carry it off.
        diagnostics: What was seen: duplicates within and across the samples, near duplicates, constant columns.
        warnings: What of it should worry a reader.
    """

    reference: np.ndarray
    generated: np.ndarray
    dtype: np.dtype
    centre: np.ndarray
    diagnostics: dict[str, object]
    warnings: list[str]

    @property
    def num_reference(self) -> int:
        """The number n of reference rows."""
        return self.reference.shape[0]

    @property
    def num_generated(self) -> int:
        """The number m of generated rows."""
        return self.generated.shape[0]

    @property
    def dimension(self) -> int:
        """The number d of columns."""
        return self.reference.shape[1]

    @property
    def settings(self) -> dict[str, object]:
        """Sizes and dtype, as every result states them."""
        return {
            "n_ref": self.num_reference,
            "n_gen": self.num_generated,
            "dimension": self.dimension,
            "dtype": str(self.dtype),
        }

    @property
    def all_equal(self) -> bool:
        """Whether all rows of both samples are one and the same."""
        return self.diagnostics.get("constant_columns") == self.dimension

    def pooled(self, dtype: np.dtype | None = None) -> np.ndarray:
        """Return all rows, the reference's first, less the centre, subtracted in float64 before the cast."""
        rows = np.empty((self.num_reference + self.num_generated, self.dimension), dtype or self.dtype)
        np.subtract(self.reference, self.centre, out=rows[: self.num_reference], casting="same_kind")
        np.subtract(self.generated, self.centre, out=rows[self.num_reference :], casting="same_kind")
        return rows


def two_samples(
    reference: ArrayLike, generated: ArrayLike, *, min_rows: int = 2, find_duplicates: bool = True
) -> TwoSamples:
    """Return both samples after checking shape, kind and finiteness.

    Raises:
        TypeError: If entries are not real numbers.
        ValueError: If widths differ, a row is not finite, or a sample has fewer than ``min_rows`` rows.
    """
    hosts = []
    for name, rows in (("reference", reference), ("generated", generated)):
        matrix = np.asarray(checks.matrix(rows, name))
        if matrix.dtype not in (np.float32, np.float64):
            matrix = matrix.astype(np.float32)
        checks.finite_rows(matrix, name)
        if matrix.shape[0] < min_rows:
            raise ValueError(f"{name} must have at least {min_rows} rows for this; it has {matrix.shape[0]}.")
        hosts.append(matrix)
    first, second = hosts
    for name, rows in (("reference", first), ("generated", second)):
        checks.square_range(rows, name)
    if first.shape[1] != second.shape[1]:
        raise ValueError(
            f"reference and generated must have the same number of columns; got {first.shape[1]} and {second.shape[1]}."
        )
    dtype = checks.working_dtype(np.result_type(first.dtype, second.dtype))
    diagnostics, warnings = _duplicates(first, second) if find_duplicates else ({}, [])
    constant = int(np.count_nonzero(((first == first[0]).all(axis=0)) & (second == first[0]).all(axis=0)))
    diagnostics["constant_columns"] = constant
    if constant == first.shape[1]:
        warnings.append("all rows of both samples are equal: every distance is 0")
    return TwoSamples(first, second, dtype, _centre(first, second), diagnostics, warnings)


def _centre(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    few = [rows[:: max(1, rows.shape[0] // (_CENTRE_ROWS // 2))] for rows in (first, second)]
    return np.median(np.concatenate(few).astype(np.float64), axis=0)


def _duplicates(first: np.ndarray, second: np.ndarray) -> tuple[dict[str, object], list[str]]:
    """Count equal rows within and across the samples, and generated rows very near to a reference row."""
    wide = np.result_type(first.dtype, second.dtype)
    hashes = (
        near_pairs.row_hashes(first.astype(wide, copy=False)),
        near_pairs.row_hashes(second.astype(wide, copy=False)),
    )
    unique = np.unique(hashes[0]), np.unique(hashes[1])
    copies = int(np.isin(hashes[1], unique[0]).sum())
    found: dict[str, object] = {
        "duplicates_within_reference": hashes[0].size - unique[0].size,
        "duplicates_within_generated": hashes[1].size - unique[1].size,
        "generated_equal_to_reference": copies,
    }
    found |= _near_duplicates(first, second, hashes[0], hashes[1])
    warnings = []
    if copies:
        warnings.append(
            f"{copies} of {hashes[1].size} generated rows equal a reference row: "
            "copies look like perfect samples to every distance between laws"
        )
    for name, rows in (("reference", hashes[0]), ("generated", hashes[1])):
        repeated = found[f"duplicates_within_{name}"]
        if repeated:
            warnings.append(f"{repeated} of {rows.size} {name} rows repeat an earlier one: rows are not independent")
    near = found["generated_near_reference"]
    if isinstance(near, int) and near:
        warnings.append(f"{near} generated rows lie within {NEAR:.0%} of the typical distance of a reference row")
    return found, warnings


def _near_duplicates(
    first: np.ndarray, second: np.ndarray, first_hashes: np.ndarray, second_hashes: np.ndarray
) -> dict[str, object]:
    """Count rows with a near, but not equal, neighbour; None where the data are too clustered to search."""
    _, places = np.unique(np.concatenate([first_hashes, second_hashes]), return_index=True)
    places = np.sort(places)  # one of each set of equal rows
    rows = np.concatenate([first, second])[places]
    spread = float(rows[:: max(1, rows.shape[0] // _CENTRE_ROWS)].var(axis=0, dtype=np.float64).sum())
    names: tuple[str, ...] = (
        "near_duplicates_within_reference",
        "near_duplicates_within_generated",
        "generated_near_reference",
    )
    pairs = near_pairs.near_pairs(rows, NEAR * (2 * spread) ** 0.5) if spread > 0 else np.empty((0, 2), int)
    if pairs is None:
        return {name: None for name in names}
    in_second = places[pairs] >= first.shape[0]
    within_first = ~in_second.any(axis=1)
    within_second = in_second.all(axis=1)
    across = pairs[~within_first & ~within_second]
    counts = (pairs[within_first], pairs[within_second], across[:, 1])
    return {name: int(np.unique(rows).size) for name, rows in zip(names, counts, strict=True)}
