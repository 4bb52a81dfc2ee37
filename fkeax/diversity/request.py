"""What a diversity score is asked for: every argument checked, and every choice made, before a sample is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypedDict, cast

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax import kernels
from fkeax.diversity.grouped_pairs import group_numbers
from fkeax.diversity.plan import METHODS, Plan, memory_bytes, plan
from fkeax.diversity.samples import Rows, Samples, samples
from fkeax.diversity.subsampling import NUM_GROUPS
from fkeax.features import SCHEMES, check_scheme
from fkeax.kernels import Bandwidth, BandwidthRule, GivenRule, Kernel, SpectralKernel
from fkeax.numerics import batching, checks

MIN_INTERVAL_ROWS = NUM_GROUPS
SPECTRA = ("dense", "lanczos")


class ScoreOptions(TypedDict, total=False):
    """The keyword arguments that all scores share; :func:`fkeax.score` says what each means."""

    kernel: str | Kernel
    bandwidth: float | str | Bandwidth | None
    method: str
    features: str
    num_frequencies: int
    num_draws: int
    num_landmarks: int
    weights: ArrayLike | None
    groups: ArrayLike | None
    intervals: bool
    batch_size: int
    memory_budget: int | str | None
    spectrum: str
    key: jax.Array | None


@dataclass(frozen=True)
class Request:
    """What was asked for, checked, with every choice made.

    Attributes:
        data: The samples.
        kernel: The kernel with its bandwidth.
        bandwidth: Value and source; None for kernels without one.
        plan: Route and memory.
        scheme: How frequencies are drawn; None off the fkea route.
        num_frequencies: r; None off the fkea route.
        num_draws: Independent draws of the frequencies; None off the fkea route.
        num_landmarks: Rows that Nystrom features are made of; None off that route.
        weights: Sample weights, or None.
        groups: The group of every row, counted from 0; None where rows are independent.
        intervals: Whether VENDI gets a jackknife interval.
        quadrature: Whether VENDI comes from random vectors instead of all eigenvalues.
        key: The child key of the route; None where the route is not random and none was given.
        seed: Data of the key that was given.
    """

    data: Samples
    kernel: Kernel
    bandwidth: Bandwidth | None
    plan: Plan
    scheme: str | None
    num_frequencies: int | None
    num_draws: int | None
    num_landmarks: int | None
    weights: np.ndarray | None
    groups: np.ndarray | None
    intervals: bool
    quadrature: bool
    key: jax.Array | None
    seed: list[int] | None

    def settings(self) -> dict[str, object]:
        """Return the settings of every result of this request, but for the order and the number of samples."""
        return {
            "estimator": self.plan.route,
            **kernel_settings(self.kernel, self.bandwidth),
            "dimension": self.data.dimension,
            "num_frequencies": self.num_frequencies,
            "num_draws": self.num_draws,
            "features": self.scheme,
            "num_landmarks": self.num_landmarks,
            "num_groups": None if self.groups is None else int(self.groups.max()) + 1,
            "weighted": self.weights is not None,
            "seed": self.seed,
            "dtype": str(self.data.dtype),
            "precision": "highest",
        }


def kernel_settings(kernel: Kernel, bandwidth: Bandwidth | None) -> dict[str, object]:
    """Return what the settings of a result say of its kernel."""
    return {
        "kernel": kernel.name,
        "kernel_parameters": kernels.kernel_parameters(kernel),
        "bandwidth": None if bandwidth is None else bandwidth.value,
        "bandwidth_source": None if bandwidth is None else bandwidth.source,
    }


def check_option_names(options: Mapping[str, object], known: type) -> None:
    """Raise if an option is none of those that a typed dictionary declares."""
    unknown = sorted(set(options) - set(known.__annotations__))
    if unknown:
        raise TypeError(f"{unknown[0]} is no option; there are {', '.join(known.__annotations__)}.")


def request(x: Rows, options: ScoreOptions, *, spectrum: bool) -> Request:
    """Check every argument before the first sample is looked at, and choose kernel, bandwidth and route."""
    check_option_names(options, ScoreOptions)
    method = checks.choice(options.get("method", "auto"), "method", METHODS)
    scheme = checks.choice(options.get("features", "iid"), "features", SCHEMES)
    num_frequencies = checks.count(options.get("num_frequencies", 2000), "num_frequencies")
    num_draws = checks.count(options.get("num_draws", 1), "num_draws")
    num_landmarks = checks.count(options.get("num_landmarks", 1000), "num_landmarks")
    key = options.get("key")
    if key is not None:
        checks.typed_key(key, "this score")
    chosen_kernel = kernel_choice(options.get("kernel", "gaussian"), options.get("bandwidth"))

    data = samples(x, checks.count(options.get("batch_size", 4096), "batch_size"))
    weights, groups = options.get("weights"), options.get("groups")
    intervals = options.get("intervals", False)
    if not isinstance(intervals, (bool, np.bool_)):
        raise TypeError(f"intervals must be True or False; got {intervals!r}.")
    _refuse_for_streams(data, weights=weights, groups=groups, intervals=intervals)
    chosen = plan(
        data.num_samples,
        data.dimension,
        kernel=chosen_kernel.family,
        method=method,
        num_frequencies=num_frequencies,
        num_draws=num_draws,
        num_landmarks=num_landmarks,
        num_blocks=NUM_GROUPS if intervals else 1,
        batch_size=data.batch_size,
        dtype=str(data.dtype),
        spectrum=spectrum,
        memory_budget=memory_bytes(options.get("memory_budget")),
    )
    data = data.in_batches_of(chosen.batch_size)
    quadrature = _quadrature(options.get("spectrum", "dense"), chosen, intervals=bool(intervals), key=key)
    on_features, on_landmarks = chosen.route == "fkea", chosen.route == "nystrom"
    if on_features:
        checks.typed_key(key, "random Fourier features")
        if isinstance(chosen_kernel.family, SpectralKernel):
            check_scheme(scheme, chosen_kernel.family)
    if on_landmarks:
        checks.typed_key(key, "the landmarks of Nystrom features")
    key_bandwidth, key_route = (None, None) if key is None else tuple(jax.random.split(key))
    kernel, bandwidth = chosen_kernel.resolve(data, key_bandwidth)
    return Request(
        data=data,
        kernel=kernel,
        bandwidth=bandwidth,
        plan=chosen,
        scheme=scheme if on_features else None,
        num_frequencies=num_frequencies if on_features else None,
        num_draws=num_draws if on_features else None,
        num_landmarks=min(num_landmarks, data.num_samples or 0) if on_landmarks else None,
        weights=_relative_weights(weights, data.num_samples or 0),
        groups=None if groups is None else group_numbers(groups, data.num_samples or 0),
        intervals=bool(intervals),
        quadrature=quadrature,
        key=key_route,
        seed=None if key is None else batching.key_seed(key).tolist(),
    )


@dataclass(frozen=True)
class KernelChoice:
    """A kernel whose bandwidth may still have to be read off the data.

    Attributes:
        family: The kernel, at its own bandwidth, or at 1 where a rule will find it.
        bandwidth: A number, given; a rule; or None for a kernel without a bandwidth.
    """

    family: Kernel
    bandwidth: Bandwidth | BandwidthRule | None

    def resolve(self, data: Samples, key: jax.Array | None) -> tuple[Kernel, Bandwidth | None]:
        """Return the kernel at its bandwidth, and what the bandwidth is and where it came from."""
        if self.bandwidth is None or isinstance(self.bandwidth, Bandwidth):
            return self.family, self.bandwidth
        if (rows := data.whole) is None:
            raise ValueError(
                f"bandwidth='{self.bandwidth}' needs all samples at once; for a stream of batches give a number."
            )
        checks.finite_rows(rows)
        family = cast("SpectralKernel", self.family)
        found = self.bandwidth(rows, kernel=family, key=key)
        return kernels.with_bandwidth(family, found.value), found


def kernel_choice(kernel: str | Kernel, bandwidth: float | str | Bandwidth | None) -> KernelChoice:
    """Return the kernel that was asked for, after checking that it has a bandwidth if and only if it needs one."""
    if isinstance(kernel, Kernel):
        if bandwidth is not None:
            raise ValueError(f"bandwidth belongs to the kernel {kernel!r} that was given; leave it out.")
        own = kernel.bandwidth if isinstance(kernel, SpectralKernel) else None
        return KernelChoice(kernel, None if own is None else kernels.given_bandwidth(own))
    if not isinstance(kernel, str):
        raise TypeError(f"kernel must be a name such as 'gaussian' or a kernel of fkeax.kernels; got {kernel!r}.")
    family = kernels.kernel_family(kernel)
    if not isinstance(family, SpectralKernel):
        if bandwidth is not None:
            raise ValueError(
                f"bandwidth has no meaning for the {family.name} kernel; leave it out (got {bandwidth!r})."
            )
        return KernelChoice(family, None)
    if bandwidth is None:
        raise ValueError(
            "bandwidth is needed: pass bandwidth=7.0 (in the units of the data) or bandwidth='median'; "
            "scores are comparable only at one shared bandwidth."
        )
    if isinstance(bandwidth, Bandwidth):
        return KernelChoice(kernels.with_bandwidth(family, bandwidth.value), bandwidth)
    rule = kernels.parse_bandwidth(bandwidth)
    if not isinstance(rule, GivenRule):
        return KernelChoice(family, rule)
    given = kernels.given_bandwidth(rule.value)
    return KernelChoice(kernels.with_bandwidth(family, given.value), given)


def _quadrature(solver: object, chosen: Plan, *, intervals: bool, key: object) -> bool:
    """Return whether VENDI comes from random vectors, after checking that the route has a covariance they apply to."""
    if checks.choice(solver, "spectrum", SPECTRA) == "dense":
        return False
    if chosen.route not in ("fkea", "dual"):
        raise ValueError(
            f"spectrum='lanczos' is for covariances of features, method='fkea' or 'dual'; the route here is "
            f"{chosen.route}, {chosen.reason}."
        )
    if intervals:
        raise ValueError("intervals need all eigenvalues, eleven times; leave out spectrum='lanczos'.")
    checks.typed_key(key, "the random vectors of spectrum='lanczos'")
    return True


def _refuse_for_streams(data: Samples, *, weights: ArrayLike | None, groups: ArrayLike | None, intervals: bool) -> None:
    if data.matrix is None and weights is not None:
        raise ValueError(
            "weights need all samples at once; for a stream, give them to fkeax.diversity.streaming.update."
        )
    if data.matrix is None and (groups is not None or intervals):
        asked = "groups" if groups is not None else "intervals"
        raise ValueError(f"{asked} need all samples at once; x is a stream of batches: pass an (n, d) array.")
    if intervals and (data.num_samples or 0) < MIN_INTERVAL_ROWS:
        raise ValueError(
            f"intervals need at least {MIN_INTERVAL_ROWS} rows, one for each block that is left out; "
            f"x has {data.num_samples}."
        )
    if weights is not None and (groups is not None or intervals):
        asked = "groups" if groups is not None else "intervals"
        raise ValueError(f"{asked} and weights do not go together; repeat rows instead of weighting them.")


def _relative_weights(weights: ArrayLike | None, num_samples: int) -> np.ndarray | None:
    """Return checked weights over their largest: scores do not depend on a scale that float32 sums might not hold."""
    checked = checks.weight_vector(weights, num_samples)
    if checked is None:
        return None
    if not checked.max() > 0:
        raise ValueError("weights must not all be 0.")
    return checked / checked.max()
