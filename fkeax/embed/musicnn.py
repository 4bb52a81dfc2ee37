"""musicnn and its VGG (Pons and Serra 2019): features of 3 s of music, from networks trained to name its tags.

Both read 187 frames of 96 mel bands, log10(10000 power + 1), at 16 kHz. musicnn's features are the 200 activations
before the tags; the VGG's are the 256 of its fifth pooling. Spectrograms belong to a window alone: the original cuts
windows out of the spectrogram of the whole track, which differs in the frames at their ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from fkeax.assets import MUSICNN_MSD, MUSICNN_MTT, VGG_MSD, VGG_MTT, Asset, fetch
from fkeax.embed.encoder import EncodeBatch, Encoder, Windows, padded_rows
from fkeax.embed.spectrograms import mel_powers, slaney_mel_filters
from fkeax.embed.tensor_bundle import read_tensor_bundle
from fkeax.numerics.linalg import PRECISION

SAMPLE_RATE, HOP, NUM_FFT, NUM_FILTERS, NUM_FRAMES = 16000, 256, 512, 96, 187
EPSILON = 1e-3
POOLS = (((4, 1), (2, 2)), ((2, 2), (2, 2)), ((2, 2), (2, 2)), ((2, 2), (2, 2)), ((4, 4), (4, 4)))

Weights = Mapping[str, Any]


def _normalised(weights: Weights, x: Array, number: int) -> Array:
    name = "batch_normalization" + (f"_{number}" if number else "")
    scale = weights[f"{name}/gamma"] / jnp.sqrt(weights[f"{name}/moving_variance"] + EPSILON)
    shift = weights[f"{name}/beta"] - weights[f"{name}/moving_mean"] * scale
    ones = (1,) * (x.ndim - 1)
    return x * scale.reshape(*ones, -1) + shift.reshape(*ones, -1)


def _convolution(weights: Weights, x: Array, name: str, padding: str) -> Array:
    out = lax.conv_general_dilated(
        x,
        weights[f"{name}/kernel"],
        (1, 1),
        padding,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
        precision=PRECISION,
    )
    return jax.nn.relu(out + weights[f"{name}/bias"][None, None, None])


@jax.jit
def musicnn_features(weights: Weights, x: Float[Array, "b frames bands"]) -> Float[Array, "b 200"]:
    """Return the activations before the tags."""
    z = _normalised(weights, x[..., None], 0)
    tall = jnp.pad(z, ((0, 0), (3, 3), (0, 0), (0, 0)))
    timbre = [(tall, "conv2d", "VALID", 1), (tall, "conv2d_1", "VALID", 2)]
    rhythm = [(z, f"conv2d_{number}", "SAME", number + 1) for number in (2, 3, 4)]
    front = jnp.concatenate(
        [
            _normalised(weights, _convolution(weights, part, name, padding), number).max(2)
            for part, name, padding, number in (*timbre, *rhythm)
        ],
        axis=2,
    )

    def middle(h: Array, number: int) -> Array:
        wide = jnp.pad(h, ((0, 0), (3, 3), (0, 0)))[..., None]
        return _normalised(weights, _convolution(weights, wide, f"conv2d_{number}", "VALID"), number + 1)[:, :, 0]

    first = middle(front, 5)
    second = middle(first, 6) + first
    third = middle(second, 7) + second
    whole = jnp.concatenate([front, first, second, third], axis=2)
    pooled = jnp.stack([whole.max(1), whole.mean(1)], axis=-1).reshape(len(whole), -1)  # maximum, mean, in turn
    dense = jnp.matmul(_normalised(weights, pooled, 9), weights["dense/kernel"], precision=PRECISION)
    return _normalised(weights, jax.nn.relu(dense + weights["dense/bias"][None]), 10)


@jax.jit
def vgg_features(weights: Weights, x: Float[Array, "b frames bands"]) -> Float[Array, "b 256"]:
    """Return the activations after the fifth pooling."""
    h = _normalised(weights, x[..., None], 0)
    for number, (size, stride) in enumerate(POOLS, start=1):
        h = _normalised(weights, _convolution(weights, h, f"{number}CNN", "SAME"), number)
        h = lax.reduce_window(h, -jnp.inf, lax.max, (1, *size, 1), (1, *stride, 1), "VALID")
    return h.reshape(len(h), -1)


def tag_scores(weights: Weights, rows: Float[np.ndarray, "b d"]) -> Float[np.ndarray, "b tags"]:
    """Return the logits of the 50 tags from features: what the networks were trained for."""
    name = "dense_1" if "dense_1/kernel" in weights else "dense"
    return rows @ np.asarray(weights[f"{name}/kernel"]) + np.asarray(weights[f"{name}/bias"])


def read_weights(asset: Asset) -> dict[str, np.ndarray]:
    """Read a checkpoint without what only training needs."""
    index, data = fetch(asset).values()
    tensors = read_tensor_bundle(index, data)
    return {name: value for name, value in tensors.items() if "Adam" not in name and "power" not in name}


def log_spectrograms(batch: Sequence[np.ndarray]) -> Float[np.ndarray, "b frames bands"]:
    """Return what the networks read of windows of 3 s."""
    filters = slaney_mel_filters(SAMPLE_RATE, NUM_FFT, NUM_FILTERS)
    powers = mel_powers(np.stack(batch), filters, hop=HOP, num_frames=NUM_FRAMES)
    return np.log10(np.float32(10000) * powers + np.float32(1))


def _encoder(name: str, asset: Asset, network: Callable[..., Any], dimension: int) -> Encoder:
    def load() -> EncodeBatch:
        weights = jax.device_put(read_weights(asset))
        return lambda batch: padded_rows(partial(network, weights), log_spectrograms(batch))

    return Encoder(
        name=name,
        modality="sounds",
        dimension=dimension,
        preprocessing="Mono, 16 kHz, windows of 3 s; 187 frames of 96 mel bands, log10(10000 power + 1).",
        licence=asset.licence,
        load=load,
        assets=(asset,),
        windows=Windows(SAMPLE_RATE, 3 * SAMPLE_RATE),
    )


MTT = _encoder("musicnn-mtt", MUSICNN_MTT, musicnn_features, 200)
MSD = _encoder("musicnn-msd", MUSICNN_MSD, musicnn_features, 200)
MTT_VGG = _encoder("musicnn-vgg-mtt", VGG_MTT, vgg_features, 256)
MSD_VGG = _encoder("musicnn-vgg-msd", VGG_MSD, vgg_features, 256)
