"""FKEA paper, Fig. 2: pictures of a finished run, and what it says about the paper's claims."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.experiment import Finding
from experiments.outcome import RunFolder
from fkeax.report import Curve, ModePanel, mode_grid, score_curves
from fkeax.results import Result

PANELS = {"vendi-1": "VENDI of order 1", "vendi-1.5": "VENDI of order 1.5", "rke": "RKE (VENDI of order 2)"}
TIGHT = 0.05  # "tight approximations" is the paper's word; this is the bound we hold it to
PURE = 0.9


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the two pictures of the figure: scores against the number of digits, and top samples of the modes."""
    panels = {}
    for name, title in PANELS.items():
        curves = [_curve("exact", run.results, name, "exact"), _curve("FKEA, plain", run.results, name, "fkea")]
        curves.append(_curve("FKEA, debiased", run.results, f"{name}-debiased", "fkea"))
        panels[title] = [curve for curve in curves if curve.x]
    settings = run.results[0].settings
    numbers = f"2r = {2 * _whole(run.results[0], 'num_frequencies')}, bandwidth {settings['bandwidth']:g}"
    shown = [
        ModePanel(_mode_title(result), list(pictures.astype(np.float64) / 255))
        for result, pictures in zip(_purities(run.results), run.arrays["top_pictures"], strict=True)
    ]
    return {
        "scores": score_curves(panels, x_label="number of digits", title=f"{run.title}\n{numbers}"),
        "modes": mode_grid(shown, title=f"{run.title}\ntop samples of the leading eigenvectors, {numbers}"),
    }


def findings(run: RunFolder) -> list[Finding]:
    """Return the three claims of the paper about this figure beside what the run says."""
    return [_trend(run), _tightness(run), _modes_are_digits(run)]


def _trend(run: RunFolder) -> Finding:
    parts, shares_of_falls = [], []
    for name in PANELS:
        approximate, exact = (_curve("", run.results, name, estimator) for estimator in ("fkea", "exact"))
        values, falls = approximate.values, _falls(approximate)
        steps = len(values) - 1
        text = f"{name} {values[0]:.3g} to {values[-1]:.3g}, up at {steps - len(falls)} of {steps} steps"
        if falls:
            text += f" (down at t = {' and '.join(map(str, falls))}"
            text += "; so is the exact score)" if falls == _falls(exact) else ")"
        parts.append(text)
        shares_of_falls.append(len(falls) / max(steps, 1) if float(values[-1] or 0) > float(values[0] or 0) else 1.0)
    agrees = (
        "yes" if max(shares_of_falls) == 0 else "in trend, not at every step" if max(shares_of_falls) < 0.4 else "no"
    )
    ours = "; ".join(parts) + (_least_diverse(run.results) if max(shares_of_falls) > 0 else "")
    return Finding("scores increase with the number of digits t = 1 ... 10", ours, agrees)


def _falls(curve: Curve) -> list[int]:
    """Return the numbers of digits at which a curve is lower than one step before."""
    pairs = zip(curve.x[1:], curve.values[:-1], curve.values[1:], strict=True)
    return [int(t) for t, before, after in pairs if before is not None and after is not None and after < before]


def _least_diverse(results: list[Result]) -> str:
    alone = {
        _whole(result, "only_digit"): float(result)
        for result in results
        if result.name == "rke" and "only_digit" in result.settings
    }
    if len(alone) < 2:
        return ""
    least = min(alone, key=alone.__getitem__)
    others = [value for digit, value in alone.items() if digit != least]
    return (
        f". A digit that is little diverse by itself lowers the score of the mixture: RKE of digit {least} alone is "
        f"{alone[least]:.2g}, of the others {min(others):.2g} to {max(others):.2g}"
    )


def _tightness(run: RunFolder) -> Finding:
    worst: dict[str, float] = {}
    errors: list[float] = []
    for name in (*PANELS, *(f"{name}-debiased" for name in PANELS)):
        approximate = _curve("", run.results, name, "fkea")
        exact = _curve("", run.results, name.removesuffix("-debiased"), "exact")
        known = dict(zip(exact.x, exact.values, strict=True))
        for t, value, stderr in zip(approximate.x, approximate.values, approximate.stderrs, strict=True):
            reference = known.get(t)
            if value is None or not reference:
                continue
            worst[name] = max(worst.get(name, 0.0), value / reference - 1, key=abs)
            if name == "rke-debiased" and stderr:
                errors.append(abs(value - reference) / stderr)
    loose = {name: "low" if ratio < 0 else "high" for name, ratio in worst.items() if abs(ratio) > TIGHT}
    listed = ", ".join(f"{name} {100 * ratio:+.1f} %" for name, ratio in worst.items())
    if errors:
        listed += f" (rke-debiased: at most {max(errors):.1f} of its standard errors)"
    tight = ", ".join(name for name in worst if name not in loose) or "none"
    too_far = ", ".join(f"{name} (reads {side})" for name, side in loose.items())
    agrees = "yes" if not loose else f"within {100 * TIGHT:.0f} %: {tight}; not: {too_far}"
    return Finding("FKEA approximates the exact scores tightly", f"largest difference from exact: {listed}", agrees)


def _modes_are_digits(run: RunFolder) -> Finding:
    purities = _purities(run.results)
    pure = [result for result in purities if float(result) >= PURE]
    digits = sorted({int(str(result.diagnostics["digit"])) for result in pure})
    listed = (
        f"{len(pure)} of {len(purities)} modes have at least {100 * PURE:.0f} % of their top samples from one digit; "
        f"digits found so: {', '.join(map(str, digits)) or 'none'}"
    )
    agrees = "yes" if len(pure) == len(purities) else "mostly" if len(pure) >= 0.7 * len(purities) else "no"
    return Finding("the top-25 samples of the top-10 eigenvectors show the digits, the true clusters", listed, agrees)


def _purities(results: list[Result]) -> list[Result]:
    found = [result for result in results if result.name == "mode-purity"]
    return sorted(found, key=lambda result: _whole(result, "mode"))


def _whole(result: Result, setting: str) -> int:
    """Return a setting that is a count."""
    value: Any = result.settings[setting]
    return int(value)


def _mode_title(result: Result) -> str:
    diagnostics: dict[str, Any] = result.diagnostics
    first = f"mode {result.settings['mode']}: {100 * diagnostics['share']:.2g} % of the trace"
    return f"{first}\n{100 * float(result):.0f} % are {diagnostics['digit']}"


def _curve(label: str, results: list[Result], name: str, estimator: str) -> Curve:
    found = [
        r for r in results if r.name == name and r.settings["estimator"] == estimator and "num_digits" in r.settings
    ]
    found.sort(key=lambda result: _whole(result, "num_digits"))
    return Curve(
        label=label,
        x=[_whole(result, "num_digits") for result in found],
        values=[result.value for result in found],
        stderrs=[result.stderr for result in found],
    )
