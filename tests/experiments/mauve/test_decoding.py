"""Decoding with kept keys and values: equal to a plain recomputation, and to the definitions on a known law."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from experiments.mauve.decoding import Rule, generate, parse_rule, reshaped_logits
from experiments.mauve.gpt import END, GPT, Shape, empty_caches

SHAPE = Shape(width=8, depth=2, heads=2, vocabulary=24, context=9)
MODEL = GPT(SHAPE)
LAW = np.array([0.05, 0.4, 0.2, 0.3, 0.05])


@pytest.fixture(scope="module")
def weights() -> dict:
    return jax.jit(MODEL.init)(jax.random.key(0), jnp.zeros((1, 4), jnp.int32))  # type: ignore[return-value]


@jax.jit
def kept(rule: Rule) -> jax.Array:
    return jax.nn.softmax(reshaped_logits(jnp.log(jnp.asarray(LAW, jnp.float32)), rule))


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("ancestral", LAW),
        ("greedy", [0, 1, 0, 0, 0]),
        ("temperature=0.5", LAW**2 / np.sum(LAW**2)),
        ("top-k=2", [0, 4 / 7, 0, 3 / 7, 0]),
        ("nucleus=0.6", [0, 4 / 7, 0, 3 / 7, 0]),
        ("nucleus=0.85", [0, 4 / 9, 2 / 9, 3 / 9, 0]),
        ("nucleus=0.01", [0, 1, 0, 0, 0]),
        # The two rarest tie: both are kept or none.
        ("top-k=4", LAW),
    ],
)
def test_rules_reshape_a_known_law_as_defined(words: str, expected: np.ndarray) -> None:
    np.testing.assert_allclose(kept(parse_rule(words, len(LAW))), expected, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("words", ["top-k=0", "nucleus=1.5", "temperature=-1", "beam=4", "greedy=2", "top-k=2.5"])
def test_other_words_are_refused(words: str) -> None:
    with pytest.raises(ValueError, match=r"a decoding rule must be of the form"):
        parse_rule(words, 5)


@pytest.mark.slow
def test_steps_with_kept_keys_and_values_are_the_whole_computation(weights: dict) -> None:
    pieces = jax.random.randint(jax.random.key(1), (3, 9), 0, SHAPE.vocabulary)
    whole = MODEL.apply(weights, pieces)
    caches = empty_caches(SHAPE, 3, 9)
    step = jax.jit(lambda row, caches, place: MODEL.apply(weights, row, caches, place, method=GPT.step))
    for place in range(9):
        logits, caches = step(pieces[:, place], caches, jnp.int32(place))
        # Two orders of the same sums in float32: a few ulp of logits of order 0.1.
        np.testing.assert_allclose(logits, whole[:, place], atol=2e-6)


def test_generation_is_the_plain_loop_and_greedy_takes_the_most_probable(weights: dict) -> None:
    key = jax.random.key(2)
    whole, reshape = jax.jit(MODEL.apply), jax.jit(jax.vmap(reshaped_logits, (0, None)))
    prompts = jnp.array([[3, 4], [5, 6], [7, END], [8, 9]])
    for words in ("nucleus=0.9", "greedy"):
        rule = parse_rule(words, SHAPE.vocabulary)
        found = np.asarray(generate(key, rule, weights, prompts, model=MODEL, length=6))
        rows = np.full((4, 7), END, np.int32)
        for place, step_key in enumerate(jax.random.split(key, 6)):
            # All rows at full length: later pieces cannot be seen from here.
            logits = np.asarray(whole(weights, jnp.asarray(rows)))[:, place]
            drawn = np.asarray(jax.random.categorical(step_key, reshape(logits, rule)))
            rows[:, place + 1] = np.where((rows[:, 1 : place + 1] == END).any(axis=1), END, drawn)
            if words == "greedy":
                np.testing.assert_array_equal(drawn, np.argmax(logits, axis=-1))
            if place < 2:
                rows[:, place + 1] = prompts[:, place]
        np.testing.assert_array_equal(found, rows[:, 1:])


@pytest.mark.slow
def test_ancestral_pieces_follow_the_model(weights: dict) -> None:
    # The first piece is drawn from one known law: a chi-squared test, false alarms 1 in 10,000 (the key is fixed).
    from scipy import stats

    law = np.asarray(jax.nn.softmax(MODEL.apply(weights, jnp.full((1, 1), END))[0, 0]), np.float64)
    rule, no_prompts = parse_rule("ancestral", SHAPE.vocabulary), jnp.zeros((20_000, 0), jnp.int32)
    drawn = np.asarray(generate(jax.random.key(3), rule, weights, no_prompts, model=MODEL, length=1))
    counts = np.bincount(drawn[:, 0], minlength=SHAPE.vocabulary)
    assert stats.chisquare(counts, 20_000 * law / law.sum()).pvalue > 1e-4
