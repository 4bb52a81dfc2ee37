"""FKEA paper, Fig. 2: pictures and tables of a finished run, and what it says about the paper's claims."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from experiments.experiment import Finding, Table
from experiments.fkea import shown
from experiments.outcome import RunFolder
from fkeax.report import ModePanel, mode_grid, score_curves
from fkeax.results import Result


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the two pictures of the figure: scores against the number of digits, and top samples of the modes."""
    numbers = shown.numbers(run.results[0])
    panels = [
        ModePanel(shown.mode_title(result), list(pictures.astype(np.float64) / 255))
        for result, pictures in zip(shown.mode_purities(run.results), run.arrays["top_pictures"], strict=True)
    ]
    return shown.compact(
        {
            "scores": score_curves(
                shown.score_panels(run.results, "num_digits"),
                x_label="number of digits",
                title=shown.heading(run.title, numbers),
            ),
            "modes": mode_grid(
                panels, title=shown.heading(run.title, f"top samples of the leading eigenvectors, {numbers}")
            ),
        }
    )


def findings(run: RunFolder) -> list[Finding]:
    """Return the three claims of the paper about this figure beside what the run says."""
    return [
        shown.trend(
            run.results,
            "num_digits",
            claim="scores increase with the number of digits t = 1 ... 10",
            reason=_least_diverse(run.results),
        ),
        shown.tightness(run.results, "num_digits", claim="FKEA approximates the exact scores tightly"),
        shown.pure_modes(
            run.results,
            claim="the top-25 samples of the top-10 eigenvectors show the digits, the true clusters",
            what="digit",
        ),
    ]


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the scores against the number of digits, and the digits of every mode."""
    return {
        "scores": shown.score_table(
            run.results, "num_digits", caption="Scores of the digits 0 to t - 1, exact and through random features."
        ),
        "modes": shown.share_table(run.results, caption="Digits among the top samples of every mode."),
    }


def _least_diverse(results: list[Result]) -> str:
    alone = {
        shown.whole(result, "only_digit"): float(result)
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
