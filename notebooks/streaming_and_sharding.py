# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Streaming and sharding
#
# Samples that do not fit into memory, into one file, or into one job. FKEA keeps a sum beside a count, and sums can
# be made anywhere, in any order, and added. This notebook makes them batch by batch, in a compiled loop, in shards
# with files, and over devices, and gets one and the same number.

# %%
import tempfile
from pathlib import Path

import jax

jax.config.update("jax_num_cpu_devices", 2)  # before JAX looks for devices; a GPU machine has devices of its own

import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import NullLocator

import fkeax
from fkeax.datasets import load_digits
from fkeax.diversity import merge_shards, score_shards, score_state, shard_state, streaming
from fkeax.diversity.distributed import collected, update_sharded
from fkeax.features import sample_fourier_map
from fkeax.io import read_state, write_state

x = load_digits().features
BANDWIDTH, R = 2.0, 300

# %% [markdown]
# ## A stream
#
# `fkeax.fkea` reads any iterable of batches once. Their sizes do not matter.


# %%
def batches(sizes):
    start = 0
    for size in sizes:
        yield x[start : start + size]
        start += size


key = jax.random.key(0)
whole = fkeax.fkea(x, bandwidth=BANDWIDTH, orders=(1.0,), num_frequencies=R, key=key)
streamed = fkeax.fkea(batches((1, 600, 196, 1000)), bandwidth=BANDWIDTH, orders=(1.0,), num_frequencies=R, key=key)
for name, result in whole.items():
    print(f"{name:24} {result.value:9.4f} {streamed[name].value:9.4f}")
    assert abs(streamed[name].value / result.value - 1) < 1e-3

# %% [markdown]
# ## The state itself
#
# In a loop of your own the map is drawn once, with one centre, before the first batch. The state says at any time
# what it has seen. Below: the score after every 150 digits.

# %%
fourier_map = sample_fourier_map(jax.random.key(1), fkeax.Gaussian(BANDWIDTH), R, jnp.asarray(x[:200].mean(axis=0)))
state, counts, values = streaming.init(fourier_map), [], []
for batch in np.array_split(x, 12):
    state = streaming.update(state, batch)
    counts.append(state.num_samples)
    values.append(score_state(state, bandwidth=BANDWIDTH, orders=(1.0,)))
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
for name in ("vendi-1-debiased", "rke-debiased", "rke-population"):
    axis.plot(counts, [found[name].value for found in values], marker="o", label=name)
axis.set(xlabel="digits seen", ylabel="score")
axis.legend()
plt.show()
assert values[-1]["vendi-1-debiased"].value > values[0]["vendi-1-debiased"].value  # grows with n

# %% [markdown]
# Inside `jit` the same functions run in a `lax.scan`; nothing leaves the device:

# %%
scanned = jax.jit(lambda state, rows: streaming.scan_rows(state, rows, batch_size=256))(
    streaming.init(fourier_map), jnp.asarray(x)
)
print(scanned.num_samples, float(jnp.abs(streaming.finalize(scanned) - streaming.finalize(state)).max()))
assert float(jnp.abs(streaming.finalize(scanned) - streaming.finalize(state)).max()) < 1e-6

# %% [markdown]
# ## Shards, with files
#
# Each job needs its rows, the settings and the key, nothing of the other jobs. Every shard is centred at its own
# rows; merging turns the sums to one centre.

# %%
folder = Path(tempfile.mkdtemp())
for number, part in enumerate(np.array_split(x, 3)):  # three jobs, in any order, on any machine
    job = shard_state(part, name=f"part-{number}", bandwidth=BANDWIDTH, num_frequencies=R, key=key)
    write_state(folder / f"{number}.npz", job)

states = [read_state(folder / f"{number}.npz") for number in (2, 0, 1)]
sharded = score_shards(merge_shards(states), orders=(1.0,))
print(sharded["vendi-1"].value, whole["vendi-1"].value)
assert abs(sharded["vendi-1"].value / whole["vendi-1"].value - 1) < 1e-3

# %% [markdown]
# What goes wrong on clusters is refused: a shard that is counted twice, a job that ran with other settings.

# %%
other = shard_state(x[:100], name="other", bandwidth=3.0, num_frequencies=R, key=key)
for wrong in ([states[0], states[0]], [states[0], other]):
    try:
        merge_shards(wrong)
        raise AssertionError("merged")
    except ValueError as error:
        print("refused:", error)

# %% [markdown]
# ## Devices
#
# Rows are split over a mesh; each device sums its own, one `psum` adds the sums.

# %%
mesh = jax.make_mesh((jax.device_count(),), ("rows",))
spread = streaming.init(fourier_map)
for batch in np.array_split(x, 3):
    spread = update_sharded(spread, batch, mesh=mesh)
difference = float(jnp.abs(streaming.finalize(collected(spread)) - streaming.finalize(state)).max())
print(
    f"{jax.device_count()} devices, {collected(spread).num_samples} rows, "
    f"largest difference of an entry {difference:.1e}"
)
assert difference < 1e-6
assert collected(spread).num_samples == len(x)

# %% [markdown]
# ## How many frequencies?
#
# Memory is `(2r)²` numbers whatever n is. What r buys, against the exact score:

# %%
exact = fkeax.vendi(x, bandwidth=BANDWIDTH, method="exact").value
counts = (50, 100, 200, 400)
curve = fkeax.curve(
    x, over="num_frequencies", values=counts, orders=(1.0,), bandwidth=BANDWIDTH, method="fkea", key=jax.random.key(2)
)
figure, axis = plt.subplots(figsize=(6, 3.2), layout="constrained")
for name in ("vendi-1", "vendi-1-debiased"):
    axis.loglog(counts, [abs(point[name].value / exact - 1) for point in curve.points], marker="o", label=name)
axis.set(xlabel="r", ylabel="relative error")
axis.set_xticks(counts, map(str, counts))
axis.xaxis.set_minor_locator(NullLocator())
axis.legend()
plt.show()
errors = [abs(curve.points[-1][name].value / exact - 1) for name in ("vendi-1", "vendi-1-debiased")]
print(f"at r = 400: {errors[0]:.1%} plain, {errors[1]:.1%} debiased")
assert errors[1] < errors[0]

# %% [markdown]
# **To remember**: fix the map (kernel, bandwidth, key, centre) before the first batch; then any batching, order, tree
# of merges or number of devices gives the same scores, up to rounding.
