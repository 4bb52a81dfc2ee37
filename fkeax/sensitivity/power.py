"""Power at a sample budget: which tests reject which changes, cell by cell, on draws that all of them share."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import jax
import numpy as np

from fkeax.inference import clopper_pearson
from fkeax.numerics import checks
from fkeax.sensitivity.cells import Cell, CellName, named_key
from fkeax.sensitivity.changed import Changed, InfeasibleChange
from fkeax.sensitivity.changes import CHANGES, apply_change
from fkeax.sensitivity.corpus import Corpus
from fkeax.sensitivity.detectors import DEFAULT_TESTS, DETECTORS, Detector, Effort, Scales, make_pair
from fkeax.sensitivity.draws import DrawnPair, Pool
from fkeax.twosample.decisions import checked_level

FLOPS_PER_SECOND = 6e10
DIFFERENCES_PER_SECOND = 1.8e9
DECOMPOSITIONS_PER_SECOND = 4e10


@dataclass(frozen=True)
class PowerGrid:
    """What to run: tests x arms x draws at one n.

    Attributes:
        arms: Pairs of a change and a strength.
        num_samples: Rows of either side.
        num_draws: Independent draws from the corpus.
        tests: Names of :data:`DETECTORS`.
        effort: Level and permutations.
    """

    arms: tuple[tuple[str, float], ...]
    num_samples: int = 780
    num_draws: int = 10
    tests: tuple[str, ...] = DEFAULT_TESTS
    effort: Effort = field(default_factory=Effort)

    def __post_init__(self) -> None:
        """Check names and numbers.

        Raises:
            ValueError: A name is unknown, a list is empty, or a number is out of range.
        """
        if not self.arms or not self.tests:
            raise ValueError("a power grid needs at least one change and one test; got none.")
        for change, strength in self.arms:
            checks.choice(change, "changes", tuple(CHANGES))
            checks.finite_number(strength, "strengths")
        for test in self.tests:
            checks.choice(test, "tests", tuple(DETECTORS))
            checked_level(self.effort.alpha, self.effort.permutations_of(test))
        checks.count(self.num_samples, "num_samples", minimum=4)
        checks.count(self.num_draws, "num_draws")

    def names(self) -> list[CellName]:
        """Return the names of all cells in the order in which they are computed: draw by draw, arm by arm."""
        return [
            CellName(test, change, strength, self.num_samples, draw)
            for draw in range(self.num_draws)
            for change, strength in self.arms
            for test in self.tests
        ]


@dataclass(frozen=True)
class Study:
    """A corpus ready for a power grid: found once, shared by all cells.

    Attributes:
        key: The root of all keys.
        pool: Rows to draw, rows set aside.
        corpus: Moments and modes that changes need.
        scales: Bandwidths that tests need.
    """

    key: jax.Array
    pool: Pool
    corpus: Corpus
    scales: Scales


def power_cells(
    study: Study, grid: PowerGrid, *, known: Callable[[CellName], Cell | None] = lambda _: None
) -> Iterator[Cell]:
    """Yield every cell of a grid, computing those that are not known yet.

    A cell's randomness comes from its name: the draw from n and its number, the change from those, the change's name
    and no strength (so that strengths share directions), the relabellings from the whole name. Any order, any subset
    and any resumption therefore give the same numbers. All tests of one change see the same rows and share their
    squared distances.

    Args:
        study: The corpus.
        grid: What to run.
        known: Looks a cell up where earlier results are kept; None means compute it.

    Yields:
        Cells in the order of ``grid.names()``.

    Cost:
        See :func:`grid_cost`. All relabellings of a test are one product; draws run one after the other.
    """
    for draw, arms in itertools.groupby(grid.names(), key=lambda name: name.draw):
        drawn: DrawnPair | None = None
        for _, names in itertools.groupby(arms, key=lambda name: (name.change, name.strength)):
            found = [(name, known(name)) for name in names]
            missing = [name for name, cell in found if cell is None]
            if missing:
                drawn = drawn or study.pool.draw(study.key, draw)
            computed = iter(()) if drawn is None else cells_of_arm(study, grid.effort, drawn, missing)
            for _, cell in found:
                yield next(computed) if cell is None else cell


def cells_of_arm(
    study: Study,
    effort: Effort,
    drawn: DrawnPair,
    names: Sequence[CellName],
    *,
    detectors: Mapping[str, Detector] = DETECTORS,
    ignore_groups: bool = False,
) -> Iterator[Cell]:
    """Yield the cells of some tests on one changed draw; they share its rows and its squared distances.

    Args:
        study: The corpus.
        effort: Level and relabellings.
        drawn: The draw that the names number.
        names: Cells of one draw, one change and one strength; none gives none.
        detectors: The tests by name.
        ignore_groups: Draw whole groups, but relabel rows as if they were independent.
    """
    if not names:
        return
    first = names[0]
    try:
        changed = changed_draw(study, drawn, first.draw, first.change, first.strength)
    except InfeasibleChange as error:
        yield from (Cell(name, None, None, None, None, None, None, str(error)) for name in names)
        return
    pair = make_pair(drawn.reference, changed.samples, None if ignore_groups else drawn.groups)
    for name in names:
        test = detectors[name.test].run(name.key(study.key), pair, study.scales, effort)
        width = test.kernels[0].bandwidth if len(test.kernels) == 1 else None
        yield Cell(name, test.reject, test.p_value, test.z, width, changed.w2, changed.w2_kind)


def change_key(study: Study, change: str, number: int) -> jax.Array:
    """Return the key of what is random about a change in one draw, the same at every strength."""
    return named_key(study.key, "change", change, study.pool.num_samples, number)


def changed_draw(study: Study, drawn: DrawnPair, number: int, change: str, strength: float) -> Changed:
    """Return the changed sample of a draw.

    Raises:
        InfeasibleChange: If the corpus does not allow the strength.
    """
    return apply_change(
        change,
        change_key(study, change, number),
        study.corpus,
        drawn.generated,
        strength,
        reference=drawn.reference,
        reserve=drawn.reserve if CHANGES[change].affine is None and drawn.reserve_rows.size else None,
    )


@dataclass(frozen=True)
class Cost:
    """What cells cost, roughly.

    Attributes:
        flops: Of matrix products.
        differences: Coordinates subtracted, for l1 distances.
        decompositions: Flops of singular value problems, which run far slower.
    """

    flops: float = 0.0
    differences: float = 0.0
    decompositions: float = 0.0

    def seconds(self, num_cores: int) -> float:
        """Return seconds on some CPU cores, by rates that one core of a server of 2022 reaches."""
        shared = self.flops / FLOPS_PER_SECOND + self.differences / DIFFERENCES_PER_SECOND
        return shared / max(num_cores, 1) + self.decompositions / DECOMPOSITIONS_PER_SECOND


def grid_cost(names: Iterable[CellName], dimension: int, effort: Effort) -> Cost:
    """Return the rough cost of cells.

    ``1.2 N^2 (d + B)`` flops a single kernel for N = 2 n pooled rows; MMDAgg a quarter of that, for 20 kernels; an l1
    distance one difference a coordinate; Frechet a spectral problem a relabelling.
    """
    flops = differences = decompositions = 0.0
    for name in names:
        pairs, n = 1.2 * (2.0 * name.num_samples) ** 2, name.num_samples
        number = effort.permutations_of(name.test)
        if name.test == "mmdagg":
            flops += pairs / 4 * (4 * dimension + 40 * number)
        elif name.test == "frechet":
            decompositions += (number + 1) * 12.0 * min(n, dimension) ** 3
        else:
            flops += pairs * (dimension + number)
        if name.test in ("mmdagg", "laplace-l1"):
            differences += pairs / 2 * dimension
    return Cost(flops, differences, decompositions)


@dataclass(frozen=True)
class Rate:
    """How often one test rejects one change.

    Attributes:
        test: Its name.
        change: Its name.
        strength: Of the change.
        num_samples: Rows of either side.
        num_draws: Draws on which the change could be made.
        num_rejections: Of them.
        interval: Clopper-Pearson, 95 %; (0, 1) without draws.
        mean_z: Mean of z over draws; None if none has one.
        mean_w2: Mean transport distance; None where it is not known.
        w2_kind: What that distance is.
        infeasible: Why the change could not be made, where it could not.
    """

    test: str
    change: str
    strength: float
    num_samples: int
    num_draws: int
    num_rejections: int
    interval: tuple[float, float]
    mean_z: float | None
    mean_w2: float | None
    w2_kind: str | None
    infeasible: str | None

    @property
    def rate(self) -> float | None:
        """Rejections over draws; None without draws."""
        return self.num_rejections / self.num_draws if self.num_draws else None


def rejection_rates(cells: Iterable[Cell]) -> list[Rate]:
    """Return one rate for every test, change, strength and n, in the order in which they first appear.

    The intervals are for independent draws. Draws from one finite corpus overlap: intervals then describe tests on this
    corpus, not on its law.

    Example:
        >>> from fkeax.sensitivity.cells import Cell, CellName
        >>> cells = [Cell(CellName("kid", "null", 0.0, 40, j), j == 0, 0.5, 1.0, None, 0.0, "exact") for j in range(4)]
        >>> found = rejection_rates(cells)[0]
        >>> found.rate, [round(v, 3) for v in found.interval]
        (0.25, [0.006, 0.806])
    """
    sets: dict[tuple[str, str, float, int], list[Cell]] = {}
    for cell in cells:
        name = cell.name
        sets.setdefault((name.test, name.change, name.strength, name.num_samples), []).append(cell)
    return [_rate(*name, cells=group) for name, group in sets.items()]


def _rate(test: str, change: str, strength: float, num_samples: int, *, cells: list[Cell]) -> Rate:
    made = [cell for cell in cells if cell.infeasible is None]
    rejections = sum(bool(cell.reject) for cell in made)
    return Rate(
        test=test,
        change=change,
        strength=strength,
        num_samples=num_samples,
        num_draws=len(made),
        num_rejections=rejections,
        interval=clopper_pearson(rejections, len(made)) if made else (0.0, 1.0),
        mean_z=_mean(cell.z for cell in made),
        mean_w2=_mean(cell.w2 for cell in made),
        w2_kind=next((cell.w2_kind for cell in made if cell.w2_kind is not None), None),
        infeasible=next((cell.infeasible for cell in cells if cell.infeasible is not None), None),
    )


def _mean(values: Iterable[float | None]) -> float | None:
    kept = [value for value in values if value is not None]
    return float(np.mean(kept)) if kept else None
