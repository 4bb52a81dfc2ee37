"""What a long job will take is said before it starts, and nothing is said of a short one."""

from __future__ import annotations

import pytest

from fkeax.cli import costs


def test_long_jobs_say_what_they_take(capsys: pytest.CaptureFixture[str]) -> None:
    costs.announce_test("mmdagg", (780, 780), 512, 99)
    costs.announce_frontier("gaussian", (500, 500), 64)
    assert capsys.readouterr().err == ""
    costs.announce_test("mmd", (20_000, 20_000), 512, None)
    assert (
        "mmd test on cpu: 20000 and 20000 samples of dimension 512, 3.2 Tflop (some 32 s at" in capsys.readouterr().err
    )
    costs.announce_frontier("quantized", (50_000, 50_000), 768)
    assert "quantized frontier on cpu: 50000 and 50000" in capsys.readouterr().err


def test_costs_grow_as_the_work_does() -> None:
    one, many = (costs.two_sample_flops(method, (1000, 1000), 64, 500) for method in ("mmd", "fuse"))
    assert many / one == pytest.approx((128 + 20_000) / (128 + 1000))
    assert costs.two_sample_flops("frechet", (100, 100), 64, 9) == pytest.approx(10 * 12 * 64**3)
    assert costs.score_flops("exact", 2000, 8, 0, 1) > 4 * costs.score_flops("exact", 1000, 8, 0, 1)
