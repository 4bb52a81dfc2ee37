"""All controlled changes by name: one way to change a draw and to learn what was done to it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.numerics import checks
from fkeax.sensitivity import collapse, contraction, copies, coverage, rank_one, rank_two, rotation, shift, temperature
from fkeax.sensitivity.affine import AffineMap, apply_affine
from fkeax.sensitivity.changed import Changed, Draw
from fkeax.sensitivity.corpus import Corpus

FindMap = Callable[[jax.Array, float, Corpus, np.ndarray | None], AffineMap]
ChangeDraw = Callable[[str, jax.Array, float, Corpus, Draw], Changed]


@dataclass(frozen=True)
class Change:
    """A controlled change.

    Attributes:
        name: By which it is asked for.
        summary: What it does, in one line.
        strength: What its strength means.
        affine: Finds its map, for changes that are one map of every row; from it follows the changed law, and thence
            the predictions. None for the others.
        apply: Changes a draw; None where ``affine`` is not.
    """

    name: str
    summary: str
    strength: str
    affine: FindMap | None = None
    apply: ChangeDraw | None = None


_SHARE = "2-Wasserstein distance over rho"
_BOUND = "Bures distance over rho, a lower bound on the 2-Wasserstein distance"
_DROP = "share of the mode's rows that are removed"
_COPIES = "share of the rows that are copies"
_ALL = (
    Change("null", "nothing", "ignored", affine=shift.no_change),
    Change("shift", "mean moved in a random direction", _SHARE, affine=shift.random_shift),
    Change("shift-principal", "mean moved along the first principal direction", _SHARE, affine=shift.principal_shift),
    Change("shift-reference", "mean moved toward a reference row", _SHARE, affine=shift.reference_shift),
    Change("contraction", "rows drawn toward the mean", _SHARE, affine=contraction.contraction),
    Change("rotation", "covariance turned by a random rotation, mean and trace kept", _BOUND, affine=rotation.rotation),
    Change("rank-one", "stretched along the first principal direction", _SHARE, affine=rank_one.principal_stretch),
    Change("rank-one-shrink", "shrunk along the same direction", _SHARE, affine=rank_one.principal_shrinkage),
    Change("rank-one-random", "stretched along a random direction", _SHARE, affine=rank_one.random_stretch),
    Change("rank-two", "turned in the plane of two eigenvectors", _BOUND, affine=rank_two.principal_plane),
    Change("rank-two-random", "a random plane turned by that angle", "that of rank-two", affine=rank_two.random_plane),
    Change("drop", "largest mode thinned, refilled with replacement", _DROP, apply=coverage.drop_refilled),
    Change("drop-reserve", "largest mode thinned, refilled with rows not drawn", _DROP, apply=coverage.drop_reserve),
    Change("drop-mean-matched", "the same, moved back to its mean", _DROP, apply=coverage.drop_mean_matched),
    Change("drop-least", "the mode thinned whose loss moves the mean least", _DROP, apply=coverage.drop_least),
    Change("collapse", "rows drawn toward the mean of their mode", "share of the way", apply=collapse.collapse),
    Change("copies", "rows of the reference among the generated", _COPIES, apply=copies.exact_copies),
    Change("copies-perturbed", "the same, slightly moved", _COPIES, apply=copies.perturbed_copies),
    Change("temperature", "spectrum sharpened at one trace", "1 - temperature", affine=temperature.temperature),
)
CHANGES: Mapping[str, Change] = MappingProxyType({change.name: change for change in _ALL})
"""Every change by its name."""


def apply_change(
    name: str,
    key: jax.Array,
    corpus: Corpus,
    draw: ArrayLike,
    strength: float,
    *,
    reference: ArrayLike | None = None,
    reserve: ArrayLike | None = None,
) -> Changed:
    """Return a draw after a controlled change, and what the change did.

    Args:
        name: One of :data:`CHANGES`.
        key: Draws what is random about the change in this draw; the same key, the same changed sample.
        corpus: What :func:`fkeax.sensitivity.describe_corpus` found.
        draw: (m, d) rows of the corpus.
        strength: At least 0; what it means is said by ``CHANGES[name].strength``.
        reference: The other sample of the draw, for copies and reference directions.
        reserve: Rows not drawn, for refills.

    Raises:
        InfeasibleChange: If the corpus does not allow the strength; the sentence gives the largest one.
        ValueError: If the name is unknown, rows are unfit, or the change needs rows that are not there.

    Example:
        >>> import jax, numpy as np
        >>> from fkeax.sensitivity import describe_corpus
        >>> rows = np.random.default_rng(0).standard_normal((200, 3))
        >>> corpus = describe_corpus(jax.random.key(0), rows, num_modes=0)
        >>> changed = apply_change("contraction", jax.random.key(1), corpus, rows[:50], 0.1)
        >>> round(changed.w2 / corpus.rho, 12), changed.w2_kind
        (0.1, 'exact')
    """
    change = CHANGES[checks.choice(name, "name", tuple(CHANGES))]
    key = checks.typed_key(key, "a controlled change")
    rows = _rows(draw, "draw", corpus)
    parts = Draw(
        rows=rows.astype(np.float64),
        dtype=rows.dtype,
        reference=None if reference is None else _rows(reference, "reference", corpus).astype(np.float64),
        reserve=None if reserve is None else _rows(reserve, "reserve", corpus).astype(np.float64),
    )
    number = checks.finite_number(strength, "strength")
    if change.affine is not None:
        return apply_affine(name, number, change.affine(key, number, corpus, parts.reference), corpus, parts)
    if change.apply is None:
        raise TypeError(f"the change {name!r} has neither a map nor a way to change a draw.")
    return change.apply(name, key, number, corpus, parts)


def _rows(rows: ArrayLike, name: str, corpus: Corpus) -> np.ndarray:
    host = np.asarray(checks.matrix(rows, name))
    if host.dtype not in (np.float32, np.float64):
        host = host.astype(np.float32)
    checks.finite_rows(host, name)
    if host.shape[1] != corpus.dimension:
        raise ValueError(f"{name} must have the corpus's {corpus.dimension} columns; got {host.shape[1]}.")
    return host
