"""all-MiniLM-L6-v2 (sentence-transformers; Wang et al. 2020): 384 features of a text, of length 1.

A BERT of 6 layers, 12 heads and width 384; the features are the mean of its last states over the tokens of the text,
normalised. Texts are cut at 256 tokens, as the model's own settings say.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from fkeax.assets import ALL_MINILM_L6_V2, fetch
from fkeax.embed.encoder import EncodeBatch, Encoder, padded_rows
from fkeax.numerics.linalg import PRECISION

NUM_LAYERS, NUM_HEADS = 6, 12
MOST_TOKENS = 256
LENGTH_STEP = 32  # token counts are padded to multiples of this: at most 8 shapes to compile
EPSILON = 1e-12

Weights = dict[str, Any]


def read_weights(path: Path) -> Weights:
    """Read the float32 tensors of the checkpoint."""
    from fkeax.io.safetensors_files import safetensors_members

    members = safetensors_members(path, mmap=True)
    return {name: np.array(member.load()) for name, member in members.items() if member.dtype == np.float32}


def _linear(weights: Weights, name: str, x: Array) -> Array:
    product = jnp.einsum("btc,dc->btd", x, weights[f"{name}.weight"], precision=PRECISION)
    return product + weights[f"{name}.bias"][None, None]


def _normalised(weights: Weights, name: str, x: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / jnp.sqrt(jnp.square(centred).mean(-1, keepdims=True) + EPSILON)
    return scaled * weights[f"{name}.weight"][None, None] + weights[f"{name}.bias"][None, None]


def _attention(weights: Weights, name: str, x: Array, bias: Array) -> Array:
    batch, length, width = x.shape
    query, key, value = (
        _linear(weights, f"{name}.self.{part}", x).reshape(batch, length, NUM_HEADS, -1)
        for part in ("query", "key", "value")
    )
    logits = jnp.einsum("bqhd,bkhd->bhqk", query, key, precision=PRECISION) / (width / NUM_HEADS) ** 0.5
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(logits + bias, axis=-1), value, precision=PRECISION)
    return _linear(weights, f"{name}.output.dense", mixed.reshape(batch, length, width))


@jax.jit
def features(weights: Weights, tokens: Int[Array, "b length"], mask: Float[Array, "b length"]) -> Float[Array, "b 384"]:
    """Return the features of texts given by their tokens; the mask is 0 on padding."""
    places = weights["embeddings.position_embeddings.weight"][: tokens.shape[1]]
    x = weights["embeddings.word_embeddings.weight"][tokens] + places[None]
    x = _normalised(
        weights, "embeddings.LayerNorm", x + weights["embeddings.token_type_embeddings.weight"][0][None, None]
    )
    bias = (1.0 - mask)[:, None, None] * -1e9
    for number in range(NUM_LAYERS):
        layer = f"encoder.layer.{number}"
        attended = _attention(weights, f"{layer}.attention", x, bias)
        x = _normalised(weights, f"{layer}.attention.output.LayerNorm", x + attended)
        inner = jax.nn.gelu(_linear(weights, f"{layer}.intermediate.dense", x), approximate=False)
        x = _normalised(weights, f"{layer}.output.LayerNorm", x + _linear(weights, f"{layer}.output.dense", inner))
    mean = (x * mask[..., None]).sum(1) / mask.sum(1)[:, None]
    return mean / jnp.linalg.norm(mean, axis=-1, keepdims=True)


def _load() -> EncodeBatch:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise ImportError(
            "all-minilm-l6-v2 needs the package tokenizers; install it with `pip install 'fkeax[encoders]'`."
        ) from None
    model, vocabulary = (path for _, path in sorted(fetch(ALL_MINILM_L6_V2).items()))
    tokenizer = Tokenizer.from_file(str(vocabulary))
    tokenizer.enable_truncation(MOST_TOKENS)
    tokenizer.no_padding()
    weights = jax.device_put(read_weights(model))

    def encode(batch: Sequence[str]) -> np.ndarray:
        return _encode(tokenizer, partial(features, weights), batch)

    return encode


def _encode(tokenizer: Any, network: Any, batch: Sequence[str]) -> np.ndarray:
    encoded = [entry.ids for entry in tokenizer.encode_batch(list(batch))]
    # Texts of like length go through together, so that a long one does not lengthen all.
    lengths = np.array([-(-len(ids) // LENGTH_STEP) * LENGTH_STEP for ids in encoded])
    rows = np.zeros((len(batch), 384), np.float32)
    for length in np.unique(lengths):
        (chosen,) = np.nonzero(lengths == length)
        tokens, mask = np.zeros((len(chosen), length), np.int32), np.zeros((len(chosen), length), np.float32)
        for row, place in enumerate(chosen):
            tokens[row, : len(encoded[place])] = encoded[place]
            mask[row, : len(encoded[place])] = 1
        rows[chosen] = padded_rows(network, tokens, mask)
    return rows


MINILM = Encoder(
    name="all-minilm-l6-v2",
    modality="texts",
    dimension=384,
    preprocessing=f"Lower case, word pieces, cut at {MOST_TOKENS} tokens; mean over tokens, length 1.",
    licence=ALL_MINILM_L6_V2.licence,
    load=_load,
    assets=(ALL_MINILM_L6_V2,),
)
