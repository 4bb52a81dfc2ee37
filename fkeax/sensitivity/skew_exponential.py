"""Rotations ``exp(theta A)`` of one random skew matrix, for many angles."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float


class SkewExponential:
    """``exp(theta A)`` for a skew A of spectral norm 1, so that theta is the largest angle it turns by, in radians.

    One eigendecomposition of the Hermitian ``i A`` serves every theta. Eigenvalues come in pairs of opposite sign with
    conjugate vectors, so half of them, real and imaginary parts apart, are enough:
    ``exp(theta A) = 2 Re sum_k exp(-i theta w_k) u_k u_k^*`` over ``w_k > 0``, and the kernel of A stays.
    """

    def __init__(self, skew: Float[np.ndarray, "d d"]):
        values, vectors = np.linalg.eigh(1j * skew)
        half = skew.shape[0] // 2
        self._angles = values[-half:] / values[-1]
        self._real, self._imaginary = np.real(vectors[:, -half:]), np.imag(vectors[:, -half:])
        middle = vectors[:, half] if skew.shape[0] % 2 else np.zeros(skew.shape[0])
        self._kernel = np.real(np.outer(middle, middle.conj()))

    def rotation(self, theta: float, num_rows: int | None = None) -> Float[np.ndarray, "_ _"]:
        """Return ``exp(theta A)``, or its leading block of ``num_rows`` rows and columns.

        Cost:
            ``2 d`` flops an entry.
        """
        part = slice(num_rows)
        real, imaginary = self._real[part], self._imaginary[part]
        cosines, sines = np.cos(theta * self._angles), np.sin(theta * self._angles)
        turned = (real * cosines + imaginary * sines) @ real.T + (imaginary * cosines - real * sines) @ imaginary.T
        return 2 * turned + self._kernel[part, part]


def random_skew(random: np.random.Generator, dimension: int) -> Float[np.ndarray, "d d"]:
    """Return ``G - G'`` of a standard normal matrix G; its law does not depend on the basis."""
    normal = random.standard_normal((dimension, dimension))
    return normal - normal.T
