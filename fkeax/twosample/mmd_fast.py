"""MMD in less than quadratic time: over blocks of rows, over pairs of pairs, and through random Fourier features."""

from __future__ import annotations

import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax import kernels
from fkeax.features import featurize, sample_fourier_map
from fkeax.inference import normal_interval
from fkeax.kernels import Kernel, SpectralKernel
from fkeax.numerics import batching, checks
from fkeax.results import Result
from fkeax.twosample.kernel_choice import (
    BandwidthChoice,
    KernelChoice,
    bandwidth_for_value,
    chosen_kernel,
)
from fkeax.twosample.samples import TwoSamples, two_samples

_ROWS_AT_A_TIME = 4096


def mmd_blocks(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    kernel: str | Kernel = "gaussian",
    bandwidth: BandwidthChoice = None,
    block_size: int = 64,
    **parameters: float,
) -> Result:
    """Return the mean of unbiased MMD^2 over disjoint blocks of rows (Zaremba et al. 2013).

    Unbiased, linear in n at a fixed block, and normal under P = Q too, because it is a mean of independent values: its
    standard error is their spread. Its variance is larger than that of :func:`fkeax.twosample.mmd` by about
    n / block_size. Rows are shuffled; those beyond the last whole block, and the larger sample's surplus, are not used.

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows.
        key: Shuffles the rows.
        kernel: A name or a kernel; see :func:`fkeax.twosample.mmd`.
        bandwidth: A number, or "median" of the reference.
        block_size: Rows of a block from either sample, at least 2.
        parameters: Further numbers of the kernel.

    Raises:
        ValueError: If there are fewer than 2 blocks, there is no key, or rows are unfit.

    Cost:
        ``4 n block_size d`` flops.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (2000, 4))
        >>> y = jax.random.normal(jax.random.key(1), (2000, 4)) + 1.0
        >>> result = mmd_blocks(x, y, bandwidth=2.0, key=jax.random.key(2))
        >>> bool(result.value > 5 * result.stderr)
        True
    """
    block_size = checks.count(block_size, "block_size", minimum=2)
    return _mean_over_blocks(
        "mmd2-blocks", _block_mmd2, reference, generated, key, kernel, bandwidth, parameters, block_size
    )


def mmd_linear_time(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    kernel: str | Kernel = "gaussian",
    bandwidth: BandwidthChoice = None,
    **parameters: float,
) -> Result:
    """Return the linear-time estimate of MMD^2 (Gretton et al. 2012, Section 6).

    The mean over disjoint pairs of pairs of ``k(x_1, x_2) + k(y_1, y_2) - k(x_1, y_2) - k(x_2, y_1)``: unbiased and
    normal, with the spread of its terms as standard error, and about n times the variance of the quadratic one at
    P = Q. For what little it costs more, :func:`mmd_blocks` is far more precise.

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows.
        key: Shuffles the rows.
        kernel: A name or a kernel; see :func:`fkeax.twosample.mmd`.
        bandwidth: A number, or "median" of the reference.
        parameters: Further numbers of the kernel.

    Raises:
        ValueError: If a sample has fewer than 4 rows, there is no key, or rows are unfit.

    Cost:
        ``4 n d`` flops.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (2000, 4))
        >>> y = jax.random.normal(jax.random.key(1), (2000, 4)) + 1.0
        >>> result = mmd_linear_time(x, y, bandwidth=2.0, key=jax.random.key(2))
        >>> bool(result.value > 5 * result.stderr)
        True
    """
    return _mean_over_blocks(
        "mmd2-linear-time", _pair_of_pairs, reference, generated, key, kernel, bandwidth, parameters, 2
    )


def mmd_fourier(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    kernel: str | Kernel = "gaussian",
    bandwidth: BandwidthChoice = None,
    num_frequencies: int = 2000,
    **parameters: float,
) -> Result:
    """Return MMD^2 through random Fourier features: the squared distance of mean features, made unbiased.

    Linear in n. ``||mean phi(x)||^2`` is corrected to pairs of distinct rows by ``||phi|| = 1``; over independent
    frequencies the mean is the quadratic-time unbiased estimate, without further bias. The error reported is that of
    the frequencies, given the samples; the samples' own is not known from features alone, so ``stderr`` is None.

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows.
        key: Draws the frequencies (and pairs for the median over more than some 14,000 rows).
        kernel: Shift-invariant with a spectral density.
        bandwidth: A number, or "median" of the reference.
        num_frequencies: r, at least 2.
        parameters: Further numbers of the kernel.

    Raises:
        ValueError: If the kernel has no spectral density, there is no key, or rows are unfit.

    Cost:
        ``2 (n + m) d r`` flops and as many sines and cosines as (n + m) r; blocks of 4,096 rows.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (500, 4))
        >>> y = jax.random.normal(jax.random.key(1), (500, 4)) + 1.0
        >>> result = mmd_fourier(x, y, bandwidth=2.0, key=jax.random.key(2))
        >>> bool(result.value > 5 * result.diagnostics["frequency_stderr"])
        True
    """
    number = checks.count(num_frequencies, "num_frequencies", minimum=2)
    key_map, key_pairs = jax.random.split(checks.typed_key(key, "random frequencies"))
    samples = two_samples(reference, generated)
    choice = chosen_kernel(kernel, bandwidth_for_value(samples, kernel, bandwidth, key_pairs), dict(parameters))
    if not isinstance(choice.kernel, SpectralKernel):
        raise ValueError(f"kernel must have a spectral density to draw frequencies from; {choice.name} has none.")
    rows, n, m = samples.pooled(), samples.num_reference, samples.num_generated
    frequencies = sample_fourier_map(key_map, choice.kernel, number, jnp.zeros(samples.dimension, samples.dtype))
    sums = [_feature_sum(frequencies, part) for part in (rows[:n], rows[n:])]
    power_x, power_y, power_xy = (
        (a * b).reshape(2, number).sum(axis=0) for a, b in ((sums[0],) * 2, (sums[1],) * 2, (sums[0], sums[1]))
    )
    # Per frequency, cosine and sine together: |phi_a|^2 = 1/r for every row.
    within_x = (power_x - n / number) / (n * (n - 1))
    within_y = (power_y - m / number) / (m * (m - 1))
    terms = number * (within_x + within_y - 2 * power_xy / (n * m))
    return Result(
        name="mmd2-fourier",
        value=terms.mean(),
        stderr=None,
        settings=choice.settings | samples.settings | {"estimator": "unbiased", "num_frequencies": number},
        diagnostics=samples.diagnostics
        | {
            "frequency_stderr": float(terms.std(ddof=1)) / number**0.5,
            "stderr_reason": "features tell the error of the frequencies, not that of the samples",
            "warnings": list(samples.warnings),
        },
    )


def _feature_sum(fourier_map: object, rows: np.ndarray) -> np.ndarray:
    """Return the sum of all rows' features in float64, cosines then sines."""
    total = np.zeros(0)
    for start in range(0, len(rows), _ROWS_AT_A_TIME):
        batch = batching.pad(
            rows[start : start + _ROWS_AT_A_TIME],
            None,
            batching.padded_size(len(rows), _ROWS_AT_A_TIME),
            centre=None,
            dtype=rows.dtype,
        )
        part = np.asarray(
            _weighted_features(fourier_map, jnp.asarray(batch.rows), jnp.asarray(batch.weights)), np.float64
        )
        total = part if total.size == 0 else total + part
    return total


@jax.jit
def _weighted_features(fourier_map, rows: Float[Array, "b d"], weights: Float[Array, "b"]) -> Float[Array, "f"]:
    return weights @ jax.vmap(featurize, in_axes=(None, 0))(fourier_map, rows)


def _mean_over_blocks(
    name: str,
    estimate,
    reference: ArrayLike,
    generated: ArrayLike,
    key: jax.Array | None,
    kernel: str | Kernel,
    bandwidth: BandwidthChoice,
    parameters: dict[str, float],
    block_size: int,
) -> Result:
    key_rows, key_pairs = jax.random.split(checks.typed_key(key, "a random order of the rows"))
    samples = two_samples(reference, generated)
    choice = chosen_kernel(kernel, bandwidth_for_value(samples, kernel, bandwidth, key_pairs), parameters)
    num_blocks = min(samples.num_reference, samples.num_generated) // block_size
    if num_blocks < 2:
        raise ValueError(
            f"block_size must leave at least 2 blocks of the smaller sample's "
            f"{min(samples.num_reference, samples.num_generated)} rows; got {block_size}."
        )
    x, y = _shuffled_blocks(samples, choice, key_rows, num_blocks, block_size)
    values = np.asarray(estimate(choice.kernel, x, y), np.float64)
    value, stderr = float(values.mean()), float(values.std(ddof=1)) / num_blocks**0.5
    return Result(
        name=name,
        value=value,
        stderr=stderr,
        settings=choice.settings | samples.settings | {"estimator": "unbiased", "block_size": block_size},
        diagnostics=samples.diagnostics
        | {
            "num_blocks": num_blocks,
            "stderr_method": "spread over disjoint blocks of rows",
            "interval": list(normal_interval(value, stderr)),
            "warnings": list(samples.warnings),
        },
    )


def _shuffled_blocks(
    samples: TwoSamples, choice: KernelChoice, key: jax.Array, num_blocks: int, block_size: int
) -> tuple[Array, Array]:
    if not choice.kernel.shift_invariant:
        centre = np.zeros(samples.dimension)
        if choice.unit_rows:
            raise ValueError("the cosine kernel is not offered here; scale rows to length 1 and use 'linear'.")
    else:
        centre = samples.centre
    random = np.random.default_rng(batching.key_seed(key))
    blocks = []
    for rows in (samples.reference, samples.generated):
        chosen = rows[random.permutation(len(rows))[: num_blocks * block_size]]
        centred = np.subtract(chosen, centre, dtype=np.float64).astype(samples.dtype)
        blocks.append(jnp.asarray(centred.reshape(num_blocks, block_size, -1)))
    return blocks[0], blocks[1]


@jax.jit
def _block_mmd2(kernel: Kernel, x: Float[Array, "k b d"], y: Float[Array, "k b d"]) -> Float[Array, "k"]:
    size = x.shape[1]
    apart = 1 - jnp.eye(size, dtype=x.dtype)
    gram = functools.partial(kernels.cross_gram, kernel)

    def one(pair: tuple[Array, Array]) -> Array:
        a, b = pair
        within = jnp.sum(apart * (gram(a, a) + gram(b, b))) / (size * (size - 1))
        return within - 2 * jnp.mean(gram(a, b))

    return jax.lax.map(one, (x, y))


@jax.jit
def _pair_of_pairs(kernel: Kernel, x: Float[Array, "k 2 d"], y: Float[Array, "k 2 d"]) -> Float[Array, "k"]:
    def one(a: Array, b: Array) -> Array:
        return kernel(a[0], a[1]) + kernel(b[0], b[1]) - kernel(a[0], b[1]) - kernel(a[1], b[0])

    return jax.vmap(one)(x, y)
