"""The MAUVE paper's experiments by name; each is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Callable

from experiments.experiment import Experiment

EXPERIMENTS: dict[str, Callable[[], Experiment]] = {}
