"""RRKE: how far generated samples are from a reference, as a relative Renyi entropy of kernel covariances."""

from __future__ import annotations

import math
from typing import Unpack

import jax
import jax.numpy as jnp
import numpy as np

from fkeax import kernels
from fkeax.diversity.samples import Rows
from fkeax.diversity.streaming import FkeaState, check_one_map
from fkeax.diversity.two_sets import NO_STDERR, SetOptions, TwoSets, set_moments, shared_map, two_sets
from fkeax.kernels import given_bandwidth
from fkeax.numerics import linalg, transport_trace
from fkeax.numerics.accumulate import MomentState
from fkeax.results import Result


def rrke(reference: Rows, generated: Rows, *, method: str = "auto", **options: Unpack[SetOptions]) -> Result:
    """Return the relative Renyi kernel entropy of order 1/2, ``-log ||K_XY||_*^2 / (n m)`` with the nuclear norm.

    The nuclear norm of ``K_XY / sqrt(nm)`` is the fidelity ``tr (C_X^1/2 C_Y C_X^1/2)^1/2`` of the two kernel
    covariances, the quantum form of the Bhattacharyya coefficient. For two mixtures of far groups with shares p and q
    the score is ``-2 log sum sqrt(p_i q_i)``: 0 if and only if the laws agree, infinite if they share no group.

    Of these samples, not of their laws: two samples of one law are not at distance 0, the less so the more diverse they
    are at this bandwidth. Read the value beside the one between two halves of the reference.

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows; n and m may differ. The score is symmetric.
        method: "exact" (singular values of the n x m kernel matrix), "features" (through two covariances under shared
            frequencies), or "auto": exact when n + m <= 2r.
        options: ``kernel``, ``bandwidth`` (a rule looks at the reference), ``features``, ``num_frequencies``,
            ``batch_size`` and ``key`` as in :func:`fkeax.score`. The kernel must have k(x, x) = 1.

    Returns:
        A result in nats, not negative up to rounding; no value where no sample of one set is near one of the other.
        Through features it reads low, because random cross terms add to the nuclear norm. No standard error is known.

    Raises:
        ValueError, TypeError: One sentence that names the argument, what was expected and what came.

    Cost:
        exact: ``2 n m d`` and some ``4 n m min(n, m)`` flops, one n x m float64 matrix. features: O((n + m) r (d + r))
        and some ``40 (2r)^3`` flops, less where eigenvalues vanish.

    Example:
        >>> import numpy as np
        >>> groups = 100 * np.eye(3)
        >>> found = rrke(groups[[0, 0, 1, 1]], groups[[0, 1, 1, 1]], bandwidth=1.0)
        >>> round(float(found), 4), round(float(-2 * np.log(np.sqrt(0.5 * 0.25) + np.sqrt(0.5 * 0.75))), 4)
        (0.0693, 0.0693)

    References:
        Jalali et al. (2023), "An information-theoretic evaluation of generative models in learning multi-modal
        distributions". The paper's K_XY is n x m; through features, its nuclear norm is that of ``F_X F_Y'``.
    """
    sets = two_sets(reference, generated, options, method=method)
    if sets.plan.route == "exact":
        fidelity, diagnostics = _exact_fidelity(sets), {"computed_in": "float64"}
    else:
        fourier_map = shared_map(sets) if sets.plan.route == "fkea" else None
        fidelity, diagnostics = moment_fidelity(*set_moments(sets, fourier_map))
    return _result(fidelity, sets.settings(), {"plan": sets.plan.to_dict(), **diagnostics})


def rrke_of_states(reference: FkeaState, generated: FkeaState, *, bandwidth: float, kernel: str = "gaussian") -> Result:
    """Return RRKE of two streamed states under one feature map, such as shards or training loops keep.

    Args:
        reference: From :func:`fkeax.diversity.streaming.update` or ``merge``.
        generated: Under the same map.
        bandwidth: Of the kernel that the map was drawn for; recorded.
        kernel: Its name; recorded.

    Raises:
        ValueError: If the two maps differ, or a state has seen nothing.
    """
    fidelity, diagnostics = moment_fidelity(*(state.moment for state in check_one_map(reference, generated)))
    return _result(fidelity, state_settings(reference, generated, bandwidth, kernel), diagnostics)


def state_settings(reference: FkeaState, generated: FkeaState, bandwidth: float, kernel: str) -> dict[str, object]:
    """Return the settings of a score of two states."""
    num_frequencies, dimension = reference.fourier_map.frequencies.shape
    return {
        "estimator": "fkea",
        "kernel": kernel,
        "kernel_parameters": None,
        "bandwidth": given_bandwidth(bandwidth).value,
        "bandwidth_source": "given",
        "n_ref": reference.num_samples,
        "n_gen": generated.num_samples,
        "dimension": dimension,
        "num_frequencies": num_frequencies,
        "features": reference.fourier_map.scheme,
        "seed": None,
        "dtype": str(reference.fourier_map.frequencies.dtype),
        "precision": "highest",
    }


def _exact_fidelity(sets: TwoSets) -> float:
    with jax.enable_x64(True):
        rows, _ = sets.pooled_rows()
        num_generated = sets.generated.num_samples or 0
        reference, generated = jnp.asarray(rows[num_generated:]), jnp.asarray(rows[:num_generated])
        cross = np.asarray(kernels.cross_gram(sets.kernel, reference, generated))
    check_finite(cross)
    return transport_trace.nuclear_norm(cross) / math.sqrt(cross.size)


def check_finite(matrix: np.ndarray) -> None:
    """Raise if a kernel matrix of both sets is not finite."""
    if not np.isfinite(matrix).all():
        raise ValueError("reference and generated hold numbers too large to square even in float64; scale both alike.")


def moment_fidelity(first: MomentState, second: MomentState) -> tuple[float, dict[str, object]]:
    """Return the fidelity of two feature covariances under one map, and what was cut on the way.

    Eigenvalues below the rounding of the sums are cut and the others scaled to sum to 1, so that a state is at fidelity
    1 with itself. Square roots of what is cut would add up to far more than it holds.
    """
    roots, removed = [], []
    for moment in (first, second):
        matrix = linalg.upper_triangle(moment.blocks)
        values, vectors = linalg.top_eigenpairs(matrix, matrix.shape[0])
        kept = values > linalg.relative_cutoff(values.size, values.dtype) * values[0]
        total = float(values.sum(dtype=np.float64))
        share = float(values[kept].sum(dtype=np.float64)) / total
        removed.append(1 - share)
        roots.append((vectors[:, kept] * np.sqrt(values[kept] / (total * share))).astype(np.float64))
    fidelity = transport_trace.nuclear_norm(roots[0].T @ roots[1])
    kept_ranks = [root.shape[1] for root in roots]
    return fidelity, {
        "computed_in": str(first.blocks[0].dtype),
        "mass_removed": max(removed, key=abs),
        "ranks": kept_ranks,
    }


def _result(fidelity: float, settings: dict[str, object], diagnostics: dict[str, object]) -> Result:
    # Below, the nuclear norm is rounding.
    apart = fidelity <= 1e-12
    reason = {"reason": "the samples share no group at this bandwidth: the score is infinite"} if apart else {}
    value = None if apart else -2 * math.log(fidelity)
    return Result(
        name="rrke",
        value=value,
        stderr=None,
        settings={**settings, "order": 0.5},
        diagnostics={**diagnostics, "fidelity": fidelity, "stderr_reason": NO_STDERR, "warnings": [], **reason},
    )
