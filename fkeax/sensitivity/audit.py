"""The audit: which changes each configured test detects at a sample budget, on one's own embeddings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.inference import Groups, clopper_pearson
from fkeax.numerics import batching, checks
from fkeax.results import Result
from fkeax.sensitivity.cells import Cell, named_key
from fkeax.sensitivity.dependence import Dependence, row_dependence
from fkeax.sensitivity.detectors import DEFAULT_TESTS, DETECTORS, Effort
from fkeax.sensitivity.forecast import Forecast, forecast
from fkeax.sensitivity.power import PowerGrid, Rate, Study, power_cells, rejection_rates
from fkeax.sensitivity.study import arms_of, prepare_study

DEFAULT_CHANGES = ("null", "shift", "rotation", "contraction", "drop")
DEFAULT_STRENGTHS = (0.1, 0.5)
DETECTED = 0.8  # of the draws
LEVEL_CONFIDENCE = 0.999
MANY_ZEROS = 0.2


@dataclass(frozen=True)
class Audit:
    """What an audit found.

    Attributes:
        rates: One a test, change and strength.
        forecasts: What theory expects of them, by test, change and strength, where it does.
        sentences: For each test, what a paper should say beside its values.
        settings: All that defines the numbers.
        warnings: Tests whose level looks off, rows that look dependent, changes that could not be made.
        dependence: What neighbouring rows have in common; None with groups.
    """

    rates: tuple[Rate, ...]
    forecasts: dict[tuple[str, str, float], Forecast]
    sentences: dict[str, str]
    settings: dict[str, Any]
    warnings: tuple[str, ...]
    dependence: Dependence | None

    def to_results(self) -> list[Result]:
        """Return one result "power" a rate, with its interval."""
        return [_result(rate, self.forecast_of(rate), self.settings) for rate in self.rates]

    def forecast_of(self, rate: Rate) -> Forecast | None:
        """Return what theory expects of a rate, if anything."""
        return self.forecasts.get((rate.test, rate.change, rate.strength))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python, ready for JSON."""
        return {
            "results": [result.to_dict() for result in self.to_results()],
            "sentences": dict(self.sentences),
            "settings": dict(self.settings),
            "warnings": list(self.warnings),
            "dependence": None if self.dependence is None else self.dependence.to_dict(),
        }


def audit(
    reference: ArrayLike,
    *,
    key: jax.Array | None = None,
    num_samples: int = 780,
    num_draws: int = 10,
    tests: Sequence[str] = DEFAULT_TESTS,
    changes: Sequence[str] = DEFAULT_CHANGES,
    strengths: Sequence[float] = DEFAULT_STRENGTHS,
    groups: Groups | None = None,
    alpha: float = 0.05,
    num_permutations: int = 199,
    num_aggregated: int = 2000,
) -> Audit:
    """Measure which changes each test detects at n samples a side, on given embeddings.

    Every draw takes two disjoint samples X and Y of the rows, changes Y, and asks every test whether X and the changed
    Y come from one law. All tests and changes see the same draws.

    Args:
        reference: (N, d) embeddings of real data, N at least ``2 num_samples``. With ``4 num_samples`` rows, modes and
            the narrow bandwidth are chosen on rows that no test sees.
        key: The root of all randomness; every number follows from it and from what it is a number of.
        num_samples: n, rows of either side.
        num_draws: Independent draws.
        tests: "kid", "kad", "window", "laplace-l1", "mmdagg", "frechet" (slow: 99 permutations of a spectral problem).
        changes: Names of :data:`fkeax.sensitivity.CHANGES`, or NAME=STRENGTH.
        strengths: Of changes matched by transport distance, in units of rho = sqrt(tr S).
        groups: A label for each row where rows depend on each other; draws then take whole groups.
        alpha: Level of the tests.
        num_permutations: Of tests with one kernel.
        num_aggregated: B1 and B2 of MMDAgg: its package's.

    Returns:
        Rates with exact intervals, sentences and warnings. Draws from one corpus overlap: the intervals are about this
        corpus at this n.

    Raises:
        ValueError: If rows are too few or unfit, a name is unknown, there is no key, or B is too small for alpha.

    Cost:
        Some 2.4 CPU seconds a draw and change at n = 780 and d = 784, two thirds of it MMDAgg: 4 minutes for the
        defaults on one core. See :func:`fkeax.sensitivity.power.grid_cost`.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (200, 4))
        >>> found = audit(x, key=jax.random.key(1), num_samples=40, num_draws=2, tests=["kad"], changes=["shift=3"])
        >>> found.rates[0].num_rejections, found.rates[0].num_draws
        (2, 2)
    """
    typed = checks.typed_key(key, "draws and relabellings")
    grid = PowerGrid(
        arms_of(changes, strengths),
        num_samples,
        num_draws,
        tuple(dict.fromkeys(tests)),
        Effort(alpha, num_permutations, num_aggregated),
    )
    names = [change for change, _ in grid.arms]
    study = prepare_study(typed, reference, num_samples=num_samples, groups=groups, changes=names, tests=grid.tests)
    return summarize(study, grid, power_cells(study, grid))


def summarize(study: Study, grid: PowerGrid, cells: Iterable[Cell]) -> Audit:
    """Return the audit that the cells of a grid make.

    Args:
        study: The corpus.
        grid: What was run.
        cells: All of its cells.
    """
    rates = tuple(rejection_rates(cells))
    settings = _settings(study, grid)
    dependence = None
    if study.pool.groups is None:
        seed = batching.key_seed(named_key(study.key, "dependence"))
        dependence = row_dependence(study.pool.rows, seed)
    warnings = [] if dependence is None else dependence.warnings()
    zeros = float(np.mean(study.pool.rows[:: max(1, study.pool.rows.shape[0] // 4096)] == 0))
    if zeros > MANY_ZEROS:
        warnings.append(
            f"{zeros:.0%} of the entries are exactly 0: changes that move all entries break these ties, which narrow "
            "and l1 kernels see by itself"
        )
    warnings += [warning for rate in rates if (warning := _level_warning(rate, grid.effort.alpha))]
    causes = {(rate.change, rate.strength): rate.infeasible for rate in rates if rate.infeasible is not None}
    warnings += [f"{change} at {strength:g} could not be made: {cause}" for (change, strength), cause in causes.items()]
    return Audit(
        rates=rates,
        forecasts=forecast(study, grid.arms, grid.tests, alpha=grid.effort.alpha),
        sentences={test: _sentence(test, rates, study, grid) for test in grid.tests},
        settings=settings,
        warnings=tuple(warnings),
        dependence=dependence,
    )


def _settings(study: Study, grid: PowerGrid) -> dict[str, Any]:
    pool, corpus, scales = study.pool, study.corpus, study.scales
    found = {
        "num_rows": pool.rows.shape[0],
        "dimension": pool.rows.shape[1],
        "dtype": str(pool.rows.dtype),
        "num_samples": grid.num_samples,
        "num_draws": grid.num_draws,
        "alpha": grid.effort.alpha,
        "num_permutations": {test: grid.effort.permutations_of(test) for test in grid.tests},
        "rows_set_aside": pool.num_spare_rows,
        "rho": corpus.rho,
        "effective_dimension": corpus.effective_dimension,
        "tests": {test: DETECTORS[test].describe(pool.rows.shape[1], scales) for test in grid.tests},
        "key": batching.key_seed(study.key).tolist(),
    }
    if pool.groups is not None:
        found["num_groups"] = int(pool.drawable.size + pool.spare.size)
        found["groups_a_side"] = pool.num_units
    return found


def _result(rate: Rate, expected: Forecast | None, settings: dict[str, Any]) -> Result:
    own = {"test": rate.test, "change": rate.change, "strength": rate.strength}
    shared = ("num_rows", "dimension", "num_samples", "alpha")
    return Result(
        name="power",
        value=rate.rate,
        stderr=None,
        settings=own
        | {name: settings[name] for name in shared}
        | {"num_draws": rate.num_draws, "num_permutations": settings["num_permutations"][rate.test]},
        diagnostics={
            "num_rejections": rate.num_rejections,
            "interval": list(rate.interval),
            "interval_method": "Clopper-Pearson, 95 %",
            "mean_z": rate.mean_z,
            "mean_w2": rate.mean_w2,
            "w2_kind": rate.w2_kind,
            "predicted_z": None if expected is None else expected.z,
            "predicted_power": None if expected is None else expected.power,
            "predicted_z_to_leading_order": None if expected is None else expected.leading_z,
            "stderr_reason": "the interval is exact",
        }
        | ({} if rate.infeasible is None else {"reason": rate.infeasible}),
    )


def _level_warning(rate: Rate, alpha: float) -> str | None:
    if rate.change != "null" or not rate.num_draws:
        return None
    low, high = clopper_pearson(rate.num_rejections, rate.num_draws, LEVEL_CONFIDENCE)
    if low <= alpha <= high:
        return None
    return (
        f"{rate.test}: level looks off: {rate.num_rejections} of {rate.num_draws} null draws rejected at level "
        f"{alpha:g} (99.9 % interval {low:.2f} to {high:.2f}); its p-values do not hold on these rows"
    )


def _sentence(test: str, rates: Sequence[Rate], study: Study, grid: PowerGrid) -> str:
    """Return what a paper should say of one test: budget, kernel, bandwidth, changes detected and missed."""
    detected, some, missed = [], [], []
    for rate in rates:
        if rate.test != test or rate.change == "null" or rate.rate is None:
            continue
        name = f"{rate.change} at {rate.strength:g} ({rate.num_rejections} of {rate.num_draws})"
        if rate.rate >= DETECTED:
            detected.append(name)
        elif rate.interval[0] <= grid.effort.alpha:
            missed.append(name)
        else:
            some.append(name)
    parts = [("detects", detected), ("detects in part of the draws", some), ("is not seen to detect", missed)]
    found = "; ".join(f"{verb} {', '.join(names)}" for verb, names in parts if names) or "was shown no change"
    pool = study.pool
    unit = f" in {pool.num_units} groups" if pool.groups is not None else ""
    return (
        f"{test} with {DETECTORS[test].describe(pool.rows.shape[1], study.scales)}, at {grid.num_samples} samples a "
        f"side{unit} and level {grid.effort.alpha:g} ({grid.effort.permutations_of(test)} permutations, "
        f"{grid.num_draws} draws from {pool.rows.shape[0]} rows of dimension {pool.rows.shape[1]}), {found}."
    )
