"""Errors of the frontier integral of smoothed histograms on the laws of Fig. 6, drawn anew for every repeat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from experiments.mauve.laws import drawn_law, exact_frontier_integral
from experiments.mauve.params import SmoothingParams
from fkeax import frontier, quantize

# The names of the figure's legend.
TITLES = {
    "empirical": "Empirical",
    "good-turing": "Good-Turing",
    "braess-sauer": "Braess-Sauer",
    "krichevsky-trofimov": "Krichevsky-Trofimov",
    "laplace": "Laplace",
}


@dataclass(frozen=True)
class Point:
    """One point of one panel.

    Attributes:
        panel: "a" to "d".
        x: Its place on the horizontal axis.
        laws: Names of P and Q.
        num_buckets: k.
        num_samples: n.
    """

    panel: str
    x: float
    laws: tuple[str, str]
    num_buckets: int
    num_samples: int

    def settings(self) -> dict[str, object]:
        """Return what defines the point."""
        return {
            "panel": self.panel, "x": self.x, "laws": list(self.laws), "num_buckets": self.num_buckets,
            "num_samples": self.num_samples,
        }  # fmt: skip


def points_of(params: SmoothingParams) -> list[Point]:
    """Return the points of all four panels, `params.num_points` for each."""
    near = ("zipf-0", "dirichlet-0.5")
    k, n, size = params.num_buckets, params.num_samples, params.num_points
    sizes = np.logspace(np.log10(n), np.log10(10 * n), size).astype(int).tolist()
    counts = np.logspace(1, np.log10(10 * k), size).astype(int).tolist()
    exponents = np.linspace(0.5, 2, size).tolist()
    return [
        *(Point("a", float(number), near, k, number) for number in sizes),
        *(Point("b", float(number), near, number, 2 * n) for number in counts),
        *(Point("c", r, ("dirichlet-1", f"zipf-{r}"), k, n) for r in exponents),
        *(Point("d", r, ("zipf-2", f"zipf-{r}"), k, n) for r in exponents),
    ]


def drawn_counts(point: Point, repeats: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return laws and counts, each (2, repeats, k): P and then Q, drawn anew for every repeat."""
    laws, counts = (np.empty((2, repeats, point.num_buckets)) for _ in range(2))
    for repeat in range(repeats):
        for side, name in enumerate(point.laws):
            laws[side, repeat] = drawn_law(name, point.num_buckets, generator)
            counts[side, repeat] = generator.multinomial(point.num_samples, laws[side, repeat])
    return laws, counts


def absolute_errors(laws: np.ndarray, counts: np.ndarray, methods: Sequence[str]) -> dict[str, np.ndarray]:
    """Return |FI^ - FI| of every repeat for each way of smoothing."""
    truth = np.array([exact_frontier_integral(p, q) for p, q in zip(*laws, strict=True)])
    single = jnp.asarray(counts, jnp.float32)
    return {method: np.abs(np.asarray(_estimates(single, method), np.float64) - truth) for method in methods}


@partial(jax.jit, static_argnames="method")
def _estimates(counts: jax.Array, method: str) -> jax.Array:
    def one(p: jax.Array, q: jax.Array) -> jax.Array:
        return frontier.fi_from_histograms(quantize.smooth(p, method), quantize.smooth(q, method))

    return jax.vmap(one)(*counts)
