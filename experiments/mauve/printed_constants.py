"""Table 1 of the MAUVE paper as the text at hand prints it, misprints and all: C0, C0*, C1, C1*, C2, C2*."""

from __future__ import annotations

import math
from collections.abc import Callable

NAMES = ("C0", "C0*", "C1", "C1*", "C2", "C2*")
Printed = tuple[float | None, float | None, float | None, float | None, float | None, float | None]


def _interpolated_kl(weight: float) -> Printed:
    rest = 1 - weight
    # The text has the complement in place of the weight in the three entries of the conjugate.
    return rest, math.log(1 / rest) - rest, 1.0, rest**2 / rest, 0.5, rest / (8 * rest)


def _skew_js(weight: float) -> Printed:
    rest = 1 - weight
    return rest * math.log(1 / rest), weight * math.log(1 / rest), weight, rest, weight / 2, rest / 2


def _interpolated_chi2(weight: float) -> Printed:
    rest = 1 - weight
    return 1 / rest, 1 / rest, 2 / rest**2, 2 / rest**2, 4 / (27 * weight * rest**2), 4 / (27 * weight**2 * rest)


_JS = (math.log(2) / 2, math.log(2) / 2, 0.5, 0.5, 0.25, 0.25)
PRINTED: dict[str, Callable[[float], Printed]] = {
    "KL": lambda _: (1.0, math.inf, None, None, None, None),
    "Interpolated KL": _interpolated_kl,
    "Jensen-Shannon / Mid KL": lambda _: _JS,
    "Skew JS": _skew_js,
    "FI KL": lambda _: (0.5, 0.5, 4.0, 4.0, 0.5, 0.5),
    "Interpolated chi2": _interpolated_chi2,
    "Le Cam / Mid chi2": lambda _: (0.5, 0.5, 2.0, 2.0, 8 / 27, 8 / 27),
    "Squared Hellinger": lambda _: (1.0, 1.0, math.inf, math.inf, None, None),
}
