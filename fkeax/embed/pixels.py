"""The pixels themselves: no network."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from fkeax.embed.encoder import EncodeBatch, Encoder


def _load() -> EncodeBatch:
    def encode(batch: Sequence[np.ndarray]) -> np.ndarray:
        shapes = {image.shape for image in batch}
        if len(shapes) > 1:
            first, second, *_ = sorted(shapes)
            raise ValueError(
                f"the images have different sizes, {first[1]} x {first[0]} and {second[1]} x {second[0]}; pixels are "
                "features only of images of one size."
            )
        return np.stack(batch).reshape(len(batch), -1).astype(np.float32) / np.float32(255)

    return encode


PIXELS = Encoder(
    name="pixels",
    modality="images",
    dimension=None,
    preprocessing="Red, green and blue in [0, 1], row by row; all images must have one size.",
    licence="None needed.",
    load=_load,
)
