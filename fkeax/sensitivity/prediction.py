"""What a budget can detect: the expected z and the power of a kernel test, before any test is run.

Relabelled, the unbiased MMD^2 of n and m rows has variance ``2 q (1/n + 1/m)^2``, q = E k~(u, u')^2 over the pooled law
of the kernel k~ centred in both points. Against a change of size MMD^2 the expected z is the one over the root of the
other. Three ways to find both: to leading order from the spectrum alone, from the closed forms of Gaussian laws and the
rows' own null variance, and from rows and their images, whatever their law.
"""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from statistics import NormalDist

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from fkeax import kernels
from fkeax.kernels import Gaussian, Kernel
from fkeax.numerics import checks
from fkeax.numerics.skewed import standard_gamma_quantile
from fkeax.sensitivity.affine import AffineMap
from fkeax.sensitivity.corpus import Corpus
from fkeax.sensitivity.gaussian_laws import GaussianLaw, gaussian_kernel_mmd2, kid_mmd2
from fkeax.twosample.mmd_estimates import VarianceParts

DEFAULT_KERNELS = ("gaussian-median", "kid")
MAX_ROWS = 1000


@dataclass(frozen=True)
class Prediction:
    """What a kernel test sees of a change, at any sample size.

    Attributes:
        mmd2: The squared MMD of the two laws.
        pooled_square: ``q = E k~(u, u')^2`` over the two laws pooled half and half, as relabelling sees them.
        parts: Of the variance of the unbiased MMD^2 under the change.
        skewness: Of the null law; 0 for a normal one.
    """

    mmd2: float
    pooled_square: float
    parts: VarianceParts
    skewness: float

    def null_sd(self, n: int, m: int | None = None) -> float:
        """Return the standard deviation of the unbiased MMD^2 under relabelling, ``sqrt(2 q) (1/n + 1/m)``."""
        return math.sqrt(2 * self.pooled_square) * (1 / n + 1 / (m or n))

    def sd_ratio(self, n: int, m: int | None = None) -> float:
        """Return its standard deviation under the change, over that under relabelling."""
        return math.sqrt(self.parts.variance(n, m or n)) / self.null_sd(n, m)

    def z(self, n: int, m: int | None = None) -> float:
        """Return the expected z of a test with n rows a side, or n and m."""
        return self.mmd2 / self.null_sd(n, m)

    def power(self, n: int, m: int | None = None, *, alpha: float = 0.05) -> float:
        """Return the probability that the permutation test at level alpha rejects: ``Phi((z - c) / r)``.

        c is the critical value of a gamma law with the null law's skewness, r the ratio of deviations; the statistic
        under the change is taken as normal. Not for z near 0, where the power is the level: the larger of both is
        returned.
        """
        critical = standard_gamma_quantile(1 - alpha, self.skewness)
        return max(NormalDist().cdf((self.z(n, m) - critical) / self.sd_ratio(n, m)), alpha)


def predict_leading(kernel: str, corpus: Corpus, change: AffineMap) -> Prediction:
    """Return the prediction to leading order, from the spectrum alone, for near-Gaussian data.

    The Gaussian kernel at the median, ``sigma^2 = 2 tr S``, and KID with ``a_0 = ||mu||^2 / d``, both expanded about a
    typical pair of rows. With n = m, ``kappa = ||dS||_F^2 / ||S||_F^2``:

    * shift: ``n s^2 sqrt(d_eff) / sqrt 8`` for both;
    * contraction, ``e = 1 - (1 - s)^2``: ``n e^2 sqrt(d_eff) / (8 sqrt 8)``, to which the term in ``||dS||^2`` adds a
      share ``2 / d_eff``, and ``n e^2 ||S||_F / (sqrt 8 d (1 + a_0))``;
    * rotation: ``n kappa / (4 sqrt 8 sqrt(d_eff))`` and ``n kappa ||S||_F / (sqrt 8 d (1 + a_0))``.

    The null variance is that of the law before the change; a contraction makes the pooled one smaller, which is the
    larger part of why contractions come out 20 to 30 % low here.

    Args:
        kernel: "gaussian-median" or "kid".
        corpus: Its moments.
        change: The map, such as ``CHANGES["rotation"].affine(key, 0.1, corpus, None)``.

    Raises:
        ValueError: If the kernel is another one.

    Cost:
        ``2 d^3`` flops for a map that turns the covariance.

    Example:
        >>> import jax, numpy as np
        >>> from fkeax.sensitivity import CHANGES, describe_corpus
        >>> rows = np.random.default_rng(0).standard_normal((4000, 16))
        >>> corpus = describe_corpus(jax.random.key(0), rows, num_modes=0)
        >>> change = CHANGES["shift"].affine(jax.random.key(1), 0.1, corpus, None)
        >>> expected = 500 * 0.1**2 * (corpus.effective_dimension / 8) ** 0.5
        >>> abs(predict_leading("kid", corpus, change).z(500) / expected - 1) < 1e-9
        True
    """
    checks.choice(kernel, "kernel", DEFAULT_KERNELS)
    spread, trace = corpus.covariance, corpus.trace
    move = change.shift
    turned = change.covariance(spread) - spread
    sum_squares = float(np.square(corpus.eigenvalues).sum())
    sum_cubes = float((corpus.eigenvalues**3).sum())
    # In units in which the kernel is x.y to first order; the witness of a covariance change is then a quadratic form.
    if kernel == "gaussian-median":
        form = turned / (4 * trace) + (float(np.trace(turned)) / (8 * trace)) * np.eye(corpus.dimension)
    else:
        base = 1 + float(corpus.mean @ corpus.mean) / corpus.dimension
        form = turned / (corpus.dimension * base)
    curved = spread @ form
    witness = float(move @ spread @ move) + 2 * float(np.einsum("ij,ji->", curved, curved))
    return Prediction(
        mmd2=float(move @ move) + float(np.vdot(form, turned)),
        pooled_square=sum_squares,
        parts=VarianceParts(witness, witness, sum_squares, sum_squares, sum_squares),
        skewness=math.sqrt(8) * sum_cubes / sum_squares**1.5,
    )


def predict_gaussian(kernel: Kernel, corpus: Corpus, change: AffineMap, rows: Float[np.ndarray, "n d"]) -> Prediction:
    """Return the prediction from closed forms: MMD^2 of Gaussian laws, null variance of the rows at hand.

    Args:
        kernel: Gaussian, or KID's (:func:`fkeax.twosample.presets.kid_kernel`).
        corpus: The law before, as if Gaussian.
        change: The map to the law after.
        rows: Reference rows, at least 4; of more than 1,000 the first 1,000 are used.

    Raises:
        TypeError: If the kernel has no closed form here.
        ValueError: If there are too few rows.

    Cost:
        Two eigenvalue problems of size d, and :func:`predict_from_rows`.
    """
    before = GaussianLaw(corpus.mean, corpus.covariance)
    after = GaussianLaw(corpus.mean + change.shift, change.covariance(corpus.covariance))
    if isinstance(kernel, Gaussian):
        signal = gaussian_kernel_mmd2(before, after, float(kernel.bandwidth))
    elif isinstance(kernel, kernels.Polynomial) and _is_kid(kernel, corpus.dimension):
        signal = kid_mmd2(before, after)
    else:
        raise TypeError(f"kernel must be Gaussian or KID's cubic one for a closed form; got {kernel!r}.")
    images = corpus.mean + change.shift + change.linear(rows - corpus.mean)
    found = predict_from_rows(kernel, rows, images)
    return dataclasses.replace(found, mmd2=signal)


def _is_kid(kernel: kernels.Polynomial, dimension: int) -> bool:
    scale, offset = kernel.scale, kernel.offset
    cubic = kernel.degree == 3 and offset is not None and float(offset) == 1
    return cubic and math.isclose(float(scale), 1 / dimension, rel_tol=1e-6)


def predict_from_rows(kernel: Kernel, rows: Float[np.ndarray, "n d"], images: Float[np.ndarray, "n d"]) -> Prediction:
    """Return the prediction from rows and their images under a change, for any kernel and law.

    MMD^2 is the mean over pairs ``i != j`` of ``k(x_i, x_j) + k(Tx_i, Tx_j) - k(x_i, Tx_j) - k(Tx_i, x_j)``: unbiased,
    and far less noisy than two independent samples would be, as most of the noise is common to a row and its image.
    What relabelling does is read off rows and images pooled, the even rows as they are and the odd ones changed; the
    parts of the variance come from two-way layouts. All are unbiased but for the skewness and for clipping at 0.

    Args:
        kernel: Any.
        rows: At least 4; of more than 1,000 the first 1,000 are used.
        images: Of the rows, in their order.

    Raises:
        ValueError: If there are fewer than 4 rows or shapes differ.

    Cost:
        Three Gram matrices of at most 1,000 rows in float64 and one product of two: about a second.
    """
    if rows.shape != images.shape or rows.shape[0] < 4:
        raise ValueError(f"rows and images must match and be at least 4; got shapes {rows.shape} and {images.shape}.")
    xx, xy, yy = _grams(kernel, np.asarray(rows[:MAX_ROWS], np.float64), np.asarray(images[:MAX_ROWS], np.float64))
    n = xx.shape[0]
    off = ~np.eye(n, dtype=bool)
    even, odd = slice(0, None, 2), slice(1, None, 2)
    pooled = _doubly_centred(np.block([[xx[even, even], xy[even, odd]], [xy[even, odd].T, yy[odd, odd]]]))
    squares = _mean_square(pooled)
    cubes = float(np.vdot(pooled @ pooled, pooled)) / (n * (n - 1) * (n - 2))
    zeta_x, zeta_y = (_row_layout(witness)[0] for witness in (xx - xy, xy.T - yy))
    own = _mean_square(_doubly_centred(xx)), _row_layout(xy)[1], _mean_square(_doubly_centred(yy))
    return Prediction(
        mmd2=float((xx + yy - xy - xy.T)[off].mean()),
        pooled_square=squares,
        parts=VarianceParts(zeta_x, zeta_y, *own),
        skewness=max(math.sqrt(8) * cubes / squares**1.5, 0.0) if squares > 0 else 0.0,
    )


@jax.jit
def _three_grams(
    kernel: Kernel, x: Float[jax.Array, "n d"], y: Float[jax.Array, "n d"]
) -> tuple[Float[jax.Array, "n n"], Float[jax.Array, "n n"], Float[jax.Array, "n n"]]:
    return kernels.cross_gram(kernel, x, x), kernels.cross_gram(kernel, x, y), kernels.cross_gram(kernel, y, y)


def _grams(kernel: Kernel, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return kernel values of rows and rows, rows and images, images and images, in float64."""
    if kernel.shift_invariant:
        centre = x.mean(axis=0)
        x, y = x - centre, y - centre
    with jax.enable_x64(True):
        wide = jax.tree.map(lambda leaf: jnp.asarray(leaf, np.float64), kernel)
        xx, xy, yy = _three_grams(wide, jnp.asarray(x), jnp.asarray(y))
        return np.asarray(xx), np.asarray(xy), np.asarray(yy)


def _doubly_centred(matrix: np.ndarray) -> np.ndarray:
    """Return a kernel matrix less both effects, its diagonal 0: Szekely and Rizzo's U-centring."""
    n = matrix.shape[0]
    values = matrix - np.diag(np.diag(matrix))
    sums = values.sum(axis=1)
    centred = values - (sums[:, None] + sums[None, :]) / (n - 2) + sums.sum() / ((n - 1) * (n - 2))
    np.fill_diagonal(centred, 0.0)
    return centred


def _mean_square(centred: np.ndarray) -> float:
    """Return the unbiased estimate of E k~^2 from a U-centred matrix."""
    n = centred.shape[0]
    return float(np.square(centred).sum()) / (n * (n - 3))


def _row_layout(values: np.ndarray) -> tuple[float, float]:
    """Return the variance of row effects and of the rest in a two-way layout without its diagonal.

    The variance of the n row means less what their own noise adds to it; never below 0.
    """
    n = values.shape[0]
    values = values - np.diag(np.diag(values))
    row_means = values.sum(axis=1) / (n - 1)
    column_means = values.sum(axis=0) / (n - 1)
    rest = values - row_means[:, None] - column_means[None, :] + row_means.mean()
    np.fill_diagonal(rest, 0.0)
    noise = float(np.square(rest).sum()) / (n * n - 3 * n + 1)
    return max(float(row_means.var(ddof=1)) - noise / (n - 1), 0.0), noise
