"""MNIST from files, and digits in colours."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from fkeax import datasets
from fkeax.datasets import digits

IMAGES, LABELS = "train-images-idx3-ubyte", "train-labels-idx1-ubyte"
PIXELS = np.random.default_rng(1).integers(0, 256, size=(5, 28, 28), dtype=np.uint8)
CLASSES = np.array([3, 0, 9, 3, 1], dtype=np.uint8)


def idx(array: np.ndarray) -> bytes:
    return bytes((0, 0, 8, array.ndim)) + b"".join(n.to_bytes(4, "big") for n in array.shape) + array.tobytes()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / IMAGES).write_bytes(idx(PIXELS))
    (tmp_path / LABELS).write_bytes(idx(CLASSES))
    return tmp_path


def check(found: digits.LabelledImages) -> None:
    np.testing.assert_array_equal(found.images, PIXELS.astype(np.float32) / np.float32(255))
    np.testing.assert_array_equal(found.features, found.images.reshape(5, 784))
    np.testing.assert_array_equal(found.labels, CLASSES)
    assert "MNIST" in found.source
    assert "Creative Commons" in found.licence


def test_reads_idx_files(folder: Path) -> None:
    check(datasets.load_mnist_idx(folder))


def test_reads_compressed_idx_files_and_dotted_names(folder: Path) -> None:
    (folder / IMAGES).unlink()
    (folder / LABELS).unlink()
    (folder / f"{IMAGES}.gz").write_bytes(gzip.compress(idx(PIXELS)))
    (folder / "train-labels.idx1-ubyte").write_bytes(idx(CLASSES))
    check(datasets.load_mnist_idx(folder))


def test_names_what_is_missing(folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere' does not exist; expected the folder of MNIST"):
        datasets.load_mnist_idx(folder / "nowhere")
    with pytest.raises(FileNotFoundError, match=r"is not a folder"):
        datasets.load_mnist_idx(folder / IMAGES)
    with pytest.raises(FileNotFoundError, match=r"holds no t10k-images-idx3-ubyte, nor t10k-images-idx3-ubyte\.gz"):
        datasets.load_mnist_idx(folder, "test")
    with pytest.raises(ValueError, match="split must be 'train' or 'test', got 'validation'"):
        datasets.load_mnist_idx(folder, "validation")


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (lambda content: content[:-1], "promises 5 x 28 x 28 bytes, but 3919 follow"),
        (lambda content: content + b"0", "promises 5 x 28 x 28 bytes, but 3921 follow"),
        (lambda content: content[:9], "promises"),
        (lambda content: b"", "starts with the bytes b''"),
        (lambda content: b"PK" + content, "starts with the bytes b'PK"),
        (lambda content: gzip.compress(content)[:-20], "damaged gzip file"),
        (lambda content: idx(PIXELS[:4]), "holds 4 images, but .* holds 5 labels"),
        (lambda content: idx(CLASSES), "starts with the bytes"),
    ],
)
def test_refuses_damaged_files(folder: Path, damage: Callable[[bytes], bytes], expected: str) -> None:
    (folder / IMAGES).write_bytes(damage((folder / IMAGES).read_bytes()))
    with pytest.raises(ValueError, match=expected) as caught:
        datasets.load_mnist_idx(folder)
    assert IMAGES in str(caught.value)


def test_refuses_a_label_that_is_no_digit(folder: Path) -> None:
    (folder / LABELS).write_bytes(idx(np.array([0, 1, 10, 2, 3], dtype=np.uint8)))
    with pytest.raises(ValueError, match="holds the label 10; expected digits 0 to 9"):
        datasets.load_mnist_idx(folder)


def test_colours_differ_by_class_and_keep_brightness() -> None:
    images = np.full((10, 2, 2), 0.5, dtype=np.float32)
    coloured = datasets.colour_by_class(images, np.arange(10))
    assert coloured.shape == (10, 2, 2, 3)
    assert coloured.dtype == np.float32
    np.testing.assert_allclose(coloured.max(axis=-1), 0.5, rtol=1e-6)  # the brightest channel carries the grey value
    np.testing.assert_allclose(coloured.min(axis=-1), 0, atol=1e-7)  # and one is dark: fully saturated
    assert len({tuple(np.round(colour, 3)) for colour in coloured[:, 0, 0]}) == 10


def test_refuses_a_class_without_a_colour() -> None:
    with pytest.raises(ValueError, match="labels must lie in 0 to 9, got 3 to 10"):
        datasets.colour_by_class(np.zeros((2, 1, 1), dtype=np.float32), np.array([3, 10]))


@pytest.mark.slow
def test_the_packaged_digits_are_real() -> None:
    found = datasets.load_mnist_5k()
    assert found.images.shape == (5000, 28, 28)
    np.testing.assert_array_equal(np.bincount(found.labels), np.full(10, 500))
    assert float(found.images.max()) == 1.0


@pytest.mark.needs_data
def test_the_users_files(data_dir: Path) -> None:
    found = datasets.load_mnist_idx(data_dir / "mnist", "test")
    assert found.images.shape == (10_000, 28, 28)
    assert found.labels[:5].tolist() == [7, 2, 1, 0, 4]
