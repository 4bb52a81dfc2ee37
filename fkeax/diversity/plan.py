"""Which route computes a score, and what memory it will take, decided before anything is allocated."""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass

import numpy as np

from fkeax.kernels import ExplicitKernel, Kernel, SpectralKernel, kernel_family
from fkeax.numerics import checks

ROUTES = ("exact", "dual", "fkea", "nystrom")
METHODS = ("auto", *ROUTES)
NUM_SAMPLED_ROWS = 1000  # rows whose exact kernel values give the standard errors of streamed scores
MAX_FEATURES = 20_000  # of the dual route: an hour of eigenvalues
ADVICE = {
    "exact": "use method='fkea' or fewer samples",
    "fkea": "use fewer frequencies, draws or interval blocks",
    "dual": "use method='exact' or fewer columns",
    "nystrom": "use fewer landmarks",
}


@dataclass(frozen=True)
class Plan:
    """A route and its memory.

    Attributes:
        route: "exact" (n x n kernel matrix), "dual" (second moments of explicit features), "fkea" (2r x 2r covariance
            of Fourier features) or "nystrom" (second moments of features from landmark rows).
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
    kernel: str | Kernel = "gaussian",
    method: str = "auto",
    num_frequencies: int = 2000,
    num_draws: int = 1,
    num_landmarks: int = 1000,
    num_blocks: int = 1,
    batch_size: int = 4096,
    dtype: str = "float32",
    spectrum: bool = True,
) -> Plan:
    """Return the route to a diversity score and the memory it takes.

    ``auto`` takes the smallest matrix that is exact: the kernel matrix when n <= 2r (cheaper than features, and free of
    their error), the dual for kernels of inner products when they have fewer features than there are samples, Fourier
    features otherwise.

    Args:
        num_samples: n; None for a stream of unknown length, which has no exact route.
        dimension: d.
        kernel: A kernel of :mod:`fkeax.kernels` or its name; a bandwidth does not matter here.
        method: auto, exact, dual, fkea or nystrom.
        num_frequencies: r.
        num_draws: Independent draws of the frequencies held at once.
        num_landmarks: Rows that Nystrom features are made of.
        num_blocks: Blocks of rows whose sums are kept apart for jackknife intervals.
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
    checks.choice(method, "method", METHODS)
    if isinstance(kernel, str):
        kernel = kernel_family(kernel)
    route, reason = _route(num_samples, dimension, kernel, method, num_frequencies)
    size = np.dtype(dtype).itemsize
    rows = num_samples or 0
    if route == "exact":
        matrix = rows * rows * 8 if spectrum else 0  # float64 whatever the data
        total = 2 * matrix + 2 * 64 * 2**20 + rows * dimension * 8
    else:
        explicit = kernel.feature_dimension(dimension) if isinstance(kernel, ExplicitKernel) else dimension
        width = {"fkea": 2 * num_frequencies, "dual": explicit, "nystrom": num_landmarks}[route]
        if route == "dual" and width > MAX_FEATURES:
            raise ValueError(
                f"method='dual' would take {width:,} explicit features here, more than {MAX_FEATURES:,}: "
                f"{ADVICE['dual']}."
            )
        draws = num_draws if route == "fkea" else 1
        matrix = width * width * size
        batch = batch_size * (dimension + draws * width) * size
        total = (num_blocks * draws + 1) * matrix + batch + NUM_SAMPLED_ROWS * (dimension + 2 * NUM_SAMPLED_ROWS) * size
    _refuse_beyond_memory(route, total)
    return Plan(route, reason, matrix, total)


def _route(
    num_samples: int | None, dimension: int, kernel: Kernel, method: str, num_frequencies: int
) -> tuple[str, str]:
    if method == "dual" and not isinstance(kernel, ExplicitKernel):
        raise ValueError(
            f"method='dual' needs a kernel with an explicit feature map (cosine, linear, polynomial); "
            f"got {kernel.name!r}."
        )
    if method == "fkea" and not isinstance(kernel, SpectralKernel):
        raise ValueError(
            f"method='fkea' needs a shift-invariant kernel (gaussian, laplace, matern, ...); got {kernel.name!r}."
        )
    if method in ("exact", "nystrom") and num_samples is None:
        raise ValueError(
            f"method={method!r} needs all samples at once; x is a stream of batches: pass an (n, d) array."
        )
    if method != "auto":
        return method, "asked for"
    if isinstance(kernel, ExplicitKernel):
        width = kernel.feature_dimension(dimension)
        features = f"d = {width}" if width == dimension else f"{width} features"
        if num_samples is None:
            return "dual", "a stream of unknown length"
        if width < num_samples:
            return "dual", f"{features} < n = {num_samples}"
        return "exact", f"n = {num_samples} <= {features}"
    if num_samples is None:
        return "fkea", "a stream of unknown length"
    if num_samples <= 2 * num_frequencies:
        return "exact", f"n = {num_samples} <= 2r = {2 * num_frequencies}"
    return "fkea", f"n = {num_samples} > 2r = {2 * num_frequencies}"


def _refuse_beyond_memory(route: str, total_bytes: int) -> None:
    physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if total_bytes > physical:
        raise ValueError(
            f"the {route} route would take {total_bytes / 2**30:.1f} GiB and this machine has "
            f"{physical / 2**30:.1f} GiB: {ADVICE[route]}."
        )
