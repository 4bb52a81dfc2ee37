"""A LeNet of digits, trained by the experiment: class probabilities for the Inception Score, and 84 features.

The published scores are of networks trained on ImageNet, with 1,000 classes: an Inception Score here is at most 10.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from jaxtyping import Array, Float, Int

from experiments import stages
from experiments.schema import Config
from fkeax.datasets import LabelledImages
from fkeax.io import sha256_of_array

LOG = logging.getLogger(__name__)
VERSION = 1  # of this code: a change that alters the weights is a new number
BATCH = 64
HELD_OUT = 5  # every fifth image is kept for the accuracy


class LeNet(nn.Module):
    """Two convolutions, two hidden layers (LeCun et al. 1998); images of 8 x 8 pixels are pooled once only."""

    @nn.compact
    def __call__(self, x: Float[Array, "b h w"]) -> tuple[Float[Array, "b 84"], Float[Array, "b 10"]]:
        """Return features and logits."""
        y = nn.relu(nn.Conv(6, (5, 5))(x[..., None]))
        if x.shape[1] >= 16:
            y = nn.avg_pool(y, (2, 2), (2, 2))
        y = nn.relu(nn.Conv(16, (5, 5), padding="VALID" if x.shape[1] >= 16 else "SAME")(y))
        y = nn.avg_pool(y, (2, 2), (2, 2)).reshape(len(x), -1)
        y = nn.relu(nn.Dense(120)(y))
        y = nn.relu(nn.Dense(84)(y))
        return y, nn.Dense(10)(y)


@dataclass(frozen=True)
class Classifier:
    """A trained LeNet.

    Attributes:
        parameters: Its weights.
        accuracy: On the fifth of the images that it was not trained on.
    """

    parameters: Any
    accuracy: float

    def features(self, pictures: np.ndarray) -> np.ndarray:
        """Return 84 numbers a picture, the last layer before the classes."""
        return np.asarray(_apply(self.parameters, jnp.asarray(pictures))[0])

    def probabilities(self, pictures: np.ndarray) -> np.ndarray:
        """Return the probabilities of the ten classes, float64."""
        logits = np.asarray(_apply(self.parameters, jnp.asarray(pictures))[1], dtype=np.float64)
        odds = np.exp(logits - logits.max(axis=1, keepdims=True))
        return odds / odds.sum(axis=1, keepdims=True)


@jax.jit
def _apply(parameters: Any, pictures: Float[Array, "n h w"]) -> tuple[Array, Array]:
    return LeNet().apply(parameters, pictures)  # pyright: ignore[reportReturnType]


def trained_classifier(config: Config, digits: LabelledImages, num_steps: int) -> Classifier:
    """Return a classifier of such digits, trained now or by an earlier run.

    Args:
        config: Of the run; says where weights are kept.
        digits: What it learns; every fifth image is held out.
        num_steps: Steps of Adam, 64 images each.
    """
    settings = {
        "pictures": sha256_of_array(digits.images),
        "labels": sha256_of_array(digits.labels),
        "num_steps": num_steps,
        "version": VERSION,
    }
    arrays = stages.stage(config, "digit-classifier", settings, partial(_train, digits, num_steps))
    leaves, tree = jax.tree.flatten(_fresh(digits.images))
    parameters = jax.tree.unflatten(tree, [arrays[f"w{number}"] for number in range(len(leaves))])
    return Classifier(parameters, float(arrays["accuracy"]))


def _fresh(images: np.ndarray) -> Any:
    return LeNet().init(jax.random.key(0), jnp.asarray(images[:1]))


def _train(digits: LabelledImages, num_steps: int, folder: Path) -> Mapping[str, np.ndarray]:
    """Train; some half a minute of one core for 1,000 steps at 28 x 28 pixels."""
    held_out = np.arange(len(digits.labels)) % HELD_OUT == 0
    images, labels = jnp.asarray(digits.images[~held_out]), jnp.asarray(digits.labels[~held_out].astype(np.int32))
    optimiser = optax.adam(2e-3)
    parameters = _fresh(digits.images)

    def loss(parameters: Any, x: Float[Array, "b h w"], y: Int[Array, "b"]) -> Array:
        logits = _apply(parameters, x)[1]
        return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()

    @jax.jit
    def step(parameters: Any, memory: Any, number: Array) -> tuple[Any, Any, Array]:
        rows = jax.random.randint(jax.random.fold_in(jax.random.key(1), number), (BATCH,), 0, len(images))
        value, slope = jax.value_and_grad(loss)(parameters, images[rows], labels[rows])
        updates, memory = optimiser.update(slope, memory)
        return optax.apply_updates(parameters, updates), memory, value

    memory = optimiser.init(parameters)
    for number in range(num_steps):
        parameters, memory, value = step(parameters, memory, jnp.asarray(number))
        if (number + 1) % 500 == 0:
            LOG.info("classifier: step %d of %d, loss %.3g", number + 1, num_steps, float(value))
    _, logits = _apply(parameters, jnp.asarray(digits.images[held_out]))
    accuracy = float((np.asarray(logits).argmax(1) == digits.labels[held_out]).mean())
    weights = {f"w{number}": np.asarray(leaf) for number, leaf in enumerate(jax.tree.leaves(parameters))}
    return {**weights, "accuracy": np.array(accuracy)}
