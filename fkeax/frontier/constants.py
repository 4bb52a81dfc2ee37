"""The constants of Assumption 9 (MAUVE paper), which the error bounds of divergence estimates are made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class SmoothnessConstants:
    """How large a generator and its conjugate are at 0, how fast they vary, and how much they curve.

    A constant is infinite where the assumption fails; then the error bounds say nothing.

    Attributes:
        c0: ``f(0)``.
        c0_conjugate: ``f*(0)``.
        c1: A bound on ``|f'(t)| / max(1, log(1/t))`` over (0, 1).
        c1_conjugate: The same for ``f*``.
        c2: A bound on ``t f''(t) / 2`` over t > 0.
        c2_conjugate: The same for ``f*``.

    References:
        MAUVE paper, Assumption 9 (A1) to (A3) and Table 1.
    """

    c0: float
    c0_conjugate: float
    c1: float
    c1_conjugate: float
    c2: float
    c2_conjugate: float

    def swapped(self) -> SmoothnessConstants:
        """Return the constants of the conjugate generator."""
        return SmoothnessConstants(self.c0_conjugate, self.c0, self.c1_conjugate, self.c1, self.c2_conjugate, self.c2)

    def scaled(self, factor: float) -> SmoothnessConstants:
        """Return the constants of ``factor`` times the generator."""
        return SmoothnessConstants(
            factor * self.c0,
            factor * self.c0_conjugate,
            factor * self.c1,
            factor * self.c1_conjugate,
            factor * self.c2,
            factor * self.c2_conjugate,
        )
