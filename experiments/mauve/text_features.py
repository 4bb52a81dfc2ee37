"""Embeddings of texts: two sentence encoders, a bag of characters, and the hidden states of a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.mauve.corpus import content_of
from experiments.mauve.gpt import END, GPT
from experiments.mauve.language_models import LanguageModel
from experiments.schema import Config
from experiments.stages import stage

MINILM, USE, CHARACTERS = "all-minilm-l6-v2", "use-multilingual", "characters"
ENCODERS = {MINILM: "mauve-minilm", USE: "mauve-use"}
"""Sentence encoders, and the stages that keep what they found."""
EMBEDDINGS = (*ENCODERS, CHARACTERS)
BATCH = 64


def check_embedding(embedding: str, name: str = "params.embedding") -> None:
    """Refuse what is no embedding of texts.

    Raises:
        ValueError: No such embedding.
    """
    if embedding not in EMBEDDINGS:
        raise ValueError(f"{name} must be one of {', '.join(EMBEDDINGS)}; got {embedding!r}.")


def text_features(config: Config, embedding: str, texts: Sequence[str]) -> np.ndarray:
    """Return one row for each text, from the stage of these texts or computed now.

    Args:
        config: Of the run.
        embedding: "all-minilm-l6-v2" or "use-multilingual", sentence encoders; or "characters", how often each byte
            occurs.
        texts: An empty one is embedded as a full stop: an encoder has nothing to average otherwise.

    Raises:
        ValueError: No such embedding.
        AssetError: Weights could not be fetched.
    """
    check_embedding(embedding)
    if embedding == CHARACTERS:
        return byte_frequencies(texts)
    given = tuple(text if text.strip() else "." for text in texts)
    unique = tuple(dict.fromkeys(given))  # greedy decoding repeats itself

    def compute(_: Path) -> dict[str, np.ndarray]:
        from fkeax.embed import find_encoder

        encode = find_encoder(embedding).load()
        parts = [encode(list(unique[start : start + BATCH])) for start in range(0, len(unique), BATCH)]
        return {"rows": np.concatenate(parts)}

    rows = stage(config, ENCODERS[embedding], {"texts": content_of(unique), "version": 1}, compute)["rows"]
    place = {text: number for number, text in enumerate(unique)}
    return rows[[place[text] for text in given]]


def byte_frequencies(texts: Sequence[str]) -> np.ndarray:
    """Return how often each of the 256 bytes occurs in each text, as a share of its bytes: (n, 256)."""
    counts = np.stack([np.bincount(np.frombuffer(text.encode() or b".", np.uint8), minlength=256) for text in texts])
    return (counts / counts.sum(axis=1, keepdims=True)).astype(np.float32)


def hidden_states(model: LanguageModel, rows: np.ndarray) -> np.ndarray:
    """Return the mean of a model's last hidden states over each document of pieces, (n, width)."""
    found = []
    for start in range(0, len(rows), BATCH):
        part = np.full((BATCH, rows.shape[1]), END, np.int32)
        part[: len(rows[start : start + BATCH])] = rows[start : start + BATCH]
        found.append(np.asarray(_mean_states(GPT(model.shape), model.weights, jnp.asarray(part))))
    return np.concatenate(found)[: len(rows)]


@jax.jit(static_argnums=0)
def _mean_states(model: GPT, weights: Mapping[str, Any], pieces: jax.Array) -> jax.Array:
    states: jax.Array = model.apply(weights, pieces, method=GPT.hidden_states)  # type: ignore[assignment]
    real = jnp.cumsum(pieces == END, axis=1) == 0
    share = real / jnp.maximum(jnp.sum(real, axis=1, keepdims=True), 1)
    return jnp.sum(states * share[:, :, None], axis=1)
