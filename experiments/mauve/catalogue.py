"""The MAUVE paper's experiments by name; each is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Callable

from experiments.experiment import Experiment


def _fig01_frontier() -> Experiment:
    from experiments.mauve.fig01_frontier import EXPERIMENT

    return EXPERIMENT


def _fig02_decoding() -> Experiment:
    from experiments.mauve.fig02_decoding import EXPERIMENT

    return EXPERIMENT


def _fig03_area_midpoint() -> Experiment:
    from experiments.mauve.fig03_area_midpoint import EXPERIMENT

    return EXPERIMENT


def _fig04_quantization() -> Experiment:
    from experiments.mauve.fig04_quantization import EXPERIMENT

    return EXPERIMENT


def _fig05_missing_mass() -> Experiment:
    from experiments.mauve.fig05_missing_mass import EXPERIMENT

    return EXPERIMENT


def _fig06_smoothing() -> Experiment:
    from experiments.mauve.fig06_smoothing import EXPERIMENT

    return EXPERIMENT


def _fig07_oracle_bins() -> Experiment:
    from experiments.mauve.fig07_oracle_bins import EXPERIMENT

    return EXPERIMENT


def _table1_table2() -> Experiment:
    from experiments.mauve.table1_table2 import EXPERIMENT

    return EXPERIMENT


def _sec71_humans() -> Experiment:
    from experiments.mauve.sec71_humans import EXPERIMENT

    return EXPERIMENT


def _sec72_models() -> Experiment:
    from experiments.mauve.sec72_models import EXPERIMENT

    return EXPERIMENT


def _sec72_decoding() -> Experiment:
    from experiments.mauve.sec72_decoding import EXPERIMENT

    return EXPERIMENT


def _sec73_estimators() -> Experiment:
    from experiments.mauve.sec73_estimators import EXPERIMENT

    return EXPERIMENT


def _sec74_divergences() -> Experiment:
    from experiments.mauve.sec74_divergences import EXPERIMENT

    return EXPERIMENT


def _sec75_embeddings() -> Experiment:
    from experiments.mauve.sec75_embeddings import EXPERIMENT

    return EXPERIMENT


def _sec76_precision_recall() -> Experiment:
    from experiments.mauve.sec76_precision_recall import EXPERIMENT

    return EXPERIMENT


def _sec77_images() -> Experiment:
    from experiments.mauve.sec77_images import EXPERIMENT

    return EXPERIMENT


def _sec78_bounds() -> Experiment:
    from experiments.mauve.sec78_bounds import EXPERIMENT

    return EXPERIMENT


def _sec8_checklist() -> Experiment:
    from experiments.mauve.sec8_checklist import EXPERIMENT

    return EXPERIMENT


EXPERIMENTS: dict[str, Callable[[], Experiment]] = {
    "mauve/fig01_frontier": _fig01_frontier,
    "mauve/fig02_decoding": _fig02_decoding,
    "mauve/fig03_area_midpoint": _fig03_area_midpoint,
    "mauve/fig04_quantization": _fig04_quantization,
    "mauve/fig05_missing_mass": _fig05_missing_mass,
    "mauve/fig06_smoothing": _fig06_smoothing,
    "mauve/fig07_oracle_bins": _fig07_oracle_bins,
    "mauve/table1_table2": _table1_table2,
    "mauve/sec71_humans": _sec71_humans,
    "mauve/sec72_models": _sec72_models,
    "mauve/sec72_decoding": _sec72_decoding,
    "mauve/sec73_estimators": _sec73_estimators,
    "mauve/sec74_divergences": _sec74_divergences,
    "mauve/sec75_embeddings": _sec75_embeddings,
    "mauve/sec76_precision_recall": _sec76_precision_recall,
    "mauve/sec77_images": _sec77_images,
    "mauve/sec78_bounds": _sec78_bounds,
    "mauve/sec8_checklist": _sec8_checklist,
}
