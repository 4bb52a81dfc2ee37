"""Likelihood ratios of two Gaussians fitted to the samples: parametric, with the error of the integration."""

from __future__ import annotations

from dataclasses import dataclass

import jax
import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Float

from fkeax.frontier.ratios import LikelihoodRatios, ratios_from_logs
from fkeax.numerics import batching, checks


@dataclass(frozen=True)
class GaussianLaw:
    """A Gaussian law.

    Attributes:
        mean: Its mean.
        factor: Lower triangular; the covariance is ``factor @ factor.T``.
    """

    mean: Float[np.ndarray, "d"]
    factor: Float[np.ndarray, "d d"]

    def log_density(self, x: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n"]:
        """Return the log density at rows, less ``d/2 log(2 pi)``."""
        standard = np.linalg.solve(self.factor, (x - self.mean).T)
        return -0.5 * np.einsum("dn,dn->n", standard, standard) - np.log(np.diag(self.factor)).sum()

    def sample(self, standard: Float[np.ndarray, "n d"]) -> Float[np.ndarray, "n d"]:
        """Return the draws that standard normal rows become."""
        return self.mean + standard @ self.factor.T


def fit_gaussian(x: ArrayLike, name: str = "x") -> GaussianLaw:
    """Return the Gaussian law with the mean and the unbiased covariance of rows, in float64.

    Raises:
        ValueError: The covariance is singular, as it is for n <= d.

    Example:
        >>> import numpy as np
        >>> fit_gaussian(np.asarray([[0.0], [2.0]])).factor.round(4).tolist()
        [[1.4142]]
    """
    rows = np.asarray(checks.matrix(x, name), np.float64)
    mean = rows.mean(axis=0)
    num_rows, dimension = rows.shape
    if num_rows > dimension:
        centred = rows - mean
        covariance = centred.T @ centred / (num_rows - 1)
        try:
            factor = np.linalg.cholesky(covariance)
        except np.linalg.LinAlgError:
            factor = np.zeros_like(covariance)
        if np.diag(factor).min() > 1e-7 * np.diag(factor).max():
            return GaussianLaw(mean, factor)
    raise ValueError(
        f"{name} has a singular covariance: {num_rows} samples in {dimension} dimensions do not fit a Gaussian; "
        "reduce the dimension further, or take more samples."
    )


def gaussian_ratios(p: GaussianLaw, q: GaussianLaw, *, num_draws: int = 20_000, key: jax.Array) -> LikelihoodRatios:
    """Return exact likelihood ratios of two Gaussians at draws from both: Monte Carlo integration of the frontier.

    The same standard normal rows serve both laws, each with its mirror image, which takes out the error that is odd.

    Args:
        p: The law of P.
        q: The law of Q.
        num_draws: Of each law; even.
        key: Typed key.

    Cost:
        ``4 num_draws d^2`` flops.

    Example:
        >>> import jax, numpy as np
        >>> law = GaussianLaw(np.zeros(2), np.eye(2))
        >>> ratios = gaussian_ratios(law, law, num_draws=10, key=jax.random.key(0))
        >>> ratios.at_p.tolist() == [1.0] * 10
        True

    References:
        MAUVE paper, Section 4 and Appendix C. No theory: the value is that of the fitted laws, whatever the true ones.
    """
    if checks.count(num_draws, "num_draws", minimum=2) % 2:
        raise ValueError(f"num_draws must be even, for draws come in mirrored pairs; got {num_draws}.")
    random = np.random.default_rng(batching.key_seed(checks.typed_key(key, "draws from the Gaussians")))
    half = random.standard_normal((num_draws // 2, p.mean.size))
    standard = np.stack([half, -half], axis=1).reshape(num_draws, p.mean.size)
    at_p, at_q = (p.log_density(draws) - q.log_density(draws) for draws in (p.sample(standard), q.sample(standard)))
    error = "Monte Carlo integration between the fitted laws; not the error of the fit"
    return ratios_from_logs(at_p, at_q, {"num_draws": num_draws, "stderr_method": error})
