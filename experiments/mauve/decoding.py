"""Decoding of a small GPT as in Section 2.1 of the MAUVE paper: ancestral, greedy, temperature, top-k and nucleus.

Every rule is a temperature, a number of pieces and a mass, which stay traced: a sweep compiles once for each model.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Float, Int

from experiments.mauve.gpt import END, GPT, empty_caches

FORMS = ("ancestral", "greedy", "temperature=0.7", "top-k=20", "nucleus=0.9")


class Rule(NamedTuple):
    """How the law of the next piece is reshaped before one is drawn.

    Attributes:
        temperature: Divides the logits.
        num_pieces: Keeps so many of the most probable pieces.
        mass: Keeps the fewest most probable pieces that have this mass together.
    """

    temperature: Array | float
    num_pieces: Array | int
    mass: Array | float


def parse_rule(words: str, vocabulary: int) -> Rule:
    """Return the rule of words such as "ancestral", "greedy", "temperature=0.7", "top-k=20" or "nucleus=0.9".

    Raises:
        ValueError: Other words, or a number out of its range.
    """
    name, _, number = words.partition("=")
    if words == "ancestral":
        return Rule(1.0, vocabulary, 1.0)
    if words == "greedy":
        return Rule(1.0, 1, 1.0)
    try:
        value = float(number)
    except ValueError:
        value = 0.0
    if name == "temperature" and value > 0:
        return Rule(value, vocabulary, 1.0)
    if name == "top-k" and value >= 1 and value == int(value):
        return Rule(1.0, min(int(value), vocabulary), 1.0)
    if name == "nucleus" and 0 < value <= 1:
        return Rule(1.0, vocabulary, value)
    raise ValueError(f"a decoding rule must be of the form {', '.join(map(repr, FORMS))}; got {words!r}.")


def reshaped_logits(logits: Float[Array, "k"], rule: Rule) -> Float[Array, "k"]:
    """Return the logits of the law that is drawn from, -inf at pieces that the rule forbids.

    The most probable pieces are found by bisection on the bits of their probabilities, which are in the order of the
    probabilities themselves: exact, and much cheaper than sorting. Pieces that tie with the last one kept are kept.
    """
    logits = logits / jnp.asarray(rule.temperature, logits.dtype)
    law = jax.nn.softmax(logits.astype(jnp.float32))
    bits = jax.lax.bitcast_convert_type(law, jnp.int32)

    def halve(_: int, ends: tuple[Array, Array]) -> tuple[Array, Array]:
        low, high = ends  # keeping what is at least `low` is enough, keeping what is at least `high` is not
        middle = low + (high - low) // 2
        kept = bits[None, :] >= middle[:, None]
        enough = jnp.stack(
            [
                jnp.sum(kept[0], dtype=jnp.int32) >= jnp.asarray(rule.num_pieces, jnp.int32),
                jnp.sum(jnp.where(kept[1], law, 0.0)) >= jnp.asarray(rule.mass, jnp.float32),
            ]
        )
        return jnp.where(enough, middle, low), jnp.where(enough, high, middle)

    ends = jnp.zeros(2, jnp.int32), jnp.full(2, jnp.max(bits) + 1)
    lowest, _ = jax.lax.fori_loop(0, 31, halve, ends)
    return jnp.where(bits >= jnp.max(lowest), logits, -jnp.inf)


@functools.partial(jax.jit, static_argnames=("model", "length"))
def generate(
    key: Array, rule: Rule, weights: Mapping[str, Any], prompts: Int[Array, "n s"], *, model: GPT, length: int
) -> Int[Array, "n length"]:
    """Continue prompts to documents of so many pieces, filled up with END behind their end.

    Args:
        key: Typed key.
        rule: How the law of the next piece is reshaped.
        weights: Of the model.
        prompts: The first pieces of each document, (n, s); s may be 0.
        model: A GPT whose context is at least `length`.
        length: Most pieces of a document, its prompt among them.
    """
    num_documents, given = prompts.shape

    def draw(carry: tuple[Array, Array, Array], place: tuple[Array, Array, Array]) -> tuple[Any, Array]:
        pieces, caches, ended = carry
        position, step_key, prompted = place
        logits, caches = model.apply(weights, pieces, caches, position, method=GPT.step)  # type: ignore[misc]
        allowed = jax.vmap(reshaped_logits, (0, None))(logits, rule)
        drawn = jax.random.categorical(step_key, allowed).astype(jnp.int32)
        drawn = jnp.where(position < given, prompted, drawn)
        drawn = jnp.where(ended, END, drawn)
        return (drawn, caches, ended | (drawn == END)), drawn

    first = jnp.full(num_documents, END, jnp.int32)
    start = first, empty_caches(model.shape, num_documents, length), jnp.zeros(num_documents, bool)
    prompted = jnp.zeros((length, num_documents), jnp.int32).at[:given].set(prompts.astype(jnp.int32).T)
    places = jnp.arange(length, dtype=jnp.int32), jax.random.split(key, length), prompted
    return jax.lax.scan(draw, start, places)[1].T
