"""Bradley-Terry scores from votes between pairs, by maximum likelihood, and the reading of votes from files.

`P(i beats j) = 1 / (1 + exp(-(s_i - s_j) / 100))`: hundredths of a log odds, as the MAUVE paper reports its scores.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

UNIT = 100.0
TIE = "tie"
COLUMNS = ("first", "second", "winner")


@dataclass(frozen=True)
class Vote:
    """One comparison.

    Attributes:
        first: A player.
        second: Another.
        winner: One of the two, or "tie", which counts as half a win of each.
    """

    first: str
    second: str
    winner: str


@dataclass(frozen=True)
class Scores:
    """A fit.

    Attributes:
        players: Names, in alphabetical order.
        scores: One for each, with mean 0.
        stderrs: From the curvature of the likelihood.
        num_votes: How many votes it is from.
    """

    players: tuple[str, ...]
    scores: np.ndarray
    stderrs: np.ndarray
    num_votes: int


def fit_bradley_terry(votes: Sequence[Vote]) -> Scores:
    """Return the scores under which the votes are the most probable.

    Args:
        votes: Of at least two players.

    Returns:
        Scores with mean 0 and their standard errors.

    Raises:
        ValueError: No votes, or a group of players never lost against (or never met) the others: then no finite
            scores are the most probable ones.
    """
    if not votes:
        raise ValueError("votes must hold at least one vote.")
    players = tuple(sorted({vote.first for vote in votes} | {vote.second for vote in votes}))
    wins = _wins(votes, players)
    _check_connected(wins, players)
    games = wins + wins.T
    scores = np.zeros(len(players))
    curvature = np.zeros_like(games)
    for _ in range(100):
        odds = 1 / (1 + np.exp(np.clip(scores[None, :] - scores[:, None], -500, 500)))
        gradient = (wins - games * odds).sum(axis=1)
        weights = games * odds * (1 - odds)
        curvature = np.diag(weights.sum(axis=1)) - weights
        step = np.linalg.pinv(curvature) @ gradient
        # Newton's step may be too long far from the maximum.
        step *= min(1.0, 1.0 / max(np.abs(step).max(), 1e-300))
        scores = scores + step
        if np.abs(step).max() < 1e-10:
            break
    covariance = np.linalg.pinv(curvature)
    return Scores(players, UNIT * (scores - scores.mean()), UNIT * np.sqrt(np.diag(covariance)), len(votes))


def _wins(votes: Iterable[Vote], players: tuple[str, ...]) -> np.ndarray:
    place = {player: number for number, player in enumerate(players)}
    wins = np.zeros((len(players), len(players)))
    for vote in votes:
        first, second = place[vote.first], place[vote.second]
        share = 0.5 if vote.winner == TIE else float(vote.winner == vote.first)
        wins[first, second] += share
        wins[second, first] += 1 - share
    return wins


def _check_connected(wins: np.ndarray, players: tuple[str, ...]) -> None:
    """Raise unless every player is linked to every other by a chain of wins (Ford, 1957)."""
    reach = (wins > 0) | np.eye(len(players), dtype=bool)
    for _ in range(len(players).bit_length()):
        reach = reach @ reach
    if not reach.all():
        first, second = map(int, np.argwhere(~reach)[0])
        raise ValueError(
            f"votes give no finite scores: no chain of wins leads from {players[first]!r} to {players[second]!r}."
        )


def simulated_votes(scores: dict[str, float], num_votes: int, generator: np.random.Generator) -> list[Vote]:
    """Return votes between pairs drawn evenly, by the law of the model."""
    players = sorted(scores)
    votes = []
    for _ in range(num_votes):
        first, second = (players[place] for place in generator.choice(len(players), 2, replace=False))
        chance = 1 / (1 + np.exp(-(scores[first] - scores[second]) / UNIT))
        votes.append(Vote(first, second, first if generator.uniform() < chance else second))
    return votes


def read_votes(path: Path) -> list[Vote]:
    """Return the votes of a .csv file with the columns first, second and winner, or of a .jsonl file with such entries.

    Raises:
        FileNotFoundError: There is no such file.
        ValueError: Another ending, a missing column, or a winner that is neither of the two nor "tie".
    """
    if path.suffix == ".csv":
        with path.open(encoding="utf-8", newline="") as stream:
            entries = list(csv.DictReader(stream))
    elif path.suffix == ".jsonl":
        lines = path.read_text(encoding="utf-8").splitlines()
        entries = [json.loads(line) for line in lines if line.strip()]
    else:
        raise ValueError(f"votes must be a .csv or .jsonl file, got {str(path)!r}.")
    votes = []
    for number, entry in enumerate(entries, 1):
        missing = [name for name in COLUMNS if not isinstance(entry, dict) or not entry.get(name)]
        if missing:
            raise ValueError(f"{str(path)!r}, vote {number}: {missing[0]!r} is missing.")
        vote = Vote(*(str(entry[name]) for name in COLUMNS))
        if vote.winner not in (vote.first, vote.second, TIE) or vote.first == vote.second:
            raise ValueError(
                f"{str(path)!r}, vote {number}: winner must be {vote.first!r}, {vote.second!r} or {TIE!r}, and the two "
                f"must differ, got {vote.winner!r}."
            )
        votes.append(vote)
    return votes
