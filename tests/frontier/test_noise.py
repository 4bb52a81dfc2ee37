"""Gaussian noise on embeddings: its law, and that it only lowers divergences."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

from fkeax import frontier


def test_noise_is_normal_and_independent(key: jax.Array) -> None:
    """Kolmogorov-Smirnov at level 1e-3 on 4,000 numbers a side; correlation of the sides within 4/sqrt(n)."""
    first, second = frontier.noisy_pair(key, jnp.zeros((2000, 2)), jnp.ones((2000, 2)), noise_scale=0.5)
    for side, mean in ((first, 0.0), (second, 1.0)):
        assert stats.kstest(np.asarray(side).ravel(), "norm", (mean, 0.5)).pvalue > 1e-3
    assert abs(np.corrcoef(np.asarray(first).ravel(), np.asarray(second).ravel())[0, 1]) < 4 / math.sqrt(4000)
    assert first.dtype == jnp.float32


@pytest.mark.parametrize("noise_scale", [0.1, 0.5, 2.0])
def test_noise_lowers_divergences(noise_scale: float) -> None:
    """Property 15 for two laws on three points: the densities of the noisy laws on a fine grid."""
    atoms, p, q = np.array([0.0, 1.0, 3.0]), np.array([0.5, 0.3, 0.2]), np.array([0.1, 0.3, 0.6])
    x = np.linspace(-15, 18, 20001)
    cells = stats.norm.pdf(x[:, None], atoms, noise_scale) * (x[1] - x[0])
    held = cells.min(axis=1) > 1e-30  # where float32 holds all three, and all but 1e-20 of the mass is
    noisy_p, noisy_q = (cells @ p)[held], (cells @ q)[held]
    for name in ("kl", "fi-kl", "js", "le-cam", "squared-hellinger"):
        generator = frontier.named_generator(name)
        clean, noisy = (
            float(generator.divergence(jnp.asarray(a, jnp.float32), jnp.asarray(b, jnp.float32)))
            for a, b in ((p, q), (noisy_p, noisy_q))
        )
        # At 0.1 the atoms hardly overlap and nothing is lost; float32 sums of 20,001 terms round by 1e-6.
        assert noisy <= clean + 2e-6
        assert noisy < 0.95 * clean or noise_scale == 0.1


def test_refusals() -> None:
    rows = jnp.zeros((2, 2))
    with pytest.raises(ValueError, match=r"noise_scale must be a positive number; got 0.0"):
        frontier.noisy_pair(jax.random.key(0), rows, rows, noise_scale=0.0)
