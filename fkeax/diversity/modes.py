"""Modes: the leading eigenfunctions of the kernel covariance, and the samples that stand out in them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax import kernels
from fkeax.diversity import moments
from fkeax.diversity.evidence import check_norms
from fkeax.diversity.request import Request, ScoreOptions, request
from fkeax.diversity.samples import Rows, centre_of
from fkeax.features import FourierMap, featurize_parts
from fkeax.kernels import Bandwidth, ExplicitKernel, Kernel, SpectralKernel
from fkeax.numerics import batching, checks, linalg, pytrees


@pytrees.register
@dataclass(frozen=True)
class FourierEigenfunctions:
    """``u_i(x) = phi(x)^T v_i`` under the covariance's own feature map; ``coefficients`` holds the v_i as columns."""

    fourier_map: FourierMap
    coefficients: Float[Array, "f k"]

    @property
    def centre(self) -> Float[Array, "d"]:
        """What is subtracted from points first."""
        return self.fourier_map.centre

    def at_centred(self, points: Float[Array, "p d"]) -> Float[Array, "p k"]:
        """Return the value of every eigenfunction at every point, given as ``x - centre``."""
        parts = jax.vmap(partial(featurize_parts, self.fourier_map))(points)
        features = jnp.concatenate(parts, axis=1) / math.sqrt(self.fourier_map.num_frequencies)
        return jnp.matmul(features, self.coefficients, precision=linalg.PRECISION)


@pytrees.register
@dataclass(frozen=True)
class DualEigenfunctions:
    """The same under the explicit feature map of a kernel of inner products, which is not centred."""

    kernel: ExplicitKernel
    coefficients: Float[Array, "f k"]

    centre: ClassVar[None] = None

    def at_centred(self, points: Float[Array, "p d"]) -> Float[Array, "p k"]:
        """Return the value of every eigenfunction at every point."""
        return jnp.matmul(jax.vmap(self.kernel.features)(points), self.coefficients, precision=linalg.PRECISION)


@pytrees.register
@dataclass(frozen=True)
class ExactEigenfunctions:
    """``u_i(x) = sum_j k(x, x_j) a_ij / sqrt(n lambda_i)`` for the unit eigenvectors ``a_i`` of the kernel matrix.

    Attributes:
        kernel: The kernel.
        centre: What is subtracted from points first; None for kernels that are not shift-invariant.
        centred_samples: The samples, after the same subtraction.
        coefficients: ``a_ij / sqrt(n lambda_i)``.
    """

    kernel: Kernel
    centre: Float[Array, "d"] | None
    centred_samples: Float[Array, "n d"]
    coefficients: Float[Array, "n k"]

    def at_centred(self, points: Float[Array, "p d"]) -> Float[Array, "p k"]:
        """Return the value of every eigenfunction at every point, given as ``x - centre``."""
        gram = kernels.cross_gram(self.kernel, points, self.centred_samples)
        return jnp.matmul(gram, self.coefficients, precision=linalg.PRECISION)


SIGN_RULE = "the sum of cubes over the samples is not negative"

Eigenfunctions = FourierEigenfunctions | DualEigenfunctions | ExactEigenfunctions


@jax.jit
def _evaluate(functions: Eigenfunctions, points: Float[Array, "p d"]) -> Float[Array, "p k"]:
    return functions.at_centred(points)


@dataclass(frozen=True)
class Modes:
    """The leading modes of a set of samples.

    Attributes:
        eigenvalues: Of the covariance, descending, (k,).
        shares: The same over the trace, the sum over all modes: the part of the total that each mode holds.
        sample_indices: Rows of the samples with the largest eigenfunction values, largest first, (k, s).
        sample_values: Those values, (k, s); at most 1 in absolute value for kernels with ``k(x, x) = 1``.
        settings: As in a score's result.
        diagnostics: Plan, trace, and how the sign was fixed.
        eigenfunctions: The functions themselves.
    """

    eigenvalues: np.ndarray
    shares: np.ndarray
    sample_indices: np.ndarray
    sample_values: np.ndarray
    settings: dict[str, object]
    diagnostics: dict[str, object]
    eigenfunctions: Eigenfunctions = field(repr=False)

    def evaluate(self, points: ArrayLike) -> np.ndarray:
        """Return the eigenfunction values of any points, (p, k), under the map, centre and signs of these modes."""
        rows = np.asarray(checks.matrix(points, "points"))
        dimension = self.settings["dimension"]
        if rows.shape[1] != dimension:
            raise ValueError(f"points must have {dimension} columns, as the samples had; got {rows.shape[1]}.")
        checks.finite_rows(rows, "points")
        return eigenfunction_values(self.eigenfunctions, rows, rows.shape[0], np.dtype(str(self.settings["dtype"])))


def eigenfunction_values(functions: Eigenfunctions, rows: np.ndarray, size: int, dtype: np.dtype) -> np.ndarray:
    """Return eigenfunction values of host rows, centred before the cast, computed as one batch padded to ``size``."""
    centre = None if functions.centre is None else np.asarray(functions.centre)
    batch = batching.pad(rows, None, size, centre=centre, dtype=dtype)
    batch.rows[rows.shape[0] :] = 1  # a direction for the cosine kernel; these rows are dropped
    return np.asarray(_evaluate(functions, jnp.asarray(batch.rows)))[: rows.shape[0]]


def leading_samples(values: np.ndarray, num_samples: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the sign of every function, and the samples where it is largest under that sign, with its values there.

    Args:
        values: Of every function at every sample, (n, k), with signs as they come.
        num_samples: How many samples to name; at most n are.

    Returns:
        Signs (k,) by :data:`SIGN_RULE`; row numbers (k, s), largest value first; values (k, s).
    """
    signs = np.where(np.sum(values.astype(np.float64) ** 3, axis=0) < 0, -1, 1).astype(values.dtype)
    signed = (values * signs).T
    top = np.argsort(-signed, axis=1, kind="stable")[:, :num_samples]
    return signs, top.astype(np.int64), np.take_along_axis(signed, top, axis=1)


def with_signs(functions: Eigenfunctions, signs: np.ndarray) -> Eigenfunctions:
    """Return the functions with the signs that :func:`leading_samples` found."""
    coefficients = functions.coefficients
    return replace(functions, coefficients=coefficients * jnp.asarray(signs, coefficients.dtype)[None])


def modes(
    x: Rows,
    *,
    num_modes: int = 10,
    num_samples: int = 25,
    kernel: str | Kernel = "gaussian",
    bandwidth: float | str | Bandwidth | None = None,
    method: str = "auto",
    features: str = "iid",
    num_frequencies: int = 2000,
    batch_size: int = 4096,
    key: jax.Array | None = None,
) -> Modes:
    """Return the leading modes of the samples: eigenvalue, share and the samples that show each best.

    A mixture of well separated groups has one leading eigenfunction a group (FKEA paper, Remark 2); later ones split
    groups. The sign of an eigenfunction is free: it is fixed so that the sum of its cubes over the samples is not
    negative, which puts a group that sticks out on the positive side.

    Deviation from the paper: eq. (5) as printed is not an eigenfunction; here ``u_i(x) = phi(x)^T v_i``.

    Args:
        x: Samples as rows, an array or memory map (they are read twice).
        num_modes: How many modes; at most min(n, 2r), or min(n, f) for f explicit features.
        num_samples: How many samples to name in each mode.
        kernel: As in :func:`fkeax.score`, like the arguments below.
        bandwidth: Positive number or the words of a rule.
        method: auto, exact, dual or fkea.
        features: How frequencies are drawn.
        num_frequencies: The paper's r.
        batch_size: Rows of a batch.
        key: Typed key, where the route is random.

    Cost:
        As :func:`fkeax.score`, with eigenvectors for ``num_modes``, a second pass, and n x num_modes numbers.

    Example:
        >>> import numpy as np
        >>> found = modes(np.repeat(np.eye(2) * 50, [3, 1], axis=0), bandwidth=1.0, num_modes=2, num_samples=3)
        >>> np.round(found.shares, 3).tolist(), sorted(found.sample_indices[0].tolist())
        ([0.75, 0.25], [0, 1, 2])
    """
    num_modes = checks.count(num_modes, "num_modes")
    num_samples = checks.count(num_samples, "num_samples")
    if method == "nystrom":
        raise ValueError("method='nystrom' has no modes here; use 'exact' or 'fkea'.")
    asked = request(
        x,
        ScoreOptions(
            kernel=kernel,
            bandwidth=bandwidth,
            method=method,
            features=features,
            num_frequencies=num_frequencies,
            batch_size=batch_size,
            key=key,
        ),
        spectrum=True,
    )
    if asked.data.matrix is None or asked.data.num_samples is None:
        raise ValueError(
            "modes read the samples twice; x is a stream of batches: pass an (n, d) array or a memory map."
        )
    size = {"exact": asked.data.num_samples, "dual": _num_features(asked), "fkea": 2 * num_frequencies}[
        asked.plan.route
    ]
    limit = min(size, asked.data.num_samples)
    if num_modes > limit:
        raise ValueError(f"num_modes must be at most {limit} here (samples and features); got {num_modes}.")
    eigenvalues, trace, functions = _decompose(asked, num_modes)
    values = np.concatenate(
        [
            eigenfunction_values(functions, chunk, asked.data.batch_size, asked.data.dtype)
            for chunk in asked.data.chunks(asked.kernel)
        ]
    )
    signs, sample_indices, sample_values = leading_samples(values, num_samples)
    return Modes(
        eigenvalues=eigenvalues,
        shares=eigenvalues / trace,
        sample_indices=sample_indices,
        sample_values=sample_values,
        settings=asked.settings() | {"num_samples": asked.data.num_samples},
        diagnostics={
            "plan": asked.plan.to_dict(),
            "trace": trace,
            "sign_rule": SIGN_RULE,
        },
        eigenfunctions=with_signs(functions, signs),
    )


def _decompose(asked: Request, num_modes: int) -> tuple[np.ndarray, float, Eigenfunctions]:
    """Return the leading eigenvalues of the covariance, its trace, and the eigenfunctions with signs as they come."""
    data, kernel, key = asked.data, asked.kernel, asked.key
    if asked.plan.route == "exact":
        return _decompose_exact(asked, num_modes)
    if asked.plan.route == "fkea" and isinstance(kernel, SpectralKernel):
        if key is None or asked.num_frequencies is None or asked.scheme is None:
            raise AssertionError("the plan let a request without a key reach the fkea route")
        key_frequencies, _ = jax.random.split(key)  # the same child as in a score: one map for score and modes
        (fourier_map,), (moment,) = moments.fkea_moment(
            data, kernel, None, key_frequencies, None, asked.num_frequencies, 1, asked.scheme
        )
        values, vectors, trace = _top_pairs(moment.blocks, moment.weight.value, num_modes)
        return values, trace, FourierEigenfunctions(fourier_map, vectors)
    if not isinstance(kernel, ExplicitKernel):
        raise AssertionError("the plan let a kernel without explicit features reach the dual route")
    moment = moments.dual_moment(data, kernel, None, None)
    values, vectors, trace = _top_pairs(moment.blocks, moment.weight.value, num_modes)
    return values, trace, DualEigenfunctions(kernel, vectors)


def _num_features(asked: Request) -> int:
    return asked.kernel.feature_dimension(asked.data.dimension) if isinstance(asked.kernel, ExplicitKernel) else 0


def _top_pairs(
    blocks: tuple[Float[Array, "_ _"], ...], weight: Float[Array, ""], num_modes: int
) -> tuple[np.ndarray, Array, float]:
    matrix = linalg.upper_triangle(blocks)
    matrix /= float(weight)
    if not np.trace(matrix) > 0:
        raise ValueError("x has no second moments: every row is 0, or too small or too large to square.")
    values, vectors = linalg.top_eigenpairs(matrix, num_modes)
    return values.astype(np.float64), jnp.asarray(vectors), float(np.trace(matrix, dtype=np.float64))


def _decompose_exact(asked: Request, num_modes: int) -> tuple[np.ndarray, float, Eigenfunctions]:
    data, kernel = asked.data, asked.kernel
    dtype = data.dtype  # read outside: it depends on the precision in force
    with jax.enable_x64(True):  # as in a score: in float32, near points far from the centre cancel
        rows = data.all_rows(kernel, np.dtype(np.float64))
        check_norms(np.asarray(jnp.sum(jnp.square(rows), axis=1)), kernel)
        num_samples = rows.shape[0]
        matrix = np.array(kernels.gram(kernel, rows)) / num_samples
        values, vectors = linalg.top_eigenpairs(matrix, num_modes)
        centred = jnp.asarray(rows, dtype)
    host = np.asarray(data.matrix)
    centre = jnp.asarray(centre_of(host, dtype)) if kernel.shift_invariant else None
    values = values.astype(np.float64)
    # A zero eigenvalue has no eigenfunction to extend: its coefficients are set to 0 rather than to rounding over
    # rounding.
    usable = values > linalg.relative_cutoff(num_samples, np.float64) * values[0]
    scale = np.where(usable, 1 / np.sqrt(np.where(usable, num_samples * values, 1)), 0)
    coefficients = jnp.asarray((vectors * scale).astype(dtype))
    return values, float(np.trace(matrix, dtype=np.float64)), ExactEigenfunctions(kernel, centre, centred, coefficients)
