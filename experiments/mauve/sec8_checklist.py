"""MAUVE paper, Section 8: its advice as a checklist, every line from data.

Of the section the advice is known, not the text: compare only under the same settings, take a few thousand samples, k
near n/10, several seeds, and change c where scores saturate.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.comparisons import compared
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import ChecklistParams
from experiments.mauve.ranks import spearman
from experiments.mauve.text_features import text_features
from experiments.mauve.text_sets import HUMAN, checked_text_params, described, text_inputs, text_sets
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from fkeax.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

LOG = logging.getLogger(__name__)
LIKE = "k = n/10, c = 5, all texts"  # the settings that others are compared with


def run(config: Config) -> Outcome:
    """Vary one setting at a time for the texts of the main model and of people."""
    params = checked_text_params(config)
    if not isinstance(params, ChecklistParams):
        raise ValueError("params must be those of mauve/sec8_checklist; give params=mauve_sec8_checklist.")
    for name in ("bucket_shares", "sample_shares"):  # before hours of training, not after
        wrong = [share for share in getattr(params, name) if not 0 < share <= 1]
        if wrong:
            raise ValueError(f"params.{name} must be shares above 0 and at most 1, got {wrong[0]:g}.")
    sets = text_sets(config, params)
    reference = text_features(config, params.embedding, sets.human.texts)
    key, n = jax.random.key(config.seed), len(sets.human.texts)
    results = []
    for one in (sets.ceiling, *(text for text in sets.generated if text.model == params.main_model)):
        features = text_features(config, params.embedding, one.texts)
        for what, setting, rows, options in _variations(params, n):
            settings = {"set": one.name, "what": what, "at": setting, "num_texts": rows}
            given: dict[str, Any] = {"num_seeds": params.num_seeds, **options}
            results += compared(key, reference[:rows], features[:rows], settings, **given)
        LOG.info("%s: done", one.name)
    title = f"{config.title} ({described(params, sets)})"
    return Outcome(title, results, {}, None, {"source": sets.corpus.source, "licence": sets.corpus.licence})


def _variations(params: ChecklistParams, n: int) -> list[tuple[str, float, int, dict[str, Any]]]:
    """Return what is varied, its value, the number of texts and the options."""
    return [
        ("base", 0.0, n, {}),
        *(("k/n", share, n, {"num_buckets": max(2, round(share * n))}) for share in params.bucket_shares),
        *(("c", scale, n, {"scale": scale}) for scale in params.scales),
        *(("n", share, max(40, round(share * n)), {}) for share in params.sample_shares),
    ]


class Checked:
    """The results of a run by set, setting and variant."""

    def __init__(self, run: RunFolder) -> None:
        self.results = run.results
        self.sets = list(dict.fromkeys(str(r.settings["set"]) for r in run.results))

    def values(self, what: str, at: float = 0.0, name: str = "mauve") -> dict[str, Result]:
        """Return the results of one setting by set; those without a value are left out."""
        return {
            str(r.settings["set"]): r
            for r in self.results
            if (r.name, r.settings["what"], r.settings["at"]) == (name, what, at) and r.value is not None
        }

    def settings(self, what: str) -> list[float]:
        """Return the values that a setting took."""
        return list(dict.fromkeys(float(str(r.settings["at"])) for r in self.results if r.settings["what"] == what))

    def agreement(self, what: str, at: float, name: str = "mauve") -> float:
        """Return the rank correlation of a setting with the base."""
        base, other = self.values("base"), self.values(what, at, name)
        shared = [one for one in base if one in other]
        return spearman([float(base[one]) for one in shared], [float(other[one]) for one in shared])


def findings(run: RunFolder) -> list[Finding]:
    """Return the checklist."""
    found = Checked(run)
    return [_buckets(found), _smoothing(found), _scale(found), _seeds(found), _size(found), _floor(found)]


def _ranks(found: Checked, what: str, form: str) -> tuple[str, float]:
    values = {at: found.agreement(what, at) for at in found.settings(what)}
    return ", ".join(f"{form.format(at)}: {value:.2f}" for at, value in values.items()), min(values.values())


def _buckets(found: Checked) -> Finding:
    listed, lowest = _ranks(found, "k/n", "k = {:g} n")
    level = ", ".join(
        f"{at:g} n: {np.mean([float(r) for r in found.values('k/n', at).values()]):.2f}" for at in found.settings("k/n")
    )
    agrees = "yes" if lowest > 0.98 else "in trend" if lowest > 0.9 else "no"
    ours = f"rank correlation with k = n/10: {listed}; mean MAUVE at k = {level}: compare only at one k"
    return Finding("k near n/10; the ranking hardly depends on k (k from 100 to 5000: .99 to 1)", ours, agrees)


def _smoothing(found: Checked) -> Finding:
    ranks = {name: found.agreement("base", 0.0, name) for name in ("mauve-smoothed", "mauve-debiased")}
    base = found.values("base")
    shifts = {
        name: float(np.mean([float(r) - float(base[one]) for one, r in found.values("base", 0.0, name).items()]))
        for name in ranks
    }
    listed = "; ".join(f"{name}: rank correlation {ranks[name]:.2f}, shift {shifts[name]:+.3f}" for name in ranks)
    agrees = "yes" if ranks["mauve-smoothed"] > 0.98 else "in trend" if ranks["mauve-smoothed"] > 0.9 else "no"
    return Finding("smoothing changes values, not rankings: use one kind throughout", listed, agrees)


def _scale(found: Checked) -> Finding:
    listed, lowest = _ranks(found, "c", "c = {:g}")
    spans = []
    for at in found.settings("c"):
        values = [float(r) for r in found.values("c", at).values()]
        spans.append(f"c = {at:g}: {min(values):.2f} to {max(values):.2f}")
    agrees = "yes" if lowest == 1 else "nearly" if lowest > 0.95 else "no"
    return Finding(
        "change c where scores saturate; it does not change the ordering (which is false in general)",
        f"MAUVE spans {', '.join(spans)}; rank correlation with c = 5: {listed}",
        agrees,
    )


def _seeds(found: Checked) -> Finding:
    base = found.values("base")
    spreads = [float(str(r.diagnostics["seed_spread"])) for r in base.values() if r.diagnostics.get("seed_spread")]
    ordered = sorted(float(r) for r in base.values())
    gaps = np.diff(ordered)
    spread = float(np.mean(spreads)) if spreads else 0.0
    small = int(np.sum(gaps < 2 * spread))
    ours = f"spread of one quantizer {spread:.4f}; "
    ours += f"{small} of {len(gaps)} gaps between neighbours in rank are below twice it"
    return Finding("take several seeds of the quantizer", ours, "yes" if small else "not needed here")


def _size(found: Checked) -> Finding:
    parts = []
    people = [one for one in found.sets if one.startswith(HUMAN)]
    for at in found.settings("n"):
        values = found.values("n", at)
        count = next(iter(values.values())).settings["num_texts"]
        own = ", ".join(f"{float(values[one]):.3f}" for one in people if one in values)
        debiased = found.values("n", at, "mauve-debiased")
        more = ", ".join(f"{float(debiased[one]):.3f}" for one in people if one in debiased)
        parts.append(f"n = {count}: {own} (debiased {more or '-'}), ranks {found.agreement('n', at):.2f}")
    claim = "take a few thousand samples, and the same number on both sides and for all models"
    lowest = min(found.agreement("n", at) for at in found.settings("n"))
    ours = f"people against people and rank correlation with all texts: {'; '.join(parts)}"
    return Finding(
        claim, ours, "yes: fewer texts reorder the models" if lowest < 0.95 else "ranks hold with fewer here"
    )


def _floor(found: Checked) -> Finding:
    base = found.values("base")
    human = next((r for one, r in base.items() if one.startswith(HUMAN)), None)
    if human is None or not isinstance(human.diagnostics.get("null_floor"), dict):
        return Finding("know what equal laws score", "not computed", "cannot be judged: not computed")
    floor: Any = human.diagnostics["null_floor"]
    above = [one for one, r in base.items() if float(r) > floor["extreme_5_percent"]]
    ours = (
        f"two halves of one law score {floor['mean']:.3f} at this n and k, 95 % of them above "
        f"{floor['extreme_5_percent']:.3f}; people against people {float(human):.3f}; sets above that line: "
        f"{', '.join(above) or 'none'}"
    )
    agrees = "yes" if floor["mean"] < 0.99 else "the floor is 1 to two digits here"
    claim = "MAUVE of equal laws is not 1: look at the floor before saying that a model falls short"
    return Finding(claim, ours, agrees)


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return MAUVE against each setting."""
    found = Checked(run)
    panels = []
    for what, label in (("k/n", "buckets over samples k/n"), ("c", "constant c"), ("n", "share of the texts")):
        lines = []
        for one in found.sets:
            points = [(at, found.values(what, at).get(one)) for at in found.settings(what)]
            known = [(at, r) for at, r in points if r is not None]
            lines.append(Line(one, [at for at, _ in known], [float(r) for _, r in known]))
        panels.append(Panel(what, label, "MAUVE", lines, log_x=what != "c"))
    figure = draw_panels(panels, run.title)
    for axis in figure.axes[1:]:
        legend = axis.get_legend()
        if legend is not None:
            legend.remove()
    return {"checklist": figure}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the values of every set under every setting."""
    found = Checked(run)
    columns = [("base", 0.0, name) for name in ("mauve", "mauve-smoothed", "mauve-debiased")]
    columns += [(what, at, "mauve") for what in ("k/n", "c", "n") for at in found.settings(what)]
    header = ["texts", *("base" + name.removeprefix("mauve") if what == "base" else f"{what} = {at:g}"
                         for what, at, name in columns)]  # fmt: skip
    rows: list[list[str | float | int | None]] = []
    for one in found.sets:
        cells = [found.values(*column).get(one) for column in columns]
        rows.append([one, *(None if cell is None else round(float(cell), 4) for cell in cells)])
    return {"settings": Table(f"MAUVE under one changed setting; base: {LIKE}.", header, rows)}


EXPERIMENT = Experiment(
    place="MAUVE paper, Section 8", run=run, draw=draw, findings=findings, inputs=text_inputs, tables=tables
)
