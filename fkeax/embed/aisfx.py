"""aiSFX (Ma and Lerch, ISMIR 2022): 512 features of 2.3 s of sound, from a network trained on sound effects.

Reads 100 frames of 96 mel bands (HTK), log10(10000 power + 1) over 9.458, at 44.1 kHz, of a window scaled to a peak of
1. The original scales the whole file and lets windows overlap by half; here a window is scaled alone and
follows the last.
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

from fkeax.assets import AISFX, fetch
from fkeax.embed.encoder import EncodeBatch, Encoder, Windows, padded_rows
from fkeax.embed.spectrograms import htk_mel_filters, mel_powers
from fkeax.numerics.linalg import PRECISION

SAMPLE_RATE, HOP, NUM_FFT, NUM_FILTERS, NUM_FRAMES = 44100, 1024, 2048, 96, 100
LARGEST = 9.457798957824707  # of the training data, as the package has it
EPSILON = 1e-5

Weights = Mapping[str, Any]


def read_weights() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return kernel and bias of each convolution, its normalisation folded in."""
    from fkeax.io.torch_files import torch_members

    (path,) = fetch(AISFX).values()
    found = {name.partition(".embedding_net.")[2]: member for name, member in torch_members(path, mmap=True).items()}
    weights = {}
    for block in (1, 2, 3, 4):
        for number in (1, 2):
            kernel, gain, bias, mean, variance = (
                np.array(found[f"conv_block{block}.{part}"].load(), dtype=np.float64)
                for part in (
                    f"conv{number}.weight",
                    *(f"bn{number}.{name}" for name in ("weight", "bias", "running_mean", "running_var")),
                )
            )
            scale = gain / np.sqrt(variance + EPSILON)
            folded = kernel.transpose(2, 3, 1, 0) * scale, bias - mean * scale
            weights[f"{block}{number}"] = (folded[0].astype(np.float32), folded[1].astype(np.float32))
    return weights


@jax.jit
def features(weights: Weights, x: Float[Array, "b frames bands"]) -> Float[Array, "b 512"]:
    """Return the last activations, their mean over bands and maximum over time."""
    h = x[..., None]
    for block in (1, 2, 3, 4):
        for number in (1, 2):
            kernel, bias = weights[f"{block}{number}"]
            h = lax.conv_general_dilated(
                h, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), precision=PRECISION
            )
            h = jax.nn.relu(h + bias[None, None, None])
        if block < 4:
            h = lax.reduce_window(h, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return h.mean(2).max(1)


def spectrograms(batch: Sequence[np.ndarray]) -> Float[np.ndarray, "b frames bands"]:
    """Return what the network reads of windows of 2.3 s."""
    signals = np.stack(batch)
    peaks = np.abs(signals).max(axis=1, keepdims=True)
    signals = signals / np.where(peaks > 0, peaks, np.float32(1))
    powers = mel_powers(signals, htk_mel_filters(SAMPLE_RATE, NUM_FFT, NUM_FILTERS), hop=HOP, num_frames=NUM_FRAMES)
    return np.log10(np.float32(10000) * powers + np.float32(1)) / np.float32(LARGEST)


def _load() -> EncodeBatch:
    weights = jax.device_put(read_weights())
    return lambda batch: padded_rows(partial(features, weights), spectrograms(batch))


ENCODER = Encoder(
    name="aisfx",
    modality="sounds",
    dimension=512,
    preprocessing="Mono, 44.1 kHz, windows of 2.3 s scaled to a peak of 1; 100 frames of 96 mel bands, logarithm.",
    licence=AISFX.licence,
    load=_load,
    assets=(AISFX,),
    windows=Windows(SAMPLE_RATE, NUM_FRAMES * HOP),
)
