"""FKEA paper, Fig. 8 and Tables 2 to 5: texts under an encoder; scores against the number of classes, and modes.

One experiment for all of them, which differ in the texts. The paper embeds with text-embedding-3-large; here
all-MiniLM-L6-v2, whose rows have length 1 too. Modes are shown by the titles of their top texts, by YAKE's keywords of
the top 100 together, and, where texts have classes, by the share of each class among them.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from experiments.experiment import Experiment, Finding, Table
from experiments.fkea import embedded, scoring, shown, text_samples
from experiments.fkea.hashed_words import HASHED_WORDS
from experiments.fkea.mode_labels import chance_purity, find_modes, purities
from experiments.fkea.params import TextModesParams
from experiments.fkea.samples import Samples
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import checked_params
from fkeax.diversity import Modes
from fkeax.report import score_curves
from fkeax.report.keywords import keywords
from fkeax.results import Result

ENCODERS = ("all-minilm-l6-v2", HASHED_WORDS.name)
SUPPORTED = {"encoder": ENCODERS, "estimator": ("fkea",), "inference": ("none", "jackknife")}
PLACES = {
    "fig08_table3_countries": "FKEA paper, Fig. 8 and Table 3",
    "table2_wikipedia": "FKEA paper, Table 2",
    "table4_news": "FKEA paper, Table 4",
    "table5_movies": "FKEA paper, Table 5",
}
CLEAR = 2.0  # times the purity of as many texts drawn at random


def inputs(config: Config) -> Mapping[str, str]:
    """Return names and SHA-256 of what the experiment will read."""
    return text_samples.text_set(config.data.name).inputs(config.data)


def files(config: Config) -> list[Path]:
    """Return the user's own files that the experiment reads."""
    return text_samples.text_set(config.data.name).files(config.data)


def run(config: Config) -> Outcome:
    """Encode the texts, score the first t classes for every t, and find and name the modes of all.

    Raises:
        ValueError: The configuration asks for what this experiment does not do.
    """
    from fkeax.embed import find_encoder

    params = checked_params(config, TextModesParams, SUPPORTED)
    samples = text_samples.text_set(config.data.name).load(config.data, params.num_texts)
    if params.class_counts and samples.labels is None:
        raise ValueError(f"params.class_counts needs classes, and data {config.data.name} has none; give [].")
    if params.class_counts:
        scoring.check_counts(params.class_counts, len(samples.label_names), "params.class_counts")
    name = config.encoder.name
    whole_rows = embedded.features(
        config, HASHED_WORDS if name == HASHED_WORDS.name else find_encoder(name), samples.items
    )
    samples, rows = _of_topics(samples, whole_rows, params.topics)
    bandwidth = scoring.bandwidth_of(rows, config)
    results: list[Result] = []
    if samples.labels is not None and params.class_counts:
        results += scoring.by_number_of_classes(
            rows, samples.labels, params.class_counts, config, bandwidth, setting="num_classes"
        )
    whole = scoring.scores(rows, config, bandwidth)
    scoring.log_scores("all texts", whole)
    results += [scoring.with_settings(result, {"all_samples": len(rows)}) for result in whole]
    modes = find_modes(rows, config, bandwidth, params.num_modes, params.num_top_samples)
    results += _named_modes(samples, modes, params)
    what = "" if config.data.name == "texts" else f" (stand-in: {samples.description}, {name})"
    return Outcome(
        title=f"{config.title}{what}",
        results=results,
        arrays={"eigenvalues": modes.eigenvalues, "shares": modes.shares, "top_indices": modes.sample_indices},
        headline=next(result.value for result in whole if result.name == scoring.headline_name(config)),
        data={"source": samples.source, "licence": samples.licence},
    )


def _of_topics(samples: Samples, rows: np.ndarray, topics: Sequence[str]) -> tuple[Samples, np.ndarray]:
    """Return the texts of some topics and their rows, without classes; all where no topic is named."""
    if not topics:
        return samples, rows
    unknown = [topic for topic in topics if topic not in samples.label_names]
    if unknown or samples.labels is None:
        raise ValueError(f"params.topics must be among {', '.join(samples.label_names)}; got {list(topics)}.")
    kept = np.flatnonzero(np.isin(samples.labels, [samples.label_names.index(topic) for topic in topics]))
    what = f"{len(kept):,} of {samples.description}, of the topics {', '.join(topics)}"
    return dataclasses.replace(samples.chosen(kept), labels=None, description=what), rows[kept]


def _named_modes(samples: Samples, modes: Modes, params: TextModesParams) -> list[Result]:
    """Return for every mode its share with titles and keywords, "mode-share", and its purity if there are classes."""
    named = []
    for position, indices in enumerate(modes.sample_indices):
        diagnostics: dict[str, Any] = {
            "titles": [samples.items[row].id for row in indices[: params.num_titles]],
            "keywords": keywords([samples.items[row].read() for row in indices], num_keywords=params.num_keywords),
        }
        settings: dict[str, Any] = {**modes.settings, "mode": position + 1, "num_top_samples": len(indices)}
        named.append(Result("mode-share", float(modes.shares[position]), None, settings, diagnostics))
    if samples.labels is None:
        return named
    chance = chance_purity(samples.labels, modes.sample_indices.shape[1])
    pure = purities(modes, samples.labels, samples.label_names)
    named += [scoring.with_settings(result, {"chance_purity": chance}) for result in pure]
    return named + _group_purities(samples, modes)


def _group_purities(samples: Samples, modes: Modes) -> list[Result]:
    """Return the purities by what the classes belong to, "mode-group-purity", where that is known."""
    if not samples.label_groups or samples.labels is None:
        return []
    names = sorted(set(samples.label_groups))
    groups = np.array([names.index(group) for group in samples.label_groups])[samples.labels]
    chance = chance_purity(groups, modes.sample_indices.shape[1])
    return [
        dataclasses.replace(scoring.with_settings(result, {"chance_purity": chance}), name="mode-group-purity")
        for result in purities(modes, groups, names)
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the scores against the number of classes, where there is such a curve."""
    panels = shown.score_panels(run.results, "num_classes")
    if not panels:
        return {}
    title = shown.heading(run.title, shown.numbers(run.results[0]))
    return shown.compact({"scores": score_curves(panels, x_label="number of classes", title=title)})


def findings(run: RunFolder) -> list[Finding]:
    """Return the claims of the paper about these texts beside what the run says."""
    found = []
    if any("num_classes" in result.settings for result in run.results):
        found.append(shown.trend(run.results, "num_classes", claim="scores increase with the number of classes"))
        found.append(_population_trend(run))
    return [*found, _modes_have_a_subject(run), *_geography(run)]


def _geography(run: RunFolder) -> list[Finding]:
    """Return the claim about countries, where the continents of the top texts are known."""
    found = [result for result in run.results if result.name == "mode-group-purity"]
    if not found:
        return []
    chance = float(str(found[0].settings["chance_purity"]))
    listed = ", ".join(
        f"mode {result.settings['mode']} {result.diagnostics['label']} {100 * float(result):.0f} %" for result in found
    )
    above = [result for result in found if float(result) >= min(0.99, 1.5 * chance)]
    return [
        Finding(
            "the countries of a mode belong together by continent and location",
            f"commonest continent of the top texts: {listed}; of as many texts at random {100 * chance:.0f} %",
            "yes" if len(above) == len(found) else f"for {len(above)} of {len(found)} modes",
        )
    ]


def _population_trend(run: RunFolder) -> Finding:
    """Return whether the growth outlasts that of n: RKE over pairs of distinct texts does not depend on n."""
    curve = shown.curve("", run.results, "rke-population", "exact", "num_classes")
    steps = [
        after - before for before, after in zip(curve.values[:-1], curve.values[1:], strict=True) if before and after
    ]
    rising = sum(step > 0 for step in steps)
    ours = (
        f"RKE over distinct pairs, free of n: {curve.values[0]:.3g} to {curve.values[-1]:.3g}, up at {rising} of "
        f"{len(steps)} steps"
    )
    agrees = "yes" if rising == len(steps) else "in trend, not at every step" if 2 * rising > len(steps) else "no"
    return Finding("the growth is due to the classes (n grows with them here)", ours, agrees)


def _modes_have_a_subject(run: RunFolder) -> Finding:
    claim = "each mode gathers texts of one subject, which its keywords name"
    pure = shown.mode_purities(run.results)
    words: dict[int, Any] = {
        shown.whole(r, "mode"): r.diagnostics["keywords"] for r in run.results if r.name == "mode-share"
    }
    if not pure:
        listed = "; ".join(f"mode {mode}: {', '.join(list(found)[:3])}" for mode, found in words.items())
        return Finding(claim, listed, "cannot be judged: the texts have no classes")
    chance = float(str(pure[0].settings["chance_purity"]))
    clear = [result for result in pure if float(result) >= min(0.99, CLEAR * chance)]
    listed = "; ".join(
        f"mode {result.settings['mode']}: {result.diagnostics['label']} {100 * float(result):.0f} % "
        f"({', '.join(list(words[shown.whole(result, 'mode')])[:3])})"
        for result in pure
    )
    ours = f"commonest class of the top texts, and keywords: {listed}. Of as many texts at random: {100 * chance:.0f} %"
    return Finding(claim, ours, "yes" if len(clear) == len(pure) else f"for {len(clear)} of {len(pure)} modes")


def tables(run: RunFolder) -> dict[str, Table]:
    """Return scores, and titles, keywords and classes of every mode."""
    found = {}
    if any("num_classes" in result.settings for result in run.results):
        found["scores"] = shown.score_table(run.results, "num_classes", caption="Scores of the first t classes.")
    found["all"] = shown.score_table(run.results, "all_samples", caption="Scores of all texts.")
    rows = []
    for result in sorted((r for r in run.results if r.name == "mode-share"), key=lambda r: shown.whole(r, "mode")):
        diagnostics: dict[str, Any] = result.diagnostics
        share = float(f"{float(result):.4g}")
        cells = ("; ".join(diagnostics["titles"]), "; ".join(diagnostics["keywords"]))
        rows.append([shown.whole(result, "mode"), share, *cells])
    header = ["mode", "share of the trace", "titles of the top texts", "keywords"]
    found["modes"] = Table("Top texts of every mode, and keywords of its top texts together.", header, rows)
    if shown.mode_purities(run.results):
        caption = "Classes of the top texts of every mode."
        found["classes"] = shown.share_table(run.results, caption=caption)
    return found


def experiment(name: str) -> Experiment:
    """Return one of the experiments on texts, by its name without the paper's."""
    return Experiment(
        place=PLACES[name], run=run, draw=draw, findings=findings, inputs=inputs, files=files, tables=tables
    )
