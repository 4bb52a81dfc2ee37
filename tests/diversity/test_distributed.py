"""The sums of several devices, of one process or of two under ``jax.distributed``, are those of one device."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from fkeax.diversity import distributed, streaming
from fkeax.features import sample_fourier_map
from fkeax.kernels import Gaussian

# What both children start with: a map fixed beforehand, rows that no number of devices divides, weights.
COMMON = """
import json, sys
import jax, jax.numpy as jnp
import numpy as np
from fkeax.diversity import score_state, streaming
from fkeax.diversity.distributed import collected, update_sharded
from fkeax.features import sample_fourier_map
from fkeax.kernels import Gaussian

def rows():
    return np.random.default_rng(0).standard_normal((203, 5)) + 100.0

def start():
    centre = jnp.asarray(rows()[:50].mean(axis=0))
    return streaming.init(sample_fourier_map(jax.random.key(1), Gaussian(2.0), 13, centre))

def values(state):
    found = score_state(state, bandwidth=2.0, metrics=("vendi", "rke"))
    return {name: result.value for name, result in found.items()}
"""

FOUR_DEVICES = (
    COMMON
    + """
assert jax.device_count() == 4
x, weights = rows(), np.random.default_rng(1).uniform(0, 3, 203)
weights[7] = 0
mesh = jax.make_mesh((4,), ("rows",))
worst = 0.0
for w in (None, weights):
    one = streaming.update(start(), x, w)
    for cuts in ([], [0, 1, 100]):
        many = start()
        for part, part_weights in zip(np.split(x, cuts), np.split(np.ones(203) if w is None else w, cuts)):
            many = update_sharded(many, part, None if w is None else part_weights, mesh=mesh, batch_size=16)
        assert len(many.moment.blocks[0].sharding.device_set) == 4
        assert many.num_samples == one.num_samples
        many = collected(many)
        worst = max(worst, float(abs(streaming.finalize(many) - streaming.finalize(one)).max()))
        worst = max(worst, *(abs(v / values(one)[k] - 1) for k, v in values(many).items() if v is not None))
merged = streaming.merge(collected(update_sharded(start(), x[:50], mesh=mesh)), streaming.update(start(), x[50:]))
worst = max(worst, float(abs(streaming.finalize(merged) - streaming.finalize(streaming.update(start(), x))).max()))
from fkeax.diversity import frequency_moments
from fkeax.diversity.column_blocks import moments_over_mesh
fourier_map = sample_fourier_map(jax.random.key(2), Gaussian(2.0), 12, start().fourier_map.centre)
whole = frequency_moments(streaming.update(streaming.init(fourier_map), x).moment)
columns = moments_over_mesh(fourier_map, x, mesh=mesh, batch_size=64)
worst = max(worst, abs(columns.total / whole.total - 1), float(abs(columns.cross / whole.cross - 1).max()))
print(json.dumps(worst))
"""
)

TWO_PROCESSES = (
    COMMON
    + """
port, number = sys.argv[1:]
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(f"localhost:{port}", num_processes=2, process_id=int(number))
assert jax.process_count() == 2 and jax.device_count() == 2 * jax.local_device_count()
mesh = jax.make_mesh((jax.device_count(),), ("rows",))
state = start()
mine = rows()[:120] if number == "0" else rows()[120:]
for step in range(3):  # processes run out of rows at different steps
    state = update_sharded(state, mine[50 * step : 50 * (step + 1)], mesh=mesh, batch_size=32)
print(json.dumps(values(collected(state))), flush=True)
jax.distributed.shutdown()
"""
)


def environment(num_devices: int) -> dict[str, str]:
    more = {"XLA_FLAGS": f"--xla_force_host_platform_device_count={num_devices}", "JAX_PLATFORMS": "cpu"}
    more |= {"JAX_ENABLE_X64": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
    return {**os.environ, **more}


@pytest.mark.slow
def test_four_devices_sum_as_one() -> None:
    """To 1e-6, with and without weights, whatever the numbers of rows; such a state merges with another; and columns of
    a covariance over the four devices have the norms of the whole."""
    done = subprocess.run(
        [sys.executable, "-c", FOUR_DEVICES],
        env=environment(4),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) < 1e-6


@pytest.mark.slow
@pytest.mark.usefixtures("x64")
def test_two_processes_score_as_one() -> None:
    """Each reads its half; both end with the score of the single run to 1e-6."""
    with socket.socket() as free:
        free.bind(("localhost", 0))
        port = free.getsockname()[1]
    children = [
        subprocess.Popen(
            [sys.executable, "-c", TWO_PROCESSES, str(port), str(number)],
            env=environment(2),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(2)
    ]
    try:
        outputs = [child.communicate(timeout=240) for child in children]
    finally:
        for child in children:
            child.kill()
    assert [child.returncode for child in children] == [0, 0], outputs
    found = [json.loads(stdout.splitlines()[-1]) for stdout, _ in outputs]
    assert found[0] == found[1]
    here: dict[str, Any] = {}
    exec(COMMON, here)
    for name, value in here["values"](here["streaming"].update(here["start"](), here["rows"]())).items():
        if value is not None:
            assert found[0][name] == pytest.approx(value, rel=1e-6), name


def state_of_nothing() -> streaming.FkeaState:
    return streaming.init(sample_fourier_map(jax.random.key(0), Gaussian(1.0), 4, jnp.zeros(3)))


def test_bad_arguments_get_one_sentence() -> None:
    mesh = jax.make_mesh((1,), ("rows",))
    for batch, sentence in (
        (np.zeros((2, 4)), "batch must have 3 columns"),
        (np.zeros(3), r"batch must have two axes, \(n, d\)"),
        (np.full((2, 3), np.nan), "batch must be finite; NaN or infinity in row 0, 1"),
    ):
        with pytest.raises(ValueError, match=sentence):
            distributed.update_sharded(state_of_nothing(), batch, mesh=mesh)
    with pytest.raises(ValueError, match="axis must be one of the mesh's, rows; got 'columns'"):
        distributed.update_sharded(state_of_nothing(), np.zeros((2, 3)), mesh=mesh, axis="columns")


def test_the_batch_and_the_old_state_stay_the_callers() -> None:
    mesh = jax.make_mesh((1,), ("rows",))
    batch = np.ones((6, 3), np.float32)
    first = distributed.update_sharded(state_of_nothing(), batch, mesh=mesh)
    expected = np.asarray(streaming.finalize(first)).copy()
    batch[:] = 7
    distributed.update_sharded(first, batch, mesh=mesh)
    np.testing.assert_array_equal(np.asarray(streaming.finalize(first)), expected)
    assert first.num_samples == 6
