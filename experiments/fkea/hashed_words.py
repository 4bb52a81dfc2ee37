"""An encoder of texts that needs no weights: hashed counts of words, of length 1. For smoke tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fkeax.embed import Encoder
from fkeax.embed.encoder import EncodeBatch

NUM_BUCKETS = 256


def _load() -> EncodeBatch:
    from sklearn.feature_extraction.text import HashingVectorizer

    counter = HashingVectorizer(n_features=NUM_BUCKETS, stop_words="english", alternate_sign=False, norm="l2")

    def encode(batch: Sequence[str]) -> np.ndarray:
        counts: Any = counter.transform(batch)
        return counts.toarray().astype(np.float32)

    return encode


HASHED_WORDS = Encoder(
    name="hashed-words",
    modality="texts",
    dimension=NUM_BUCKETS,
    preprocessing="English words without stop words, counted in 256 hashed buckets, length 1.",
    licence="BSD 3-Clause (scikit-learn).",
    load=_load,
)
