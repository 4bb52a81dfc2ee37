"""Curves, tables and findings that the paper's figures have in common: scores against a count, and modes."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.figure import Figure

from experiments.experiment import Finding, Table
from experiments.fkea.mode_labels import PURE
from fkeax.report import Curve
from fkeax.results import Result

PANELS = {"vendi-1": "VENDI of order 1", "vendi-1.5": "VENDI of order 1.5", "rke": "RKE (VENDI of order 2)"}
TITLE_WIDTH = 90
PAGE_SCALE = 0.75
TIGHT = 0.05  # "tight approximations" is the paper's word; this is the bound we hold it to
FEW_FALLS = 0.4  # share of steps that may go down while the trend counts as one


def whole(result: Result, setting: str) -> int:
    """Return a setting that is a count."""
    value: Any = result.settings[setting]
    return int(value)


def curve(label: str, results: Sequence[Result], name: str, estimator: str, setting: str) -> Curve:
    """Return one score against a setting, as far as it was computed."""
    found = [
        r for r in results if r.name == name and r.settings.get("estimator") == estimator and setting in r.settings
    ]
    positions: Any = {id(result): result.settings[setting] for result in found}
    found.sort(key=lambda result: positions[id(result)])
    return Curve(
        label=label,
        x=[positions[id(result)] for result in found],
        values=[result.value for result in found],
        stderrs=[result.stderr for result in found],
    )


def score_panels(results: Sequence[Result], setting: str) -> dict[str, list[Curve]]:
    """Return a panel for each score: exact, plain and debiased."""
    panels = {}
    for name, title in PANELS.items():
        curves = [
            curve("exact", results, name, "exact", setting),
            curve("FKEA, plain", results, name, "fkea", setting),
            curve("FKEA, debiased", results, f"{name}-debiased", "fkea", setting),
        ]
        if any(one.x for one in curves):
            panels[title] = [one for one in curves if one.x]
    return panels


def heading(title: str, *lines: str) -> str:
    """Return what stands above a figure: the title, wrapped, and further lines."""
    return "\n".join([*textwrap.wrap(title, TITLE_WIDTH), *lines])


def compact(figures: Mapping[str, Figure]) -> dict[str, Figure]:
    """Return figures at a size that is enough for a page and keeps their files small."""
    for figure in figures.values():
        figure.set_size_inches(*(PAGE_SCALE * figure.get_size_inches()))
    return dict(figures)


def numbers(result: Result) -> str:
    """Return features and bandwidth of a result in words."""
    return f"2r = {2 * whole(result, 'num_frequencies')}, bandwidth {result.settings['bandwidth']:.3g}"


def trend(results: Sequence[Result], setting: str, *, claim: str, symbol: str = "t", reason: str = "") -> Finding:
    """Return whether all scores rise with a setting, and where they do not whether the exact one does not either.

    Args:
        results: Of the run.
        setting: That the scores are taken against.
        claim: The paper's words.
        symbol: Of the setting, in our words.
        reason: A sentence that is added where a score falls somewhere.
    """
    parts, shares_of_falls, explained = [], [], True
    for name in PANELS:
        found, exact = (curve("", results, name, estimator, setting) for estimator in ("fkea", "exact"))
        if len(found.x) < 2:
            parts += [
                f"{name} {value:.3g} at {symbol} = {x:g} alone"
                for x, value in zip(found.x, found.values, strict=True)
                if value
            ]
            continue
        values, falls = found.values, _falls(found)
        steps = len(values) - 1
        text = f"{name} {values[0]:.3g} to {values[-1]:.3g}, up at {steps - len(falls)} of {steps} steps"
        if falls:
            same = set(falls) <= set(_falls(exact))
            explained = explained and same
            text += f" (down at {symbol} = {' and '.join(f'{x:g}' for x in falls)}"
            text += "; so is the exact score)" if same else ")"
        parts.append(text)
        shares_of_falls.append(len(falls) / steps if float(values[-1] or 0) > float(values[0] or 0) else 1.0)
    if not shares_of_falls:
        return Finding(claim, "; ".join(parts) or "no score", "cannot be judged: fewer than two points")
    worst = max(shares_of_falls)
    agrees = "yes" if worst == 0 else "in trend, not at every step" if worst <= FEW_FALLS else "no"
    if worst > FEW_FALLS and explained:
        agrees = "no: neither do the exact scores"
    return Finding(claim, "; ".join(parts) + (reason if worst > 0 else ""), agrees)


def _falls(one: Curve) -> list[float]:
    """Return the positions at which a curve is lower than one step before."""
    pairs = zip(one.x[1:], one.values[:-1], one.values[1:], strict=True)
    return [x for x, before, after in pairs if before is not None and after is not None and after < before]


def tightness(results: Sequence[Result], setting: str, *, claim: str) -> Finding:
    """Return how far the scores through features are from the exact ones, plain and debiased."""
    worst: dict[str, float] = {}
    errors: list[float] = []
    for name in (*PANELS, *(f"{name}-debiased" for name in PANELS)):
        found = curve("", results, name, "fkea", setting)
        exact = curve("", results, name.removesuffix("-debiased"), "exact", setting)
        known = dict(zip(exact.x, exact.values, strict=True))
        for x, value, stderr in zip(found.x, found.values, found.stderrs, strict=True):
            reference = known.get(x)
            if value is None or not reference:
                continue
            worst[name] = max(worst.get(name, 0.0), value / reference - 1, key=abs)
            if name == "rke-debiased" and stderr:
                errors.append(abs(value - reference) / stderr)
    if not worst:
        return Finding(claim, "no exact score was affordable", "cannot be judged: no exact score")
    loose = {name: "low" if ratio < 0 else "high" for name, ratio in worst.items() if abs(ratio) > TIGHT}
    listed = ", ".join(f"{name} {100 * ratio:+.1f} %" for name, ratio in worst.items())
    if errors:
        listed += f" (rke-debiased: at most {max(errors):.1f} of its standard errors)"
    tight = ", ".join(name for name in worst if name not in loose) or "none"
    too_far = ", ".join(f"{name} (reads {side})" for name, side in loose.items())
    agrees = "yes" if not loose else f"within {100 * TIGHT:.0f} %: {tight}; not: {too_far}"
    return Finding(claim, f"largest difference from exact: {listed}", agrees)


def mode_purities(results: Sequence[Result]) -> list[Result]:
    """Return the purities of the modes, in their order."""
    return sorted((r for r in results if r.name == "mode-purity"), key=lambda result: whole(result, "mode"))


def pure_modes(results: Sequence[Result], *, claim: str, what: str, pure: float = PURE) -> Finding:
    """Return how many modes have nearly all their top samples from one class, and which classes they show."""
    found = mode_purities(results)
    clean = [result for result in found if float(result) >= pure]
    labels = sorted({str(result.diagnostics["label"]) for result in clean})
    ours = (
        f"{len(clean)} of {len(found)} modes have at least {100 * pure:.0f} % of their top samples from one {what}; "
        f"found so: {', '.join(labels) or 'none'}"
    )
    agrees = "yes" if len(clean) == len(found) else "mostly" if len(clean) >= 0.7 * len(found) else "no"
    if 0.3 * len(found) <= len(clean) < 0.7 * len(found):
        agrees = "in part"
    return Finding(claim, ours, agrees)


def mode_title(result: Result) -> str:
    """Return what stands above the pictures of a mode."""
    diagnostics: dict[str, Any] = result.diagnostics
    first = f"mode {result.settings['mode']}: {100 * diagnostics['share']:.2g} % of the trace"
    return f"{first}\n{100 * float(result):.0f} % are {diagnostics['label']}"


def score_table(results: Sequence[Result], setting: str, *, caption: str) -> Table:
    """Return all scores against a setting, one row a value of it."""
    names = [name for score in PANELS for name in (score, f"{score}-debiased")]
    columns = [("exact", name) for name in PANELS] + [("fkea", name) for name in names]
    header = [
        setting.replace("_", " "),
        "n",
        *(f"{name} {'exact' if by == 'exact' else 'FKEA'}" for by, name in columns),
    ]
    at: dict[Any, list[Result]] = {}
    for result in results:
        if setting in result.settings:
            at.setdefault(result.settings[setting], []).append(result)
    rows = []
    for position, here in sorted(at.items()):
        values = {(str(result.settings.get("estimator")), result.name): result.value for result in here}
        cells = [_rounded(values.get(column)) for column in columns]
        rows.append([position, whole(here[0], "num_samples"), *cells])
    return Table(caption=caption, header=header, rows=rows)


def share_table(results: Sequence[Result], *, caption: str, most: int = 5) -> Table:
    """Return the classes of the top samples of every mode, as in the paper's Table 3."""
    rows = []
    for result in mode_purities(results):
        diagnostics: dict[str, Any] = result.diagnostics
        total = whole(result, "num_top_samples")
        shares = [f"{name} {100 * count / total:.0f} %" for name, count in list(diagnostics["counts"].items())[:most]]
        rows.append([whole(result, "mode"), _rounded(diagnostics["share"]), ", ".join(shares)])
    return Table(caption=caption, header=["mode", "share of the trace", "classes of the top samples"], rows=rows)


def _rounded(value: float | None) -> float | None:
    """Return four digits: a record is read by people, and what lies beyond is rounding of the features."""
    return None if value is None else float(f"{value:.4g}")
