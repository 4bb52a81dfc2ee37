"""One closed form per family of metrics, computed on this machine: what `fkeax doctor` trusts a number by."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

# Sums of some hundred products in float32; a score moves by about ten times as much.
ROUNDING = 2e-5


@dataclass(frozen=True)
class SelfTest:
    """A number that this machine computed beside what it is by theory.

    Attributes:
        name: The metric and the case.
        value: As computed; None where it could not be.
        expected: By the closed form.
        tolerance: The largest difference that passes.
        reason: Why there is no value.
    """

    name: str
    value: float | None
    expected: float
    tolerance: float
    reason: str | None = None

    @property
    def passed(self) -> bool:
        """Whether the value is within the tolerance."""
        return self.value is not None and abs(self.value - self.expected) <= self.tolerance


def run_self_tests(families: Sequence[str] | None = None) -> Iterator[SelfTest]:
    """Yield the tests one by one; one that fails to compute at all fails with its reason.

    Args:
        families: Of :data:`FAMILIES`; all unless given.
    """
    for family in FAMILIES if families is None else families:
        for name, compute, expected, tolerance in FAMILIES[family]():
            try:
                yield SelfTest(name, float(compute()), expected, tolerance)
            except Exception as error:  # whatever is broken here is what the doctor is asked for
                sentence = f"{type(error).__name__}: {error}".splitlines()[0]
                yield SelfTest(name, None, expected, tolerance, sentence)


_Case = tuple[str, Callable[[], Any], float, float]


def _two_groups(distance: float) -> Any:
    """Return 14 points at 0 and 6 at a distance from it."""
    import numpy as np

    rows = np.zeros((20, 4), np.float32)
    rows[14:, 0] = distance
    return rows


def _vendi() -> Iterator[_Case]:
    import fkeax

    # Two groups of identical points with shares w, 1 - w and kernel value k between them have the eigenvalues
    # (1 +- sqrt(1 - 4 w (1 - w) (1 - k^2))) / 2.
    kernel, share = math.exp(-0.5), 0.7
    root = math.sqrt(1 - 4 * share * (1 - share) * (1 - kernel**2))
    spectrum = ((1 + root) / 2, (1 - root) / 2)
    entropy = -sum(mass * math.log(mass) for mass in spectrum)
    rows = _two_groups(2.0)
    yield (
        "VENDI of order 1, two groups, exact",
        lambda: fkeax.vendi(rows, bandwidth=2.0, method="exact"),
        math.exp(entropy),
        ROUNDING,
    )
    yield (
        "RKE, two groups, exact",
        lambda: fkeax.rke(rows, bandwidth=2.0, method="exact"),
        1 / sum(mass**2 for mass in spectrum),
        ROUNDING,
    )


def _fkea() -> Iterator[_Case]:
    import jax

    import fkeax

    frequencies = 2000
    rows = _two_groups(100.0)
    # At distance 100 bandwidths the kernel between the groups is 0, and its estimate the mean of r cosines of random
    # angles, of standard deviation 1 / sqrt(2r). RKE = 1 / (w^2 + (1-w)^2 + 2 w (1-w) k^2), whose slope in k^2 is below
    # 2 w (1-w) RKE^2 = 1.25: five standard deviations of k are the tolerance.
    exact = 1 / (0.7**2 + 0.3**2)
    slope = 2 * 0.7 * 0.3 * exact**2
    yield (
        "RKE, two far groups, features",
        lambda: fkeax.rke(
            rows, bandwidth=1.0, method="fkea", num_frequencies=frequencies, batch_size=20, key=jax.random.key(0)
        ),
        exact,
        slope * 25 / (2 * frequencies) + ROUNDING,
    )


def _frontier() -> Iterator[_Case]:
    import jax
    import numpy as np

    import fkeax

    rows = np.random.default_rng(0).standard_normal((60, 4)).astype(np.float32)
    key = jax.random.key(0)
    yield "MAUVE of a sample against itself", lambda: fkeax.mauve(rows, rows, key=key), 1.0, 1e-6
    # Disjoint supports at c = 5, trapezoid on linspace(1e-6, 1 - 1e-6, 25) with both ends.
    far = np.zeros((60, 4), np.float32)
    far[:, 0] = 1.0
    near = rows * np.float32(0.01) + far
    yield "MAUVE of disjoint samples", lambda: fkeax.mauve(near, -near, key=key), 0.0040720963, 1e-6


def _mmd() -> Iterator[_Case]:
    import fkeax

    low, high = _constant(0.0), _constant(1.0)
    # Two points at distance 2: k = 1 within a sample, exp(-4 / (2 * 4)) between them.
    yield (
        "MMD^2 of two points",
        lambda: fkeax.mmd(low, high, bandwidth=2.0),
        2 - 2 * math.exp(-0.5),
        ROUNDING,
    )


def _kid() -> Iterator[_Case]:
    import fkeax

    # (x.y / d + 1)^3 is 1 at the origin with anything, and 8 at (1, ..., 1) with itself.
    yield "KID of the origin and (1, ..., 1)", lambda: fkeax.kid(_constant(0.0), _constant(1.0)), 7.0, 7 * ROUNDING


def _frechet() -> Iterator[_Case]:
    import numpy as np

    import fkeax

    # The corners of a square, and the same twice as wide and moved by (3, 0): covariances 4/3 I and 16/3 I at n = 4,
    # hence 9 + 2 (4/sqrt(3) - 2/sqrt(3))^2 = 9 + 8/3.
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
    yield (
        "Frechet distance of two squares",
        lambda: fkeax.frechet(corners, 2 * corners + np.array([3.0, 0.0])),
        9 + 8 / 3,
        1e-9,
    )


def _manifold() -> Iterator[_Case]:
    import numpy as np

    import fkeax

    rows = np.random.default_rng(1).standard_normal((40, 4)).astype(np.float32)
    yield "recall of a sample against itself", lambda: fkeax.prdc(rows, rows)["recall"], 1.0, 0.0
    yield "precision of samples far away", lambda: fkeax.prdc(rows, rows + 1000)["precision"], 0.0, 0.0


def _permutations() -> Iterator[_Case]:
    import jax

    import fkeax

    key = jax.random.key(0)
    low, high = _two_groups(0.5), _two_groups(0.5) + 50

    def p_value(left: Any, right: Any) -> float:
        found = fkeax.two_sample_test(left, right, method="mmd", bandwidth=2.0, num_permutations=99, key=key)
        return found.p_value

    # No relabelling of far samples is as extreme as their own labels (chance below 1e-9), and all are when every row is
    # the same: p is 1/(B + 1) and 1.
    yield "p-value of far samples", lambda: p_value(low, high), 0.01, 1e-12
    yield "p-value of identical rows", lambda: p_value(_constant(1.0, 20), _constant(1.0, 20)), 1.0, 1e-12


def _constant(value: float, num_rows: int = 12) -> Any:
    import numpy as np

    return np.full((num_rows, 4), value, np.float32)


FAMILIES: dict[str, Callable[[], Iterator[_Case]]] = {
    "vendi": _vendi,
    "fkea": _fkea,
    "frontier": _frontier,
    "mmd": _mmd,
    "kid": _kid,
    "frechet": _frechet,
    "manifold": _manifold,
    "permutations": _permutations,
}
