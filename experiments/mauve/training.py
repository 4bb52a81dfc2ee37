"""Training a small GPT, step by step from the last checkpoint, deterministic in its settings."""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from experiments import checkpoints
from experiments.mauve.gpt import END, GPT, Shape

LOG = logging.getLogger(__name__)
BATCH = 32  # windows a step
RATE = 2e-3
WARM_UP = 100
AVERAGE = 0.995  # of the weights, over about two hundred steps: what is used, and what lets training go on at one rate
CHECKPOINT_EVERY = 50
SETTINGS = {"batch": BATCH, "rate": RATE, "warm_up": WARM_UP, "average": AVERAGE, "weight_decay": 0.05, "version": 1}


def optimizer() -> optax.GradientTransformation:
    """Return AdamW with clipped gradients, at one rate after a warm-up."""
    return optax.chain(
        optax.clip_by_global_norm(1.0),
        optax.adamw(optax.linear_schedule(0.0, RATE, WARM_UP), weight_decay=0.05),
    )


def piece_loss(model: GPT, weights: Mapping[str, Any], windows: Array) -> Array:
    """Return the mean of -log p of the piece after each, in nats, over windows (b, t + 1)."""
    logits = model.apply(weights, windows[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, windows[:, 1:]).mean()  # type: ignore[arg-type]


def train(folder: Path, shape: Shape, windows: np.ndarray, epochs: int, seed: int) -> dict[str, Any]:
    """Return averaged weights after so many epochs; go on from the newest checkpoint in the folder.

    The order of the windows is drawn anew for every epoch from the seed and the epoch's number, so that a run that was
    stopped sees the same batches as one that was not, and a longer run begins as a shorter one did.
    """
    model = GPT(shape)
    per_epoch = len(windows) // BATCH
    last = epochs * per_epoch
    weights = model.init(jax.random.key(seed), jnp.zeros((1, shape.context), jnp.int32))
    moments = optimizer().init(weights)  # type: ignore[arg-type]
    # Copies: the buffers of a step's state are given away, and two of them must not be one.
    start = {"weights": weights, "average": jax.tree.map(jnp.copy, weights), "moments": moments, "count": jnp.zeros(())}
    state, done = checkpoints.restore(folder / "newest", start)
    if done > last:  # of a longer run
        state, done = checkpoints.restore(folder / f"epoch-{epochs}", start)
    started = time.monotonic()
    for step in range(done, last):
        state, loss = _step(model, state, jnp.asarray(batch_of(windows, step, per_epoch, seed)))
        epoch, place = divmod(step + 1, per_epoch)
        if (step + 1) % CHECKPOINT_EVERY == 0 or place == 0:
            LOG.info("step %d of %d, loss %.3f, %.0f s", step + 1, last, loss, time.monotonic() - started)
            for name in [f"epoch-{epoch}"] * (place == 0) + ["newest"]:
                checkpoints.save(folder / name, step + 1, state)
    return jax.device_get(state["average"])


def batch_of(windows: np.ndarray, step: int, per_epoch: int, seed: int) -> np.ndarray:
    """Return the windows of a step, which follow from the seed and the step alone."""
    epoch, place = divmod(step, per_epoch)
    order = np.random.default_rng([seed, epoch]).permutation(len(windows))
    return windows[order[place * BATCH : (place + 1) * BATCH]]


def _advance(model: GPT, state: dict[str, Any], windows: Array) -> tuple[dict[str, Any], Array]:
    loss, gradient = jax.value_and_grad(piece_loss, argnums=1)(model, state["weights"], windows)
    updates, moments = optimizer().update(gradient, state["moments"], state["weights"])
    weights = optax.apply_updates(state["weights"], updates)
    # Early on the average follows closely: it must not remember the random start.
    share = jnp.minimum(AVERAGE, (1.0 + state["count"]) / (10.0 + state["count"]))
    average = jax.tree.map(lambda old, new: share * old + (1.0 - share) * new, state["average"], weights)
    return {"weights": weights, "average": average, "moments": moments, "count": state["count"] + 1.0}, loss


_step = jax.jit(_advance, static_argnums=0, donate_argnums=1)


def piece_losses(
    shape: Shape, weights: Mapping[str, Any], rows: np.ndarray, batch: int = 64
) -> tuple[np.ndarray, np.ndarray]:
    """Return -log p of every piece of documents (n, t) in nats, and which of them count: those up to the first END."""
    model = GPT(shape)
    given = np.insert(rows, 0, END, axis=1)[:, : shape.context + 1]
    found = []
    for start in range(0, len(given), batch):
        part = given[start : start + batch]
        filled = np.full((batch, given.shape[1]), END, np.int32)
        filled[: len(part)] = part
        found.append(np.asarray(_losses(model, weights, jnp.asarray(filled)))[: len(part)])
    counts = np.cumsum(given[:, 1:] == END, axis=1)
    return np.concatenate(found), (counts == 0) | ((counts == 1) & (given[:, 1:] == END))


@jax.jit(static_argnums=0)
def _losses(model: GPT, weights: Mapping[str, Any], rows: Array) -> Array:
    logits = model.apply(weights, rows[:, :-1])
    return optax.softmax_cross_entropy_with_integer_labels(logits, rows[:, 1:])  # type: ignore[arg-type]
