"""Running the cells of an experiment in all of its spaces: the outcome that several experiments share."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence

from experiments.outcome import Outcome
from experiments.schema import Config
from experiments.sensitivity import power_study
from experiments.sensitivity.counts import FACTS, power_result
from experiments.sensitivity.params import PowerParams
from experiments.sensitivity.power_study import Plan
from experiments.sensitivity.spaces import Embeddings, inputs_of, space
from experiments.supported import UNUSED, checked_params
from fkeax.results import Result
from fkeax.sensitivity import rejection_rates

MOST_FRECHET_COLUMNS = 256


def params_of(config: Config) -> PowerParams:
    """Return the parameters of an experiment on power.

    Raises:
        ValueError: A group was chosen that it does not heed, or the parameters are another experiment's.
    """
    return checked_params(config, PowerParams, UNUSED)


def inputs(config: Config) -> dict[str, str]:
    """Return names and checksums of what the spaces read."""
    return inputs_of(config, params_of(config).spaces)


def frechet_apart(params: PowerParams, embeddings: Embeddings) -> list[Plan]:
    """Return the plan, and a smaller one for the Frechet test, which costs a hundred times a kernel test.

    It has `frechet_draws` draws of no change and of the weak rotation; spaces of more than 256 dimensions have none.
    """
    plan = power_study.plan_of(dataclasses.replace(params, tests=[test for test in params.tests if test != "frechet"]))
    if "frechet" not in params.tests or embeddings.rows.shape[1] > MOST_FRECHET_COLUMNS:
        return [plan]
    arms = tuple(arm for arm in plan.arms if arm[0] == "null" or arm == ("rotation", min(params.strengths)))
    draws = min(plan.num_draws, params.frechet_draws)
    return [plan, dataclasses.replace(plan, arms=arms, tests=("frechet",), num_draws=draws)]


def run(
    config: Config, plans: Callable[[PowerParams, Embeddings], Sequence[Plan]] = frechet_apart, title: str | None = None
) -> Outcome:
    """Return the rates of all spaces; cells that a table holds are not computed again."""
    params = params_of(config)
    results: list[Result] = []
    for name in params.spaces:
        draws = params.space_draws.get(name, params.num_draws)
        results += space_results(config, dataclasses.replace(params, num_draws=draws), name, plans)
    return Outcome(title or titled(config, params.spaces), results, {}, None, sources(params.spaces))


def space_results(
    config: Config, params: PowerParams, name: str, plans: Callable[[PowerParams, Embeddings], Sequence[Plan]]
) -> list[Result]:
    """Return the facts and the rates of one space."""
    embeddings = space(name).load(config, params.num_rows)
    facts = power_study.corpus_facts(embeddings)
    results = [facts_result(name, facts)]
    table = power_study.table_of(config, params, name)
    for plan in plans(params, embeddings):
        cells = power_study.cells_of(embeddings, table, plan, seed=config.seed, name=name)
        results += [power_result(name, rate, facts["rho"]) for rate in rejection_rates(cells)]
    return results


def facts_result(name: str, facts: dict[str, float]) -> Result:
    """Return what a space is, as a result."""
    reason = {"stderr_reason": "a number of the whole corpus"}
    return Result(FACTS, facts["effective_dimension"], None, {"space": name}, facts | reason)


def titled(config: Config, names: Sequence[str]) -> str:
    """Return the title, which says what stands in for the paper's spaces."""
    kinds = list(dict.fromkeys(space(name).kind for name in names))
    return f"{config.title} (stand-ins for the paper's spaces: {len(names)} of {', '.join(kinds)} kind)"


def sources(names: Sequence[str]) -> dict[str, str]:
    """Return source and licence of the data of some spaces."""
    found = [space(name) for name in names]
    return {
        "source": " ".join(dict.fromkeys(f"{one.name}: {one.source}" for one in found)),
        "licence": " ".join(dict.fromkeys(f"{one.name}: {one.licence}" for one in found)),
    }
