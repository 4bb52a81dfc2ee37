"""FKEA paper, Figs. 14 and 15: the modes of the same images under other encoders, each with a bandwidth of its own.

The paper's are SwAV (bandwidth 0.8) and CLIP (7.0) beside DINOv2 (25): lengths differ from encoder to encoder. Here the
bandwidth of each is set so that all samples have the same RKE, which makes the modes comparable.
"""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import fig03_06_images, image_samples, scoring, shown
from experiments.fkea.image_encoders import NAMES
from experiments.fkea.mode_labels import chance_purity, find_modes, purities
from experiments.fkea.params import EncodersParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax.report import ModePanel, mode_grid
from fkeax.results import Result

SUPPORTED = {"encoder": ("none",), "estimator": ("fkea",), "inference": ("none", "jackknife")}


def run(config: Config) -> Outcome:
    """Encode the images by each encoder, score them, and find their modes.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = checked_params(config, EncodersParams, SUPPORTED)
    unknown = [name for name in params.encoders if name not in NAMES]
    if unknown or not params.encoders:
        raise ValueError(f"params.encoders must be among {', '.join(NAMES)}; got {params.encoders}.")
    samples = image_samples.load(config.data, params.classes)
    results: list[Result] = []
    arrays: dict[str, np.ndarray] = {}
    for encoder in params.encoders:
        rows = image_samples.encoded(config, samples, encoder)
        bandwidth = scoring.bandwidth_of(rows, config)
        found = scoring.scores(rows, config, bandwidth)
        modes = find_modes(rows, config, bandwidth, params.num_modes, params.num_top_samples)
        if samples.labels is not None:
            found += purities(modes, samples.labels, samples.label_names)
        scoring.log_scores(encoder, found)
        results += [scoring.with_settings(result, {"encoder": encoder}) for result in found]
        arrays[f"shares_{encoder}"] = modes.shares
        arrays[f"top_{encoder}"] = modes.sample_indices
        arrays[f"pictures_{encoder}"] = image_samples.thumbnails(samples, modes.sample_indices)
    if samples.labels is not None:
        arrays["chance_purity"] = np.array(chance_purity(samples.labels, params.num_top_samples))
    return Outcome(
        title=f"{config.title} (stand-in for ImageNet under SwAV and CLIP: {samples.description}, "
        f"n = {len(samples.items):,})",
        results=results,
        arrays=arrays,
        headline=float(next(result for result in results if result.name == "rke")),
        data={"source": samples.source, "licence": samples.licence},
    )


def _of(run: RunFolder, encoder: str) -> list[Result]:
    return [result for result in run.results if result.settings["encoder"] == encoder]


def _encoders(run: RunFolder) -> list[str]:
    return list(dict.fromkeys(str(result.settings["encoder"]) for result in run.results))


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the modes under each encoder."""
    figures = {}
    for encoder in _encoders(run):
        found = _of(run, encoder)
        titles = [shown.mode_title(result) for result in shown.mode_purities(found)]
        titles = titles or [f"mode {1 + place}" for place in range(len(run.arrays[f"shares_{encoder}"]))]
        panels = [
            ModePanel(title, list(pictures.astype(np.float64) / 255))
            for title, pictures in zip(titles, run.arrays[f"pictures_{encoder}"], strict=True)
        ]
        heading = shown.heading(run.title, f"{encoder}, {shown.numbers(found[0])}")
        figures[f"modes-{encoder.replace('@', '-')}"] = mode_grid(panels, title=heading, num_columns=3)
    return shown.compact(figures)


def findings(run: RunFolder) -> list[Finding]:
    """Return the claims of the paper about other encoders beside what the run says."""
    bandwidths, clean, chance = [], [], float(run.arrays.get("chance_purity", np.array(np.nan)))
    tops: dict[str, set[int]] = {}
    for encoder in _encoders(run):
        found = _of(run, encoder)
        bandwidths.append((encoder, float(str(found[0].settings["bandwidth"]))))
        scores = [float(result) for result in shown.mode_purities(found)]
        clean.append((encoder, float(np.mean(scores)) if scores else np.nan))
        tops[encoder] = set(run.arrays[f"top_{encoder}"].ravel().tolist())
    first, *others = tops
    shares = [(encoder, len(tops[first] & tops[encoder]) / len(tops[first])) for encoder in others]
    widths = [bandwidth for _, bandwidth in bandwidths]
    above = [mean > 1.5 * chance for _, mean in clean]
    return [
        Finding(
            "another encoder needs a bandwidth of its own",
            ", ".join(f"{name} {bandwidth:.3g}" for name, bandwidth in bandwidths) + " for equal RKE",
            "yes" if max(widths) > 1.2 * min(widths) else "no: the bandwidths are within 20 %",
        ),
        Finding(
            "the clusters under other encoders differ from the first one's",
            f"top samples shared with {first}: " + ", ".join(f"{name} {100 * share:.0f} %" for name, share in shares),
            "yes" if all(share < 0.5 for _, share in shares) else "no: half of the samples or more are shared",
        ),
        Finding(
            "the clustering still works under other encoders",
            "mean share of the commonest class among a mode's top samples: "
            + ", ".join(f"{name} {100 * mean:.0f} %" for name, mean in clean)
            + f"; of samples drawn at random {100 * chance:.0f} %",
            "yes" if all(above) else f"for {sum(above)} of {len(above)} encoders",
        ),
    ]


def tables(run: RunFolder) -> dict[str, Table]:
    """Return scores by encoder, and the classes of every mode under each."""
    found: dict[str, Table] = {
        "scores": shown.score_table(run.results, "encoder", caption="Scores of the same images by encoder.")
    }
    for encoder in _encoders(run):
        found[f"modes-{encoder}"] = shown.share_table(
            _of(run, encoder), caption=f"Classes of the top images of every mode, {encoder}."
        )
    return found


EXPERIMENT = Experiment(
    place="FKEA paper, Figs. 14 and 15",
    run=run,
    draw=draw,
    findings=findings,
    inputs=fig03_06_images.inputs,
    files=fig03_06_images.files,
    tables=tables,
)
