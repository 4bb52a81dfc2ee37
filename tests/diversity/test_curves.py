"""Curves: every point is the score it would be alone, from nested data, one route and one key."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import fkeax
from fkeax.diversity import curve

X = np.random.default_rng(0).standard_normal((120, 5)).astype(np.float32)
KEY = jax.random.key(0)


def test_bandwidths_are_single_scores():
    options = {"metrics": ("vendi", "rke"), "orders": (1.0,)}
    found = curve(X, over="bandwidth", values=(1.0, 2.0, 4.0), **options)
    for value, point in zip(found.values, found.points, strict=True):
        alone = fkeax.score(X, bandwidth=value, **options)
        assert {name: result.value for name, result in point.items()} == {n: r.value for n, r in alone.items()}
        assert point["rke"].settings["bandwidth"] == value
    rises = [float(point["vendi-1"]) for point in found.points]
    assert rises == sorted(rises, reverse=True)


@pytest.mark.slow
def test_frequencies_are_the_first_ones_of_one_draw():
    options = {"orders": (1.0,), "bandwidth": 2.0, "key": KEY}
    found = curve(X, over="num_frequencies", values=(16, 40, 64), intervals=True, **options)
    last = fkeax.fkea(X, num_frequencies=64, intervals=True, **options)
    for name, result in found.points[-1].items():
        assert result.value == pytest.approx(last[name].value, rel=1e-4), name  # sub-blocks round differently
        assert (result.stderr is None) == (last[name].stderr is None)
        assert result.stderr is None or result.stderr == pytest.approx(last[name].stderr, rel=1e-2), name
    assert [point["rke"].settings["num_frequencies"] for point in found.points] == [16, 40, 64]
    # Fewer frequencies, more bias: the plain score rises towards the exact one, and no further.
    plain = [float(point["vendi-1"]) for point in found.points]
    assert plain == sorted(plain)
    assert plain[-1] < float(fkeax.vendi(X, bandwidth=2.0))


def test_samples_are_nested_and_the_last_point_is_all():
    found = curve(X, over="num_samples", values=(30, 60, 120), metrics=("vendi",), orders=(0.0,), bandwidth=0.5)
    assert [point["vendi-0"].settings["num_samples"] for point in found.points] == [30, 60, 120]
    assert [float(point["vendi-0"]) for point in found.points] == pytest.approx([30, 60, 120])
    whole = fkeax.vendi(X, order=0.0, bandwidth=0.5)
    assert float(found.points[-1]["vendi-0"]) == float(whole)


def test_samples_with_groups_keep_whole_groups_first():
    groups = np.repeat(np.arange(40), 3)
    found = curve(X, over="num_samples", values=(30, 120), metrics=("rke",), bandwidth=2.0, groups=groups)
    assert [point["rke"].settings["num_groups"] for point in found.points] == [10, 40]


def test_orders_share_one_spectrum():
    found = curve(X, over="order", values=(0.5, 1.0, 2.0), method="fkea", num_frequencies=32, bandwidth=2.0, key=KEY)
    assert found.names == ["vendi", "vendi-debiased", "vendi-debiased-second"]
    alone = fkeax.fkea(X, orders=(0.5, 1.0, 2.0), num_frequencies=32, bandwidth=2.0, key=KEY)
    for order, point in zip(found.values, found.points, strict=True):
        assert point["vendi"].value == alone[f"vendi-{order:g}"].value
        assert point["vendi-debiased"].value == alone[f"vendi-{order:g}-debiased"].value


@pytest.mark.parametrize(
    ("over", "values", "options", "sentence"),
    [
        ("n", (1,), {}, "over must be one of num_samples, bandwidth, num_frequencies, order"),
        ("order", (), {}, "values must hold at least one value"),
        ("bandwidth", (1.0,), {"bandwidth": 2.0}, "bandwidth is what the curve goes over"),
        ("num_samples", (1, 50), {"bandwidth": 2.0}, "values must be whole numbers from 2 to 120"),
        ("num_frequencies", (8,), {"bandwidth": 2.0, "method": "exact"}, "method must be 'fkea' along num_frequencies"),
        ("num_frequencies", (8,), {"bandwidth": 2.0}, "key is needed"),
        ("bandwidth", (0.0,), {}, "bandwidth must be"),
    ],
)
def test_bad_curves_get_one_sentence(over, values, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        curve(X, over=over, values=values, **options)


def test_a_stream_has_no_curve():
    with pytest.raises(ValueError, match="x is a stream of batches"):
        curve(iter([X]), over="bandwidth", values=(1.0,), method="fkea", key=KEY)
