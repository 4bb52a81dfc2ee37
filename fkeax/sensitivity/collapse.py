"""Intra-mode collapse ``c_k + (1 - s)(y - c_k)``: rows drawn toward the mean of their mode."""

from __future__ import annotations

import jax
import numpy as np

from fkeax.numerics.grouped import grouped_row_sums
from fkeax.sensitivity.changed import Changed, Draw, checked_strength, unchanged_apart_from
from fkeax.sensitivity.corpus import Corpus
from fkeax.sensitivity.modes import mode_centres, nearest_mode


def collapse(name: str, key: jax.Array, strength: float, corpus: Corpus, draw: Draw) -> Changed:
    """Return a draw whose rows lie closer, by a share s, to the mean of the draw's own rows of their mode.

    The means of the modes, and so the mean, stay; the trace falls by ``1 - (1 - s)^2`` of the part within modes. The
    root mean square displacement bounds W2 from above.
    """
    del key
    share = checked_strength(strength, largest=1.0)
    num_modes = mode_centres(corpus)[0].shape[0]
    labels = nearest_mode(draw.rows, corpus)
    counts = np.bincount(labels, minlength=num_modes)
    sums = grouped_row_sums(draw.rows - corpus.mean, labels, num_modes)
    centres = corpus.mean + sums / np.maximum(counts, 1)[:, None]
    moved = share * (centres[labels] - draw.rows)
    samples = draw.rows + moved
    within = float(np.square(draw.rows - centres[labels]).sum() / np.square(draw.rows - draw.rows.mean(axis=0)).sum())
    return unchanged_apart_from(
        draw,
        samples,
        corpus.rho,
        change=name,
        strength=share,
        w2=float(np.square(moved).sum(axis=1).mean()) ** 0.5,
        w2_kind="upper bound",
        details={"share_of_trace_within_modes": within},
        labels=(labels, nearest_mode(samples, corpus), num_modes),
    )
