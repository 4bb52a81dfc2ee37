"""Kernels of inner products: linear, cosine, polynomial. Not shift-invariant; each has explicit features."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from fkeax.kernels.protocol import Scalar, check_positive
from fkeax.numerics import checks, linalg, pytrees


@pytrees.register
@dataclass(frozen=True)
class Cosine:
    """The cosine kernel ``x.y / (||x|| ||y||)``: inner products of unit rows. Not shift-invariant; no point may be 0.

    Example:
        >>> import jax.numpy as jnp
        >>> float(Cosine()(jnp.asarray([3.0, 4.0]), jnp.asarray([1.0, 0.0]))) == float(jnp.float32(0.6))
        True
    """

    name = "cosine"
    shift_invariant: ClassVar[bool] = False
    unit_diagonal: ClassVar[bool] = True

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        return jnp.dot(self.features(x), self.features(y), precision=linalg.PRECISION)

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products."""
        return xy / (jnp.sqrt(xx) * jnp.sqrt(yy))

    def features(self, x: Float[Array, "d"]) -> Float[Array, "d"]:
        """Return the explicit feature map of one point: the point over its length."""
        scale = jnp.max(jnp.abs(x))  # first, so that the squares neither overflow nor vanish
        scaled = x / scale
        return scaled / jnp.sqrt(jnp.sum(jnp.square(scaled)))

    def feature_dimension(self, dimension: int) -> int:
        """Return how many features a point has: its coordinates."""
        return dimension


@pytrees.register
@dataclass(frozen=True)
class Linear:
    """The linear kernel ``x.y``. Its diagonal is not 1: scores divide by the trace, so long rows weigh more.

    Example:
        >>> import jax.numpy as jnp
        >>> float(Linear()(jnp.asarray([3.0, 4.0]), jnp.asarray([1.0, 1.0])))
        7.0
    """

    name = "linear"
    shift_invariant: ClassVar[bool] = False
    unit_diagonal: ClassVar[bool] = False

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        return jnp.dot(x, y, precision=linalg.PRECISION)

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products."""
        del xx, yy
        return xy

    def features(self, x: Float[Array, "d"]) -> Float[Array, "d"]:
        """Return the explicit feature map of one point: the point."""
        return x

    def feature_dimension(self, dimension: int) -> int:
        """Return how many features a point has: its coordinates."""
        return dimension


@pytrees.register
@dataclass(frozen=True)
class Polynomial:
    """The polynomial kernel ``(scale x.y + offset)^degree``. Its diagonal is not 1.

    The cubic kernel of KID is ``Polynomial(3, 1/d, 1)``; there is no default scale, because it goes with d.

    Attributes:
        degree: Whole number of at least 1; static.
        scale: Positive.
        offset: Not negative (else the kernel is not positive semi-definite); 0 becomes None, which leaves the monomials
            of lower degree out of the features.

    Example:
        >>> import jax.numpy as jnp
        >>> kernel, x, y = Polynomial(3, 0.5, 1.0), jnp.asarray([1.0, 2.0]), jnp.asarray([2.0, 0.0])
        >>> float(kernel(x, y)), round(float(kernel.features(x) @ kernel.features(y)), 4), kernel.feature_dimension(2)
        (8.0, 8.0, 10)
    """

    degree: int = field(metadata={"static": True})
    scale: Scalar
    offset: Scalar | None = 1.0

    name = "polynomial"
    shift_invariant: ClassVar[bool] = False
    unit_diagonal: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse a degree that is not a whole number, and plain numbers out of range; turn a plain 0 offset to None."""
        checks.count(self.degree, "degree")
        check_positive(self.scale, "scale")
        if isinstance(self.offset, (int, float, np.number)) and self.offset == 0:
            object.__setattr__(self, "offset", None)
        check_positive(self.offset, "offset")

    def __call__(self, x: Float[Array, "d"], y: Float[Array, "d"]) -> Float[Array, ""]:
        """Return ``k(x, y)`` for one pair of points."""
        return self._of_product(jnp.dot(x, y, precision=linalg.PRECISION))

    def of_products(
        self, xy: Float[Array, "*shape"], xx: Float[Array, "*shape"], yy: Float[Array, "*shape"]
    ) -> Float[Array, "*shape"]:
        """Return ``k`` from inner products."""
        del xx, yy
        return self._of_product(xy)

    def _of_product(self, xy: Float[Array, "*shape"]) -> Float[Array, "*shape"]:
        base = self.scale * xy if self.offset is None else self.scale * xy + self.offset
        return base**self.degree

    def features(self, x: Float[Array, "d"]) -> Float[Array, "f"]:
        """Return all monomials of one point, each times the root of its coefficient in the kernel.

        ``[sqrt(scale) x, sqrt(offset)]`` has the kernel as the power of an inner product, and a power of a sum is a sum
        over multisets of coordinates with multinomial coefficients.

        Cost:
            ``feature_dimension(d)`` products of ``degree`` numbers.
        """
        base = jnp.sqrt(jnp.asarray(self.scale, x.dtype)) * x
        if self.offset is not None:
            base = jnp.concatenate([base, jnp.sqrt(jnp.asarray(self.offset, x.dtype))[None]])
        chosen, coefficients = _monomials(base.shape[0], self.degree)
        return jnp.asarray(np.sqrt(coefficients), x.dtype) * jnp.prod(base[chosen], axis=1)

    def feature_dimension(self, dimension: int) -> int:
        """Return the number of monomials: ``C(d + degree, degree)``, or ``C(d + degree - 1, degree)`` at offset 0."""
        variables = dimension if self.offset is None else dimension + 1
        return math.comb(variables + self.degree - 1, self.degree)


@lru_cache(maxsize=8)
def _monomials(num_variables: int, degree: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the monomials of a degree, as rows of variable numbers, and their multinomial coefficients."""
    chosen = list(itertools.combinations_with_replacement(range(num_variables), degree))
    coefficients = [math.factorial(degree) / math.prod(map(math.factorial, Counter(row).values())) for row in chosen]
    return np.asarray(chosen, np.int32), np.asarray(coefficients)
