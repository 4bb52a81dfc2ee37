"""The library prints nothing and warns through its results; only the command line speaks."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import fkeax


def test_nothing_prints(capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture) -> None:
    x = np.random.default_rng(1).normal(size=(50, 4)).astype(np.float32)
    key_score, key_fkea, key_modes, key_median = jax.random.split(jax.random.key(0), 4)
    fkeax.score(x, bandwidth=2.0)
    fkeax.score(x, kernel="cosine", method="dual")
    # A narrow bandwidth and few frequencies: saturated, so that there is something to warn about.
    fkeax.score(x, bandwidth=0.1, method="fkea", num_frequencies=4, num_draws=2, key=key_score)
    fkeax.score(x, bandwidth="median", method="fkea", num_frequencies=4, key=key_median)
    fkeax.fkea(x, bandwidth=2.0, num_frequencies=8, key=key_fkea)
    fkeax.modes(x, bandwidth=2.0, num_modes=2, num_samples=3, method="fkea", num_frequencies=8, key=key_modes)
    fkeax.vendi_from_gram(np.eye(3, dtype=np.float32), order=1.0)
    fkeax.rke_from_gram(np.eye(3, dtype=np.float32))
    fkeax.diversity.plan(1000, 16)
    captured = capfd.readouterr()
    assert (captured.out, captured.err) == ("", "")
    assert [record.getMessage() for record in caplog.records if record.name.startswith("fkeax")] == []
