"""What the paper claims, held against the committed records of runs.

Only what depends on no trained model is asserted: the trends of Fig. 6 and of the bounds, the constants, the published
correlations. Every record says of itself what held.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from experiments.mauve.catalogue import EXPERIMENTS
from experiments.reproduction import RECORDS

RUN = (
    "fig01_frontier",
    "fig02_decoding",
    "fig03_area_midpoint",
    "fig04_quantization",
    "fig05_missing_mass",
    "fig06_smoothing",
    "fig07_oracle_bins",
    "table1_table2",
    "sec71_humans",
    "sec72_models",
    "sec72_decoding",
    "sec73_estimators",
    "sec74_divergences",
    "sec75_embeddings",
    "sec76_precision_recall",
    "sec77_images",
    "sec78_bounds",
    "sec8_checklist",
)
FOUND = sorted(path.name for path in RECORDS.glob("mauve-*.json"))


def record(name: str) -> dict[str, Any]:
    return json.loads((RECORDS / f"mauve-{name}-local.json").read_text(encoding="utf-8"))


def verdicts(name: str) -> list[str]:
    return [finding["agrees"] for finding in record(name)["findings"]]


@pytest.mark.parametrize("name", RUN)
def test_what_was_run_has_a_record(name: str) -> None:
    found = record(name)
    assert found["experiment"] in EXPERIMENTS
    assert found["findings"]
    command = found["command"]
    assert command.startswith(f"python -m experiments.run experiment=mauve/{name} scale=local")


@pytest.mark.parametrize("name", FOUND)
def test_a_record_is_small_and_says_what_it_stands_for(name: str) -> None:
    path = RECORDS / name
    assert path.stat().st_size < 60_000
    found = json.loads(path.read_text(encoding="utf-8"))
    assert all(finding["agrees"] and finding["ours"] for finding in found["findings"])
    if "wikipedia" in json.dumps(found["data"]).lower():
        assert "stand-ins" in found["title"] or "not GPT-2" in found["title"]


@pytest.mark.parametrize("name", ["fig01_frontier", "fig02_decoding", "fig03_area_midpoint", "fig05_missing_mass"])
def test_exact_figures_agree_in_every_claim(name: str) -> None:
    assert set(verdicts(name)) == {"yes"}


def test_published_correlations_come_back() -> None:
    ours = [finding["ours"].split()[0] for finding in record("sec71_humans")["findings"][:3]]
    assert ours == ["0.952", "0.857", "0.810"]


def test_fig06_has_the_papers_trends() -> None:
    tables = record("fig06_smoothing")["tables"]

    def column(panel: str, title: str) -> list[float]:
        place = tables[panel]["header"].index(title)
        return [float(row[place].split()[0]) for row in tables[panel]["rows"]]

    assert all(len(tables[panel]["rows"]) == 12 for panel in "abcd")
    # (a): Krichevsky-Trofimov and Good-Turing lie below all others at every n.
    best = [max(pair) for pair in zip(column("a", "Good-Turing"), column("a", "Krichevsky-Trofimov"), strict=True)]
    for other in ("Empirical", "Braess-Sauer", "Laplace"):
        assert all(own < its for own, its in zip(best, column("a", other), strict=True))
    # (b): smoothing helps markedly at k/n = 1/2.
    assert all(column("b", name)[-1] < 0.8 * column("b", "Empirical")[-1] for name in tables["b"]["header"][2:])
    # (c), (d): Good-Turing outperforms the empirical estimator at every decay.
    for panel in "cd":
        pairs = zip(column(panel, "Good-Turing"), column(panel, "Empirical"), strict=True)
        assert all(own < empirical for own, empirical in pairs)


def test_texts_have_the_papers_orders_where_the_models_do() -> None:
    """Sizes are the exception that the record explains: the largest model is not the best trained one."""
    found = {finding["paper"]: finding["agrees"] for finding in record("sec72_decoding")["findings"]}

    def agrees(words: str) -> str:
        (verdict,) = [verdict for claim, verdict in found.items() if words in claim]
        return verdict

    assert agrees("greedy << ancestral").startswith(("yes", "in trend"))
    assert agrees("inverted U in temperature").startswith(("yes", "in trend"))
    assert agrees("falls with the length") == "yes"
    assert agrees("no model comes up to people") == "yes"
    assert "as their losses do" in agrees("larger models are better")
    assert verdicts("sec8_checklist").count("yes") >= 4


def test_bounds_hold_and_wrong_constants_are_marked() -> None:
    assert verdicts("sec78_bounds")[0] == "yes"
    rows = record("table1_table2")["tables"]["table1"]["rows"]
    wrong = {(row[0], row[2]) for row in rows if row[6] == "wrong"}
    assert ("Interpolated KL", "C0*") in wrong
    assert not any(row == "FI KL" for row, _ in wrong)
    assert ("FI KL", "C1", 4.0) in {(row[0], row[2], row[3]) for row in rows if row[6].startswith("holds")}
    assert verdicts("table1_table2")[2] == "yes"
