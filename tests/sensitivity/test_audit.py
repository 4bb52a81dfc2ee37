"""The audit's table, sentences and warnings, and what theory expects of it."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest
from jax import random

from fkeax.inference import clopper_pearson
from fkeax.results import dumps
from fkeax.sensitivity import PowerGrid, audit, prepare_study
from fkeax.sensitivity.audit import _level_warning
from fkeax.sensitivity.dependence import row_dependence
from fkeax.sensitivity.forecast import forecast
from fkeax.sensitivity.power import Rate

N, D = 40, 8
SHAPE: dict[str, Any] = {"num_samples": N, "num_draws": 3, "num_permutations": 99, "num_aggregated": 99}


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((200, D)).astype(np.float32) * np.linspace(2, 0.5, D, dtype="f4")


@pytest.fixture(scope="module")
def found(rows):
    return audit(
        rows,
        key=random.key(5),
        tests=["kid", "kad"],
        changes=["null", "shift=1.5", "rotation=9", "contraction=0.8"],
        **SHAPE,
    )


def test_rates_and_results(found):
    assert [(rate.test, rate.change) for rate in found.rates[:3]] == [
        ("kid", "null"),
        ("kad", "null"),
        ("kid", "shift"),
    ]
    by_name = {(rate.test, rate.change): rate for rate in found.rates}
    assert by_name["kad", "shift"].num_rejections == 3
    assert by_name["kad", "contraction"].num_rejections == 3
    results = found.to_results()
    assert len(results) == 8
    shift = next(result for result in results if result.settings["change"] == "shift")
    assert shift.value == 1.0
    assert shift.diagnostics["interval"] == pytest.approx([0.292401774, 1.0])  # 0.025^(1/3), Clopper and Pearson
    assert shift.settings["num_samples"] == N
    dumps(found.to_dict())


def test_what_cannot_be_made_is_said_and_is_no_zero(found):
    impossible = [result for result in found.to_results() if result.settings["change"] == "rotation"]
    assert [result.value for result in impossible] == [None, None]
    assert "at most" in impossible[0].diagnostics["reason"]
    assert sum("rotation at 9 could not be made" in warning for warning in found.warnings) == 1


def test_sentences_state_budget_kernel_and_changes(found):
    sentence = found.sentences["kad"]
    assert "kad with a Gaussian kernel of bandwidth" in sentence
    assert f"at {N} samples a side and level 0.05 (99 permutations, 3 draws from 200 rows of dimension {D})" in sentence
    assert "detects shift at 1.5 (3 of 3), contraction at 0.8 (3 of 3)" in sentence
    assert "rotation" not in sentence
    assert "cubic kernel (x.y/8 + 1)^3" in found.sentences["kid"]


def test_settings_hold_what_defines_the_numbers(found, rows):
    settings = found.settings
    assert settings["num_permutations"] == {"kid": 99, "kad": 99}
    assert settings["rows_set_aside"] == 2 * N
    assert settings["rho"] == pytest.approx(np.sqrt(rows.var(axis=0, dtype=float).sum()), rel=1e-6)


def test_forecasts_stand_beside_what_was_observed(found):
    """Of shift and contraction, mean z of 3 draws within a factor of 2 of the expected one; others have none."""
    assert set(found.forecasts) == {
        (t, c, s) for t in ("kid", "kad") for c, s in (("shift", 1.5), ("contraction", 0.8))
    }
    for rate in found.rates:
        expected = found.forecast_of(rate)
        if expected is not None and expected.z > 3:
            assert 0.5 < rate.mean_z / expected.z < 2, rate
            assert expected.power > 0.9


def test_the_forecast_of_a_window_has_the_bandwidth_of_the_pooled_rows():
    """Under a strong contraction the pooled median is under two thirds of the corpus's: z with that one is half.

    Mean z of 6 draws, each good to some 10 %, within a factor of 1.3.
    """
    rows = np.random.default_rng(0).standard_normal((600, D)).astype(np.float32)
    found = audit(
        rows, key=jax.random.key(0), num_samples=60, num_draws=6, tests=["window"], changes=["contraction=0.7"]
    )
    (rate,) = found.rates
    assert 1 / 1.3 < rate.mean_z / found.forecast_of(rate).z < 1.3


def test_level_warning_uses_the_exact_interval():
    def warning(rejections, draws, change="null"):
        rate = Rate("kid", change, 0.0, N, draws, rejections, (0.0, 1.0), None, None, None, None)
        return _level_warning(rate, 0.05)

    # P(X >= 5 of 10) = 6e-5 and P(X >= 4) = 1e-3 at level 5 %: two-sided 99.9 % refuses the first alone.
    assert warning(4, 10) is None
    assert "kid: level looks off: 5 of 10" in str(warning(5, 10))
    assert warning(10, 10, change="shift") is None
    assert warning(0, 1000) is not None  # far below the level is off as well


def test_dependent_rows_are_named():
    independent = np.random.default_rng(1).standard_normal((300, D))
    assert row_dependence(independent, np.asarray([0])).warnings() == []
    frames = np.repeat(independent[:75], 4, axis=0) + 0.1 * independent
    assert "rows look dependent" in row_dependence(frames, np.asarray([0])).warnings()[0]
    doubled = np.concatenate([independent, independent[:7]])
    assert row_dependence(doubled, np.asarray([0])).warnings() == [
        "7 rows of the reference repeat an earlier one: rows are not independent"
    ]


def test_sorted_files_are_told_from_frames():
    """Ten classes one after the other, as files of labelled data are: adjacent rows are close, but not the closest."""
    classes = np.repeat(np.arange(10), 60)
    rows = np.random.default_rng(2).standard_normal((600, D)) + 3 * np.eye(10, D)[classes]
    (warning,) = row_dependence(rows, np.asarray([0])).warnings()
    assert "the file is sorted" in warning


def test_zeros_are_named():
    rows = np.maximum(np.random.default_rng(3).standard_normal((200, D)), 0).astype(np.float32)
    found = audit(rows, key=random.key(0), tests=["kid"], changes=["null"], **SHAPE)
    assert any("of the entries are exactly 0" in warning for warning in found.warnings)


def test_coverage_changes_take_modes_from_rows_set_aside(rows):
    found = audit(rows, key=random.key(5), tests=["kad"], changes=["drop", "collapse=0.9"], **SHAPE)
    assert [rate.num_draws for rate in found.rates] == [3, 3]
    assert found.forecasts == {}


def test_the_window_is_chosen_on_rows_never_tested_or_said_not_to_be(rows):
    small = rows[: 3 * N]
    study = prepare_study(random.key(0), small, num_samples=N, tests=["window"])
    assert study.scales.window_multiple == 0.25
    assert "fewer than 4 n rows" in study.scales.window_source


def test_bad_arguments_name_themselves(rows):
    with pytest.raises(ValueError, match=r"key is needed for draws and relabellings: pass key=jax.random.key\(0\)"):
        audit(rows, num_samples=N)
    with pytest.raises(ValueError, match="tests must be one of"):
        audit(rows, key=random.key(0), num_samples=N, tests=["energy"])
    with pytest.raises(ValueError, match="at least twice num_samples = 780"):
        audit(rows, key=random.key(0))
    with pytest.raises(ValueError, match="reference must be finite"):
        audit(np.where(rows > 3, np.nan, rows), key=random.key(0), num_samples=N)
    with pytest.raises(ValueError, match="num_permutations must be at least 19"):
        audit(rows, key=random.key(0), num_samples=N, num_permutations=5)


@pytest.mark.slow
def test_forecast_power_is_what_is_observed():
    """The expected rejections of 60 draws lie in the exact 99.9 % interval of those observed, at three strengths.

    Twice three intervals: under 0.6 % of keys would fail if forecasts were exact; the key is fixed.
    """
    rows = np.random.default_rng(4).standard_normal((1200, 16)).astype(np.float32)
    grid = PowerGrid((("shift", 0.2), ("shift", 0.3), ("contraction", 0.12)), 100, 60, ("kad", "kid"))
    study = prepare_study(jax.random.key(3), rows, num_samples=100)
    found = audit(
        rows,
        key=jax.random.key(3),
        num_samples=100,
        num_draws=60,
        tests=grid.tests,
        changes=["shift=0.2", "shift=0.3", "contraction=0.12"],
    )
    expected = forecast(study, grid.arms, grid.tests, alpha=0.05)
    assert expected == found.forecasts
    for rate in found.rates:
        low, high = clopper_pearson(rate.num_rejections, rate.num_draws, 0.999)
        power = expected[rate.test, rate.change, rate.strength].power
        assert low <= power <= high, (rate, power)


@pytest.mark.slow
def test_without_a_reserve_modes_are_thinned_with_replacement_or_not_at_all() -> None:
    rows = np.random.default_rng(4).normal(size=(64, 6)).astype(np.float32)  # 4 n: none is left beside draws and spare
    found = audit(
        rows,
        key=jax.random.key(0),
        num_samples=16,
        num_draws=2,
        num_permutations=19,
        tests=("kid",),
        changes=("drop", "drop-reserve"),
    )
    rates = {rate.change: rate for rate in found.rates}
    assert rates["drop"].num_draws == 2
    assert rates["drop-reserve"].num_draws == 0
    assert "needs reserve, rows that were not drawn" in str(rates["drop-reserve"].infeasible)
