"""The public diversity scores: validated arguments in, results that say how far to trust them out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Unpack

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from fkeax.diversity import evidence as routes
from fkeax.diversity.assemble import results_from_evidence
from fkeax.diversity.plan import plan
from fkeax.diversity.request import Request, ScoreOptions, request
from fkeax.diversity.samples import Rows
from fkeax.diversity.streaming import FkeaState
from fkeax.kernels import Bandwidth, Kernel, given_bandwidth
from fkeax.numerics import checks
from fkeax.results import Result

METRICS = ("vendi", "vendi-debiased", "vendi-truncated", "rke")
DEFAULT_METRICS = ("vendi", "vendi-debiased", "rke")
ORDERS = (1.0, 1.5, 2.0, math.inf)


def score(
    x: Rows,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    orders: Sequence[float] = ORDERS,
    kernel: str | Kernel = "gaussian",
    bandwidth: float | str | Bandwidth | None = None,
    method: str = "auto",
    features: str = "iid",
    num_frequencies: int = 2000,
    num_draws: int = 1,
    num_landmarks: int = 1000,
    num_kept: int | None = None,
    weights: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    intervals: bool = False,
    batch_size: int = 4096,
    memory_budget: int | str | None = None,
    spectrum: str = "dense",
    key: jax.Array | None = None,
) -> dict[str, Result]:
    """Return diversity scores of a set of samples, all from one pass.

    * ``vendi-a``: ``(sum lambda_i^a)^(1/(1-a))`` of the eigenvalues of ``K/n``, the effective number of modes at order
      a (FKEA paper, eq. (4)). Of these samples: it grows with n towards a population value that can be astronomically
      large for a < 2.
    * ``vendi-a-debiased`` and ``vendi-a-debiased-second`` (features only): the same without the leading bias of random
      frequencies, by first and second order of a jackknife over frequencies; they estimate the exact ``vendi-a``.
    * ``vendi-a-truncated``: of the ``num_kept`` largest eigenvalues, the rest spread over them; converges with n.
    * ``rke``: ``1 / mean k^2``, equal to ``vendi-2`` but without an eigenvalue (eq. (3)).
    * ``rke-debiased`` (features only): the same without the bias of random frequencies; estimates the exact ``rke``.
    * ``rke-population``: the same over pairs of distinct samples, or of distinct groups; estimates the population's
      ``1 / E k^2``, whatever n.

    Deviations from the paper: plain feature scores read low (their expected squared norm exceeds the exact one by
    ``mean((1 + k(2D))/2 - k(D)^2) / r`` at any number of draws), so debiased scores stand beside; eigenvalues that are
    rounding noise are cut and the rest renormalised, so that identical samples score 1 at every order, 0 included. The
    exact route is computed in float64 whatever the dtype of x.

    Args:
        x: Samples as rows, (n, d): NumPy, memory map, JAX or nested lists; or an iterable of 2-D batches, read once.
            Half precision and integers are computed in float32, float64 under ``jax.enable_x64`` in float64. Centred
            before any cast.
        metrics: Of "vendi", "vendi-debiased", "vendi-truncated" and "rke". Debiased scores belong to features; other
            routes have no such bias, and no such result.
        orders: Orders of VENDI, in [0, inf].
        kernel: A name, "gaussian", "laplace-l1", "laplace-l2", "matern12", "matern32", "matern52",
            "rational-quadratic:alpha=1", "cosine", "linear" or "polynomial:degree=3,scale=0.01", or a kernel of
            :mod:`fkeax.kernels` with its own bandwidth.
        bandwidth: In the units of x, for kernels that have one: a positive number; a rule applied to x, "median",
            "rke=10" or "mean-k2=0.05" (:func:`fkeax.kernels.parse_bandwidth`); or what such a rule found on a reference
            set, as from :func:`fkeax.kernels.bandwidth_for_rke`. There is no default: scores are comparable only at one
            shared bandwidth.
        method: "exact" (n x n), "dual" (explicit features of cosine, linear and polynomial kernels), "fkea" (random
            Fourier features), "nystrom" (features from landmark rows), or "auto": exact when n <= 2r, the dual when it
            is the smaller matrix, Fourier features otherwise.
        features: How frequencies are drawn: "iid", "orthogonal", "stratified", "orthogonal-stratified" or "sobol";
            what each does to bias and spread, and which debiasing it allows, is told by
            :func:`fkeax.features.sample_fourier_map`.
        num_frequencies: The paper's r; features have 2r dimensions, and no plain score exceeds 2r.
        num_draws: Independent draws of the frequencies, all in the one pass; values are means over draws (debiased
            scores average what is unbiased, then transform), and the spread gives the standard error. Memory grows in
            proportion.
        num_landmarks: Rows that Nystrom features are made of; at most n are used.
        num_kept: Eigenvalues that "vendi-truncated" keeps.
        weights: Not negative, one a row, an array only.
        groups: A label for each row, where rows depend on each other (frames of a clip): ``rke-population`` then goes
            over pairs of different groups, and intervals leave whole groups out.
        intervals: Whether plain VENDI scores get a standard error and a 95 % interval over fresh samples, by leaving
            out each of ten blocks of rows in turn: eleven spectra instead of one, and on features ten matrices more.
        batch_size: Rows of a batch on streaming routes; changes numbers by rounding only. BLAS is at its best with
            thousands of rows; a batch takes ``2r`` numbers a row and draw.
        memory_budget: Bytes beside the input that the score may take, or a text such as "2GiB": batches and blocks of
            the kernel matrix become as small as that needs. None: a batch as asked for, and blocks of 64 MiB.
        spectrum: How VENDI of a covariance of features comes about: "dense", all eigenvalues, or "lanczos", stochastic
            Lanczos quadrature (:mod:`fkeax.diversity.spectral_quadrature`): within a standard error of 0.3 %, which is
            in the result, at 2r = 8,000 many times faster. Debiased and truncated VENDI and order 0 then have no value.
        key: Typed key, needed for features, landmarks, and bandwidth rules beyond 2,000 rows. It is split before
            frequencies are drawn, so ``sample_fourier_map(key, ...)`` gives other frequencies.

    Returns:
        Results by name, in the order of the metrics and orders. Every plain score lies in [1, min(n, 2r)].

    Raises:
        ValueError, TypeError: One sentence that names the argument, what was expected and what came. Non-finite rows
            are named.

    Cost:
        exact: O(n^2 d + n^3) time, 2 n^2 float64 numbers (RKE alone: O(n^2 d) time, blocks of 64 MiB).
        fkea: O(n r d + 2 n r^2 + r^3) time and (2r)^2 numbers a draw, whatever n; debiased VENDI nearly doubles the
        r^3 term (5/16 a halving, three halvings).
        dual: O(n f^2 + f^3) time, f^2 numbers for f explicit features (d for cosine and linear kernels).
        nystrom: O(n m (d + m) + m^3) time, four m^2 numbers.

    Example:
        >>> import numpy as np
        >>> x = np.repeat(np.eye(3) * 100, 4, axis=0)  # three far groups of four equal points
        >>> {name: round(float(result), 3) for name, result in score(x, bandwidth=1.0, orders=(0, 1)).items()}
        {'vendi-0': 3.0, 'vendi-1': 3.0, 'rke': 3.0, 'rke-population': 3.667}
    """
    names, alphas = checked_metrics(metrics, orders, num_kept)
    options = ScoreOptions(
        kernel=kernel,
        bandwidth=bandwidth,
        method=method,
        features=features,
        num_frequencies=num_frequencies,
        num_draws=num_draws,
        num_landmarks=num_landmarks,
        weights=weights,
        groups=groups,
        intervals=intervals,
        batch_size=batch_size,
        memory_budget=memory_budget,
        spectrum=spectrum,
        key=key,
    )
    asked = request(x, options, spectrum=needs_spectrum(names))
    return results_of(asked, routes.evidence(asked, wanted(names, alphas)), names, alphas, num_kept)


def results_of(
    asked: Request, found: routes.Evidence, metrics: Sequence[str], orders: Sequence[float], num_kept: int | None
) -> dict[str, Result]:
    """Return the results of a request from its evidence, at least one."""
    results = results_from_evidence(
        found,
        settings=asked.settings(),
        plan=asked.plan,
        metrics=metrics,
        orders=orders,
        num_kept=num_kept,
        unit_diagonal=asked.kernel.unit_diagonal,
    )
    if not results:
        raise ValueError(
            f"metrics={list(metrics)} have no result by the {asked.plan.route} route, which has no bias to remove."
        )
    return results


def needs_spectrum(metrics: Sequence[str]) -> bool:
    """Return whether any of the metrics is made of eigenvalues."""
    return any(name.startswith("vendi") for name in metrics)


def wanted(metrics: Sequence[str], orders: Sequence[float]) -> routes.Wanted:
    """Return what evidence has to hold for the metrics."""
    return routes.Wanted(tuple(orders) if needs_spectrum(metrics) else (), "vendi-debiased" in metrics)


def score_state(
    state: FkeaState,
    *,
    bandwidth: float,
    metrics: Sequence[str] = DEFAULT_METRICS,
    orders: Sequence[float] = ORDERS,
    kernel: str = "gaussian",
) -> dict[str, Result]:
    """Return the diversity scores of a streamed state, such as a training loop keeps: those of :func:`fkea`.

    ``rke-population`` comes without a standard error: it needs rows, and a state keeps none.

    Args:
        state: From :func:`fkeax.diversity.streaming.update` or ``merge``, having seen at least one sample.
        bandwidth: Of the kernel that the state's map was drawn for; recorded in the results.
        metrics: Of "vendi", "vendi-debiased" and "rke".
        orders: Orders of VENDI, in [0, inf].
        kernel: Name of that kernel; recorded.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax import Gaussian
        >>> from fkeax.diversity import streaming
        >>> from fkeax.features import sample_fourier_map
        >>> state = streaming.init(sample_fourier_map(jax.random.key(0), Gaussian(1.0), 50, jnp.zeros(2)))
        >>> for _ in range(3):  # steps of a training loop
        ...     state = streaming.update(state, jnp.ones((4, 2)))
        >>> scores = score_state(state, bandwidth=1.0, orders=(0, 1))
        >>> {name: round(float(scores[name]), 4) for name in ("vendi-0", "vendi-1", "rke")}
        {'vendi-0': 1.0, 'vendi-1': 1.0, 'rke': 1.0}
    """
    names, alphas = checked_metrics(metrics, orders, None)
    if state.num_samples == 0:
        raise ValueError("state must have seen at least one sample; it has seen none.")
    state = jax.tree.map(jnp.asarray, state)  # its leaves are NumPy's after `jax.device_get`
    num_frequencies, dimension = state.fourier_map.frequencies.shape
    dtype = np.dtype(state.fourier_map.frequencies.dtype)
    scheme = state.fourier_map.scheme
    settings = {
        "estimator": "fkea",
        "kernel": kernel,
        "kernel_parameters": None,
        "bandwidth": given_bandwidth(bandwidth).value,
        "bandwidth_source": "given",
        "dimension": dimension,
        "num_frequencies": num_frequencies,
        "num_draws": 1,
        "features": scheme,
        "num_landmarks": None,
        "num_groups": None,
        "weighted": abs(state.moment.weight.to_float() - state.num_samples) > 1e-6 * state.num_samples,
        "seed": None,
        "dtype": str(dtype),
        "precision": "highest",
    }
    return results_from_evidence(
        routes.fourier_evidence((state.moment,), wanted(names, alphas), scheme=scheme, seed=0),
        settings=settings,
        plan=plan(None, dimension, method="fkea", num_frequencies=num_frequencies, dtype=str(dtype)),
        metrics=names,
        orders=alphas,
        num_kept=None,
        unit_diagonal=True,
    )


def checked_metrics(
    metrics: Sequence[str], orders: Sequence[float], num_kept: int | None
) -> tuple[list[str], list[float]]:
    """Return metrics and orders as lists, after checking that each is one."""
    names = [metrics] if isinstance(metrics, str) else metrics
    orders = np.asarray(orders).tolist() if isinstance(orders, (np.ndarray, jax.Array)) else orders
    for name, given in (("metrics", names), ("orders", orders)):
        if not isinstance(given, Sequence):
            raise TypeError(f"{name} must be a sequence such as a tuple; got {given!r}.")
    checked = [checks.choice(name, "metrics", METRICS) for name in names]
    if len(checked) == 0 or (needs_spectrum(checked) and len(orders) == 0):
        raise ValueError("metrics and orders must each name at least one.")
    if num_kept is not None:
        checks.count(num_kept, "num_kept")
    elif "vendi-truncated" in checked:
        raise ValueError(
            "num_kept is needed for 'vendi-truncated': how many eigenvalues to keep, such as num_kept=100."
        )
    return checked, [checks.order(a, "orders") for a in orders]


def vendi(x: Rows, *, order: float = 1.0, **options: Unpack[ScoreOptions]) -> Result:
    """Return the plain VENDI score of one order.

    Args:
        x: As in :func:`score`.
        order: In [0, inf].
        options: Keyword arguments of :func:`score`: ``kernel``, ``bandwidth``, ``method``, ``features``,
            ``num_frequencies``, ``num_draws``, ``num_landmarks``, ``weights``, ``groups``, ``intervals``,
            ``batch_size``, ``key``. Errors and cost are the same too.

    Returns:
        A result in [1, min(n, 2r)]: the effective number of modes among these samples. ``float(result)`` is its value.

    Example:
        >>> import numpy as np
        >>> round(float(vendi(np.eye(4) * 100, bandwidth=1.0)), 3)  # four points far apart
        4.0
    """
    (result,) = score(x, metrics=("vendi",), orders=(order,), **options).values()
    return result


def rke(x: Rows, **options: Unpack[ScoreOptions]) -> Result:
    """Return the plain RKE score, ``1 / mean k^2``; no eigenvalue is computed.

    The debiased and the population value come from :func:`score` or :func:`fkea`.

    Args:
        x: As in :func:`score`.
        options: Keyword arguments of :func:`score`, as for :func:`vendi`.

    Returns:
        A result in [1, min(n, 2r)].

    Example:
        >>> import numpy as np
        >>> round(float(rke(np.eye(4) * 100, bandwidth=1.0)), 3)
        4.0
    """
    return score(x, metrics=("rke",), **options)["rke"]


def fkea(x: Rows, *, orders: Sequence[float] = ORDERS, **options: Unpack[ScoreOptions]) -> dict[str, Result]:
    """Return VENDI of several orders and RKE, plain, debiased and population, through Fourier features, in O(n).

    Args:
        x: As in :func:`score`.
        orders: Orders of VENDI, in [0, inf].
        options: Keyword arguments of :func:`score`, as for :func:`vendi`, but for ``method``, which is "fkea".

    Returns:
        Results by name: ``vendi-a``, ``vendi-a-debiased`` and ``vendi-a-debiased-second`` for each order, ``rke``,
        ``rke-debiased``, ``rke-population``.

    Example:
        >>> import jax, numpy as np
        >>> x = np.repeat(np.eye(3) * 100, 40, axis=0)
        >>> found = fkea(x, bandwidth=1.0, orders=(1,), num_frequencies=500, key=jax.random.key(0))
        >>> bool(2.9 < float(found["vendi-1"]) <= 3), abs(float(found["vendi-1-debiased"]) - 3) < 0.03
        (True, True)
    """
    if options.get("method", "fkea") != "fkea":
        raise ValueError(f"method must be 'fkea' here; got {options.get('method')!r}: use fkeax.score.")
    return score(x, orders=orders, **(options | {"method": "fkea"}))
