"""FKEA paper, Table 1: eight scores of several generators beside each other, and the paper's rows read again.

The paper's models are of ImageNet, with DINOv2 features. Here the "models" are a VAE and a GAN of digits at two
truncations, and the features those of the classifier that gives the Inception Score.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from matplotlib.figure import Figure

import fkeax
from experiments import data
from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import fig07_truncation, generated, scoring, shown, table1_paper
from experiments.fkea.params import GeneratorParams
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax.diversity import inception_score
from fkeax.report import ModePanel, mode_grid
from fkeax.results import Result

PSIS = (1.0, 0.5)
NUM_DRAWS = 3  # of samples, for the error of the Frechet distance
COLUMNS = {
    "inception-score": "IS",
    "frechet": "FID",
    "precision": "precision",
    "recall": "recall",
    "density": "density",
    "coverage": "coverage",
    "vendi-1": "FKEA VENDI-1",
    "vendi-1-debiased": "VENDI-1 debiased",
    "rke": "FKEA RKE",
    "rke-debiased": "RKE debiased",
}
DATASET = "Dataset"


def run(config: Config) -> Outcome:
    """Train where that was not done yet, draw from every model, and take all scores.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    params = checked_params(config, GeneratorParams, fig07_truncation.SUPPORTED)
    trained = generated.train_all(config, params)
    real = generated.encoded(config, trained, trained.digits.images)
    bandwidth = scoring.bandwidth_of(real, config)
    results, arrays = _of_data(config, trained, params, bandwidth), {}
    for kind, sampler in trained.samplers.items():
        for psi in PSIS:
            name = f"{kind}, psi {psi:g}"
            draws = [generated.drawn(config, sampler, 100 + n, params.num_samples, psi) for n in range(NUM_DRAWS)]
            rows = [generated.encoded(config, trained, pictures) for pictures in draws]
            distances = [fkeax.frechet(real, part) for part in rows]
            spread = float(np.std([float(distance) for distance in distances], ddof=1))
            found = [
                inception_score(trained.classifier.probabilities(draws[0])).whole,
                dataclasses.replace(
                    distances[0],
                    stderr=spread,
                    diagnostics={**distances[0].diagnostics, "stderr_method": f"spread over {NUM_DRAWS} draws"},
                ),
                *fkeax.prdc(real, rows[0]).values(),
                *scoring.scores(rows[0], config, bandwidth),
            ]
            scoring.log_scores(name, found)
            results += [scoring.with_settings(result, {"model": name}) for result in found]
            arrays[name] = generated.montage_bytes(draws[0][: params.num_top_samples])
    what = data.image_source(config.data.name).description(config.data)
    accuracy = trained.classifier.accuracy
    return Outcome(
        title=f"{config.title} (stand-in for models of ImageNet: generators of digits trained on {what}; LeNet of "
        f"accuracy {accuracy:.3f} on held-out digits)",
        results=results,
        arrays=arrays,
        headline=float(next(result for result in results if result.name == "rke")),
        data={"source": trained.digits.source, "licence": trained.digits.licence},
    )


def _of_data(config: Config, trained: generated.Generators, params: GeneratorParams, bandwidth) -> list[Result]:
    """Return what can be said of the data themselves: as many of them as samples of a model, evenly over the file."""
    digits = trained.digits.images
    chosen = np.linspace(0, len(digits) - 1, min(params.num_samples, len(digits))).astype(int)
    rows = generated.encoded(config, trained, digits[chosen])
    found = [
        inception_score(trained.classifier.probabilities(digits[chosen])).whole,
        *scoring.scores(rows, config, bandwidth),
    ]
    return [scoring.with_settings(result, {"model": DATASET}) for result in found]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return samples of every model."""
    panels = [ModePanel(name, list(pictures.astype(np.float64) / 255)) for name, pictures in run.arrays.items()]
    return shown.compact({"samples": mode_grid(panels, title=shown.heading(run.title), num_columns=4)})


def _values(run: RunFolder, name: str, estimator: str | None = None) -> dict[str, Result]:
    return {
        str(result.settings["model"]): result
        for result in run.results
        if result.name == name and estimator in (None, result.settings.get("estimator"))
    }


def _value(result: Result | None) -> float | None:
    return None if result is None or result.value is None else float(f"{result.value:.4g}")


def findings(run: RunFolder) -> list[Finding]:
    """Return the claims that Table 1 supports beside ours."""
    rke, vendi = _values(run, "rke", "fkea"), _values(run, "vendi-1", "fkea")
    recall = _values(run, "recall")
    models = [name for name in rke if name != DATASET]
    below = [name for name in models if float(rke[name]) < float(rke[DATASET])]
    below_vendi = [name for name in models if float(vendi[name]) < float(vendi[DATASET])]
    listed = ", ".join(f"{name} {float(rke[name]):.3g}" for name in models)
    kinds = list(dict.fromkeys(name.split(",")[0] for name in models))
    ordered = [
        float(rke[f"{kind}, psi {PSIS[1]:g}"]) < float(rke[f"{kind}, psi {PSIS[0]:g}"])
        and float(recall[f"{kind}, psi {PSIS[1]:g}"]) <= float(recall[f"{kind}, psi {PSIS[0]:g}"])
        for kind in kinds
    ]
    paper = table1_paper.ROWS
    largest = max(table1_paper.saturation(row[6] or 0.0) for row in paper.values())
    low, high = table1_paper.debiased_rke(paper["Dataset (100k)"][7] or 0.0)
    order = sorted(paper, key=lambda name: paper[name][7] or 0)
    again = sorted(paper, key=lambda name: table1_paper.debiased_rke(paper[name][7] or 1.0)[0])
    return [
        Finding(
            "the data set has higher VENDI-1 and RKE than every model",
            f"RKE of the data {float(rke[DATASET]):.3g}; {listed}; VENDI-1 of {len(below_vendi)} of {len(models)} "
            "models is below the data's",
            "yes"
            if len(below) == len(below_vendi) == len(models)
            else f"RKE: for {len(below)} of {len(models)} models, VENDI-1: for {len(below_vendi)}",
        ),
        Finding(
            "VENDI-1 and RKE follow the reference-based measures of variety (recall)",
            f"truncation to psi {PSIS[1]:g} lowers both RKE and recall for {sum(ordered)} of {len(ordered)} generators",
            "yes" if all(ordered) else f"for {sum(ordered)} of {len(ordered)} generators",
        ),
        Finding(
            "the printed FKEA scores approximate VENDI-1 and RKE",
            f"printed VENDI-1 fill up to {100 * largest:.0f} % of the 2r = 16,000 that the features can show, so they "
            f"read low; RKE 996.7 stands for {low:.1f} to {high:.1f} at 100,000 samples",
            "RKE: order of the models " + ("unchanged" if order == again else "changed") + "; VENDI-1: no, saturated",
        ),
    ]


def tables(run: RunFolder) -> dict[str, Table]:
    """Return our row for every model with errors, and the paper's rows with the debiased reading."""
    rows = []
    for model in dict.fromkeys(str(result.settings["model"]) for result in run.results):
        cells: list[str | float | int | None] = [model]
        for name in COLUMNS:
            found = _values(run, name, "fkea" if name in ("vendi-1", "rke") else None).get(model)
            error = None if found is None else found.stderr
            value = _value(found)
            cells.append(value if error is None or value is None else f"{value:.4g} +- {error:.2g}")
        first = _values(run, "rke", "fkea")[model]
        exact = [_value(_values(run, name, "exact").get(model)) for name in ("vendi-1", "rke")]
        rows.append([*cells, *exact, int(str(first.settings["num_samples"]))])
    ours = Table(
        "Our models. Errors: jackknife (IS), spread over three draws (FID), of a mean over rows (the four after it), "
        "of the frequencies (RKE debiased); none is known for the plain scores.",
        ["model", *COLUMNS.values(), "VENDI-1 exact", "RKE exact", "n"],
        rows,
    )
    paper = []
    for name, row in table1_paper.ROWS.items():
        low, high = table1_paper.debiased_rke(row[7] or 1.0)
        paper.append([name, *row, f"{low:.1f} to {high:.1f}", round(table1_paper.saturation(row[6] or 0.0), 3)])
    header = ["model", *table1_paper.COLUMNS, "RKE debiased", "VENDI-1 over 2r"]
    caption = (
        "The paper's rows as printed, 50,000 samples each, with RKE read without the bias of 2r = 16,000 features."
    )
    return {"ours": ours, "paper": Table(caption, header, paper)}


EXPERIMENT = Experiment(
    place="FKEA paper, Table 1",
    run=run,
    draw=draw,
    findings=findings,
    inputs=fig07_truncation.inputs,
    files=fig07_truncation.files,
    tables=tables,
)
