"""MAUVE paper, Tables 1 and 2: the constants of Assumption 9, recomputed, and the smoothed laws, checked on counts.

Every constant is the supremum of what it bounds, taken on a grid of ratios t in double precision, beside what the table
prints (as the text at hand has it) and what `fkeax.frontier` uses in the error bounds.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.params import ConstantsParams
from experiments.mauve.printed_constants import NAMES, PRINTED
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params
from fkeax import quantize
from fkeax.frontier import (
    KL,
    ChiSquared,
    Conjugate,
    Generator,
    IntegralKL,
    Interpolated,
    JensenShannon,
    LeCam,
    SkewJensenShannon,
    SquaredHellinger,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Where f' is a logarithm, |f'| / log(1/t) comes to its supremum as slowly as 1 / log(1/t): to 0.4 % at 1e-250.
SMALLEST = 1e-250
CLOSE = 5e-3
WITH_MIXTURE = ("Interpolated KL", "Skew JS", "Interpolated chi2")
GROWS = 1e3  # a supremum that large at the ends of the grid has no bound


def run(config: Config) -> Outcome:
    """Compute every constant of every row at every mixture weight."""
    params = checked_params(config, ConstantsParams, UNUSED)
    results = []
    for number, weight in enumerate(params.mixtures):
        for row, generator in _generators(weight).items():
            if number > 0 and row not in WITH_MIXTURE:
                continue
            used = generator.constants()
            listed = (used.c0, used.c0_conjugate, used.c1, used.c1_conjugate, used.c2, used.c2_conjugate)
            found = _suprema(generator)
            for name, value, ours in zip(NAMES, found, listed, strict=True):
                printed = PRINTED[row](weight)[NAMES.index(name)]
                diagnostics = {
                    "used": None if math.isinf(ours) else ours,
                    "printed": None if printed is None or math.isinf(printed) else printed,
                    "is_printed": printed is not None,
                }
                settings = {"row": row, "constant": name, "mixture": weight}
                results.append(fkeax.Result(name, None if value > GROWS else value, None, settings, diagnostics | (
                    {"reason": "it grows without a bound"} if value > GROWS else {}
                )))  # fmt: skip
    results += _smoothed()
    return Outcome(config.title, results, {}, None, {"source": "Closed forms.", "licence": "None."})


def _generators(weight: float) -> dict[str, Generator]:
    return {
        "KL": KL(),
        "Interpolated KL": Interpolated(KL(), weight),
        "Jensen-Shannon / Mid KL": JensenShannon(),
        "Skew JS": SkewJensenShannon(weight),
        "FI KL": IntegralKL(),
        "Interpolated chi2": Interpolated(ChiSquared(), weight),
        "Le Cam / Mid chi2": LeCam(),
        "Squared Hellinger": SquaredHellinger(),
    }


def _suprema(generator: Generator) -> tuple[float, ...]:
    """Return f(0), f*(0) and the suprema behind C1 and C2 of both generators."""
    with jax.enable_x64(True):
        near = np.logspace(np.log10(SMALLEST), 0, 8001)[:-1]
        wide = np.logspace(-7, 7, 6001)
        sides: list[Generator] = [generator, Conjugate(generator)]
        at_zero = [float(side(jnp.float64(0.0))) for side in sides]
        first, second = [], []
        for side in sides:
            slopes = np.asarray(_slopes(side, jnp.asarray(np.concatenate([near, wide]))))
            steep = np.abs(slopes[: len(near)]) / np.maximum(1.0, np.log(1 / near))
            first.append(float(np.nanmax(steep)))
            # t f''(t) by differences of the exact slope: t f'' = d f' / d log t.
            bend = np.gradient(slopes[len(near) :], np.log(wide)) / 2
            second.append(float(np.nanmax(bend[1:-1])))
    return (*at_zero, *first, *second)


@jax.jit
def _slopes(generator: Generator, ratios: jax.Array) -> jax.Array:
    return jax.vmap(jax.grad(generator.__call__))(ratios)


def _smoothed() -> list[fkeax.Result]:
    """Return the pseudo-counts of Table 2, read off what fkeax makes of counts 0, 1 and 3."""
    counts = np.array([0, 0, 1, 1, 1, 3])
    results = []
    for method in ("braess-sauer", "krichevsky-trofimov", "laplace"):
        law = np.asarray(quantize.smooth(counts, method), np.float64)
        # Ratios of the law give the pseudo-counts up to one factor, which the sum n + sum b of the counts fixes.
        expected = {"braess-sauer": (0.5, 1.0, 0.75), "krichevsky-trofimov": (0.5,) * 3, "laplace": (1.0,) * 3}[method]
        added = np.array([expected[min(int(count), 2)] for count in counts])
        for place, label in ((0, "absent"), (2, "once"), (5, "more often")):
            value = law[place] * (counts.sum() + added.sum()) - counts[place]
            settings = {"row": method, "constant": f"b, {label}", "mixture": None}
            printed = expected[min(int(counts[place]), 2)]
            diagnostics = {"used": value, "printed": printed, "is_printed": True}
            results.append(fkeax.Result("pseudo-count", value, None, settings, diagnostics))
    return results


def verdict(result: fkeax.Result) -> str:
    """Return what the printed constant is worth: a bound below the supremum is wrong, one above it is loose."""
    printed, ours = result.diagnostics["printed"], result.value
    if not result.diagnostics["is_printed"]:
        return "not printed"
    if printed is None or ours is None:
        return "right" if printed is None and ours is None else "wrong"
    ratio = float(str(printed)) / ours if ours else math.inf
    if abs(ratio - 1) <= CLOSE:
        return "right"
    exact = result.name in ("C0", "C0*", "pseudo-count")  # values, not bounds
    return "wrong" if exact or ratio < 1 else f"holds, {ratio:.3g} times too large"


def findings(run: RunFolder) -> list[Finding]:
    """Return which printed constants are right, which are loose, and which are wrong."""
    of_tables = {
        "Table 1": [r for r in run.results if r.name != "pseudo-count"],
        "Table 2": [r for r in run.results if r.name == "pseudo-count"],
    }
    found = []
    for name, results in of_tables.items():
        printed = [r for r in results if verdict(r) != "not printed"]
        wrong = sorted({f"{r.settings['row']} {r.settings['constant']}" for r in printed if verdict(r) == "wrong"})
        loose = sorted({f"{r.settings['row']} {r.settings['constant']}" for r in printed if "holds" in verdict(r)})
        right = sum(verdict(r) == "right" for r in printed)
        ours = f"{right} of {len(printed)} entries are right"
        ours += f"; valid but loose: {', '.join(loose)}" if loose else ""
        ours += f"; wrong at some mixture weight: {', '.join(wrong)}" if wrong else ""
        found.append(
            Finding(
                f"{name}: the constants as printed in the text at hand",
                ours,
                "yes" if not wrong else "no: see the table",
            )
        )
    valid = [r for r in of_tables["Table 1"] if r.value is not None and r.diagnostics["used"] is not None]
    short = [r for r in valid if float(str(r.diagnostics["used"])) < float(r) * (1 - CLOSE)]
    names = ", ".join(f"{r.settings['row']} {r.settings['constant']}" for r in short)
    ours = f"{len(valid) - len(short)} of {len(valid)} are at least the supremum"
    found.append(
        Finding(
            "the constants that fkeax uses instead (no claim of the paper)",
            ours + (f"; not: {names}" if short else ""),
            "yes" if not short else "no",
        )
    )
    return found


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return no picture."""
    return {}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return both tables, the constants at each mixture weight."""
    header = ["row", "l", "constant", "printed", "recomputed", "used by fkeax", "printed is"]
    rows = [_row(r) for r in run.results if r.name != "pseudo-count" and verdict(r) != "not printed"]
    second = [_row(r) for r in run.results if r.name == "pseudo-count"]
    return {
        "table1": Table(
            "Table 1: f(0), f*(0), the supremum of |f'| / max(1, log 1/t) on (0, 1) and of t f'' / 2 (* of the "
            "conjugate). A dash: infinite.",
            header,
            rows,
        ),
        "table2": Table("Table 2: what smoothing adds to the counts.", header, second),
    }


def _row(result: fkeax.Result) -> list[str | float | int | None]:
    row, weight = str(result.settings["row"]), result.settings["mixture"]
    depends = row in WITH_MIXTURE
    cells = [result.diagnostics["printed"], result.value, result.diagnostics["used"]]
    numbers = [None if cell is None else round(float(str(cell)), 5) for cell in cells]
    shown = float(str(weight)) if depends and weight is not None else None
    return [row, shown, str(result.settings["constant"]), *numbers, verdict(result)]


EXPERIMENT = Experiment(place="MAUVE paper, Tables 1 and 2", run=run, draw=draw, findings=findings, tables=tables)
