"""What a long job will take, said before it starts."""

from __future__ import annotations

import sys
from typing import Any

from fkeax.cli.tables import format_bytes, format_seconds

LONG_FLOPS = 5e11
NOMINAL_FLOPS_PER_SECOND = 1e11
# Rough: an iteration of k-means assigns every row to every cluster; runs stop after some thirty, and there are five.
KMEANS_ITERATIONS = 150
NUM_KERNELS = {"mmdagg": 20, "fuse": 20, "sweep": 7}
DEFAULT_PERMUTATIONS = {"mmdagg": 4000, "fuse": 2000}


def announce_scores(plan: Any, num_samples: int, dimension: int, num_frequencies: int, num_draws: int) -> None:
    """Print the memory and the time of diversity scores, where they take long."""
    flops = score_flops(plan.route, num_samples, dimension, num_frequencies, num_draws)
    memory = f"about {format_bytes(plan.total_bytes)} of memory beside the data and "
    _announce(f"{plan.route} route", f"{num_samples} samples of dimension {dimension}, {memory}", flops)


def announce_test(method: str, num_rows: tuple[int, int], dimension: int, num_permutations: int | None) -> None:
    """Print the time of a two-sample test, where it takes long; it works in blocks of bounded memory."""
    flops = two_sample_flops(method, num_rows, dimension, num_permutations)
    _announce(f"{method} test", f"{num_rows[0]} and {num_rows[1]} samples of dimension {dimension}, ", flops)


def announce_frontier(method: str, num_rows: tuple[int, int], dimension: int) -> None:
    """Print the time of a frontier, where it takes long."""
    flops = frontier_flops(method, num_rows, dimension)
    _announce(f"{method} frontier", f"{num_rows[0]} and {num_rows[1]} samples of dimension {dimension}, ", flops)


def _announce(job: str, size: str, flops: float) -> None:
    if flops <= LONG_FLOPS:
        return
    import jax

    print(
        f"{job} on {jax.default_backend()}: {size}{flops / 1e12:.2g} Tflop "
        f"(some {format_seconds(flops / NOMINAL_FLOPS_PER_SECOND)} at 100 Gflop/s, a few CPU cores).",
        file=sys.stderr,
    )


def score_flops(route: str, num_samples: int, dimension: int, num_frequencies: int, num_draws: int) -> float:
    """Return the rough cost of diversity scores by one route."""
    n, d = float(num_samples), float(dimension)
    if route == "exact":
        return n * n * d + 4 / 3 * n**3
    if route in ("dual", "nystrom"):
        return n * d * d + 4 / 3 * d**3
    features = 2.0 * num_frequencies
    return num_draws * (n * features * (features + d) + 4 / 3 * features**3)


def two_sample_flops(method: str, num_rows: tuple[int, int], dimension: int, num_permutations: int | None) -> float:
    """Return the rough cost of a permutation test: kernel values once, one product with all relabellings a kernel."""
    rows, d = float(sum(num_rows)), float(dimension)
    number = float(DEFAULT_PERMUTATIONS.get(method, 500) if num_permutations is None else num_permutations)
    if method == "frechet":
        return (number + 1) * 12 * min(*num_rows, d) ** 3
    return rows**2 * (2 * d + 2 * NUM_KERNELS.get(method, 1) * number)


def frontier_flops(method: str, num_rows: tuple[int, int], dimension: int) -> float:
    """Return the rough cost of a frontier by one estimator."""
    rows, d = float(sum(num_rows)), float(dimension)
    if method == "quantized":
        clusters = max(2.0, min(num_rows) / 10)
        return 2 * rows * d * (d + KMEANS_ITERATIONS * clusters)
    if method in ("nearest", "kde", "transport"):
        return 2 * rows**2 * d
    return 2 * rows * d * d
