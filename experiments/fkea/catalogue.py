"""The FKEA paper's experiments by name.

Functions, not import strings in the configuration: they survive renaming, and type checkers see them. Each is loaded
when it is needed, because experiments import jax and `runtime` comes first.
"""

from __future__ import annotations

from collections.abc import Callable

from experiments.experiment import Experiment


def _fig02_mnist() -> Experiment:
    from experiments.fkea.fig02_mnist import EXPERIMENT

    return EXPERIMENT


EXPERIMENTS: dict[str, Callable[[], Experiment]] = {"fkea/fig02_mnist": _fig02_mnist}
