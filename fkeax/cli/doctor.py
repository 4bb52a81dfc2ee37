"""`fkeax doctor`: what computes here, in which precision, and whether known numbers come out."""

from __future__ import annotations

import dataclasses
import importlib.util
import os
from typing import Any

import typer

from fkeax.cli import outputs, parameters, running, tables
from fkeax.cli.self_tests import SelfTest, run_self_tests

# Packages that a feature needs and the core does not: module -> (distribution, what for).
EXTRAS = {
    "ott": ("ott-jax", "frontiers of transport costs"),
    "tokenizers": ("tokenizers", "encoders of texts"),
    "soundfile": ("soundfile", "encoders of sounds"),
    "onnxruntime": ("onnxruntime", "encoders in ONNX files"),
    "hydra": ("hydra-core", "experiments"),
    "flax": ("flax", "networks of experiments"),
}
# Formats that a matrix product may be computed in, by the largest error of the product below, which averages the
# rounding of 256 terms: 1e-6 for float32 sums, 7e-5 where inputs keep 10 bits, 6e-4 where they keep 7.
FORMATS = ((1e-5, "float32"), (2e-4, "TF32"), (2e-3, "bfloat16"))


def doctor(context: outputs.Context, json: parameters.JsonOption = None) -> None:
    """Show versions, devices and the precision of matrix products, and check one known number per family of metrics.

    Exit code 1 if a number is off.

    Example: fkeax doctor --json doctor.json
    """
    target = outputs.check_outputs(context, json)
    environment = _environment()
    tables.print_notes(f"{name}: {_shown(value)}" for name, value in environment.items())
    with running.spinner("closed forms ..."):
        tests = list(run_self_tests())
    _show(tests)
    failed = [test for test in tests if not test.passed]
    target.write_json(
        {
            "environment": environment,
            "self_tests": [dataclasses.asdict(test) | {"passed": test.passed} for test in tests],
            "passed": not failed,
        }
    )
    if failed:
        raise typer.Exit(outputs.INCOMPLETE)


def _environment() -> dict[str, Any]:
    import jax
    import threadpoolctl

    from fkeax.assets import cache_folder
    from fkeax.io import describe_environment

    found = describe_environment()
    device = found["device"]
    asked, default = _product_errors()
    blas = [pool for pool in threadpoolctl.threadpool_info() if pool.get("user_api") == "blas"]
    return {
        "versions": found["packages"],
        "python": f"{found['python']} on {found['platform']}",
        "backend": f"{device['platform']}, {device['count']} x {device['kind']}",
        "matrix products of fkeax": f"{_format_of(asked)} (largest relative error {asked:.1e})",
        "matrix products unless told": f"{_format_of(default)} (largest relative error {default:.1e})",
        "64-bit arrays": "on"
        if jax.config.values["jax_enable_x64"]
        else "off; --dtype float64 turns them on for a command",
        "BLAS threads": ", ".join(f"{pool['internal_api']} {pool['num_threads']}" for pool in blas) or "unknown",
        "CPU cores": os.cpu_count(),
        "GPU memory preallocation": _preallocation(),
        "cache of fetched files": str(cache_folder()),
        "cache of scores": os.environ.get("FKEAX_SCORE_CACHE") or "none; --cache DIR or FKEAX_SCORE_CACHE",
        "cache of compiled programs": jax.config.values["jax_compilation_cache_dir"]
        or "none; JAX_COMPILATION_CACHE_DIR",
        "optional packages": {name: _extra(module) for module, (name, _) in EXTRAS.items()},
    }


def _product_errors() -> tuple[float, float]:
    """Return the largest relative error of a float32 product as fkeax asks for it, and as JAX does it by default.

    Entries are sums of 256 positive products, so that nothing cancels and the error shows the rounding of the inputs.
    """
    import jax.numpy as jnp
    import numpy as np

    from fkeax.numerics.linalg import PRECISION

    left, right = np.random.default_rng(0).uniform(0.5, 1.5, (2, 256, 256)).astype(np.float32)
    exact = left.astype(np.float64) @ right.astype(np.float64)
    products = (jnp.matmul(left, right, precision=PRECISION), jnp.matmul(left, right))
    asked, default = (float(np.max(np.abs(np.asarray(product, np.float64) / exact - 1))) for product in products)
    return asked, default


def _format_of(error: float) -> str:
    return next((name for bound, name in FORMATS if error <= bound), "less than bfloat16")


def _preallocation() -> str:
    value = os.environ.get("XLA_PYTHON_CLIENT_PREALLOCATE")
    if value is None:
        return "on, as JAX does"
    return "off" if value.lower() in ("0", "false") else "on"


def _extra(module: str) -> str | None:
    if importlib.util.find_spec(module) is None:
        return None
    from importlib import metadata

    try:
        return metadata.version(EXTRAS[module][0])
    except metadata.PackageNotFoundError:
        return "present"


def _shown(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {entry or 'absent'}" for name, entry in value.items())
    return str(value)


def _show(tests: list[SelfTest]) -> None:
    rows = [
        (
            test.name,
            "-" if test.value is None else f"{test.value:.6g}",
            f"{test.expected:.6g}",
            f"{test.tolerance:.2g}",
            "PASS" if test.passed else "FAIL",
        )
        for test in tests
    ]
    tables.print_table(("closed form", "value", "expected", "within", ""), rows)
    tables.print_notes(f"note: {test.name}: {test.reason}" for test in tests if test.reason is not None)
    failed = sum(not test.passed for test in tests)
    print(f"{failed} of {len(tests)} FAILED" if failed else f"all {len(tests)} pass")
