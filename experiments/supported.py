"""Refusing settings that an experiment would not heed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
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
        ValueError: Another choice, the parameters of another experiment, or a number or list that means nothing.
    """
    for group, names in supported.items():
        asked = getattr(config, group).name
        if asked not in names:
            allowed = " or ".join(map(repr, names))
            raise ValueError(f"{group}.name must be {allowed} in {config.name}, got {asked!r}.")
    if not isinstance(config.params, kind):
        raise ValueError(f"params must be those of {config.name}; give params={config.name.replace('/', '_')}.")
    _check_values(config.params)
    return config.params


def _check_values(params: Params) -> None:
    """Refuse whole numbers below 1, numbers that are not finite, and empty lists, but where a field allows them."""
    for one in fields(params):
        value, name = getattr(params, one.name), f"params.{one.name}"
        if isinstance(value, list) and not value and one.metadata.get("filled"):
            raise ValueError(f"{name} must have at least one entry, got none.")
        smallest = 0 if one.metadata.get("zero") else 1
        for number in value if isinstance(value, list) else [value]:
            if isinstance(number, bool) or not isinstance(number, int | float):
                continue
            if isinstance(number, int) and number < smallest:
                raise ValueError(f"{name} must be at least {smallest}, got {number}.")
            if not math.isfinite(number):
                raise ValueError(f"{name} must be finite, got {number}.")
