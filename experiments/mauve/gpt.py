"""A small GPT: causal attention over word pieces, with a step that keeps the keys and values of the past."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp
from flax import linen
from jax import Array

END = 0  # the word piece that begins and ends every document


@dataclass(frozen=True)
class Shape:
    """Sizes of a GPT.

    Attributes:
        width: Of the hidden states.
        depth: Number of blocks.
        heads: Of the attention; they divide the width.
        vocabulary: Number of word pieces.
        context: Number of positions.
    """

    width: int
    depth: int
    heads: int
    vocabulary: int
    context: int


# About 0.3, 1 and 3 million parameters; "tiny" is for tests of the machinery.
SHAPES = {
    "tiny": Shape(width=32, depth=2, heads=2, vocabulary=320, context=48),
    "small": Shape(width=64, depth=3, heads=4, vocabulary=2048, context=64),
    "medium": Shape(width=128, depth=4, heads=4, vocabulary=2048, context=64),
    "large": Shape(width=192, depth=6, heads=6, vocabulary=2048, context=64),
}


class Block(linen.Module):
    """Attention and a two-layer network, each added to its normalised input."""

    shape: Shape

    def setup(self) -> None:
        """Name the layers."""
        small = linen.initializers.normal(0.02)
        smaller = linen.initializers.normal(0.02 / (2 * self.shape.depth) ** 0.5)
        width = self.shape.width
        self.attention_norm = linen.RMSNorm()
        self.queries_keys_values = linen.Dense(3 * width, use_bias=False, kernel_init=small)
        self.attended = linen.Dense(width, use_bias=False, kernel_init=smaller)
        self.network_norm = linen.RMSNorm()
        self.up = linen.Dense(4 * width, use_bias=False, kernel_init=small)
        self.down = linen.Dense(width, use_bias=False, kernel_init=smaller)

    def _split(self, hidden: Array) -> tuple[Array, Array, Array]:
        """Return queries, keys and values, heads apart, from (..., width) to (..., heads, width / heads)."""
        parts = self.queries_keys_values(self.attention_norm(hidden))
        heads = parts.reshape(*parts.shape[:-1], 3, self.shape.heads, self.shape.width // self.shape.heads)
        return heads[..., 0, :, :], heads[..., 1, :, :], heads[..., 2, :, :]

    def _finish(self, hidden: Array, mixed: Array) -> Array:
        hidden = hidden + self.attended(mixed.reshape(hidden.shape))
        return hidden + self.down(jax.nn.gelu(self.up(self.network_norm(hidden))))

    def __call__(self, hidden: Array) -> Array:
        """Return the next hidden states of whole documents, (b, t, width)."""
        queries, keys, values = self._split(hidden)
        scores = jnp.einsum("bqhc,bkhc->bhqk", queries, keys) * queries.shape[-1] ** -0.5
        length = hidden.shape[1]
        causal = jnp.tril(jnp.ones((length, length), bool))[None, None]
        weights = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1)
        return self._finish(hidden, jnp.einsum("bhqk,bkhc->bqhc", weights, values))

    def step(self, hidden: Array, cache: Array, position: Array) -> tuple[Array, Array]:
        """Return the next hidden states at one position, (b, width), and the cache (2, b, t, heads, c) with it."""
        queries, keys, values = self._split(hidden)
        new = jnp.stack([keys, values])[:, :, None]
        cache = jax.lax.dynamic_update_slice(cache, new, (0, 0, position, 0, 0))
        scores = jnp.einsum("bhc,bkhc->bhk", queries, cache[0]) * queries.shape[-1] ** -0.5
        past = (jnp.arange(cache.shape[2]) <= position)[None, None]
        weights = jax.nn.softmax(jnp.where(past, scores, -jnp.inf), axis=-1)
        return self._finish(hidden, jnp.einsum("bhk,bkhc->bhc", weights, cache[1])), cache


class GPT(linen.Module):
    """Logits of the next word piece; the embedding of pieces is the output layer too."""

    shape: Shape

    def setup(self) -> None:
        """Name the layers."""
        small = linen.initializers.normal(0.02)
        self.pieces = self.param("pieces", small, (self.shape.vocabulary, self.shape.width))
        self.positions = self.param("positions", small, (self.shape.context, self.shape.width))
        self.blocks = [Block(self.shape) for _ in range(self.shape.depth)]
        self.norm = linen.RMSNorm()

    def _logits(self, hidden: Array) -> Array:
        return self.norm(hidden) @ self.pieces.T

    def hidden_states(self, pieces: Array) -> Array:
        """Return the hidden states after the last block, normalised, of documents (b, t)."""
        hidden = self.pieces[pieces] + self.positions[None, : pieces.shape[1]]
        for block in self.blocks:
            hidden = block(hidden)
        return self.norm(hidden)

    def __call__(self, pieces: Array) -> Array:
        """Return the logits of the piece after each, (b, t, vocabulary)."""
        return self.hidden_states(pieces) @ self.pieces.T

    def step(self, pieces: Array, caches: Array, position: Array) -> tuple[Array, Array]:
        """Return the logits after the pieces (b,) at one position, and the caches of all blocks with that position."""
        hidden = self.pieces[pieces] + self.positions[position][None]
        kept = []
        for block, cache in zip(self.blocks, caches, strict=True):
            hidden, cache = block.step(hidden, cache, position)
            kept.append(cache)
        return self._logits(hidden), jnp.stack(kept)


def empty_caches(shape: Shape, num_documents: int, length: int) -> Array:
    """Return the caches of all blocks before the first step: (depth, 2, documents, length, heads, width / heads)."""
    return jnp.zeros((shape.depth, 2, num_documents, length, shape.heads, shape.width // shape.heads))
