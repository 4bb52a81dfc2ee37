"""The permutation test: any statistic of two samples against its own values under random relabellings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float, Key

from fkeax.inference.labels import Groups, Units, balanced_labels, permutation_units

Statistic = Callable[[Float[Array, "n d"], Float[Array, "m d"]], Float[Array, ""]]
"""A function of two samples; to be compiled once for all its parameters, a registered dataclass that is callable."""


@dataclass(frozen=True)
class PermutationOutcome:
    """A statistic and what relabelling does to it.

    Attributes:
        observed: The statistic of the samples as they came.
        null: Its values under random relabellings.
        p_value: ``(1 + #{T_b >= T}) / (B + 1)``; ties count. Valid at any B: P(p <= a) <= a under the null hypothesis.
        p_stderr: Monte-Carlo error of p: how much it would move under other relabellings, ``sqrt(p (1 - p) / B)``.
        null_mean: Mean of the null values.
        null_sd: Their standard deviation.
        z: ``(observed - null_mean) / null_sd``; None if the null values are all equal.
        num_permutations: B.
    """

    observed: float
    null: np.ndarray
    p_value: float
    p_stderr: float
    null_mean: float
    null_sd: float
    z: float | None
    num_permutations: int


def permutation_outcome(observed: float, null: np.ndarray, *, tie_tolerance: float = 0.0) -> PermutationOutcome:
    """Return the outcome of a test whose large values speak against the null hypothesis.

    Args:
        observed: The statistic.
        null: Its values under relabellings.
        tie_tolerance: Rounding of the statistic: a null value that falls short by no more counts as a tie.

    Example:
        >>> import numpy as np
        >>> permutation_outcome(2.0, np.asarray([0.0, 1.0, 2.0])).p_value
        0.5
    """
    null = np.asarray(null, np.float64)
    num_permutations = null.size
    p_value = (1 + int(np.count_nonzero(null >= observed - tie_tolerance))) / (num_permutations + 1)
    null_mean = float(null.mean())
    null_sd = float(null.std(ddof=1)) if num_permutations > 1 else 0.0
    return PermutationOutcome(
        observed=float(observed),
        null=null,
        p_value=p_value,
        p_stderr=(p_value * (1 - p_value) / num_permutations) ** 0.5,
        null_mean=null_mean,
        null_sd=null_sd,
        z=(float(observed) - null_mean) / null_sd if null_sd > tie_tolerance else None,
        num_permutations=num_permutations,
    )


def permutation_test(
    key: Key[Array, ""],
    statistic: Statistic,
    pooled: Float[Array, "n d"],
    num_first: int,
    *,
    num_permutations: int,
    groups: Groups | None = None,
    batch_size: int = 1,
) -> PermutationOutcome:
    """Test whether two samples come from one law by any statistic that is large when they do not.

    The observed statistic is computed by the same compiled code as the permuted ones, so that ties are ties.

    Args:
        key: For the relabellings.
        statistic: A callable pytree ``f(x, y)``, such as a registered dataclass with ``__call__``; its array fields are
            traced, so a sweep over them compiles once. A plain function is compiled for every fresh object.
        pooled: The rows of the first sample, then those of the second.
        num_first: Rows of the first sample.
        num_permutations: B.
        groups: Labels of dependent rows, which then move together; all groups must have one size here, because the
            statistic is compiled for fixed sample sizes.
        batch_size: Permutations evaluated at once; raise it where memory allows.

    Raises:
        ValueError: If the groups have unequal sizes.

    Cost:
        B + 1 evaluations of the statistic, and two gathers of the pooled rows each.

    Example:
        >>> import jax, jax.numpy as jnp
        >>> from jax.tree_util import Partial
        >>> mean_shift = Partial(lambda x, y: jnp.abs(x.mean() - y.mean()))
        >>> pooled = jnp.concatenate([jnp.zeros((20, 1)), jnp.ones((20, 1))])
        >>> permutation_test(jax.random.key(0), mean_shift, pooled, 20, num_permutations=199).p_value
        0.005
    """
    units = permutation_units(num_first, pooled.shape[0] - num_first, groups)
    if not units.equal_sizes:
        raise ValueError("groups must all have the same number of rows for a statistic of two samples.")
    if jax.tree_util.all_leaves([statistic]):  # a plain function, which jit does not take as an argument
        statistic = jax.tree_util.Partial(statistic)
    values = np.asarray(
        _permuted_values(
            key,
            statistic,
            pooled,
            jnp.asarray(units.of_row),
            units.num_first,
            num_units=units.num_units,
            num_first_rows=num_first,
            num_permutations=num_permutations,
            batch_size=batch_size,
        )
    )
    return permutation_outcome(float(values[0]), values[1:])


def row_labels(
    key: Key[Array, ""], units: Units, num_permutations: int, *, dtype: np.dtype | type = np.float32
) -> Float[Array, "n b"]:
    """Return indicators of the first sample, one column a labelling: the observed one, then random ones."""
    labels = _unit_labels(key, num_permutations, units.num_units, units.num_first, jnp.zeros((), dtype))
    if units.grouped:
        return labels[jnp.asarray(units.of_row)]
    return labels


@jax.jit(static_argnames=("num_permutations", "num_units"))
def _unit_labels(
    key: Key[Array, ""], num_permutations: int, num_units: int, num_first: Array | int, zero: Float[Array, ""]
) -> Float[Array, "n b"]:
    drawn = balanced_labels(key, num_permutations, num_units, num_first)
    observed = (jnp.arange(num_units, dtype=jnp.int32) < num_first)[None, :]
    return jnp.concatenate([observed, drawn]).astype(zero.dtype).T


@jax.jit(static_argnames=("num_units", "num_first_rows", "num_permutations", "batch_size"))
def _permuted_values(
    key: Key[Array, ""],
    statistic: Statistic,
    pooled: Float[Array, "n d"],
    unit_of_row: Array,
    num_first_units: Array | int,
    *,
    num_units: int,
    num_first_rows: int,
    num_permutations: int,
    batch_size: int,
) -> Float[Array, "b"]:
    drawn = balanced_labels(key, num_permutations, num_units, num_first_units)
    labels = jnp.concatenate([(jnp.arange(num_units, dtype=jnp.int32) < num_first_units)[None, :], drawn])

    def value(label: Array) -> Array:
        order = jnp.argsort(~label[unit_of_row], stable=True)
        return statistic(pooled[order[:num_first_rows]], pooled[order[num_first_rows:]])

    return lax.map(value, labels, batch_size=batch_size)
