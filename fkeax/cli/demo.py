"""`fkeax demo`: scores and modes of real digits, exact beside random features, with figures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from fkeax.cli import options, parameters, running, tables

if TYPE_CHECKING:
    from fkeax.datasets import LabelledImages
    from fkeax.diversity import Modes
    from fkeax.results import Result

# About half of the median distance between two of these digits (3.07): a sample is alike only to samples that look like
# it. At the median itself RKE is near e whatever the data.
BANDWIDTH = 1.5
# Few on purpose: 2r = 500 features for up to 1797 samples, so that there is an error to see. The draws are averaged.
NUM_FREQUENCIES = 250
NUM_DRAWS = 50
# One shape of batch for every number of classes compiles once.
BATCH_SIZE = 256
NUM_CLASSES = 10
NUM_MODES = 10
NUM_SAMPLES = 25


def demo(
    out: Annotated[str, typer.Option(metavar="DIR", help="Folder for figures and numbers.")] = "fkeax-demo",
    seed: parameters.SeedOption = 0,
) -> None:
    """Score real handwritten digits, exactly and by random features, against the number of classes.

    Example: fkeax demo --out digits
    """
    started = time.time()
    folder = Path(out)
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(f"cannot write to {out!r}: it is a file; expected a folder.")
    folder.mkdir(parents=True, exist_ok=True)

    from threadpoolctl import threadpool_limits

    from fkeax.datasets import load_digits
    from fkeax.io import describe_run, write_results

    digits = load_digits()
    print(f"data: {len(digits.labels)} images of handwritten digits, 8 x 8 pixels with values in [0, 1]")
    print(f"source: {digits.source}")
    print(f"gaussian kernel, bandwidth {BANDWIDTH} for every number of classes (about half of the median distance)")
    # BLAS threads gain nothing on matrices this small, and on a busy machine they wait for each other for minutes.
    with threadpool_limits(1, user_api="blas"):
        scores = []
        for count in range(1, NUM_CLASSES + 1):
            with running.spinner(f"scoring {count} of {NUM_CLASSES} classes ..."):
                scores.append(_score_classes(digits, count, seed))
        _print_scores(scores)
        with running.spinner("finding the modes ..."):
            found = _find_modes(digits, seed)
    purities = _print_modes(found, digits)
    written = _write_figures(folder, scores, found, purities, digits)
    command = options.command_words("demo", "", {"--out": out, "--seed": seed})
    provenance = describe_run(command=[w for w in command if w], seed=seed, inputs=[], started=started)
    provenance |= {"data": digits.source, "licence": digits.licence}
    write_results(folder / "results.json", [result for row in scores for result in row.values()], provenance)
    print(f"written to {folder}: {', '.join(written)}, results.json ({time.time() - started:.0f} s)")


def _score_classes(digits: LabelledImages, num_classes: int, seed: int) -> dict[str, Result]:
    """Score the digits below `num_classes`, exactly and by features."""
    import dataclasses

    import jax

    import fkeax

    rows = digits.features[digits.labels < num_classes]
    exact = fkeax.score(rows, orders=(1.0,), bandwidth=BANDWIDTH, method="exact")
    by_features = fkeax.score(
        rows,
        orders=(1.0,),
        bandwidth=BANDWIDTH,
        method="fkea",
        num_frequencies=NUM_FREQUENCIES,
        num_draws=NUM_DRAWS,
        batch_size=BATCH_SIZE,
        key=jax.random.key(seed),
    )
    found = {
        "exact vendi-1": exact["vendi-1"],
        "fkea vendi-1": by_features["vendi-1"],
        "fkea vendi-1-debiased": by_features["vendi-1-debiased"],
        "exact rke": exact["rke"],
        "fkea rke": by_features["rke"],
        "fkea rke-debiased": by_features["rke-debiased"],
    }
    return {
        name: dataclasses.replace(result, settings={**result.settings, "num_classes": num_classes})
        for name, result in found.items()
    }


def _print_scores(scores: Sequence[dict[str, Result]]) -> None:
    header = ("classes", "n", "VENDI", "by FKEA", "debiased", "RKE", "by FKEA", "debiased")
    rows = []
    for count, row in enumerate(scores, start=1):
        cells = [_cell(row[name]) for name in COLUMNS]
        rows.append((str(count), str(row["exact rke"].settings["num_samples"]), *cells))
    tables.print_table(header, rows)
    last = scores[-1]
    off = {name: _percent_off(last[f"fkea {name}"], last[f"exact {plain}"]) for name, plain in COMPARED.items()}
    print(
        f"VENDI of order 1 and RKE are exact; by FKEA: {NUM_FREQUENCIES} random frequencies, mean of {NUM_DRAWS} draws."
    )
    print(f"FKEA differs from the exact scores of all {NUM_CLASSES} classes (+/- one standard error over draws)")
    print(f"by {off['vendi-1']} in VENDI and {off['rke']} in RKE;")
    print(f"debiased, by {off['vendi-1-debiased']} and {off['rke-debiased']}.")
    print("Few frequencies make the plain scores read low, however many draws; debiased RKE is off by chance only,")
    print("debiased VENDI by chance and by what a jackknife over frequencies leaves.")


COLUMNS = ("exact vendi-1", "fkea vendi-1", "fkea vendi-1-debiased", "exact rke", "fkea rke", "fkea rke-debiased")
COMPARED = {"vendi-1": "vendi-1", "vendi-1-debiased": "vendi-1", "rke": "rke", "rke-debiased": "rke"}


def _cell(result: Result) -> str:
    return "-" if result.value is None else f"{result.value:.2f}"


def _percent_off(result: Result, exact: Result) -> str:
    if result.value is None or not exact.value:
        return "unknown"
    off = f"{100 * (result.value / exact.value - 1):+.1f} %"
    return off if result.stderr is None else f"{off} (+/- {100 * result.stderr / exact.value:.1f} %)"


def _find_modes(digits: LabelledImages, seed: int) -> Modes:
    import jax

    import fkeax

    return fkeax.modes(
        digits.features,
        num_modes=NUM_MODES,
        num_samples=NUM_SAMPLES,
        bandwidth=BANDWIDTH,
        method="fkea",
        num_frequencies=NUM_FREQUENCIES,
        key=jax.random.key(seed),
    )


def _print_modes(found: Modes, digits: LabelledImages) -> list[str]:
    """Print the modes and return for each what its top samples are."""
    import numpy as np

    rows, described = [], []
    for rank, (share, indices) in enumerate(zip(found.shares, found.sample_indices, strict=True), start=1):
        counts = np.bincount(digits.labels[indices], minlength=NUM_CLASSES)
        label = int(counts.argmax())
        purity = f"{100 * counts[label] / len(indices):.0f} %"
        rows.append((str(rank), tables.format_share(float(share)), str(label), purity))
        described.append(f"{purity} are {label}")
    print(f"Modes of all digits, and what most of the top {NUM_SAMPLES} samples of each are:")
    tables.print_table(("mode", "share", "digit", "purity"), rows)
    return described


def _write_figures(
    folder: Path, scores: Sequence[dict[str, Result]], found: Modes, purities: Sequence[str], digits: LabelledImages
) -> list[str]:
    from fkeax.report import ModePanel, mode_grid, save_figure, score_curves, thumbnails_from_rows

    panels = {
        "VENDI of order 1": [
            _curve("exact", scores, "exact vendi-1"),
            _curve("FKEA, plain", scores, "fkea vendi-1"),
            _curve("FKEA, debiased", scores, "fkea vendi-1-debiased"),
        ],
        "RKE (VENDI of order 2)": [
            _curve("exact", scores, "exact rke"),
            _curve("FKEA, plain", scores, "fkea rke"),
            _curve("FKEA, debiased", scores, "fkea rke-debiased"),
        ],
    }
    title = f"Real digits, bandwidth {BANDWIDTH}, {NUM_FREQUENCIES} random frequencies, mean of {NUM_DRAWS} draws"
    figure = score_curves(panels, x_label="number of digit classes", title=title)
    save_figure(figure, folder / "scores.png")
    pictures = [thumbnails_from_rows(digits.features[indices], (8, 8)) for indices in found.sample_indices]
    modes = [
        ModePanel(f"mode {rank}: share {tables.format_share(float(share))}\n{purity}", list(samples))
        for rank, (share, purity, samples) in enumerate(zip(found.shares, purities, pictures, strict=True), start=1)
    ]
    save_figure(mode_grid(modes, title=f"Top {NUM_SAMPLES} samples of each mode"), folder / "modes.png")
    return ["scores.png", "modes.png"]


def _curve(label: str, scores: Sequence[dict[str, Result]], name: str) -> Any:
    from fkeax.report import Curve

    results = [row[name] for row in scores]
    return Curve(
        label,
        list(range(1, len(results) + 1)),
        [result.value for result in results],
        [result.stderr for result in results],
    )
