"""VENDI of a large covariance without its eigenvalues: stochastic Lanczos quadrature with control variates.

``trace f(C)`` in two parts. Along a few directions Q that nearly span the largest eigenvectors, ``q^T f(C) q`` comes
from Lanczos' recursion, with nothing random in it (as in Hutch++, for any Q). Across them it is the mean of ``v^T f(C)
v`` over random vectors of signs v with their components along Q taken out. The same vectors estimate ``trace C`` and
``||C||_F^2``, whose values are known: what they get wrong there they get wrong alike for f, and a regression takes it
out. Measured on 2,000 features, one vector's standard deviation for the entropy of four data sets: 0.4 to 0.7 by
itself, 0.015 to 0.068 with the controls, 0.002 to 0.004 with 32 directions as well.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from fkeax.numerics import lanczos, linalg
from fkeax.numerics.accumulate import MomentState
from fkeax.numerics.lanczos import GaussRules, Recursion

NUM_STEPS = 30
NUM_DIRECTIONS = 32
NUM_ITERATIONS = 3  # products that find them: they need not be eigenvectors
ROUND = 32  # random vectors at a time: a product with them reads the matrix once
MAX_VECTORS = 512
_TILE_ROWS = 512
TOLERANCE = 0.003  # relative standard error that ends the rounds
NO_COUNT = "order 0 counts eigenvalues, which quadrature cannot; spectrum='dense' can"


@dataclass(frozen=True)
class QuadratureVendi:
    """The VENDI score of one order by quadrature.

    Attributes:
        order: In [0, inf].
        value: None for order 0.
        stderr: Over random vectors, given the covariance; None where no vector is random (orders 2 and infinity).
        quadrature_error: Relative, a bound: Gauss rules are too high, Gauss-Radau rules with a node at 0 too low, the
            value is of their mean, and this is half of what they differ by.
        num_vectors: Random vectors.
        num_steps: Of Lanczos' recursion.
    """

    order: float
    value: float | None
    stderr: float | None
    quadrature_error: float | None
    num_vectors: int
    num_steps: int


def quadrature_vendi(
    moment: MomentState,
    orders: Sequence[float],
    *,
    key: jax.Array,
    tolerance: float = TOLERANCE,
    max_vectors: int = MAX_VECTORS,
    num_steps: int = NUM_STEPS,
) -> tuple[QuadratureVendi, ...]:
    """Return VENDI scores of the covariance of a state, without its eigenvalues.

    Orders strictly between 0 and infinity but 2: ``trace C^a``, with random vectors in rounds of 32 until every order's
    relative standard error is at most the tolerance. Order 2 is ``1 / ||C||_F^2``, exactly; infinity takes the largest
    eigenvalue, which the recursion finds to rounding. Orders well below 1 weigh small eigenvalues, which a Gauss rule
    resolves last: look at ``quadrature_error``.

    Args:
        moment: Sums over features with positive trace.
        orders: In [0, inf].
        key: Of the random vectors.
        tolerance: Relative standard error at which to stop; not reached within ``max_vectors`` is no fault: the error
            is in the result.
        max_vectors: Rounds end here.
        num_steps: Of Lanczos' recursion.

    Cost:
        ``2 (2r)^2`` flops a vector and step: ``2 * 30 * 48 (2r)^2`` with one round of random vectors, against ``4/3
        (2r)^3`` of all eigenvalues, half of those memory bound. ``32 * 30 * 2r`` numbers beside the state.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from fkeax.diversity import streaming
        >>> from fkeax.features import sample_fourier_map
        >>> from fkeax.kernels import Gaussian
        >>> state = streaming.init(sample_fourier_map(jax.random.key(0), Gaussian(1.0), 500, jnp.zeros(2)))
        >>> state = streaming.update(state, jnp.asarray([[0.0, 0.0], [90.0, 0.0], [0.0, 90.0]]))
        >>> found = quadrature_vendi(state.moment, (1.0, 2.0), key=jax.random.key(1))
        >>> [round(score.value or 0, 1) for score in found]
        [3.0, 3.0]
    """
    key_directions, key = jax.random.split(key)
    size = sum(linalg.block_widths(moment.blocks))
    dtype = moment.blocks[0].dtype
    found = lanczos.top_subspace(
        key_directions, moment.blocks, num_vectors=min(NUM_DIRECTIONS, size), num_iterations=NUM_ITERATIONS
    )
    basis = np.linalg.qr(np.asarray(found, np.float64).T)[0].T
    known = _known_values(moment.blocks, basis)
    directions = jnp.asarray(basis, dtype)
    # Near eigenvectors need few steps; what these leave is in the bound on the error too.
    along = _Rules.of(lanczos.recursion(moment.blocks, directions, num_steps=max(1, num_steps // 2)))
    across: _Rules | None = None
    while True:
        key, key_round = jax.random.split(key)
        vectors = _across(key_round, directions, num_vectors=ROUND)
        more = _Rules.of(lanczos.recursion(moment.blocks, vectors, num_steps=num_steps))
        across = more if across is None else across.joined(more)
        scores = tuple(_score(along, across, order, known) for order in orders)
        errors = [score.stderr / score.value for score in scores if score.stderr is not None and score.value]
        if max(errors, default=0.0) <= tolerance or len(across.high.nodes) + ROUND > max_vectors:
            return scores


@partial(jax.jit, static_argnames="num_vectors")
def _across(key: Key[Array, ""], directions: Float[Array, "_ f"], *, num_vectors: int) -> Float[Array, "b f"]:
    """Return random vectors of signs without their components along orthonormal directions."""
    signs = jax.random.rademacher(key, (num_vectors, directions.shape[1]), directions.dtype)
    components = jnp.matmul(signs, directions.T, precision=linalg.PRECISION)
    return signs - jnp.matmul(components, directions, precision=linalg.PRECISION)


@dataclass(frozen=True)
class _Rules:
    """Rules that are too high, and rules that are too low."""

    high: GaussRules
    low: GaussRules

    @classmethod
    def of(cls, found: Recursion) -> _Rules:
        return cls(found.gauss_rules(), found.radau_rules())

    def joined(self, other: _Rules) -> _Rules:
        return _Rules(self.high.joined(other.high), self.low.joined(other.low))


@dataclass(frozen=True)
class _Known:
    """What is known of the sums S, in float64: their trace and, for C = S / trace, ``||C||_F^2`` and parts across Q."""

    trace: float
    second_moment: float
    trace_across: float
    second_moment_across: float


def _known_values(blocks: Sequence[Float[Array, "_ _"]], basis: np.ndarray) -> _Known:
    """Return the traces of C and C^2, whole and across orthonormal rows.

    In float64, tile by tile: the part across is a small difference, and the regression multiplies an error of it by the
    inverse of a typical eigenvalue.
    """
    edges = np.cumsum([0, *linalg.block_widths(blocks)])
    spans = [slice(start, stop) for start, stop in itertools.pairwise(edges)]
    products = np.zeros_like(basis)
    trace = squares = 0.0
    remaining = iter(blocks)
    for i, rows in enumerate(spans):
        for j, columns in enumerate(spans[i:], start=i):
            block = np.asarray(next(remaining))
            trace += float(np.trace(block, dtype=np.float64)) if i == j else 0.0
            for start in range(0, block.shape[0], _TILE_ROWS):
                tile = block[start : start + _TILE_ROWS].astype(np.float64)
                own = slice(rows.start + start, rows.start + start + tile.shape[0])
                products[:, own] += basis[:, columns] @ tile.T
                if i != j:
                    products[:, columns] += basis[:, own] @ tile
                squares += (1 if i == j else 2) * float(np.vdot(tile, tile))
    along, squares_along = float(np.vdot(basis, products)), float(np.vdot(products, products))
    return _Known(trace, squares / trace**2, 1 - along / trace, (squares - squares_along) / trace**2)


def _score(along: _Rules, across: _Rules, order: float, known: _Known) -> QuadratureVendi:
    trace = known.trace
    num_vectors, steps = across.high.nodes.shape
    if order == 0:
        return QuadratureVendi(order, None, None, None, num_vectors, steps)
    if order == 2:
        return QuadratureVendi(order, 1 / known.second_moment, None, 0.0, num_vectors, steps)
    if math.isinf(order):
        largest = max(along.high.nodes.max(), across.high.nodes.max())
        return QuadratureVendi(order, trace / float(largest), None, 0.0, num_vectors, steps)
    random = across.high.nodes / trace
    controls = np.stack(  # exact by either rule
        [
            across.high.forms(random) - known.trace_across,
            across.high.forms(np.square(random)) - known.second_moment_across,
        ],
        axis=1,
    )
    delta = order - 1
    high, low = (
        (_forms(rules_along, trace, delta).sum(), _forms(rules_across, trace, delta))
        for rules_along, rules_across in ((along.high, across.high), (along.low, across.low))
    )
    rest, error = _controlled_mean((high[1] + low[1]) / 2, controls)
    total = float(high[0] + low[0]) / 2 + rest
    gap = float(abs(high[0] - low[0] + high[1].mean() - low[1].mean())) / 2
    # With the total (trace C^a - 1) / (1 - a), the entropy at order 1, an error moves log V by that over trace C^a.
    power = 1 - delta * total
    value = math.exp(total if delta == 0 else -math.log1p(-delta * total) / delta)
    return QuadratureVendi(order, value, value * error / power, gap / power, num_vectors, steps)


def _forms(rules: GaussRules, trace: float, delta: float) -> np.ndarray:
    """Return ``v^T f(C) v`` for ``f(x) = (x^a - x) / (1 - a)``, which is ``-x log x`` at a = 1, with a = 1 + delta."""
    nodes = np.maximum(rules.nodes / trace, 0)  # a node at or below 0 stands for eigenvalues that are rounding
    logs = np.log(np.where(nodes > 0, nodes, 1))
    return rules.forms(-nodes * (logs if delta == 0 else np.expm1(delta * logs) / delta))


def _controlled_mean(estimates: np.ndarray, controls: np.ndarray) -> tuple[float, float]:
    """Return the mean of estimates after a regression on controls of mean 0, and its standard error."""
    design = np.concatenate([np.ones((len(estimates), 1)), controls], axis=1)
    coefficients, _, rank, _ = np.linalg.lstsq(design, estimates, rcond=1e-9)
    residuals = estimates - design @ coefficients
    variance = float(residuals @ residuals) / (len(estimates) - rank)
    # The variance of the intercept: the first entry of (X^T X)^+.
    inverse = np.linalg.pinv(design.T @ design, rcond=1e-15)
    return float(coefficients[0]), math.sqrt(max(variance * float(inverse[0, 0]), 0.0))
