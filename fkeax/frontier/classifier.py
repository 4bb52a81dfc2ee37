"""Likelihood ratios from a classifier that tells the two samples apart, trained on one half, used on the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import lax
from jax.typing import ArrayLike
from jaxtyping import Array, Float

from fkeax.frontier.ratios import LikelihoodRatios, ratios_from_logs
from fkeax.numerics import batching, checks
from fkeax.numerics.linalg import PRECISION

_VALIDATION_SHARE = 0.2  # of the training rows: decides when to stop, and calibrates
_CHI_SQUARED_2 = 5.991  # its 95 % quantile at 2 degrees of freedom


# A logistic model: weights and a bias, so that x . weight + bias are the log odds that a row is of P rather than of Q.
# A plain tuple, because the optimizer keeps sums and stacks of its parts in the same container.
Model = tuple[Float[Array, "d"], Float[Array, ""]]


def classifier_ratios(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    cross_fit: bool = True,
    penalty: float = 1e-4,
    max_iterations: int = 200,
    key: jax.Array,
) -> LikelihoodRatios:
    """Return likelihood ratios from logistic regression, at samples it was not trained on.

    Both samples are cut into random halves. A model is trained on the first half of each, stopped where its loss on a
    fifth of those rows stops falling, calibrated (slope and intercept of the log odds) on that fifth, and evaluated on
    the second halves. The log ratio is the log odds less ``log(n_1 / m_1)``, the prior odds of the training rows.

    Consistent if the log ratio is linear in the columns (Gaussians of one covariance, for instance); otherwise it
    estimates from below, because a restricted classifier sees less than there is.

    Deviations from the paper: its Section 4.3 has the roles of the four halves mixed up; they are as said here.

    Args:
        reference: Samples of P, (n, d).
        generated: Samples of Q, (m, d).
        cross_fit: Train a second model on the second halves and evaluate it on the first ones, so that every sample
            gets a ratio. Otherwise only the second halves do.
        penalty: Weight of ``||weight||^2 / 2`` beside the mean log loss, columns at unit variance.
        max_iterations: Of L-BFGS.
        key: Typed key, for the halves.

    Raises:
        ValueError: Fewer than 20 samples on a side.

    Cost:
        ``8 n d`` flops an iteration, both sides and models together; one compile a shape.

    Example:
        >>> import jax, numpy as np
        >>> rng = np.random.default_rng(0)
        >>> p, q = rng.standard_normal((400, 2)), rng.standard_normal((400, 2)) + [1.0, 0.0]
        >>> ratios = classifier_ratios(p, q, key=jax.random.key(0))
        >>> true = np.exp(0.5 - q[:, 0])
        >>> bool(np.corrcoef(np.log(ratios.at_q), np.log(true))[0, 1] > 0.9)
        True

    References:
        MAUVE paper, Section 4.3.
    """
    p, q = np.asarray(checks.matrix(reference, "reference")), np.asarray(checks.matrix(generated, "generated"))
    for name, side in (("reference", p), ("generated", q)):
        if side.shape[0] < 20:
            raise ValueError(f"{name} must have at least 20 samples to train on and evaluate; got {side.shape[0]}.")
    checks.positive_number(penalty, "penalty")
    checks.count(max_iterations, "max_iterations")
    random = np.random.default_rng(batching.key_seed(checks.typed_key(key, "the halves of the samples")))
    halves_p, halves_q = (np.array_split(random.permutation(side.shape[0]), 2) for side in (p, q))
    dtype = checks.working_dtype(np.result_type(p.dtype, q.dtype))
    logs_p, logs_q = np.full(p.shape[0], np.nan), np.full(q.shape[0], np.nan)
    seen: dict[str, list[float]] = {"iterations": [], "validation_loss": [], "calibration_slope": []}
    for train in (0, 1) if cross_fit else (0,):
        fitted = _fit(p[halves_p[train]], q[halves_q[train]], penalty, max_iterations, dtype)
        for logs, side, halves in ((logs_p, p, halves_p), (logs_q, q, halves_q)):
            logs[halves[1 - train]] = fitted.log_ratio(side[halves[1 - train]])
        for name, number in zip(seen, (fitted.iterations, fitted.validation_loss, fitted.slope), strict=True):
            seen[name].append(float(number))
    diagnostics = {"cross_fit": cross_fit, "penalty": penalty} | seen
    return ratios_from_logs(logs_p[~np.isnan(logs_p)], logs_q[~np.isnan(logs_q)], dict(diagnostics))


@dataclass(frozen=True)
class _Fitted:
    """A trained model with the scaling of its columns, its calibration and its prior odds."""

    weight: np.ndarray
    bias: float
    centre: np.ndarray
    spread: np.ndarray
    slope: float
    intercept: float
    log_prior_odds: float
    iterations: int
    validation_loss: float

    def log_ratio(self, x: np.ndarray) -> np.ndarray:
        scaled = (x.astype(np.float64) - self.centre) / self.spread
        odds = scaled @ self.weight + self.bias
        return self.slope * odds + self.intercept - self.log_prior_odds


def _fit(p: np.ndarray, q: np.ndarray, penalty: float, max_iterations: int, dtype: np.dtype) -> _Fitted:
    """Train and calibrate on rows in random order: the last fifth of each side validates."""
    cut_p, cut_q = (max(1, round(side.shape[0] * (1 - _VALIDATION_SHARE))) for side in (p, q))
    train = np.concatenate([p[:cut_p], q[:cut_q]]).astype(np.float64)
    centre, spread = train.mean(axis=0), train.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)  # a constant column stays 0
    check = np.concatenate([p[cut_p:], q[cut_q:]]).astype(np.float64)
    rows, held_out = (jnp.asarray(((part - centre) / spread).astype(dtype)) for part in (train, check))
    of_p = jnp.asarray(np.arange(len(train)) < cut_p, dtype)
    held_of_p = jnp.asarray(np.arange(len(check)) < len(p) - cut_p, dtype)
    model, iterations, loss = _train(
        rows, of_p, held_out, held_of_p, jnp.asarray(penalty, dtype), max_iterations=max_iterations
    )
    line = _calibration(np.asarray(_log_odds(model, held_out), np.float64), np.asarray(held_of_p, np.float64))
    # The line is fitted at the prior odds of the held-out rows, which differ by a row or so from those trained on.
    prior = (cut_p, cut_q) if line is None else (len(p) - cut_p, len(q) - cut_q)
    return _Fitted(
        weight=np.asarray(model[0], np.float64),
        bias=float(model[1]),
        centre=centre,
        spread=spread,
        slope=1.0 if line is None else line[0],
        intercept=0.0 if line is None else line[1],
        log_prior_odds=float(np.log(prior[0] / prior[1])),
        iterations=int(iterations),
        validation_loss=float(loss),
    )


def _calibration(odds: np.ndarray, of_p: np.ndarray) -> tuple[float, float] | None:
    """Return slope and intercept for log odds at held-out rows, by Newton's method; None if chance explains the gain.

    Twice the gain in log likelihood is chi-squared with 2 degrees of freedom for a calibrated model.
    """
    columns = np.stack([odds, np.ones_like(odds)], axis=1)
    line = np.array([1.0, 0.0])

    def loss(line: np.ndarray) -> float:
        values = columns @ line
        return float(np.sum(np.logaddexp(0, values) - of_p * values))

    for _ in range(25):
        chance = 1 / (1 + np.exp(-np.clip(columns @ line, -500, 500)))
        curvature = columns.T @ (columns * (chance * (1 - chance))[:, None]) + 1e-6 * np.eye(2)
        step = np.linalg.solve(curvature, columns.T @ (of_p - chance))
        while loss(line + step) > loss(line) and np.abs(step).max() > 1e-9:
            step = step / 2
        line = line + step
    gain = loss(np.array([1.0, 0.0])) - loss(line)
    return (float(line[0]), float(line[1])) if 2 * gain > _CHI_SQUARED_2 else None


def _log_odds(model: Model, x: Float[Array, "n d"]) -> Float[Array, "n"]:
    return jnp.matmul(x, model[0], precision=PRECISION) + model[1]


def _log_loss(
    model: Model, x: Float[Array, "n d"], of_p: Float[Array, "n"], penalty: Float[Array, ""]
) -> Float[Array, ""]:
    odds = _log_odds(model, x)
    return jnp.mean(jax.nn.softplus(odds) - of_p * odds) + penalty / 2 * jnp.sum(jnp.square(model[0]))


@partial(jax.jit, static_argnames="max_iterations")
def _train(
    x: Float[Array, "n d"],
    of_p: Float[Array, "n"],
    held_out: Float[Array, "m d"],
    held_of_p: Float[Array, "m"],
    penalty: Float[Array, ""],
    *,
    max_iterations: int,
) -> tuple[Model, Array, Float[Array, ""]]:
    """Return a model, the number of iterations and its loss on held-out rows.

    Stops when the gradient is within rounding of 0; or, with the best model so far, when the held-out loss is above the
    lowest one by two standard errors. A rise within them is no reason to stop: the lowest of several equal losses is
    often an early one, of a model that is not trained yet.
    """
    optimizer = optax.lbfgs()
    loss = partial(_log_loss, x=x, of_p=of_p, penalty=penalty)
    value_and_grad = optax.value_and_grad_from_state(loss)
    first = (jnp.zeros(x.shape[1], x.dtype), jnp.zeros((), x.dtype))
    small = 10 * float(jnp.finfo(x.dtype).eps)

    def held_out_losses(model: Model) -> Float[Array, "m"]:
        odds = _log_odds(model, held_out)
        return jax.nn.softplus(odds) - held_of_p * odds

    def step(state: tuple[Any, ...]) -> tuple[Any, ...]:
        model, memory, best, _, iteration, _ = state
        value, gradient = value_and_grad(model, state=memory)
        updates, memory = optimizer.update(gradient, memory, model, value=value, grad=gradient, value_fn=loss)
        model = cast("Model", optax.apply_updates(model, updates))
        rise = held_out_losses(model) - held_out_losses(best)
        mean_rise = jnp.mean(rise)
        worse = mean_rise > 2 * jnp.std(rise) / jnp.sqrt(float(rise.shape[0]))
        best = jax.tree.map(lambda new, old: jnp.where(mean_rise < 0, new, old), model, best)
        return model, memory, best, worse, iteration + 1, optax.tree.norm(gradient)

    def goes_on(state: tuple[Any, ...]) -> Array:
        _, _, _, worse, iteration, norm = state
        return (iteration < max_iterations) & ~worse & (norm > small)

    start = (
        first,
        optimizer.init(cast("Any", first)),
        first,
        jnp.zeros((), bool),
        jnp.zeros((), jnp.int32),
        jnp.full((), jnp.inf, x.dtype),
    )
    model, _, best, worse, iterations, _ = lax.while_loop(goes_on, step, start)
    chosen = jax.tree.map(lambda stopped, last: jnp.where(worse, stopped, last), best, model)
    return chosen, iterations, jnp.mean(held_out_losses(chosen))
