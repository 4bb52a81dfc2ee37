"""How cost grows: log-log slopes of seconds in n, d, r, k and the number of permutations.

``python -m benchmarks.growth --scale cpu`` prints one line of JSON.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass

import numpy as np

from benchmarks.case import Scale
from benchmarks.data import normal, pair
from benchmarks.timing import Contender, in_turn


@dataclass(frozen=True)
class Line:
    """Seconds at growing sizes and the slope of their logarithms.

    Attributes:
        name: What is timed.
        axis: What grows.
        sizes: Its values.
        seconds: Processor seconds at each: on a busy machine the clock says less.
        slope: Of ``log seconds`` over ``log size``, by least squares.
        theory: What the leading terms of the cost say.
    """

    name: str
    axis: str
    sizes: list[int]
    seconds: list[float]
    slope: float
    theory: str


def slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Return the least-squares slope of ``log seconds`` over ``log sizes``."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def _fkea(n: int, d: int, r: int) -> Callable[[], float]:
    import jax

    import fkeax

    x = normal(n, d)
    return lambda: float(
        fkeax.score(x, metrics=("rke",), bandwidth=16.0, method="fkea", num_frequencies=r, key=jax.random.key(0))["rke"]
    )


def _kmeans(n: int, d: int, k: int) -> Callable[[], float]:
    from fkeax.quantize import kmeans

    rows = normal(n, d)
    start = rows[:k]
    return lambda: kmeans(rows, start=start, max_iterations=10).objective


def _test(n: int, d: int, permutations: int) -> Callable[[], float]:
    import jax

    from fkeax.twosample import mmd_test

    x, y = pair(n, d)
    return lambda: mmd_test(x, y, key=jax.random.key(0), bandwidth=d**0.5, num_permutations=permutations).p_value


def lines(scale: Scale, rounds: int) -> list[Line]:
    """Time every line at its sizes, all sizes of a line in turn."""
    small = scale == "smoke"
    n, d, r = (400, 8, 20) if small else (16_384, 256, 500)
    sizes = (200, 400, 800) if small else (16_384, 32_768, 65_536, 131_072)
    half, twice = (max(2, d // 2), d, 2 * d), (r // 2, r, 2 * r)
    k_sizes = (5, 10, 20) if small else (125, 250, 500, 1_000)
    b_sizes = (19, 39, 79) if small else (250, 500, 1_000, 2_000)
    test_sizes = (20, 40, 80) if small else (500, 1_000, 2_000, 4_000)
    asked: list[tuple[str, str, Sequence[int], Callable[[int], Callable[[], float]], str]] = [
        ("FKEA score", "n", sizes, lambda size: _fkea(size, d, r), "1: n (2 d r + 4 r^2)"),
        ("FKEA score", "d", half, lambda size: _fkea(n, size, r), "below 1: 2 d r beside 4 r^2"),
        ("FKEA score", "r", twice, lambda size: _fkea(n, d, size), "1 to 2: 2 d r + 4 r^2"),
        ("k-means", "k", k_sizes, lambda size: _kmeans(n // 4, d, size), "1: products with k centres"),
        ("permutation test", "permutations", b_sizes, lambda size: _test(test_sizes[1], d, size), "below 1: a product"),
        ("permutation test", "n", test_sizes, lambda size: _test(size, d, b_sizes[0]), "2: all pairs"),
    ]
    found = []
    for name, axis, grown, make, theory in asked:
        contenders = [Contender(str(size), make(size), compiles=True) for size in grown]
        seconds = [timing.cpu_s for timing in in_turn(contenders, rounds)]
        found.append(Line(name, axis, list(grown), seconds, slope(grown, seconds), theory))
    return found


def main() -> None:
    """Measure and print one line of JSON."""
    parser = argparse.ArgumentParser(description="How the cost of fkeax grows")
    parser.add_argument("--scale", choices=["smoke", "cpu", "all"], default="cpu")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    print(json.dumps({"lines": [asdict(line) for line in lines(arguments.scale, arguments.rounds)]}))


if __name__ == "__main__":
    main()
