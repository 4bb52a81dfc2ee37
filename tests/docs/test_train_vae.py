"""The training loop of the documentation: it learns, its log is whole, and two devices find what one finds."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "docs" / "examples" / "train_vae.py"
TINY = ("--num-steps", "60", "--log-every", "20", "--num-evaluated", "100", "--num-hidden", "32", "--batch-size", "32")
SCORES = ("stream/vendi-1", "stream/rke-debiased", "eval/vendi-1", "eval/rke-population", "eval/kid")

# Both meshes in one process: same parameters, same samples, so that only the place of the sums differs.
STATES = f"""
import jax
jax.config.update("jax_num_cpu_devices", 2)
import runpy
import jax.numpy as jnp, numpy as np
from jax.sharding import Mesh
from fkeax import Gaussian
from fkeax.diversity import streaming
from fkeax.features import sample_fourier_map

example = runpy.run_path({str(SCRIPT)!r})
fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(2.0), 12, jnp.zeros(5))
batches = np.random.default_rng(0).standard_normal((3, 32, 5)).astype(np.float32)
one = streaming.init(fourier_map)
for batch in batches:
    one = streaming.update(one, batch)
for num_devices in (1, 2):
    mesh = Mesh(np.asarray(jax.devices()[:num_devices]), ("rows",))
    moments = example["empty_states"](fourier_map, mesh)
    for batch in batches:
        moments = jax.jit(example["update_states"], static_argnums=3)(fourier_map, moments, jnp.asarray(batch), mesh)
    assert len(jax.tree.leaves(moments)[0].sharding.device_set) == num_devices
    found = example["merged_state"](fourier_map, moments)
    assert found.num_samples == one.num_samples == 96
    # Entries are at most 1/r; float32 sums of 96 terms.
    np.testing.assert_allclose(streaming.finalize(found), streaming.finalize(one), rtol=0, atol=1e-6)
"""


def _environment() -> dict[str, str]:
    flags = {name: value for name, value in os.environ.items() if name != "XLA_FLAGS"}
    return flags | {"PYTHONPATH": str(ROOT), "JAX_PLATFORMS": "cpu"}


def _command(folder: Path, *options: str) -> list[str]:
    return [sys.executable, str(SCRIPT), "--out", str(folder), *TINY, *options]


def _strict_lines(path: Path) -> list[dict]:
    def refuse(literal: str) -> None:
        raise AssertionError(f"{path} holds {literal}")

    return [json.loads(line, parse_constant=refuse) for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_it_learns_and_two_devices_find_what_one_finds(tmp_path):
    logs = []
    for num_devices in (1, 2):
        folder = tmp_path / str(num_devices)
        subprocess.run(_command(folder, "--devices", str(num_devices)), check=True, env=_environment(), timeout=900)
        logs.append(_strict_lines(folder / "log.jsonl"))
        assert (folder / "curves.png").stat().st_size > 10_000
    first, *steps = logs[0]
    assert first["settings"]["bandwidth"] == 2.0
    assert [line["step"] for line in steps] == [0, 20, 40, 60]
    assert steps[3]["loss"] < steps[2]["loss"] < steps[1]["loss"]
    assert steps[3]["eval/kid"] < steps[0]["eval/kid"]
    for line in steps:
        for name in ("eval/vendi-1", "eval/rke-population", "eval/kid"):
            assert line[f"{name}/low"] < line[name] < line[f"{name}/high"]
        assert line["step"] == 0 or line["stream/num_samples"] == 20 * 32
    for one, two in zip(steps[1:], logs[1][2:], strict=True):
        assert two["stream/num_samples"] == one["stream/num_samples"]
        # Training multiplies rounding: 60 steps of Adam stay within a thousandth.
        for name in (*SCORES, "loss"):
            assert two[name] == pytest.approx(one[name], rel=1e-3, abs=1e-3), name


@pytest.mark.slow
def test_states_merged_over_two_devices_are_those_of_one():
    subprocess.run([sys.executable, "-c", STATES], check=True, env=_environment(), timeout=900)


@pytest.mark.slow
def test_a_killed_run_leaves_whole_lines(tmp_path):
    log = tmp_path / "log.jsonl"
    process = subprocess.Popen(_command(tmp_path, "--num-steps", "100000"), env=_environment())
    try:
        deadline = time.monotonic() + 900
        while not log.exists() or log.read_bytes().count(b"\n") < 4:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        process.kill()
        process.wait()
    assert log.read_bytes().endswith(b"\n")
    assert [line["step"] for line in _strict_lines(log)[1:4]] == [0, 20, 40]
