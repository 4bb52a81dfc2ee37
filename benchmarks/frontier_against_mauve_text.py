"""MAUVE beside mauve-text with faiss, on the same data in the same run: time, and the objective of k-means.

Two cases: A, 5,000 + 5,000 rows in 768 dimensions; B, 20,000 + 20,000 rows in 256; 500 buckets, one quantizer, the best
of five runs of k-means from random distinct rows. Four things are timed in turn, round after round, and the minimum of
the rounds is compared, for other work on the machine only ever adds time:

* score: features in, MAUVE out (mauve-text's one call; here rows, components, buckets, histograms, area);
* whole call: ``fkeax.frontier.mauve`` with one quantizer, which adds errors, floor and costly buckets;
* k-means: the five runs on the reduced rows, each side from random starts of its own;
* from one start: a single run of each side from the same starting rows, whose objectives can be compared one to one.

What compiles here (the area, a second or two) is compiled before anything is timed; k-means on CPU compiles nothing.

    pip install mauve-text==0.4.0 faiss-cpu==1.15.1   # the `bench` extra; mauve-text is GPL: compared with, not a part
    python benchmarks/frontier_against_mauve_text.py --rounds 3 --json out.json
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

CASES = {"A": (5_000, 768), "B": (20_000, 256)}
NUM_BUCKETS, NUM_RESTARTS = 500, 5
PEERS = {
    "score": "score, mauve-text",
    "whole call": "score, mauve-text",
    "k-means": "k-means, faiss",
    "from one start": "from one start, faiss",
}
Contender = Callable[[], float]


def make_data(case: str) -> tuple[np.ndarray, np.ndarray]:
    """Return both samples: N(0, I) and the same shifted by 0.1 in every coordinate."""
    num_samples, dimension = CASES[case]
    random = np.random.default_rng(0)
    p = random.standard_normal((num_samples, dimension))
    q = random.standard_normal((num_samples, dimension)) + 0.1
    return p.astype(np.float32), q.astype(np.float32)


def contenders(case: str) -> dict[str, Contender]:
    """Return what is timed, by name; each returns its MAUVE or its objective."""
    import faiss  # pyright: ignore[reportMissingImports]
    import jax
    import mauve  # pyright: ignore[reportMissingImports]

    from fkeax import frontier
    from fkeax.quantize import kmeans, pool_rows, quantize_rows

    p, q = make_data(case)
    pooled = pool_rows([p, q])
    rows = pooled.rows
    start = rows[np.random.default_rng(1).choice(len(rows), NUM_BUCKETS, replace=False)]

    def our_score() -> float:
        found = quantize_rows(pool_rows([p, q]), num_buckets=NUM_BUCKETS, key=jax.random.key(0))
        return float(
            frontier.mauve_from_histograms(
                *(np.bincount(labels, minlength=NUM_BUCKETS) / labels.size for labels in found.labels)
            )
        )

    def our_call() -> float:
        return float(frontier.mauve(p, q, num_buckets=NUM_BUCKETS, num_seeds=1, key=jax.random.key(0)))

    def their_score() -> float:
        settings: dict[str, Any] = {
            "num_buckets": NUM_BUCKETS,
            "kmeans_num_redo": NUM_RESTARTS,
        }  # annotated as str there
        return float(mauve.compute_mauve(p_features=p, q_features=q, verbose=False, **settings).mauve)

    def our_kmeans() -> float:
        return kmeans(rows, num_clusters=NUM_BUCKETS, num_restarts=NUM_RESTARTS, key=jax.random.key(0)).objective

    def faiss_kmeans(restarts: int, centres: np.ndarray | None) -> float:
        clustering = faiss.Kmeans(
            rows.shape[1],
            NUM_BUCKETS,
            niter=500,
            nredo=restarts,
            min_points_per_centroid=1,
            max_points_per_centroid=len(rows),
        )
        clustering.train(rows, init_centroids=centres)
        distances, _ = clustering.index.search(rows, 1)  # the objective of the centres it ends with
        return float(distances.sum(dtype=np.float64))

    return {
        "score, fkeax": our_score,
        "whole call, fkeax": our_call,
        "score, mauve-text": their_score,
        "k-means, fkeax": our_kmeans,
        "k-means, faiss": lambda: faiss_kmeans(NUM_RESTARTS, None),
        "from one start, fkeax": lambda: kmeans(rows, start=start).objective,
        "from one start, faiss": lambda: faiss_kmeans(1, start),
    }


def measure(case: str, rounds: int) -> dict[str, Any]:
    """Time all contenders in turn and return minima of wall and CPU seconds, values and ratios."""
    timed = contenders(case)
    for name in ("score, fkeax", "whole call, fkeax"):
        timed[name]()  # compiles
    found: dict[str, dict[str, float]] = {}
    for _ in range(rounds):
        for name, contender in timed.items():
            wall, cpu = time.perf_counter(), time.process_time()
            value = contender()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            best = found.setdefault(name, {"wall_s": wall, "cpu_s": cpu, "value": value})
            best["wall_s"], best["cpu_s"] = min(best["wall_s"], wall), min(best["cpu_s"], cpu)
    ratios = {
        ours: {key: found[f"{ours}, fkeax"][key] / found[theirs][key] for key in ("wall_s", "cpu_s", "value")}
        for ours, theirs in PEERS.items()
    }
    return {"found": found, "ratios": ratios}


def child_environment(threads: int) -> dict[str, str]:
    """Return the environment of a measuring process: its threads, and OpenBLAS free to choose its own kernels."""
    environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    return environment | {"OMP_NUM_THREADS": str(threads), "OPENBLAS_NUM_THREADS": str(threads), "JAX_PLATFORMS": "cpu"}


def run_child(case: str, rounds: int, threads: int) -> dict[str, Any]:
    """Return what a measuring process of its own finds."""
    command = [sys.executable, __file__, "--child", case, "--rounds", str(rounds)]
    done = subprocess.run(command, env=child_environment(threads), check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Print, and optionally write, all measurements."""
    parser = argparse.ArgumentParser(description="MAUVE beside mauve-text and faiss")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=list(CASES))
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path)
    parser.add_argument("--child", choices=list(CASES), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.child:
        print(json.dumps(measure(arguments.child, arguments.rounds)))
        return
    report: dict[str, Any] = {}
    for case in arguments.cases:
        report[case] = run_child(case, arguments.rounds, arguments.threads)
        num_samples, dimension = CASES[case]
        print(
            f"\n{case}: {num_samples:,} + {num_samples:,} rows in {dimension} dimensions, {arguments.threads} thread(s)"
        )
        for name, row in report[case]["found"].items():
            print(f"  {name:<24} {row['wall_s']:7.2f} s wall {row['cpu_s']:7.2f} s cpu   value {row['value']:.6g}")
        for what, ratio in report[case]["ratios"].items():
            print(
                f"  {what}, ours / theirs: {ratio['wall_s']:.2f} wall, {ratio['cpu_s']:.2f} cpu, "
                f"{ratio['value']:.6f} value"
            )
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
