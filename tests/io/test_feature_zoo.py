"""The same features in every format, each file written by its own library, are the same array.

The files in `torch_files` were written by torch 2.13, `legacy.pt` in the format before 1.6; torch itself is not needed.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import jax
import ml_dtypes
import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from safetensors.numpy import save_file

import fkeax
from fkeax import kernels
from fkeax.diversity.samples import samples
from fkeax.io import FeatureFile, content_hash, hdf5_files, load_features, load_labels, sha256_of_array
from fkeax.numerics.row_blocks import RowBlocks

X = np.arange(12, dtype=np.float32).reshape(4, 3)  # exact in every dtype, bfloat16 and int8 among them
IDS = np.array(["a", "b", "c", "d"])
TORCH_FILES = Path(__file__).with_name("torch_files")
FIXED = pa.FixedSizeListArray.from_arrays(pa.array(X.ravel()), 3)
TABLE = pa.table({"emb": FIXED, "image_path": IDS, "width": [1.0, 2.0, 3.0, 4.0]})


def npy(array: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        np.save(folder / "x.npy", array)
        return folder / "x.npy"

    return write


def npz(**arrays: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        np.savez(folder / "x.npz", **arrays)
        return folder / "x.npz"

    return write


def compressed(folder: Path) -> Path:
    np.savez_compressed(folder / "x.npz", arr_0=X)
    return folder / "x.npz"


def safetensors(**arrays: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        save_file(arrays, folder / "x.safetensors")
        return folder / "x.safetensors"

    return write


def hdf5(array: np.ndarray, name: str = "x", **options: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        with h5py.File(folder / "x.h5", "w") as file:
            file.create_dataset(name, data=array, **options)
            file["ids"] = IDS.tolist()
            file["labels"] = np.arange(4)
        return folder / "x.h5"

    return write


def parquet(table: pa.Table, **options: Any) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        pq.write_table(table, folder / "x.parquet", **options)
        return folder / "x.parquet"

    return write


def arrow_feather(compression: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        feather.write_feather(TABLE, folder / "x.feather", compression=compression, chunksize=3)
        return folder / "x.feather"

    return write


def arrow_stream(folder: Path) -> Path:
    with pa.OSFile(str(folder / "x.arrow"), "wb") as sink, pa.ipc.new_stream(sink, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=3)
    return folder / "x.arrow"


def shards(names: dict[str, np.ndarray], word: str = "") -> Callable[[Path], Path | str]:
    def write(folder: Path) -> Path | str:
        inner = folder / "shards"
        inner.mkdir()
        for name, array in names.items():
            np.save(inner / name, array)
        (inner / ".hidden.npy").write_bytes(b"")
        (inner / "README.txt").write_text("not features")
        return f"{inner}/{word}" if word else inner

    return write


def clip_retrieval(folder: Path) -> Path:
    for name in ("img_emb", "metadata"):
        (folder / name).mkdir()
    for number, rows in ((0, slice(0, 1)), (2, slice(1, 2)), (10, slice(2, 4))):
        np.save(folder / f"img_emb/img_emb_{number}.npy", X[rows])
        pq.write_table(
            pa.table({"image_path": IDS[rows], "key": ["0"] * len(X[rows])}),
            folder / f"metadata/metadata_{number}.parquet",
        )
    return folder


def columns() -> pa.Table:
    return pa.table({"id": IDS, "label": [0, 1, 1, 0], **{f"f{place}": X[:, place] for place in range(3)}})


BFLOAT16 = ml_dtypes.bfloat16
MANY_OBJECTS = np.array([{"a": 1}, None], dtype=object)
# writer, dtype, class of the array
ZOO: dict[str, tuple[Callable[[Path], Any], Any, type]] = {
    "npy": (npy(X), "float32", np.memmap),
    "npy float16": (npy(X.astype("float16")), "float16", np.memmap),
    "npy bfloat16": (npy(X.astype(BFLOAT16)), BFLOAT16, np.memmap),
    "npy big-endian": (npy(X.astype(">f4")), "float32", RowBlocks),
    "npy int8": (npy(X.astype("int8")), "int8", np.memmap),
    "npy Fortran": (npy(np.asfortranarray(X)), "float32", np.memmap),
    "npy (n, 1, d)": (npy(X[:, None]), "float32", np.ndarray),
    "npy (n, d, 1, 1)": (npy(X[:, :, None, None]), "float32", np.ndarray),
    "npz arr_0": (npz(arr_0=X), "float32", np.memmap),
    "npz feats": (npz(feats=X, labels=np.arange(4), settings=MANY_OBJECTS, ids=IDS), "float32", np.memmap),
    "npz reps": (npz(reps=X.astype("float64"), images=np.zeros((4, 2, 2, 3), "uint8")), "float64", np.memmap),
    "npz bfloat16": (npz(features=X.astype(BFLOAT16)), BFLOAT16, np.memmap),
    "npz compressed": (compressed, "float32", np.ndarray),
    "safetensors": (safetensors(emb=X, labels=np.arange(4)), "float32", np.memmap),
    "safetensors bfloat16": (safetensors(emb=X.astype(BFLOAT16)), BFLOAT16, np.memmap),
    "torch": (lambda _: TORCH_FILES / "tensor.pt", BFLOAT16, np.memmap),
    "torch dictionary": (lambda _: TORCH_FILES / "dictionary.pt", "float32", np.memmap),
    "torch legacy, (n, 1, d)": (lambda _: TORCH_FILES / "legacy.pt", "float16", np.ndarray),
    "torch list": (lambda _: f"{TORCH_FILES / 'list.pt'}:0", "float32", np.memmap),
    "hdf5": (hdf5(X, "test/x"), "float32", np.memmap),
    "hdf5 chunks": (hdf5(X, chunks=(2, 3), compression="gzip"), "float32", RowBlocks),
    "hdf5 (n, 1, d)": (hdf5(X[:, None], chunks=(3, 1, 3), shuffle=True), "float32", RowBlocks),
    "hdf5 big-endian": (hdf5(X.astype(">f8")), "float64", RowBlocks),
    "hdf5 bfloat16": (hdf5(X.astype(BFLOAT16)), BFLOAT16, np.memmap),
    "hdf5 bfloat16 chunks": (hdf5(X.astype(BFLOAT16), chunks=(2, 3)), BFLOAT16, RowBlocks),
    "parquet": (parquet(TABLE, row_group_size=3), "float32", RowBlocks),
    "parquet lists": (parquet(pa.table({"emb": X.tolist()})), "float64", np.ndarray),
    "parquet half": (
        parquet(pa.table({"emb": pa.FixedSizeListArray.from_arrays(pa.array(X.astype("float16").ravel()), 3)})),
        "float16",
        np.ndarray,
    ),
    "parquet (n, 1, d)": (parquet(pa.table({"emb": X[:, None].tolist()})), "float64", np.ndarray),
    "parquet columns": (parquet(columns(), row_group_size=3), "float32", RowBlocks),
    "parquet tensors": (
        parquet(pa.table({"t": pa.ExtensionArray.from_storage(pa.fixed_shape_tensor(pa.float32(), (3,)), FIXED)})),
        "float32",
        np.ndarray,
    ),
    "feather": (arrow_feather("uncompressed"), "float32", RowBlocks),
    "feather lz4": (arrow_feather("lz4"), "float32", RowBlocks),
    "feather zstd": (arrow_feather("zstd"), "float32", RowBlocks),
    "arrow stream": (arrow_stream, "float32", RowBlocks),
    "shards": (shards({"x_10.npy": X[3:], "x_2.npy": X[1:3], "x_1.npy": X[:1]}), "float32", RowBlocks),
    "shards of two dtypes": (shards({"x_1.npy": X[:2].astype("float16"), "x_2.npy": X[2:]}), "float32", RowBlocks),
    "pattern": (shards({"x_10.npy": X[2:], "x_9.npy": X[:2], "y.npy": X}, "x_*.npy"), "float32", RowBlocks),
    "one file per sample": (shards(dict(zip(IDS, X, strict=True))), "float32", RowBlocks),
    "one file per clip": (shards({"a.npy": X[:3], "b.npy": X[3:]}), "float32", RowBlocks),
    "clip-retrieval": (clip_retrieval, "float32", RowBlocks),
}  # fmt: skip


@pytest.mark.parametrize("name", ZOO)
def test_every_format_is_the_same_array(name: str, tmp_path: Path) -> None:
    write, dtype, kind = ZOO[name]
    path = write(tmp_path)
    file = load_features(path)
    assert type(file.array) is kind
    assert file.array.dtype == np.dtype(dtype)
    assert file.array.dtype.isnative
    assert file.array.shape == X.shape
    np.testing.assert_array_equal(file.read().astype("float32"), X)
    assert file.content_hash == sha256_of_array(X.astype(dtype))
    assert sum(file.rows_per_file) == 4
    if isinstance(file.array, np.memmap):
        assert not file.array.flags.writeable
    whole = load_features(path, mmap=False)
    assert not isinstance(whole.array, np.memmap)
    np.testing.assert_array_equal(whole.read().astype("float32"), X)


@pytest.mark.parametrize("name", ["npz feats", "hdf5", "hdf5 chunks", "parquet", "parquet columns", "feather lz4"])
def test_names_of_rows_come_with_them(name: str, tmp_path: Path) -> None:
    file = load_features(ZOO[name][0](tmp_path))
    assert file.ids is not None
    assert file.ids.tolist() == IDS.tolist()
    assert file.groups is None


def test_stored_groups(tmp_path: Path) -> None:
    file = load_features(npz(feats=X, groups=np.array([b"u", b"u", b"v", b"v"]))(tmp_path))
    assert file.groups is not None
    assert file.groups.tolist() == ["u", "u", "v", "v"]


@pytest.mark.parametrize(
    ("name", "notice"),
    [
        ("npy (n, 1, d)", "shape (n, 1, 3) is read as (n, 3)"),
        ("npy (n, d, 1, 1)", "shape (n, 3, 1, 1) is read as (n, 3)"),
        ("hdf5 (n, 1, d)", "shape (n, 1, 3) is read as (n, 3)"),
        ("torch legacy, (n, 1, d)", "shape (n, 1, 3) is read as (n, 3)"),
        ("parquet (n, 1, d)", "lists of one list each are read as one row each"),
        ("npy bfloat16", "untyped numbers of two bytes (V2) are read as bfloat16, as numpy.save writes it"),
        ("parquet columns", "the 3 columns of floats, f0 to f2, are read as a matrix; not used: label"),
        ("shards", "3 shards of one array, x_1.npy to x_10.npy; no file has number 3, 4, 5, 6, 7 ..."),
        ("one file per sample", "4 files of one row each"),
        ("one file per clip", "2 files, an item each; their rows are frames, and the groups are the files"),
    ],
)
def test_what_was_understood_is_said(name: str, notice: str, tmp_path: Path) -> None:
    assert load_features(ZOO[name][0](tmp_path)).notices == (notice,)


def test_nothing_is_said_of_a_plain_file(tmp_path: Path) -> None:
    assert load_features(npy(X)(tmp_path)).notices == ()


def test_files_of_frames_are_groups(tmp_path: Path) -> None:
    file = load_features(ZOO["one file per clip"][0](tmp_path))
    assert file.groups is not None
    assert file.ids is not None
    assert file.groups.tolist() == file.file_numbers.tolist() == [0, 0, 0, 1]
    assert file.ids.tolist() == ["a", "a", "a", "b"]


@pytest.mark.parametrize(
    ("names", "grouped"),
    [
        (("emb_2.npy", "emb_10.npy"), False),
        (("part-0-of-2.npy", "part-1-of-2.npy"), False),
        (("3.npy", "20.npy"), False),
        (("clip_2.npy", "clip_10.npy"), True),
        (("Video-01.npy", "Video-02.npy"), True),
        (("dog.npy", "mouse.npy"), True),
        (("run1_2.npy", "run2_1.npy"), True),
    ],
)
def test_which_files_are_shards_and_which_are_items(names: tuple[str, str], grouped: bool, tmp_path: Path) -> None:
    file = load_features(shards(dict(zip(names, (X[:2], X[2:]), strict=True)))(tmp_path))
    assert tuple(path.name for path in file.paths) == names
    assert (file.groups is not None) == grouped
    assert file.rows_per_file == (2, 2)


def test_clip_retrieval(tmp_path: Path) -> None:
    folder = clip_retrieval(tmp_path)
    for place in (folder, folder / "img_emb"):
        file = load_features(place)
        assert file.ids is not None
        assert file.ids.tolist() == IDS.tolist()
        assert [path.name for path in file.paths] == ["img_emb_0.npy", "img_emb_2.npy", "img_emb_10.npy"]
        assert file.groups is None
    (folder / "text_emb").mkdir()
    np.save(folder / "text_emb/text_emb_0.npy", X + 1)
    assert load_features(folder).notices[0] == "of img_emb and text_emb, img_emb is read"
    with pytest.raises(ValueError, match="3 tables beside 1 files of embeddings"):
        load_features(folder, key="text_emb")
    with pytest.raises(ValueError, match="holds no embeddings 'audio'; it holds img_emb, text_emb"):
        load_features(folder, key="audio")
    pq.write_table(pa.table({"image_path": IDS}), folder / "metadata/metadata_0.parquet")
    with pytest.raises(ValueError, match=r"metadata_0.parquet' has 4 rows beside 1 rows of embeddings"):
        load_features(folder)


def test_the_array_is_named_in_three_ways(tmp_path: Path) -> None:
    path = npz(a=X, b=X + 1)(tmp_path)
    for file in (load_features(path, key="b"), load_features(f"{path}:b")):
        assert (file.member, file.label, file.path) == ("b", f"{path}:b", path)
        np.testing.assert_array_equal(file.array, X + 1)
    table = parquet(pa.table({"u": X.tolist(), "v": (X + 1).tolist()}))(tmp_path)
    for file in (load_features(table, column="v"), load_features(f"{table}:v")):
        np.testing.assert_array_equal(file.array, X + 1)
    inner = hdf5(X, "test/x")(tmp_path)
    assert load_features(f"{inner}:/test/x").member == "test/x"
    for number in (1, 2):
        np.savez(tmp_path / f"s_{number}.npz", a=X, b=X + number)
    np.testing.assert_array_equal(load_features(f"{tmp_path}/s_*.npz:b").array[4:], X + 2)


def test_odd_names_are_names(tmp_path: Path) -> None:
    for name in ("x[0]*.npy", "a.npz:b.npy"):
        np.save(tmp_path / name, X)
        assert load_features(tmp_path / name).array.shape == X.shape


RAGGED = pa.table({"e": [[1.0, 2.0], [3.0]]})
TWO_LISTS = pa.table({"u": X.tolist(), "v": X.tolist()})
MATRICES = pa.table({"e": [[[1.0, 2.0], [3.0, 4.0]]] * 2})
REFUSED: dict[str, tuple[Callable[[Path], Any], dict[str, Any], str]] = {
    "two arrays": (npz(a=X, b=X), {}, r"several arrays that could be features: a \(4, 3\) float32, b .*key=\.\.\."),
    "no such array": (npz(a=X), {"key": "c"}, r"holds no array 'c'; it holds a \(4, 3\) float32"),
    "key of npy": (npy(X), {"key": "a"}, "is a .npy file and has no named array 'a'; give its path only"),
    "column of npz": (npz(a=X), {"column": "a"}, "is a .npz archive: give key='a' instead of column"),
    "key and column": (npz(a=X), {"column": "a", "key": "b"}, "named more than once, 'b', 'a'"),
    "FID statistics": (npz(mu=np.zeros(3), sigma=np.eye(3)), {}, "a mean and a covariance, the statistics of FID"),
    "only 1-D": (npz(a=X[0], b=X[0]), {}, r"holds no 2-D array of numbers: a \(3,\) float32, b \(3,\) float32"),
    "objects asked for": (npz(a=MANY_OBJECTS, b=X), {"key": "a"}, "holds Python objects, which are never unpickled"),
    "numbers of two bytes each": (npy(np.zeros((2, 2), "V1")), {}, r"holds untyped bytes \(dtype \|V1\)"),
    "1-D hdf5": (hdf5(X[0]), {"key": "x"}, r"holds a 1-D array of shape \(3,\)"),
    "strings in hdf5": (hdf5(X), {"key": "ids"}, "holds strings"),
    "ragged lists": (parquet(RAGGED), {}, "rows of different lengths: 2 values in row 0, 1 in row 1"),
    "missing lists": (parquet(pa.table({"e": [[1.0, 2.0], None]})), {}, r"has 1 missing values \(nulls\)"),
    "missing numbers": (parquet(pa.table({"e": [1.0, None]})), {}, r"has 1 missing values \(nulls\)"),
    "strings in parquet": (parquet(pa.table({"w": IDS})), {}, r"no column of numbers or of lists of .* it has w \(str"),
    "named strings": (parquet(TABLE), {"column": "image_path"}, "holds values of type string; expected numbers"),
    "two columns of lists": (parquet(TWO_LISTS), {}, "several columns of lists of numbers: u, v"),
    "no such column": (parquet(TABLE), {"column": "v"}, "has no column 'v'; it has emb"),
    "no rows": (parquet(TABLE.slice(0, 0)), {}, r"holds no rows \(n = 0 samples\)"),
    "lists of lists": (parquet(MATRICES), {}, r"holds a 3-D array of shape \(2, 2, 2\)"),
    "mixed widths": (shards({"x_1.npy": X, "x_2.npy": X[:, :2]}), {}, r"x_2.npy' has 2 columns and .*x_1.npy' has 3"),
    "a bad shard": (shards({"x_1.npy": X, "x_2.npy": IDS}), {}, "x_2.npy' holds strings"),
    "no features": (lambda folder: folder, {}, "holds no file of features"),
    "no match": (lambda folder: folder / "x_*.npy", {}, "does not exist, and no file has such a name"),
    "tensors of a list": (lambda _: TORCH_FILES / "list.pt", {}, r"several arrays .* 0 \(4, 3\) float32, 1 \(4, 3\)"),
}  # fmt: skip


def test_lists_of_two_lengths_in_two_parts(tmp_path: Path) -> None:
    table = pa.table({"e": [[1.0], [2.0], [3.0, 4.0]]})
    file = load_features(parquet(table, row_group_size=2)(tmp_path))
    with pytest.raises(
        ValueError, match=r"x.parquet' has rows of different lengths: .* should be 1 long has shape \(1, 2\)"
    ):
        file.read()


def test_a_shard_that_changes_is_named(tmp_path: Path) -> None:
    file = load_features(shards({"x_1.npy": X, "x_2.npy": X})(tmp_path))
    np.save(tmp_path / "shards/x_2.npy", X[:3])
    with pytest.raises(ValueError, match=r"x_2.npy' changed while it was read: it had 4 rows\."):
        file.read()


@pytest.mark.parametrize("name", REFUSED)
def test_other_files_are_refused_in_one_sentence(name: str, tmp_path: Path) -> None:
    write, options, sentence = REFUSED[name]
    path = write(tmp_path)
    with pytest.raises((ValueError, OSError), match=sentence) as caught:
        load_features(path, **options)
    assert "\n" not in str(caught.value)
    assert "key=" in name or str(tmp_path) in str(caught.value) or "list" in name or name == "key and column"


def test_folders_of_several_formats_ask_for_a_pattern(tmp_path: Path) -> None:
    npy(X)(tmp_path)
    npz(a=X)(tmp_path)
    with pytest.raises(ValueError, match=r"several formats, .npy, .npz; give a pattern such as '.*\*.npy'"):
        load_features(tmp_path)
    nested = tmp_path / "outer"
    (nested / "inner").mkdir(parents=True)
    with pytest.raises(ValueError, match=r"those in folders below are given as '.*outer/\*/\*.npy'"):
        load_features(nested)


def test_hash_tells_arrays_apart() -> None:
    others = [X.astype("float64"), X.reshape(3, 4), X[::-1], X + 1]
    assert len({sha256_of_array(array) for array in (X, *others)}) == 5


def test_labels(tmp_path: Path) -> None:
    np.save(tmp_path / "l.npy", IDS)
    np.savez(tmp_path / "l.npz", ids=IDS, objects=MANY_OBJECTS)
    (tmp_path / "l.txt").write_text("a\nb\nc\nd\n")
    table = parquet(TABLE)(tmp_path)
    inner = hdf5(X)(tmp_path)
    for path in (
        tmp_path / "l.npy",
        tmp_path / "l.txt",
        f"{tmp_path}/l.npz:ids",
        f"{table}:image_path",
        f"{inner}:ids",
    ):
        assert load_labels(path).tolist() == IDS.tolist()
    for path, sentence in (
        (tmp_path / "l.npz", "name the array or column as FILE:NAME"),
        (f"{tmp_path}/l.npz:objects", "never unpickled"),
        (f"{tmp_path}/l.npz:none", "holds no array 'none'; it holds ids, objects"),
        (f"{table}:none", "has no column 'none'"),
        (tmp_path / "none.npy", "does not exist"),
    ):
        with pytest.raises((ValueError, OSError), match=sentence):
            load_labels(path)


def _write_shards(folder: Path, num_shards: int, kind: str) -> Path:
    folder.mkdir()
    rows = np.random.default_rng(0).standard_normal((1_000, 32))
    if kind == "npy":
        for number in range(num_shards):
            np.save(folder / f"x_{number}.npy", rows + number)
        return folder
    with h5py.File(folder / "x.h5", "w") as file:
        data = file.create_dataset("x", (1_000 * num_shards, 32), "f8", chunks=(1_000, 32), compression="lzf")
        for number in range(num_shards):
            data[1_000 * number : 1_000 * (number + 1)] = rows + number
    return folder / "x.h5"


def _peak(consume: Callable[[Any], Any], path: Path) -> int:
    tracemalloc.start()
    consume(load_features(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


@pytest.mark.parametrize("kind", ["npy", "hdf5"])
def test_memory_does_not_grow_with_the_number_of_shards(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 shards of 256 kB, 10 MB, are hashed and passed on to a score in the memory of a few shards."""
    monkeypatch.setattr(hdf5_files, "_BLOCK_BYTES", 1 << 18)
    monkeypatch.setattr(content_hash, "_CHUNK_BYTES", 1 << 18)

    def consume(file: FeatureFile) -> None:
        assert sum(len(chunk) for chunk in samples(file.array, 512).chunks(kernels.Gaussian(1.0))) == len(file.array)
        assert file.content_hash

    few, many = (_peak(consume, _write_shards(tmp_path / f"{size}", size, kind)) for size in (4, 40))
    assert many < few + 2**18
    assert many < 3 * 2**20


@pytest.mark.slow
def test_a_score_of_shards_takes_the_memory_of_one(tmp_path: Path, key: jax.Array) -> None:
    settings = {"bandwidth": 8.0, "method": "fkea", "num_frequencies": 8, "batch_size": 512, "key": key}
    paths = [_write_shards(tmp_path / f"{size}", size, "npy") for size in (4, 40)]
    whole = fkeax.score(load_features(paths[1]).read(), **settings)  # compiles, too
    few, many = (_peak(lambda file: fkeax.score(file.array, **settings), path) for path in paths)
    assert many < few + 2**18
    assert many < 3 * 2**20
    streamed = fkeax.score(load_features(paths[1]).array, **settings)
    assert {name: float(streamed[name]) for name in whole} == {name: float(whole[name]) for name in whole}
