"""Names of experiments and their functions: the catalogues of the three papers together."""

from __future__ import annotations

from collections.abc import Callable

from experiments.experiment import Experiment
from experiments.fkea import catalogue as fkea
from experiments.mauve import catalogue as mauve
from experiments.sensitivity import catalogue as sensitivity

EXPERIMENTS: dict[str, Callable[[], Experiment]] = {
    **fkea.EXPERIMENTS,
    **mauve.EXPERIMENTS,
    **sensitivity.EXPERIMENTS,
}


def experiment(name: str) -> Experiment:
    """Return an experiment by its name.

    Raises:
        ValueError: There is none of that name.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"there is no experiment {name!r}; there are: {', '.join(EXPERIMENTS)}.")
    return EXPERIMENTS[name]()
