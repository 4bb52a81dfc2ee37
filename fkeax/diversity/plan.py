"""Which route computes a score, and what memory it will take, decided before anything is allocated."""

from __future__ import annotations

import math
import os
import re
from dataclasses import asdict, dataclass

import numpy as np

from fkeax.diversity.pairs import BLOCK_BYTES
from fkeax.kernels import ExplicitKernel, Kernel, SpectralKernel, kernel_family
from fkeax.numerics import checks

ROUTES = ("exact", "dual", "fkea", "nystrom")
METHODS = ("auto", *ROUTES)
NUM_SAMPLED_ROWS = 1000  # rows whose exact kernel values give the standard errors of streamed scores
MAX_FEATURES = 20_000  # of the dual route: an hour of eigenvalues
MIN_BATCH_ROWS = 16
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
        batch_size: Rows of a batch on the streaming routes.
        block_bytes: Kernel values held at a time where the kernel matrix itself is not.
    """

    route: str
    reason: str
    matrix_bytes: int
    total_bytes: int
    batch_size: int
    block_bytes: int

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
    memory_budget: int | None = None,
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
        memory_budget: Bytes above the input that may be taken; batches and blocks are made smaller to keep to it. None:
            the memory of the machine.

    Raises:
        ValueError: If the method does not exist for the kernel or the stream, or takes more memory than the machine has
            or the budget allows; the sentence says how much it takes at least.

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
    sampled = 3 * 8 * NUM_SAMPLED_ROWS * (dimension + NUM_SAMPLED_ROWS)  # exact kernel values, in float64
    if route == "exact":
        matrix = rows * rows * 8 if spectrum else 0  # float64 whatever the data
        fixed = 2 * matrix + 2 * rows * (dimension + 4) * 8
        # A block and what it is made from: products, squares, fourth powers.
        batch_size, per_unit, least, most = rows, 4, min(rows * 8, BLOCK_BYTES), BLOCK_BYTES
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
        fixed = (num_blocks * draws + 1) * matrix + sampled
        # The rows of a batch as they come and centred, their features, and half as much again on the way.
        per_unit = (2 * dimension + draws * width * 3 // 2) * size
        least, most = min(MIN_BATCH_ROWS, batch_size), batch_size
    available = most if memory_budget is None else (memory_budget - fixed) // per_unit
    if available < least:
        raise ValueError(
            f"memory_budget must be at least {format_bytes(fixed + least * per_unit)} for the {route} route here; got "
            f"{format_bytes(memory_budget or 0)}: {ADVICE[route]}."
        )
    chosen = min(available, most)
    total = fixed + chosen * per_unit
    _refuse_beyond_memory(route, total)
    if route == "exact":
        return Plan(route, reason, matrix, total, batch_size, chosen)
    return Plan(route, reason, matrix, total, chosen, BLOCK_BYTES)


def memory_bytes(value: int | str | None) -> int | None:
    """Return a number of bytes given as one or as a text such as "2GiB", "500 MB" or "1.5e9".

    Example:
        >>> memory_bytes("2GiB"), memory_bytes("500 MB"), memory_bytes(None)
        (2147483648, 500000000, None)
    """
    if value is None:
        return None
    if not isinstance(value, str):
        return checks.count(value, "memory_budget")
    found = re.fullmatch(r"\s*([0-9.]+(?:e[0-9]+)?)\s*([kmgt]?)(i?)(?:b|bytes?)?\s*", value.lower())
    try:
        number = float(found[1]) if found else 0.0
    except ValueError:
        number = 0.0
    if found is None or not 1 <= number < 1e30:
        raise ValueError(f"memory_budget must be a number of bytes or a text such as '2GiB'; got {value!r}.")
    return int(number * (1024 if found[3] else 1000) ** " kmgt".index(found[2] or " "))


def format_bytes(count: float) -> str:
    """Return a number of bytes as text, rounded up to three digits, which :func:`memory_bytes` reads.

    Example:
        >>> format_bytes(2**31), format_bytes(2**31 + 1), format_bytes(100)
        ('2 GiB', '2.01 GiB', '100 bytes')
    """
    for unit, scale in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= scale:
            digits = 10 ** max(0, 2 - math.floor(math.log10(count / scale)))
            return f"{math.ceil(count / scale * digits) / digits:g} {unit}"
    return f"{count:.0f} bytes"


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
