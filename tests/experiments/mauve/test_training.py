"""Training a small GPT: a run that was stopped or shorter before ends with the weights of one that was not."""

from __future__ import annotations

from pathlib import Path

import jax
import numpy as np
import pytest

from experiments.mauve import training
from experiments.mauve.gpt import Shape
from experiments.mauve.word_pieces import document_starts, read_word_pieces, stream_windows, texts_of, train_word_pieces

SHAPE = Shape(width=8, depth=1, heads=2, vocabulary=300, context=6)
WINDOWS = np.random.default_rng(0).integers(0, 300, (70, 7)).astype(np.int32)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_run_goes_on_where_another_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training, "CHECKPOINT_EVERY", 1)
    with jax.numpy_dtype_promotion("standard"):  # optax's own
        whole = training.train(tmp_path / "whole", SHAPE, WINDOWS, 3, seed=1)
        # A shorter run first; then one that dies in its first step; then the longer one.
        training.train(tmp_path / "parts", SHAPE, WINDOWS, 1, seed=1)
        good, calls = training._step, []

        def dies(*arguments: object) -> object:
            calls.append(1)
            if len(calls) == 2:
                raise KeyboardInterrupt
            return good(*arguments)

        monkeypatch.setattr(training, "_step", dies)
        with pytest.raises(KeyboardInterrupt):
            training.train(tmp_path / "parts", SHAPE, WINDOWS, 3, seed=1)
        monkeypatch.setattr(training, "_step", good)
        parts = training.train(tmp_path / "parts", SHAPE, WINDOWS, 3, seed=1)
        # What the shorter run ended with is still there.
        monkeypatch.setattr(training, "_step", None)
        training.train(tmp_path / "parts", SHAPE, WINDOWS, 1, seed=1)
    for first, second in zip(jax.tree.leaves(whole), jax.tree.leaves(parts), strict=True):
        np.testing.assert_array_equal(first, second)


def test_batches_follow_from_seed_and_step_and_cover_an_epoch() -> None:
    per_epoch = len(WINDOWS) // training.BATCH
    batches = [training.batch_of(WINDOWS, step, per_epoch, seed=1) for step in range(2 * per_epoch)]
    seen = {tuple(row) for batch in batches[:per_epoch] for row in batch}
    assert len(seen) == per_epoch * training.BATCH
    assert not np.array_equal(batches[0], batches[per_epoch])
    np.testing.assert_array_equal(batches[1], training.batch_of(WINDOWS, 1, per_epoch, seed=1))


def test_word_pieces_go_back_to_text_and_windows_begin_with_documents() -> None:
    texts = ["a red lamp, naïve", "two silver coins", "x"]
    tokenizer = read_word_pieces(train_word_pieces(texts, 280))
    rows = document_starts(tokenizer, texts, 20)
    assert texts_of(tokenizer, rows) == texts
    windows = stream_windows(tokenizer, texts, 20)
    assert windows.shape == (3, 21)
    assert (windows[:, 0] == 0).all()
    first = tokenizer.encode(texts[0]).ids
    assert windows[0, 1 : len(first) + 1].tolist() == first
    assert windows[0, len(first) + 1] == 0
    # The last text runs on into the first.
    assert windows[2, 2] == 0
    assert windows[2, 3 : 3 + len(first)].tolist() == first[: 21 - 3]
