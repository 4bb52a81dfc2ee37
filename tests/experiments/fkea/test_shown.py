"""Trends, tables and findings from results that were made up."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from experiments.fkea import mode_labels, scoring, shown, table1_paper
from fkeax.results import Result


def made_up(name: str, values: list[float], estimator: str = "fkea") -> list[Result]:
    settings: list[dict[str, Any]] = [
        {"estimator": estimator, "num_classes": 1 + place, "num_samples": 10 * (1 + place)}
        for place in range(len(values))
    ]
    return [Result(name, value, 0.5, setting, {}) for value, setting in zip(values, settings, strict=True)]


def verdict(fkea: list[float], exact: list[float]) -> str:
    results = made_up("rke", fkea) + made_up("rke", exact, "exact")
    return shown.trend(results, "num_classes", claim="up").agrees


def test_a_trend_is_judged_by_the_numbers() -> None:
    assert verdict([1.0, 2.0, 3.0], [1.0, 2.0, 3.0]) == "yes"
    assert verdict([1.0, 3.0, 2.0, 4.0], [1.0, 3.0, 2.0, 4.0]) == "in trend, not at every step"
    assert verdict([3.0, 2.0, 1.0], [3.0, 2.0, 1.0]) == "no: neither do the exact scores"
    assert verdict([3.0, 2.0, 1.0], [1.0, 2.0, 3.0]) == "no"
    assert verdict([1.0], [1.0]) == "cannot be judged: fewer than two points"


def test_a_fall_that_the_exact_score_shares_is_named() -> None:
    results = made_up("rke", [1.0, 3.0, 2.0, 4.0]) + made_up("rke", [1.0, 3.0, 2.5, 4.0], "exact")
    ours = shown.trend(results, "num_classes", claim="up").ours
    assert ours == "rke 1 to 4, up at 2 of 3 steps (down at t = 3; so is the exact score)"


def test_tightness_names_the_loose_scores() -> None:
    results = made_up("rke", [9.0]) + made_up("rke-debiased", [10.2]) + made_up("rke", [10.0], "exact")
    found = shown.tightness(results, "num_classes", claim="tight")
    assert "rke -10.0 %, rke-debiased +2.0 %" in found.ours
    assert "at most 0.4 of its standard errors" in found.ours
    assert found.agrees == "within 5 %: rke-debiased; not: rke (reads low)"


def test_score_table_has_a_row_a_position() -> None:
    table = shown.score_table(made_up("rke", [1.23456, 2.0]), "num_classes", caption="c")
    assert [row[:2] for row in table.rows] == [[1, 10], [2, 20]]
    assert table.rows[0][table.header.index("rke FKEA")] == 1.235
    assert table.rows[0][table.header.index("rke exact")] is None


def test_rows_of_first_classes_are_even_and_enough() -> None:
    labels = np.array([0, 1, 0, 1, 2, 0])
    assert scoring.rows_of_first_classes(labels, 2).tolist() == [0, 1, 2, 3, 5]
    assert scoring.rows_of_first_classes(labels, 2, 2).tolist() == [0, 1]
    with pytest.raises(ValueError, match=r"params\.num_samples=6 needs 2 samples of each of 3 classes; class 2 has 1"):
        scoring.rows_of_first_classes(labels, 3, 6)


def test_purity_by_chance_is_that_of_random_samples() -> None:
    """Of s = 2 samples of two even classes, both agree with probability near 1/2: a mean purity near 3/4.

    400 draws of values 1/2 and 1 have a standard error of 0.0125; the test fails at four of them.
    """
    labels = np.repeat([0, 1], 500)
    assert mode_labels.chance_purity(labels, 2) == pytest.approx(0.75, abs=0.05)
    assert mode_labels.chance_purity(np.zeros(9, int), 3) == 1.0


def test_debiased_table1_is_where_features_would_put_it() -> None:
    """The printed value comes back through E||C||^2 = m2 + (1 - 2 m2 + m4) / (2r) at both ends of m4."""
    for row in table1_paper.ROWS.values():
        plain = row[7]
        assert plain is not None
        low, high = table1_paper.debiased_rke(plain)
        assert plain < low <= high
        for rke, power in ((high, 1), (low, 2)):  # m4 = m2, and m4 = m2^2
            m2 = 1 / rke
            again = m2 + (1 - 2 * m2 + m2**power) / (2 * table1_paper.NUM_FREQUENCIES)
            assert again == pytest.approx(1 / plain, rel=1e-9)
        assert (row[6] or 0) < 2 * table1_paper.NUM_FREQUENCIES
