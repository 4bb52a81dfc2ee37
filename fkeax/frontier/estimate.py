"""The frontier between two samples by any estimator: checked arguments in, results that say how far to trust them out.

mauve(reference, generated, key=...)     one number, as the mauve-text package computes it
frontier(reference, generated, key=...)  all summaries, by any estimator and generator
estimate_frontier(...)                   the same with the curve and, for quantized samples, the costly buckets
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.frontier.assemble import results_from_quantizers, results_from_ratios, results_from_transport
from fkeax.frontier.curve import FrontierCurve, compatible_mixtures
from fkeax.frontier.gaussian import fit_gaussian, gaussian_ratios
from fkeax.frontier.generators import Generator
from fkeax.frontier.kde import kde_ratios
from fkeax.frontier.nearest import nearest_ratios
from fkeax.frontier.quantized import BucketCosts, quantized_frontier
from fkeax.frontier.ratios import LikelihoodRatios, summarize_ratios
from fkeax.frontier.summaries import LIKE, grid_like
from fkeax.frontier.summary_generators import (
    check_frontier_generator,
    integral_generator,
    midpoint_generator,
    named_generator,
)
from fkeax.numerics import batching, checks
from fkeax.quantize import pool_rows
from fkeax.results import Result

MAX_COMPONENTS = 49  # of the ratio estimators: the paper finds that they need fewer than 50 dimensions
OPTIONS: dict[str, tuple[str, ...]] = {
    "quantized": ("num_buckets", "num_seeds", "unit_rows", "explained_variance", "start", "num_restarts"),
    "nearest": ("num_components", "atoms", "num_neighbors", "own_point"),
    "kde": ("num_components", "atoms", "bandwidth"),
    "classifier": ("num_components", "atoms", "cross_fit", "penalty", "max_iterations"),
    "gaussian": ("num_components", "atoms", "num_draws"),
    "transport": ("num_components", "cost", "regularization", "num_points"),
}
METHODS = tuple(OPTIONS)
NEED_KEY = ("quantized", "classifier", "gaussian")


@dataclass(frozen=True)
class FrontierEstimate:
    """What every estimator of a frontier returns.

    Attributes:
        results: Summaries by name: "mauve", "fi", "mid", and for quantized samples their smoothed and debiased forms.
        curve: The frontier, of the estimator's headline: empirical or mean histograms, ratios, or transport costs.
        costs: Of quantized samples, the buckets that carry the cost; None for other estimators.
    """

    results: dict[str, Result]
    curve: FrontierCurve
    costs: BucketCosts | None


def mauve(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    like: str = "mauve-text",
    scale: float = 5.0,
    num_buckets: int | None = None,
    num_seeds: int = 5,
    key: jax.Array | None = None,
) -> Result:
    """Return MAUVE between two samples: the area under their divergence frontier, 1 for equal laws and 0 for disjoint.

    Rows are scaled to length 1, reduced to the principal components that explain 0.9 of the variance, and put into
    shared buckets by k-means; the area is that of the buckets' histograms, on average over several quantizers.

    A plug-in, biased downward by about ``k / n``: compare only at equal sizes and settings. Beside it,
    ``frontier(...)["mauve-debiased"]`` has most of the bias taken out.

    Args:
        reference: Samples of P, (n, d): NumPy, JAX or nested lists.
        generated: Samples of Q, (m, d); another number of rows is fine.
        like: "mauve-text": the histograms as counted, on that package's 25 mixtures. "paper": smoothed as Krichevsky
            and Trofimov do, on mixtures ``i/100``. "exact": as counted, the area by quadrature.
        scale: The constant c; another c may order models differently.
        num_buckets: k; ``max(2, round(min(n, m) / 10))`` unless given.
        num_seeds: Quantizers; mauve-text takes one.
        key: Typed key, for the starts of k-means.

    Returns:
        A result named "mauve", in [0, 1]. Its standard error joins that of the samples (a jackknife) and that of the
        mean over quantizers. Diagnostics: values by quantizer, their spread, the floor (what two samples of one law
        score at this size), the costliest buckets, warnings.

    Raises:
        ValueError, TypeError: One sentence that names the argument.

    Cost:
        ``5 num_seeds`` runs of k-means on the n + m rows: about ``2 (n + m) k d`` flops for each of 5 to 15 full
        iterations.

    Example:
        >>> import jax, numpy as np
        >>> rng = np.random.default_rng(0)
        >>> x, y = rng.standard_normal((300, 8)), rng.standard_normal((300, 8)) + 0.5
        >>> same = mauve(x, rng.standard_normal((300, 8)), num_seeds=2, key=jax.random.key(0))
        >>> shifted = mauve(x, y, num_seeds=2, key=jax.random.key(0))
        >>> float(shifted) < float(same) < 1.0
        True

    References:
        MAUVE paper, eq. (5) and Algorithm 1. Other code depends on which sample comes first; this does not.
    """
    return frontier(
        reference, generated, like=like, scale=scale, num_buckets=num_buckets, num_seeds=num_seeds, key=key
    )["mauve"]


def frontier(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    generator: str | Generator = "kl",
    method: str = "quantized",
    like: str = "mauve-text",
    scale: float = 5.0,
    key: jax.Array | None = None,
    **options: Any,
) -> dict[str, Result]:
    """Return the summaries of the divergence frontier between two samples: arguments as :func:`estimate_frontier`.

    Example:
        >>> import jax, numpy as np
        >>> rng = np.random.default_rng(0)
        >>> x, y = rng.standard_normal((200, 3)), rng.standard_normal((200, 3))
        >>> found = frontier(x, y, method="gaussian", num_draws=1000, key=jax.random.key(0))
        >>> sorted(found), 0.9 < float(found["mauve"]) <= 1.0
        (['fi', 'mauve', 'mid'], True)
    """
    return estimate_frontier(
        reference, generated, generator=generator, method=method, like=like, scale=scale, key=key, **options
    ).results


def estimate_frontier(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    generator: str | Generator = "kl",
    method: str = "quantized",
    like: str = "mauve-text",
    scale: float = 5.0,
    key: jax.Array | None = None,
    **options: Any,
) -> FrontierEstimate:
    """Return the divergence frontier between two samples and its summaries, by one of six estimators.

    * "mauve": the area under ``(exp(-c D_f(P||R)), exp(-c D_f(Q||R)))``; 1 for equal laws.
    * "fi": twice the mean over mixtures of ``l D_f(P||R_l) + (1 - l) D_f(Q||R_l)``; 0 for equal laws.
    * "mid": the same at the middle; Jensen-Shannon for KL.
    * "mauve-smoothed" and so on (quantized): of histograms with half a count more in every bucket.
    * "mauve-debiased" and so on (quantized): the plug-in less its first-order bias; may leave its range.

    Methods, with their options:

    * "quantized": histograms over shared buckets. ``num_buckets``, ``num_seeds`` (5), ``unit_rows`` (True),
      ``explained_variance`` (0.9), ``start`` ("rows"), ``num_restarts`` (5).
    * "nearest": ``num_neighbors``, ``own_point`` of :func:`fkeax.frontier.nearest_ratios`.
    * "kde": ``bandwidth`` of :func:`fkeax.frontier.kde_ratios`.
    * "classifier": ``cross_fit``, ``penalty``, ``max_iterations`` of
      :func:`fkeax.frontier.classifier.classifier_ratios`.
    * "gaussian": ``num_draws`` of :func:`fkeax.frontier.gaussian_ratios`, between Gaussians fitted to the samples.
    * "transport": ``cost``, ``regularization``, ``num_points`` of :func:`fkeax.frontier.transport_frontier`; not an
      f-divergence, so the generator has no part in it.

    All but "quantized" take ``num_components`` (principal components of the pooled rows, min(d, 49) unless given). The
    four that estimate ratios ``p/q`` at the samples also take ``atoms``: "pooled" makes one pair of histograms on all
    samples, "other-side" is eq. (25) of the paper, which a single outlying ratio can carry.

    Args:
        reference: Samples of P, (n, d).
        generated: Samples of Q, (m, d).
        generator: f: "kl", "chi2", ... or a :class:`fkeax.frontier.Generator`.
        method: One of the six.
        like: "mauve-text", "paper" (for quantized samples: smoothed headline, grid ``i/100``) or "exact".
        scale: The constant c of the area.
        key: Typed key, needed by "quantized", "classifier" and "gaussian".
        options: Of the method.

    Returns:
        Results with standard errors of the samples, the quantizer or ratio function held fixed (for Gaussians: of the
        integration alone), and the curve.

    Raises:
        ValueError, TypeError: One sentence that names the argument.

    Cost:
        As the method says.
    """
    checks.choice(method, "method", METHODS)
    checks.choice(like, "like", LIKE)
    unknown = sorted(set(options) - set(OPTIONS[method]))
    if unknown:
        raise TypeError(f"{unknown[0]} is no option of method={method!r}, which takes {', '.join(OPTIONS[method])}.")
    number = checks.positive_number(scale, "scale")
    kind = generator if isinstance(generator, Generator) else named_generator(generator)
    for check in (check_frontier_generator, integral_generator, midpoint_generator):
        check(kind)
    p, q = _checked_pair(reference, generated)
    if key is not None or method in NEED_KEY:
        key = checks.typed_key(key, f"method={method!r}")
    settings: dict[str, object] = {
        "estimator": method,
        "generator": "none" if method == "transport" else kind.name,
        "scale": number,
        "like": like,
        "n_ref": p.shape[0],
        "n_gen": q.shape[0],
        "dimension": p.shape[1],
        "seed": None if key is None else batching.key_seed(key).tolist(),
        "dtype": str(checks.working_dtype(np.result_type(p.dtype, q.dtype))),
    }
    if method == "quantized":
        assert key is not None
        return _quantized(key, p, q, kind, number, like, settings, options)
    reduced, num_components = _reduced(p, q, options.pop("num_components", None))
    settings["num_components"] = num_components
    if method == "transport":
        return _transport(*reduced, number, settings, options)
    atoms = options.pop("atoms", "pooled")
    ratios = _ratios(method, *reduced, key, options)
    mixtures = grid_like(like)
    found = summarize_ratios(
        ratios,
        kind,
        scale=number,
        mixtures=compatible_mixtures() if mixtures is None else mixtures,
        exact=mixtures is None,
        atoms=atoms,
    )
    return FrontierEstimate(results_from_ratios(ratios, found, settings | {"atoms": atoms}), found.curve, None)


def _checked_pair(reference: ArrayLike, generated: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
    sides = []
    for name, side in (("reference", reference), ("generated", generated)):
        rows = np.asarray(checks.matrix(side, name))
        checks.finite_rows(rows, name)
        checks.square_range(rows, name, zeros=False)
        if rows.shape[0] < 2:
            raise ValueError(f"{name} must have at least 2 samples; got {rows.shape[0]}.")
        sides.append(rows)
    if sides[0].shape[1] != sides[1].shape[1]:
        raise ValueError(
            f"reference and generated must have one dimension; got {sides[0].shape[1]} and {sides[1].shape[1]}."
        )
    return sides[0], sides[1]


def _reduced(p: np.ndarray, q: np.ndarray, num_components: int | None) -> tuple[tuple[np.ndarray, np.ndarray], int]:
    """Return both samples along shared principal components, or as they are where that changes nothing."""
    limit = min(p.shape[1], p.shape[0] + q.shape[0])
    number = min(limit, MAX_COMPONENTS) if num_components is None else checks.count(num_components, "num_components")
    if number == p.shape[1]:
        return (p, q), number
    pooled = pool_rows([p, q], unit_rows=False, explained_variance=None, num_components=number)
    stacked = np.empty_like(pooled.rows)
    stacked[pooled.order] = pooled.rows
    return (stacked[: len(p)], stacked[len(p) :]), number


def _ratios(
    method: str, p: np.ndarray, q: np.ndarray, key: jax.Array | None, options: Mapping[str, Any]
) -> LikelihoodRatios:
    if method == "nearest":
        return nearest_ratios(p, q, **options)
    if method == "kde":
        return kde_ratios(p, q, **options)
    assert key is not None
    if method == "gaussian":
        return gaussian_ratios(fit_gaussian(p, "reference"), fit_gaussian(q, "generated"), key=key, **options)
    from fkeax.frontier.classifier import classifier_ratios  # optax, which the other estimators do without

    return classifier_ratios(p, q, key=key, **options)


def _transport(
    p: np.ndarray, q: np.ndarray, scale: float, settings: Mapping[str, object], options: Mapping[str, Any]
) -> FrontierEstimate:
    from fkeax.frontier.transport import transport_frontier  # ott-jax, an extra

    found = transport_frontier(p, q, scale=scale, **options)
    return FrontierEstimate(results_from_transport(found, settings), found.curve, None)


def _quantized(
    key: jax.Array,
    p: np.ndarray,
    q: np.ndarray,
    generator: Generator,
    scale: float,
    like: str,
    settings: Mapping[str, object],
    options: Mapping[str, Any],
) -> FrontierEstimate:
    mixtures = grid_like(like)
    found = quantized_frontier(
        key,
        p,
        q,
        generator,
        scale=scale,
        mixtures=mixtures,
        curve_mixtures=compatible_mixtures() if mixtures is None else mixtures,
        smoothed_floor=like == "paper",
        **options,
    )
    own: dict[str, object] = {
        "num_buckets": found.num_buckets,
        "num_seeds": len(found.quantizers),
        "num_components": found.pooled.rows.shape[1],
        "unit_rows": options.get("unit_rows", True),
        "explained_variance": options.get("explained_variance", 0.9),
        "num_restarts": options.get("num_restarts", 5),
        "start": options.get("start", "rows"),
        "smoothing": "krichevsky-trofimov" if like == "paper" else "empirical",
    }
    results = results_from_quantizers(found, dict(settings) | own, smoothed_headline=like == "paper")
    return FrontierEstimate(results, found.curve, found.costs)
