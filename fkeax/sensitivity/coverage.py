"""Coverage loss: rows of one mode deleted and refilled, four ways."""

from __future__ import annotations

import jax
import numpy as np

from fkeax.numerics import batching
from fkeax.numerics.assignment import cheapest_matching
from fkeax.sensitivity.changed import Changed, Draw, InfeasibleChange, checked_strength, unchanged_apart_from
from fkeax.sensitivity.corpus import Corpus
from fkeax.sensitivity.modes import mode_centres, nearest_mode

MAX_MATCHED = 2000  # rows; beyond, the bound on W2 pairs refills with removed rows as they come


def drop_refilled(name: str, key: jax.Array, strength: float, corpus: Corpus, draw: Draw) -> Changed:
    """Return a draw that lost a share s of its rows of the largest mode, refilled from the rest with replacement.

    A half of the mode is s = 0.5. Refills repeat rows: duplicates alone can set off a test with a narrow kernel.
    """
    return _dropped(name, key, strength, corpus, draw, mode=_largest_mode(corpus), from_reserve=False)


def drop_reserve(name: str, key: jax.Array, strength: float, corpus: Corpus, draw: Draw) -> Changed:
    """Return the same, refilled from rows not drawn, from whose mode the same share is left out: no duplicates."""
    if draw.reserve is None:
        raise InfeasibleChange(f"the change {name!r} needs reserve, rows that were not drawn.")
    return _dropped(name, key, strength, corpus, draw, mode=_largest_mode(corpus), from_reserve=True)


def drop_mean_matched(name: str, key: jax.Array, strength: float, corpus: Corpus, draw: Draw) -> Changed:
    """Return the same, shifted back to the mean of the draw: coverage loss that no mean shows.

    Refilled from the reserve where there is one, else with replacement; ``details["refill"]`` says which.
    """
    from_reserve = draw.reserve is not None
    mode = _largest_mode(corpus)
    return _dropped(name, key, strength, corpus, draw, mode=mode, from_reserve=from_reserve, match_mean=True)


def drop_least(name: str, key: jax.Array, strength: float, corpus: Corpus, draw: Draw) -> Changed:
    """Return a draw that lost rows of the mode whose loss moves the mean least, refilled as the mean-matched one."""
    from_reserve = draw.reserve is not None
    mode = _least_displacing_mode(strength, corpus)
    return _dropped(name, key, strength, corpus, draw, mode=mode, from_reserve=from_reserve)


def _largest_mode(corpus: Corpus) -> int:
    return int(mode_centres(corpus)[1].argmax())


def _least_displacing_mode(strength: float, corpus: Corpus) -> int:
    """Without a share s of a mode of share p and centre c the mean moves by ``s p (mu - c) / (1 - s p)``."""
    centres, shares = mode_centres(corpus)
    lost = checked_strength(strength, largest=1.0) * shares
    moves = lost / np.maximum(1.0 - lost, 1e-12) * np.linalg.norm(centres - corpus.mean, axis=1)
    return int(np.where(shares > 0, moves, np.inf).argmin())


def _dropped(
    name: str,
    key: jax.Array,
    strength: float,
    corpus: Corpus,
    draw: Draw,
    *,
    mode: int,
    from_reserve: bool,
    match_mean: bool = False,
) -> Changed:
    share = checked_strength(strength, largest=1.0)
    random = np.random.default_rng(batching.key_seed(key))
    labels = nearest_mode(draw.rows, corpus)
    removed, kept = _split(random, labels == mode, share)
    if from_reserve:
        refills = _from_reserve(random, draw, corpus, mode, share, removed.size)
    elif kept.size or not removed.size:
        refills = draw.rows[random.choice(kept, removed.size)] if removed.size else draw.rows[:0]
    else:
        raise ValueError("strength must be below 1 where all rows of the draw belong to the mode that is dropped.")
    samples = draw.rows.copy()
    if 0 < removed.size <= MAX_MATCHED:
        costs = np.square(draw.rows[removed]).sum(axis=1)[:, None] + np.square(refills).sum(axis=1)[None, :]
        refills = refills[cheapest_matching(costs - 2 * draw.rows[removed] @ refills.T)[1]]
    samples[removed] = refills
    if match_mean:
        samples += draw.rows.mean(axis=0) - samples.mean(axis=0)
    after = labels.copy()
    after[removed] = nearest_mode(refills, corpus)
    return unchanged_apart_from(
        draw,
        samples,
        corpus.rho,
        change=name,
        strength=share,
        w2=float(np.square(samples - draw.rows).sum(axis=1).mean()) ** 0.5,
        w2_kind="upper bound",
        details={
            "mode": mode,
            "num_removed": int(removed.size),
            "refill": "rows not drawn" if from_reserve else "with replacement from the rest",
        },
        labels=(labels, after, mode_centres(corpus)[0].shape[0]),
    )


def _split(random: np.random.Generator, in_mode: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the row numbers of a random share of a mode's rows, and those of all other rows."""
    members = np.flatnonzero(in_mode)
    removed = np.sort(random.permutation(members)[: round(share * members.size)])
    return removed, np.setdiff1d(np.arange(in_mode.size), removed)


def _from_reserve(
    random: np.random.Generator, draw: Draw, corpus: Corpus, mode: int, share: float, number: int
) -> np.ndarray:
    """Return rows of the reserve, none twice, after a share of its rows of the mode was left out."""
    reserve = draw.rows[:0] if draw.reserve is None else draw.reserve
    available = _split(random, nearest_mode(reserve, corpus) == mode, share)[1]
    if available.size < number:
        raise InfeasibleChange(
            f"reserve must hold at least {number} rows to refill from; after the loss of the mode it has "
            f"{available.size}."
        )
    return reserve[random.permutation(available)[:number]]
