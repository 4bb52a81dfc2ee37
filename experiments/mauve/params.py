"""What only one experiment of the MAUVE paper has."""

from __future__ import annotations

from experiments.schema import Params

PARAMS: dict[str, type[Params]] = {}
