"""Two-sample tests and metrics beside plain NumPy, kerneltests and pytorch-fid's formula, in one run, one thread.

Peers are what a careful user writes. Both sides are timed in turn, round after round, by CPU seconds of the process,
and the minimum of the rounds is compared: other work on the machine only ever adds time.

    python benchmarks/twosample_against_numpy.py                   # everything
    python benchmarks/twosample_against_numpy.py --only test-780 --rounds 5 --json out.json
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Contenders = dict[str, Callable[[], object]]


def child_environment() -> dict[str, str]:
    """Return the environment of a measuring process: one thread everywhere."""
    environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    return environment | {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false",
    }


def samples(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Return two samples of one law, float32."""
    x, y = np.random.default_rng(0).standard_normal((2, n, d), dtype=np.float32)
    return x, y


def in_turn(contenders: Contenders, rounds: int) -> dict[str, float]:
    """Return the least CPU seconds of each contender; each runs once before to compile and to warm."""
    for contender in contenders.values():
        contender()
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, contender in contenders.items():
            start = time.process_time()
            contender()
            best[name] = min(best[name], time.process_time() - start)
    return best


def numpy_test(x: np.ndarray, y: np.ndarray, num_permutations: int, dtype: type) -> float:
    """Return the p-value of a Gaussian MMD permutation test at the pooled median, in plain NumPy."""
    n, m = len(x), len(y)
    z = np.concatenate([x, y]).astype(dtype)
    norms = np.square(z).sum(axis=1)
    squared = np.maximum(norms[:, None] + norms[None, :] - 2 * z @ z.T, 0)
    median = np.sqrt(np.median(squared[np.triu_indices(n + m, 1)]))
    gram = np.exp(squared / (-2 * median**2))
    np.fill_diagonal(gram, 0)
    order = np.random.default_rng(0).random((num_permutations, n + m)).argsort(axis=1)
    labels = n > np.concatenate([np.arange(n + m)[None], order]).T
    u = labels.astype(dtype)
    products = gram @ u
    inside, touching, total = (u * products).sum(axis=0), products.sum(axis=0), gram.sum()
    across = touching - inside
    values = inside / (n * (n - 1)) + (total - 2 * touching + inside) / (m * (m - 1)) - 2 * across / (n * m)
    return float(np.mean(values >= values[0]))


def single_test(n: int, d: int, rounds: int) -> dict[str, Any]:
    """Time a single Gaussian test with 500 permutations, the median included."""
    import jax

    from fkeax.twosample import mmd_test

    x, y = samples(n, d)
    best = in_turn(
        {
            "ours": lambda: mmd_test(x, y, key=jax.random.key(0), num_permutations=500),
            "numpy float64": lambda: numpy_test(x, y, 500, np.float64),
            "numpy float32": lambda: numpy_test(x, y, 500, np.float32),
        },
        rounds,
    )
    return {"cpu_s": best} | {f"ours / {name}": best["ours"] / best[name] for name in best if name != "ours"}


def aggregated(rounds: int) -> dict[str, Any]:
    """Time MMDAgg at package defaults, n = m = 780, d = 64; then its temporaries."""
    import jax
    from kt.mmdagg import mmdagg as kerneltests_mmdagg

    from fkeax.twosample import mmdagg

    x, y = samples(780, 64)
    best = in_turn(
        {"ours": lambda: mmdagg(x, y, key=jax.random.key(0)), "kerneltests fast": lambda: kerneltests_mmdagg(x, y)},
        rounds,
    )
    peak = peak_above(lambda: mmdagg(x, y, key=jax.random.key(1)))
    return {"cpu_s": best, "ours / kerneltests fast": best["ours"] / best["kerneltests fast"], "temporaries_mb": peak}


def large_test(rounds: int) -> dict[str, Any]:
    """Run one test at n = m = 20,000, d = 512, 500 permutations; report CPU seconds and the peak of the process."""
    import jax

    from fkeax.twosample import mmd_test

    del rounds
    x, y = samples(20_000, 512)
    start = time.process_time()
    found = mmd_test(x, y, key=jax.random.key(0), num_permutations=500)
    cpu = time.process_time() - start
    return {"cpu_s": cpu, "peak_process_mb": status_mb("VmHWM"), "p_value": found.p_value}


def fid(rounds: int) -> dict[str, Any]:
    """Time the Frechet distance at n = m = 10,000, d = 2048 beside pytorch-fid's formula with scipy's sqrtm."""
    import scipy.linalg

    from fkeax.twosample import frechet

    x, y = samples(10_000, 2048)

    def with_sqrtm() -> float:
        first, second = np.cov(x, rowvar=False), np.cov(y, rowvar=False)
        root = scipy.linalg.sqrtm(first @ second)
        shift = x.mean(axis=0) - y.mean(axis=0)
        return float(shift @ shift + np.trace(first) + np.trace(second) - 2 * np.trace(root).real)

    best = in_turn({"ours": lambda: frechet(x, y), "sqrtm": with_sqrtm}, rounds)
    return {"cpu_s": best, "ours / sqrtm": best["ours"] / best["sqrtm"]}


def neighbours(rounds: int) -> dict[str, Any]:
    """Time PRDC at n = m = 10,000, d = 2048 beside the prdc package's code: full distance matrices by scikit-learn."""
    from sklearn.metrics import pairwise_distances

    from fkeax.twosample import prdc

    x, y = samples(10_000, 2048)

    def package() -> list[float]:
        def radii(rows: np.ndarray) -> np.ndarray:
            return np.partition(pairwise_distances(rows, metric="euclidean"), 5, axis=-1)[:, 5]

        first, second, across = radii(x), radii(y), pairwise_distances(x, y, metric="euclidean")
        inside = across < first[:, None]
        return [
            inside.any(axis=0).mean(),
            (across < second[None, :]).any(axis=1).mean(),
            inside.sum(axis=0).mean() / 5,
            (across.min(axis=1) < first).mean(),
        ]

    best = in_turn({"ours": lambda: prdc(x, y), "prdc": package}, rounds)
    return {"cpu_s": best, "ours / prdc": best["ours"] / best["prdc"]}


def status_mb(field: str) -> float:
    """Return a memory field of this process, such as VmRSS (now) or VmHWM (highest so far), in MB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"this system does not report {field}")


def peak_above(function: Callable[[], object]) -> float:
    """Return how far the resident memory rises above where it stood, in MB."""
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again from here
    before = status_mb("VmRSS")
    function()
    return status_mb("VmHWM") - before


MEASUREMENTS: dict[str, Callable[[int], dict[str, Any]]] = {
    "test-780": lambda rounds: single_test(780, 512, rounds),
    "test-2000": lambda rounds: single_test(2000, 2048, rounds),
    "mmdagg-780": aggregated,
    "test-20000": large_test,
    "fid-10000": fid,
    "prdc-10000": neighbours,
}


def main() -> None:
    """Print, and optionally write, all measurements; each in a process of its own."""
    parser = argparse.ArgumentParser(description="Two-sample tests and metrics beside their peers")
    parser.add_argument("--only", choices=sorted(MEASUREMENTS), nargs="*")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", choices=sorted(MEASUREMENTS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(MEASUREMENTS[arguments.child](arguments.rounds)))
        return
    report = {}
    for name in arguments.only or MEASUREMENTS:
        command = [sys.executable, __file__, "--child", name, "--rounds", str(arguments.rounds)]
        pinned = ["taskset", "-c", "0", *command] if sys.platform == "linux" else command
        done = subprocess.run(pinned, env=child_environment(), check=True, capture_output=True, text=True)
        report[name] = json.loads(done.stdout.splitlines()[-1])
        print(name, json.dumps(report[name], indent=2))
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
