"""Cells: their names are their keys, so that order, subsets and resumption change nothing; rates, intervals."""

from __future__ import annotations

import json

import jax
import numpy as np
import pytest
from scipy import stats

from fkeax.inference import clopper_pearson
from fkeax.sensitivity import (
    DETECTORS,
    Cell,
    CellName,
    Effort,
    PowerGrid,
    arms_of,
    grid_cost,
    named_key,
    power_cells,
    prepare_study,
    rejection_rates,
)
from fkeax.sensitivity.audit import DEFAULT_CHANGES, DEFAULT_STRENGTHS, DEFAULT_TESTS
from fkeax.sensitivity.draws import make_pool
from fkeax.sensitivity.power import changed_draw
from fkeax.twosample import mmd_test, mmdagg

N, D, DRAWS = 40, 8, 3
EFFORT = Effort(num_permutations=99, num_aggregated=99)
TESTS = ("kid", "kad", "window", "laplace-l1")
ARMS = (("null", 0.0), ("shift", 1.0), ("contraction", 0.5))


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((200, D)).astype(np.float32) * np.linspace(2, 0.5, D, dtype="f4")


@pytest.fixture(scope="module")
def study(rows):
    return prepare_study(jax.random.key(5), rows, num_samples=N, changes=["shift"], tests=["window"])


@pytest.fixture(scope="module")
def grid():
    return PowerGrid(ARMS, N, DRAWS, TESTS, EFFORT)


@pytest.fixture(scope="module")
def cells(study, grid):
    return list(power_cells(study, grid))


def test_cells_come_in_the_order_of_their_names(grid, cells):
    assert [cell.name for cell in cells] == grid.names()
    assert len(cells) == DRAWS * len(ARMS) * len(TESTS)
    assert len({str(name) for name in grid.names()}) == len(cells)


def test_any_subset_in_any_order_gives_the_same_cells(study, cells):
    wanted = {cell.name: cell for cell in cells}
    backwards = PowerGrid((ARMS[2], ARMS[1]), N, DRAWS, ("laplace-l1", "kid"), EFFORT)
    found = list(power_cells(study, backwards))
    assert found == [wanted[cell.name] for cell in found]
    assert len(found) == 4 * DRAWS


def test_known_cells_are_taken_and_others_computed_as_ever(study, grid, cells):
    kept = {cell.name: cell for cell in cells[::2]}
    assert list(power_cells(study, grid, known=kept.get)) == cells
    everything = {cell.name: cell for cell in cells}
    assert list(power_cells(study, grid, known=everything.get)) == cells


def test_another_study_of_the_same_rows_gives_the_same_cells(rows, cells):
    again = prepare_study(jax.random.key(5), rows, num_samples=N, tests=["window", "kid"])
    one = PowerGrid(ARMS[1:2], N, 1, ("window",), EFFORT)
    assert next(power_cells(again, one)) == next(cell for cell in cells if cell.name == one.names()[0])


def test_cells_survive_json(cells):
    for cell in cells[:3]:
        assert Cell.from_dict(json.loads(json.dumps(cell.to_dict()))) == cell
    with pytest.raises(ValueError, match="a cell must have the fields"):
        Cell.from_dict({"name": {"test": "kid"}, "p_value": 0.5})


def test_every_test_of_a_draw_sees_what_it_would_see_alone(study, cells):
    """A cell is the public test on the same rows, key and bandwidth."""
    drawn = study.pool.draw(study.key, 1)
    changed = changed_draw(study, drawn, 1, "shift", 1.0)
    for test, kernel in (("kad", "gaussian"), ("laplace-l1", "laplace-l1")):
        name = CellName(test, "shift", 1.0, N, 1)
        width = (study.scales.l2 if test == "kad" else study.scales.l1).value
        alone = mmd_test(
            drawn.reference,
            changed.samples,
            key=name.key(study.key),
            kernel=kernel,
            bandwidth=width,
            num_permutations=99,
        )
        cell = next(cell for cell in cells if cell.name == name)
        assert cell.bandwidth == width
        # The keys of mmd_test's labels are split once more: the statistic is the same, the relabellings are others.
        assert cell.reject == alone.reject
        assert cell.z == pytest.approx(alone.z, rel=0.4)


def test_mmdagg_is_the_public_test_on_the_same_key(study):
    grid = PowerGrid((("shift", 1.0),), N, 1, ("mmdagg",), EFFORT)
    cell = next(power_cells(study, grid))
    drawn = study.pool.draw(study.key, 0)
    changed = changed_draw(study, drawn, 0, "shift", 1.0)
    key = cell.name.key(study.key)
    alone = mmdagg(drawn.reference, changed.samples, key=key, num_permutations=99)
    assert (cell.reject, cell.p_value, cell.z) == (alone.reject, alone.p_value, alone.z)


def test_frechet_is_there_when_asked_for(study):
    (cell,) = power_cells(study, PowerGrid((("shift", 2.0),), N, 1, ("frechet",), EFFORT))
    assert (cell.reject, cell.p_value, cell.bandwidth) == (True, 0.01, None)  # 1/(99 + 1)


def test_draws_are_disjoint_and_never_touch_rows_set_aside(rows):
    numbered = np.arange(200.0)[:, None]
    pool = make_pool(jax.random.key(0), numbered, N)
    spare = set(pool.spare_rows[:, 0])
    assert len(spare) == 2 * N
    for number in range(DRAWS):
        drawn = pool.draw(jax.random.key(0), number)
        x, y, rest = (set(part[:, 0]) for part in (drawn.reference, drawn.generated, drawn.reserve))
        assert len(x) == len(y) == N
        assert not x & y
        assert not (x | y) & spare
        assert not rest & (x | y | spare)
        assert len(x | y | rest | spare) == 200
    first, again = pool.draw(jax.random.key(0), 1), pool.draw(jax.random.key(0), 1)
    assert np.array_equal(first.reference, again.reference)
    assert set(pool.spare_draw(jax.random.key(0), 0).reference[:, 0]) <= spare


def test_groups_are_drawn_whole():
    groups = np.repeat(np.arange(50), 4)
    pool = make_pool(jax.random.key(1), np.arange(200.0)[:, None], N, groups)
    drawn = pool.draw(jax.random.key(1), 0)
    assert len(drawn.reference) == N
    assert drawn.groups is not None
    assert np.array_equal(drawn.groups, np.concatenate([drawn.reference, drawn.generated])[:, 0] // 4)
    assert not set(drawn.groups[:N]) & set(drawn.groups[N:])


def test_grouped_cells_permute_groups(rows, study):
    grouped = prepare_study(jax.random.key(5), rows, num_samples=N, groups=np.repeat(np.arange(50), 4))
    cell = next(power_cells(grouped, PowerGrid((("shift", 2.0),), N, 1, ("kad",), EFFORT)))
    assert cell.reject


def test_names_are_keys():
    root = jax.random.key(0)
    names = [("kid", "shift", 0.1), ("kid", "shift", 0.5), ("kad", "shift", 0.1), ("kid", "shift0.1")]
    data = {tuple(jax.random.key_data(named_key(root, *name)).tolist()) for name in names}
    assert len(data) == len(names)
    # Fixed for ever: kept cells of earlier runs depend on it.
    assert jax.random.key_data(named_key(root, "kid", "shift", 0.1)).tolist() == [2250682335, 803308437]


def test_rates_count_and_infeasible_changes_are_no_zeros():
    def cell(draw, reject, cause=None):
        name = CellName("kid", "rotation", 0.1, N, draw)
        return Cell(name, reject, 0.5, 1.0 + draw, None, 2.0, "lower bound", cause)

    (rate,) = rejection_rates([cell(j, j < 2) for j in range(5)])
    assert (rate.num_rejections, rate.num_draws, rate.rate) == (2, 5, 0.4)
    assert rate.interval == clopper_pearson(2, 5)
    exact = stats.binomtest(2, 5).proportion_ci(method="exact")
    np.testing.assert_allclose(rate.interval, (exact.low, exact.high), rtol=1e-9)
    assert (rate.mean_z, rate.mean_w2, rate.w2_kind) == (3.0, 2.0, "lower bound")
    impossible = Cell(CellName("kid", "rotation", 9.0, N, 0), None, None, None, None, None, None, "at most 0.5")
    (rate,) = rejection_rates([impossible])
    assert (rate.rate, rate.num_draws, rate.interval, rate.infeasible) == (None, 0, (0.0, 1.0), "at most 0.5")


def test_infeasible_rotation_becomes_a_reason(study):
    grid = PowerGrid((("rotation", 5.0),), N, 1, ("kad",), EFFORT)
    (cell,) = power_cells(study, grid)
    assert cell.reject is None
    assert "at most" in str(cell.infeasible)


def test_arms():
    assert arms_of(["null", "drop", "copies-perturbed", "shift=0.2", "shift"], [0.1]) == (
        ("null", 0.0),
        ("drop", 0.5),
        ("copies-perturbed", 0.25),
        ("shift", 0.2),
        ("shift", 0.1),
    )
    with pytest.raises(ValueError, match="changes must be one of null, shift"):
        arms_of(["shfit"], [0.1])
    with pytest.raises(ValueError, match="NAME=NUMBER"):
        arms_of(["shift=much"], [0.1])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"tests": ("ks",)}, "tests must be one of kid, kad"),
        ({"arms": ()}, "at least one change and one test"),
        ({"arms": (("shift", float("nan")),)}, "strengths must be finite"),
        ({"num_draws": 0}, "num_draws must be at least 1"),
    ],
)
def test_bad_grids_are_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        PowerGrid(**({"arms": ARMS, "num_samples": N} | change))


def test_too_few_rows_are_refused(rows):
    with pytest.raises(ValueError, match="at least twice num_samples = 101"):
        prepare_study(jax.random.key(0), rows, num_samples=101)
    with pytest.raises(ValueError, match="one label for each of the 200 rows"):
        prepare_study(jax.random.key(0), rows, num_samples=N, groups=[1, 2])


def test_cost_counts_what_is_left(grid):
    whole, half = grid_cost(grid.names(), D, EFFORT), grid_cost(grid.names()[: len(grid.names()) // 3], D, EFFORT)
    assert whole.flops == pytest.approx(3 * half.flops)
    assert whole.seconds(2) < whole.seconds(1)


@pytest.mark.slow
@pytest.mark.parametrize("test", DEFAULT_TESTS)
def test_level_on_null_draws(test):
    """Rejections of 400 independent null draws at level 5 % lie in the exact 99.9 % interval around it (20 -> 7..38).

    Fresh rows in every draw; 0.1 % of keys would fail each of the five tests, a 0.5 % chance for all; the key is fixed.
    """
    number, rejections = 400, 0
    effort = Effort(num_permutations=99, num_aggregated=199)
    random = np.random.default_rng(7)
    spread = np.linspace(2, 0.5, D)
    for draw in range(number // 20):
        rows = (random.standard_normal((4 * N, D)) * spread).astype(np.float32)
        study = prepare_study(jax.random.key(draw), rows, num_samples=N, tests=[])
        cells = power_cells(study, PowerGrid((("null", 0.0),), N, 20, (test,), effort))
        rejections += sum(bool(cell.reject) for cell in cells)
    low, high = stats.binom.interval(0.999, number, 0.05)
    assert low <= rejections <= high


def test_defaults_are_those_of_the_contract():
    assert DEFAULT_TESTS == ("kid", "kad", "window", "laplace-l1", "mmdagg")
    assert set(DETECTORS) == {*DEFAULT_TESTS, "frechet"}
    assert DEFAULT_CHANGES == ("null", "shift", "rotation", "contraction", "drop")
    assert DEFAULT_STRENGTHS == (0.1, 0.5)
