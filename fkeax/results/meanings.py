"""What it takes to read a score, in one sentence each: its range, its bias, what to report in its place."""

from __future__ import annotations

from collections.abc import Sequence

from fkeax.results.formatting import format_share
from fkeax.results.result import Result

MEANINGS = {
    "rke-debiased": "rke without the bias of the random frequencies; the one to report",
    "rke-population": "over pairs of distinct samples only; estimates the population's, whatever n",
    "mauve": "area under the divergence frontier; 1 for equal laws, biased low by about buckets / n",
    "mauve-debiased": "the same less its first-order bias; may leave [0, 1] by noise",
    "kid": "unbiased: at equal laws it is 0 on average, and can be negative",
    "ken": "novel mass times the entropy of the novel modes; above 0 by noise even at equal laws",
    "finc": "ken through random features: reads low, most where many small modes are novel",
    "rrke": "0 for equal samples; above 0 by noise at equal laws: compare with two halves of the reference",
    "frechet": "biased upward by about d / n; compare only at equal n",
}
NOTABLE_MASS = 1e-5  # moves a score by about ten times as much, the fourth digit


def meanings_of(results: Sequence[Result]) -> list[str]:
    """Say of each score among results what it takes to read it, and how much of a spectrum counts as rounding.

    Example:
        >>> meanings_of([Result("kid", 0.1, 0.02, {}, {})])
        ['kid: unbiased: at equal laws it is 0 on average, and can be negative']
    """
    names = {result.name for result in results}
    notes = [f"{name}: {meaning}" for name, meaning in MEANINGS.items() if name in names]
    spectral = [result for result in results if result.name.startswith("vendi")]
    if any(result.name.endswith("-debiased") for result in spectral):
        notes.append(
            "vendi-...-debiased: vendi without the leading bias of the random frequencies (-second: and the next); "
            "plain vendi by fkea reads low, most at low orders"
        )
    elif any(result.settings.get("estimator") == "fkea" for result in spectral):
        notes.append(
            "vendi by fkea reads low, most at low orders; vendi-debiased among the --metrics shows by how much"
        )
    removed = [
        (mass, result) for result in results if isinstance(mass := result.diagnostics.get("mass_removed"), float)
    ]
    lost, where = max(removed, key=lambda one: one[0], default=(0.0, None))
    if where is not None and lost > NOTABLE_MASS:
        wider = "; --dtype float64 keeps them" if where.settings.get("dtype") == "float32" else ""
        notes.append(f"note: eigenvalues below rounding, {format_share(lost)} of the sum, count as 0{wider}")
    return notes
