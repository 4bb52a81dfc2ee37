"""Random Fourier features: maps whose inner products approximate a shift-invariant kernel."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Key

from fkeax.features.schemes import check_scheme, joint_frequencies
from fkeax.kernels import SpectralKernel
from fkeax.numerics import checks, linalg, pytrees, trig

_MAX_FREQUENCY_BLOCKS = 5  # with cosines and sines apart, ten column parts: 11/20 of a whole symmetric product
_MIN_BLOCK_FREQUENCIES = 256  # narrower parts make matrix products too small to run at full speed


@pytrees.register
@dataclass(frozen=True)
class FourierMap:
    """A feature map ``phi(x) = [cos(W (x - c)), sin(W (x - c))] / sqrt(r)`` with ``||phi(x)|| = 1``.

    The centre is part of the map, fixed before the first point: it changes no inner product, but keeps angles small
    where data sit far from the origin, and states made with one map can be merged.

    Attributes:
        frequencies: ``W``, one frequency a row, in radians per unit of the data.
        centre: ``c``, in the units of the data.
        scheme: How the frequencies were drawn; what their covariance says about its own bias depends on it.
    """

    frequencies: Float[Array, "*k r d"]
    centre: Float[Array, "*k d"]
    scheme: str = field(default="iid", metadata={"static": True})

    @property
    def num_frequencies(self) -> int:
        """The number r of frequencies; there are 2r features."""
        return self.frequencies.shape[-2]

    @property
    def block_edges(self) -> list[int]:
        """Where the frequencies are cut into blocks for products by parts."""
        num_blocks = min(_MAX_FREQUENCY_BLOCKS, max(1, self.num_frequencies // _MIN_BLOCK_FREQUENCIES))
        return [self.num_frequencies * i // num_blocks for i in range(num_blocks + 1)]

    @property
    def part_widths(self) -> list[int]:
        """Widths of the parts that :func:`featurize_parts` returns."""
        return 2 * np.diff(self.block_edges).tolist()


def sample_fourier_map(
    key: Key[Array, ""],
    kernel: SpectralKernel,
    num_frequencies: int,
    centre: Float[Array, "d"],
    *,
    scheme: str = "iid",
) -> FourierMap:
    """Draw a Fourier map with frequencies from the kernel's spectral density (FKEA paper, eq. (1)).

    Every scheme gives each frequency its right law, so inner products of the features are unbiased for the kernel. With
    independent frequencies their variance is ``((1 + kappa(2D))/2 - kappa(D)^2) / r``. What the schemes do to RKE of
    Gaussian data N(0, I) at bandwidth ``sqrt(d)``, r = d = 32 (128), measured over 400 draws without sampling noise:

    =====================  =============  ==============  ===========  =========================================
    scheme                 plain RKE      debiased RKE    spread       valid
    =====================  =============  ==============  ===========  =========================================
    iid                    -6.7 (-2.0)    m2 unbiased     7 % (2 %)    debiased; frequency jackknife
    orthogonal             -1.9 (-0.6)    +5.7 (+1.5)     as iid       plain; the debiased one overcorrects
    stratified             -6.8 (-2.0)    +0.2 (+0.0)     1/11 (1/24)  debiased, nearly; jackknife, random halves
    orthogonal-stratified  -2.0 (-0.6)    +5.9 (+1.5)     1/11 (1/24)  plain; the debiased one overcorrects
    sobol                  -7.5 (-2.1)    -0.7 (-0.1)     1/3 (1/5)    debiased, nearly, for r up to d; then plain
    =====================  =============  ==============  ===========  =========================================

    (Per cent of the true value.) Orthogonal directions remove two thirds of the bias of plain RKE but make frequencies
    dependent, so that the debiasing for independent ones, which :attr:`FourierMap.has_independent_frequencies` allows,
    overcorrects, the more so the nearer r is to d. Stratified lengths leave the bias and remove most of the spread
    between draws on such data. A fixed length ``sqrt(d)`` belongs to another kernel: it is biased, and not offered.

    Args:
        key: Consumed once. Frequencies scale as 1/bandwidth for one key.
        kernel: Such as ``fkeax.kernels.Gaussian(bandwidth)``.
        num_frequencies: The paper's r; the map has 2r features.
        centre: A point near the data, such as their mean; also sets the dimension and the dtype.
        scheme: iid (traceable, drawn in float32), or orthogonal, stratified, orthogonal-stratified, sobol (drawn on the
            host in float64, then cast: not under ``jit``). Kernels of the l1 distance: iid or sobol.

    Raises:
        ValueError: If the scheme does not exist, has no meaning for the kernel, or needs the host under ``jit``.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax.kernels import Gaussian
        >>> fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(1.0), 5000, jnp.zeros(2))
        >>> x, y = featurize(fourier_map, jnp.zeros(2)), featurize(fourier_map, jnp.ones(2))
        >>> round(float(x @ x), 3), abs(float(x @ y) - 0.367879) < 0.05  # exp(-1); five standard errors
        (1.0, True)
    """
    check_scheme(scheme, kernel)
    num_frequencies = checks.count(num_frequencies, "num_frequencies")
    dimension, dtype = centre.shape[0], centre.dtype
    if scheme == "iid":
        return FourierMap(kernel.sample_frequencies(key, num_frequencies, dimension, dtype), centre)
    unscaled = joint_frequencies(key, kernel, num_frequencies, dimension, scheme)
    return FourierMap(jnp.asarray(unscaled.astype(dtype)) / kernel.bandwidth, centre, scheme)


def phases(fourier_map: FourierMap, centred: Float[Array, "d"]) -> Float[Array, "r"]:
    """Return the angles ``W (x - c)`` of one point, given as ``x - c``, in turns."""
    return lax.dot_general(
        centred / (2 * math.pi), fourier_map.frequencies, (((0,), (1,)), ((), ())), precision=linalg.PRECISION
    )


def featurize_parts(fourier_map: FourierMap, centred: Float[Array, "d"]) -> tuple[Float[Array, "_"], ...]:
    """Return the features of one point, ``x - c``, times ``sqrt(r)``, in parts: cosines block by block, then sines.

    The parts stay apart so that symmetric products need no slices; joined, they are ``[cos | sin]`` in the order of the
    frequencies.
    """
    turns = phases(fourier_map, centred)
    cosines, sines = [], []
    for start, stop in itertools.pairwise(fourier_map.block_edges):
        cosine, sine = trig.cos_sin_turns(turns[start:stop])
        cosines.append(cosine)
        sines.append(sine)
    return (*cosines, *sines)


def featurize(fourier_map: FourierMap, point: Float[Array, "d"]) -> Float[Array, "f"]:
    """Return the 2r features of one point, ``[cos | sin] / sqrt(r)``; ``vmap`` it for a batch.

    Deviation from the paper: eq. (5) and Theorem 2 put eigenvector entries inside the sine and cosine; the frequencies
    belong there.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax.kernels import Gaussian
        >>> fourier_map = sample_fourier_map(jax.random.key(0), Gaussian(1.0), 3, jnp.zeros(2))
        >>> jax.vmap(lambda x: featurize(fourier_map, x))(jnp.zeros((4, 2))).shape
        (4, 6)
    """
    parts = featurize_parts(fourier_map, point - fourier_map.centre)
    return jnp.concatenate(parts) / math.sqrt(fourier_map.num_frequencies)
