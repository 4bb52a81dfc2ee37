"""Settings of the process are applied before jax is imported, and never silently ignored."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jax
import pytest

from experiments import runtime
from experiments.runtime import RuntimeConflictError

NOTHING: dict[str, Any] = dict.fromkeys(
    ("platform", "x64", "threads", "matmul_precision", "xla_flags", "compile_cache")
)
ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runtime, "_applied", None)
    monkeypatch.delenv("XLA_FLAGS", raising=False)


def in_a_fresh_process(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_null_changes_nothing() -> None:
    assert runtime.environment_of(NOTHING) == {}


def test_settings_become_variables() -> None:
    asked = {
        "platform": "cpu",
        "x64": True,
        "threads": 1,
        "matmul_precision": "highest",
        "xla_flags": "--xla_a=1 --xla_b=2",
        "compile_cache": "/somewhere",
    }
    found = runtime.environment_of(asked)
    assert found["JAX_PLATFORMS"] == "cpu"
    assert found["JAX_ENABLE_X64"] == "1"
    assert found["JAX_DEFAULT_MATMUL_PRECISION"] == "highest"
    assert found["JAX_COMPILATION_CACHE_DIR"] == "/somewhere"
    assert found["OMP_NUM_THREADS"] == found["NPROC"] == "1"
    assert found["XLA_FLAGS"].split() == ["--xla_a=1", "--xla_b=2", "--xla_cpu_multi_thread_eigen=false"]


def test_flags_of_the_user_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_a=1 --xla_c=3")
    found = runtime.environment_of({**NOTHING, "xla_flags": "--xla_a=1 --xla_b=2"})
    assert found["XLA_FLAGS"].split() == ["--xla_a=1", "--xla_c=3", "--xla_b=2"]


def test_no_threads_are_too_few() -> None:
    with pytest.raises(ValueError, match=r"runtime\.threads must be at least 1, got 0"):
        runtime.environment_of({**NOTHING, "threads": 0})


def test_one_runtime_a_process() -> None:
    runtime.apply(NOTHING)
    runtime.apply(NOTHING)
    with pytest.raises(RuntimeConflictError, match=r"runtime differs between two jobs of one process: x64 is None and"):
        runtime.apply({**NOTHING, "x64": True})


def test_what_jax_has_read_already_is_checked() -> None:
    runtime.apply({**NOTHING, "x64": False, "platform": jax.default_backend().replace("gpu", "cuda")})
    runtime._applied = None
    with pytest.raises(RuntimeConflictError, match=r"asks for JAX_ENABLE_X64=1, but jax was imported before"):
        runtime.apply({**NOTHING, "x64": True})


def test_the_command_imports_nothing_that_reads_settings() -> None:
    modules = ("jax", "jaxlib", "numpy", "scipy", "fkeax")
    code = f"import sys, experiments.run; print(*[name for name in {modules!r} if name in sys.modules])"
    assert in_a_fresh_process(code) == ""


def test_settings_take_effect() -> None:
    code = f"""
from experiments import runtime
runtime.apply({ {**NOTHING, "x64": True, "threads": 1, "platform": "cpu"} })
import jax, threadpoolctl, scipy.linalg
print(jax.numpy.ones(2).dtype, max(pool["num_threads"] for pool in threadpoolctl.threadpool_info()))
"""
    assert in_a_fresh_process(code, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2") == "float64 1"
    late = code.replace("from experiments", "import numpy\nfrom experiments")
    assert in_a_fresh_process(late, OMP_NUM_THREADS="2", OPENBLAS_NUM_THREADS="2") == "float64 1"
