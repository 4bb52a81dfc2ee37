"""Numbered folders that no two commands share, and where a command was given."""

from __future__ import annotations

import os
from pathlib import Path

from omegaconf import OmegaConf

NO_EXPERIMENT = "several"  # a sweep over experiments has no single name when its folder is made


def numbered_folder(origin: str, output: str, experiment: str | None) -> str:
    """Create the next numbered folder of an experiment and return its absolute path.

    The number is found by trying: creating a folder succeeds for exactly one process, so that sweeps that start in the
    same instant, on one machine or on a shared disk, never write into one folder.

    Args:
        origin: The folder in which the command was given; relative outputs count from there.
        output: The root of all outputs.
        experiment: Its name, such as fkea/fig02_mnist.

    Raises:
        OSError: The folder cannot be created.
    """
    parent = Path(origin) / output / (experiment or NO_EXPERIMENT)
    parent.mkdir(parents=True, exist_ok=True)
    taken = [int(entry.name) for entry in parent.iterdir() if entry.name.isdecimal()]
    number = max(taken, default=0) + 1
    while True:
        try:
            folder = parent / f"{number:04d}"
            folder.mkdir()
        except FileExistsError:
            number += 1
        else:
            return str(folder)


def register_resolvers() -> None:
    """Make `${numbered_folder:...}` and `${submitted_from:}` known to OmegaConf; may be called again.

    Both are cached in the configuration, which Hydra hands on to the jobs of a sweep, in whatever process they run:
    like the time stamp of `${now:}` they are settled once, at submission.
    """
    OmegaConf.register_new_resolver("numbered_folder", numbered_folder, use_cache=True, replace=True)
    OmegaConf.register_new_resolver("submitted_from", os.getcwd, use_cache=True, replace=True)
