"""Section 5.1 and Figure 2: power against the number of rows, for the rotation and three kernels."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from experiments.experiment import Experiment, Finding, Table
from experiments.outcome import Outcome, RunFolder
from experiments.sensitivity import power_run
from experiments.sensitivity.counts import Count, Counts, counts_of, facts_table, judged, verdict
from experiments.sensitivity.params import BudgetParams
from experiments.supported import UNUSED, checked_params

if TYPE_CHECKING:
    import jax
    from matplotlib.figure import Figure

    from experiments.schema import Config
    from experiments.sensitivity.power_study import Plan, Prepare
    from experiments.sensitivity.spaces import Embeddings
    from fkeax.results import Result
    from fkeax.sensitivity import Study

ARMS = (("null", 0.0), ("rotation", 0.1))


def params_of(config: Config) -> BudgetParams:
    """Return the parameters.

    Raises:
        ValueError: A group was chosen that this experiment does not heed, or lists do not match.
    """
    params = checked_params(config, BudgetParams, UNUSED)
    if len(params.budgets) != len(params.draws) or not params.budgets:
        raise ValueError(
            f"params.draws must hold a number for each of the {len(params.budgets)} params.budgets; got "
            f"{len(params.draws)}."
        )
    return params


def run(config: Config) -> Outcome:
    """Return the rates at every budget."""
    params = params_of(config)
    results: list[Result] = []
    for name in params.spaces:
        results += _space_results(config, params, name)
    return Outcome(power_run.titled(config, params.spaces), results, {}, None, power_run.sources(params.spaces))


def inputs(config: Config) -> dict[str, str]:
    """Return names and checksums of what the spaces read."""
    from experiments.sensitivity.spaces import inputs_of

    return inputs_of(config, params_of(config).spaces)


def _space_results(config: Config, params: BudgetParams, name: str) -> list[Result]:
    from experiments.sensitivity import power_study
    from experiments.sensitivity.counts import power_result
    from experiments.sensitivity.spaces import space
    from fkeax.sensitivity import rejection_rates

    embeddings = space(name).load(config, params.num_rows)
    facts = power_study.corpus_facts(embeddings)
    results = [power_run.facts_result(name, facts)]
    table = power_study.table_of(config, params, name)
    plan = dataclasses.replace(power_study.plan_of(params), arms=ARMS)
    prepare = _one_study()
    for budget, draws in zip(params.budgets, params.draws, strict=True):
        if 2 * budget > len(embeddings.rows) or (budget > params.large and name not in params.large_spaces):
            continue
        arms = ARMS if budget <= params.large else ARMS[1:]
        here = dataclasses.replace(plan, arms=arms, num_samples=budget, num_draws=draws)
        cells = power_study.cells_of(embeddings, table, here, seed=config.seed, name=name, prepare=prepare)
        results += [power_result(name, rate, facts["rho"]) for rate in rejection_rates(cells)]
    return results


def _one_study() -> Prepare:
    """Return a way to make a space ready that finds moments, bandwidths and matched rotations once for all budgets."""
    made: list[Study] = []

    def prepare(key: jax.Array, embeddings: Embeddings, plan: Plan) -> Study:
        from experiments.sensitivity.power_study import study_of
        from fkeax.sensitivity.draws import make_pool

        if not made:
            made.append(study_of(key, embeddings, plan))
        pool = make_pool(key, embeddings.rows, plan.num_samples, embeddings.groups)
        return dataclasses.replace(made[0], pool=pool)

    return prepare


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the spaces, and the counts of every space against the budget."""
    counts = counts_of(run)
    found = {"spaces": facts_table(run)}
    for name in counts.spaces:
        rows = []
        for n in sorted({one.n for one in counts.of(space=name)}):
            for change, strength in ARMS:
                cells = [
                    counts.one(space=name, test=test, change=change, strength=strength, n=n) for test in counts.tests
                ]
                if any(cells):
                    rows.append([n, change, *(None if one is None else str(one) for one in cells)])
                    rows.append([n, f"{change}, mean z", *(None if one is None else one.z for one in cells)])
        caption = f"{name}: rejections of the rotation at 0.1 and of no change, and mean z, against the rows of a side."
        found[name] = Table(caption, ["n", "change", *counts.tests], rows)
    return found


def findings(run: RunFolder) -> list[Finding]:
    """Return what the run says about the claims of Section 5.1 and Figure 2."""
    counts = counts_of(run)
    return [
        _regains(counts),
        _cubic(counts),
        Finding(
            "power grows with the number of rows",
            "; ".join(
                f"{name} {test}: z {_z_path(counts, name, test)}" for name in counts.spaces for test in ("kid", "kad")
            ),
            _growth(counts),
        ),
    ]


def _rotations(counts: Counts, test: str) -> list[Count]:
    return [one for one in counts.of(test=test, change="rotation", strength=0.1) if one.draws]


def _z_path(counts: Counts, name: str, test: str) -> str:
    found = sorted((one for one in _rotations(counts, test) if one.space == name), key=lambda one: one.n)
    return ", ".join(f"{one.z:.1f} at {one.n}" for one in found if one.z is not None)


def _growth(counts: Counts) -> str:
    grows = {}
    for name in counts.spaces:
        found = sorted((one for one in _rotations(counts, "kad") if one.space == name), key=lambda one: one.n)
        if len(found) > 1:
            grows[name] = (found[-1].z or 0) > (found[0].z or 0)
    return verdict(grows)


def _regains(counts: Counts) -> Finding:
    words, top = [], []
    for name in counts.spaces:
        found = sorted((one for one in _rotations(counts, "kad") if one.space == name), key=lambda one: one.n)
        words.append(f"{name} " + ", ".join(f"{one.rejections}/{one.draws} at {one.n}" for one in found))
        top += [one for one in found if one.n >= 10_000]
    word = verdict(judged(top, lambda one: one.within(0.95, 1)))
    return Finding(
        "the median heuristic rejects the rotation in 3 of 20 runs at 780 rows and in every run from 10,000 (images)",
        "; ".join(words),
        word if top else "cannot be judged: no space with 10,000 rows a side was run",
    )


def _cubic(counts: Counts) -> Finding:
    top = [one for one in _rotations(counts, "kid") if one.n >= 10_000]
    words = ", ".join(f"{one.space} {one.rejections}/{one.draws} at {one.n}" for one in top) or "not run"
    largest = [one for one in top if one.n >= 20_000]
    if not largest:
        word = "cannot be judged: no space with 20,000 rows a side was run"
    else:
        word = verdict(judged(largest, lambda one: one.within(0, 0.6)))
    return Finding("the cubic kernel rejects it in 2 of 5 runs at 20,000 rows a side", words, word)


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return rejection rates against the rows of a side, a panel a space."""
    import matplotlib.pyplot as plt

    counts = counts_of(run)
    figure, axes = plt.subplots(
        1, len(counts.spaces), figsize=(3.6 * len(counts.spaces), 3.0), sharey=True, squeeze=False, dpi=80
    )
    for axis, name in zip(axes.flat, counts.spaces, strict=True):
        for number, test in enumerate(counts.tests):
            found = sorted((one for one in _rotations(counts, test) if one.space == name), key=lambda one: one.n)
            if found:
                below = [max(one.rate - one.interval[0], 0) for one in found]
                above = [max(one.interval[1] - one.rate, 0) for one in found]
                places = [one.n * (1 + 0.03 * number) for one in found]
                axis.errorbar(places, [one.rate for one in found], [below, above], fmt="o-", ms=3, lw=1, label=test)
        axis.axhline(0.05, color="black", lw=0.5)
        axis.set(xscale="log", title=name, xlabel="rows of a side", ylim=(-0.03, 1.03))
    axes.flat[0].set_ylabel("rejection rate, rotation 0.1")
    axes.flat[0].legend(fontsize=7)
    figure.tight_layout()
    return {"power": figure}


EXPERIMENT = Experiment(
    place="Sensitivity paper, Sec. 5.1 and Fig. 2",
    run=run,
    draw=draw,
    findings=findings,
    inputs=inputs,
    tables=tables,
)
