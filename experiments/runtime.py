"""Settings that JAX and the BLAS read when they are loaded: applied once a process, before the first import of jax."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any

_applied: dict[str, Any] | None = None


class RuntimeConflictError(RuntimeError):
    """The process already runs under other settings, which cannot be changed any more."""


def environment_of(runtime: Mapping[str, Any]) -> dict[str, str]:
    """Return the environment variables that stand for the settings; those that are null set nothing.

    Args:
        runtime: The resolved `runtime` group: platform, x64, threads, matmul_precision, xla_flags, compile_cache.

    Raises:
        ValueError: threads is not positive.
    """
    found: dict[str, str] = {}
    flags = [] if runtime["xla_flags"] is None else [str(runtime["xla_flags"])]
    if runtime["platform"] is not None:
        found["JAX_PLATFORMS"] = str(runtime["platform"])
    if runtime["x64"] is not None:
        found["JAX_ENABLE_X64"] = "1" if runtime["x64"] else "0"
    if runtime["matmul_precision"] is not None:
        found["JAX_DEFAULT_MATMUL_PRECISION"] = str(runtime["matmul_precision"])
    if runtime["compile_cache"] is not None:
        found["JAX_COMPILATION_CACHE_DIR"] = str(runtime["compile_cache"])
    threads = runtime["threads"]
    if threads is not None:
        if threads < 1:
            raise ValueError(f"runtime.threads must be at least 1, got {threads}.")
        # NPROC sizes XLA's pool of threads on the CPU; the others are read by the BLAS libraries of NumPy and SciPy.
        names = ("NPROC", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
        found |= dict.fromkeys(names, str(threads))
        if threads == 1:
            flags.append("--xla_cpu_multi_thread_eigen=false")
    if flags:
        inherited = os.environ.get("XLA_FLAGS", "").split()
        wanted = " ".join(flags).split()
        found["XLA_FLAGS"] = " ".join([*inherited, *(flag for flag in wanted if flag not in inherited)])
    return found


def apply(runtime: Mapping[str, Any]) -> None:
    """Apply the settings to this process, or check that it runs under them already.

    A sweep runs many jobs in one process (also under joblib, which uses its workers again), and what JAX has read once
    stays. Hence one runtime a sweep: give sweeps over `runtime` as one command a value.

    Args:
        runtime: As in `environment_of`.

    Raises:
        RuntimeConflictError: Another job of this process, or an import of jax before the first, settled it otherwise.
        ValueError: A setting makes no sense.
    """
    global _applied
    settings = dict(runtime)
    if settings == _applied:
        return
    if _applied is not None:
        listed = "; ".join(
            f"{key} is {_applied[key]!r} and {settings[key]!r}" for key in settings if settings[key] != _applied[key]
        )
        raise RuntimeConflictError(
            f"runtime differs between two jobs of one process: {listed}; JAX reads these settings once a process: "
            "give one command for each runtime instead of a sweep over it."
        )
    variables = environment_of(settings)
    if "jax" in sys.modules:
        late = [name for name in variables if name.startswith(("JAX_", "XLA_")) and not _holds(name, variables[name])]
        if late:
            raise RuntimeConflictError(
                f"runtime asks for {', '.join(f'{name}={variables[name]}' for name in late)}, but jax was imported "
                "before with other settings; run the experiment in a fresh process."
            )
    os.environ.update(variables)
    if settings["threads"] is not None and "numpy" in sys.modules:
        _limit_loaded_blas(settings["threads"])
    _applied = settings


def _holds(name: str, value: str) -> bool:
    import jax

    if name == "JAX_ENABLE_X64":
        return bool(jax.config.read("jax_enable_x64")) == (value == "1")
    if name == "JAX_PLATFORMS":
        return jax.default_backend() == {"cuda": "gpu", "rocm": "gpu"}.get(value, value)
    return os.environ.get(name) == value


def _limit_loaded_blas(threads: int) -> None:
    # joblib imports NumPy in its workers before the first job, which then no longer reads the environment.
    import numpy  # noqa: F401
    import scipy.linalg  # noqa: F401
    import threadpoolctl

    threadpoolctl.threadpool_limits(threads)
