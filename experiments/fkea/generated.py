"""Samples of the generators that experiments on digits share, and their rows under the classifier trained with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import jax
import numpy as np

from experiments import data
from experiments.fkea.digit_classifier import Classifier, trained_classifier
from experiments.fkea.generators import Sampler, Training, trained_generator
from experiments.fkea.params import GeneratorParams
from experiments.outcome import RunFolder
from experiments.schema import Config
from fkeax.datasets import LabelledImages
from fkeax.results import Result

ENCODERS = ("pixels", "lenet")


@dataclass(frozen=True)
class Generators:
    """Digits and what was trained on them.

    Attributes:
        digits: The training images.
        classifier: Of digits.
        samplers: Generators by name.
    """

    digits: LabelledImages
    classifier: Classifier
    samplers: Mapping[str, Sampler]


def train_all(config: Config, params: GeneratorParams) -> Generators:
    """Return a VAE, a GAN and a classifier, trained now or by an earlier run."""
    digits = data.load_images(config.data)
    samplers = {
        kind: trained_generator(config, kind, digits.images, Training(num_steps=steps, hidden=params.hidden))
        for kind, steps in (("vae", params.vae_steps), ("gan", params.gan_steps))
    }
    return Generators(digits, trained_classifier(config, digits, params.classifier_steps), samplers)


def encoded(config: Config, trained: Generators, pictures: np.ndarray) -> np.ndarray:
    """Return pictures as rows: pixels, or the 84 features of the classifier, as config.encoder says."""
    return (
        pictures.reshape(len(pictures), -1)
        if config.encoder.name == "pixels"
        else trained.classifier.features(pictures)
    )


def drawn(config: Config, sampler: Sampler, number: int, num_samples: int, psi: float = 1.0) -> np.ndarray:
    """Return samples under the key of this number."""
    return sampler(jax.random.fold_in(jax.random.key(config.seed), number), num_samples, psi)


def montage_bytes(pictures: np.ndarray) -> np.ndarray:
    """Return grey pictures in [0, 1] as bytes with a channel."""
    return np.rint(pictures[..., None] * 255).astype(np.uint8)


def results_of(run: RunFolder, generator: str) -> list[Result]:
    """Return the results of a finished run that belong to one generator."""
    return [result for result in run.results if result.settings["generator"] == generator]
