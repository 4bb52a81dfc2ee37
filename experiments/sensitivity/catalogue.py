"""The sensitivity paper's experiments by name; each is loaded when it is needed."""

from __future__ import annotations

from collections.abc import Callable

from experiments.experiment import Experiment


def _fig01_bandwidth() -> Experiment:
    from experiments.sensitivity.fig01_bandwidth import EXPERIMENT

    return EXPERIMENT


def _fig02_budget() -> Experiment:
    from experiments.sensitivity.fig02_budget import EXPERIMENT

    return EXPERIMENT


def _sec3_dependence() -> Experiment:
    from experiments.sensitivity.sec3_dependence import EXPERIMENT

    return EXPERIMENT


def _sec42_contraction() -> Experiment:
    from experiments.sensitivity.sec42_contraction import EXPERIMENT

    return EXPERIMENT


def _sec43_low_rank() -> Experiment:
    from experiments.sensitivity.sec43_low_rank import EXPERIMENT

    return EXPERIMENT


def _sec44_coverage() -> Experiment:
    from experiments.sensitivity.sec44_coverage import EXPERIMENT

    return EXPERIMENT


def _sec52_kernels() -> Experiment:
    from experiments.sensitivity.sec52_kernels import EXPERIMENT

    return EXPERIMENT


def _sec6_expansion() -> Experiment:
    from experiments.sensitivity.sec6_expansion import EXPERIMENT

    return EXPERIMENT


def _table2_pairs() -> Experiment:
    from experiments.sensitivity.table2_pairs import EXPERIMENT

    return EXPERIMENT


def _table10_copies() -> Experiment:
    from experiments.sensitivity.table10_copies import EXPERIMENT

    return EXPERIMENT


def _table11_temperature() -> Experiment:
    from experiments.sensitivity.table11_temperature import EXPERIMENT

    return EXPERIMENT


EXPERIMENTS: dict[str, Callable[[], Experiment]] = {
    "sensitivity/fig01_bandwidth": _fig01_bandwidth,
    "sensitivity/fig02_budget": _fig02_budget,
    "sensitivity/sec3_dependence": _sec3_dependence,
    "sensitivity/sec42_contraction": _sec42_contraction,
    "sensitivity/sec43_low_rank": _sec43_low_rank,
    "sensitivity/sec44_coverage": _sec44_coverage,
    "sensitivity/sec52_kernels": _sec52_kernels,
    "sensitivity/sec6_expansion": _sec6_expansion,
    "sensitivity/table2_pairs": _table2_pairs,
    "sensitivity/table10_copies": _table10_copies,
    "sensitivity/table11_temperature": _table11_temperature,
}
