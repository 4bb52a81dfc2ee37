"""Inference for a statistic of any kind: random relabellings, permutation tests, jackknife, intervals."""

from fkeax.inference.intervals import jackknife_variance, normal_interval
from fkeax.inference.labels import Groups, Units, balanced_labels, permutation_units
from fkeax.inference.permutation_test import (
    PermutationOutcome,
    Statistic,
    permutation_outcome,
    permutation_test,
    row_labels,
)
from fkeax.numerics.binomial import clopper_pearson

__all__ = [
    "Groups",
    "PermutationOutcome",
    "Statistic",
    "Units",
    "balanced_labels",
    "clopper_pearson",
    "jackknife_variance",
    "normal_interval",
    "permutation_outcome",
    "permutation_test",
    "permutation_units",
    "row_labels",
]
