"""What an experiment hands back, and what its folder holds afterwards."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from fkeax.results import Result

CONFIG = "config.yaml"
STATUS = "status.json"
ARRAYS = "arrays.npz"
PROVENANCE = "provenance.json"
RESULT = "result.json"  # written last: where it is, the run is finished


@dataclass(frozen=True)
class Outcome:
    """What an experiment computed.

    Attributes:
        title: What its figures say, stand-ins named.
        results: All numbers.
        arrays: What the figures need besides.
        headline: The one number that a sweeper may look at.
        data: Source and licence of the data.
    """

    title: str
    results: list[Result]
    arrays: dict[str, np.ndarray]
    headline: float | None
    data: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class RunFolder:
    """A finished run, as its folder tells it.

    Attributes:
        folder: Where.
        title: What its figures say.
        results: All numbers.
        arrays: What the figures need besides.
        config: The resolved configuration.
        provenance: Command, versions, machine, time.
        run_hash: Of configuration and inputs.
    """

    folder: Path
    title: str
    results: list[Result]
    arrays: dict[str, np.ndarray]
    config: dict[str, Any]
    provenance: dict[str, Any]
    run_hash: str


def read_run(folder: Path) -> RunFolder:
    """Read a finished run.

    Raises:
        FileNotFoundError: The folder holds no finished run.
        ValueError: A file is damaged, or the arrays are not those that belong to the result.
    """
    import numpy as np
    from omegaconf import OmegaConf

    from fkeax.io import read_results, sha256_of_file
    from fkeax.results import loads

    if not (folder / RESULT).is_file():
        raise FileNotFoundError(f"{str(folder)!r} holds no finished run: {RESULT} is missing.")
    file = read_results(folder / RESULT)
    if sha256_of_file(folder / ARRAYS) != file.provenance["arrays_sha256"]:
        raise ValueError(f"{str(folder / ARRAYS)!r} is not the file that was written with {RESULT}; run it again.")
    with np.load(folder / ARRAYS, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    config = OmegaConf.to_container(OmegaConf.load(folder / CONFIG))
    provenance = loads((folder / PROVENANCE).read_text(encoding="utf-8"))
    if not isinstance(config, dict) or not isinstance(provenance, dict):
        raise ValueError(f"{str(folder)!r} holds a damaged {CONFIG} or {PROVENANCE}.")
    return RunFolder(
        folder=folder,
        title=file.provenance["title"],
        results=file.results,
        arrays=arrays,
        config={str(key): value for key, value in config.items()},
        provenance=provenance,
        run_hash=file.provenance["run_hash"],
    )
