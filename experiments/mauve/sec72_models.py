"""MAUVE paper, Section 7.2: the language models themselves, with their loss on the held-out texts.

The paper has GPT-2 of 117 M to 1,542 M parameters; here are GPTs of 0.3 to 3 M, trained by this experiment. A larger
`params.epochs` goes on from what a shorter run left, and a run that was stopped goes on from its last checkpoint.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.corpus import corpus_inputs
from experiments.mauve.gpt import END
from experiments.mauve.language_models import corpus_of, language_model, word_pieces_of
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import LanguageModelParams
from experiments.mauve.training import piece_losses
from experiments.mauve.word_pieces import document_starts
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOG = logging.getLogger(__name__)


def inputs(config: Config) -> Mapping[str, str]:
    """Return names and SHA-256 of the texts."""
    return corpus_inputs(checked_params(config, LanguageModelParams, UNUSED).corpus)


def run(config: Config) -> Outcome:
    """Train what is not trained yet, and compare the losses on held-out and on training texts."""
    params = checked_params(config, LanguageModelParams, UNUSED)
    corpus = corpus_of(config, params)
    results = []
    for name in params.models:
        model = language_model(config, params, corpus, name)
        tokenizer = word_pieces_of(config, corpus, model.shape.vocabulary)
        settings = {
            "model": name, "num_parameters": model.num_parameters, "epochs": model.epochs,
            "num_training_texts": len(corpus.training), "num_held_out": len(corpus.held_out),
            "width": model.shape.width, "depth": model.shape.depth, "context": model.shape.context,
        }  # fmt: skip
        for part, texts in (("held-out", corpus.held_out), ("training", corpus.training[: len(corpus.held_out)])):
            rows = document_starts(tokenizer, texts, model.shape.context)
            losses, real = piece_losses(model.shape, model.weights, rows)
            of_text = (losses * real).sum(axis=1) / real.sum(axis=1)
            error = float(of_text.std(ddof=1) / np.sqrt(len(of_text)))
            diagnostics = {"num_pieces": int(real.sum()), "share_ended": float((rows == END).any(axis=1).mean())}
            value = float(losses[real].mean(dtype=np.float64))
            results.append(fkeax.Result("loss", value, error, settings | {"texts": part}, diagnostics))
            LOG.info("%s, %s texts: %.3f nats a piece", name, part, value)
    title = f"{config.title} ({corpus.name}, not GPT-2 on web text)"
    return Outcome(title, results, {}, float(results[-2]), {"source": corpus.source, "licence": corpus.licence})


def _losses(run: RunFolder, part: str) -> list[fkeax.Result]:
    found = [result for result in run.results if result.settings["texts"] == part]
    return sorted(found, key=lambda result: int(str(result.settings["num_parameters"])))


def findings(run: RunFolder) -> list[Finding]:
    """Return whether larger models are better ones, which all that the section says of size rests on."""
    found = _losses(run, "held-out")
    listed = ", ".join(
        f"{int(str(r.settings['num_parameters'])) / 1e6:.2g} M ({r.settings['epochs']} epochs) {float(r):.3f}"
        for r in found
    )
    values = [float(r) for r in found]
    falling = all(first > second for first, second in pairwise(values))
    agrees = "cannot be judged: one model" if len(found) < 2 else "yes" if falling else "no, at these epochs"
    ours = f"loss on held-out texts in nats a piece: {listed}"
    return [Finding("larger models model the texts better", ours, agrees)]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return losses against size."""
    lines = []
    for part in ("held-out", "training"):
        found = _losses(run, part)
        sizes = [int(str(r.settings["num_parameters"])) for r in found]
        lines.append(Line(f"{part} texts", sizes, [float(r) for r in found], [r.stderr or 0.0 for r in found]))
    return {"losses": draw_panels([Panel("language models", "parameters", "nats a piece", lines, True)], run.title)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return sizes and losses."""
    rows = []
    for held_out, training in zip(_losses(run, "held-out"), _losses(run, "training"), strict=True):
        settings = held_out.settings
        whole = [int(str(settings[name])) for name in ("num_parameters", "epochs", "width", "depth")]
        perplexity = float(np.exp(float(held_out)))
        rows.append([str(settings["model"]), *whole, float(held_out), held_out.stderr, float(training), perplexity])
    header = ["model", "parameters", "epochs", "width", "blocks", "held-out loss", "standard error", "training loss"]
    return {"models": Table("The language models.", [*header, "held-out perplexity of a piece"], rows)}


EXPERIMENT = Experiment(
    place="MAUVE paper, Section 7.2, the models", run=run, draw=draw, findings=findings, inputs=inputs, tables=tables
)
