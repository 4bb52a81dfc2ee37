"""A reference and generated samples of one space: arguments checked once, one kernel, one feature map for both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypedDict

import jax
import jax.numpy as jnp
import numpy as np

from fkeax.diversity import moments, streaming
from fkeax.diversity.plan import Plan, plan
from fkeax.diversity.request import check_option_names, kernel_choice, kernel_settings
from fkeax.diversity.samples import Rows, Samples, centre_of, check_rows, samples
from fkeax.features import SCHEMES, FourierMap, check_scheme, sample_fourier_map
from fkeax.kernels import Bandwidth, ExplicitKernel, Kernel, SpectralKernel
from fkeax.numerics import batching, checks
from fkeax.numerics.accumulate import MomentState

NO_STDERR = "no standard error is known for this score: compare with its value between two halves of the reference"

_CENTRE_ROWS = 512  # of either set


class SetOptions(TypedDict, total=False):
    """The keyword arguments that scores against a reference share; :func:`fkeax.score` says what each means."""

    kernel: str | Kernel
    bandwidth: float | str | Bandwidth | None
    features: str
    num_frequencies: int
    batch_size: int
    key: jax.Array | None


@dataclass(frozen=True)
class TwoSets:
    """Two sets of samples and what was asked for about them, checked, with every choice made.

    Attributes:
        reference: The n reference samples.
        generated: The m generated samples.
        kernel: The kernel with its bandwidth; ``k(x, x) = 1``.
        bandwidth: Value and source; None for kernels without one. Rules look at the reference.
        plan: Route and memory.
        scheme: How frequencies are drawn; None off the fkea route.
        num_frequencies: r; None off the fkea route.
        key: The child key of the route; None where the route is not random and none was given.
        seed: Data of the key that was given.
    """

    reference: Samples
    generated: Samples
    kernel: Kernel
    bandwidth: Bandwidth | None
    plan: Plan
    scheme: str | None
    num_frequencies: int | None
    key: jax.Array | None
    seed: list[int] | None

    @property
    def dtype(self) -> np.dtype:
        """What both sets are computed in on feature routes."""
        return np.result_type(self.reference.dtype, self.generated.dtype)

    def settings(self) -> dict[str, object]:
        """Return the settings of every result about these two sets."""
        return {
            "estimator": self.plan.route,
            **kernel_settings(self.kernel, self.bandwidth),
            "n_ref": self.reference.num_samples,
            "n_gen": self.generated.num_samples,
            "dimension": self.reference.dimension,
            "num_frequencies": self.num_frequencies,
            "features": self.scheme,
            "seed": self.seed,
            "dtype": str(self.dtype),
            "precision": "highest",
        }

    def pooled_rows(self) -> tuple[np.ndarray, np.ndarray | None]:
        """Return all rows in float64, the generated ones first, less a centre; and that centre, in the working dtype.

        The centre is None for kernels that are not shift-invariant.
        """
        parts = []
        for name, data in (("generated", self.generated), ("reference", self.reference)):
            with checks.naming(x=name):
                parts.append(np.asarray(data.matrix))
                check_rows(parts[-1], self.kernel, 0)
        rows = np.concatenate(parts)
        centre = centre_of(rows, self.dtype) if self.kernel.shift_invariant else None
        padded = batching.pad(rows, None, rows.shape[0], centre=centre, dtype=np.dtype(np.float64))
        return padded.rows, centre


def matrix_samples(x: Rows, name: str, batch_size: int) -> Samples:
    """Return rows as samples after checking that they are a matrix and no stream."""
    with checks.naming(x=name):
        data = samples(x, batch_size)
        if data.matrix is None:
            raise ValueError("x is a stream of batches; this needs an (n, d) array or a memory map.")
    return data


def unit_kernel(kernel: Kernel) -> Kernel:
    """Return the kernel after checking that ``k(x, x) = 1``, so that every covariance has trace 1."""
    if not kernel.unit_diagonal:
        raise ValueError(f"kernel must have k(x, x) = 1 for this score (gaussian, cosine, ...); got {kernel.name!r}.")
    return kernel


def two_sets(reference: Rows, generated: Rows, options: SetOptions, *, method: str = "auto") -> TwoSets:
    """Check every argument, and choose kernel, bandwidth and route.

    Args:
        reference: (n, d).
        generated: (m, d).
        options: As the caller gave them.
        method: "auto", "exact", or "features" (Fourier features, or the explicit ones of a kernel that has them).
    """
    check_option_names(options, SetOptions)
    checks.choice(method, "method", ("auto", "exact", "features"))
    scheme = checks.choice(options.get("features", "iid"), "features", SCHEMES)
    num_frequencies = checks.count(options.get("num_frequencies", 2000), "num_frequencies")
    batch_size = checks.count(options.get("batch_size", 4096), "batch_size")
    key = options.get("key")
    if key is not None:
        checks.typed_key(key, "this score")
    choice = kernel_choice(options.get("kernel", "gaussian"), options.get("bandwidth"))
    unit_kernel(choice.family)
    first = matrix_samples(reference, "reference", batch_size)
    second = matrix_samples(generated, "generated", batch_size)
    if first.dimension != second.dimension:
        raise ValueError(
            "reference and generated must have the same number of columns; got "
            f"{first.dimension} and {second.dimension}."
        )
    explicit = isinstance(choice.family, ExplicitKernel)
    chosen = plan(
        (first.num_samples or 0) + (second.num_samples or 0),
        first.dimension,
        kernel=choice.family,
        method={"features": "dual" if explicit else "fkea"}.get(method, method),
        num_frequencies=num_frequencies,
        num_draws=2,  # one covariance for each set
        batch_size=max(first.batch_size, second.batch_size),
        dtype=str(np.result_type(first.dtype, second.dtype)),
    )
    on_features = chosen.route == "fkea"
    if on_features:
        checks.typed_key(key, "random Fourier features")
        if isinstance(choice.family, SpectralKernel):
            check_scheme(scheme, choice.family)
    # As in fkeax.score: one key gives one bandwidth.
    key_bandwidth, key_route = (None, None) if key is None else tuple(jax.random.split(key))
    with checks.naming(x="reference"):
        kernel, bandwidth = choice.resolve(first, key_bandwidth)
    return TwoSets(
        reference=first,
        generated=second,
        kernel=kernel,
        bandwidth=bandwidth,
        plan=chosen,
        scheme=scheme if on_features else None,
        num_frequencies=num_frequencies if on_features else None,
        key=key_route,
        seed=None if key is None else batching.key_seed(key).tolist(),
    )


def shared_map(sets: TwoSets) -> FourierMap:
    """Return the one map of both sets; its centre is the median of first rows of either."""
    if not isinstance(sets.kernel, SpectralKernel) or sets.key is None or sets.num_frequencies is None:
        raise AssertionError("the plan let a kernel without features, or no key, reach the fkea route")
    few = []
    for name, data in (("reference", sets.reference), ("generated", sets.generated)):
        if data.matrix is not None:
            few.append(np.asarray(data.matrix[:_CENTRE_ROWS]))
            with checks.naming(x=name):
                check_rows(few[-1], sets.kernel, 0)
    centre = jnp.asarray(centre_of(np.concatenate(few), sets.dtype))
    return sample_fourier_map(sets.key, sets.kernel, sets.num_frequencies, centre, scheme=sets.scheme or "iid")


def set_moments(sets: TwoSets, fourier_map: FourierMap | None) -> tuple[MomentState, MomentState]:
    """Return the sums of feature products over the reference and over the generated samples, in one pass each.

    Args:
        sets: On a feature route.
        fourier_map: The shared map; None on the dual route, whose features are those of the kernel.
    """
    found = []
    for name, data in (("reference", sets.reference), ("generated", sets.generated)):
        with checks.naming(x=name):
            found.append(_moment(data, sets.kernel, fourier_map))
    return found[0], found[1]


def _moment(data: Samples, kernel: Kernel, fourier_map: FourierMap | None) -> MomentState:
    if fourier_map is None:
        if not isinstance(kernel, ExplicitKernel):
            raise AssertionError("the plan let a kernel without explicit features reach the dual route")
        return moments.dual_moment(data, kernel, None, None)
    if data.on_accelerator and isinstance(data.matrix, jax.Array):
        checks.finite_rows(data.matrix)
        return moments.device_moment(data.matrix, (fourier_map,), None, data.batch_size)[0]
    return streaming.stream_draws((fourier_map,), data.chunks(kernel), None, data.batch_size)[0]
