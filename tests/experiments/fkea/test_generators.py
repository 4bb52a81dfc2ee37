"""Generators and a classifier of digits: trained once, going on after a kill, drawn with truncation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import jax
import numpy as np
import pytest

pytest.importorskip("flax")
pytest.importorskip("orbax.checkpoint")

from experiments import checkpoints
from experiments.fkea import generators
from experiments.fkea.generators import Training, trained_generator
from experiments.schema import Config
from fkeax.datasets import load_digits


@dataclass
class Place:
    """What a stage asks of a configuration."""

    origin: str
    output: str = "outputs"


def at(folder: Path) -> Config:
    return cast("Config", Place(str(folder)))


@pytest.fixture(autouse=True)
def usual_promotion() -> Iterator[None]:
    """Optax multiplies floats by counts of steps, which the strict promotion of the other tests forbids."""
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):
        yield


TINY = Training(num_steps=4, batch_size=8, hidden=8, latent=3)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["vae", "gan"])
def test_trained_once_and_drawn_by_key(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generators, "CHUNK", 3)
    pictures = load_digits().images[:40]
    calls: list[int] = []
    keep = checkpoints.save
    monkeypatch.setattr(checkpoints, "save", lambda *words: (calls.append(words[1]), keep(*words)))
    sample = trained_generator(at(tmp_path), kind, pictures, TINY)
    assert calls == [3, 4]
    drawn = sample(jax.random.key(1), 5)
    assert drawn.shape == (5, 8, 8)
    assert drawn.min() >= 0
    assert drawn.max() <= 1
    still = sample(jax.random.key(1), 5, psi=0.0)
    np.testing.assert_allclose(still, np.broadcast_to(still[:1], still.shape), atol=1e-6)
    again = trained_generator(at(tmp_path), kind, pictures, TINY)
    np.testing.assert_array_equal(again(jax.random.key(1), 5), drawn)
    assert calls == [3, 4]


@pytest.mark.slow
def test_training_goes_on_after_a_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(generators, "CHUNK", 3)
    pictures = load_digits().images[:40]
    whole = trained_generator(at(tmp_path / "whole"), "vae", pictures, TINY)
    keep = checkpoints.save

    def killed(folder: Path, step: int, state: Any) -> None:
        keep(folder, step, state)
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoints, "save", killed)
    with pytest.raises(KeyboardInterrupt):
        trained_generator(at(tmp_path / "killed"), "vae", pictures, TINY)
    steps: list[int] = []
    monkeypatch.setattr(checkpoints, "save", lambda folder, step, state: steps.append(step))
    resumed = trained_generator(at(tmp_path / "killed"), "vae", pictures, TINY)
    assert steps == [4]
    key = jax.random.key(2)
    np.testing.assert_allclose(resumed(key, 4), whole(key, 4), atol=1e-5)


def test_unknown_kind(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="generator must be one of vae, gan; got 'flow'"):
        trained_generator(at(tmp_path), "flow", load_digits().images[:4])


@pytest.mark.slow
def test_the_gan_step_lowers_the_loss_of_each_network_by_its_own_gradient(tmp_path: Path) -> None:
    """After some hundred steps samples are no longer noise: their mean is nearer the data's than a fresh network's."""
    pictures = load_digits().images
    training = Training(num_steps=400, batch_size=32, hidden=32, latent=4)
    fresh = Training(num_steps=1, batch_size=32, hidden=32, latent=4)
    key = jax.random.key(3)
    distances = [
        float(np.square(trained_generator(at(tmp_path), "gan", pictures, t)(key, 200).mean(0) - pictures.mean(0)).sum())
        for t in (fresh, training)
    ]
    assert distances[1] < 0.2 * distances[0]
