"""Bradley-Terry scores: known strengths come back within their errors, and votes without finite scores are refused."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from experiments.mauve.bradley_terry import Vote, fit_bradley_terry, read_votes, simulated_votes


def test_known_scores_come_back_within_their_errors() -> None:
    # 40 fits of 6 scores: their standardised squares sum to chi-squared with 5 degrees each. The mean of 40 such sums
    # is 5 +- 0.5; beyond 3 and 7 (four standard deviations) less than once in 10,000 keys, and the key is fixed.
    truth = {"a": -60.0, "b": -25.0, "c": -5.0, "d": 10.0, "e": 30.0, "f": 50.0}
    generator = np.random.default_rng(0)
    sums = []
    for _ in range(40):
        fit = fit_bradley_terry(simulated_votes(truth, 600, generator))
        assert fit.players == tuple(truth)
        sums.append(np.sum(((fit.scores - np.array(list(truth.values()))) / fit.stderrs) ** 2))
    assert 3 < np.mean(sums) < 7


def test_two_players_have_the_closed_form() -> None:
    votes = [Vote("x", "y", "x")] * 3 + [Vote("y", "x", "y"), Vote("x", "y", "tie"), Vote("x", "y", "tie")]
    fit = fit_bradley_terry(votes)
    # Four wins to two: the log odds are log 2, half of it for each around the mean.
    np.testing.assert_allclose(fit.scores, [50 * np.log(2), -50 * np.log(2)], rtol=1e-9)
    # var of the difference is 1 / (n p (1 - p)) = 1 / (6 * 2/9); each score is half of it.
    np.testing.assert_allclose(fit.stderrs, 50 * np.sqrt(9 / 12), rtol=1e-9)


def test_no_chain_of_wins_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"no chain of wins leads from 'b' to 'a'"):
        fit_bradley_terry([Vote("a", "b", "a"), Vote("b", "c", "tie")])


def test_votes_are_read_from_both_kinds_of_file(tmp_path: Path) -> None:
    expected = [Vote("a", "b", "b"), Vote("b", "c", "tie")]
    table, lines = tmp_path / "votes.csv", tmp_path / "votes.jsonl"
    table.write_text("first,second,winner,worker\na,b,b,7\nb,c,tie,8\n")
    lines.write_text("\n".join(json.dumps(vars(vote)) for vote in expected) + "\n")
    assert read_votes(table) == read_votes(lines) == expected
    table.write_text("first,second,winner\na,b,c\n")
    with pytest.raises(ValueError, match=r"vote 1: winner must be 'a', 'b' or 'tie'"):
        read_votes(table)
    table.write_text("first,second\na,b\n")
    with pytest.raises(ValueError, match=r"vote 1: 'winner' is missing"):
        read_votes(table)
