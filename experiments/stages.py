"""Long first steps of experiments, such as features or trained weights, computed once and kept by their settings."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from experiments.schema import Config

if TYPE_CHECKING:
    import numpy as np

LOG = logging.getLogger(__name__)
FOLDER = "stages"  # beside the result folders


def stage_folder(config: Config, name: str, settings: Mapping[str, Any]) -> Path:
    """Return the folder of a stage, which its settings name; it may not exist yet.

    Args:
        config: Of the run; stages lie below its output folder, for all runs to share.
        name: Of the stage, such as "cifar10-efficientnet-lite0".
        settings: All that the arrays follow from: hashes of inputs, seeds, sizes, a version of the stage's code.
    """
    from fkeax.results import dumps

    text = dumps({"name": name, "settings": dict(settings)}, indent=None)
    return Path(config.origin, config.output, FOLDER, f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}")


def stage(
    config: Config, name: str, settings: Mapping[str, Any], compute: Callable[[Path], Mapping[str, np.ndarray]]
) -> dict[str, np.ndarray]:
    """Return the arrays of a stage, read where an earlier run left them whole, else computed.

    Args:
        config: As in `stage_folder`.
        name: As in `stage_folder`.
        settings: As in `stage_folder`.
        compute: Gets the stage's folder, in which it may keep what lets it go on after a kill.

    Raises:
        OSError: The folder cannot be written.
    """
    import zipfile

    import numpy as np

    from fkeax.io import write_npz
    from fkeax.results import dumps

    folder = stage_folder(config, name, settings)
    path = folder / "arrays.npz"
    if path.is_file():
        try:
            with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
                return {key: archive[key] for key in archive.files}
        except (ValueError, EOFError, zipfile.BadZipFile) as error:
            LOG.warning("%s is damaged (%s) and is computed again", path, error)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "settings.json").write_text(dumps(dict(settings)) + "\n", encoding="utf-8")
    LOG.info("stage %s: computing, for %s", name, folder)
    arrays = dict(compute(folder))
    write_npz(path, arrays)
    return arrays
