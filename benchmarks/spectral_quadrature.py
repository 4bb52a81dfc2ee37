"""VENDI-1 at 2r = 8,000 by stochastic Lanczos quadrature beside all eigenvalues by LAPACK: time and error.

Both start from the same sums, made once, and are timed in turn; the minimum of the rounds counts, because other work on
the machine only ever adds time. Errors are against the float64 eigenvalues of the same matrix. Every
round of the quadrature draws new random vectors.

    python benchmarks/spectral_quadrature.py
    python benchmarks/spectral_quadrature.py --num-frequencies 1000 --rounds 3 --json out.json
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any

import jax
import numpy as np

import fkeax
from fkeax.datasets.mnist import load_mnist_5k
from fkeax.diversity import moments
from fkeax.diversity.samples import samples
from fkeax.diversity.spectral_quadrature import quadrature_vendi
from fkeax.numerics import linalg


def data_sets() -> dict[str, tuple[np.ndarray, float]]:
    """Return samples and bandwidths by name: one large eigenvalue, ten of them, and a long tail of real data."""
    random = np.random.default_rng(0)
    centres = 4 * random.standard_normal((10, 128))
    mixture = centres[random.integers(0, 10, 10_000)] + random.standard_normal((10_000, 128))
    digits = np.asarray(load_mnist_5k().images, np.float32)
    digits = digits.reshape(len(digits), -1) / (255 if digits.max() > 1 else 1)
    return {
        "N(0, I_256), bandwidth 16": (random.standard_normal((10_000, 256), dtype=np.float32), 16.0),
        "ten groups in 128 dimensions, bandwidth 15": (mixture.astype(np.float32), 15.0),
        "5,000 digits, bandwidth 7": (digits, 7.0),
    }


def measure(x: np.ndarray, bandwidth: float, num_frequencies: int, rounds: int) -> dict[str, Any]:
    """Time both ways to VENDI-1 on the sums of one data set."""
    kernel = fkeax.Gaussian(bandwidth)
    _, draws = moments.fkea_moment(samples(x, 4096), kernel, None, jax.random.key(0), None, num_frequencies, 1)
    quadrature_vendi(draws[0], (1.0,), key=jax.random.key(99), max_vectors=1)  # compiles
    # All eigenvalues of the same matrix in float64: float32 ones carry noise, and a cut of it would take a tail along.
    values = linalg.eigenvalues(linalg.upper_triangle(draws[0].blocks).astype(np.float64), overwrite=True)
    values = np.maximum(values, 0) / values.sum()
    exact = float(np.exp(-np.sum(values * np.log(np.where(values > 0, values, 1)))))
    dense_seconds, quadrature_seconds, errors, stderrs, vectors = [], [], [], [], []
    for number in range(rounds):
        start = time.perf_counter()
        linalg.block_eigenvalues(draws[0].blocks)
        dense_seconds.append(time.perf_counter() - start)
        start = time.perf_counter()
        (found,) = quadrature_vendi(draws[0], (1.0,), key=jax.random.key(number))
        quadrature_seconds.append(time.perf_counter() - start)
        if found.value is None or found.stderr is None:
            raise AssertionError("order 1 has a value and an error")
        errors.append(found.value / exact - 1)
        stderrs.append(found.stderr / found.value)
        vectors.append(found.num_vectors)
    return {
        "vendi-1": exact,
        "dense_s": min(dense_seconds),
        "quadrature_s": min(quadrature_seconds),
        "ratio": min(quadrature_seconds) / min(dense_seconds),
        "relative_errors": errors,
        "relative_stderrs": stderrs,
        "num_vectors": vectors,
    }


def main() -> None:
    """Print, and optionally write, all measurements."""
    parser = argparse.ArgumentParser(description="spectral entropy by quadrature beside LAPACK")
    parser.add_argument("--num-frequencies", type=int, default=4_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    report: dict[str, Any] = {"cores": len(os.sched_getaffinity(0)), "features": 2 * arguments.num_frequencies}
    print(f"2r = {report['features']:,}, float32, {report['cores']} cores, minimum of {arguments.rounds} rounds")
    for name, (x, bandwidth) in data_sets().items():
        row = report[name] = measure(x, bandwidth, arguments.num_frequencies, arguments.rounds)
        worst = max(abs(error) for error in row["relative_errors"])
        print(
            f"  {name}: VENDI-1 {row['vendi-1']:.2f}; dense {row['dense_s']:.1f} s, quadrature "
            f"{row['quadrature_s']:.1f} s, ratio {row['ratio']:.3f}; worst error {worst:.2%} (standard error "
            f"{max(row['relative_stderrs']):.2%}, {max(row['num_vectors'])} vectors)",
            flush=True,
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
