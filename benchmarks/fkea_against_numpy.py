"""FKEA beside plain NumPy on the same data in the same run: time, memory, and the cost of equal error.

The peer is what a careful NumPy user writes: chunks of ``X @ W``, ``cos`` and ``sin``, ``F.T @ F`` (BLAS's symmetric
product), then ``scipy.linalg.eigvalsh``, at the best of several chunk sizes. Both sides are timed in turn, round after
round, and the minimum of the rounds is compared: other work on the machine only ever adds time.

    python benchmarks/fkea_against_numpy.py            # everything, one thread and all threads
    python benchmarks/fkea_against_numpy.py --rounds 5 --json out.json
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

NUM_SAMPLES, DIMENSION, NUM_FREQUENCIES = 20_000, 768, 2_000
BANDWIDTH = 28.0
NUMPY_CHUNKS = (1_000, 2_000, 4_000, 5_000, 20_000)


def child_environment(threads: int) -> dict[str, str]:
    """Return the environment of a measuring process: its threads, and OpenBLAS free to choose its own kernels."""
    environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    environment |= {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "JAX_PLATFORMS": "cpu"}
    if threads == 1:
        environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return environment


def on_one_core(command: list[str], threads: int) -> list[str]:
    """Pin a one-thread run to one core, so that no helper thread of either library adds a second."""
    return ["taskset", "-c", "0", *command] if threads == 1 else command


def make_data() -> np.ndarray:
    """Return the samples that every measurement scores."""
    return np.random.default_rng(0).standard_normal((NUM_SAMPLES, DIMENSION), dtype=np.float32)


def timed(function: Callable[[], object]) -> tuple[float, float]:
    """Return the wall and CPU seconds of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    function()
    return time.perf_counter() - wall, time.process_time() - cpu


def measure_time(rounds: int) -> dict[str, Any]:
    """Time covariance and whole score, ours and NumPy's, in turn."""
    import jax
    import scipy.linalg
    from threadpoolctl import threadpool_info

    import fkeax
    from fkeax.diversity import moments
    from fkeax.diversity.samples import samples

    x = make_data()
    key = jax.random.key(0)
    kernel = fkeax.Gaussian(BANDWIDTH)
    frequencies = np.asarray(kernel.sample_frequencies(key, NUM_FREQUENCIES, DIMENSION, np.float32)).T.copy()

    def numpy_covariance(chunk: int) -> np.ndarray:
        total = np.zeros((2 * NUM_FREQUENCIES, 2 * NUM_FREQUENCIES), np.float32)
        for start in range(0, NUM_SAMPLES, chunk):
            angles = x[start : start + chunk] @ frequencies
            features = np.concatenate([np.cos(angles), np.sin(angles)], axis=1)
            features /= np.float32(np.sqrt(NUM_FREQUENCIES))
            total += features.T @ features
        return total / NUM_SAMPLES

    def numpy_score(chunk: int) -> float:
        spectrum = scipy.linalg.eigvalsh(numpy_covariance(chunk))
        spectrum = spectrum[spectrum > 0]
        return float(np.exp(-np.sum(spectrum * np.log(spectrum))))

    def our_covariance() -> None:
        moment = moments.fkea_moment(samples(x, 4096), kernel, None, key, None, NUM_FREQUENCIES, 1)
        jax.block_until_ready(moment)

    def our_score() -> None:
        # Debiased RKE and errors are in it; debiased VENDI takes spectra of halves, which NumPy does not compute.
        fkeax.score(
            x,
            metrics=("vendi", "rke"),
            bandwidth=BANDWIDTH,
            method="fkea",
            num_frequencies=NUM_FREQUENCIES,
            key=key,
        )

    contenders: dict[str, Callable[[], object]] = {"ours covariance": our_covariance, "ours score": our_score}
    contenders |= {f"numpy covariance {c}": lambda c=c: numpy_covariance(c) for c in NUMPY_CHUNKS}
    our_score()  # compiles; NumPy has nothing to warm
    best_chunk = min(NUMPY_CHUNKS, key=lambda chunk: timed(contenders[f"numpy covariance {chunk}"])[0])
    contenders["numpy score"] = lambda: numpy_score(best_chunk)
    walls: dict[str, list[float]] = {}
    cpus: dict[str, list[float]] = {}
    for _ in range(rounds):
        for name, contender in contenders.items():
            wall, cpu = timed(contender)
            walls.setdefault(name, []).append(wall)
            cpus.setdefault(name, []).append(cpu)
    best = {name: {"wall_s": min(values), "cpu_s": min(cpus[name])} for name, values in walls.items()}
    numpy_best = min((f"numpy covariance {c}" for c in NUMPY_CHUNKS), key=lambda name: best[name]["wall_s"])
    return {
        "best": best,
        "numpy_best_chunk": numpy_best,
        "covariance_ratio": best["ours covariance"]["wall_s"] / best[numpy_best]["wall_s"],
        "score_ratio": best["ours score"]["wall_s"] / best["numpy score"]["wall_s"],
        "covariance_cpu_ratio": best["ours covariance"]["cpu_s"] / best[numpy_best]["cpu_s"],
        "score_cpu_ratio": best["ours score"]["cpu_s"] / best["numpy score"]["cpu_s"],
        "blas": [f"{info['internal_api']} {info.get('architecture')}" for info in threadpool_info()],
    }


def status_bytes(field: str) -> int:
    """Return a memory field of this process, such as VmRSS (now) or VmHWM (highest so far)."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"this system does not report {field}")


def measure_memory() -> dict[str, float]:
    """Return peaks of the whole score above the input, in units of the (2r)^2 matrix.

    Cold: the first call after a small one has started the backend; what the compiler takes counts. Warm: the second
    call, above what the process holds once compiled.
    """
    import jax

    import fkeax

    key = jax.random.key(0)
    fkeax.fkea(np.zeros((8, 4), np.float32), bandwidth=1.0, num_frequencies=4, key=key)  # backend, LAPACK, thread pools
    x = make_data()
    matrix = (2 * NUM_FREQUENCIES) ** 2 * 4
    ratios = {"matrix_mib": matrix / 2**20}
    for name in ("cold", "warm"):
        Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts again from here
        before = status_bytes("VmRSS")
        fkeax.fkea(x, bandwidth=BANDWIDTH, num_frequencies=NUM_FREQUENCIES, key=key)
        ratios[f"{name}_ratio"] = (status_bytes("VmHWM") - before) / matrix
    return ratios


def measure_equal_error() -> dict[str, Any]:
    """Compare debiased and plain RKE at r = 1000 with plain RKE at r = 10,000: error against exact, and time."""
    import jax

    import fkeax

    num_samples, dimension, bandwidth = 10_000, 256, 10.0
    x = np.random.default_rng(1).standard_normal((num_samples, dimension), dtype=np.float32)
    exact = float(fkeax.rke(x, bandwidth=bandwidth, method="exact"))
    data = f"N(0, I_{dimension}), n = {num_samples:,}, bandwidth {bandwidth}"
    rows: dict[str, Any] = {"exact": exact, "data": data}
    for name, num_frequencies, seeds in (
        ("rke-debiased", 1_000, range(10)),
        ("rke", 1_000, range(10)),
        ("rke", 10_000, range(1)),
    ):
        values, walls = [], []
        for seed in seeds:
            start = time.perf_counter()
            found = fkeax.score(
                x,
                metrics=("rke",),
                bandwidth=bandwidth,
                method="fkea",
                num_frequencies=num_frequencies,
                key=jax.random.key(seed),
            )
            walls.append(time.perf_counter() - start)
            values.append(float(found[name]))
        error = float(np.sqrt(np.mean(np.square(np.asarray(values) / exact - 1))))
        rows[f"{name} r={num_frequencies}"] = {"wall_s": min(walls), "rms_relative_error": error}
    return rows


CHILDREN: dict[str, Callable[[int], dict[str, Any]]] = {
    "time": measure_time,
    "memory": lambda rounds: measure_memory(),
    "error": lambda rounds: measure_equal_error(),
}


def run_child(what: str, threads: int, rounds: int) -> dict[str, Any]:
    """Return what a measuring process of its own finds."""
    command = [sys.executable, __file__, "--child", what, "--rounds", str(rounds)]
    environment = child_environment(threads)
    done = subprocess.run(on_one_core(command, threads), env=environment, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def print_times(threads: int, found: dict[str, Any]) -> None:
    """Print one table of times and its two ratios."""
    print(f"\n{threads} thread(s), BLAS {', '.join(found['blas'])}")
    for name, row in found["best"].items():
        print(f"  {name:<24} {row['wall_s']:7.2f} s wall {row['cpu_s']:7.2f} s cpu")
    for what in ("covariance", "score"):
        wall, cpu = found[f"{what}_ratio"], found[f"{what}_cpu_ratio"]
        print(f"  {what}, ours / NumPy at its best chunk: {wall:.2f} wall, {cpu:.2f} cpu")


def main() -> None:
    """Print, and optionally write, all measurements."""
    parser = argparse.ArgumentParser(description="FKEA beside plain NumPy")
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", choices=sorted(CHILDREN), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(CHILDREN[arguments.child](arguments.rounds)))
        return
    all_threads = len(os.sched_getaffinity(0))
    report: dict[str, Any] = {}
    print(
        f"n={NUM_SAMPLES:,} d={DIMENSION} r={NUM_FREQUENCIES:,}, float32; minimum of {arguments.rounds} rounds in turn"
    )
    for threads in sorted({1, all_threads}):
        report[f"{threads} threads"] = run_child("time", threads, arguments.rounds)
        print_times(threads, report[f"{threads} threads"])
    memory = report["memory"] = run_child("memory", all_threads, arguments.rounds)
    print(f"\npeak resident memory above the input, in units of the (2r)^2 matrix of {memory['matrix_mib']:.0f} MiB")
    print(f"  first call after a small one, compiling included: {memory['cold_ratio']:.2f}")
    print(f"  second call: {memory['warm_ratio']:.2f}")
    error = report["equal error"] = run_child("error", all_threads, arguments.rounds)
    print(f"\nequal error, {error['data']}, exact RKE {error['exact']:.3f}")
    for name, row in error.items():
        if isinstance(row, dict):
            print(f"  {name:<24} rms relative error {row['rms_relative_error']:.4f} in {row['wall_s']:.2f} s")
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
