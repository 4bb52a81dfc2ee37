"""Result folders as one tidy table: a row for each number of each run."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from experiments import status
from experiments.outcome import CONFIG, RESULT
from experiments.status import Status

# Columns that every table has, in this order; further settings of the results follow in alphabetical order.
COLUMNS = (
    "experiment",
    "run",
    "scale",
    "data",
    "overrides",
    "status",
    "seed",
    "name",
    "estimator",
    "order",
    "n",
    "d",
    "bandwidth",
    "r",
    "num_draws",
    "value",
    "stderr",
    "error",
)
RENAMED = {"num_samples": "n", "dimension": "d", "num_frequencies": "r"}
# The seed of a result is the data of its key; the table has the seed of the run. The folders of the commands are left
# out.
LEFT_OUT = ("seed",)
NOT_A_SETTING = ("output=", "resume=", "launcher=", "origin=", "runtime.threads=")
BETTER = (status.FINISHED, status.FAILED, status.RUNNING, status.INTERRUPTED)


def tidy_rows(root: Path) -> list[dict[str, Any]]:
    """Return the rows of all runs below a folder.

    A run that several commands tried counts once, in its best state: a sweep that was killed and resumed gives the same
    rows as an undisturbed one. A run that was skipped is read where it was finished, also outside of `root`.

    Args:
        root: The folder of a command, of an experiment, or of all.

    Returns:
        Rows in the order of experiment and overrides; every row has every column.

    Raises:
        FileNotFoundError: There is no such folder, or no run in it.
    """
    if not root.is_dir():
        raise FileNotFoundError(f"{str(root)!r} is not a folder; expected one with result folders.")
    best: dict[str, tuple[Path, Status]] = {}
    for folder, found in _with_finished(status.all_runs(root)):
        key = found.run_hash or _words(found)
        if key not in best or _rank(found) < _rank(best[key][1]):
            best[key] = (folder, found)
    # A run that ended before its fingerprint was known is the same as a later one with the same words.
    known = {_words(found) for _, found in best.values() if found.run_hash is not None}
    best = {key: entry for key, entry in best.items() if entry[1].run_hash is not None or _words(entry[1]) not in known}
    if not best:
        raise FileNotFoundError(f"{str(root)!r} holds no runs; expected folders with a status.json.")
    rows = [row for folder, found in best.values() for row in _rows_of(folder, found)]
    further = sorted({key for row in rows for key in row} - set(COLUMNS))
    rows.sort(key=lambda row: (str(row["experiment"]), _natural(row["overrides"]), str(row["run"])))
    return [{column: row.get(column) for column in (*COLUMNS, *further)} for row in rows]


def _with_finished(runs: Iterable[tuple[Path, Status]]) -> Iterable[tuple[Path, Status]]:
    for folder, found in runs:
        if found.status != status.SKIPPED:
            yield folder, found
            continue
        try:
            earlier = Path(found.finished_in or "")
            yield earlier, status.read(earlier)
        except (OSError, ValueError):
            continue  # the finished run was removed; nothing is known any more


def _words(found: Status) -> str:
    return " ".join(word for word in found.overrides if not word.startswith(NOT_A_SETTING))


def _rank(found: Status) -> int:
    return BETTER.index(found.status) if found.status in BETTER else len(BETTER)


def _rows_of(folder: Path, found: Status) -> list[dict[str, Any]]:
    from fkeax.io import read_results

    config = _config(folder)
    shared: dict[str, Any] = {
        "experiment": found.experiment,
        "run": None if found.run_hash is None else found.run_hash[:12],
        "scale": config.get("scale", {}).get("name"),
        "data": config.get("data", {}).get("name"),
        "overrides": _words(found),
        "status": found.status,
        "seed": config.get("seed"),
        "bandwidth": config.get("kernel", {}).get("bandwidth"),
        "r": config.get("features", {}).get("num_frequencies"),
    }
    if found.status != status.FINISHED:
        error = None if found.error is None else f"{found.error['type']}: {found.error['message']}"
        return [shared | {"error": error}]
    rows = []
    for result in read_results(folder / RESULT).results:
        settings = {
            RENAMED.get(key, key): _flat(value) for key, value in result.settings.items() if key not in LEFT_OUT
        }
        reason = result.diagnostics.get("reason")
        rows.append(
            shared | settings | {"name": result.name, "value": result.value, "stderr": result.stderr, "error": reason}
        )
    return rows


def _config(folder: Path) -> Mapping[str, Any]:
    from omegaconf import OmegaConf

    if not (folder / CONFIG).is_file():
        return {}
    config = OmegaConf.to_container(OmegaConf.load(folder / CONFIG))
    return config if isinstance(config, dict) else {}  # pyright: ignore[reportReturnType]


def _flat(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, list | dict) else value


def _natural(words: str) -> list[tuple[int, float, str]]:
    """Sort `bandwidth=9` before `bandwidth=10`."""
    keys = []
    for word in words.split():
        name, _, value = word.partition("=")
        try:
            keys += [(0, 0.0, name), (1, float(value), "")]
        except ValueError:
            keys += [(0, 0.0, name), (2, 0.0, value)]
    return keys
