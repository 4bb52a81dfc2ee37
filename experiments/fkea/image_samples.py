"""Images with or without classes: bundled digits, MNIST, CIFAR-10, the user's own, or the user's features of them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments import data as labelled_images
from experiments.fkea import embedded
from experiments.fkea.image_encoders import image_encoder
from experiments.fkea.samples import Samples, items_of_pictures
from experiments.schema import Config, Data
from fkeax.io import sha256_of_file

CIFAR10 = ("airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck")
SPLITS = {50_000: "training", 10_000: "test"}
SIDE = 32  # of the thumbnails in galleries


@dataclass(frozen=True)
class ImageSet:
    """A set of images.

    Attributes:
        load: Reads it, or says what is to be read.
        inputs: Names and SHA-256 of what `load` reads.
        files: The user's own files among them.
    """

    load: Callable[[Data], Samples]
    inputs: Callable[[Data], dict[str, str]]
    files: Callable[[Data], list[Path]]


def image_set(name: str) -> ImageSet:
    """Return a set of images by its name.

    Raises:
        ValueError: There is none of that name.
    """
    if name not in IMAGES:
        raise ValueError(f"data.name must be one of {', '.join(IMAGES)}; got {name!r}.")
    return IMAGES[name]


def load(data: Data, classes: Sequence[str] = ()) -> Samples:
    """Return the images that the configuration asks for, the first `samples_per_class` of each class.

    Args:
        data: Of the configuration.
        classes: The classes that are kept, in the order in which they are to join; none keeps all.

    Raises:
        ValueError: No such set or class, or too few samples of one.
        OSError: data.path cannot be read.
    """
    found = image_set(data.name).load(data)
    if not classes and data.samples_per_class is None:
        return found
    if found.labels is None:
        raise ValueError(f"data {data.name} has no classes; params.classes and data.samples_per_class need some.")
    for name in classes:
        if name not in found.label_names:
            raise ValueError(f"params.classes must be among {', '.join(found.label_names)}; got {name!r}.")
    names = tuple(classes) or found.label_names
    numbers = [found.label_names.index(name) for name in names]
    rows = [np.flatnonzero(found.labels == number)[: data.samples_per_class] for number in numbers]
    short = [name for name, part in zip(names, rows, strict=True) if len(part) < (data.samples_per_class or 1)]
    if short:
        raise ValueError(f"data.samples_per_class is {data.samples_per_class}, more than the class {short[0]!r} has.")
    kept = found.chosen(np.concatenate(rows))
    labels = np.repeat(np.arange(len(names)), [len(part) for part in rows])
    return Samples(kept.items, labels, names, found.description, found.source, found.licence)


def encoded(config: Config, samples: Samples, encoder: str) -> np.ndarray:
    """Return the rows of samples under an encoder; "none" where the samples are rows already."""
    if encoder == "none":
        return np.stack([item.read() for item in samples.items])
    return embedded.features(config, image_encoder(encoder), samples.items)


def thumbnails(samples: Samples, rows: np.ndarray) -> np.ndarray:
    """Return small pictures (..., side, side, 3) of the samples of these numbers, bytes."""
    from fkeax.embed.images import resize_and_crop

    pictures = [samples.items[row].read() for row in rows.ravel()]
    small = [
        resize_and_crop(picture, resize=SIDE, size=SIDE) if picture.shape[0] > SIDE else picture for picture in pictures
    ]
    return np.stack(small).reshape(*rows.shape, *small[0].shape)


def _grey(data: Data) -> Samples:
    source = labelled_images.image_source(data.name)
    found = source.load(data)
    pictures = np.rint(found.images * 255).astype(np.uint8)[..., None].repeat(3, axis=-1)
    names = tuple(str(digit) for digit in range(10))
    return Samples(
        items_of_pictures(pictures), found.labels, names, source.description(data), found.source, found.licence
    )


def _grey_set(name: str) -> ImageSet:
    source = labelled_images.IMAGES[name]
    return ImageSet(_grey, source.inputs, source.files)


def _cifar10(data: Data) -> Samples:
    from fkeax.datasets import load_image_archive

    found = load_image_archive(_own_path(data, "an archive of CIFAR-10 as image files"))
    if found.label_names != CIFAR10 or found.pictures.shape[1:] != (32, 32, 3):
        raise ValueError(
            f"{data.path!r} holds the classes {', '.join(found.label_names[:12])} at {found.pictures.shape[1]} x "
            f"{found.pictures.shape[2]}; expected CIFAR-10's ten at 32 x 32 (other images: data=images)."
        )
    part = SPLITS.get(len(found.labels), "own choice of")
    return Samples(
        items_of_pictures(found.pictures),
        found.labels,
        CIFAR10,
        f"CIFAR-10's {len(found.labels):,} {part} images as JPEG",
        "A. Krizhevsky, Learning multiple layers of features from tiny images, 2009; recompressed as JPEG files.",
        "CIFAR-10 has no formal licence: cite Krizhevsky.",
    )


def _own_images(data: Data) -> Samples:
    from fkeax.embed import open_source

    found = open_source(_own_path(data, "a folder of images, in folders of classes or not"), "images")
    names = () if found.labels is None else tuple(np.unique(found.labels).tolist())
    labels = None if found.labels is None else np.searchsorted(np.array(names), found.labels)
    return Samples(found.items, labels, names, f"{len(found.items):,} images", "The user's own.", "The user's own.")


def _own_features(data: Data) -> Samples:
    """Return rows of a features file; an array called "labels" in the same .npz archive holds classes."""
    from fkeax.embed import Item
    from fkeax.io import load_features

    path = _own_path(data, "a file of features")
    rows = load_features(path).read()
    labels = _labels_beside(path, len(rows))
    names = () if labels is None else tuple(np.unique(labels).astype(str).tolist())
    items = tuple(
        Item(str(number), functools.partial(rows.__getitem__, number), functools.partial(str, number))
        for number in range(len(rows))
    )
    numbers = None if labels is None else np.unique(labels, return_inverse=True)[1].astype(np.int64)
    return Samples(items, numbers, names, f"{len(rows):,} rows of features", "The user's own.", "The user's own.")


def _labels_beside(path: Path, num_rows: int) -> np.ndarray | None:
    if path.suffix != ".npz":
        return None
    with np.load(path, allow_pickle=False) as archive:
        if "labels" not in archive.files:
            return None
        labels = archive["labels"]
    if labels.shape != (num_rows,):
        raise ValueError(f"labels in {str(path)!r} have shape {labels.shape}; expected ({num_rows},), one a row.")
    return labels


def _own_path(data: Data, what: str) -> Path:
    if data.path is None:
        raise ValueError(f"data.path is not set: data={data.name} reads the user's own files; give data.path={what}.")
    return Path(data.path)


def _own_inputs(data: Data) -> dict[str, str]:
    return {path.name: sha256_of_file(path) for path in _own_files(data)}


def _own_files(data: Data) -> list[Path]:
    path = Path(data.path) if data.path is not None else None
    if path is None or not path.exists():
        return []
    return [path] if path.is_file() else []


IMAGES = {
    **{name: _grey_set(name) for name in labelled_images.IMAGES},
    "cifar10": ImageSet(_cifar10, _own_inputs, _own_files),
    "images": ImageSet(_own_images, _own_inputs, _own_files),
    "features": ImageSet(_own_features, _own_inputs, _own_files),
}
