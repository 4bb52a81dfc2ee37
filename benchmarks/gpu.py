"""One script for a GPU: are the numbers right there, how fast, and which dot algorithm should be the default.

    python -m benchmarks.gpu                    # under six minutes on one large GPU; prints a short table
    python -m benchmarks.gpu --json gpu.json
    python -m benchmarks.gpu --self-test        # the same code at tiny sizes on whatever device there is

For n = 50,000, d = 768, 2r = 16,000: features and covariance under each dot algorithm, with the error of RKE against
float64 and, at 2r = 2,000, that of VENDI-1; cosines and sines; eigenvalues at three sizes and their alternatives; torch
beside where it is installed; the permutation test at 20,000 a side; k-means; MMDAgg. Steps that do not fit the time are
skipped and say so.

The default dot algorithm that is proposed is the fastest whose errors in both scores are below a tenth of the spread
that the draw of the frequencies gives them.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import jax

from benchmarks import device_solvers, device_steps
from benchmarks.device_steps import TINY, Precision, Row, Sizes, attempt
from fkeax.io import write_json

LARGEST_ERROR = 1e-4
"""Of RKE and VENDI-1 in float32 under HIGHEST, relative to float64: more is a bug, not rounding."""


def measure(sizes: Sizes, budget: float, say: Callable[[Row], None]) -> tuple[list[Row], list[Precision], str | None]:
    """Return all rows, what each dot algorithm did, and the proposed default."""
    end = time.monotonic() + budget
    rows: list[Row] = []

    def add(found: list[Row]) -> None:
        rows.extend(found)
        for row in found:
            say(row)

    first, precisions, spread = device_steps.precision_rows(sizes)
    add(first)
    default = device_steps.chosen(precisions, spread)
    steps: list[tuple[str, Callable[[], list[Row]]]] = [
        ("parts", lambda: device_steps.part_rows(sizes)),
        ("score", lambda: device_solvers.whole_score_rows(sizes)),
        ("permutation test", lambda: device_solvers.test_rows(sizes)),
        ("k-means", lambda: device_solvers.kmeans_rows(sizes)),
        ("MMDAgg", lambda: device_solvers.mmdagg_rows(sizes)),
    ]
    if importlib.util.find_spec("torch") is None:
        add([Row("torch", None, "not installed")])
    else:
        steps.append(("torch", lambda: device_solvers.torch_rows(sizes)))
    for size in sizes.spectra:
        steps.append(
            (
                f"spectra, {size}",
                lambda size=size: device_solvers.spectrum_rows(sizes, size, lambda: end - time.monotonic()),
            )
        )
    for name, step in steps:
        if time.monotonic() > end:
            add([Row(name, None, "skipped: no time left")])
            continue
        add(attempt(name, step))
    return rows, precisions, default


def check(rows: list[Row], precisions: list[Precision]) -> list[str]:
    """Return what is wrong: steps that failed, and errors in float32 too large to be rounding."""
    wrong = [f"{row.what}: {row.found}" for row in rows if row.found.startswith("failed") and "HIGHEST" in row.what]
    for row in precisions:
        if row.name == "HIGHEST" and max(row.rke_error, row.vendi_error) > LARGEST_ERROR:
            wrong.append(f"HIGHEST is off by {row.rke_error:.1e} in RKE and {row.vendi_error:.1e} in VENDI-1")
    if not any(row.name == "HIGHEST" for row in precisions):
        wrong.append("HIGHEST did not run")
    return wrong


def line(row: Row) -> str:
    """Return a row as a line of text."""
    seconds = "        -" if row.seconds is None else f"{row.seconds:9.4f}"
    return f"{seconds} s  {row.what:<48} {row.found}"


def main(words: list[str] | None = None) -> int:
    """Measure and print; return 1 if something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--self-test", action="store_true", help="tiny sizes, on any device; every step must run")
    parser.add_argument("--budget", type=float, default=320.0, help="seconds")
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args(words)
    device = jax.devices()[0]
    if device.platform != "gpu" and not arguments.self_test:
        print(f"JAX sees no GPU, only {device.device_kind}: run with --self-test, or python -m benchmarks.run.")
        return 2
    print(f"{device.device_kind}, jax {jax.__version__}, {'tiny' if arguments.self_test else 'full'} sizes", flush=True)
    sizes = TINY if arguments.self_test else Sizes()
    rows, precisions, default = measure(sizes, arguments.budget, lambda row: print(line(row), flush=True))
    print(f"proposed default dot algorithm: {default or 'none is accurate enough; keep HIGHEST'}")
    wrong = check(rows, precisions)
    if arguments.self_test:
        refused = tuple(f"features and covariance, {name}" for name in device_steps.ALGORITHMS)
        refused += tuple(f"projection and product, {name}" for name in device_steps.ALGORITHMS)
        wrong += [line(row) for row in rows if row.found.startswith("failed") and not row.what.startswith(refused)]
    for sentence in wrong:
        print(f"WRONG: {sentence}", file=sys.stderr)
    if arguments.json:
        write_json(
            arguments.json,
            {
                "device": device.device_kind,
                "default": default,
                "rows": [asdict(row) for row in rows],
                "precisions": [asdict(row) for row in precisions],
            },
        )
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
