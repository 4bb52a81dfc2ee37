"""Small pictures of samples, from rows of an array or from image files."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float, Shaped, UInt8

LARGEST_SIDE = 128
EXACT_SIDE = 64
GAP = 1


def thumbnails_from_rows(
    rows: Shaped[np.ndarray, "n d"], image_shape: Sequence[int]
) -> Float[np.ndarray, "n height width channels"]:
    """Turn rows into pictures, all on one grey or colour scale.

    Args:
        rows: One sample per row, pixels in C order.
        image_shape: (height, width) or (height, width, channels) with 1 or 3 channels.

    Returns:
        Values in [0, 1]: the smallest value of all rows is black, the largest white.

    Raises:
        ValueError: The shape is not one of a picture, or does not have as many pixels as a row has columns.

    Example:
        >>> thumbnails_from_rows(np.array([[0, 5, 10, 5]]), (2, 2))[0, :, :, 0].tolist()
        [[0.0, 0.5], [1.0, 0.5]]
    """
    shape = check_image_shape(image_shape, rows.shape[1])
    values = rows.astype(np.float64)
    low, high = float(values.min()), float(values.max())
    spread = high - low if high > low else 1.0
    return ((values - low) / spread).reshape(len(rows), *shape)


def check_image_shape(image_shape: Sequence[int], dimension: int) -> tuple[int, int, int]:
    """Return (height, width, channels), checked against the number of columns of the features.

    Args:
        image_shape: (height, width) or (height, width, channels).
        dimension: The number of columns.

    Raises:
        ValueError: Not a picture of 1 or 3 channels, or not of `dimension` values.
    """
    shape = tuple(image_shape)
    named = ",".join(str(side) for side in shape)
    if len(shape) not in (2, 3) or min(shape) < 1 or (len(shape) == 3 and shape[2] not in (1, 3)):
        raise ValueError(f"image shape must be H,W or H,W,C with C of 1 or 3, such as 28,28,1, got {named!r}.")
    if math.prod(shape) != dimension:
        raise ValueError(f"image shape {named} holds {math.prod(shape)} values, but every row has {dimension}.")
    height, width = shape[:2]
    return height, width, shape[2] if len(shape) == 3 else 1


def thumbnails_from_files(paths: Iterable[str | os.PathLike[str]]) -> list[Float[np.ndarray, "_ _ 3"]]:
    """Read image files as colour pictures of at most 128 pixels a side.

    Args:
        paths: Image files in any format that Pillow reads.

    Returns:
        One picture per file, three channels with values in [0, 1].

    Raises:
        ValueError: A file is no picture that can be read; the message names it.
        OSError: A file is missing.
    """
    return [_read_thumbnail(Path(path)) for path in paths]


def _read_thumbnail(path: Path) -> np.ndarray:
    from PIL import Image

    if not path.is_file():
        raise FileNotFoundError(f"{str(path)!r} does not exist; expected an image file.")
    try:
        with Image.open(path) as picture:
            picture.draft("RGB", (LARGEST_SIDE, LARGEST_SIDE))  # lets JPEG decode at a fraction of its size
            small = _to_rgb(picture)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"{str(path)!r} cannot be read as an image: {error}.") from None
    small.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    return np.asarray(small, dtype=np.float64) / 255.0


def _to_rgb(picture: Any) -> Any:
    from PIL import Image

    if picture.mode.startswith("I") or picture.mode == "F":
        # Pillow clips 16-bit and float greys at 255, which would show them white; scale them instead.
        values = np.asarray(picture, dtype=np.float64)
        spread = max(float(values.max() - values.min()), 1e-300)
        picture = Image.fromarray(((values - values.min()) * (255.0 / spread)).astype(np.uint8))
    return picture.convert("RGB")


def image_montage(pictures: Sequence[Float[np.ndarray, "_ _ _"]], num_columns: int) -> np.ndarray:
    """Lay pictures out in a grid, row by row, on a white ground.

    Args:
        pictures: Pictures (height, width, channels) with values in [0, 1] and 1 or 3 channels; sizes may differ.
        num_columns: Pictures per row.

    Returns:
        One picture; grey ones become three equal channels.

    Example:
        >>> image_montage([np.zeros((2, 2, 1))] * 3, num_columns=2).shape
        (5, 5, 3)
    """
    height = max(picture.shape[0] for picture in pictures)
    width = max(picture.shape[1] for picture in pictures)
    num_rows = -(-len(pictures) // num_columns)
    canvas = np.ones((num_rows * (height + GAP) - GAP, num_columns * (width + GAP) - GAP, 3))
    for position, picture in enumerate(pictures):
        row, column = divmod(position, num_columns)
        top = row * (height + GAP) + (height - picture.shape[0]) // 2
        left = column * (width + GAP) + (width - picture.shape[1]) // 2
        canvas[top : top + picture.shape[0], left : left + picture.shape[1]] = picture
    return canvas


def encode_thumbnail(pixels: UInt8[np.ndarray, "height width 3"]) -> tuple[bytes, str, tuple[int, int]]:
    """Return a small picture as the content of a file, its media type, and its width and height.

    Small pictures are kept exactly, as PNG; larger ones shrink to 128 pixels a side and become JPEG.

    Args:
        pixels: Bytes of red, green and blue.

    Example:
        >>> content, kind, size = encode_thumbnail(np.zeros((300, 600, 3), np.uint8))
        >>> kind, size
        ('image/jpeg', (128, 64))
    """
    from PIL import Image

    picture = Image.fromarray(pixels)
    exact = max(picture.size) <= EXACT_SIDE
    picture.thumbnail((LARGEST_SIDE, LARGEST_SIDE))
    buffer = io.BytesIO()
    if exact:
        picture.save(buffer, format="PNG", optimize=True)
    else:
        picture.save(buffer, format="JPEG", quality=85)
    return buffer.getvalue(), "image/png" if exact else "image/jpeg", picture.size
