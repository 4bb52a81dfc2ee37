"""Precision, recall, density and coverage (Naeem et al. 2020) by exact blocked neighbours."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.inference import permutation_units, row_labels
from fkeax.numerics import checks, neighbors
from fkeax.results import Result
from fkeax.twosample.samples import TwoSamples, two_samples

METRICS = ("precision", "recall", "density", "coverage")


@dataclass(frozen=True)
class Manifolds:
    """Balls around the rows of both samples, and who lies in whose.

    Attributes:
        reference_radii: For each reference row, the distance to its k-th nearest other reference row.
        generated_radii: Likewise within the generated rows.
        balls_of_generated: For each generated row, in how many reference balls it lies.
        balls_of_reference: For each reference row, in how many generated balls it lies.
        guests: For each reference ball, how many generated rows it holds.
        num_neighbors: k.
    """

    reference_radii: np.ndarray
    generated_radii: np.ndarray
    balls_of_generated: np.ndarray
    balls_of_reference: np.ndarray
    guests: np.ndarray
    num_neighbors: int

    def values(self) -> dict[str, float]:
        """Return the four metrics."""
        return {name: float(per_row.mean()) for name, per_row in self.per_row().items()}

    def per_row(self) -> dict[str, np.ndarray]:
        """Return what each metric is the mean of, over the rows it counts."""
        return {
            "precision": (self.balls_of_generated > 0).astype(np.float64),
            "recall": (self.balls_of_reference > 0).astype(np.float64),
            "density": self.balls_of_generated / self.num_neighbors,
            "coverage": (self.guests > 0).astype(np.float64),
        }


def manifolds(reference: np.ndarray, generated: np.ndarray, num_neighbors: int) -> Manifolds:
    """Return the balls of both samples. Cost: ``2 (n^2 + n m + m^2) d`` flops, blocks of 32 MiB."""
    reference_radii = neighbors.nearest(reference, reference, num_neighbors, exclude_self=True)[0][:, -1]
    generated_radii = neighbors.nearest(generated, generated, num_neighbors, exclude_self=True)[0][:, -1]
    around_reference, around_generated = neighbors.mutual_ball_counts(
        reference, generated, reference_radii, generated_radii
    )
    return Manifolds(
        reference_radii,
        generated_radii,
        balls_of_generated=around_reference.containing,
        balls_of_reference=around_generated.containing,
        guests=around_reference.inside,
        num_neighbors=num_neighbors,
    )


def expected_coverage(num_reference: int, num_generated: int, num_neighbors: int) -> float:
    """Return the exact expectation of coverage under P = Q, for continuous laws in any dimension.

    A ball is empty when the k nearest of all other rows are reference rows: ``1 - prod_{i<k} (n-1-i)/(n+m-1-i)``.

    Example:
        >>> round(expected_coverage(10_000, 10_000, 5), 4)
        0.9688
    """
    empty = 1.0
    for i in range(num_neighbors):
        empty *= (num_reference - 1 - i) / (num_reference + num_generated - 1 - i)
    return 1 - empty


def prdc(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    num_neighbors: int = 5,
    num_relabellings: int = 0,
) -> dict[str, Result]:
    """Return precision, recall, density and coverage of generated rows, by balls to the k-th nearest neighbour.

    Precision: share of generated rows in some reference ball. Recall: share of reference rows in some generated ball.
    Density: mean number of reference balls around a generated row, over k; not clipped at 1. Coverage: share of
    reference balls that hold a generated row. A radius excludes the row itself and comparisons are ``<=`` (the prdc
    package uses ``<``): identical samples give 1, 1, (k + 1)/k, 1, with duplicates too.

    None of them is 1 when P = Q. ``diagnostics["expected_if_equal"]`` says what to compare with: exact for coverage
    (:func:`expected_coverage`) and density (1), by random relabellings of the pooled rows for precision and recall.

    Args:
        reference: (n, d) rows, more than ``num_neighbors``.
        generated: (m, d) rows, more than ``num_neighbors``.
        key: For relabellings.
        num_neighbors: k.
        num_relabellings: Random relabellings of the pooled rows, each as dear as the metrics themselves; the null mean
            and standard deviation of all four go into the diagnostics.

    Returns:
        One result a metric. The standard error is that of a mean over the rows counted, given the other sample and all
        radii; it leaves out how radii vary from sample to sample.

    Raises:
        ValueError: If a sample has no more rows than neighbours, or rows are unfit.

    Cost:
        ``2 (n^2 + n m + m^2) d`` flops; blocks of at most 32 MiB of distances.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (200, 4))
        >>> found = prdc(x, x)
        >>> [found[name].value for name in ("precision", "recall", "density", "coverage")]
        [1.0, 1.0, 1.2, 1.0]
    """
    num_neighbors = checks.count(num_neighbors, "num_neighbors")
    num_relabellings = checks.count(num_relabellings, "num_relabellings", minimum=0)
    samples = two_samples(reference, generated, min_rows=num_neighbors + 1)
    found = manifolds(samples.reference, samples.generated, num_neighbors)
    null = None
    if num_relabellings:
        null = _relabelled(samples, num_neighbors, num_relabellings, checks.typed_key(key, "random relabellings"))
    exact = {
        "density": 1.0,
        "coverage": expected_coverage(samples.num_reference, samples.num_generated, num_neighbors),
    }
    shared = samples.diagnostics | {
        "reference_radii": _quantiles(found.reference_radii),
        "generated_radii": _quantiles(found.generated_radii),
        "warnings": list(samples.warnings),
    }
    results = {}
    for index, (name, per_row) in enumerate(found.per_row().items()):
        expected = exact.get(name) if null is None else exact.get(name, float(null[:, index].mean()))
        extra: dict[str, object] = {"expected_if_equal": expected}
        if null is not None and num_relabellings > 1:
            extra["null_mean"] = float(null[:, index].mean())
            extra["null_sd"] = float(null[:, index].std(ddof=1))
        results[name] = Result(
            name=name,
            value=per_row.mean(),
            # Rows that all say the same say nothing of the spread: no hit in 42 rows has no error of 0.
            stderr=float(per_row.std(ddof=1) / per_row.size**0.5) if per_row.std() > 0 else None,
            settings=samples.settings | {"num_neighbors": num_neighbors},
            diagnostics=shared
            | extra
            | {"stderr_method": "over the rows counted, given the other sample and all radii"},
        )
    return results


def _relabelled(samples: TwoSamples, num_neighbors: int, number: int, key: jax.Array) -> np.ndarray:
    """Return the four metrics under random relabellings of the pooled rows, one row each."""
    units = permutation_units(samples.num_reference, samples.num_generated)
    labels = np.asarray(row_labels(key, units, number))[:, 1:] > 0
    rows = samples.pooled()
    return np.asarray(
        [list(manifolds(rows[label], rows[~label], num_neighbors).values().values()) for label in labels.T]
    )


def _quantiles(radii: np.ndarray) -> list[float]:
    """Return minimum, quartiles and maximum."""
    return [float(value) for value in np.quantile(radii.astype(np.float64), [0, 0.25, 0.5, 0.75, 1])]
