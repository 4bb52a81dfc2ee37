"""The options for what is large: spectra by random vectors, and a budget of memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from fkeax.diversity.plan import memory_bytes
from fkeax.io import read_results

Run = Callable[..., str]
FKEA = ("--bandwidth", 2, "--method", "fkea", "--num-frequencies", 16, "--metrics", "vendi", "--orders", "1,2")


def test_spectra_by_random_vectors_have_an_error(gen: Path, run: Run) -> None:
    dense, lanczos = (
        run("score", gen, *FKEA, "--dtype", "float64", "--spectrum", word, "--json", f"{word}.json") and
        {result.name: result for result in read_results(f"{word}.json").results}
        for word in ("dense", "lanczos")
    )  # fmt: skip
    assert dense["vendi-1"].stderr is None
    assert lanczos["vendi-1"].value == pytest.approx(dense["vendi-1"].value, rel=1e-6)  # 32 features: nothing is random
    assert lanczos["vendi-2"].value == pytest.approx(dense["vendi-2"].value, rel=1e-9)
    assert "--spectrum lanczos" in str(read_results("lanczos.json").provenance["command"])


def test_a_budget_cuts_batches_or_says_what_it_takes(gen: Path, run: Run, complaint: Run) -> None:
    told = complaint("score", gen, *FKEA, "--memory-budget", "1 kB")
    assert told.startswith("--memory-budget must be at least ")
    assert "for the fkea route here" in told
    least = told.split("at least ")[1].split(" for")[0]
    run("score", gen, *FKEA, "--memory-budget", least, "--json", "out.json")
    for result in read_results("out.json").results:
        assert result.diagnostics["plan"]["total_bytes"] <= memory_bytes(least)  # type: ignore[index,operator]
    assert "such as '2GiB'" in complaint("score", gen, *FKEA, "--memory-budget", "much")
    assert "--spectrum must be one of dense, lanczos" in complaint("score", gen, *FKEA, "--spectrum", "full")
