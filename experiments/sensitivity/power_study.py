"""Power at a budget in one space: cells of tests on changed draws, taken from the space's table or added to it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import jax
import numpy as np

from experiments.schema import Config
from experiments.sensitivity.cell_table import COMMITTED, CellTable, Population
from experiments.sensitivity.configurations import CONFIGURATIONS, permutations
from experiments.sensitivity.params import PowerParams
from experiments.sensitivity.spaces import Embeddings
from fkeax.io import sha256_of_array
from fkeax.sensitivity import Cell, CellName, Effort, Study, arms_of, named_key
from fkeax.sensitivity.draws import DrawnPair
from fkeax.sensitivity.power import cells_of_arm
from fkeax.sensitivity.study import prepare_study

LOG = logging.getLogger(__name__)
Arm = tuple[str, float]
Prepare = Callable[[jax.Array, Embeddings, "Plan"], Study]


@dataclass(frozen=True)
class Plan:
    """What is asked of every space.

    Attributes:
        arms: Pairs of a change and a strength.
        tests: Names of :data:`CONFIGURATIONS`.
        num_samples: Rows of either side.
        num_draws: Draws.
        effort: Level and relabellings.
    """

    arms: tuple[Arm, ...]
    tests: tuple[str, ...]
    num_samples: int
    num_draws: int
    effort: Effort


def plan_of(params: PowerParams) -> Plan:
    """Return the plan that parameters ask for.

    Raises:
        ValueError: A test or change is unknown.
    """
    unknown = sorted(set(params.tests) - set(CONFIGURATIONS))
    if unknown:
        raise ValueError(f"params.tests must hold names of {', '.join(CONFIGURATIONS)}; got {unknown[0]!r}.")
    return Plan(
        arms=arms_of(params.changes, params.strengths),
        tests=tuple(params.tests),
        num_samples=params.num_samples,
        num_draws=params.num_draws,
        effort=Effort(0.05, params.num_permutations, params.num_aggregated),
    )


def table_of(config: Config, params: PowerParams, name: str) -> CellTable:
    """Return the table of a space: the committed one, or one beside the result folders."""
    folder = COMMITTED if params.committed else Path(config.origin, config.output, "cells")
    return CellTable(folder / f"{name}.csv")


def cells_of(
    embeddings: Embeddings,
    table: CellTable,
    plan: Plan,
    *,
    seed: int,
    name: str,
    prepare: Prepare | None = None,
    ignore_groups: bool = False,
) -> Iterator[Cell]:
    """Yield the cells of a plan, each kept in the table as soon as its arm of its draw is finished.

    As in :func:`fkeax.sensitivity.power_cells`, random numbers come from names alone: any order, subset or interruption
    gives the same cells.

    Args:
        embeddings: Of the space.
        table: Where cells are looked up and kept.
        plan: What is wanted.
        seed: Of all randomness.
        name: Of the space; its cells have a key of their own.
        prepare: Makes the space ready where a cell has to be computed; `study_of` by default.
        ignore_groups: Draw whole groups, but relabel rows as if they were independent.
    """
    found = Population(seed, sha256_of_array(embeddings.rows)[:10], permutations(plan.effort))
    key = named_key(jax.random.key(seed), "space", name)
    study: Study | None = None
    for draw in range(plan.num_draws):
        drawn: DrawnPair | None = None
        for change, strength in plan.arms:
            names = [CellName(test, change, strength, plan.num_samples, draw) for test in plan.tests]
            known = {one: table.cell(one.test, change, strength, plan.num_samples, draw, found) for one in names}
            missing = [one for one in names if known[one] is None]
            if missing:
                if study is None:
                    study = (prepare or study_of)(key, embeddings, plan)
                    LOG.info("%s: n = %d, cells from draw %d on", name, plan.num_samples, draw)
                drawn = drawn or study.pool.draw(study.key, draw)
                tested = cells_of_arm(
                    study, plan.effort, drawn, missing, detectors=CONFIGURATIONS, ignore_groups=ignore_groups
                )
                table.append(list(tested), found)
            cells = [table.cell(one.test, change, strength, plan.num_samples, draw, found) for one in names]
            yield from (cell for cell in cells if cell is not None)


def study_of(key: jax.Array, embeddings: Embeddings, plan: Plan) -> Study:
    """Return a space made ready for draws, changes and tests."""
    return prepare_study(
        key,
        embeddings.rows,
        num_samples=plan.num_samples,
        groups=embeddings.groups,
        changes=[change for change, _ in plan.arms],
        tests=("window",) if "window" in plan.tests else (),
    )


def corpus_facts(embeddings: Embeddings) -> dict[str, float]:
    """Return the numbers of rows and columns, rho, the effective dimension and the share of tied entries of a space."""
    rows = np.asarray(embeddings.rows, np.float64)
    centred = rows - rows.mean(axis=0)
    covariance = centred.T @ centred / len(rows)
    trace = float(np.trace(covariance))
    return {
        "num_rows": float(len(rows)),
        "dimension": float(rows.shape[1]),
        "rho": trace**0.5,
        "effective_dimension": trace**2 / float(np.square(covariance).sum()),
        "ties": float(np.mean(np.diff(np.sort(embeddings.rows, axis=0), axis=0) == 0)),
    }
