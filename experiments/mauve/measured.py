"""Numbers of many measures on the same sets of samples: rank correlations with MAUVE, a table, a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from experiments.experiment import Table
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.ranks import spearman
from experiments.outcome import RunFolder

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BASE = "MAUVE"


def measures_of(run: RunFolder) -> dict[str, dict[str, float]]:
    """Return the values of each measure by set; results carry both in their settings."""
    found: dict[str, dict[str, float]] = {}
    for result in run.results:
        if result.value is not None and "measure" in result.settings:
            found.setdefault(str(result.settings["measure"]), {})[str(result.settings["set"])] = result.value
    return found


def correlations(
    found: Mapping[str, Mapping[str, float]], descending: Sequence[str] = (), base: str = BASE
) -> dict[str, float]:
    """Return the rank correlation of each measure with the base; of those named as falling with quality, of minus it.

    Args:
        found: Of `measures_of`.
        descending: Measures of which less is better.
        base: The measure that others are compared with.
    """
    sets = list(found[base])
    values = {}
    for name, by_set in found.items():
        if name != base and set(sets) <= set(by_set):
            sign = -1.0 if name in descending else 1.0
            values[name] = spearman([found[base][one] for one in sets], [sign * by_set[one] for one in sets])
    return values


def listed(values: Mapping[str, float]) -> str:
    """Return correlations as words."""
    return ", ".join(f"{name} {value:.3f}" for name, value in values.items())


def measure_tables(run: RunFolder, descending: Sequence[str], caption: str, base: str = BASE) -> dict[str, Table]:
    """Return the correlations, and all values."""
    found = measures_of(run)
    ranks = [[name, round(value, 4)] for name, value in correlations(found, descending, base).items()]
    rows: list[list[str | float | int | None]] = [
        [one, *(round(by_set[one], 5) if one in by_set else None for by_set in found.values())] for one in found[base]
    ]
    sign = f" (of minus it for {', '.join(descending)})" if descending else ""
    return {
        "correlations": Table(f"Rank correlation with {base}{sign}.", ["measure", "Spearman"], ranks),
        "values": Table(caption, ["set", *found], rows),
    }


def measure_figure(run: RunFolder, title: str, base: str = BASE, columns: int = 4) -> Figure:
    """Return every measure against the base."""
    found = measures_of(run)
    sets = list(found[base])
    panels = [
        Panel(name, base, name, [Line("", [found[base][s] for s in sets], [by_set[s] for s in sets], joined=False)])
        for name, by_set in found.items()
        if name != base and set(sets) <= set(by_set)
    ]
    return draw_panels(panels[:12], title, columns=columns)
