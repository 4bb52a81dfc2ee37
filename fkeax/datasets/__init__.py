"""Data sets as arrays with labels, source and licence: bundled, from the package index, or from the user's files."""

from __future__ import annotations

from fkeax.datasets.digits import LabelledImages, load_digits
from fkeax.datasets.image_archives import LabelledPictures, load_image_archive
from fkeax.datasets.mnist import colour_by_class, find_mnist_idx, load_mnist_5k, load_mnist_idx
from fkeax.datasets.moving_digits import moving_digits
from fkeax.datasets.texts import LabelledTexts, load_bbc_news, load_wikipedia_extracts

__all__ = [
    "LabelledImages",
    "LabelledPictures",
    "LabelledTexts",
    "colour_by_class",
    "find_mnist_idx",
    "load_bbc_news",
    "load_digits",
    "load_image_archive",
    "load_mnist_5k",
    "load_mnist_idx",
    "load_wikipedia_extracts",
    "moving_digits",
]
