"""A power grid: many tests of many changed draws, beside a loop over NumPy's test."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.case import Case, Family, Scale
from benchmarks.data import normal, pair
from benchmarks.peers import numpy_mmd_test
from benchmarks.timing import Contender


def _grid(n: int, d: int, draws: int, strengths: Sequence[float], permutations: int) -> list[Contender]:
    import jax

    from fkeax.sensitivity.detectors import Effort
    from fkeax.sensitivity.power import PowerGrid, power_cells
    from fkeax.sensitivity.study import prepare_study

    arms = (("null", 0.0), *(("shift", strength) for strength in strengths))
    grid = PowerGrid(arms, n, draws, ("kid", "kad"), Effort(num_permutations=permutations))
    study = prepare_study(
        jax.random.key(0), normal(4 * n, d), num_samples=n, changes=["null", "shift"], tests=grid.tests
    )
    x, y = pair(n, d)

    def ours() -> float:
        return float(len([cell for cell in power_cells(study, grid) if cell.infeasible is None]))

    def loop() -> float:
        tests = [numpy_mmd_test.p_value(x, y, permutations, seed=number) for number in range(len(grid.names()))]
        return float(len(tests))

    return [Contender("fkeax", ours, compiles=True), Contender("NumPy, one test after the other", loop)]


def _cases(scale: Scale) -> Sequence[Case]:
    reason = "the number of tests"
    if scale == "smoke":
        return [Case("grid", "n=m=40, d=8, 4 tests", lambda: _grid(40, 8, 1, (0.5,), 39), 0.0, reason, True)]
    return [
        Case(
            "grid",
            "n=m=780, d=256, 2 draws x 3 arms x 2 tests, 199 permutations",
            lambda: _grid(780, 256, 2, (0.1, 0.5), 199),
            0.0,
            reason,
            True,
        )
    ]


FAMILY = Family(
    "Power grids",
    "KID's and KAD's kernels on shifted draws; draws, changes and distances are shared by the tests of a cell. The "
    "peer runs NumPy's test as often, on draws made beforehand. The values are numbers of tests.",
    _cases,
)
