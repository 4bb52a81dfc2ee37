from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest

from fkeax.diversity import ShardState, merge_shards, score_shards, shard_state
from fkeax.io import read_state, write_state

X = np.random.default_rng(0).standard_normal((50, 4))


def made(x: np.ndarray, name: str) -> ShardState:
    return shard_state(x, name=name, bandwidth=2.0, num_frequencies=6, key=jax.random.key(1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_round_trip(tmp_path: Path, dtype: str) -> None:
    with jax.enable_x64(dtype == "float64"):
        state = merge_shards([made(X[:30], "a é"), made(X[30:], "b")])
    write_state(tmp_path / "s.npz", state)
    found = read_state(tmp_path / "s.npz")
    assert found.settings == state.settings
    assert found.shards == state.shards
    assert found.settings.dtype == dtype
    for left, right in zip(jax.tree.leaves(found.state), jax.tree.leaves(state.state), strict=True):
        assert left.dtype == right.dtype
        np.testing.assert_array_equal(np.asarray(left), np.asarray(right))
    values = [[result.value for result in score_shards(s).values()] for s in (found, state)]
    assert values[0] == values[1]
    assert score_shards(found)["rke-population"].stderr == score_shards(state)["rke-population"].stderr


def test_the_file_is_plain(tmp_path: Path) -> None:
    """Arrays without pickles, one strict JSON member with version and what was read."""
    write_state(tmp_path / "s.npz", made(X, "a.npy"))
    with np.load(tmp_path / "s.npz", allow_pickle=False) as archive:
        description = json.loads(archive["description"].tobytes())
        assert archive["cosine_sine"].shape == (6, 6)
    assert description["format"] == "fkeax state"
    assert description["version"] == 1
    assert description["shards"][0]["num_rows"] == 50
    assert len(description["shards"][0]["sha256"]) == 64


def rewritten(path: Path, change: Callable[[dict[str, np.ndarray]], None]) -> None:
    with np.load(path) as archive:
        arrays = dict(archive)
    change(arrays)
    np.savez(path, **arrays)


def described(change: Callable[[dict], None]) -> Callable[[dict[str, np.ndarray]], None]:
    def apply(arrays: dict[str, np.ndarray]) -> None:
        description = json.loads(arrays["description"].tobytes())
        change(description)
        arrays["description"] = np.frombuffer(json.dumps(description).encode(), np.uint8)

    return apply


def with_nan(arrays: dict[str, np.ndarray]) -> None:
    arrays["sine_sine"][1, 2] = np.nan


FAULTS: dict[str, tuple[Callable[[dict[str, np.ndarray]], object], str]] = {
    "array": (lambda a: a.pop("centre"), "no whole state file: it lacks the array 'centre'"),
    "description": (lambda a: a.pop("description"), "no state file: it lacks the member 'description'"),
    "json": (lambda a: a.update(description=np.zeros(3, np.uint8)), "its description is no strict JSON"),
    "format": (described(lambda d: d.pop("format")), "does not name the format 'fkeax state'"),
    "version": (described(lambda d: d.update(version=2)), "is a state file of version 2; this fkeax reads version 1"),
    "settings": (described(lambda d: d["settings"].pop("bandwidth")), "its settings must have the keys kernel"),
    "kind": (described(lambda d: d["settings"].update(bandwidth="7")), "its settings hold bandwidth = '7'"),
    "shape": (lambda a: a.update(cosine_sine=a["cosine_sine"][:5]), r"'cosine_sine' must have the shape \(6, 6\)"),
    "dtype": (lambda a: a.update(centre=a["centre"].astype(float)), "'centre' must be of float32; it is of float64"),
    "nan": (with_nan, "'sine_sine' holds NaN"),
    "counts": (lambda a: a.update(counts=a["counts"] + 1), "its sums count 51 rows, its shards 50"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_damaged_content_gets_one_sentence(tmp_path: Path, name: str) -> None:
    path = tmp_path / "s.npz"
    write_state(path, made(X, "a.npy"))
    change, sentence = FAULTS[name]
    rewritten(path, change)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=sentence) as caught:
        read_state(path)
    assert str(caught.value).startswith(f"'{path}'")


def test_damaged_files_get_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    write_state(path, made(X, "a.npy"))
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[whole.index(b"cosine_cosine") + 400] ^= 1
    for content in (whole[: len(whole) // 2], whole[:-1], b"", b"text", bytes(flipped)):
        path.write_bytes(content)
        with pytest.raises(ValueError, match="is damaged or no state file"):
            read_state(path)
    buffer = io.BytesIO()
    np.save(buffer, X)
    path.write_bytes(buffer.getvalue())
    with pytest.raises(ValueError, match="no state file: it holds one array"):
        read_state(path)
    with pytest.raises(FileNotFoundError, match="does not exist; expected a state file"):
        read_state(tmp_path / "none.npz")


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    np.savez(path, description=np.array([{}], dtype=object))
    with pytest.raises(ValueError, match="damaged or no state file"):
        read_state(path)
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["description.npy"]


KILLED_IN_THE_MIDDLE = """
import os, sys, time
import numpy as np
from fkeax.io import read_state, write_state
state = read_state(sys.argv[1])
def stall(*_):
    print("ready", flush=True)
    time.sleep(60)
os.replace = stall
write_state(sys.argv[1], state)
"""


def test_a_killed_writer_leaves_the_old_state(tmp_path: Path) -> None:
    path = tmp_path / "s.npz"
    write_state(path, made(X, "a.npy"))
    before = path.read_bytes()
    with subprocess.Popen(
        [sys.executable, "-c", KILLED_IN_THE_MIDDLE, str(path)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "FKEAX_NO_TYPECHECK": "1"},
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
        child.send_signal(signal.SIGKILL)
        child.wait(timeout=30)
    assert path.read_bytes() == before
    assert read_state(path).num_samples == 50
