"""The machine's limits, and the share of them that each kernel reaches.

A kernel that must spend F flops and move B bytes cannot take less than ``max(F / peak flops, B / peak bandwidth)``; the
peaks are measured here, of matrix products and of copies, by the same libraries on the same threads.

``python -m benchmarks.roofline --scale cpu`` prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial

import numpy as np

from benchmarks.case import Scale
from benchmarks.data import normal
from benchmarks.timing import Contender, in_turn


@dataclass(frozen=True)
class Ceilings:
    """What the machine does at its best.

    Attributes:
        gflops32: 1e9 flops a second of a square float32 matrix product.
        gflops64: The same in float64.
        gbytes: 1e9 bytes a second of a copy, read and written counted.
    """

    gflops32: float
    gflops64: float
    gbytes: float


@dataclass(frozen=True)
class Kernel:
    """One step of fkeax.

    Attributes:
        name: What it does.
        flops: It must spend (a symmetric product: half of the whole one; a polynomial's steps).
        bytes: It must move at least: inputs read and outputs written once.
        call: Does it; ready when it returns.
        double: Whether it works in float64.
    """

    name: str
    flops: float
    bytes: float
    call: Callable[[], object]
    double: bool = False


@dataclass(frozen=True)
class Reached:
    """A kernel's time beside the least that the ceilings allow."""

    name: str
    gflop: float
    gbyte: float
    seconds: float
    limit_seconds: float
    share: float
    bound: str


def _seconds(call: Callable[[], object], rounds: int) -> float:
    def done() -> float:
        call()
        return 0.0

    timing = in_turn([Contender("", done, compiles=True)], rounds)[0]
    return min(timing.wall_s, timing.cpu_s)  # on one thread of a busy machine, what the clock would have said


def ceilings(scale: Scale, rounds: int) -> Ceilings:
    """Return the measured peaks."""
    size, copied = (200, 2**16) if scale == "smoke" else (3_000, 2**26)
    peaks = []
    for dtype in (np.float32, np.float64):
        left = np.random.default_rng(0).standard_normal((size, size)).astype(dtype)
        out = np.empty_like(left)
        peaks.append(2e-9 * size**3 / _seconds(partial(np.matmul, left, left, out=out), rounds))
    source, target = np.ones(copied, np.float32), np.empty(copied, np.float32)
    return Ceilings(peaks[0], peaks[1], 8e-9 * copied / _seconds(partial(np.copyto, target, source), rounds))


def kernels(scale: Scale) -> list[Kernel]:
    """Return the steps that the cost of fkeax is made of."""
    import jax
    import jax.numpy as jnp

    from fkeax.diversity import moments
    from fkeax.diversity.samples import samples
    from fkeax.features import phases, sample_fourier_map
    from fkeax.kernels import Gaussian
    from fkeax.numerics import linalg, neighbors, trig
    from fkeax.numerics.host_products import PairedProductSums

    n, d, r = (256, 16, 20) if scale == "smoke" else (4_096, 768, 2_000)
    x = normal(n, d)
    kernel = Gaussian(28.0)
    fourier_map = sample_fourier_map(jax.random.key(0), kernel, r, jnp.zeros(d, jnp.float32))
    project = jax.jit(lambda rows: jax.vmap(partial(phases, fourier_map))(rows))
    turns = project(x)
    cosine, sine = (np.asarray(part) for part in jax.jit(trig.cos_sin_turns)(turns))
    rounds_trip = jax.jit(trig.cos_sin_turns)

    def covariance() -> object:
        sums = PairedProductSums(r, np.dtype(np.float32))
        sums.add(cosine, sine)
        return sums.blocks()

    def state() -> object:
        return moments.fkea_moment(samples(x, 4096), kernel, None, jax.random.key(0), None, r, 1)

    _, draws = moments.fkea_moment(samples(x, 4096), kernel, None, jax.random.key(0), None, r, 1)
    matrix = linalg.upper_triangle(draws[0].blocks)
    points = x[: n // 2]
    return [
        Kernel("projections, x W", 2 * n * d * r, 4 * (n * d + d * r + n * r), lambda: project(x).block_until_ready()),
        Kernel(
            "cosines and sines",
            40 * n * r,
            12 * n * r,
            lambda: jax.block_until_ready(rounds_trip(turns)),
        ),
        Kernel("symmetric product", n * (2 * r) ** 2, 4 * (2 * n * r + 2 * r * r), covariance),
        Kernel("whole state", n * (2 * d * r + 40 * r + 4 * r * r), 4 * (n * d + d * r + 4 * n * r + 2 * r * r), state),
        Kernel(
            "eigenvalues, 2r",
            4 / 3 * (2 * r) ** 3,
            # half of the reduction to a tridiagonal matrix multiplies it with one vector after the other
            4 * (2 * r) ** 3 / 3 / 2,
            lambda: linalg.eigenvalues(matrix),
        ),
        Kernel(
            "nearest neighbours",
            2 * (n // 2) ** 2 * d,
            4 * 2 * (n // 2) * d,
            lambda: neighbors.nearest(points, points, 10, exclude_self=True),
        ),
        Kernel("exact RKE", (n // 2) ** 2 * d, 8 * (n // 2) * d, _exact_rke(points), double=True),
    ]


def _exact_rke(points: np.ndarray) -> Callable[[], object]:
    import fkeax

    return lambda: fkeax.rke(points, bandwidth=28.0, method="exact")


def reached(kernel: Kernel, peaks: Ceilings, rounds: int) -> Reached:
    """Time one kernel and compare it with its limit."""
    seconds = _seconds(kernel.call, rounds)
    by_flops = 1e-9 * kernel.flops / (peaks.gflops64 if kernel.double else peaks.gflops32)
    by_bytes = 1e-9 * kernel.bytes / peaks.gbytes
    limit = max(by_flops, by_bytes)
    bound = "flops" if by_flops >= by_bytes else "bytes"
    return Reached(kernel.name, 1e-9 * kernel.flops, 1e-9 * kernel.bytes, seconds, limit, limit / seconds, bound)


def main() -> None:
    """Measure and print one line of JSON."""
    parser = argparse.ArgumentParser(description="The machine's limits and the share that fkeax reaches")
    parser.add_argument("--scale", choices=["smoke", "cpu", "all"], default="cpu")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    peaks = ceilings(arguments.scale, arguments.rounds)
    found = [reached(kernel, peaks, arguments.rounds) for kernel in kernels(arguments.scale)]
    print(json.dumps({"ceilings": asdict(peaks), "kernels": [asdict(row) for row in found]}))


if __name__ == "__main__":
    main()
