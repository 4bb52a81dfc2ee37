"""Which route computes a score, and what memory it will take, decided before anything is allocated."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass

import numpy as np

from fkeax.numerics import checks

ROUTES = ("exact", "dual", "fkea")
METHODS = ("auto", *ROUTES)
KERNEL_NAMES = ("gaussian", "cosine", "linear")
NUM_SAMPLED_ROWS = 1000  # rows whose exact kernel values give the standard errors of streamed scores


@dataclass(frozen=True)
class Plan:
    """A route and its memory.

    Attributes:
        route: "exact" (n x n kernel matrix), "dual" (d x d second moments) or "fkea" (2r x 2r covariance of Fourier
            features).
        reason: Why this route.
        matrix_bytes: The matrix that is decomposed.
        total_bytes: Everything at its largest, above the input.
    """

    route: str
    reason: str
    matrix_bytes: int
    total_bytes: int

    def to_dict(self) -> dict[str, str | int]:
        """Return the plan as settings for a result's diagnostics."""
        return asdict(self)


def plan(
    num_samples: int | None,
    dimension: int,
    *,
    kernel: str = "gaussian",
    method: str = "auto",
    num_frequencies: int = 2000,
    num_draws: int = 1,
    batch_size: int = 4096,
    dtype: str = "float32",
    spectrum: bool = True,
) -> Plan:
    """Return the route to a diversity score and the memory it takes.

    ``auto`` takes the smallest matrix that is exact: the kernel matrix when n <= 2r (cheaper than features, and free of
    their error), the dual for linear and cosine kernels when d < n, features otherwise.

    Args:
        num_samples: n; None for a stream of unknown length, which has no exact route.
        dimension: d.
        kernel: gaussian, cosine or linear.
        method: auto, exact, dual or fkea.
        num_frequencies: r.
        num_draws: Independent draws of the frequencies held at once.
        batch_size: Rows of a batch.
        dtype: What is computed in.
        spectrum: Whether eigenvalues are needed; RKE alone needs none, and its exact route never holds the kernel
            matrix.

    Raises:
        ValueError: If the method does not exist for the kernel or the stream, or asks for more memory than the machine
            has.

    Example:
        >>> plan(50_000, 768).route, plan(3_000, 768).route, plan(50_000, 768, kernel="cosine").route
        ('fkea', 'exact', 'dual')
    """
    checks.choice(kernel, "kernel", KERNEL_NAMES)
    checks.choice(method, "method", METHODS)
    route, reason = _route(num_samples, dimension, kernel, method, num_frequencies)
    size = np.dtype(dtype).itemsize
    features = 2 * num_frequencies if route == "fkea" else dimension
    batch = batch_size * (dimension + (num_draws if route == "fkea" else 1) * features) * size
    if route == "exact":
        rows = num_samples or 0
        matrix = rows * rows * 8 if spectrum else 0  # float64 whatever the data
        total = 2 * matrix + 2 * 64 * 2**20 + rows * dimension * 8
    else:
        matrix = features * features * size
        total = (num_draws + 1) * matrix + batch + NUM_SAMPLED_ROWS * (dimension + 2 * NUM_SAMPLED_ROWS) * size
    _refuse_beyond_memory(route, total)
    return Plan(route, reason, matrix, total)


def _route(num_samples: int | None, dimension: int, kernel: str, method: str, num_frequencies: int) -> tuple[str, str]:
    if method == "dual" and kernel == "gaussian":
        raise ValueError(
            "method='dual' needs a kernel with an explicit feature map (cosine or linear); got 'gaussian'."
        )
    if method == "fkea" and kernel != "gaussian":
        raise ValueError(f"method='fkea' needs a shift-invariant kernel (gaussian); got {kernel!r}.")
    if method == "exact" and num_samples is None:
        raise ValueError("method='exact' needs all samples at once; x is a stream of batches: pass an (n, d) array.")
    if method != "auto":
        return method, "asked for"
    if kernel == "gaussian":
        if num_samples is None:
            return "fkea", "a stream of unknown length"
        if num_samples <= 2 * num_frequencies:
            return "exact", f"n = {num_samples} <= 2r = {2 * num_frequencies}"
        return "fkea", f"n = {num_samples} > 2r = {2 * num_frequencies}"
    if num_samples is None:
        return "dual", "a stream of unknown length"
    if dimension < num_samples:
        return "dual", f"d = {dimension} < n = {num_samples}"
    return "exact", f"n = {num_samples} <= d = {dimension}"


def _refuse_beyond_memory(route: str, total_bytes: int) -> None:
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if total_bytes > physical:
        advice = {
            "exact": "use method='fkea' or fewer samples",
            "fkea": "use fewer frequencies or draws",
            "dual": "use method='exact' or fewer columns",
        }[route]
        raise ValueError(
            f"the {route} route would take {total_bytes / 2**30:.1f} GiB and this machine has "
            f"{physical / 2**30:.1f} GiB: {advice}."
        )
