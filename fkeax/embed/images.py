"""Image files as arrays of bytes, and the resizing that networks expect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".ppm", ".pgm")


def read_image(path: Path) -> UInt8[np.ndarray, "height width 3"]:
    """Read an image file: the first frame, turned as its EXIF data say, transparent parts on white.

    Raises:
        ValueError: It is no picture of 8 bits a channel that Pillow can read; the message names it.
        OSError: It is missing.
    """
    from PIL import Image, ImageOps

    if not path.is_file():
        raise FileNotFoundError(f"{str(path)!r} does not exist; expected an image file.")
    try:
        with Image.open(path) as picture:
            mode = picture.mode
            upright = ImageOps.exif_transpose(picture)
            if upright.has_transparency_data:
                layer = upright.convert("RGBA")
                upright = Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer)
            pixels = np.array(upright.convert("RGB"))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
        raise ValueError(f"{str(path)!r} cannot be read as an image: {error}.") from None
    if mode.startswith("I") or mode == "F":  # Pillow clips them at 255, which would show them white
        raise ValueError(f"{str(path)!r} has pixels of mode {mode}; expected 8 bits a channel: convert it first.")
    return pixels


def resize_and_crop(
    image: UInt8[np.ndarray, "height width 3"], *, resize: int, size: int, rounding: Callable[[float], int] = round
) -> UInt8[np.ndarray, "size size 3"]:
    """Resize the shorter side to `resize` (bicubic, antialiased) and cut the `size` x `size` centre out.

    Args:
        image: Of any size.
        resize: New length of the shorter side.
        size: Side of what is cut out, at most `resize`.
        rounding: How the new length of the longer side becomes whole; torchvision and transformers take `int`.

    Example:
        >>> resize_and_crop(np.full((30, 60, 3), 7, np.uint8), resize=16, size=14).shape
        (14, 14, 3)
    """
    from PIL import Image

    height, width = image.shape[:2]
    shorter = min(height, width)
    new_width, new_height = (rounding(side * resize / shorter) for side in (width, height))
    left, top = (new_width - size) // 2, (new_height - size) // 2
    resized = Image.fromarray(image).resize((new_width, new_height), Image.Resampling.BICUBIC)
    return np.asarray(resized.crop((left, top, left + size, top + size)))
