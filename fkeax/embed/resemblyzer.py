"""Resemblyzer's encoder of voices (Wan et al. 2018): 256 features of 1.6 s of speech, of length 1.

Three layers of LSTM over 160 frames of 40 mel powers at 16 kHz. Windows quieter than -30 dBFS are raised to it, as in
the original; its removal of silence is left out, and its averaging over the windows of an utterance is left
to the reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.assets import RESEMBLYZER, fetch
from fkeax.embed.encoder import EncodeBatch, Encoder, Windows, padded_rows
from fkeax.embed.spectrograms import mel_powers, slaney_mel_filters
from fkeax.numerics.linalg import PRECISION

SAMPLE_RATE, HOP, NUM_FFT, NUM_FILTERS, NUM_FRAMES = 16000, 160, 400, 40, 160
NUM_LAYERS, WIDTH = 3, 256
LEVEL = -30.0  # dBFS

Weights = Mapping[str, Any]


def read_weights() -> dict[str, np.ndarray]:
    """Read the checkpoint."""
    from fkeax.io.torch_files import torch_members

    (path,) = fetch(RESEMBLYZER).values()
    members = torch_members(path, mmap=True)
    return {
        name.removeprefix("model_state."): np.array(member.load())
        for name, member in members.items()
        if name.startswith(("model_state.lstm.", "model_state.linear."))
    }


@jax.jit
def features(weights: Weights, x: Float[Array, "b frames bands"]) -> Float[Array, "b 256"]:
    """Return the projected last state, rectified, of length 1."""
    zeros = jnp.zeros((len(x), WIDTH), x.dtype)
    sequence, last = x.swapaxes(0, 1), zeros
    for layer in range(NUM_LAYERS):
        bias = weights[f"lstm.bias_ih_l{layer}"] + weights[f"lstm.bias_hh_l{layer}"]
        driven = jnp.matmul(sequence, weights[f"lstm.weight_ih_l{layer}"].T, precision=PRECISION) + bias[None, None]
        step = partial(_step, weights[f"lstm.weight_hh_l{layer}"])
        (last, _), sequence = lax.scan(step, (zeros, zeros), driven)
    projected = jnp.matmul(last, weights["linear.weight"].T, precision=PRECISION) + weights["linear.bias"][None]
    rectified = jax.nn.relu(projected)
    return rectified / (jnp.linalg.norm(rectified, axis=1, keepdims=True) + 1e-9)


def _step(recurrent: Array, state: tuple[Array, Array], driven: Array) -> tuple[tuple[Array, Array], Array]:
    hidden, memory = state
    gates = driven + jnp.matmul(hidden, recurrent.T, precision=PRECISION)
    admit, forget, candidate, show = jnp.split(gates, 4, axis=-1)
    memory = jax.nn.sigmoid(forget) * memory + jax.nn.sigmoid(admit) * jnp.tanh(candidate)
    hidden = jax.nn.sigmoid(show) * jnp.tanh(memory)
    return (hidden, memory), hidden


def spectrograms(batch: Sequence[np.ndarray]) -> Float[np.ndarray, "b frames bands"]:
    """Return what the network reads of windows of 1.6 s."""
    signals = np.stack(batch)
    level = 10 * np.log10(np.square(signals).mean(axis=1, keepdims=True) + np.float32(1e-12))
    signals = signals * 10 ** (np.maximum(np.float32(LEVEL) - level, 0) / np.float32(20))
    filters = slaney_mel_filters(SAMPLE_RATE, NUM_FFT, NUM_FILTERS)
    return mel_powers(signals, filters, hop=HOP, num_frames=NUM_FRAMES)


def _load() -> EncodeBatch:
    weights = jax.device_put(read_weights())
    return lambda batch: padded_rows(partial(features, weights), spectrograms(batch))


ENCODER = Encoder(
    name="resemblyzer",
    modality="sounds",
    dimension=256,
    preprocessing="Mono, 16 kHz, windows of 1.6 s, at least -30 dBFS; 160 frames of 40 mel powers; length 1.",
    licence=RESEMBLYZER.licence,
    load=_load,
    assets=(RESEMBLYZER,),
    windows=Windows(SAMPLE_RATE, NUM_FRAMES * HOP),
)
