"""EfficientNet-Lite0 and Lite2 (Tan and Le 2019; Tan and Liu 2020): 1280 features of an image, trained on ImageNet.

Inverted residual blocks without squeeze-and-excitation, with relu6, as the reference implementation has them:
TensorFlow's SAME padding, batch normalisation with epsilon 1e-3, here folded into the convolutions. The features are
the means over space of the last activations, before the classifier.

Depthwise convolutions are sums of shifted products. XLA on a CPU runs its grouped convolution some ten times slower;
the numbers differ by rounding only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, UInt8

from fkeax.assets import EFFICIENTNET_LITE0, EFFICIENTNET_LITE2, Asset, fetch
from fkeax.embed.encoder import EncodeBatch, Encoder, padded_rows
from fkeax.embed.images import resize_and_crop
from fkeax.numerics.linalg import PRECISION

STAGES = ((1, 1), (2, 2), (2, 2), (3, 2), (3, 1), (4, 2), (1, 1))  # blocks at depth 1, stride of the first
EPSILON = 1e-3
CROP = 0.875  # share of the shorter side that is kept

Weights = dict[str, Any]


def block_strides(depth: float) -> tuple[int, ...]:
    """Return the stride of every block; the first and last stage do not grow with depth.

    Example:
        >>> block_strides(1.0)
        (1, 2, 1, 2, 1, 2, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1)
    """
    strides: list[int] = []
    for place, (num_blocks, first) in enumerate(STAGES):
        num_blocks = num_blocks if place in (0, len(STAGES) - 1) else math.ceil(num_blocks * depth)
        strides += [first] + [1] * (num_blocks - 1)
    return tuple(strides)


def read_weights(path: Path, num_blocks: int) -> Weights:
    """Read the checkpoint and fold every normalisation into the convolution before it."""
    from fkeax.io.torch_files import torch_members

    tensors = {name: np.array(member.load()) for name, member in torch_members(path, mmap=True).items()}

    def folded(convolution: str, normalisation: str) -> tuple[np.ndarray, np.ndarray]:
        mean, variance, gain, bias = (
            tensors[f"{normalisation}.{part}"].astype(np.float64)
            for part in ("running_mean", "running_var", "weight", "bias")
        )
        scale = gain / np.sqrt(variance + EPSILON)
        kernel = tensors[f"{convolution}.weight"].astype(np.float64).transpose(2, 3, 1, 0) * scale
        return kernel.astype(np.float32), (bias - mean * scale).astype(np.float32)

    blocks = []
    for number in range(num_blocks):
        name = f"_blocks.{number}"
        expands = f"{name}._expand_conv.weight" in tensors
        blocks.append(
            {
                "expand": folded(f"{name}._expand_conv", f"{name}._bn0") if expands else None,
                "depthwise": folded(f"{name}._depthwise_conv", f"{name}._bn1"),
                "project": folded(f"{name}._project_conv", f"{name}._bn2"),
            }
        )
    return {
        "stem": folded("_conv_stem", "_bn0"),
        "blocks": blocks,
        "head": folded("_conv_head", "_bn1"),
        "classifier": (tensors["_fc.weight"].T.copy(), tensors["_fc.bias"]),
    }


def _relu6(x: Array) -> Array:
    return jnp.clip(x, 0.0, 6.0)


def _pointwise(x: Array, weights: tuple[Array, Array]) -> Array:
    kernel, bias = weights
    return jnp.einsum("bhwc,cd->bhwd", x, kernel[0, 0], precision=PRECISION) + bias[None, None, None]


def _depthwise(x: Array, weights: tuple[Array, Array], stride: int) -> Array:
    kernel, bias = weights
    side = kernel.shape[0]
    sizes = [-(-length // stride) for length in x.shape[1:3]]
    # TensorFlow's SAME: where the padding is odd, the end gets one more.
    missing = [max((new - 1) * stride + side - old, 0) for new, old in zip(sizes, x.shape[1:3], strict=True)]
    x = jnp.pad(x, ((0, 0), *((total // 2, total - total // 2) for total in missing), (0, 0)))
    rows, columns = ((new - 1) * stride + 1 for new in sizes)
    total = jnp.zeros((x.shape[0], *sizes, x.shape[3]), x.dtype) + bias[None, None, None]
    for i in range(side):
        for j in range(side):
            shifted = x[:, i : i + rows : stride, j : j + columns : stride]
            total = total + shifted * kernel[i, j, 0][None, None, None]
    return total


@partial(jax.jit, static_argnames=("strides",))
def features(
    weights: Weights, images: UInt8[Array, "b height width 3"], *, strides: tuple[int, ...]
) -> Float[Array, "b 1280"]:
    """Return the features of images of the size that the network was trained on."""
    x = (images.astype(jnp.float32) - 127.0) / 128.0
    kernel, bias = weights["stem"]
    x = lax.conv_general_dilated(
        x, kernel, (2, 2), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), precision=PRECISION
    )
    x = _relu6(x + bias[None, None, None])
    for block, stride in zip(weights["blocks"], strides, strict=True):
        h = x if block["expand"] is None else _relu6(_pointwise(x, block["expand"]))
        h = _pointwise(_relu6(_depthwise(h, block["depthwise"], stride)), block["project"])
        x = x + h if stride == 1 and x.shape == h.shape else h
    return _relu6(_pointwise(x, weights["head"])).mean((1, 2))


def class_scores(weights: Weights, rows: Float[np.ndarray, "b 1280"]) -> Float[np.ndarray, "b 1000"]:
    """Return the scores of ImageNet's 1000 classes from features: what the network was trained for."""
    kernel, bias = weights["classifier"]
    return rows @ kernel + bias


def _encoder(name: str, asset: Asset, *, depth: float, size: int) -> Encoder:
    resize = round(size / CROP)
    strides = block_strides(depth)

    def load() -> EncodeBatch:
        (path,) = fetch(asset).values()
        weights = jax.device_put(read_weights(path, len(strides)))

        def encode(batch: Sequence[np.ndarray]) -> np.ndarray:
            images = np.stack([resize_and_crop(image, resize=resize, size=size) for image in batch])
            return padded_rows(partial(features, weights, strides=strides), images)

        return encode

    return Encoder(
        name=name,
        modality="images",
        dimension=1280,
        preprocessing=f"Shorter side to {resize} pixels (bicubic), centre {size} x {size}, (value - 127) / 128.",
        licence=asset.licence,
        load=load,
        assets=(asset,),
    )


LITE0 = _encoder("efficientnet-lite0", EFFICIENTNET_LITE0, depth=1.0, size=224)
LITE2 = _encoder("efficientnet-lite2", EFFICIENTNET_LITE2, depth=1.2, size=260)
