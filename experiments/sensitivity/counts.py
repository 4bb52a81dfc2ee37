"""Rejection counts as results of a run, and as the words, tables and verdicts of the pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from experiments.experiment import Table
from experiments.sensitivity.spaces import space as find_space

if TYPE_CHECKING:
    from experiments.outcome import RunFolder
    from fkeax.results import Result
    from fkeax.sensitivity import Rate

POWER = "power"
FACTS = "space"
MANY_TIES = 0.2
QUARTER = 0.25
REAL = ("music", "audio", "images")


@dataclass(frozen=True)
class Count:
    """Rejections of one test of one change in one space.

    Attributes:
        space: Name.
        test: Name.
        change: Name.
        strength: Of the change.
        n: Rows of either side.
        rejections: Out of `draws`.
        draws: 0 where the change could not be made.
        interval: Clopper-Pearson, 95 %.
        z: Mean over draws.
        distance: Mean W2 over rho of the space; None where it is not known.
        infeasible: Why the change could not be made.
    """

    space: str
    test: str
    change: str
    strength: float
    n: int
    rejections: int
    draws: int
    interval: tuple[float, float]
    z: float | None
    distance: float | None
    infeasible: str | None

    @property
    def rate(self) -> float:
        """Rejections over draws."""
        return self.rejections / self.draws if self.draws else float("nan")

    @property
    def kind(self) -> str:
        """Of the space."""
        return find_space(self.space).kind

    def within(self, low: float, high: float) -> bool | None:
        """Whether the rate lies in a claimed range; None where the draws are too few to say.

        No: the interval misses the range. Yes: the rate is in it, and the interval tells few from most: its end away
        from 1 is above a quarter, or its end away from 0 below three quarters, as the range asks.
        """
        if self.interval[1] < low or self.interval[0] > high:
            return False
        tells = (high < 1 or self.interval[0] > QUARTER) and (low > 0 or self.interval[1] < 1 - QUARTER)
        return True if low <= self.rate <= high and tells else None

    def __str__(self) -> str:
        """Return "7/10 (0.35-0.93)"."""
        if not self.draws:
            return "impossible"
        return f"{self.rejections}/{self.draws} ({self.interval[0]:.2f}-{self.interval[1]:.2f})"


class Counts:
    """All counts of a run."""

    def __init__(self, counts: Iterable[Count]) -> None:
        self.all = list(counts)
        self.spaces = list(dict.fromkeys(count.space for count in self.all))
        self.tests = list(dict.fromkeys(count.test for count in self.all))

    def real(self) -> list[str]:
        """Return the names of the spaces of real data; all spaces where there is none, as in smoke runs."""
        return [name for name in self.spaces if find_space(name).kind in REAL] or self.spaces

    def of(self, **wanted: Any) -> list[Count]:
        """Return counts by their fields."""
        return [one for one in self.all if all(getattr(one, field) == value for field, value in wanted.items())]

    def one(self, **wanted: Any) -> Count | None:
        """Return the one count with some fields, if it is there."""
        found = self.of(**wanted)
        return found[0] if found else None

    def table(self, caption: str, change: str, strength: float, tests: Sequence[str] | None = None) -> Table:
        """Return the counts of an arm: a row a space, a column a test."""
        words = [test for test in tests or self.tests if self.of(test=test, change=change, strength=strength)]
        rows = [
            [name, *(_cell(self.one(space=name, test=test, change=change, strength=strength)) for test in words)]
            for name in self.spaces
        ]
        return Table(
            f"{caption} Rejections out of draws, with 95 % Clopper-Pearson intervals.", ["space", *words], rows
        )


def _cell(count: Count | None) -> str | None:
    return None if count is None else str(count)


def power_result(name: str, rate: Rate, rho: float) -> Result:
    """Return a rate as a result of the run."""
    from fkeax.results import Result

    return Result(
        name=POWER,
        value=rate.rate,
        stderr=None,
        settings={
            "space": name,
            "test": rate.test,
            "change": rate.change,
            "strength": rate.strength,
            "n": rate.num_samples,
        },
        diagnostics={
            "num_rejections": rate.num_rejections,
            "num_draws": rate.num_draws,
            "interval": list(rate.interval),
            "interval_method": "Clopper-Pearson, 95 %",
            "mean_z": rate.mean_z,
            "mean_w2_over_rho": None if rate.mean_w2 is None else rate.mean_w2 / rho,
            "w2_kind": rate.w2_kind,
            "infeasible": rate.infeasible,
            "stderr_reason": "the interval is exact",
        }
        | ({"reason": rate.infeasible} if rate.rate is None else {}),
    )


def counts_of(run: RunFolder) -> Counts:
    """Return all counts of a finished run."""
    found = []
    for result in run.results:
        if result.name != POWER:
            continue
        seen: dict[str, Any] = {**result.settings, **result.diagnostics}
        found.append(
            Count(
                space=seen["space"],
                test=seen["test"],
                change=seen["change"],
                strength=seen["strength"],
                n=seen["n"],
                rejections=seen["num_rejections"],
                draws=seen["num_draws"],
                interval=tuple(seen["interval"]),
                z=seen["mean_z"],
                distance=seen["mean_w2_over_rho"],
                infeasible=seen["infeasible"],
            )
        )
    return Counts(found)


def facts_table(run: RunFolder) -> Table:
    """Return what the spaces are."""
    rows = []
    for result in run.results:
        if result.name == FACTS:
            seen: dict[str, Any] = {**result.settings, **result.diagnostics}
            own = find_space(seen["space"])
            numbers = (int(seen["num_rows"]), int(seen["dimension"]), round(float(result.value or 0), 1), seen["ties"])
            rows.append([own.name, own.kind, own.what, *numbers])
    header = ["space", "kind", "what", "rows", "dimension", "effective dimension", "ties"]
    caption = (
        "The spaces: stand-ins for the paper's, whose data and encoders cannot be had here. Ties: share of entries "
        "that repeat another one of their column, as after a rectifier. Changes that move all entries break them, and "
        "l1 kernels (MMDAgg has ten) see that by itself."
    )
    return Table(caption, header, rows)


def many_ties(run: RunFolder) -> list[str]:
    """Return the spaces in which over a fifth of the entries repeat another one of their column."""
    found = []
    for result in run.results:
        share: Any = result.diagnostics.get("ties", 0.0)
        if result.name == FACTS and share > MANY_TIES:
            found.append(str(result.settings["space"]))
    return found


def verdict(holds: Mapping[str, bool | None]) -> str:
    """Return the verdict of a claim about every space: "yes", "no", or where it does not hold or is not decided."""
    if not holds:
        return "cannot be judged: no such cells were run"
    wrong = [name for name, good in holds.items() if good is False]
    open_ones = [name for name, good in holds.items() if good is None]
    right = len(holds) - len(wrong) - len(open_ones)
    if right == len(holds):
        return "yes" if len(holds) > 1 else "yes, in the one space that was run"
    if len(wrong) == len(holds):
        return "no"
    if len(open_ones) == len(holds):
        return "cannot be judged: too few draws"
    words = [f"in {right} of {len(holds)} spaces"] if right else []
    words += [f"not in {', '.join(wrong)}"] if wrong else []
    words += [f"undecided in {', '.join(open_ones)} (too few draws)"] if open_ones else []
    return "; ".join(words)


def judged(counts: Iterable[Count], good: Callable[[Count], bool | None]) -> dict[str, bool | None]:
    """Return for each space whether all of its counts are good; spaces without draws are left out."""
    found: dict[str, list[bool | None]] = {}
    for count in counts:
        if count.draws:
            found.setdefault(count.space, []).append(good(count))
    return {name: False if False in each else None if None in each else True for name, each in found.items()}


def listed(counts: Iterable[Count]) -> str:
    """Return "space test 3/10, ..."."""
    words = [f"{one.space} {one.test} {one.rejections}/{one.draws}" for one in counts if one.draws]
    return ", ".join(words) or "none"


def span(values: Iterable[float | None]) -> str:
    """Return "smallest to largest" of the numbers that are known."""
    kept = [value for value in values if value is not None]
    return f"{min(kept):.2f} to {max(kept):.2f}" if kept else "unknown"
