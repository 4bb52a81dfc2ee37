"""When two runs are the same: equal settings and equal inputs."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments import status

# None of these changes a number by more than rounding; where the data lie does not matter, their content is hashed.
NOT_PART = (
    "origin",
    "output",
    "resume",
    "title",
    "experiment",
    "by_scale",
    "data.path",
    "runtime.threads",
    "runtime.compile_cache",
)


def run_hash(settings: Mapping[str, Any], inputs: Mapping[str, str]) -> str:
    """Return the fingerprint of a run.

    Args:
        settings: The resolved configuration.
        inputs: Names and SHA-256 of all files that are read.

    Returns:
        64 hexadecimal digits.

    Raises:
        ValueError: A setting is no finite number; the sentence names it.
    """
    from fkeax.results import to_native  # not before the run's own settings of JAX hold

    kept = to_native(_without(settings, ""), "")  # which names a setting that is not finite
    text = json.dumps({"settings": kept, "inputs": dict(inputs)}, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def _without(settings: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    return {
        key: _without(value, f"{prefix}{key}.") if isinstance(value, Mapping) else value
        for key, value in settings.items()
        if f"{prefix}{key}" not in NOT_PART
    }


def find_finished(root: Path, fingerprint: str) -> Path | None:
    """Return the folder of a finished run with this fingerprint below `root`, or None."""
    for folder, found in status.all_runs(root):
        if found.status == status.FINISHED and found.run_hash == fingerprint:
            return folder
    return None
