"""Section 6 and Appendix A.1: what the two default kernels weigh, and what theory expects of their tests."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from experiments.experiment import Experiment, Finding, Table
from experiments.outcome import Outcome, RunFolder
from experiments.sensitivity import power_run
from experiments.sensitivity.counts import FACTS, counts_of, facts_table, span, verdict

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

    from experiments.schema import Config
    from experiments.sensitivity.params import PowerParams
    from experiments.sensitivity.spaces import Embeddings
    from fkeax.results import Result
    from fkeax.sensitivity import Study

WIDE = 1e6  # sigma^2
PAPER_ERROR = 6e-5
RATIO = "mmd2-over-leading-term"
EXPANSION = "expansion-error"
MOMENTS = "cubic-moment-error"
Z = "predicted-z"
COLUMNS = 12  # of the exact check of the cubic kernel: its third moments have d^3 entries


def run(config: Config) -> Outcome:
    """Return rates, predictions, and the checks of both expansions."""
    params = power_run.params_of(config)
    results: list[Result] = []
    for name in params.spaces:
        draws = params.space_draws.get(name, params.num_draws)
        own = dataclasses.replace(params, num_draws=draws)
        results += power_run.space_results(config, own, name, lambda params, found: _plans(params))
        results += _theory(config, params, name)
    return Outcome(power_run.titled(config, params.spaces), results, {}, None, power_run.sources(params.spaces))


def _plans(params: PowerParams) -> list[Any]:
    from experiments.sensitivity.power_study import plan_of

    return [plan_of(params)]


def _theory(config: Config, params: PowerParams, name: str) -> list[Result]:
    """Return all that follows from the rows of one space without a test."""
    import jax

    from experiments.sensitivity import power_study
    from experiments.sensitivity.spaces import space
    from fkeax.sensitivity import named_key

    plan = power_study.plan_of(params)
    embeddings = space(name).load(config, params.num_rows)
    study = power_study.study_of(named_key(jax.random.key(config.seed), "space", name), embeddings, plan)
    return [
        *_expansion(study, name),
        _moments(study, name),
        *_predictions(study, plan.arms, plan.tests, name),
        *_ratios(embeddings, name),
    ]


def _expansion(study: Study, name: str) -> list[Result]:
    """Return the relative error of the wide-bandwidth expansion against the closed form of Gaussian laws."""
    import jax

    from fkeax.results import Result
    from fkeax.sensitivity import CHANGES, GaussianLaw, InfeasibleChange, gaussian_kernel_mmd2, wide_expansion

    corpus, found = study.corpus, []
    before = GaussianLaw(corpus.mean, corpus.covariance)
    for change in ("rotation", "contraction", "shift"):
        affine = CHANGES[change].affine
        assert affine is not None
        try:
            moved = affine(jax.random.key(0), 0.1, corpus, None)
        except InfeasibleChange:
            continue
        after = GaussianLaw(corpus.mean + moved.shift, moved.covariance(corpus.covariance))
        exact, wide = gaussian_kernel_mmd2(before, after, WIDE**0.5), wide_expansion(before, after, WIDE**0.5)
        error = abs(wide.first + wide.second - exact) / exact
        settings = {"space": name, "change": change, "sigma_squared": WIDE}
        parts = {"exact": exact, "first": wide.first, "second": wide.second, "stderr_reason": "exact but for rounding"}
        found.append(Result(EXPANSION, error, None, settings, parts))
    return found


def _moments(study: Study, name: str) -> Result:
    """Return by how much KID's V-statistic differs from its three moment terms, on some columns of a draw."""
    import numpy as np

    from fkeax.results import Result

    drawn = study.pool.draw(study.key, 0)
    x, y = (np.asarray(rows[:, :COLUMNS], np.float64) for rows in (drawn.reference, drawn.generated))
    d = x.shape[1]
    means = [((left @ right.T / d + 1) ** 3).mean() for left, right in ((x, x), (y, y), (x, y))]
    terms = []
    for order, letters in ((1, "a"), (2, "ab"), (3, "abc")):
        moments = [
            np.einsum(",".join(f"n{letter}" for letter in letters) + f"->{letters}", *[rows] * order) / len(rows)
            for rows in (x, y)
        ]
        weight = (3 / d, 3 / d**2, 1 / d**3)[order - 1]
        terms.append(weight * float(np.square(moments[0] - moments[1]).sum()))
    exact = float(means[0] + means[1] - 2 * means[2])
    settings = {"space": name, "columns": d}
    parts = {"terms": terms, "v_statistic": exact, "stderr_reason": "an identity, exact but for rounding"}
    return Result(MOMENTS, abs(sum(terms) - exact) / float(means[0]), None, settings, parts)


def _predictions(study: Study, arms: Any, tests: Any, name: str) -> list[Result]:
    from fkeax.results import Result
    from fkeax.sensitivity.forecast import forecast

    return [
        Result(
            Z,
            found.z,
            None,
            {"space": name, "test": test, "change": change, "strength": strength},
            {"leading": found.leading_z, "power": found.power, "stderr_reason": "a forecast from 600 rows"},
        )
        for (test, change, strength), found in forecast(study, arms, tests, alpha=0.05).items()
    ]


def _ratios(embeddings: Embeddings, name: str) -> list[Result]:
    """Return MMD^2 over ``||dmu||^2 / sigma^2`` at the pooled median for every pair of corpora, both unbiased."""
    import itertools

    import numpy as np

    from fkeax.results import Result

    if embeddings.labels is None:
        return []
    names = list(dict.fromkeys(embeddings.labels.tolist()))[:6]
    found = []
    for first, second in itertools.combinations(names, 2):
        x, y = (np.asarray(embeddings.rows[embeddings.labels == label][:400], np.float64) for label in (first, second))
        if min(len(x), len(y)) < 50:
            continue
        ratio, width = ratio_at_median(x, y)
        settings = {"space": name, "pair": f"{first} and {second}", "n": len(x), "m": len(y), "bandwidth": width}
        found.append(Result(RATIO, ratio, None, settings, {"stderr_reason": "compared over pairs"}))
    return found


def ratio_at_median(x: np.ndarray, y: np.ndarray) -> tuple[float, float]:
    """Return unbiased MMD^2 of the Gaussian kernel over unbiased ``||dmu||^2 / sigma^2``, and sigma, the median."""
    import numpy as np

    from fkeax.kernels import median_bandwidth
    from fkeax.twosample import mmd

    width = float(median_bandwidth(np.concatenate([x, y])).value)
    noise = x.var(axis=0, ddof=1).sum() / len(x) + y.var(axis=0, ddof=1).sum() / len(y)
    moved = float(np.square(x.mean(axis=0) - y.mean(axis=0)).sum() - noise)
    value = float(mmd(x.astype(np.float32), y.astype(np.float32), kernel="gaussian", bandwidth=width))
    return value / (moved / width**2), width


def tables(run: RunFolder) -> dict[str, Table]:
    """Return expansions, ratios, and predicted beside observed z."""
    found = {"spaces": facts_table(run)}
    caption = (
        f"The expansion's two orders against the closed form of Gaussian laws at sigma^2 = {WIDE:g}, changes at 0.1."
    )
    rows = [
        [
            *(one.settings[word] for word in ("space", "change")),
            *(one.diagnostics[word] for word in ("exact", "first", "second")),
            one.value,
        ]
        for one in _named(run, EXPANSION)
    ]
    found["expansion"] = Table(caption, ["space", "change", "exact", "first", "second", "relative error"], rows)
    rows = [[one.settings["space"], one.settings["pair"], one.value] for one in _named(run, RATIO)]
    if rows:
        found["ratios"] = Table(
            "MMD^2 over ||dmu||^2/sigma^2 at the pooled median.", ["space", "corpora", "ratio"], rows
        )
    found["z"] = Table(
        "Expected z (from 600 rows and their images; to leading order from the spectrum) beside the tests' mean z.",
        ["space", "test", "change", "strength", "expected", "leading order", "observed", "draws"],
        [list(row) for row in z_rows(run)],
    )
    return found


def z_rows(run: RunFolder) -> list[tuple[Any, ...]]:
    """Return expected and observed z of every cell that has both."""
    counts, rows = counts_of(run), []
    for one in _named(run, Z):
        seen = counts.one(**one.settings)
        if seen is not None and seen.draws:
            own = tuple(one.settings[word] for word in ("space", "test", "change", "strength"))
            rows.append((*own, one.value, one.diagnostics["leading"], seen.z, seen.draws))
    return rows


def _named(run: RunFolder, name: str) -> list[Any]:
    return [result for result in run.results if result.name == name]


def findings(run: RunFolder) -> list[Finding]:
    """Return what the run says about the claims of Section 6 and A.1."""
    errors: dict[str, float] = {}
    for one in _named(run, EXPANSION):
        name = one.settings["space"]
        errors[name] = max(errors.get(name, 0.0), one.value)
    identity = {one.settings["space"]: one.value for one in _named(run, MOMENTS)}
    ratios = [one.value for one in _named(run, RATIO)]
    spaces = {one.settings["space"] for one in _named(run, RATIO)}
    inside = sum(0.63 <= value <= 0.68 for value in ratios)
    return [
        Finding(
            f"the expansion's two orders agree with closed forms to {PAPER_ERROR:g} at sigma^2 = 10^6",
            f"largest relative error {max(errors.values(), default=0):.1e}; it grows with tr S of the space",
            verdict({name: error <= PAPER_ERROR for name, error in errors.items()}),
        ),
        Finding(
            "the cubic kernel's MMD is an exact sum of mean, second-moment and third-moment terms",
            f"largest difference over E k: {max(identity.values(), default=0):.1e}",
            verdict({name: error <= 1e-10 for name, error in identity.items()}),
        ),
        Finding(
            "over 15 pairs of symbolic corpora MMD^2 is 0.64 to 0.67 of ||dmu||^2/sigma^2 at the median",
            f"{span(ratios)} over {len(ratios)} pairs in {', '.join(sorted(spaces)) or 'no space'}; e^(-1/2) = 0.61",
            f"{inside} of {len(ratios)} pairs within 0.63 to 0.68" if ratios else "cannot be judged: no corpora",
        ),
        _dimension(run),
        _predicted(run),
    ]


def _dimension(run: RunFolder) -> Finding:
    from experiments.mauve.ranks import spearman

    dims = {one.settings["space"]: float(one.value) for one in _named(run, FACTS)}
    power = {one.space: one for one in counts_of(run).of(test="kad", change="rotation", strength=0.1) if one.draws}
    both = [(dims[name], one) for name, one in power.items() if name in dims]
    words = ", ".join(
        f"{one.space} {size:.0f}: z {one.z:.1f}, {one.rejections}/{one.draws}"
        for size, one in sorted(both, key=lambda pair: pair[0])
        if one.z is not None
    )
    if len(both) < 4:
        word = "cannot be judged: fewer than 4 spaces"
    else:
        rho = spearman([size for size, _ in both], [one.z or 0.0 for _, one in both])
        word = f"{'yes' if -1 < rho < -0.5 else 'not seen'}: rank correlation of dimension and z {rho:.2f}"
    return Finding(
        "effective dimension goes with the power regime of the median heuristic, but does not determine it", words, word
    )


def _predicted(run: RunFolder) -> Finding:
    rows = [row for row in z_rows(run) if row[4] > 3]
    ratios = [row[6] / row[4] for row in rows]
    close = sum(0.8 <= ratio <= 1.25 for ratio in ratios)
    return Finding(
        "(not in the paper) the z of a test can be predicted from the spectrum or from rows",
        f"observed over expected z {span(ratios)} in {len(ratios)} cells with expected z above 3",
        f"within a quarter in {close} of {len(ratios)} cells" if ratios else "cannot be judged: no z above 3",
    )


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return observed against expected z."""
    import matplotlib.pyplot as plt

    figure, axis = plt.subplots(figsize=(4.2, 3.6), dpi=80)
    rows = z_rows(run)
    for number, change in enumerate(dict.fromkeys(row[2] for row in rows)):
        kept = [row for row in rows if row[2] == change]
        axis.plot([row[4] for row in kept], [row[6] for row in kept], "o", color=f"C{number}", ms=4, label=change)
    low, high = axis.get_xlim()
    axis.plot([low, high], [low, high], color="black", lw=0.5)
    axis.set(xlabel="expected z", ylabel="observed mean z", xscale="symlog", yscale="symlog")
    axis.legend(fontsize=7)
    figure.tight_layout()
    return {"z": figure}


EXPERIMENT = Experiment(
    place="Sensitivity paper, Sec. 6 and A.1",
    run=run,
    draw=draw,
    findings=findings,
    inputs=power_run.inputs,
    tables=tables,
)
