"""Copies: rows of the reference sample in the place of a share of the generated ones, exact or perturbed."""

from __future__ import annotations

import jax
import numpy as np

from fkeax.numerics import batching, neighbors
from fkeax.sensitivity.changed import Changed, Draw, checked_strength, unchanged_apart_from
from fkeax.sensitivity.corpus import Corpus

PERTURBATION = 0.1  # of the median distance to the nearest neighbour


def exact_copies(name: str, key: jax.Array, strength: float, corpus: Corpus, draw: Draw) -> Changed:
    """Return a draw in which a share of the rows, at random places, are rows of the reference.

    The law of one row stays what it was (W2 = 0): no distance of laws can see copies, only the rows' dependence on the
    reference can.
    """
    return _copied(name, key, strength, corpus, draw, 0.0)


def perturbed_copies(name: str, key: jax.Array, strength: float, corpus: Corpus, draw: Draw) -> Changed:
    """Return the same with every copy moved in a random direction.

    By 0.1 of the median distance of a reference row to its nearest neighbour among the others: not at all where half
    of the rows are duplicates.
    """
    if draw.reference is None:
        raise ValueError(_NO_REFERENCE.format(name))
    if draw.reference.shape[0] < 2:
        raise ValueError("reference must have at least 2 rows for perturbed copies; it has 1.")
    nearest = neighbors.nearest(draw.reference, draw.reference, 1, exclude_self=True)[0]
    return _copied(name, key, strength, corpus, draw, PERTURBATION * float(np.median(nearest)))


_NO_REFERENCE = "the change {!r} needs reference, the other sample of the draw."


def _copied(name: str, key: jax.Array, strength: float, corpus: Corpus, draw: Draw, radius: float) -> Changed:
    if draw.reference is None:
        raise ValueError(_NO_REFERENCE.format(name))
    share = checked_strength(strength, largest=1.0)
    number = round(share * draw.rows.shape[0])
    if number > draw.reference.shape[0]:
        raise ValueError(
            f"strength must be at most {draw.reference.shape[0] / draw.rows.shape[0]:.3g} with a reference of "
            f"{draw.reference.shape[0]} rows, none copied twice; got {share:g}."
        )
    random = np.random.default_rng(batching.key_seed(key))
    places = random.permutation(draw.rows.shape[0])[:number]
    sources = random.permutation(draw.reference.shape[0])[:number]
    moves = random.standard_normal((number, corpus.dimension))
    moves *= radius / np.linalg.norm(moves, axis=1, keepdims=True)
    samples = draw.rows.copy()
    samples[places] = draw.reference[sources] + moves
    return unchanged_apart_from(
        draw,
        samples,
        corpus.rho,
        change=name,
        strength=share,
        w2=(number / draw.rows.shape[0]) ** 0.5 * radius,
        w2_kind="upper bound" if radius else "exact",
        details={"num_copied": number, "perturbation": radius},
    )
