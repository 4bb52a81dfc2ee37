"""Real handwritten digits that come with scikit-learn: nothing is downloaded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float32, Int64

SOURCE = (
    "Optical Recognition of Handwritten Digits (test part), E. Alpaydin and C. Kaynak, 1998, "
    "UCI Machine Learning Repository, doi:10.24432/C50P49; the copy that scikit-learn ships."
)
LICENCE = "Creative Commons Attribution 4.0 International (CC BY 4.0); scikit-learn itself: BSD 3-Clause."


@dataclass(frozen=True)
class LabelledImages:
    """Grey images with labels.

    Attributes:
        images: One image per sample, values in [0, 1].
        features: The same values, one row per sample.
        labels: The class of each sample.
        source: Where the data come from.
        licence: Under which licence they may be used.
    """

    images: Float32[np.ndarray, "n height width"]
    features: Float32[np.ndarray, "n d"]
    labels: Int64[np.ndarray, " n"]
    source: str
    licence: str


def load_digits() -> LabelledImages:
    """Load the 1797 digits of 8 x 8 pixels that scikit-learn ships, scaled to [0, 1].

    Returns:
        The images in the order of the file, which is the order of writing and not of class.

    Raises:
        ImportError: scikit-learn is not installed.

    Example:
        >>> digits = load_digits()
        >>> digits.images.shape, digits.features.shape, float(digits.images.max())
        ((1797, 8, 8), (1797, 64), 1.0)
    """
    from sklearn import datasets

    bunch: Any = datasets.load_digits()
    images = np.asarray(bunch["images"] / 16.0, dtype=np.float32)  # the file counts ink in 0 ... 16
    return LabelledImages(
        images=images,
        features=images.reshape(len(images), -1),
        labels=np.asarray(bunch["target"], dtype=np.int64),
        source=SOURCE,
        licence=LICENCE,
    )
