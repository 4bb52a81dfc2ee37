from __future__ import annotations

import hashlib
import os
import pickle
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fkeax.io import load_features, sha256_of_file


def save(path: Path, array: Any) -> Path:
    np.save(path, array, allow_pickle=True)
    return path


class Bomb:
    """Unpickling this would create a file."""

    def __init__(self, mark: Path) -> None:
        self.mark = mark

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, (str(self.mark),))


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "int8", "uint8", "int64", "uint64", "bool", ">f4", ">i2"]
)
def test_numeric_files_open_as_they_are(tmp_path: Path, dtype: str) -> None:
    array = np.arange(6).reshape(3, 2).astype(dtype)
    opened = load_features(save(tmp_path / "x.npy", array))
    assert opened.array.dtype == np.dtype(dtype).newbyteorder("=")
    assert opened.array.dtype.isnative
    np.testing.assert_array_equal(opened.array, array)
    assert opened.path == tmp_path / "x.npy"


def test_npy_is_mapped_and_read_only(tmp_path: Path) -> None:
    array = load_features(save(tmp_path / "x.npy", np.asfortranarray(np.eye(3)))).array
    assert isinstance(array, np.memmap)
    assert not array.flags.writeable
    np.testing.assert_array_equal(array, np.eye(3))


@pytest.mark.parametrize(
    ("array", "sentence"),
    [
        (np.arange(3.0), r"holds a 1-D array of shape \(3,\); expected a 2-D.*reshape it to \(n, 1\)"),
        (np.float64(3), r"holds a 0-D array of shape \(\)"),
        (np.zeros((2, 3, 4)), r"holds a 3-D array of shape \(2, 3, 4\).*flatten every sample"),
        (np.zeros((0, 4)), r"shape \(0, 4\) without rows \(n = 0 samples\)"),
        (np.zeros((4, 0)), r"shape \(4, 0\) without columns \(d = 0 features\)"),
        (np.array([["a", "b"]]), r"holds strings \(dtype <U1\)"),
        (np.array([[b"a"]]), r"holds byte strings"),
        (np.array([[1j]]), r"holds complex numbers"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), "holds dates"),
        (np.zeros((2, 2), dtype=np.longdouble), r"dtype float128.*floats up to float64"),
        (np.zeros((2, 2), dtype="V3"), r"holds untyped bytes \(dtype \|V3\); save it as float32"),
        (np.zeros(3, dtype=[("x", "f4"), ("y", "f4")]), "holds records with the fields x, y"),
    ],
)
def test_other_arrays_are_refused_in_one_sentence(tmp_path: Path, array: Any, sentence: str) -> None:
    path = save(tmp_path / "bad.npy", array)
    with pytest.raises(ValueError, match=sentence) as caught:
        load_features(path)
    assert str(caught.value).startswith(f"'{path}' holds")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("packed", [False, True])
def test_object_arrays_are_never_unpickled(tmp_path: Path, packed: bool) -> None:
    mark = tmp_path / "exploded"
    array = np.empty((1, 1), dtype=object)
    array[0, 0] = Bomb(mark)
    path = tmp_path / ("bomb.npz" if packed else "bomb.npy")
    if packed:
        np.savez(path, x=array)
    else:
        np.save(path, array)
    with pytest.raises(ValueError, match="holds Python objects, which are never unpickled"):
        load_features(path)
    (tmp_path / "raw.npy").write_bytes(pickle.dumps(Bomb(mark)))
    with pytest.raises(ValueError, match=r"is no file of features \(.*\): it is a pickle, which is never unpickled"):
        load_features(tmp_path / "raw.npy")
    assert not mark.exists()


def test_missing_files_folders_and_pipes(tmp_path: Path) -> None:
    with pytest.raises(
        FileNotFoundError,
        match=r"none.npy' does not exist; expected a file of features \(.*\), a folder or a pattern\.",
    ):
        load_features(tmp_path / "none.npy")
    with pytest.raises(ValueError, match="holds no file of features"):
        load_features(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="is not a regular file"):
        load_features(tmp_path / "pipe")


@pytest.mark.parametrize("length", [0, 3, 8, 20, 100, 128, 129, 1000])
def test_files_cut_short_get_one_sentence(tmp_path: Path, length: int) -> None:
    path = save(tmp_path / "cut.npy", np.zeros((100, 10)))
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ValueError, match=r"is truncated|damaged .npy header|is no file of features") as caught:
        load_features(path)
    assert "\n" not in str(caught.value)


def test_damaged_headers_get_one_sentence(tmp_path: Path) -> None:
    whole = save(tmp_path / "x.npy", np.zeros((4, 2))).read_bytes()
    random = np.random.default_rng(1)
    for _ in range(200):
        damaged = bytearray(whole)
        damaged[int(random.integers(6, 128))] = int(random.integers(256))
        (tmp_path / "y.npy").write_bytes(bytes(damaged))
        try:
            opened = load_features(tmp_path / "y.npy")
        except ValueError as error:
            assert "\n" not in str(error)  # noqa: PT017
        else:
            assert opened.array.ndim == 2


def test_npz_by_name_and_alone(tmp_path: Path) -> None:
    path = tmp_path / "two.npz"
    np.savez(path, x=np.eye(2), y=np.ones((3, 1)))
    assert load_features(f"{path}:y").array.shape == (3, 1)
    assert load_features(f"{path}:y").member == "y"
    with pytest.raises(
        ValueError, match=r"holds several arrays that could be features: x \(2, 2\) float64, y .* as FILE.npz:NAME\."
    ):
        load_features(path)
    with pytest.raises(ValueError, match=r"holds no array 'z'; it holds x \(2, 2\) float64, y"):
        load_features(f"{path}:z")
    np.savez(tmp_path / "one.npz", x=np.eye(2))
    assert load_features(tmp_path / "one.npz").member == "x"
    np.savez(tmp_path / "flat.npz", x=np.ones(3))
    with pytest.raises(ValueError, match=r"flat.npz:x' holds a 1-D array"):
        load_features(tmp_path / "flat.npz")
    np.savez(tmp_path / "none.npz")
    with pytest.raises(ValueError, match="holds no array"):
        load_features(tmp_path / "none.npz")


def test_damaged_archives_get_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "x.npz"
    np.savez_compressed(path, x=np.random.default_rng(1).normal(size=(50, 4)))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="is damaged"):
        load_features(path)
    changed = bytearray(whole)
    changed[200] ^= 0xFF
    path.write_bytes(bytes(changed))
    with pytest.raises(ValueError, match=r"damaged|cannot be read"):
        load_features(path)
    with zipfile.ZipFile(tmp_path / "text.npz", "w") as archive:
        archive.writestr("x.npy", "not an array")
    with pytest.raises(ValueError, match=r"damaged .npy header"):
        load_features(tmp_path / "text.npz")


def test_hash_is_that_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "big.bin"
    content = os.urandom(3_000_001)
    path.write_bytes(content)
    assert sha256_of_file(path) == hashlib.sha256(content).hexdigest()
