"""Files that are damaged, cut short or malicious get one sentence of ours: no other error, no crash, nothing run."""

from __future__ import annotations

import os
import pickle
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from fkeax.io import load_features

TORCH_FILES = Path(__file__).with_name("torch_files")
X = np.arange(30, dtype=np.float32).reshape(10, 3)
TABLE = pa.table({"emb": X.tolist(), "id": [str(number) for number in range(10)]})
FUZZ = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def write_hdf5(path: Path, **options: Any) -> None:
    with h5py.File(path, "w") as file:
        file.create_dataset("x", data=X, **options)


def write_stream(path: Path) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "x.npy": lambda path: np.save(path, X),
    "stored.npz": lambda path: np.savez(path, x=X, ids=np.arange(10)),
    "compressed.npz": lambda path: np.savez_compressed(path, x=X),
    "x.safetensors": lambda path: save_file({"x": X}, path),
    "zip.pt": lambda path: path.write_bytes((TORCH_FILES / "dictionary.pt").read_bytes()),
    "legacy.pt": lambda path: path.write_bytes((TORCH_FILES / "legacy.pt").read_bytes()),
    "contiguous.h5": write_hdf5,
    "chunks.h5": lambda path: write_hdf5(path, chunks=(4, 3), compression="gzip"),
    "x.parquet": lambda path: pq.write_table(TABLE, path, row_group_size=6),
    "plain.feather": lambda path: feather.write_feather(TABLE, path, compression="uncompressed"),
    "lz4.feather": lambda path: feather.write_feather(TABLE, path, compression="lz4"),
    "stream.arrow": write_stream,
}


def opens_or_says_why(path: Path) -> None:
    """Read all of a file; if that fails, it must be by one sentence that our code wrote, and that names the file."""
    try:
        file = load_features(path)
        assert file.read().shape == file.array.shape
        assert len(file.array.shape) == 2
    except (ValueError, OSError) as error:
        last = error.__traceback__
        while last is not None and last.tb_next is not None:
            last = last.tb_next
        assert last is not None
        assert str(last.tb_frame.f_globals["__name__"]).startswith("fkeax."), repr(error)  # noqa: PT017
        assert "\n" not in str(error)  # noqa: PT017
        assert path.name in str(error)  # noqa: PT017


@pytest.mark.parametrize("name", WRITERS)
@FUZZ
@given(data=st.data())
def test_damaged_files(name: str, data: st.DataObject, tmp_path: Path) -> None:
    whole_path = tmp_path / f"whole-{name}"
    if not whole_path.exists():
        WRITERS[name](whole_path)
        opens_or_says_why(whole_path)
    whole = bytearray(whole_path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4), label="changes")):
        # Headers and footers are where the damage is done.
        end = data.draw(st.sampled_from([min(400, len(whole)), len(whole)]), label="end")
        place = data.draw(st.integers(0, end - 1), label="place")
        whole[place if data.draw(st.booleans(), label="from the start") else -1 - place] = data.draw(
            st.integers(0, 255)
        )
    path = tmp_path / name
    path.write_bytes(bytes(whole))
    opens_or_says_why(path)


@pytest.mark.parametrize("name", WRITERS)
def test_files_cut_short(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    WRITERS[name](path)
    whole = path.read_bytes()
    for length in {*range(0, min(len(whole), 64), 5), *range(0, len(whole), max(1, len(whole) // 24)), len(whole) - 1}:
        path.write_bytes(whole[:length])
        opens_or_says_why(path)


@FUZZ
@given(
    start=st.sampled_from([b"\x93NUMPY", b"PK\x03\x04", b"PAR1", b"ARROW1", b"\xff" * 4, b"\x89HDF\r\n\x1a\n", b""]),
    rest=st.binary(max_size=300),
)
def test_noise_behind_a_magic_number(start: bytes, rest: bytes, tmp_path: Path) -> None:
    path = tmp_path / "noise.bin"
    path.write_bytes(start + rest)
    opens_or_says_why(path)


class Bomb:
    """Unpickling this would make a folder."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (os.mkdir, ("exploded",))


def object_array() -> np.ndarray:
    array = np.empty((1, 1), dtype=object)
    array[0, 0] = Bomb()
    return array


def bomb_in_torch_archive(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.dumps({"feats": Bomb()}, protocol=2))


def bomb_in_legacy_torch(path: Path) -> None:
    start = (TORCH_FILES / "legacy.pt").read_bytes()[:40]  # the magic number, the protocol, and on into the system's
    path.write_bytes(start[: start.index(b".", start.index(b".") + 1) + 1] + pickle.dumps(Bomb(), protocol=2) * 3)


def bomb_in_hdf5(path: Path) -> None:
    with h5py.File(path, "w") as file:
        data = file.create_dataset("x", data=X)
        data.attrs["pickled"] = np.void(pickle.dumps(Bomb()))  # as PyTables keeps attributes
        file["objects"] = np.void(pickle.dumps(Bomb()))


def bomb_in_parquet(path: Path) -> None:
    # The type that old versions of pyarrow unpickled when they opened a file.
    metadata = {"ARROW:extension:name": "arrow.py_extension_type", "ARROW:extension:metadata": pickle.dumps(Bomb())}
    field = pa.field("emb", pa.list_(pa.float32(), 3), metadata=metadata)
    schema = pa.schema([field], metadata={"pandas": b"{}"})
    column = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 3)
    table = pa.Table.from_arrays([column], schema=schema)
    pq.write_table(table, path) if path.suffix == ".parquet" else feather.write_feather(table, path)


BOMBS: dict[str, tuple[Callable[[Path], Any], str | None]] = {
    "bomb.npy": (lambda path: np.save(path, object_array()), "never unpickled"),
    "bomb.npz": (lambda path: np.savez(path, x=object_array()), "never unpickled"),
    "beside.npz": (lambda path: np.savez(path, x=X, objects=object_array()), None),
    "raw.pkl": (lambda path: path.write_bytes(pickle.dumps(Bomb())), "it is a pickle, which is never unpickled"),
    "raw.npy": (lambda path: path.write_bytes(pickle.dumps(Bomb(), protocol=2)), "which is never unpickled"),
    "bomb.pt": (bomb_in_torch_archive, "holds no tensor but dict"),
    "torch.pt": (
        lambda path: path.write_bytes((TORCH_FILES / "bomb.pt").read_bytes()),
        "holds no tensor but dict",
    ),
    "legacy.pt": (bomb_in_legacy_torch, "damaged file of torch.save|holds no tensor"),
    "beside.pt": (lambda path: path.write_bytes((TORCH_FILES / "beside.pt").read_bytes()), None),
    "bomb.h5": (bomb_in_hdf5, None),
    "bomb.parquet": (bomb_in_parquet, None),
    "bomb.feather": (bomb_in_parquet, None),
}


@pytest.mark.parametrize("name", BOMBS)
def test_a_pickle_is_never_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write, sentence = BOMBS[name]
    path = tmp_path / name
    write(path)
    if sentence is None:
        assert load_features(path).read().shape[1] == 3  # the features beside it are read
    else:
        with pytest.raises(ValueError, match=sentence):
            load_features(path)
    assert not Path("exploded").exists()


def test_the_bombs_would_go_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    np.save("bomb.npy", object_array())
    np.load("bomb.npy", allow_pickle=True)
    assert Path("exploded").exists()
