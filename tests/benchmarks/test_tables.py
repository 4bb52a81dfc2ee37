"""The page and the figures of benchmarks, on made-up measurements."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks import figures, growth, run, tables
from benchmarks.case import Case, measure
from benchmarks.goals import GOALS, OTHER_GOALS, verdicts
from benchmarks.timing import Absent, Contender, Timing, machine


def a_case(**changes):
    contenders = [
        Contender("fkeax", lambda: 2.0),
        Contender("NumPy, best chunk 10", lambda: 2.02),
        Contender("other starts", lambda: (1.0, 2.0), compared=False),
        Absent("torch", "torch is not installed"),
    ]
    settings = {"tolerance": 0.05, "reason": "made up"} | changes
    return Case("score", "n=1 | 2", lambda: contenders, **settings)


def a_result(ratio, *, scale="cpu", load=0.1):
    case: dict[str, Any] = measure(a_case(), rounds=2) | {"threads": 1}
    case["rows"][1] |= {"ratio": ratio, "cpu_ratio": 2 * ratio}
    description = machine() | {"load": [load] * 3}
    return {"family": "fkea", "scale": scale, "rounds": 2, "machine": description, "cases": [case]}


def test_a_case_is_measured_and_its_values_compared():
    found = measure(a_case(), rounds=2)
    ours, theirs, other = found["rows"]
    assert ours["ratio"] == 1
    assert ours["difference"] == 0
    assert theirs["difference"] == pytest.approx(0.02 / 2.02)
    assert other["difference"] is None
    assert found["agrees"]
    assert found["absent"] == {"torch": "torch is not installed"}
    assert not measure(a_case(tolerance=0.001), rounds=1)["agrees"]
    assert json.loads(json.dumps(found)) == found


def test_the_first_call_is_made_before_the_clock_starts_and_the_least_round_counts():
    calls = []
    contender = Contender("fkeax", lambda: calls.append(0) or 1.0, compiles=True)
    found = measure(Case("a", "b", lambda: [contender], 0.0, "c"), rounds=3)
    assert len(calls) == 4
    assert found["rows"][0]["values"] == [1.0]


def test_values_of_another_number_are_an_error():
    contenders = [Contender("fkeax", lambda: 1.0), Contender("peer", lambda: (1.0, 2.0))]
    with pytest.raises(ValueError, match=r"peer returned 2 numbers; fkeax returned 1"):
        measure(Case("a", "b", lambda: contenders, 0.0, "c"), rounds=1)


@pytest.mark.parametrize(("ratio", "load", "met"), [(0.9, 0.1, True), (1.1, 0.1, False), (0.9, 1e6, False)])
def test_a_goal_is_judged_by_the_clock_and_on_a_busy_machine_by_processor_seconds(ratio, load, met):
    found = verdicts({"fkea": a_result(ratio, load=load)})
    assert found[0].met is met
    assert ("CPU" in found[0].measured) == (load > 1)
    assert found[1].met is None
    assert "torch is not installed" in found[1].measured


def test_smoke_runs_say_nothing_about_goals():
    assert all(verdict.met is None for verdict in verdicts({"fkea": a_result(0.5, scale="smoke")}))
    assert len(verdicts({})) == len(GOALS) + len(OTHER_GOALS)


def test_the_page_is_made_from_the_files_of_a_folder(tmp_path):
    (tmp_path / "fkea.json").write_text(json.dumps(a_result(0.8)))
    kernels = [
        {"name": "a", "gflop": 1.0, "gbyte": 1.0, "seconds": 1.0, "limit_seconds": 0.6, "share": 0.6, "bound": "flops"}
    ]
    shared = {"scale": "cpu", "rounds": 1, "machine": machine(), "threads": 2}
    ceilings = {"gflops32": 100.0, "gflops64": 50.0, "gbytes": 10.0}
    (tmp_path / "roofline.json").write_text(json.dumps(shared | {"ceilings": ceilings, "kernels": kernels}))
    line = {"name": "FKEA score", "axis": "n", "sizes": [1, 2], "seconds": [1.0, 2.0], "slope": 1.0, "theory": "1"}
    (tmp_path / "growth.json").write_text(json.dumps(shared | {"lines": [line]}))
    run.write_page(tmp_path)
    page = (tmp_path / "index.md").read_text()
    assert "| 0.8x | met |" in page
    assert "torch not run here: torch is not installed" in page
    assert "n=1 \\| 2" in page  # a bar in a text would end its cell
    assert "FKEA's slope in n | 0.95 to 1.05 | 1.000 | met" in page
    for name in ("fkea", "roofline", "growth"):
        assert (tmp_path / f"{name}.png").read_bytes().startswith(b"\x89PNG")


def test_a_page_of_nothing_says_that_nothing_was_measured():
    page = tables.page({})
    assert page.count("not measured") >= len(GOALS)


def test_slopes():
    assert growth.slope([1, 2, 4, 8], [3.0, 12.0, 48.0, 192.0]) == pytest.approx(2)


def test_a_figure_takes_times_of_zero(tmp_path):
    result = a_result(1.0)
    result["cases"][0]["rows"][0]["wall_s"] = 0.0
    figures.family_figure(tmp_path / "a.png", "a", result)
    assert (tmp_path / "a.png").stat().st_size > 1000


def test_differences_are_relative_to_the_peer_unless_absolute():
    from benchmarks.case import difference

    ours, theirs = (Timing("a", 1.0, 1.0, None, [value, 0.0], True) for value in (1.0, 2.0))
    assert difference(ours, theirs, absolute=False) == 0.5
    assert difference(ours, theirs, absolute=True) == 1.0
