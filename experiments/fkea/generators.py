"""Small generators of digits that an experiment trains itself: a VAE and a GAN, in flax, kept by their settings.

    sample = trained_generator(config, "vae", pictures)
    pictures = sample(jax.random.key(1), 1000, psi=0.7)

Truncation scales the latent vector, z = psi times a standard normal. The truncation of StyleGAN acts elsewhere: it
pulls the mapped vector w = f(z) towards its mean. Both trade variety for typicality, and both give one picture at 0.

Training is interrupted at any time and goes on from the last checkpoint (orbax); the trained weights are a stage
(`experiments.stages`), shared by every experiment that asks for the same generator of the same pictures.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from jaxtyping import Array, Float, Float32

from experiments import checkpoints, stages
from experiments.schema import Config
from fkeax.io import sha256_of_array

LOG = logging.getLogger(__name__)
VERSION = 1  # of this code: a change that alters the weights is a new number
CHUNK = 1000  # steps of one compiled call, and between checkpoints
KINDS = ("vae", "gan")


class Sampler(Protocol):
    """Draws pictures: n of them, under a key, with latent vectors scaled by psi."""

    def __call__(self, key: jax.Array, n: int, psi: float = 1.0) -> Float32[np.ndarray, "n height width"]:
        """Return values in [0, 1]."""
        ...


@dataclass(frozen=True)
class Training:
    """How a generator is trained.

    Attributes:
        num_steps: Steps of Adam.
        batch_size: Pictures a step.
        hidden: Width of the two hidden layers.
        latent: Dimension of z.
        learning_rate: Of both networks of a GAN.
        seed: Of weights, batches and noise.
    """

    num_steps: int = 6000
    batch_size: int = 128
    hidden: int = 256
    latent: int = 16
    learning_rate: float = 1e-3
    seed: int = 0


class Decoder(nn.Module):
    """From z to the logits of pixels."""

    hidden: int
    num_pixels: int

    @nn.compact
    def __call__(self, z: Float[Array, "b z"]) -> Float[Array, "b p"]:
        """Two hidden layers."""
        x = nn.relu(nn.Dense(self.hidden)(z))
        x = nn.relu(nn.Dense(self.hidden)(x))
        return nn.Dense(self.num_pixels)(x)


class Encoder(nn.Module):
    """From pixels to mean and log variance of z (VAE), or to one score (GAN's discriminator)."""

    hidden: int
    num_outputs: int

    @nn.compact
    def __call__(self, x: Float[Array, "b p"]) -> Float[Array, "b o"]:
        """Two hidden layers."""
        x = nn.leaky_relu(nn.Dense(self.hidden)(x), 0.2)
        x = nn.leaky_relu(nn.Dense(self.hidden)(x), 0.2)
        return nn.Dense(self.num_outputs)(x)


def trained_generator(
    config: Config, kind: str, pictures: Float32[np.ndarray, "n height width"], training: Training | None = None
) -> Sampler:
    """Return a generator of such pictures, trained now or by an earlier run.

    Args:
        config: Of the run; says where weights and checkpoints are kept.
        kind: "vae" or "gan".
        pictures: Grey, values in [0, 1].
        training: How; the default takes some 2 to 3 minutes of one core on 5,000 digits.

    Raises:
        ValueError: No such kind.
        OSError: The weights cannot be kept.
    """
    if kind not in KINDS:
        raise ValueError(f"generator must be one of {', '.join(KINDS)}; got {kind!r}.")
    chosen = training or Training()
    shape = pictures.shape[1:]
    rows = np.ascontiguousarray(pictures.reshape(len(pictures), -1), dtype=np.float32)
    settings = {"kind": kind, "pictures": sha256_of_array(rows), "version": VERSION, **asdict(chosen)}
    arrays = stages.stage(config, f"generator-{kind}", settings, partial(_train, kind, rows, chosen))
    template = _decoder(chosen, rows.shape[1]).init(jax.random.key(0), jnp.zeros((1, chosen.latent)))
    leaves, tree = jax.tree.flatten(template)
    parameters = jax.tree.unflatten(tree, [arrays[f"w{number}"] for number in range(len(leaves))])

    def sample(key: jax.Array, n: int, psi: float = 1.0) -> Float32[np.ndarray, "n height width"]:
        z = psi * jax.random.normal(key, (n, chosen.latent))
        return np.asarray(_decode(parameters, z, chosen, rows.shape[1])).reshape(n, *shape)

    return sample


def _decoder(training: Training, num_pixels: int) -> Decoder:
    return Decoder(training.hidden, num_pixels)


@partial(jax.jit, static_argnames=("training", "num_pixels"))
def _decode(parameters: Any, z: Float[Array, "n z"], training: Training, num_pixels: int) -> Float[Array, "n p"]:
    return nn.sigmoid(_decoder(training, num_pixels).apply(parameters, z))  # pyright: ignore[reportArgumentType]


def _train(kind: str, rows: np.ndarray, training: Training, folder: Path) -> Mapping[str, np.ndarray]:
    """Train with a checkpoint after every chunk; return the decoder's weights as numbered arrays."""
    start, step = (_vae if kind == "vae" else _gan)(training, rows.shape[1])

    @partial(jax.jit, static_argnames="num_steps", donate_argnums=0)
    def advance(state: Any, data: Float[Array, "n p"], first: int, num_steps: int) -> tuple[Any, Array]:
        def one(state: Any, number: Array) -> tuple[Any, Array]:
            key = jax.random.fold_in(jax.random.key(training.seed), number)
            batch_key, noise_key = jax.random.split(key)
            batch = data[jax.random.randint(batch_key, (training.batch_size,), 0, len(data))]
            return step(noise_key, state, batch)

        state, losses = jax.lax.scan(one, state, first + jnp.arange(num_steps))
        return state, losses.mean()

    data = jnp.asarray(rows)
    state, done = checkpoints.restore(folder / "checkpoints", start(jax.random.key(training.seed)))
    while done < training.num_steps:
        count = min(CHUNK, training.num_steps - done)
        state, loss = advance(state, data, done, count)
        done += count
        checkpoints.save(folder / "checkpoints", done, state)
        LOG.info("%s: step %d of %d, loss %.4g", kind, done, training.num_steps, float(loss))
    return {f"w{number}": np.asarray(leaf) for number, leaf in enumerate(jax.tree.leaves(state["decoder"]))}


Start = Callable[[jax.Array], Any]
Step = Callable[[jax.Array, Any, Array], tuple[Any, Array]]


def _vae(training: Training, num_pixels: int) -> tuple[Start, Step]:
    """Return the start and one step of a VAE with Bernoulli pixels (Kingma and Welling 2014)."""
    decoder, encoder = _decoder(training, num_pixels), Encoder(training.hidden, 2 * training.latent)
    optimiser = optax.adam(training.learning_rate)

    def start(key: jax.Array) -> Any:
        decoder_key, encoder_key = jax.random.split(key)
        networks = {
            "decoder": decoder.init(decoder_key, jnp.zeros((1, training.latent))),
            "encoder": encoder.init(encoder_key, jnp.zeros((1, num_pixels))),
        }
        return {**networks, "optimiser": optimiser.init(networks)}

    def loss(networks: Any, key: jax.Array, batch: Array) -> Array:
        mean, log_variance = jnp.split(jnp.asarray(encoder.apply(networks["encoder"], batch)), 2, axis=1)
        z = mean + jnp.exp(0.5 * log_variance) * jax.random.normal(key, mean.shape)
        logits: Any = decoder.apply(networks["decoder"], z)
        missed = optax.sigmoid_binary_cross_entropy(logits, batch).sum(1)
        return (missed + 0.5 * (mean**2 + jnp.exp(log_variance) - 1 - log_variance).sum(1)).mean()

    def step(key: jax.Array, state: Any, batch: Array) -> tuple[Any, Array]:
        networks = {name: state[name] for name in ("decoder", "encoder")}
        value, slope = jax.value_and_grad(loss)(networks, key, batch)
        updates, memory = optimiser.update(slope, state["optimiser"])
        changed: Any = optax.apply_updates(networks, updates)
        return {**changed, "optimiser": memory}, value

    return start, step


def _gan(training: Training, num_pixels: int) -> tuple[Start, Step]:
    """Return the start and one step of a GAN with the non-saturating loss and a gradient penalty at data (R1).

    Without the penalty (Mescheder et al. 2018, gamma 1) so small a GAN drops most digits.
    """
    decoder, critic = _decoder(training, num_pixels), Encoder(training.hidden, 1)
    optimisers = {name: optax.adam(training.learning_rate / 4, b1=0.5) for name in ("decoder", "critic")}

    def start(key: jax.Array) -> Any:
        decoder_key, critic_key = jax.random.split(key)
        networks = {
            "decoder": decoder.init(decoder_key, jnp.zeros((1, training.latent))),
            "critic": critic.init(critic_key, jnp.zeros((1, num_pixels))),
        }
        return {**networks, "optimisers": {name: optimisers[name].init(networks[name]) for name in optimisers}}

    def score(parameters: Any, x: Array) -> Array:
        return jnp.asarray(critic.apply(parameters, x))[:, 0]

    def critic_loss(parameters: Any, real: Array, made: Array) -> Array:
        slope = jax.grad(lambda x: score(parameters, x).sum())(real)
        missed = nn.softplus(-score(parameters, real)).mean() + nn.softplus(score(parameters, made)).mean()
        return missed + 0.5 * (slope**2).sum(1).mean()

    def decoder_loss(parameters: Any, critic_parameters: Any, z: Array) -> Array:
        made = nn.sigmoid(jnp.asarray(decoder.apply(parameters, z)))
        return nn.softplus(-score(critic_parameters, made)).mean()

    def step(key: jax.Array, state: Any, batch: Array) -> tuple[Any, Array]:
        z = jax.random.normal(key, (len(batch), training.latent))
        made = nn.sigmoid(jnp.asarray(decoder.apply(state["decoder"], z)))
        new, memory = {}, {}
        for name, loss, others in (
            ("critic", critic_loss, lambda: (batch, made)),
            ("decoder", decoder_loss, lambda: (new["critic"], z)),
        ):
            value, slope = jax.value_and_grad(loss)(state[name], *others())
            updates, memory[name] = optimisers[name].update(slope, state["optimisers"][name])
            new[name] = optax.apply_updates(state[name], updates)
        return {**new, "optimisers": memory}, value

    return start, step
