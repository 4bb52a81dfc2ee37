"""Draw the figures of the diversity pages: one for each claim, with the plotted numbers as JSON beside it.

Run from the root of a checkout; every figure takes seconds on one core, with fixed keys:

    python -m docs.diversity.make_figures [--only NAME ...] [--out DIR]
"""

from __future__ import annotations

import argparse
import json
import math
import textwrap
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

import fkeax
from fkeax import kernels
from fkeax.datasets import load_digits, load_mnist_5k
from fkeax.diversity import nystrom, pairs, streaming, theory
from fkeax.features import SCHEMES, sample_fourier_map
from fkeax.numerics import linalg
from fkeax.report import save_figure
from fkeax.report.figures import DPI, STYLES
from tests.helpers import closed_forms as forms

DIGITS = 6  # significant, in the JSON files
MAX_TICKS = 8


@dataclass(frozen=True)
class Line:
    """Points of a panel; ``error`` is drawn as bars of one standard error (or deviation, as the panel says)."""

    label: str
    x: Sequence[float]
    y: Sequence[float | None]
    error: Sequence[float | None] | None = None


@dataclass(frozen=True)
class Panel:
    """Axes, lines, and ``levels``: horizontal lines of what is known without estimating."""

    title: str
    x_label: str
    y_label: str
    lines: Sequence[Line]
    levels: dict[str, float] = field(default_factory=dict)
    log_x: bool = True
    log_y: bool = False
    categories: Sequence[str] | None = None
    joined: bool = True


@dataclass(frozen=True)
class Claim:
    """A sentence and the panels that show it."""

    claim: str
    panels: Sequence[Panel]


def debiased() -> Claim:
    """Plain and debiased VENDI-1 of 2,000 digits against r."""
    digits = load_mnist_5k()
    x = np.concatenate([digits.features[digits.labels == digit][:200] for digit in range(10)])
    counts = (64, 125, 250, 500, 1000)
    names = ("vendi-1", "vendi-1-debiased", "vendi-1-debiased-second")
    found = [
        fkeax.score(
            x,
            metrics=("vendi", "vendi-debiased"),
            orders=(1.0,),
            bandwidth=7.0,
            method="fkea",
            num_frequencies=r,
            key=jax.random.key(0),
        )
        for r in counts
    ]
    labels = ("plain", "debiased, first order", "debiased, second order")
    lines = [
        Line(label, counts, [scores[name].value for scores in found], [scores[name].stderr for scores in found])
        for label, name in zip(labels, names, strict=True)
    ]
    exact = fkeax.score(x, metrics=("vendi",), orders=(1.0,), bandwidth=7.0, method="exact")["vendi-1"]
    panel = Panel("2,000 digits of MNIST, bandwidth 7", "frequencies r", "VENDI-1", lines, {"exact": float(exact)})
    return Claim("From r = 500 on, a jackknife over frequencies removes most of the bias", [panel])


def _population_moments(frequencies: np.ndarray) -> tuple[float, float]:
    """Plain and debiased second moment of N(0, I) at n = infinity, for given frequencies (centre 0)."""
    r = len(frequencies)
    products, norms = frequencies @ frequencies.T, np.sum(frequencies**2, axis=1)
    minus = np.exp(-(norms[:, None] + norms - 2 * products) / 2)
    plus = np.exp(-(norms[:, None] + norms + 2 * products) / 2)
    squares = ((minus + plus) ** 2 + (minus - plus) ** 2) / (2 * r) ** 2
    return float(squares.sum()), float(r / (r - 1) * (squares.sum() - np.trace(squares)))


def schemes() -> Claim:
    """Bias and spread of RKE by feature scheme, without sampling noise."""
    num_draws, panels = 200, []
    for dimension in (32, 128):
        kernel, centre = kernels.Gaussian(math.sqrt(dimension)), jnp.zeros(dimension)
        truth = forms.gaussian_rke(np.eye(dimension), math.sqrt(dimension))
        errors = {}
        for scheme in SCHEMES:
            draws = [
                np.asarray(sample_fourier_map(key, kernel, dimension, centre, scheme=scheme).frequencies, np.float64)
                for key in jax.random.split(jax.random.key(1), num_draws)
            ]
            errors[scheme] = 100 * (1 / np.array([_population_moments(draw) for draw in draws]) / truth - 1)
        positions = list(range(len(SCHEMES)))
        lines = [
            Line(
                label,
                [position + shift for position in positions],
                [float(errors[scheme][:, column].mean()) for scheme in SCHEMES],
                [float(errors[scheme][:, column].std(ddof=1)) for scheme in SCHEMES],
            )
            for column, (label, shift) in enumerate((("plain", -0.1), ("debiased", 0.1)))
        ]
        panels.append(
            Panel(
                f"N(0, I), d = r = {dimension}, bandwidth sqrt(d)",
                "",
                "error of RKE, %: mean and standard deviation",
                lines,
                {"exact": 0.0},
                log_x=False,
                categories=list(SCHEMES),
                joined=False,
            )
        )
    return Claim("Orthogonal directions cut the bias, stratified lengths the spread", panels)


def bounds() -> Claim:
    """Theorem 2, the bound free of n, the data-driven error and the actual one, against r."""
    x, bandwidth, delta = load_digits().features[:1000], 2.0, 0.05
    with jax.enable_x64(True):
        rows = jnp.asarray(x - x.mean(axis=0), jnp.float64)
        moments = pairs.pair_moments(pairs.squared_row_sums(kernels.Gaussian(bandwidth), rows, None))
        exact = linalg.eigenvalues(np.asarray(kernels.gram(kernels.Gaussian(bandwidth), rows)) / len(x))
    if moments is None:
        raise RuntimeError("1,000 rows have pairs")

    def distance(key: jax.Array, r: int) -> float:
        fourier_map = sample_fourier_map(key, kernels.Gaussian(bandwidth), r, jnp.asarray(x.mean(axis=0)))
        found = linalg.eigenvalues(np.asarray(streaming.finalize(streaming.update(streaming.init(fourier_map), x))))
        size = max(found.size, exact.size)
        left, right = (np.pad(np.sort(values), (size - values.size, 0)) for values in (found, exact))
        return float(np.sum((left - right) ** 2))

    measured, counts = (16, 32, 64, 128, 256, 512), [2**power for power in range(4, 18)]
    actual = [
        math.sqrt(np.mean([distance(key, r) for key in jax.random.split(jax.random.key(2), 8)])) for r in measured
    ]
    expected = [moments.expected_spectrum_error(r, 1 / len(x)) for r in counts]
    variance = counts[0] * expected[0] ** 2
    concentration = [theory.concentration_bound(r, delta, variance=variance) for r in counts]
    lines = [
        Line("Theorem 2, delta = 0.05", counts, [theory.spectrum_bound(len(x), r, delta) for r in counts]),
        Line("free of n, delta = 0.05", counts, concentration),
        Line("root mean square bound from data", counts, expected),
        Line("actual, root mean square of 8 draws", measured, actual),
    ]
    panel = Panel(
        "1,000 scikit-learn digits, bandwidth 2",
        "frequencies r",
        "distance of the spectra, 2-norm",
        lines,
        {"norm of the spectrum itself": float(np.linalg.norm(exact))},
        log_y=True,
    )
    return Claim("Theorem 2 says something only at r far above what is needed", [panel])


def truncated() -> Claim:
    """Plain and truncated VENDI-1 against n."""
    dimension, bandwidth, num_kept = 8, 1.5, 30
    counts = (50, 100, 200, 400, 800, 1600)
    asked: dict[str, Any] = {"metrics": ("vendi", "vendi-truncated"), "orders": (1.0,), "num_kept": num_kept}
    found = [
        fkeax.score(
            np.random.default_rng(n).standard_normal((n, dimension)), bandwidth=bandwidth, method="exact", **asked
        )
        for n in counts
    ]
    ratio, degrees = forms.gaussian_ratio(1.0, bandwidth), np.arange(num_kept)
    times = [math.comb(degree + dimension - 1, dimension - 1) for degree in degrees.tolist()]
    kept = np.repeat((1 - ratio) ** dimension * ratio**degrees, times)[:num_kept]
    spread = kept + (1 - kept.sum()) / num_kept
    levels = {
        "plain, n = infinity": forms.gaussian_vendi([1.0] * dimension, bandwidth, 1.0),
        "truncated, n = infinity": math.exp(-float(np.sum(spread * np.log(spread)))),
    }
    lines = [
        Line("plain", counts, [scores["vendi-1"].value for scores in found]),
        Line(f"truncated, {num_kept} eigenvalues", counts, [scores["vendi-1-truncated"].value for scores in found]),
    ]
    panel = Panel("N(0, I), d = 8, bandwidth 1.5", "samples n", "VENDI-1", lines, levels, log_y=True)
    return Claim("Truncated VENDI converges with n where plain VENDI still grows", [panel])


def _clusters(num_samples: int, dimension: int) -> np.ndarray:
    random = np.random.default_rng(0)
    centres = 8 * random.standard_normal((10, dimension)) / math.sqrt(dimension)
    rows = centres[random.integers(10, size=num_samples)] + 0.5 * random.standard_normal((num_samples, dimension))
    return rows.astype(np.float32)


def nystrom_features() -> Claim:
    """FKEA and Nystrom at equal numbers of features."""
    normal = np.random.default_rng(0).standard_normal((1500, 64)).astype(np.float32)
    counts, panels = (100, 300, 900), []
    for title, x, bandwidth in (
        ("N(0, I), d = 64, bandwidth 8", normal, 8.0),
        ("ten clusters, d = 64, bandwidth 6", _clusters(1500, 64), 6.0),
    ):
        exact = fkeax.score(x, orders=(1.0,), bandwidth=bandwidth, method="exact")
        key_fkea, key_nystrom, kernel = jax.random.key(3), jax.random.key(4), kernels.Gaussian(bandwidth)
        fkea = [
            fkeax.fkea(x, orders=(1.0,), bandwidth=bandwidth, num_frequencies=count // 2, num_draws=4, key=key_fkea)
            for count in counts
        ]
        found = [nystrom.nystrom_spectrum(x, kernel, num_landmarks=count, key=key_nystrom) for count in counts]
        for name, score_name, order in (("VENDI-1", "vendi-1", 1.0), ("RKE", "rke", 2.0)):
            scaled = [float(fkeax.vendi_from_spectrum(one.spectrum.values, order)) for one in found]
            spread = [float(fkeax.vendi_from_spectrum(one.spread_spectrum(), order)) for one in found]
            lines = [
                Line("FKEA, plain", counts, [scores[score_name].value for scores in fkea]),
                Line("Nystrom, scaled up", counts, scaled),
                Line("Nystrom, missing mass spread", counts, spread),
            ]
            if order == 2:
                debiased_rke = [scores["rke-debiased"] for scores in fkea]
                values = [one.value for one in debiased_rke]
                lines.append(Line("FKEA, debiased", counts, values, [one.stderr for one in debiased_rke]))
            panels.append(Panel(title, "features", name, lines, {"exact": float(exact[score_name])}))
    return Claim("Fourier and Nystrom features, as many of each; n = 1,500, FKEA as the mean of 4 draws", panels)


def sample_size() -> Claim:
    """Plain and population RKE against n, with standard errors."""
    dimension, bandwidth, counts = 16, 3.0, (25, 50, 100, 200, 400, 800, 1600)
    found = [
        fkeax.score(
            np.random.default_rng(n).standard_normal((n, dimension)),
            metrics=("rke",),
            bandwidth=bandwidth,
            method="exact",
        )
        for n in counts
    ]
    population = [scores["rke-population"] for scores in found]
    lines = [
        Line("plain", counts, [scores["rke"].value for scores in found]),
        Line("population", counts, [one.value for one in population], [one.stderr for one in population]),
    ]
    levels = {"n = infinity": forms.gaussian_rke(np.eye(dimension), bandwidth)}
    panel = Panel("N(0, I), d = 16, bandwidth 3", "samples n", "RKE, bars of one standard error", lines, levels)
    return Claim("Plain RKE reads low at small n; without pairs i = i it does not", [panel])


def bandwidth() -> Claim:
    """Scores against the bandwidth, with the median rule of each set marked."""
    digits = load_digits()
    random = np.random.default_rng(0)
    zeros = digits.features[digits.labels == 0][:170]
    sets = {
        "one digit": zeros,
        "ten digits": digits.features[:170],
        "normal law, d = 64": random.standard_normal((170, 64)).astype(np.float32) / 4,
    }
    values = np.geomspace(0.3, 30, 13).tolist()
    lines: dict[str, list[Line]] = {"vendi-1": [], "rke": []}
    medians = {}
    for label, x in sets.items():
        found = [fkeax.score(x, orders=(1.0,), bandwidth=value, method="exact") for value in values]
        medians[label] = float(kernels.median_bandwidth(x).value)
        at_median = fkeax.score(x, orders=(1.0,), bandwidth=medians[label], method="exact")
        for name, drawn in lines.items():
            drawn.append(Line(label, values, [scores[name].value for scores in found]))
            drawn.append(Line(f"{label}: median rule", [medians[label]], [at_median[name].value]))
    panels = [
        Panel("170 samples of each set", "bandwidth", name, lines[key], levels, log_y=True)
        for key, name, levels in (("vendi-1", "VENDI-1", {}), ("rke", "RKE", {"e": math.e}))
    ]
    return Claim("Scores compare at one shared bandwidth; at its own median every set has an RKE near e", panels)


FIGURES: dict[str, Callable[[], Claim]] = {
    "debiased": debiased,
    "schemes": schemes,
    "bounds": bounds,
    "truncated": truncated,
    "nystrom": nystrom_features,
    "sample-size": sample_size,
    "bandwidth": bandwidth,
}


def draw(claim: Claim) -> Figure:
    """Return the figure of a claim, two panels a row."""
    columns = min(2, len(claim.panels))
    rows = -(-len(claim.panels) // columns)
    figure = Figure(figsize=(0.4 + 4.8 * columns, 0.5 + 3.7 * rows), dpi=DPI, layout="constrained")
    figure.suptitle("\n".join(textwrap.wrap(claim.claim, 56 * columns)), fontsize=11)
    for axis, panel in zip(figure.subplots(rows, columns, squeeze=False).ravel(), claim.panels, strict=True):
        _draw_panel(axis, panel)
    return figure


def _draw_panel(axis: Axes, panel: Panel) -> None:
    style_of: dict[str, dict[str, Any]] = {}
    for line in panel.lines:
        owner = line.label.partition(":")[0]  # "set: remark" is drawn in the colour of "set"
        style = style_of.setdefault(owner, STYLES[len(style_of) % len(STYLES)].copy())
        y = np.array([math.nan if value is None else value for value in line.y], dtype=float)
        if owner != line.label:
            axis.plot(line.x, y, "*", color=style["color"], markersize=14, label=line.label)
            continue
        shown = style if panel.joined else {**style, "linestyle": "none"}
        axis.plot(line.x, y, label=line.label, markersize=4, linewidth=1.4, **shown)
        if line.error is not None and any(error is not None for error in line.error):
            errors = np.array([math.nan if error is None else error for error in line.error], dtype=float)
            axis.errorbar(line.x, y, yerr=errors, fmt="none", ecolor=style["color"], elinewidth=1, capsize=2)
    for number, (label, value) in enumerate(panel.levels.items()):
        axis.axhline(value, color="#999999", linewidth=1, linestyle=("-", "--")[number % 2], label=label, zorder=0)
    axis.set_title(panel.title, fontsize=10)
    axis.set_xlabel(panel.x_label)
    axis.set_ylabel(panel.y_label)
    if panel.log_x:
        axis.set_xscale("log")
        _plain_ticks(axis.xaxis, panel.lines[0].x)
    if panel.log_y:
        axis.set_yscale("log")
        axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        axis.yaxis.set_minor_formatter(NullFormatter())
    if panel.categories is not None:
        axis.set_xticks(
            range(len(panel.categories)), [name.replace("-", "-\n") for name in panel.categories], fontsize=8
        )
    axis.grid(alpha=0.3, linewidth=0.5)
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False, fontsize=8, loc="best")


def _plain_ticks(axis: Axis, positions: Sequence[float]) -> None:
    """Label a logarithmic axis with plain numbers: the points themselves where they are few."""
    if len(positions) <= MAX_TICKS:
        axis.set_major_locator(FixedLocator(list(positions)))
        axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())


def _rounded(value: object) -> object:
    """Return nested numbers to a fixed number of significant digits, so that the files differ only where results do."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rounded(inner) for inner in value]
    return value


def main(arguments: Sequence[str] | None = None) -> None:
    """Draw the figures asked for and write their numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", choices=tuple(FIGURES), help="one figure; may be repeated")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent, help="folder of the figures")
    options = parser.parse_args(arguments)
    options.out.mkdir(parents=True, exist_ok=True)
    for name in options.only or FIGURES:
        start, cpu = time.perf_counter(), time.process_time()
        claim = FIGURES[name]()
        save_figure(draw(claim), options.out / f"{name}.png")
        numbers = json.dumps(_rounded(asdict(claim)), indent=1, allow_nan=False)
        (options.out / f"{name}.json").write_text(numbers + "\n", encoding="utf-8")
        print(f"{name}: {time.perf_counter() - start:.1f} s, {time.process_time() - cpu:.1f} s of CPU", flush=True)


if __name__ == "__main__":
    main()
