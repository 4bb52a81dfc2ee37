"""Any ONNX model of one image input, run by onnxruntime (the extra `onnx`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fkeax.embed.encoder import EncodeBatch, Encoder
from fkeax.embed.images import resize_and_crop
from fkeax.io import sha256_of_file

DEFAULT_SIDE = 224


def onnx_encoder(path: Path) -> Encoder:
    """Return the encoder of a model file; its first input takes images, its first output gives the features.

    Pixels are scaled to [0, 1] and nothing else; a model that wants another scale has it inside, or is called by a
    function of the user's. The input is float32, (b, 3, height, width) or (b, height, width, 3); sides that the file
    leaves open are 224. Axes of length 1 of the output are dropped.

    Args:
        path: A .onnx file.

    Raises:
        OSError: There is no such file.
    """
    if not path.is_file():
        raise FileNotFoundError(f"model {str(path)!r} does not exist; expected an ONNX file.")
    return Encoder(
        name=path.name,
        modality="images",
        dimension=None,
        preprocessing="Shorter side to the model's, centre cut out, red, green and blue in [0, 1].",
        licence="The user's own.",
        load=lambda: _load(path),
        fingerprint=sha256_of_file(path),
    )


def _load(path: Path) -> EncodeBatch:
    try:
        import onnxruntime
    except ImportError:
        raise ImportError(
            f"the model {str(path)!r} needs the package onnxruntime; install it with `pip install 'fkeax[onnx]'`."
        ) from None
    try:
        session = onnxruntime.InferenceSession(str(path), providers=onnxruntime.get_available_providers())
    except Exception as error:  # onnxruntime's own classes, which differ from version to version
        raise ValueError(f"{str(path)!r} is no ONNX model that onnxruntime can run: {error}.") from None
    (image, *_), (output, *_) = session.get_inputs(), session.get_outputs()
    channels_first, side = _layout(path, image)

    def encode(batch: Sequence[np.ndarray]) -> np.ndarray:
        images = np.stack([resize_and_crop(picture, resize=side, size=side) for picture in batch])
        scaled = images.astype(np.float32) / np.float32(255)
        fed = {image.name: scaled.transpose(0, 3, 1, 2) if channels_first else scaled}
        if isinstance(image.shape[0], int):  # a model of one batch size, mostly 1
            parts = [np.asarray(session.run([output.name], {image.name: row[None]})[0]) for row in fed[image.name]]
            rows = np.concatenate(parts)
        else:
            rows = np.asarray(session.run([output.name], fed)[0])
        rows = rows.reshape(len(rows), *(size for size in rows.shape[1:] if size != 1))
        if rows.ndim != 2 or len(rows) != len(batch):
            raise ValueError(
                f"{str(path)!r}: its first output {output.name!r} has shape {rows.shape}; expected a row an image."
            )
        return rows.astype(np.float32)

    return encode


def _layout(path: Path, image: Any) -> tuple[bool, int]:
    """Return whether channels come first, and the side of the images."""
    shape = list(image.shape)
    channels_first = len(shape) == 4 and shape[1] == 3
    fits = len(shape) == 4 and 3 in (shape[1], shape[3]) and image.type == "tensor(float)"
    sides = {side if isinstance(side, int) else DEFAULT_SIDE for side in (shape[2:] if channels_first else shape[1:3])}
    fits = fits and len(sides) == 1 and (shape[0] == 1 or not isinstance(shape[0], int))
    if not fits:
        raise ValueError(
            f"{str(path)!r}: its first input has shape {shape} of {image.type}; expected float images, "
            "(b, 3, side, side) or (b, side, side, 3)."
        )
    return channels_first, sides.pop()
