"""Long first steps are computed once, and again where a file is damaged or a setting differs."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from experiments.mauve.params import FrontierParams, MissingMassParams, ReshapingParams
from experiments.schema import Config, Params
from experiments.sensitivity.params import PairsParams
from experiments.stages import stage, stage_folder
from experiments.supported import UNUSED, checked_params


@pytest.fixture
def config(tmp_path: Path) -> Config:
    return Config(name="fkea/toy", origin=str(tmp_path), output="outputs")


def test_stage(config: Config, caplog: pytest.LogCaptureFixture) -> None:
    calls: list[Path] = []

    def compute(folder: Path) -> dict[str, np.ndarray]:
        assert folder.is_dir()
        calls.append(folder)
        return {"rows": np.arange(6.0).reshape(2, 3)}

    for _ in range(2):
        found = stage(config, "toy", {"seed": 0}, compute)
        np.testing.assert_array_equal(found["rows"], [[0, 1, 2], [3, 4, 5]])
    assert len(calls) == 1
    stage(config, "toy", {"seed": 1}, compute)
    assert len(set(calls)) == 2

    path = stage_folder(config, "toy", {"seed": 0}) / "arrays.npz"
    path.write_bytes(path.read_bytes()[:-40])
    np.testing.assert_array_equal(stage(config, "toy", {"seed": 0}, compute)["rows"], found["rows"])
    assert len(calls) == 3
    assert "is damaged" in caplog.text


def test_a_killed_stage_leaves_no_arrays(config: Config) -> None:
    def killed(folder: Path) -> dict[str, np.ndarray]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage(config, "toy", {}, killed)
    assert not (stage_folder(config, "toy", {}) / "arrays.npz").exists()


def test_groups_that_an_experiment_does_not_heed_are_refused(config: Config) -> None:
    for group in UNUSED:
        getattr(config, group).name = "none"
    config.encoder.name = "pixels"
    with pytest.raises(ValueError, match=r"encoder\.name must be 'none' in fkea/toy, got 'pixels'"):
        checked_params(config, type(config.params), UNUSED)
    config.encoder.name = "none"
    assert checked_params(config, type(config.params), UNUSED) is config.params


@pytest.mark.parametrize(
    ("params", "complaint"),
    [
        (ReshapingParams(rules=[]), "params.rules must have at least one entry, got none"),
        (MissingMassParams(sample_sizes=[10, 0]), "params.sample_sizes must be at least 1, got 0"),
        (MissingMassParams(sample_sizes=[10], exponent=math.nan), "params.exponent must be finite, got nan"),
        (FrontierParams(num_mixtures=0), "params.num_mixtures must be at least 1, got 0"),
        (
            PairsParams(spaces=["a"], tests=["kid"], generator_steps=-1),
            "params.generator_steps must be at least 0, got -1",
        ),
    ],
)
def test_numbers_and_lists_that_mean_nothing_are_refused(config: Config, params: Params, complaint: str) -> None:
    config.params = params
    with pytest.raises(ValueError, match=re.escape(complaint)):
        checked_params(config, type(params), {})


def test_zero_stands_where_it_has_a_meaning(config: Config) -> None:
    config.params = PairsParams(spaces=["a"], tests=["kid"], generator_steps=0)
    assert checked_params(config, PairsParams, {}) is config.params
