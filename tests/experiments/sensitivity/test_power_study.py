"""Cells of the experiments are those of fkeax's own power grid, and are computed once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from experiments.schema import Config, Data
from experiments.sensitivity import power_study
from experiments.sensitivity.cell_table import CellTable
from experiments.sensitivity.configurations import CONFIGURATIONS, SWEEP
from experiments.sensitivity.power_study import Plan, cells_of, study_of
from experiments.sensitivity.sec6_expansion import _moments, ratio_at_median
from experiments.sensitivity.spaces import Embeddings, space
from experiments.sensitivity.synthetic_spaces import TRACK, draw, draw_tracks
from fkeax.sensitivity import Cell, Effort, PowerGrid, named_key, power_cells
from fkeax.sensitivity.detectors import make_pair

ARMS = (("null", 0.0), ("shift", 0.5), ("rank-two", 30.0))
EFFORT = Effort(0.05, 39, 39)


@pytest.fixture(scope="module")
def embeddings() -> Embeddings:
    return Embeddings(draw("synthetic-g", 0, 160)[:, :8])


def rounded(cell: Cell) -> tuple[Any, ...]:
    numbers = tuple(None if value is None else float(f"{value:.5g}") for value in (cell.p_value, cell.z, cell.w2))
    return cell.name, cell.reject, numbers, cell.infeasible


def test_cells_are_those_of_the_library_and_come_from_the_table_afterwards(
    embeddings: Embeddings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = Plan(ARMS, ("kid", "kad"), 30, 2, EFFORT)
    found = list(cells_of(embeddings, CellTable(tmp_path / "a.csv"), plan, seed=0, name="a"))
    key = named_key(jax.random.key(0), "space", "a")
    grid = PowerGrid(ARMS, 30, 2, ("kid", "kad"), EFFORT)
    expected = list(power_cells(study_of(key, embeddings, plan), grid))
    assert list(map(rounded, found)) == [
        (*rounded(cell)[:3], None if cell.infeasible is None else cell.infeasible.replace(",", ";"))
        for cell in expected
    ]
    assert sum(cell.infeasible is not None for cell in found) == 4
    monkeypatch.setattr(power_study, "cells_of_arm", None)
    assert list(cells_of(embeddings, CellTable(tmp_path / "a.csv"), plan, seed=0, name="a")) == found


@pytest.mark.slow
def test_every_configuration_keeps_a_null_and_sees_a_large_shift(embeddings: Embeddings) -> None:
    """At one fixed key: no change is not rejected, a shift by twice rho is."""
    plan = Plan(ARMS, ("kid", "window"), 40, 1, EFFORT)
    study = study_of(named_key(jax.random.key(0), "space", "b"), embeddings, plan)
    drawn = study.pool.draw(study.key, 0)
    moved = drawn.generated.copy()
    moved[:, 0] += np.float32(2 * study.corpus.rho)  # not along the mean: CMMD sees directions alone
    for name, detector in CONFIGURATIONS.items():
        for rows, rejects in ((drawn.generated, False), (moved, True)):
            test = detector.run(
                jax.random.key(1), make_pair(drawn.reference, rows), study.scales, Effort(0.05, 99, 400)
            )
            if name in SWEEP[:2]:  # so narrow that 40 rows in 8 dimensions have no neighbours
                continue
            assert test.reject == rejects, name


def test_spaces(tmp_path: Path) -> None:
    config = Config(name="x", title="x", origin=str(tmp_path), data=Data("none"))
    rows = space("synthetic-g").load(config, 50).rows
    assert rows.shape == (50, 256)
    assert space("synthetic-g-pca4").load(config, 50).rows.shape == (50, 4)
    assert float(np.mean(space("synthetic-p").load(config, 200).rows == 0)) > 0.5
    tracks, groups = draw_tracks(0, 50)
    assert np.bincount(groups).tolist() == [TRACK, TRACK, 10]
    assert tracks.shape == (50, 256)
    with pytest.raises(ValueError, match=r"params\.spaces must hold names of .*; got 'g'"):
        space("g")
    with pytest.raises(ValueError, match=r"data\.path is not set"):
        space("vgg-tunes").load(config, 0)
    config.data.path = str(tmp_path)
    with pytest.raises(FileNotFoundError, match="music' does not exist; expected a folder of sound files"):
        space("vgg-tunes").load(config, 0)


def test_the_cubic_kernel_is_its_three_moment_terms_and_the_median_ratio_is_near_its_constant(
    embeddings: Embeddings,
) -> None:
    study = study_of(jax.random.key(0), embeddings, Plan(ARMS, ("kid",), 30, 1, EFFORT))
    assert float(_moments(study, "a")) < 1e-13
    # At the median of d columns a pair's squared distance is 2 tr S (1 + O(1/d)): e^(-1/2) but for that and noise.
    random = np.random.default_rng(0)
    x, y = random.standard_normal((400, 256)), random.standard_normal((400, 256)) + 0.1
    assert ratio_at_median(x, y)[0] == pytest.approx(np.exp(-0.5), abs=0.03)
