"""Section 3: windows of one track depend on each other; what draws and relabellings that ignore it make of a test."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from experiments.experiment import Experiment, Finding, Table
from experiments.outcome import Outcome, RunFolder
from experiments.sensitivity import power_run
from experiments.sensitivity.counts import POWER, counts_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from experiments.schema import Config
    from fkeax.results import Result

WAYS = {
    "rows": "rows drawn, rows relabelled",
    "ignored": "tracks drawn, rows relabelled",
    "tracks": "tracks drawn, tracks relabelled",
}
ARMS = (("null", 0.0), ("shift", 0.1), ("shift", 0.5), ("rotation", 0.5), ("contraction", 0.5))


def run(config: Config) -> Outcome:
    """Return the rates of the three ways."""
    from experiments.sensitivity import power_study
    from experiments.sensitivity.cell_table import CellTable
    from experiments.sensitivity.counts import power_result
    from experiments.sensitivity.spaces import space
    from fkeax.sensitivity import rejection_rates

    params = power_run.params_of(config)
    plan = power_study.plan_of(params)
    results: list[Result] = []
    for name in params.spaces:
        embeddings = space(name).load(config, params.num_rows)
        if embeddings.groups is None:
            raise ValueError(f"params.spaces must hold spaces whose rows come from tracks; {name!r} has none.")
        facts = power_study.corpus_facts(embeddings)
        results.append(power_run.facts_result(name, facts))
        for way in WAYS:
            chosen = dataclasses.replace(embeddings, groups=None) if way == "rows" else embeddings
            table = CellTable(power_study.table_of(config, params, name).path.with_name(f"{name}-{way}.csv"))
            cells = power_study.cells_of(
                chosen, table, plan, seed=config.seed, name=name, ignore_groups=way == "ignored"
            )
            for rate in rejection_rates(cells):
                found = power_result(name, rate, facts["rho"])
                results.append(dataclasses.replace(found, settings=found.settings | {"way": way}))
    return Outcome(power_run.titled(config, params.spaces), results, {}, None, power_run.sources(params.spaces))


def cells(run: RunFolder) -> dict[tuple[str, str, str, float], str]:
    """Return counts in words by way, test and arm."""
    found = {}
    ways = [str(result.settings["way"]) for result in run.results if result.name == POWER]
    for way, count in zip(ways, counts_of(run).all, strict=True):
        found[way, count.test, count.change, count.strength] = str(count)
    return found


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the counts: a row an arm and a way, a column a test."""
    found, tests = cells(run), counts_of(run).tests
    arms = list(dict.fromkeys((change, strength) for _, _, change, strength in found))
    rows = [
        [f"{change} {strength:g}", words, *(found.get((way, test, change, strength)) for test in tests)]
        for change, strength in arms
        for way, words in WAYS.items()
    ]
    caption = (
        "What dependence does: windows of whole tracks. Rejections out of draws, with 95 % Clopper-Pearson intervals; "
        "a rate of the null above 0.05 is a broken level."
    )
    return {"ways": Table(caption, ["change", "way", *tests], rows)}


def findings(run: RunFolder) -> list[Finding]:
    """Return what the run says about draws of whole tracks."""
    from fkeax.inference import clopper_pearson

    counts, ways = counts_of(run).all, [str(result.settings["way"]) for result in run.results if result.name == POWER]
    nulls = {
        way: [one for one, its in zip(counts, ways, strict=True) if its == way and one.change == "null"] for way in WAYS
    }
    words, level = [], {}
    for way, found in nulls.items():
        rejected, draws = sum(one.rejections for one in found), sum(one.draws for one in found)
        words.append(f"{WAYS[way]}: {rejected} of {draws} over all tests")
        level[way] = clopper_pearson(rejected, draws)
    broken = level["ignored"][0] > 0.05
    kept = level["tracks"][0] <= 0.05
    return [
        Finding(
            "draws resample fixed corpora of independent pieces (the paper draws single pieces, not windows)",
            "; ".join(words),
            f"level of draws of tracks with rows relabelled {'broken' if broken else 'not seen to break'}, with tracks "
            f"relabelled {'kept' if kept else 'not kept'}",
        )
    ]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return rejection rates by way."""
    import matplotlib.pyplot as plt

    counts, ways = counts_of(run).all, [str(result.settings["way"]) for result in run.results if result.name == POWER]
    tests = counts_of(run).tests
    arms = list(dict.fromkeys((one.change, one.strength) for one in counts))
    figure, axes = plt.subplots(1, len(tests), figsize=(2.6 * len(tests), 2.8), sharey=True, squeeze=False, dpi=80)
    for axis, test in zip(axes.flat, tests, strict=True):
        for number, (way, words) in enumerate(WAYS.items()):
            found = [one for one, its in zip(counts, ways, strict=True) if its == way and one.test == test]
            places = [arms.index((one.change, one.strength)) + 0.27 * (number - 1) for one in found]
            axis.bar(places, [one.rate for one in found], 0.25, label=words)
        axis.axhline(0.05, color="black", lw=0.5)
        axis.set_title(test, fontsize=8)
        axis.set_xticks(range(len(arms)), [f"{c} {s:g}" for c, s in arms], rotation=35, ha="right", fontsize=6)
    axes.flat[0].set_ylabel("rejection rate")
    axes.flat[-1].legend(fontsize=6)
    figure.tight_layout()
    return {"ways": figure}


EXPERIMENT = Experiment(
    place="Sensitivity paper, Sec. 3",
    run=run,
    draw=draw,
    findings=findings,
    inputs=power_run.inputs,
    tables=tables,
)
