"""The three routes from samples to what every score is made of: a spectrum, a squared norm and moments over pairs."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
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
    diagonal = np.ones(rows.shape[0]) if kernel.unit_diagonal else norms
    squares = float(full @ np.asarray(powers.second) + np.square(full * diagonal).sum())
    trace = float(full @ diagonal)
    spectra = ()
    if spectrum:
        matrix = _weighted_gram(kernel, rows, jnp.asarray(full / full.sum()))
        spectra = (_spectrum(linalg.eigenvalues(matrix), _cancellation(kernel, norms)),)
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


def _cancellation(kernel: Kernel, norms: np.ndarray) -> float:
    """Return a bound on the relative error of kernel values whose squared distances come from inner products.

    The distance is off by at most 4 eps max |x|^2, so ``|dK| <= 4 eps max |x|^2 / bandwidth^2 K`` entry by entry, and
    since ``K >= 0`` the same factor bounds the norm of dK by that of K.
    """
    if not isinstance(kernel, Gaussian):
        return 0.0
    return 4 * float(np.finfo(np.float64).eps * norms.max()) / float(kernel.bandwidth) ** 2


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
        jax.block_until_ready(moment.weight.value)
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

    The centre is the mean of the first chunk, rounded to the working dtype: known before the second chunk is.
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
    exact_pairs = None
    if weights is None and kernel.unit_diagonal:
        rows = centred_rows(sample.rows, kernel, data.dtype)
        exact_pairs = pairs.pair_moments(pairs.squared_row_sums(kernel, rows, None))
    return moment_evidence(draws, exact_pairs, spectrum=spectrum, features=features, unit_diagonal=kernel.unit_diagonal)


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
    squares = np.asarray([float(linalg.squared_norm(draw.blocks)) / weight**2 for draw in draws])
    return Evidence(
        num_samples=round(draws[0].num_rows.to_float()),
        weight_share=draws[0].squared_weight.to_float() / weight**2,
        spectra=tuple(_spectrum(linalg.block_eigenvalues(draw.blocks)) for draw in draws) if spectrum else (),
        second_moments=squares / np.square(traces),
        debiased=tuple(debiased_second_moment(frequency_moments(draw)) for draw in draws) if features else (),
        pairs=exact_pairs,
        traces=traces if unit_diagonal else np.ones(1),
        computed_in=str(draws[0].blocks[0].dtype),
    )


_normalized = jax.jit(linalg.normalized_spectrum)


def _spectrum(eigenvalues: np.ndarray, extra_cutoff: float = 0.0) -> Spectrum:
    """Return the normalised spectrum on the host, in the precision of the eigenvalues whatever the precision of JAX."""
    found = _normalized(jnp.asarray(eigenvalues), jnp.asarray(extra_cutoff, eigenvalues.dtype))
    return jax.tree.map(np.asarray, found)
