"""`fkeax doctor`: what computes, how precisely, and whether known numbers come out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import jax
import pytest

from fkeax.cli import doctor, self_tests
from fkeax.cli.main import main


@pytest.mark.slow
def test_a_healthy_machine(tmp_path: Path, run: Callable[..., str]) -> None:
    output = run("doctor", "--json", tmp_path / "doctor.json")
    document = json.loads((tmp_path / "doctor.json").read_text())
    assert document["passed"] is True
    families = ("VENDI", "RKE", "features", "MAUVE", "MMD", "KID", "Frechet", "recall", "p-value")
    assert all(any(word in test["name"] for test in document["self_tests"]) for word in families)
    assert len(document["self_tests"]) == 12
    assert all(abs(test["value"] - test["expected"]) <= test["tolerance"] for test in document["self_tests"])
    assert f"all {len(document['self_tests'])} pass" in output
    assert "FAIL" not in output


@pytest.mark.parametrize("family", ["kid", "frechet", "manifold", "vendi"])
def test_closed_forms_of_a_family(family: str) -> None:
    assert all(test.passed for test in self_tests.run_self_tests([family]))


def test_the_environment(tmp_path: Path, run: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "run_self_tests", lambda: [self_tests.SelfTest("RKE", 2.0, 2.0, 0.0)])
    output = run("doctor", "--json", tmp_path / "doctor.json")
    environment = json.loads((tmp_path / "doctor.json").read_text())["environment"]
    assert all(f"{name}: " in output for name in environment)
    assert environment["versions"]["jax"] == jax.__version__
    assert environment["backend"].startswith(jax.default_backend())
    if jax.default_backend() == "cpu":
        assert environment["matrix products of fkeax"].startswith("float32")
    assert environment["optional packages"]["ott-jax"]


def test_a_wrong_number_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> list[self_tests.SelfTest]:
        return [
            self_tests.SelfTest("RKE", 2.0, 2.0, 0.0),
            self_tests.SelfTest("VENDI", 2.1, 2.0, 0.05),
            self_tests.SelfTest("KID", None, 7.0, 0.1, "RuntimeError: no kernel"),
        ]

    monkeypatch.setattr(doctor, "run_self_tests", broken)
    assert main(["doctor"]) == 1
    output = capsys.readouterr().out
    assert "note: KID: RuntimeError: no kernel" in output
    assert output.count("FAIL") == 3
    assert "2 of 3 FAILED" in output


def test_a_family_that_cannot_compute_is_a_failure_and_not_a_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_memory(*arguments: object, **options: object) -> None:
        raise RuntimeError("out of memory\nand more")

    monkeypatch.setattr("fkeax.kid", no_memory)
    found = list(self_tests.run_self_tests(["kid"]))
    assert [(test.value, test.reason, test.passed) for test in found] == [(None, "RuntimeError: out of memory", False)]


@pytest.mark.parametrize(
    ("error", "name"), [(9e-7, "float32"), (9e-5, "TF32"), (8e-4, "bfloat16"), (0.5, "less than bfloat16")]
)
def test_the_format_of_a_product_by_its_error(error: float, name: str) -> None:
    assert doctor._format_of(error) == name


def test_rounding_of_inputs_shows_as_their_format() -> None:
    """TF32 keeps 10 bits after the leading one, bfloat16 7: inputs rounded so give the errors of those formats."""
    import jax.numpy as jnp
    import numpy as np

    left, right = np.random.default_rng(0).uniform(0.5, 1.5, (2, 256, 256)).astype(np.float32)
    exact = left.astype(np.float64) @ right.astype(np.float64)

    def error(bits: int) -> float:
        rounded = [
            np.asarray(jax.lax.reduce_precision(jnp.asarray(x), exponent_bits=8, mantissa_bits=bits), np.float64)
            for x in (left, right)
        ]
        return float(np.max(np.abs(rounded[0] @ rounded[1] / exact - 1)))

    assert doctor._format_of(error(10)) == "TF32"
    assert doctor._format_of(error(7)) == "bfloat16"
