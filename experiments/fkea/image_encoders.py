"""The encoders of images that the experiments know: pixels, and EfficientNet-Lite at sizes that a CPU affords.

The paper's DINOv2, SwAV and CLIP are in no package of the index; rows of theirs come in as files of features.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from fkeax.embed import Encoder
    from fkeax.embed.encoder import EncodeBatch

DEPTHS = {"efficientnet-lite0": 1.0, "efficientnet-lite2": 1.2}
SIZES = (64, 96, 128)
NAMES = ("pixels", *DEPTHS, *(f"{name}@{size}" for name in DEPTHS for size in SIZES))


def image_encoder(name: str) -> Encoder:
    """Return an encoder by its name: of `fkeax.embed`, or such as "efficientnet-lite0@96".

    The number is the side to which images are resized before the network, which is made of convolutions and a mean over
    space and so takes any: 96 instead of 224 costs a fifth, and loses what so small images do not have.

    Raises:
        ValueError: There is none of that name.
    """
    from fkeax.embed import find_encoder

    if name not in NAMES:
        raise ValueError(f"encoder must be one of {', '.join(NAMES)}; got {name!r}.")
    base, _, size = name.partition("@")
    return _resized(find_encoder(base), int(size)) if size else find_encoder(base)


def _resized(whole: Encoder, size: int) -> Encoder:
    def load() -> EncodeBatch:
        import jax

        from fkeax.assets import fetch
        from fkeax.embed import efficientnet_lite
        from fkeax.embed.encoder import padded_rows
        from fkeax.embed.images import resize_and_crop

        strides = efficientnet_lite.block_strides(DEPTHS[whole.name])
        (path,) = fetch(whole.assets[0]).values()
        weights = jax.device_put(efficientnet_lite.read_weights(path, len(strides)))

        def encode(batch: Sequence[np.ndarray]) -> np.ndarray:
            images = np.stack([resize_and_crop(image, resize=size, size=size) for image in batch])
            return padded_rows(partial(efficientnet_lite.features, weights, strides=strides), images)

        return encode

    return dataclasses.replace(
        whole,
        name=f"{whole.name}@{size}",
        preprocessing=f"Shorter side to {size} pixels (bicubic), centre {size} x {size}, (value - 127) / 128.",
        load=load,
    )
