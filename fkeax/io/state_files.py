"""State files: the sums of some shards of a data set, as plain arrays and one strict-JSON member, never pickled."""

from __future__ import annotations

import contextlib
import os
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fkeax.io.atomic import write_npz
from fkeax.results import dumps, loads

if TYPE_CHECKING:
    from fkeax.diversity.shards import ShardState

FORMAT = "fkeax state"
VERSION = 1
_BLOCKS = ("cosine_cosine", "cosine_sine", "sine_sine")
_ARRAYS = ("frequencies", "centre", *_BLOCKS, "counts", "sample_priorities", "sample_rows")


def write_state(path: str | os.PathLike[str], state: ShardState) -> None:
    """Write a state, whole or not at all.

    The file is an uncompressed .npz: frequencies (r, d), centre (d,), the three blocks of the sums of feature products
    (r, r), counts (rows, weight, squared weight), the row sample with its priorities, and "description", the bytes of a
    strict JSON object with format, version, settings and shards.

    Args:
        path: The file to write; an older one stays until the new one is complete.
        state: From :func:`fkeax.diversity.shard_state` or :func:`fkeax.diversity.merge_shards`.

    Raises:
        OSError: The file cannot be written.
    """
    moment, fourier_map = state.state.moment, state.state.fourier_map
    if len(moment.blocks) != len(_BLOCKS):
        raise ValueError(f"state must hold its sums in two parts, cosines and sines; got {len(moment.blocks)} blocks.")
    description = {
        "format": FORMAT,
        "version": VERSION,
        "settings": asdict(state.settings),
        "shards": [asdict(shard) for shard in state.shards],
    }
    counts = [total.to_float() for total in (moment.num_rows, moment.weight, moment.squared_weight)]
    arrays: dict[str, Any] = {
        "description": np.frombuffer(dumps(description).encode(), np.uint8),
        "frequencies": fourier_map.frequencies,
        "centre": fourier_map.centre,
        "counts": np.asarray(counts, np.float64),
        "sample_priorities": state.sample.priorities,
        "sample_rows": state.sample.rows,
    }
    write_npz(path, arrays | dict(zip(_BLOCKS, moment.blocks, strict=True)))


def read_state(path: str | os.PathLike[str]) -> ShardState:
    """Read a state file and check it.

    Args:
        path: A file that :func:`write_state` wrote.

    Raises:
        OSError: The file is missing or cannot be read.
        ValueError: It is damaged, no state file, or of another version; one sentence names the file and the fault.
    """
    file = Path(path)
    label = repr(str(file))
    if not file.is_file():
        what = "is a folder" if file.is_dir() else "does not exist"
        raise FileNotFoundError(f"{label} {what}; expected a state file of 'fkeax state update'.")
    arrays = _read_arrays(file, label)
    description = _read_description(arrays, label)
    missing = [name for name in _ARRAYS if name not in arrays]
    if missing:
        raise ValueError(f"{label} is no whole state file: it lacks the array {missing[0]!r}.")
    try:
        return _state_of(arrays, description)
    except (TypeError, ValueError, KeyError) as error:
        raise ValueError(f"{label} is a damaged state file: {str(error).rstrip('.')}.") from None


def _read_arrays(file: Path, label: str) -> dict[str, np.ndarray]:
    try:
        with open(file, "rb") as stream:  # opened here: numpy.load leaves a file open that it cannot read
            archive = np.load(stream, allow_pickle=False)
            if isinstance(archive, np.lib.npyio.NpzFile):
                with archive:
                    return {name: archive[name] for name in archive.files}
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError, KeyError) as error:
        reason = str(error).splitlines()[0].rstrip(".") if str(error) else "it ends too early"
        raise ValueError(f"{label} is damaged or no state file: {reason}.") from None
    raise ValueError(f"{label} is no state file: it holds one array.")


def _read_description(arrays: Mapping[str, np.ndarray], label: str) -> dict[str, Any]:
    if "description" not in arrays:
        raise ValueError(f"{label} is no state file: it lacks the member 'description'.")
    try:
        description = loads(arrays["description"].tobytes().decode())
    except ValueError as error:
        raise ValueError(f"{label} is a damaged state file: its description is no strict JSON: {error}") from None
    if not isinstance(description, dict) or description.get("format") != FORMAT:
        raise ValueError(f"{label} is no state file: its description does not name the format {FORMAT!r}.")
    if description.get("version") != VERSION:
        raise ValueError(
            f"{label} is a state file of version {description.get('version')!r}; this fkeax reads version {VERSION}."
        )
    return description


def _state_of(arrays: Mapping[str, np.ndarray], description: Mapping[str, Any]) -> ShardState:
    import jax
    import jax.numpy as jnp

    from fkeax.diversity.plan import NUM_SAMPLED_ROWS
    from fkeax.diversity.shard_records import Shard, ShardSettings
    from fkeax.diversity.shards import ShardState
    from fkeax.diversity.streaming import FkeaState
    from fkeax.features import FourierMap
    from fkeax.numerics.accumulate import CompensatedSum, MomentState
    from fkeax.numerics.batching import RowSample

    settings = ShardSettings(**_exact_fields(ShardSettings, description["settings"], "settings"))
    shards = tuple(Shard(**_exact_fields(Shard, entry, "shards")) for entry in description["shards"])
    _check_arrays(arrays, settings, sum(shard.num_rows for shard in shards))
    dtype = np.dtype(settings.dtype)
    with jax.enable_x64(True) if dtype == np.float64 else contextlib.nullcontext():
        totals = (CompensatedSum.of(float(total), dtype) for total in arrays["counts"])
        moment = MomentState(tuple(jnp.asarray(arrays[name]) for name in _BLOCKS), *totals)
        fourier_map = FourierMap(jnp.asarray(arrays["frequencies"]), jnp.asarray(arrays["centre"]), settings.features)
    sample = RowSample.of(NUM_SAMPLED_ROWS, arrays["sample_priorities"], arrays["sample_rows"])
    return ShardState(settings, FkeaState(fourier_map, moment), sample, shards)


def _exact_fields(cls: type, entry: Any, name: str) -> dict[str, Any]:
    expected = {field.name: str(field.type) for field in fields(cls)}
    if not isinstance(entry, dict) or set(entry) != set(expected):
        raise ValueError(f"its {name} must have the keys {', '.join(expected)}")
    kinds = {"str": str, "int": int, "float": (int, float), "tuple[int, ...]": list}
    for key, value in entry.items():
        if not isinstance(value, kinds[expected[key]]) or isinstance(value, bool):
            raise ValueError(f"its {name} hold {key} = {value!r}")
    return {key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()}


def _check_arrays(arrays: Mapping[str, np.ndarray], settings: Any, num_rows: int) -> None:
    r, d, dtype = settings.num_frequencies, settings.dimension, settings.dtype
    num_sampled = len(arrays["sample_priorities"]) if arrays["sample_priorities"].ndim == 1 else -1
    shapes = {"frequencies": (r, d), "centre": (d,), "counts": (3,), "sample_rows": (num_sampled, d)}
    shapes |= {name: (r, r) for name in _BLOCKS}
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise ValueError(f"its array {name!r} must have the shape {shape}; it has {arrays[name].shape}")
        if name in ("frequencies", "centre", *_BLOCKS) and arrays[name].dtype != dtype:
            raise ValueError(f"its array {name!r} must be of {dtype}; it is of {arrays[name].dtype}")
        if not np.isfinite(arrays[name]).all():
            raise ValueError(f"its array {name!r} holds NaN or infinity")
    if arrays["counts"][0] != num_rows:
        raise ValueError(f"its sums count {arrays['counts'][0]:.0f} rows, its shards {num_rows}")
