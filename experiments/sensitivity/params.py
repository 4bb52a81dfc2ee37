"""What only one experiment of the sensitivity paper has."""

from __future__ import annotations

from experiments.schema import Params

PARAMS: dict[str, type[Params]] = {}
