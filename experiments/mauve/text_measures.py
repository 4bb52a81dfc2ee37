"""What is reported beside MAUVE of a set of texts: copying, repetition, and perplexity under a language model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from experiments.mauve.language_models import LanguageModel
from experiments.mauve.training import piece_losses

COPIED_WORDS = 8  # a run of so many words that also stands in a training text counts as copied


def word_runs(text: str, length: int) -> list[tuple[str, ...]]:
    """Return all runs of so many words of a text, in order."""
    words = text.split()
    return [tuple(words[start : start + length]) for start in range(len(words) - length + 1)]


def known_runs(training: Sequence[str], length: int = COPIED_WORDS) -> set[tuple[str, ...]]:
    """Return all runs of words of the training texts."""
    return {run for text in training for run in word_runs(text, length)}


def copying_rate(texts: Sequence[str], known: set[tuple[str, ...]], length: int = COPIED_WORDS) -> float:
    """Return which share of the runs of words of texts stands in a training text, word for word; 0 without runs."""
    runs = [run for text in texts for run in word_runs(text, length)]
    return sum(run in known for run in runs) / max(len(runs), 1)


def distinct_share(texts: Sequence[str], length: int = 4) -> float:
    """Return the number of different runs of words of all texts over the number of runs (distinct-n); 1 without."""
    runs = [run for text in texts for run in word_runs(text, length)]
    return len(set(runs)) / len(runs) if runs else 1.0


def perplexity(model: LanguageModel, rows: np.ndarray, prompt: int) -> float:
    """Return exp of the mean of -log p of the pieces behind the prompts of documents (n, t)."""
    losses, real = piece_losses(model.shape, model.weights, rows)
    real = real & (np.arange(real.shape[1]) >= prompt)[None]
    if not real.any():
        return 1.0
    return float(np.exp(losses[real].mean(dtype=np.float64)))
