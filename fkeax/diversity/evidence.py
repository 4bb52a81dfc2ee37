"""The routes from samples to what every score is made of: a spectrum, a squared norm and moments over pairs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from fkeax import kernels
from fkeax.diversity import moments, pairs, subsampling
from fkeax.diversity.frequency_bias import DebiasedMoment, debiased_second_moment, frequency_moments
from fkeax.diversity.frequency_jackknife import HalvedSpectra, halved_spectra
from fkeax.diversity.grouped_pairs import GroupedPairs, grouped_pairs
from fkeax.diversity.nystrom import NystromSpectrum, nystrom_spectrum
from fkeax.diversity.pairs import PairMoments
from fkeax.diversity.plan import NUM_SAMPLED_ROWS
from fkeax.diversity.request import Request
from fkeax.diversity.samples import centred_rows
from fkeax.diversity.spectral_quadrature import QuadratureVendi, quadrature_vendi
from fkeax.diversity.subsampling import SubsamplingInterval
from fkeax.kernels import ExplicitKernel, Gaussian, Kernel, SpectralKernel
from fkeax.numerics import batching, linalg
from fkeax.numerics.accumulate import MomentState
from fkeax.numerics.linalg import Spectrum

NOTABLE_DEFICIT = 0.05  # of the trace: measured, RKE is then off by up to some per cent
MAX_ANGLE_ERROR = 0.03  # radians; inner products of features are then off by less than their spread over frequencies


@dataclass(frozen=True)
class Wanted:
    """What evidence has to hold beyond second moments.

    Attributes:
        orders: Of the VENDI scores asked for; empty if no eigenvalue is needed.
        debiased: Whether spectra of halves of the frequencies are needed.
    """

    orders: tuple[float, ...]
    debiased: bool


@dataclass(frozen=True)
class Evidence:
    """What one pass over the samples leaves behind.

    Attributes:
        num_samples: Rows of positive weight.
        weight_share: ``sum w^2 / (sum w)^2``: 1/n without weights.
        spectra: One for each draw of frequencies (one in all on the other routes); empty if none was asked for.
        second_moments: Plain ``||C||_F^2`` (with trace 1) of each draw.
        debiased: The same without the bias of random frequencies, for each draw; None for one frequency, which has no
            pair, and empty off the fkea route.
        halved: Spectra of halves of the frequencies of each draw; empty if none was asked for or r is 1.
        pairs: Exact kernel moments on all rows or a sample of them; None for weighted samples, single rows and kernels
            without a unit diagonal.
        grouped: Exact kernel moments over rows of different groups, on all rows or on a sample of groups; None where
            rows are independent, and for kernels without a unit diagonal.
        num_groups: Groups of rows in all; None where rows are independent.
        group_share: Share of the pairs of rows within a group among all pairs; None where rows are independent.
        intervals: Of VENDI by order; empty if none was asked for.
        quadrature: VENDI by order of each draw, where it comes from random vectors instead of ``spectra``.
        nystrom: What Nystrom features left out; None off that route.
        traces: The trace of each draw's normalised matrix: 1 up to rounding.
        warnings: Sentences about the data that hold for every score.
        computed_in: Dtype of the computation, which is wider than that of the data on the exact route.
    """

    num_samples: int
    weight_share: float
    spectra: tuple[Spectrum, ...]
    second_moments: np.ndarray
    traces: np.ndarray
    computed_in: str
    debiased: tuple[DebiasedMoment | None, ...] = ()
    halved: tuple[HalvedSpectra, ...] = ()
    pairs: PairMoments | None = None
    grouped: GroupedPairs | None = None
    num_groups: int | None = None
    group_share: float | None = None
    intervals: tuple[SubsamplingInterval, ...] = ()
    quadrature: tuple[tuple[QuadratureVendi, ...], ...] = ()
    nystrom: NystromSpectrum | None = None
    warnings: tuple[str, ...] = ()


def evidence(asked: Request, wanted: Wanted) -> Evidence:
    """Return the evidence of a request, by the route that its plan names."""
    route = {"exact": _exact_evidence, "dual": _dual_evidence, "fkea": _fkea_evidence, "nystrom": _nystrom_evidence}
    return with_groups(route[asked.plan.route](asked, wanted), asked)


def with_groups(found: Evidence, asked: Request) -> Evidence:
    """Return the evidence with the number and sizes of the groups of rows, where rows are grouped."""
    if asked.groups is None:
        return found
    sizes = np.bincount(asked.groups).astype(np.float64)
    share = float(np.square(sizes).sum() / sizes.sum() ** 2)
    return replace(found, num_groups=sizes.size, group_share=share)


def _exact_evidence(asked: Request, wanted: Wanted) -> Evidence:
    """Return the evidence of the n x n kernel matrix; without a spectrum the matrix is never held.

    In float64 whatever the data: this is the value that others are compared with, and in float32 the distance between
    two near points far from the centre cancels (groups 30 bandwidths apart would count rounding as species).
    """
    with jax.enable_x64(True):
        return _exact_in_float64(asked, wanted)


def _exact_in_float64(asked: Request, wanted: Wanted) -> Evidence:
    kernel, weights = asked.kernel, asked.weights
    rows = asked.data.all_rows(kernel, np.dtype(np.float64))
    full = np.ones(rows.shape[0]) if weights is None else weights
    with np.errstate(over="ignore", invalid="ignore"):  # told below
        powers = pairs.squared_row_sums(kernel, rows, weights, doubled=False, block_bytes=asked.plan.block_bytes)
    norms = np.asarray(jnp.sum(jnp.square(rows), axis=1))
    check_norms(norms, kernel)
    diagonal = np.ones(rows.shape[0]) if kernel.unit_diagonal else np.asarray(jax.vmap(kernel)(rows, rows))
    with np.errstate(over="ignore", invalid="ignore"):
        squares = float(full @ np.asarray(powers.second) + np.square(full * diagonal).sum())
    trace = float(full @ diagonal)
    if not (np.isfinite(squares) and np.isfinite(trace) and trace > 0 and squares > 0):
        raise ValueError(
            f"x has values of the {kernel.name} kernel that overflow or vanish even in float64; scale x, or choose "
            "other parameters of the kernel."
        )
    spectra, intervals = (), ()
    if wanted.orders:
        matrix = _weighted_gram(kernel, rows, jnp.asarray(full / full.sum()))
        spectra = (spectrum_of(linalg.eigenvalues(matrix), _cancellation(kernel, norms, matrix)),)
        if asked.intervals:
            blocks = subsampling.random_groups(rows.shape[0], seed=_seed(asked.key), groups=asked.groups)
            intervals = subsampling.interval_from_gram(np.asarray(matrix), wanted.orders, blocks)
    unit_pairs = weights is None and kernel.unit_diagonal
    return Evidence(
        num_samples=int(np.count_nonzero(full)),
        weight_share=float(np.square(full).sum() / full.sum() ** 2),
        spectra=spectra,
        second_moments=np.asarray([squares / trace**2]),
        pairs=pairs.pair_moments(powers) if unit_pairs else None,
        grouped=None if asked.groups is None or not unit_pairs else grouped_pairs(kernel, rows, asked.groups),
        intervals=intervals,
        traces=np.asarray([float(spectra[0].trace) if spectra and kernel.unit_diagonal else 1.0]),
        computed_in="float64",
    )


def _seed(key: jax.Array | None) -> list[int]:
    """Return what rows are drawn from where the route itself is not random: by default, always the same ones."""
    return [0] if key is None else batching.key_seed(key).tolist()


def _cancellation(kernel: Kernel, norms: np.ndarray, matrix: Float[Array, "n n"]) -> float:
    """Return a bound on the error of the kernel matrix that comes from squared distances made of inner products.

    The squared distance of two near points is off by at most 4 eps |x|^2, so ``|dK_ij| <= 4 eps |x_i|^2 / bandwidth^2
    K_ij`` for the Gaussian kernel; the largest sum of a row bounds the norm. The diagonal is exact, and pairs that are
    far apart have ``K_ij = 0``: a point far from all others adds nothing.
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


def _dual_evidence(asked: Request, wanted: Wanted) -> Evidence:
    """Return the evidence of the second moments of explicit features.

    They share the non-zero eigenvalues of the kernel matrix over n.
    """
    kernel = asked.kernel
    if not isinstance(kernel, ExplicitKernel):
        raise AssertionError("the plan let a kernel without explicit features reach the dual route")
    # Only the rows that the standard error is measured on are drawn.
    sample = batching.RowSample(NUM_SAMPLED_ROWS, np.asarray(_seed(asked.key)))
    moment = moments.dual_moment(asked.data, kernel, asked.weights, sample)
    dense = bool(wanted.orders) and not asked.quadrature
    found = moment_evidence((moment,), spectrum=dense, unit_diagonal=kernel.unit_diagonal)
    if asked.quadrature:
        found = _with_quadrature(found, (moment,), wanted, _seed(asked.key))
    if asked.intervals and wanted.orders:
        blocks = subsampling.random_groups(found.num_samples, seed=_seed(asked.key), groups=asked.groups)
        parts = [
            moments.dual_moment(asked.data.subset(np.flatnonzero(blocks == number)), kernel, None, None)
            for number in range(int(blocks.max()) + 1)
        ]
        found = replace(found, intervals=subsampling.interval_from_moments(parts, wanted.orders))
    return _with_pairs(found, asked, sample)


def fkea_evidence(asked: Request, wanted: Wanted, sums: moments.FkeaSums) -> Evidence:
    """Return the evidence of the 2r x 2r covariances of Fourier features."""
    dense = Wanted((), False) if asked.quadrature else wanted
    found = fourier_evidence(sums.draws, dense, scheme=asked.scheme or "iid", seed=sums.seed)
    if asked.quadrature:
        found = _with_quadrature(found, sums.draws, wanted, sums.seed)
    if sums.blocks:
        found = replace(found, intervals=subsampling.interval_from_moments(sums.blocks, wanted.orders))
    return _with_pairs(found, asked, sums.sample)


def _fkea_evidence(asked: Request, wanted: Wanted) -> Evidence:
    return fkea_evidence(asked, wanted, moments.fkea_sums(asked, blocks=asked.intervals and bool(wanted.orders)))


def _with_quadrature(found: Evidence, draws: tuple[MomentState, ...], wanted: Wanted, seed: list[int]) -> Evidence:
    """Return the evidence with VENDI from random vectors, which are independent of all else that the seed draws."""
    words = np.random.default_rng([*seed, len(draws)]).integers(2**32, size=len(draws))
    scores = [
        quadrature_vendi(draw, wanted.orders, key=jax.random.key(int(word)))
        for draw, word in zip(draws, words, strict=True)
    ]
    return replace(found, quadrature=tuple(scores) if wanted.orders else ())


def _nystrom_evidence(asked: Request, wanted: Wanted) -> Evidence:
    """Return the evidence of features made of kernel values with landmark rows."""
    data = asked.data
    if data.matrix is None or asked.num_landmarks is None:
        raise AssertionError("the plan let a stream, or no number of landmarks, reach the nystrom route")
    approximate = nystrom_spectrum(
        data.matrix, asked.kernel, num_landmarks=asked.num_landmarks, key=asked.key, batch_size=data.batch_size
    )
    # The mass that the features miss is spread over the eigenvalues they do not have: far nearer to the exact scores
    # than scaling up those they have, most at high orders.
    values = approximate.spread_spectrum()
    deficit = approximate.trace_deficit
    missing = (
        f"nystrom features miss {deficit:.1%} of the trace; where it belongs is not known, and it is spread evenly: "
        "scores of low order read high; take more landmarks",
    )
    return Evidence(
        num_samples=approximate.num_samples,
        weight_share=1 / approximate.num_samples,
        spectra=(replace(approximate.spectrum, values=values),) if wanted.orders else (),
        second_moments=np.asarray([np.square(values).sum()]),
        traces=np.asarray([float(approximate.spectrum.trace)]),
        computed_in=str(data.dtype),
        nystrom=approximate,
        warnings=missing if deficit > NOTABLE_DEFICIT else (),
    )


def _with_pairs(found: Evidence, asked: Request, sample: batching.RowSample) -> Evidence:
    """Return the evidence with exact kernel moments on the sampled rows, which standard errors are made of."""
    kernel = asked.kernel
    if not kernel.unit_diagonal:
        return found
    # In float64: few rows, and squares of theirs may leave the range of float32 where their features do not.
    dtype = asked.data.dtype  # read outside: it depends on the precision in force
    with jax.enable_x64(True):
        rows = centred_rows(sample.rows, kernel, np.dtype(np.float64))
        norms = np.asarray(jnp.sum(jnp.square(rows), axis=1))
        check_norms(norms, kernel)
        found = replace(found, warnings=_resolution_warnings(norms, kernel, dtype))
        if asked.weights is not None:
            return found
        exact_pairs = pairs.pair_moments(pairs.squared_row_sums(kernel, rows, None))
        return replace(found, pairs=exact_pairs, grouped=_sampled_groups(asked))


def _sampled_groups(asked: Request) -> GroupedPairs | None:
    """Return the moments over pairs of rows of different groups, on as many whole groups as there are sampled rows."""
    if asked.groups is None or asked.data.matrix is None:
        return None
    sizes = np.bincount(asked.groups)
    order = np.random.default_rng(_seed(asked.key)).permutation(sizes.size)
    num_taken = max(2, int(np.searchsorted(np.cumsum(sizes[order]), NUM_SAMPLED_ROWS, side="right")))
    chosen = np.flatnonzero(np.isin(asked.groups, order[:num_taken]))
    rows = centred_rows(np.asarray(asked.data.matrix[chosen]), asked.kernel, np.dtype(np.float64))
    return grouped_pairs(asked.kernel, rows, asked.groups[chosen])


def check_norms(norms: np.ndarray, kernel: Kernel) -> None:
    """Raise if squared lengths of rows overflow or, for a kernel that divides by them, vanish."""
    if not np.isfinite(norms).all():
        raise ValueError("x holds numbers too large to square even in float64; scale it (and the bandwidth) down.")
    if kernel.name in ("cosine", "linear") and not (norms > 0).any():
        raise ValueError(f"x is 0, or too small to square, in every row: the {kernel.name} kernel has no score for it.")


def _resolution_warnings(norms: np.ndarray, kernel: Kernel, dtype: np.dtype) -> tuple[str, ...]:
    """Say when the angles of the features, about |x - c| / bandwidth, are too large for the dtype to resolve."""
    if not isinstance(kernel, SpectralKernel):
        return ()
    angle = float(np.median(norms)) ** 0.5 / float(kernel.bandwidth)
    if angle * float(np.finfo(dtype).eps) < MAX_ANGLE_ERROR:
        return ()
    return (
        f"points lie some {angle:.2g} bandwidths from the centre: {dtype} cannot resolve angles that large, and scores "
        "by features are meaningless; take a larger bandwidth or the exact route",
    )


def fourier_evidence(draws: tuple[MomentState, ...], wanted: Wanted, *, scheme: str, seed: list[int] | int) -> Evidence:
    """Return the evidence of second moments of Fourier features summed already, one an entry for each draw.

    Args:
        draws: Sums, each under a map of its own.
        wanted: Which spectra are needed.
        scheme: How the frequencies were drawn.
        seed: Of the halvings of the frequencies.
    """
    found = moment_evidence(draws, spectrum=bool(wanted.orders), unit_diagonal=True)
    r = sum(linalg.block_widths(draws[0].blocks)) // 2
    halved = wanted.debiased and wanted.orders and r >= 2 and scheme in DEBIASED_SCHEMES
    return replace(
        found,
        debiased=tuple(debiased_second_moment(frequency_moments(draw)) for draw in draws),
        halved=tuple(halved_spectra(draw, seed=seed) for draw in draws) if halved else (),
    )


# Debiasing is exact for independent frequencies, and measured to hold within 1 % for stratified and Sobol ones;
# orthogonal directions repel each other, and it overcorrects.
DEBIASED_SCHEMES = ("iid", "stratified", "sobol")


def moment_evidence(draws: tuple[MomentState, ...], *, spectrum: bool, unit_diagonal: bool) -> Evidence:
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
        spectra=tuple(spectrum_of(linalg.block_eigenvalues(draw.blocks)) for draw in draws) if spectrum else (),
        second_moments=np.asarray(squares, np.float64),
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


def spectrum_of(eigenvalues: np.ndarray, matrix_error: float = 0.0) -> Spectrum:
    """Return the normalised spectrum on the host, in the precision of the eigenvalues whatever the precision of JAX."""
    relative = min(matrix_error / float(eigenvalues[-1]), 0.5)  # the largest eigenvalue always stays
    found = _normalized(jnp.asarray(eigenvalues), jnp.asarray(relative, eigenvalues.dtype))
    return jax.tree.map(np.asarray, found)
