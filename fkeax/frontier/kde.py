"""Likelihood ratios from kernel density estimates, in log space."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.scipy.special import logsumexp
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax.frontier.ratios import LikelihoodRatios, ratios_from_logs
from fkeax.numerics import checks, pairwise
from fkeax.numerics.neighbors import BLOCK_BYTES
from fkeax.results import JSONValue

RULES = ("scott", "silverman")
_MANY_DIMENSIONS = 10


def kde_ratios(reference: ArrayLike, generated: ArrayLike, *, bandwidth: float | str = "scott") -> LikelihoodRatios:
    """Return likelihood ratios of two Gaussian kernel density estimates of one bandwidth.

    Each sample is left out of the density of its own side at its own place; there a density that counts it would be
    dominated by it. One bandwidth for both sides, so that its bias cancels where P = Q.

    Biased: the bandwidth h smooths both laws, as does adding N(0, h^2) noise to them, so divergences fall; the noise of
    the densities raises them, more so in the tails and in many dimensions.

    Args:
        reference: Samples of P, (n, d), reduced to few dimensions.
        generated: Samples of Q, (m, d).
        bandwidth: The standard deviation of the kernel, in the units of the data. Or a rule, in the units of the
            covariance within the samples: "scott", ``s^(-1/(d+4))``, "silverman", ``(s (d+2)/4)^(-1/(d+4))``, s the
            smaller sample's size.

    Raises:
        ValueError: Fewer than 2 samples on a side, or a rule where the samples do not vary in all d dimensions.

    Cost:
        ``2 (n + m)^2 d`` flops and as many exponentials as pairs; blocks of at most 32 MiB.

    Example:
        >>> import numpy as np
        >>> x = np.linspace(-1, 1, 50)[:, None]
        >>> ratios = kde_ratios(x, x + 0.001, bandwidth=0.3)
        >>> bool(np.abs(np.log(ratios.at_q)).max() < 0.3)
        True

    References:
        MAUVE paper, Section 4.3, eq. (26), which lacks its sum over the samples.
    """
    p, q = np.asarray(checks.matrix(reference, "reference")), np.asarray(checks.matrix(generated, "generated"))
    for name, side in (("reference", p), ("generated", q)):
        if side.shape[0] < 2:
            raise ValueError(f"{name} must have at least 2 samples, for each is left out once; it has 1.")
    dtype = checks.working_dtype(np.result_type(p.dtype, q.dtype))
    wide = [side.astype(np.float64) for side in (p, q)]
    centre = (wide[0].mean(axis=0) + wide[1].mean(axis=0)) / 2
    if isinstance(bandwidth, str):
        width = _rule_bandwidth(checks.choice(bandwidth, "bandwidth", RULES), min(len(p), len(q)), p.shape[1])
        whitening = _whitening(*wide)
        p, q = (((side - centre) @ whitening.T).astype(dtype) for side in wide)
    else:
        width = checks.positive_number(bandwidth, "bandwidth")
        p, q = ((side - centre).astype(dtype) for side in wide)
    scale = jnp.asarray(1 / (2 * width**2), dtype)
    log_at_p = _log_density(p, p, scale, own=True) - _log_density(p, q, scale, own=False)
    log_at_q = _log_density(q, p, scale, own=False) - _log_density(q, q, scale, own=True)
    warnings: list[JSONValue] = []
    if p.shape[1] > _MANY_DIMENSIONS:
        warnings.append(
            f"kernel densities in {p.shape[1]} dimensions are mostly noise, which raises divergences; "
            f"reduce to {_MANY_DIMENSIONS} or fewer components"
        )
    source = bandwidth if isinstance(bandwidth, str) else "given"
    return ratios_from_logs(log_at_p, log_at_q, {"bandwidth": width, "bandwidth_source": source, "warnings": warnings})


def _rule_bandwidth(rule: str, num_samples: int, dimension: int) -> float:
    size = num_samples if rule == "scott" else num_samples * (dimension + 2) / 4
    return size ** (-1 / (dimension + 4))


def _whitening(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return the map that makes the covariance within the samples the identity."""
    covariance = sum((side - side.mean(axis=0)).T @ (side - side.mean(axis=0)) for side in (p, q))
    covariance = np.atleast_2d(covariance) / (len(p) + len(q) - 2)
    try:
        factor = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        factor = np.zeros_like(covariance)
    if not np.diag(factor).min() > 1e-6 * np.diag(factor).max():
        raise ValueError(
            f"a bandwidth rule needs samples that vary in all their {p.shape[1]} dimensions; "
            "reduce the dimension or, in Python, give bandwidth as a number."
        )
    return np.linalg.inv(factor)


def _log_density(x: np.ndarray, points: np.ndarray, scale: Array, *, own: bool) -> np.ndarray:
    block_rows = max(1, min(len(x), BLOCK_BYTES // (len(points) * x.dtype.itemsize)))
    logs = _log_kernel_sums(jnp.asarray(x), jnp.asarray(points), scale, own=own, block_rows=block_rows)
    return np.asarray(logs, np.float64) - np.log(len(points) - own)


@functools.partial(jax.jit, static_argnames=("own", "block_rows"))
def _log_kernel_sums(
    x: Float[Array, "n d"], points: Float[Array, "m d"], scale: Float[Array, ""], *, own: bool, block_rows: int
) -> Float[Array, "n"]:
    """Return the log of the sum of kernel values over points, at each row; own: row i is point i and does not count."""

    def one_row(numbered: tuple[Array, Float[Array, "d"]]) -> Float[Array, ""]:
        number, row = numbered
        exponents = -scale * pairwise.squared_distances(row[None, :], points)[0]
        if own:
            exponents = jnp.where(jnp.arange(points.shape[0]) == number, -jnp.inf, exponents)
        return logsumexp(exponents)

    return lax.map(one_row, (jnp.arange(x.shape[0]), x), batch_size=block_rows)
