"""The FKEA paper's experiments by name.

Functions, not import strings in the configuration: they survive renaming, and type checkers see them. Each is loaded
when it is needed, because experiments import jax and `runtime` comes first.
"""

from __future__ import annotations

from collections.abc import Callable

from experiments.experiment import Experiment


def _fig01_colours() -> Experiment:
    from experiments.fkea.fig01_colours import EXPERIMENT

    return EXPERIMENT


def _fig02_mnist() -> Experiment:
    from experiments.fkea.fig02_mnist import EXPERIMENT

    return EXPERIMENT


def _images(figure: int) -> Callable[[], Experiment]:
    def load() -> Experiment:
        from experiments.fkea.fig03_06_images import experiment

        return experiment(figure)

    return load


def _texts(name: str) -> Callable[[], Experiment]:
    def load() -> Experiment:
        from experiments.fkea.text_modes import experiment

        return experiment(name)

    return load


def _fig14_15_encoders() -> Experiment:
    from experiments.fkea.fig14_15_encoders import EXPERIMENT

    return EXPERIMENT


def _fig07_truncation() -> Experiment:
    from experiments.fkea.fig07_truncation import EXPERIMENT

    return EXPERIMENT


def _table1() -> Experiment:
    from experiments.fkea.table1 import EXPERIMENT

    return EXPERIMENT


def _fig10_13_generators() -> Experiment:
    from experiments.fkea.fig10_13_generators import EXPERIMENT

    return EXPERIMENT


def _fig09_16_video() -> Experiment:
    from experiments.fkea.fig09_16_video import EXPERIMENT

    return EXPERIMENT


def _sec4_scaling() -> Experiment:
    from experiments.fkea.sec4_scaling import EXPERIMENT

    return EXPERIMENT


def _sec5_error() -> Experiment:
    from experiments.fkea.sec5_error import EXPERIMENT

    return EXPERIMENT


EXPERIMENTS: dict[str, Callable[[], Experiment]] = {
    "fkea/fig01_colours": _fig01_colours,
    "fkea/fig02_mnist": _fig02_mnist,
    "fkea/fig03_imagenet": _images(3),
    "fkea/fig04_ffhq": _images(4),
    "fkea/fig05_afhq": _images(5),
    "fkea/fig06_coco": _images(6),
    "fkea/fig07_truncation": _fig07_truncation,
    "fkea/table1": _table1,
    "fkea/fig08_table3_countries": _texts("fig08_table3_countries"),
    "fkea/table2_wikipedia": _texts("table2_wikipedia"),
    "fkea/table4_news": _texts("table4_news"),
    "fkea/table5_movies": _texts("table5_movies"),
    "fkea/fig09_16_video": _fig09_16_video,
    "fkea/fig10_13_generators": _fig10_13_generators,
    "fkea/fig14_15_encoders": _fig14_15_encoders,
    "fkea/sec4_scaling": _sec4_scaling,
    "fkea/sec5_error": _sec5_error,
}
