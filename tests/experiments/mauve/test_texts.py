"""Files of generations, measures of texts, orders with errors, and truths that estimators are held against."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from experiments.mauve.corpus import load_corpus
from experiments.mauve.generations import read_generations, read_gpt2_outputs
from experiments.mauve.laws import drawn_law, exact_frontier_integral
from experiments.mauve.measured import correlations
from experiments.mauve.params import TextParams
from experiments.mauve.ranks import judged_above, judged_order, spearman
from experiments.mauve.sec71_humans import CLAIMED, PUBLISHED, QUESTIONS
from experiments.mauve.sec73_estimators import true_mauve
from experiments.mauve.sec75_embeddings import frequent_words, word_frequencies
from experiments.mauve.text_features import byte_frequencies
from experiments.mauve.text_measures import copying_rate, distinct_share, known_runs
from experiments.mauve.text_sets import text_inputs, users_texts
from experiments.schema import Config, Data, Encoder, Estimator, Features, Kernel
from fkeax.results import Result
from tests.frontier import oracle

UNUSED_KINDS = {"data": Data, "encoder": Encoder, "kernel": Kernel, "features": Features, "estimator": Estimator}


def write(path: Path, *texts: str) -> Path:
    path.write_text("".join(json.dumps({"id": 1, "text": text}) + "\n" for text in texts))
    return path


def test_generations_are_read_from_lines_of_json(tmp_path: Path) -> None:
    path = write(tmp_path / "own.jsonl", "one", "two\nlines")
    assert read_generations(path) == ["one", "two\nlines"]
    path.write_text('{"text": "one"}\n{"text": 3}\n')
    with pytest.raises(ValueError, match=r'line 2: expected an object with a non-empty "text"'):
        read_generations(path)
    path.write_text("{\n")
    with pytest.raises(ValueError, match=r"line 1: not JSON"):
        read_generations(path)


def test_a_folder_of_gpt2_outputs_has_people_first(tmp_path: Path) -> None:
    write(tmp_path / "small-117M.test.jsonl", "machine")
    with pytest.raises(FileNotFoundError, match=r"holds no webtext.test.jsonl"):
        read_gpt2_outputs(tmp_path)
    write(tmp_path / "webtext.test.jsonl", "people")
    write(tmp_path / "webtext.train.jsonl", "not this split")
    assert read_gpt2_outputs(tmp_path) == {"webtext": ["people"], "small-117M": ["machine"]}
    assert list(read_gpt2_outputs(tmp_path)) == ["webtext", "small-117M"]


def test_copies_and_repetitions_are_counted() -> None:
    known = known_runs(["a b c d e"], 3)
    # Runs of three of the first text: abc (known), bcx, of the second: cde (known).
    assert copying_rate(["a b c x", "c d e"], known, 3) == pytest.approx(2 / 3)
    assert copying_rate(["a b"], known, 3) == 0
    assert distinct_share(["a a a a", "a a a a"], 2) == pytest.approx(1 / 6)


def test_bags_of_bytes_and_words_are_shares() -> None:
    rows = byte_frequencies(["aab", ""])
    assert rows[0, [ord("a"), ord("b")]] == pytest.approx([2 / 3, 1 / 3])
    assert rows[1, ord(".")] == 1
    words = frequent_words(("the cat", "The end"), 2)
    assert words == ("the", "cat")
    np.testing.assert_allclose(word_frequencies(("the the dog",), words), [[2 / 3, 0, 1 / 3]], rtol=1e-6)


def test_corpus_is_split_by_the_seed() -> None:
    first, again, other = (load_corpus("grammar", 100, seed) for seed in (0, 0, 1))
    assert first == again
    assert len(first.held_out) == 100
    assert first.held_out != other.held_out
    with pytest.raises(ValueError, match=r"params.num_documents must be at least 1 and below 1200, got 1200"):
        load_corpus("grammar", 1200, 0)
    with pytest.raises(ValueError, match=r"params.corpus must be 'wikipedia' or 'grammar', got 'x'"):
        load_corpus("x", 1, 0)


def result(value: float, stderr: float) -> Result:
    return Result("mauve", value, stderr, {}, {})


def test_orders_are_judged_with_their_errors() -> None:
    low, near, high = result(0.1, 0.01), result(0.11, 0.01), result(0.5, 0.01)
    assert [judged_above(high, low), judged_above(low, high), judged_above(near, low)] == [
        "yes",
        "no",
        "within the errors",
    ]
    assert judged_order([high, low]) == "yes"
    assert judged_order([high, near, low]).startswith("in trend: 1 of 2")
    assert judged_order([low, high]).startswith("no: 1 of 1")
    assert judged_order([near, low]).startswith("cannot be judged")
    assert judged_order([low]).startswith("cannot be judged")


def test_the_published_correlations_come_back() -> None:
    values = np.array(list(PUBLISHED.values()))
    found = {question: round(spearman(values[:, 0], values[:, i]), 3) for i, question in enumerate(QUESTIONS, 1)}
    assert found == CLAIMED
    assert spearman([1, 2], [3, 3]) == 0


def test_correlations_take_minus_of_falling_measures() -> None:
    found = {"MAUVE": {"a": 1.0, "b": 2.0, "c": 3.0}, "up": {"a": 1.0, "b": 5.0, "c": 9.0}, "part": {"a": 1.0}}
    found["down"] = {"a": 3.0, "b": 2.0, "c": 1.0}
    assert correlations(found, ["down"]) == {"up": pytest.approx(1), "down": pytest.approx(1)}


def test_truths_of_gaussians_and_of_discrete_laws() -> None:
    # The unit shift on mauve-text's grid; single precision of the 20,001 bins leaves 1e-5.
    assert true_mauve(1.0) == pytest.approx(0.631403, abs=2e-5)
    rng = np.random.default_rng(0)
    p, q = (drawn_law(name, 50, rng) for name in ("dirichlet-1", "zipf-1.5"))
    assert exact_frontier_integral(p, q) == pytest.approx(oracle.frontier_integral_kl(p, q), rel=1e-10)
    with pytest.raises(ValueError, match=r"a law must be zipf-EXPONENT"):
        drawn_law("step", 5, rng)


def test_a_users_folder_is_read_beside_the_models(tmp_path: Path) -> None:
    write(tmp_path / "webtext.test.jsonl", "people")
    write(tmp_path / "own.test.jsonl", "machine", "another")
    params = TextParams(
        corpus="grammar",
        models=["tiny"],
        epochs=[1],
        main_model="tiny",
        embedding="characters",
        lengths=[12],
        generations=str(tmp_path),
    )
    nothing = {group: kind(name="none") for group, kind in UNUSED_KINDS.items()}
    config = Config(name="mauve/sec72_decoding", origin=str(tmp_path), params=params, **nothing)
    assert users_texts(config, params) == {"webtext": ["people"], "own": ["machine", "another"]}
    assert set(text_inputs(config)) == {"webtext.test.jsonl", "own.test.jsonl"}
    params.lengths = [4]
    with pytest.raises(ValueError, match=r"params.lengths must be ascending, above params.prompt = 8"):
        text_inputs(config)
    params.lengths, params.generations = [12], "missing"
    with pytest.raises(FileNotFoundError, match=r"params.generations: there is no folder"):
        text_inputs(config)
