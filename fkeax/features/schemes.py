"""Schemes that draw the frequencies of a Fourier map jointly, so that they spread more evenly than independent ones.

A frequency of a kernel of the l2 distance is a product of independent parts, ``direction * length * m / bandwidth``: a
uniform direction, the length of a standard normal vector (chi law) and the mixing scale m of the kernel (1 for the
Gaussian). Every scheme gives every single frequency its right law, so inner products of features are unbiased for the
kernel under all of them; they differ in how frequencies depend on one another.
"""

from __future__ import annotations

from types import MappingProxyType

import jax
import numpy as np
from jax.core import Tracer
from jaxtyping import Float, Key

from fkeax.kernels import L1Kernel, RadialKernel, SpectralKernel
from fkeax.numerics import batching, checks, quasi_random

_DESCRIPTIONS = {
    "iid": "independent frequencies",
    "orthogonal": "blocks of orthogonal directions, independent lengths",
    "stratified": "independent directions, stratified lengths",
    "orthogonal-stratified": "blocks of orthogonal directions, stratified lengths",
    "sobol": "scrambled Sobol points through normal quantiles",
}
SCHEMES = tuple(_DESCRIPTIONS)
DESCRIPTIONS = MappingProxyType(_DESCRIPTIONS)


def check_scheme(scheme: object, kernel: SpectralKernel) -> str:
    """Return ``scheme`` after checking that it exists and has a meaning for the kernel."""
    name = checks.choice(scheme, "scheme", SCHEMES)
    if name not in ("iid", "sobol") and isinstance(kernel, L1Kernel):
        raise ValueError(
            f"scheme must be iid or sobol for the {kernel.name} kernel; got {name!r}: its frequencies have independent "
            "coordinates, so there are no directions to make orthogonal and no lengths to stratify."
        )
    return name


def joint_frequencies(
    key: Key[jax.Array, ""], kernel: SpectralKernel, num_frequencies: int, dimension: int, scheme: str
) -> Float[np.ndarray, "r d"]:
    """Return frequencies times the bandwidth by any scheme but iid, in float64, drawn on the host.

    Args:
        key: Seeds the generator.
        kernel: Its bandwidth is not used.
        num_frequencies: r; any number, a multiple of d or not.
        dimension: d.
        scheme: Of :data:`SCHEMES`.

    Raises:
        ValueError: If the scheme has no meaning for the kernel, or the key is traced.

    Cost:
        orthogonal schemes: ``O(r d min(r, d))`` time; the others ``O(r d)``.
    """
    check_scheme(scheme, kernel)
    if isinstance(key, Tracer):
        raise ValueError(f"scheme={scheme!r} draws on the host: call it outside jit and vmap, or take scheme='iid'.")
    with jax.ensure_compile_time_eval():  # the bandwidth may be traced around it
        random = np.random.default_rng(batching.key_seed(key))
    if isinstance(kernel, L1Kernel):
        return kernel.frequency_quantiles(quasi_random.sobol_levels(random, num_frequencies, dimension))
    if not isinstance(kernel, RadialKernel):
        raise TypeError(f"scheme={scheme!r} needs a kernel of the l1 or l2 distance; got {type(kernel).__name__}.")
    if scheme == "sobol":
        levels = quasi_random.sobol_levels(random, num_frequencies, dimension + kernel.mixture)
        normal = quasi_random.normal_quantiles(levels[:, :dimension])
        return normal * kernel.mixing_quantiles(levels[:, -1])[:, None]
    orthogonal = scheme.startswith("orthogonal")
    directions = (_orthogonal_directions if orthogonal else _directions)(random, num_frequencies, dimension)
    draw_levels = quasi_random.stratified_levels if scheme.endswith("stratified") else quasi_random.uniform_levels
    lengths = quasi_random.chi_quantiles(draw_levels(random, num_frequencies), dimension)
    if kernel.mixture:
        # Strata of the two factors meet in random order: each pair of them is as good as independent.
        lengths = lengths * kernel.mixing_quantiles(draw_levels(random, num_frequencies))
    return directions * lengths[:, None]


def _directions(random: np.random.Generator, num_rows: int, dimension: int) -> np.ndarray:
    normal = random.standard_normal((num_rows, dimension))
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


def _orthogonal_directions(random: np.random.Generator, num_rows: int, dimension: int) -> np.ndarray:
    """Return unit rows in blocks of d that are orthogonal within a block; each row alone is uniform on the sphere."""
    blocks = []
    for start in range(0, num_rows, dimension):
        normal = random.standard_normal((dimension, min(dimension, num_rows - start)))
        basis, triangle = np.linalg.qr(normal)
        blocks.append((basis * np.sign(np.diagonal(triangle))).T)  # the signs make the law uniform (Haar)
    return np.concatenate(blocks)
