"""The three routes from samples to what every score is made of: a spectrum, a squared norm and moments over pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax import kernels
from fkeax.diversity import pairs, streaming
from fkeax.diversity.frequency_bias import DebiasedMoment, debiased_second_moment, frequency_moments
from fkeax.diversity.pairs import PairMoments
from fkeax.diversity.plan import NUM_SAMPLED_ROWS
from fkeax.diversity.samples import Samples, centre_of, centred_rows
from fkeax.features import FourierMap, sample_fourier_map
from fkeax.kernels import Gaussian, Kernel
from fkeax.numerics import accumulate, batching, checks, linalg
from fkeax.numerics.accumulate import MomentState
from fkeax.numerics.linalg import Spectrum

MAX_ANGLE_ERROR = 0.03  # radians; inner products of features are then off by less than their spread over frequencies


@dataclass(frozen=True)
class Evidence:
    """What one pass over the samples leaves behind.

    Attributes:
        num_samples: Rows of positive weight.
        weight_share: ``sum w^2 / (sum w)^2``: 1/n without weights.
        spectra: One for each draw of frequencies (one in all on the exact and dual routes); empty if none was asked
            for.
        second_moments: Plain ``||C||_F^2`` (with trace 1) of each draw.
        debiased: The same without the bias of random frequencies, for each draw; None for one frequency, which has no
            pair, and empty off the fkea route.
        pairs: Exact kernel moments on all rows or a sample of them; None for weighted samples, single rows and kernels
            without a unit diagonal.
        traces: The trace of each draw's normalised matrix: 1 up to rounding.
        warnings: Sentences about the data that hold for every score.
        computed_in: Dtype of the computation, which is wider than that of the data on the exact route.
    """

    num_samples: int
    weight_share: float
    spectra: tuple[Spectrum, ...]
    second_moments: np.ndarray
    debiased: tuple[DebiasedMoment | None, ...]
    pairs: PairMoments | None
    traces: np.ndarray
    computed_in: str
    warnings: tuple[str, ...] = ()


def exact_evidence(data: Samples, kernel: Kernel, weights: np.ndarray | None, *, spectrum: bool) -> Evidence:
    """Return the evidence of the n x n kernel matrix; without ``spectrum`` the matrix is never held.

    In float64 whatever the data: this is the value that others are compared with, and in float32 the distance between
    two near points far from the centre cancels (groups 30 bandwidths apart would count rounding as species).
    """
    with jax.enable_x64(True):
        return _exact_evidence(data, kernel, weights, spectrum=spectrum)


def _exact_evidence(data: Samples, kernel: Kernel, weights: np.ndarray | None, *, spectrum: bool) -> Evidence:
    rows = data.all_rows(kernel, np.dtype(np.float64))
    full = np.ones(rows.shape[0]) if weights is None else weights
    powers = pairs.squared_row_sums(kernel, rows, weights)
    norms = np.asarray(jnp.sum(jnp.square(rows), axis=1))
    check_norms(norms, kernel)
    diagonal = np.ones(rows.shape[0]) if kernel.unit_diagonal else norms
    squares = float(full @ np.asarray(powers.second) + np.square(full * diagonal).sum())
    trace = float(full @ diagonal)
    spectra = ()
    if spectrum:
        matrix = _weighted_gram(kernel, rows, jnp.asarray(full / full.sum()))
        spectra = (_spectrum(linalg.eigenvalues(matrix), _cancellation(kernel, norms, matrix)),)
    return Evidence(
        num_samples=int(np.count_nonzero(full)),
        weight_share=float(np.square(full).sum() / full.sum() ** 2),
        spectra=spectra,
        second_moments=np.asarray([squares / trace**2]),
        debiased=(),
        pairs=pairs.pair_moments(powers) if weights is None and kernel.unit_diagonal else None,
        traces=np.asarray([float(spectra[0].trace) if spectra and kernel.unit_diagonal else 1.0]),
        computed_in="float64",
    )


def _cancellation(kernel: Kernel, norms: np.ndarray, matrix: Float[Array, "n n"]) -> float:
    """Return a bound on the error of the kernel matrix that comes from squared distances made of inner products.

    The squared distance of two near points is off by at most 4 eps |x|^2, so ``|dK_ij| <= 4 eps |x_i|^2 / bandwidth^2
    K_ij``; the largest sum of a row bounds the norm. The diagonal is exact, and pairs that are far apart have
    ``K_ij = 0``: a point far from all others adds nothing.
    """
    if not isinstance(kernel, Gaussian):
        return 0.0
    others = np.asarray(jnp.sum(matrix, axis=1) - jnp.diagonal(matrix))
    relative = 4 * np.finfo(np.float64).eps * norms / float(kernel.bandwidth) ** 2
    return float(np.max(np.minimum(relative, 1) * others))


@jax.jit
def _weighted_gram(kernel: Kernel, x: Float[Array, "n d"], shares: Float[Array, "n"]) -> Float[Array, "n n"]:
    roots = jnp.sqrt(shares)
    matrix = kernels.gram(kernel, x)
    return matrix * jnp.broadcast_to(roots[:, None], matrix.shape) * jnp.broadcast_to(roots[None, :], matrix.shape)


def dual_evidence(
    data: Samples,
    kernel: kernels.Cosine | kernels.Linear,
    weights: np.ndarray | None,
    key: jax.Array | None,
    *,
    spectrum: bool,
) -> Evidence:
    """Return the evidence of the d x d second moments of explicit features.

    They share the non-zero eigenvalues of the kernel matrix over n.
    """
    # The route itself is not random; only the rows that the standard error is measured on are drawn, by default from a
    # fixed seed.
    sample = batching.RowSample(NUM_SAMPLED_ROWS, np.zeros(1, np.uint32) if key is None else batching.key_seed(key))
    moment = dual_moment(data, kernel, weights, sample)
    return _moment_evidence(data, kernel, (moment,), weights, sample, spectrum=spectrum, features=False)


def dual_moment(
    data: Samples,
    kernel: kernels.Cosine | kernels.Linear,
    weights: np.ndarray | None,
    sample: batching.RowSample | None,
) -> MomentState:
    """Return the sums of explicit features over a stream, over a stream."""
    moment = accumulate.init_moment([data.dimension], data.dtype)
    seen = 0
    for chunk in _observed(data, kernel, sample):
        chunk_weights = None if weights is None else weights[seen : seen + chunk.shape[0]]
        batch = batching.pad(chunk, chunk_weights, data.batch_size, centre=None, dtype=data.dtype)
        batch.rows[chunk.shape[0] :] = 1  # padding needs a direction too; its weight is 0
        moment = _update_dual(kernel, moment, batch.rows, batch.weights)
        jax.block_until_ready(moment)  # the buffers of the batch are free again only now
        seen += chunk.shape[0]
    return moment


@partial(jax.jit, donate_argnums=1)
def _update_dual(
    kernel: kernels.Cosine | kernels.Linear, moment: MomentState, rows: Float[Array, "b d"], weights: Float[Array, "b"]
) -> MomentState:
    features = jax.vmap(kernel.features)(rows)
    return accumulate.update_moment(
        moment, [features * jnp.broadcast_to(jnp.sqrt(weights)[:, None], features.shape)], weights
    )


def fkea_evidence(
    data: Samples,
    kernel: Gaussian,
    weights: np.ndarray | None,
    key: jax.Array,
    *,
    num_frequencies: int,
    num_draws: int,
    spectrum: bool,
) -> Evidence:
    """Return the evidence of the 2r x 2r covariance of Fourier features: one pass, O(n), all draws at once."""
    key_frequencies, key_rows = jax.random.split(key)
    sample = batching.RowSample(NUM_SAMPLED_ROWS, batching.key_seed(key_rows))
    _, draws = fkea_moment(data, kernel, weights, key_frequencies, sample, num_frequencies, num_draws)
    return _moment_evidence(data, kernel, draws, weights, sample, spectrum=spectrum, features=True)


def fkea_moment(
    data: Samples,
    kernel: Gaussian,
    weights: np.ndarray | None,
    key: jax.Array,
    sample: batching.RowSample | None,
    num_frequencies: int,
    num_draws: int,
) -> tuple[tuple[FourierMap, ...], tuple[MomentState, ...]]:
    """Return the maps of all draws and their sums, one an entry.

    The centre is the median of the first chunk, rounded to the working dtype: known before the second chunk is.
    """
    keys = jax.random.split(key, num_draws)
    if data.on_accelerator and isinstance(data.matrix, jax.Array):
        checks.finite_rows(data.matrix)
        if sample is not None:
            sample.update(np.asarray(data.matrix[sample.indices(data.matrix.shape[0])]))
        return device_moment(data.matrix, kernel, weights, keys, num_frequencies, data.batch_size)
    chunks = _observed(data, kernel, sample)
    first = next(chunks)
    centre = jnp.asarray(centre_of(first, data.dtype))
    maps = _sample_maps(keys, kernel, num_frequencies, centre)
    return maps, streaming.stream_draws(maps, itertools.chain([first], chunks), weights, data.batch_size)


def _observed(data: Samples, kernel: Kernel, sample: batching.RowSample | None) -> Iterator[np.ndarray]:
    """Yield the chunks of the data, and sample its rows: at once from a matrix, on the way from a stream."""
    if sample is not None and data.matrix is not None:
        sample.update(np.asarray(data.matrix[sample.indices(data.matrix.shape[0])]))
        sample = None
    for chunk in data.chunks(kernel):
        if sample is not None:
            sample.update(chunk)
        yield chunk


def device_moment(
    x: Float[Array, "n d"],
    kernel: Gaussian,
    weights: np.ndarray | None,
    keys: Key[Array, "k"],
    num_frequencies: int,
    batch_size: int,
) -> tuple[tuple[FourierMap, ...], tuple[MomentState, ...]]:
    """Return the same for rows that stay on their device, by one ``lax.scan``; it compiles anew for every n."""
    dtype = checks.working_dtype(x.dtype)
    centre = jnp.asarray(centre_of(np.asarray(x[:batch_size]), dtype))
    maps = _sample_maps(keys, kernel, num_frequencies, centre)
    full = jnp.ones(x.shape[0], dtype) if weights is None else jnp.asarray(weights).astype(dtype)
    stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *maps)
    return maps, streaming.unstacked(_scan_draws(stacked, x, full, batch_size=batch_size), len(maps))


@partial(jax.jit, static_argnames="batch_size")
def _scan_draws(
    maps: FourierMap, x: Float[Array, "n d"], weights: Float[Array, "n"], *, batch_size: int
) -> MomentState:
    def one_draw(fourier_map: FourierMap) -> MomentState:
        return streaming.scan_rows(streaming.init(fourier_map), x, weights, batch_size=batch_size).moment

    return jax.vmap(one_draw)(maps)


_sample_map = jax.jit(sample_fourier_map, static_argnames="num_frequencies")


def _sample_maps(
    keys: Key[Array, "k"], kernel: Gaussian, num_frequencies: int, centre: Float[Array, "d"]
) -> tuple[FourierMap, ...]:
    return tuple(_sample_map(key, kernel, num_frequencies, centre) for key in keys)


def _moment_evidence(
    data: Samples,
    kernel: Kernel,
    draws: tuple[MomentState, ...],
    weights: np.ndarray | None,
    sample: batching.RowSample,
    *,
    spectrum: bool,
    features: bool,
) -> Evidence:
    exact_pairs, warnings = None, ()
    if kernel.unit_diagonal:
        # In float64: few rows, and squares of theirs may leave the range of float32 where their features do not.
        dtype = data.dtype  # read outside: it depends on the precision in force
        with jax.enable_x64(True):
            rows = centred_rows(sample.rows, kernel, np.dtype(np.float64))
            norms = np.asarray(jnp.sum(jnp.square(rows), axis=1))
            check_norms(norms, kernel)
            warnings = _resolution_warnings(norms, kernel, dtype)
            if weights is None:
                exact_pairs = pairs.pair_moments(pairs.squared_row_sums(kernel, rows, None))
    found = moment_evidence(
        draws, exact_pairs, spectrum=spectrum, features=features, unit_diagonal=kernel.unit_diagonal
    )
    return replace(found, warnings=warnings)


def check_norms(norms: np.ndarray, kernel: Kernel) -> None:
    """Raise if squared lengths of rows overflow or, for a kernel that divides by them, vanish."""
    if not np.isfinite(norms).all():
        raise ValueError("x holds numbers too large to square even in float64; scale it (and the bandwidth) down.")
    if not kernel.shift_invariant and not (norms > 0).any():
        raise ValueError(f"x is 0, or too small to square, in every row: the {kernel.name} kernel has no score for it.")


def _resolution_warnings(norms: np.ndarray, kernel: Kernel, dtype: np.dtype) -> tuple[str, ...]:
    """Say when the angles of the features, about |x - c| / bandwidth, are too large for the dtype to resolve."""
    if not isinstance(kernel, Gaussian):
        return ()
    angle = float(np.median(norms)) ** 0.5 / float(kernel.bandwidth)
    if angle * float(np.finfo(dtype).eps) < MAX_ANGLE_ERROR:
        return ()
    return (
        f"points lie some {angle:.2g} bandwidths from the centre: {dtype} cannot resolve angles that large, and scores "
        "by features are meaningless; take a larger bandwidth or the exact route",
    )


def moment_evidence(
    draws: tuple[MomentState, ...],
    exact_pairs: PairMoments | None,
    *,
    spectrum: bool,
    features: bool,
    unit_diagonal: bool,
) -> Evidence:
    """Return the evidence of second moments summed already, one an entry for each draw."""
    weight = draws[0].weight.to_float()
    traces = np.asarray([float(linalg.trace(draw.blocks)) / weight for draw in draws])
    dtype = draws[0].blocks[0].dtype
    if not (np.isfinite(traces).all() and (traces > 0).all()):
        raise ValueError(f"second moments of x overflow or vanish in {dtype}; scale x, or compute in float64.")
    squares = [
        _relative_squared_norm(draw.blocks, 1 / (float(share) * weight))
        for draw, share in zip(draws, traces, strict=True)
    ]
    return Evidence(
        num_samples=round(draws[0].num_rows.to_float()),
        weight_share=draws[0].squared_weight.to_float() / weight**2,
        spectra=tuple(_spectrum(linalg.block_eigenvalues(draw.blocks)) for draw in draws) if spectrum else (),
        second_moments=np.asarray(squares, np.float64),
        debiased=tuple(debiased_second_moment(frequency_moments(draw)) for draw in draws) if features else (),
        pairs=exact_pairs,
        traces=traces if unit_diagonal else np.ones(1),
        computed_in=str(dtype),
    )


@jax.jit
def _relative_squared_norm(
    blocks: tuple[Float[Array, "_ _"], ...], scale: Float[Array, ""] | float
) -> Float[Array, ""]:
    # Scaled first: the squares of small or large entries would leave the range of float32.
    return linalg.squared_norm([block * scale for block in blocks])


_normalized = jax.jit(linalg.normalized_spectrum)


def _spectrum(eigenvalues: np.ndarray, matrix_error: float = 0.0) -> Spectrum:
    """Return the normalised spectrum on the host, in the precision of the eigenvalues whatever the precision of JAX."""
    relative = min(matrix_error / float(eigenvalues[-1]), 0.5)  # the largest eigenvalue always stays
    found = _normalized(jnp.asarray(eigenvalues), jnp.asarray(relative, eigenvalues.dtype))
    return jax.tree.map(np.asarray, found)
