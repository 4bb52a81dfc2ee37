"""MAUVE paper, Section 7.2: pictures and tables of a finished run, and what it says about the paper's claims.

The section is not in the text at hand; the claims are those of the paper's abstract and of its earlier version.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from experiments.experiment import Finding, Table
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.ranks import judged_above, judged_order, shown
from experiments.mauve.text_sets import HUMAN
from experiments.outcome import RunFolder
from fkeax.results import Result

if TYPE_CHECKING:
    from matplotlib.figure import Figure

OPEN = "cannot be judged"
HELD_OUT = "held-out texts"  # the rule of a model's loss, which is of people's texts


class Found:
    """The results of a run by name, model, rule and length."""

    def __init__(self, run: RunFolder) -> None:
        self.params: dict[str, Any] = run.config["params"]
        self.main = str(self.params["main_model"])
        self.models = [str(name) for name in self.params["models"]]
        self.lengths = [int(length) for length in self.params["lengths"]]
        self._found = {
            (r.name, str(r.settings["model"]), str(r.settings["rule"]), r.settings["length"]): r for r in run.results
        }

    def get(self, name: str, model: str, rule: str, length: int | None = None) -> Result | None:
        """Return one result, at the full length unless another is named; None where it was not computed."""
        return self._found.get((name, model, rule, self.lengths[-1] if length is None else length))

    def rules(self, kind: str, model: str | None = None) -> list[tuple[float, Result]]:
        """Return numbers and MAUVE of the rules of one kind, such as "nucleus", in ascending order."""
        found = [
            (float(rule.partition("=")[2]), result)
            for (name, writer, rule, length), result in self._found.items()
            if (name, writer, length) == ("mauve", model or self.main, self.lengths[-1]) and rule.startswith(f"{kind}=")
        ]
        return sorted(found, key=lambda pair: pair[0])

    def best_nucleus(self, model: str) -> Result | None:
        """Return the best of the nucleus rules of a model."""
        found = self.rules("nucleus", model)
        return max((result for _, result in found), key=float) if found else None


def findings(run: RunFolder) -> list[Finding]:
    """Return every claim beside what was seen."""
    found = Found(run)
    return [
        _orders(found),
        _inverted_u(found, "temperature", "temperature"),
        _inverted_u(found, "nucleus", "the nucleus mass p"),
        _sizes(found),
        _exception(found),
        _lengths(found),
        _other_measures(found),
        _ceiling(found),
        _copying(found),
    ]


def _orders(found: Found) -> Finding:
    claim = "greedy << ancestral < nucleus (GPT-2 xl: .02, .88, .94)"
    parts, verdicts = [], []
    for model in found.models:
        three = [found.best_nucleus(model), *(found.get("mauve", model, rule) for rule in ("ancestral", "greedy"))]
        known = [result for result in three if result is not None]
        if len(known) < 3:
            continue
        parts.append(f"{model}: greedy {shown(known[2])}, ancestral {shown(known[1])}, best nucleus {shown(known[0])}")
        verdicts.append(judged_order(known))
    agrees = f"{OPEN}: not computed" if not verdicts else _joined(verdicts)
    return Finding(claim, "; ".join(parts), agrees)


def _joined(verdicts: list[str]) -> str:
    """Return one verdict for several: theirs where they agree, else how many said yes."""
    if len(set(verdicts)) == 1:
        return verdicts[0]
    if any(verdict.startswith("no") for verdict in verdicts):
        against = sum(verdict.startswith("no") for verdict in verdicts)
        return f"no: against it in {against} of {len(verdicts)} cases"
    return f"in trend: {verdicts.count('yes')} of {len(verdicts)} yes, none against"


def _inverted_u(found: Found, kind: str, words: str) -> Finding:
    points = found.rules(kind)
    ancestral = found.get("mauve", found.main, "ancestral")
    if ancestral is not None:
        points = sorted([*points, (1.0, ancestral)], key=lambda pair: pair[0])
    claim = f"an inverted U in {words}"
    if len(points) < 3:
        return Finding(claim, "fewer than three values", f"{OPEN}: fewer than three values")
    listed = f"{found.main}: " + ", ".join(f"{x:g}: {shown(result)}" for x, result in points)
    best = max(range(len(points)), key=lambda place: float(points[place][1]))
    if best in (0, len(points) - 1):
        end = "largest" if best else "smallest"
        return Finding(claim, listed, f"no: the {end} value is the best, so one side of the U is missing")
    sides = [judged_above(points[best][1], points[end][1]) for end in (0, -1)]
    agrees = "yes" if sides == ["yes", "yes"] else f"in trend: left side {sides[0]}, right side {sides[1]}"
    return Finding(claim, listed, agrees)


def _sizes(found: Found) -> Finding:
    rule = str(found.params["length_rule"])
    claim = "larger models are better under nucleus sampling (.878, .915, .936, .940)"
    known = [(model, found.get("mauve", model, rule)) for model in found.models]
    listed = [(model, result) for model, result in known if result is not None]
    ours = f"{rule}: " + ", ".join(f"{model} {shown(result)}" for model, result in listed)
    agrees = judged_order([result for _, result in reversed(listed)])
    losses = [(model, found.get("loss", model, HELD_OUT)) for model, _ in listed]
    known_losses = [(model, float(result)) for model, result in losses if result is not None]
    if len(known_losses) == len(listed) > 1:
        ours += "; loss on held-out texts in nats a piece: "
        ours += ", ".join(f"{model} {loss:.3f}" for model, loss in known_losses)
        by_mauve = [model for model, _ in sorted(listed, key=lambda pair: -float(pair[1]))]
        by_loss = [model for model, _ in sorted(known_losses, key=lambda pair: pair[1])]
        if not agrees.startswith("yes") and by_mauve == by_loss:
            agrees += "; MAUVE ranks the models as their losses do, and the largest here is not the best trained"
    return Finding(claim, ours, agrees)


def _exception(found: Found) -> Finding:
    claim = "ancestral sampling: small (.589) is above medium (.373), and people agree"
    two = [found.get("mauve", model, "ancestral") for model in ("small", "medium")]
    if two[0] is None or two[1] is None:
        return Finding(claim, "not computed", f"{OPEN}: not computed")
    above = judged_above(two[0], two[1])
    ours = f"small {shown(two[0])}, medium {shown(two[1])}"
    agrees = {"yes": "yes", "no": "no: here medium is above small"}.get(above, f"{OPEN}: {above}")
    return Finding(claim, ours, agrees)


def _by_length(found: Found, name: str, model: str) -> list[tuple[int, Result]]:
    rule = str(found.params["length_rule"])
    results = [(length, found.get(name, model, rule, length)) for length in found.lengths]
    return [(length, result) for length, result in results if result is not None]


def _lengths(found: Found) -> Finding:
    parts, verdicts = [], []
    for model in found.models:
        points = _by_length(found, "mauve", model)
        parts.append(f"{model} " + ", ".join(f"{length}: {shown(result)}" for length, result in points))
        verdicts.append(judged_order([result for _, result in points]))
    return Finding("MAUVE falls with the length of the text at every size", "; ".join(parts), _joined(verdicts))


def _other_measures(found: Found) -> Finding:
    parts, monotone = [], []
    for name, worse in (("perplexity", "gap to people's"), ("frechet", "distance")):
        for model in found.models:
            points = _by_length(found, name, model)
            values = [float(result) for _, result in points]
            if name == "perplexity":
                people = [found.get(name, HUMAN, "held out", length) for length, _ in points]
                values = [abs(v - float(p)) for v, p in zip(values, people, strict=True) if p is not None]
            parts.append(f"{name} ({worse}), {model}: " + ", ".join(f"{value:.3g}" for value in values))
            monotone.append(all(first < second for first, second in pairwise(values)))
    rising = sum(monotone)
    agrees = "yes" if rising == 0 else f"no: {rising} of {len(monotone)} curves get worse at every step"
    claim = "generation perplexity and the Frechet distance do not show that longer texts are worse"
    return Finding(claim, "; ".join(parts), agrees if found.models else OPEN)


def _ceiling(found: Found) -> Finding:
    human = found.get("mauve", HUMAN, "other texts")
    best = [found.best_nucleus(model) for model in found.models]
    known = [result for result in best if result is not None]
    if human is None or not known:
        return Finding("people's texts are nearest to people's", "not computed", f"{OPEN}: not computed")
    top = max(known, key=float)
    ours = f"people against people {shown(human)}, best model {top.settings['model']} {shown(top)}"
    note = "people's second texts share no prompts with the first, the models' do"
    return Finding("no model comes up to people's own texts (the ceiling)", f"{ours}; {note}", judged_above(human, top))


def _copying(found: Found) -> Finding:
    people = found.get("copying-rate", HUMAN, "held out")
    rates = [(model, found.get("copying-rate", model, str(found.params["length_rule"]))) for model in found.models]
    listed = ", ".join(f"{model} {100 * float(rate):.2f} %" for model, rate in rates if rate is not None)
    own = 0.0 if people is None else float(people)
    copied = [float(rate) for _, rate in rates if rate is not None]
    agrees = "yes" if copied and max(copied) < own + 0.02 else "no: they copy" if copied else OPEN
    ours = f"runs of 8 words that stand in a training text: {listed}; people's held-out texts {100 * own:.2f} %"
    return Finding("the generations are not copies of the training texts (no claim of the paper)", ours, agrees)


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return MAUVE against temperature, nucleus mass, size and length."""
    found = Found(run)
    human = found.get("mauve", HUMAN, "other texts")
    levels = {} if human is None else {"people": float(human)}
    panels = []
    for kind, label in (("temperature", "temperature"), ("nucleus", "nucleus mass p"), ("top-k", "top-k")):
        points = found.rules(kind)
        ancestral = found.get("mauve", found.main, "ancestral")
        if kind != "top-k" and ancestral is not None:
            points = sorted([*points, (1.0, ancestral)], key=lambda pair: pair[0])
        if points:
            lines = [_variant(found, label, kind, points, suffix) for suffix, label in _VARIANTS.items()]
            panels.append(Panel(f"{found.main} model", label, "MAUVE", lines, log_x=kind == "top-k", levels=levels))
    lines = []
    for model in found.models:
        points = [(float(length), result) for length, result in _by_length(found, "mauve", model)]
        lines.append(_line(model, points))
    panels.append(Panel(str(found.params["length_rule"]), "pieces of a text", "MAUVE", lines))
    sizes = []
    for rule in dict.fromkeys([*found.params["rules_of_sizes"], found.params["length_rule"]]):
        known = [(model, found.get("mauve", model, str(rule))) for model in found.models]
        listed = [(model, result) for model, result in known if result is not None]
        sizes.append(
            Line(str(rule), [model for model, _ in listed], [float(r) for _, r in listed],
                 [r.stderr or 0.0 for _, r in listed])
        )  # fmt: skip
    panels.append(Panel("size", "model", "MAUVE", sizes, levels=levels))
    return {"mauve": draw_panels(panels, run.title)}


_VARIANTS = {"": "plug-in", "-smoothed": "Krichevsky-Trofimov", "-debiased": "debiased"}


def _variant(found: Found, label: str, kind: str, points: list[tuple[float, Result]], suffix: str) -> Line:
    known = []
    for x, result in points:
        other = found.get(f"mauve{suffix}", found.main, str(result.settings["rule"]))
        if other is not None and other.value is not None:
            known.append((x, other))
    return _line(label, known)


def _line(label: str, points: list[tuple[float, Result]]) -> Line:
    return Line(label, [x for x, _ in points], [float(r) for _, r in points], [r.stderr or 0.0 for _, r in points])


def tables(run: RunFolder) -> dict[str, Table]:
    """Return all texts with all measures."""
    found = Found(run)
    rows: list[list[str | float | int | None]] = []
    for result in run.results:
        if result.name != "mauve":
            continue
        model, rule, length = (result.settings[name] for name in ("model", "rule", "length"))
        cells: list[str | float | int | None] = [str(model), str(rule), None if length is None else int(str(length))]
        cells += [round(float(result), 4), None if result.stderr is None else round(result.stderr, 4)]
        at = None if length is None else int(str(length))
        for name in ("mauve-smoothed", "mauve-debiased", "frechet", "perplexity", "copying-rate", "distinct-4"):
            other = found.get(name, str(model), str(rule), at)
            cells.append(None if other is None or other.value is None else round(other.value, 4))
        rows.append(cells)
    header = ["texts", "rule", "pieces", "MAUVE", "standard error", "smoothed", "debiased", "Frechet"]
    header += ["perplexity", "copied", "distinct-4"]
    people = [found.get(name, HUMAN, "held out") for name in ("perplexity", "copying-rate", "distinct-4")]
    numbers = ", ".join(f"{r.name} {float(r):.4g}" for r in people if r is not None)
    caption = f"Texts against the held-out texts of people, of which: {numbers}."
    return {"texts": Table(caption, header, rows)}
