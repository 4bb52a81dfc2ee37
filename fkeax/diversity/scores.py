"""The public diversity scores: validated arguments in, results that say how far to trust them out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.diversity import evidence as routes
from fkeax.diversity.assemble import results_from_evidence
from fkeax.diversity.plan import KERNEL_NAMES, METHODS, Plan, plan
from fkeax.diversity.samples import Rows, Samples, samples
from fkeax.diversity.streaming import FkeaState
from fkeax.kernels import Bandwidth, Cosine, Gaussian, Linear, given_bandwidth, median_bandwidth
from fkeax.numerics import checks
from fkeax.results import Result

METRICS = ("vendi", "rke")
ORDERS = (1.0, 1.5, 2.0, math.inf)


@dataclass(frozen=True)
class Request:
    """What was asked for, checked, with every choice made.

    Attributes:
        data: The samples.
        kernel: The kernel with its bandwidth.
        bandwidth: Value and source; None for kernels without one.
        plan: Route and memory.
        num_frequencies: r; None off the fkea route.
        num_draws: Independent draws of the frequencies; None off the fkea route.
        weights: Sample weights, or None.
        key: The child key of the route; None where the route is not random and none was given.
        seed: Data of the key that was given.
    """

    data: Samples
    kernel: Gaussian | Cosine | Linear
    bandwidth: Bandwidth | None
    plan: Plan
    num_frequencies: int | None
    num_draws: int | None
    weights: np.ndarray | None
    key: jax.Array | None
    seed: list[int] | None

    def settings(self) -> dict[str, object]:
        """Return the settings of every result of this request, but for the order and the number of samples."""
        return {
            "estimator": self.plan.route,
            "kernel": self.kernel.name,
            "bandwidth": None if self.bandwidth is None else self.bandwidth.value,
            "bandwidth_source": None if self.bandwidth is None else self.bandwidth.source,
            "dimension": self.data.dimension,
            "num_frequencies": self.num_frequencies,
            "num_draws": self.num_draws,
            "features": None if self.num_frequencies is None else "iid",
            "weighted": self.weights is not None,
            "seed": self.seed,
            "dtype": str(self.data.dtype),
            "precision": "highest",
        }


def request(
    x: Rows,
    *,
    kernel: str,
    bandwidth: float | str | None,
    method: str,
    num_frequencies: int,
    num_draws: int,
    weights: ArrayLike | None,
    batch_size: int,
    key: jax.Array | None,
    spectrum: bool,
) -> Request:
    """Check every argument before the first sample is looked at, and choose kernel, bandwidth and route."""
    checks.choice(kernel, "kernel", KERNEL_NAMES)
    checks.choice(method, "method", METHODS)
    num_frequencies = checks.count(num_frequencies, "num_frequencies")
    num_draws = checks.count(num_draws, "num_draws")
    if key is not None:
        checks.typed_key(key, "this score")
    if kernel == "gaussian" and bandwidth is None:
        raise ValueError(
            "bandwidth is needed: pass bandwidth=7.0 (in the units of the data) or bandwidth='median'; "
            "scores are comparable only at one shared bandwidth."
        )
    if kernel != "gaussian" and bandwidth is not None:
        raise ValueError(f"bandwidth has no meaning for the {kernel} kernel; leave it out (got {bandwidth!r}).")
    if isinstance(bandwidth, str) and bandwidth != "median":
        raise ValueError(f"bandwidth must be a positive number or 'median'; got {bandwidth!r}.")
    given = None if bandwidth is None or isinstance(bandwidth, str) else given_bandwidth(bandwidth)

    data = samples(x, checks.count(batch_size, "batch_size"))
    if weights is not None and data.matrix is None:
        raise ValueError(
            "weights need all samples at once; for a stream, give them to fkeax.diversity.streaming.update."
        )
    chosen = plan(
        data.num_samples,
        data.dimension,
        kernel=kernel,
        method=method,
        num_frequencies=num_frequencies,
        num_draws=num_draws,
        batch_size=data.batch_size,
        dtype=str(data.dtype),
        spectrum=spectrum,
    )
    on_features = chosen.route == "fkea"
    if on_features:
        checks.typed_key(key, "random Fourier features")
    key_bandwidth, key_route = (None, None) if key is None else tuple(jax.random.split(key))
    if bandwidth == "median":
        given = _median_rule(data, key_bandwidth)
    return Request(
        data=data,
        kernel=Gaussian(given.value) if given is not None else Cosine() if kernel == "cosine" else Linear(),
        bandwidth=given,
        plan=chosen,
        num_frequencies=num_frequencies if on_features else None,
        num_draws=num_draws if on_features else None,
        weights=_relative_weights(weights, data.num_samples or 0),
        key=key_route,
        seed=None if key is None else np.asarray(jax.random.key_data(key)).ravel().tolist(),
    )


def _relative_weights(weights: ArrayLike | None, num_samples: int) -> np.ndarray | None:
    """Return checked weights over their largest: scores do not depend on a scale that float32 sums might not hold."""
    checked = checks.weight_vector(weights, num_samples)
    if checked is None:
        return None
    if not checked.max() > 0:
        raise ValueError("weights must not all be 0.")
    return checked / checked.max()


def _median_rule(data: Samples, key: jax.Array | None) -> Bandwidth:
    if data.matrix is None:
        raise ValueError("bandwidth='median' needs all samples at once; for a stream of batches give a number.")
    checks.finite_rows(data.matrix)
    return median_bandwidth(data.matrix, key=key)


def score(
    x: Rows,
    *,
    metrics: Sequence[str] = METRICS,
    orders: Sequence[float] = ORDERS,
    kernel: str = "gaussian",
    bandwidth: float | str | None = None,
    method: str = "auto",
    num_frequencies: int = 2000,
    num_draws: int = 1,
    weights: ArrayLike | None = None,
    batch_size: int = 4096,
    key: jax.Array | None = None,
) -> dict[str, Result]:
    """Return diversity scores of a set of samples, all from one pass.

    * ``vendi-a``: ``(sum lambda_i^a)^(1/(1-a))`` of the eigenvalues of ``K/n``, the effective number of modes at order
      a (FKEA paper, eq. (4)). Of these samples: it grows with n towards a population value that can be astronomically
      large for a < 2.
    * ``rke``: ``1 / mean k^2``, equal to ``vendi-2`` but without an eigenvalue (eq. (3)).
    * ``rke-debiased`` (features only): the same without the bias of random frequencies; estimates the exact ``rke``.
    * ``rke-population``: the same over pairs of distinct samples; estimates the population's ``1 / E k^2``, whatever n.

    Deviations from the paper: plain feature scores read low (their expected squared norm exceeds the exact one by
    ``mean((1 - k^2)^2) / (2r)`` at any number of draws), so the debiased score stands beside; eigenvalues that are
    rounding noise are cut and the rest renormalised, so that identical samples score 1 at every order, 0 included. The
    exact route is computed in float64 whatever the dtype of x.

    Args:
        x: Samples as rows, (n, d): NumPy, memory map, JAX or nested lists; or an iterable of 2-D batches, read once.
            Half precision and integers are computed in float32, float64 under ``jax.enable_x64`` in float64. Centred
            before any cast.
        metrics: Of "vendi" and "rke".
        orders: Orders of VENDI, in [0, inf].
        kernel: "gaussian", "cosine" or "linear".
        bandwidth: Of the Gaussian kernel, in the units of x: a positive number, or "median" (see
            :func:`fkeax.kernels.median_bandwidth`). There is no default: scores are comparable only at one shared
            bandwidth.
        method: "exact" (n x n), "dual" (d x d; cosine and linear), "fkea" (random Fourier features), or "auto": exact
            when n <= 2r, the dual when d < n, features otherwise.
        num_frequencies: The paper's r; features have 2r dimensions, and no plain score exceeds 2r.
        num_draws: Independent draws of the frequencies, all in the one pass; values are means over draws
            (``rke-debiased`` inverts the mean of the unbiased moment), and the spread gives the standard error. Memory
            grows in proportion.
        weights: Not negative, one a row, an array only.
        batch_size: Rows of a batch on streaming routes; changes numbers by rounding only. BLAS is at its best with
            thousands of rows; a batch takes ``2r`` numbers a row and draw.
        key: Typed key, needed for features and for the median of more than 2,000 rows. It is split before frequencies
            are drawn, so ``sample_fourier_map(key, ...)`` gives other frequencies.

    Returns:
        Results by name, in the order of the metrics and orders. Every plain score lies in [1, min(n, 2r)].

    Raises:
        ValueError, TypeError: One sentence that names the argument, what was expected and what came. Non-finite rows
            are named.

    Cost:
        exact: O(n^2 d + n^3) time, 2 n^2 float64 numbers (RKE alone: O(n^2 d) time, blocks of 64 MiB).
        fkea: O(n r d + 2 n r^2 + r^3) time and (2r)^2 numbers a draw, whatever n.
        dual: O(n d^2 + d^3) time, d^2 numbers.

    Example:
        >>> import numpy as np
        >>> x = np.repeat(np.eye(3) * 100, 4, axis=0)  # three far groups of four equal points
        >>> {name: round(float(result), 3) for name, result in score(x, bandwidth=1.0, orders=(0, 1)).items()}
        {'vendi-0': 3.0, 'vendi-1': 3.0, 'rke': 3.0, 'rke-population': 3.667}
    """
    metrics, orders = _checked_metrics(metrics, orders)
    spectrum = "vendi" in metrics
    asked = request(
        x,
        kernel=kernel,
        bandwidth=bandwidth,
        method=method,
        num_frequencies=num_frequencies,
        num_draws=num_draws,
        weights=weights,
        batch_size=batch_size,
        key=key,
        spectrum=spectrum,
    )
    found = _evidence(asked, spectrum=spectrum)
    return results_from_evidence(
        found,
        settings=asked.settings(),
        plan=asked.plan,
        metrics=metrics,
        orders=orders,
        unit_diagonal=asked.kernel.unit_diagonal,
    )


def _evidence(asked: Request, *, spectrum: bool) -> routes.Evidence:
    data, kernel = asked.data, asked.kernel
    if asked.plan.route == "exact":
        return routes.exact_evidence(data, kernel, asked.weights, spectrum=spectrum)
    if asked.plan.route == "dual" and not isinstance(kernel, Gaussian):
        return routes.dual_evidence(data, kernel, asked.weights, asked.key, spectrum=spectrum)
    if (
        not isinstance(kernel, Gaussian)
        or asked.key is None
        or asked.num_frequencies is None
        or asked.num_draws is None
    ):
        raise AssertionError("the plan let a kernel without features, or no key, reach the fkea route")
    return routes.fkea_evidence(
        data,
        kernel,
        asked.weights,
        asked.key,
        num_frequencies=asked.num_frequencies,
        num_draws=asked.num_draws,
        spectrum=spectrum,
    )


def score_state(
    state: FkeaState,
    *,
    bandwidth: float,
    metrics: Sequence[str] = METRICS,
    orders: Sequence[float] = ORDERS,
) -> dict[str, Result]:
    """Return the diversity scores of a streamed state, such as a training loop keeps: those of :func:`fkea`.

    ``rke-population`` comes without a standard error: it needs rows, and a state keeps none.

    Args:
        state: From :func:`fkeax.diversity.streaming.update` or ``merge``, having seen at least one sample.
        bandwidth: Of the Gaussian kernel that the state's map was drawn for; recorded in the results.
        metrics: Of "vendi" and "rke".
        orders: Orders of VENDI, in [0, inf].

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
    metrics, orders = _checked_metrics(metrics, orders)
    if state.num_samples == 0:
        raise ValueError("state must have seen at least one sample; it has seen none.")
    num_frequencies, dimension = state.fourier_map.frequencies.shape
    dtype = np.dtype(state.fourier_map.frequencies.dtype)
    chosen = plan(None, dimension, method="fkea", num_frequencies=num_frequencies, dtype=str(dtype))
    found = routes.moment_evidence(
        (state.moment,), None, spectrum="vendi" in metrics, features=True, unit_diagonal=True
    )
    settings = {
        "estimator": "fkea",
        "kernel": "gaussian",
        "bandwidth": given_bandwidth(bandwidth).value,
        "bandwidth_source": "given",
        "dimension": dimension,
        "num_frequencies": num_frequencies,
        "num_draws": 1,
        "features": "iid",
        "weighted": abs(state.moment.weight.to_float() - state.num_samples) > 1e-6 * state.num_samples,
        "seed": None,
        "dtype": str(dtype),
        "precision": "highest",
    }
    return results_from_evidence(
        found, settings=settings, plan=chosen, metrics=metrics, orders=orders, unit_diagonal=True
    )


def _checked_metrics(metrics: Sequence[str], orders: Sequence[float]) -> tuple[list[str], list[float]]:
    names = [metrics] if isinstance(metrics, str) else metrics
    orders = np.asarray(orders).tolist() if isinstance(orders, (np.ndarray, jax.Array)) else orders
    for name, given in (("metrics", names), ("orders", orders)):
        if not isinstance(given, Sequence):
            raise TypeError(f"{name} must be a sequence such as a tuple; got {given!r}.")
    if len(names) == 0 or ("vendi" in names and len(orders) == 0):
        raise ValueError("metrics and orders must each name at least one.")
    return [checks.choice(name, "metrics", METRICS) for name in names], [checks.order(a, "orders") for a in orders]


def vendi(
    x: Rows,
    *,
    order: float = 1.0,
    kernel: str = "gaussian",
    bandwidth: float | str | None = None,
    method: str = "auto",
    num_frequencies: int = 2000,
    num_draws: int = 1,
    weights: ArrayLike | None = None,
    batch_size: int = 4096,
    key: jax.Array | None = None,
) -> Result:
    """Return the VENDI score of one order; arguments, errors and cost as :func:`score`.

    Returns:
        A result in [1, min(n, 2r)]: the effective number of modes among these samples. ``float(result)`` is its value.

    Example:
        >>> import numpy as np
        >>> round(float(vendi(np.eye(4) * 100, bandwidth=1.0)), 3)  # four points far apart
        4.0
    """
    (result,) = score(
        x,
        metrics=("vendi",),
        orders=(order,),
        kernel=kernel,
        bandwidth=bandwidth,
        method=method,
        num_frequencies=num_frequencies,
        num_draws=num_draws,
        weights=weights,
        batch_size=batch_size,
        key=key,
    ).values()
    return result


def rke(
    x: Rows,
    *,
    kernel: str = "gaussian",
    bandwidth: float | str | None = None,
    method: str = "auto",
    num_frequencies: int = 2000,
    num_draws: int = 1,
    weights: ArrayLike | None = None,
    batch_size: int = 4096,
    key: jax.Array | None = None,
) -> Result:
    """Return the plain RKE score, ``1 / mean k^2``; no eigenvalue is computed.

    Arguments and errors as :func:`score`.
    The debiased and the population value come from :func:`score` or :func:`fkea`.

    Returns:
        A result in [1, min(n, 2r)].

    Example:
        >>> import numpy as np
        >>> round(float(rke(np.eye(4) * 100, bandwidth=1.0)), 3)
        4.0
    """
    return score(
        x,
        metrics=("rke",),
        kernel=kernel,
        bandwidth=bandwidth,
        method=method,
        num_frequencies=num_frequencies,
        num_draws=num_draws,
        weights=weights,
        batch_size=batch_size,
        key=key,
    )["rke"]


def fkea(
    x: Rows,
    *,
    bandwidth: float | str,
    orders: Sequence[float] = ORDERS,
    num_frequencies: int = 2000,
    num_draws: int = 1,
    weights: ArrayLike | None = None,
    batch_size: int = 4096,
    key: jax.Array | None = None,
) -> dict[str, Result]:
    """Return VENDI of several orders and RKE, plain, debiased and population, through Fourier features, in O(n).

    Arguments, errors and cost as :func:`score` with ``method="fkea"`` and the Gaussian kernel.

    Returns:
        Results by name: ``vendi-a`` for each order, ``rke``, ``rke-debiased``, ``rke-population``.

    Example:
        >>> import jax, numpy as np
        >>> x = np.repeat(np.eye(3) * 100, 40, axis=0)
        >>> found = fkea(x, bandwidth=1.0, orders=(1,), num_frequencies=500, key=jax.random.key(0))
        >>> sorted(found), bool(2.9 < float(found["vendi-1"]) <= 3)
        (['rke', 'rke-debiased', 'rke-population', 'vendi-1'], True)
    """
    return score(
        x,
        orders=orders,
        bandwidth=bandwidth,
        method="fkea",
        num_frequencies=num_frequencies,
        num_draws=num_draws,
        weights=weights,
        batch_size=batch_size,
        key=key,
    )
