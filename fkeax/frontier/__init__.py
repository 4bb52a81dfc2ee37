"""Divergence frontiers between two laws, the MAUVE family: generators, curves, summaries and their errors.

The room and its main function share a name: ``fkeax.frontier(reference, generated, key=...)`` calls
:func:`fkeax.frontier.frontier`.

Example:
    >>> import fkeax, jax, numpy as np
    >>> rows = np.random.default_rng(0).standard_normal((2, 100, 3))
    >>> sorted(fkeax.frontier(rows[0], rows[1], method="gaussian", num_draws=500, key=jax.random.key(0)))
    ['fi', 'mauve', 'mid']
"""

import sys
import types
from typing import Any

from fkeax.frontier.bounds import (
    alpha_term,
    balanced_num_neighbors,
    beta_term,
    frontier_bound,
    gamma_term,
    neighbor_rate,
    oracle_partition,
    quantization_bound,
    recommended_num_buckets,
    smoothed_bound,
    smoothed_bound_for_size,
    statistical_bound,
    statistical_bound_for_size,
    total_bound,
)
from fkeax.frontier.constants import SmoothnessConstants
from fkeax.frontier.curve import (
    FrontierCurve,
    Mixtures,
    PairedMasses,
    compatible_mixtures,
    frontier_curve,
    frontier_from_histograms,
    frontier_from_ratios,
    masses_from_histograms,
    masses_from_ratios,
    mixture_weights,
    uniform_mixtures,
)
from fkeax.frontier.debiased import (
    SUMMARY_NAMES,
    DebiasedSummaries,
    HistogramStatistic,
    delete_half_jackknife,
)
from fkeax.frontier.estimate import METHODS, FrontierEstimate, estimate_frontier, frontier, mauve
from fkeax.frontier.gaussian import GaussianLaw, fit_gaussian, gaussian_ratios
from fkeax.frontier.generators import (
    KL,
    ChiSquared,
    Conjugate,
    Generator,
    Interpolated,
    JensenShannon,
    LeCam,
    ReverseKL,
    SkewJensenShannon,
    SquaredHellinger,
    TotalVariation,
)
from fkeax.frontier.kde import kde_ratios
from fkeax.frontier.nearest import nearest_ratios
from fkeax.frontier.noise import noisy_pair
from fkeax.frontier.precision_recall import (
    PrecisionRecallCurve,
    f_beta,
    precision_recall_curve,
)
from fkeax.frontier.quantized import BucketCosts, NullFloor, QuantizedFrontier, bucket_costs, quantized_frontier
from fkeax.frontier.ratios import LikelihoodRatios, RatioSummaries, ratios_from_logs, summarize_ratios
from fkeax.frontier.summaries import (
    Summaries,
    area,
    exact_area,
    fi_from_histograms,
    fi_from_ratios,
    frontier_integral,
    frontier_midpoint,
    mauve_from_histograms,
    mauve_from_ratios,
    mid_from_histograms,
    mid_from_ratios,
)
from fkeax.frontier.summary_generators import (
    FrontierIntegral,
    IntegralChiSquared,
    IntegralKL,
    Midpoint,
    integral_generator,
    midpoint_generator,
    named_generator,
)
from fkeax.frontier.transport import TransportFrontier, transport_frontier

__all__ = [
    "KL",
    "METHODS",
    "SUMMARY_NAMES",
    "BucketCosts",
    "ChiSquared",
    "Conjugate",
    "DebiasedSummaries",
    "FrontierCurve",
    "FrontierEstimate",
    "FrontierIntegral",
    "GaussianLaw",
    "Generator",
    "HistogramStatistic",
    "IntegralChiSquared",
    "IntegralKL",
    "Interpolated",
    "JensenShannon",
    "LeCam",
    "LikelihoodRatios",
    "Midpoint",
    "Mixtures",
    "NullFloor",
    "PairedMasses",
    "PrecisionRecallCurve",
    "QuantizedFrontier",
    "RatioSummaries",
    "ReverseKL",
    "SkewJensenShannon",
    "SmoothnessConstants",
    "SquaredHellinger",
    "Summaries",
    "TotalVariation",
    "TransportFrontier",
    "alpha_term",
    "area",
    "balanced_num_neighbors",
    "beta_term",
    "bucket_costs",
    "compatible_mixtures",
    "delete_half_jackknife",
    "estimate_frontier",
    "exact_area",
    "f_beta",
    "fi_from_histograms",
    "fi_from_ratios",
    "fit_gaussian",
    "frontier",
    "frontier_bound",
    "frontier_curve",
    "frontier_from_histograms",
    "frontier_from_ratios",
    "frontier_integral",
    "frontier_midpoint",
    "gamma_term",
    "gaussian_ratios",
    "integral_generator",
    "kde_ratios",
    "masses_from_histograms",
    "masses_from_ratios",
    "mauve",
    "mauve_from_histograms",
    "mauve_from_ratios",
    "mid_from_histograms",
    "mid_from_ratios",
    "midpoint_generator",
    "mixture_weights",
    "named_generator",
    "nearest_ratios",
    "neighbor_rate",
    "noisy_pair",
    "oracle_partition",
    "precision_recall_curve",
    "quantization_bound",
    "quantized_frontier",
    "ratios_from_logs",
    "recommended_num_buckets",
    "smoothed_bound",
    "smoothed_bound_for_size",
    "statistical_bound",
    "statistical_bound_for_size",
    "summarize_ratios",
    "total_bound",
    "transport_frontier",
    "uniform_mixtures",
]


class _CallableRoom(types.ModuleType):
    """A module that is its main function too."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Return what :func:`fkeax.frontier.frontier` returns."""
        return frontier(*arguments, **options)


sys.modules[__name__].__class__ = _CallableRoom
