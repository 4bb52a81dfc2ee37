"""The permutation test on MMD with one kernel, the pooled median included, beside NumPy in two precisions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.case import Case, Family, Scale
from benchmarks.data import pair
from benchmarks.peers import numpy_mmd_test
from benchmarks.timing import Contender


def _test(n: int, d: int, permutations: int, *, peers: bool = True) -> list[Contender]:
    import jax

    from fkeax.twosample import mmd_test

    x, y = pair(n, d)
    rows = [
        Contender(
            "fkeax",
            lambda: mmd_test(x, y, key=jax.random.key(0), num_permutations=permutations).p_value,
            compiles=True,
        )
    ]
    if peers:
        rows += [
            Contender("NumPy, float32", lambda: numpy_mmd_test.p_value(x, y, permutations, np.float32)),
            Contender("NumPy, float64", lambda: numpy_mmd_test.p_value(x, y, permutations, np.float64)),
        ]
    return rows


def _cases(scale: Scale) -> Sequence[Case]:
    reason = (
        "p-values from other relabellings: their spread is at most 0.5 / sqrt(B), times sqrt(2) for two, times four"
    )

    def tolerance(permutations: int) -> float:
        return 4 * 0.5 * (2 / permutations) ** 0.5

    if scale == "smoke":
        return [Case("n=780", "n=m=60, d=8, 99 permutations", lambda: _test(60, 8, 99), tolerance(99), reason, True)]
    cases = [
        Case("n=780", "n=m=780, d=512, 500 permutations", lambda: _test(780, 512, 500), tolerance(500), reason, True),
        Case(
            "n=2,000",
            "n=m=2,000, d=2,048, 500 permutations",
            lambda: _test(2_000, 2_048, 500),
            tolerance(500),
            reason,
            True,
        ),
    ]
    if scale == "all":
        cases.append(
            Case(
                "n=20,000",
                "n=m=20,000, d=512, 500 permutations; a kernel matrix would be 12.8 GB",
                lambda: _test(20_000, 512, 500, peers=False),
                tolerance(500),
                reason,
                True,
            )
        )
    return cases


FAMILY = Family(
    "Permutation test on MMD",
    "One Gaussian kernel at the pooled median, which is part of the work; NumPy makes one kernel matrix and multiplies "
    "it with all relabellings at once. The values are p-values under the null hypothesis.",
    _cases,
)
