"""MAUVE paper, Fig. 2 right: how decoding reshapes the law of the next word piece."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.decoding import parse_rule, reshaped_logits
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import ReshapingParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run(config: Config) -> Outcome:
    """Reshape a Zipf law by every rule."""
    params = checked_params(config, ReshapingParams, UNUSED)
    logits = -1.2 * jnp.log(jnp.arange(1, params.vocabulary + 1, dtype=jnp.float32))
    laws = {
        words: np.asarray(jax.nn.softmax(reshaped_logits(logits, parse_rule(words, params.vocabulary))), np.float64)
        for words in params.rules
    }
    results = [
        fkeax.Result(name, value, None, {"rule": words}, {})
        for words, law in laws.items()
        for name, value in (
            ("entropy", -float(np.sum(law[law > 0] * np.log(law[law > 0])))),
            ("num-kept", float(np.sum(law > 0))),
            ("largest", float(law.max())),
        )
    ]
    arrays = {"laws": np.stack(list(laws.values()))}
    return Outcome(config.title, results, arrays, None, {"source": "A Zipf law.", "licence": "None."})


def _values(run: RunFolder, name: str) -> dict[str, float]:
    return {str(r.settings["rule"]): float(r) for r in run.results if r.name == name}


def findings(run: RunFolder) -> list[Finding]:
    """Return what Section 2.1 says of the rules."""
    entropy, kept = _values(run, "entropy"), _values(run, "num-kept")
    cold = {words: value for words, value in entropy.items() if words.startswith("temperature=")}
    cooler = [words for words in cold if float(words.partition("=")[2]) < 1]
    peaked = all(cold[words] < entropy["ancestral"] for words in cooler)
    exact = all(kept[words] == float(words.partition("=")[2]) for words in kept if words.startswith("top-k="))
    full = max(kept.values())
    sparse = all(kept[words] < full for words in kept if words.startswith(("top-k=", "nucleus=")))
    return [
        Finding(
            "a temperature below 1 makes the law more peaked",
            "; ".join(f"{words}: entropy {value:.2f}" for words, value in cold.items())
            + f"; as it is: {entropy['ancestral']:.2f}",
            "yes" if peaked else "no",
        ),
        Finding(
            "top-K keeps the K most probable pieces, nucleus a sparse law too; K = 1 is greedy decoding",
            ", ".join(f"{words}: {int(value)} kept" for words, value in kept.items()),
            "yes" if exact and sparse and kept["greedy"] == 1 else "no",
        ),
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the reshaped laws."""
    ranks = np.arange(1, run.arrays["laws"].shape[1] + 1)
    names = list(_values(run, "entropy"))
    lines = {words: Line(words, ranks, law) for words, law in zip(names, run.arrays["laws"], strict=True)}
    first = [line for words, line in lines.items() if words.startswith(("ancestral", "temperature"))]
    second = [line for words, line in lines.items() if not words.startswith("temperature")]
    panels = [
        Panel("temperature", "rank of the piece", "probability", first),
        Panel("truncation", "rank of the piece", "probability", second),
    ]
    return {"laws": draw_panels(panels, run.title)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return what every rule keeps."""
    found = [_values(run, name) for name in ("num-kept", "entropy", "largest")]
    rows = [[words, int(found[0][words]), found[1][words], found[2][words]] for words in found[0]]
    header = ["rule", "pieces kept", "entropy in nats", "largest probability"]
    return {"rules": Table("A law of the next piece under every rule.", header, rows)}


EXPERIMENT = Experiment(place="MAUVE paper, Fig. 2 right", run=run, draw=draw, findings=findings, tables=tables)
