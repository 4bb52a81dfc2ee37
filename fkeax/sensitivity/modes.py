"""Which mode of the corpus a row belongs to."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from fkeax.sensitivity.corpus import Corpus


def mode_centres(corpus: Corpus) -> tuple[Float[np.ndarray, "k d"], Float[np.ndarray, "k"]]:
    """Return the centres and the shares of the modes.

    Raises:
        ValueError: If the corpus was described without modes.
    """
    if corpus.centres is None or corpus.mode_shares is None:
        raise ValueError("corpus must have modes for this change: describe it with num_modes above 0.")
    return corpus.centres, corpus.mode_shares


def nearest_mode(rows: Float[np.ndarray, "n d"], corpus: Corpus) -> Int[np.ndarray, "n"]:
    """Return the number of the nearest centre of each row."""
    centres = mode_centres(corpus)[0] - corpus.mean
    scores = (rows - corpus.mean) @ centres.T - np.square(centres).sum(axis=1) / 2
    return scores.argmax(axis=1)
