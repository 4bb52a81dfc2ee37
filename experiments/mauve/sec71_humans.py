"""MAUVE paper, Section 7.1: rank correlation with people's judgements, and the fit that makes scores of votes.

The votes of the paper's crowd are not public; its published scores are, and the correlations are recomputed from them.
The fit is shown on votes simulated from those scores, and runs on a user's own votes (`params.votes=FILE`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import fkeax
from experiments.experiment import Experiment, Finding, Table
from experiments.mauve.bradley_terry import Scores, fit_bradley_terry, read_votes, simulated_votes
from experiments.mauve.panels import Line, Panel, draw_panels
from experiments.mauve.params import HumansParams
from experiments.mauve.ranks import spearman
from experiments.outcome import Outcome, RunFolder
from experiments.schema import Config
from experiments.supported import UNUSED, checked_params

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUESTIONS = ("human-like", "sensible", "interesting")
# GPT-2 on web text: MAUVE, then the Bradley-Terry scores for the three questions.
PUBLISHED = {
    "small, p = .9": (0.8775, -15.78, -7.44, -0.70),
    "small, p = 1": (0.5890, -27.52, -37.81, -15.49),
    "medium, p = .9": (0.9146, -3.43, -7.29, -12.82),
    "medium, p = 1": (0.3728, -30.77, -32.00, -34.32),
    "large, p = .95": (0.9359, 12.55, 8.78, 6.79),
    "large, p = 1": (0.8450, -6.93, -7.11, -1.53),
    "xl, p = .95": (0.9396, 15.66, 31.89, 23.05),
    "xl, p = 1": (0.8816, 8.97, 7.75, 9.53),
}
CLAIMED = {"human-like": 0.952, "sensible": 0.857, "interesting": 0.810}


def files(config: Config) -> list[Path]:
    """Return the user's file of votes, if one was given."""
    params = checked_params(config, HumansParams, UNUSED)
    return [] if params.votes is None else [Path(config.origin, params.votes).expanduser()]


def inputs(config: Config) -> dict[str, str]:
    """Return the name and SHA-256 of the user's file."""
    from fkeax.io import sha256_of_file

    return {path.name: sha256_of_file(path) for path in files(config)}


def run(config: Config) -> Outcome:
    """Correlate the published values and fit simulated votes, and the user's if there are any."""
    params = checked_params(config, HumansParams, UNUSED)
    values = np.array(list(PUBLISHED.values()))
    results = []
    for number, question in enumerate(QUESTIONS, 1):
        value = spearman(values[:, 0], values[:, number])
        results.append(fkeax.Result("spearman", value, None, {"question": question, "num_models": len(values)}, {}))
    truth = dict(zip(PUBLISHED, values[:, 1] - values[:, 1].mean(), strict=True))
    votes = simulated_votes(truth, params.num_votes, np.random.default_rng(config.seed))
    results += _as_results(fit_bradley_terry(votes), "simulated", truth)
    for path in files(config):
        results += _as_results(fit_bradley_terry(read_votes(path)), path.name, {})
    source = "The scores that the paper publishes; votes simulated from them."
    return Outcome(config.title, results, {}, float(results[0]), {"source": source, "licence": "Facts."})


def _as_results(fit: Scores, votes: str, truth: dict[str, float]) -> list[fkeax.Result]:
    return [
        fkeax.Result(
            "bradley-terry", score, stderr, {"votes": votes, "player": player, "num_votes": fit.num_votes},
            {"truth": truth.get(player)},
        )
        for player, score, stderr in zip(fit.players, fit.scores, fit.stderrs, strict=True)
    ]  # fmt: skip


def findings(run: RunFolder) -> list[Finding]:
    """Return the three correlations beside the paper's, and how the fit recovers known scores."""
    found = []
    for result in run.results:
        if result.name == "spearman":
            question = str(result.settings["question"])
            same = round(float(result), 3) == CLAIMED[question]
            claim = f"Spearman correlation of MAUVE with people's answers, {question}: {CLAIMED[question]:.3f}"
            found.append(Finding(claim, f"{float(result):.3f} from the published values", "yes" if same else "no"))
    simulated = _fits(run, "simulated")
    scores = [(float(r) - float(str(r.diagnostics["truth"]))) / (r.stderr or 1.0) for r in simulated]
    chi = float(np.sum(np.square(scores)))
    ours = (
        f"{simulated[0].settings['num_votes']} simulated votes: scores at most {max(map(abs, scores)):.1f} standard "
        f"errors from the truth (sum of squares {chi:.1f} for {len(scores) - 1} degrees of freedom)"
    )
    claim = "the Bradley-Terry fit recovers known scores within its errors (no claim of the paper)"
    found.append(Finding(claim, ours, "yes" if max(map(abs, scores)) < 4 else "no"))
    return found


def _fits(run: RunFolder, votes: str) -> list[fkeax.Result]:
    return [r for r in run.results if r.name == "bradley-terry" and r.settings["votes"] == votes]


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return MAUVE against people's scores."""
    values = np.array(list(PUBLISHED.values()))
    panels = [
        Panel(f"{question}: Spearman {float(result):.3f}", "MAUVE", "Bradley-Terry score",
              [Line("", values[:, 0], values[:, number], joined=False)])
        for number, (question, result) in enumerate(zip(QUESTIONS, run.results, strict=False), 1)
    ]  # fmt: skip
    return {"people": draw_panels(panels, run.title)}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return the published values and the fits."""
    published = [[name, *row] for name, row in PUBLISHED.items()]
    found = {"published": Table("The paper's values.", ["model", "MAUVE", *QUESTIONS], published)}
    rows = [
        [str(r.settings["votes"]), str(r.settings["player"]), float(r), r.stderr, r.diagnostics["truth"]]
        for r in run.results
        if r.name == "bradley-terry"
    ]
    numbers = [[cell if isinstance(cell, (str, float)) else None for cell in row] for row in rows]
    header = ["votes", "player", "score", "standard error", "truth"]
    return found | {"fits": Table("Bradley-Terry scores, mean 0.", header, numbers)}


EXPERIMENT = Experiment(
    place="MAUVE paper, Section 7.1",
    run=run,
    draw=draw,
    findings=findings,
    inputs=inputs,
    files=files,
    tables=tables,
)
