"""Refusing settings that an experiment would not heed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from experiments.schema import Config, Params

NOTHING = ("none",)
UNUSED = {"data": NOTHING, "encoder": NOTHING, "kernel": NOTHING, "features": NOTHING, "estimator": NOTHING}
P = TypeVar("P", bound=Params)


def checked_params(config: Config, kind: type[P], supported: Mapping[str, Sequence[str]]) -> P:
    """Return what only this experiment has, if every group that it knows was chosen as it can do it.

    Args:
        config: Of the run.
        kind: Type of its parameters.
        supported: For a group, such as "encoder", the names that the experiment heeds; `UNUSED` says that it heeds
            none of data, encoder, kernel, features and estimator.

    Raises:
        ValueError: Another choice, or the parameters of another experiment.
    """
    for group, names in supported.items():
        asked = getattr(config, group).name
        if asked not in names:
            allowed = " or ".join(map(repr, names))
            raise ValueError(f"{group}.name must be {allowed} in {config.name}, got {asked!r}.")
    if not isinstance(config.params, kind):
        raise ValueError(f"params must be those of {config.name}; give params={config.name.replace('/', '_')}.")
    return config.params
