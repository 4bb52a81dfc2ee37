"""Two runs are the same where settings and inputs are."""

from __future__ import annotations

import copy

import pytest

from experiments.identity import run_hash

SETTINGS = {
    "name": "fkea/fig02_mnist",
    "title": "a title",
    "seed": 0,
    "output": "outputs",
    "origin": "/here",
    "resume": True,
    "data": {"name": "mnist", "path": "/here/mnist", "samples_per_class": None},
    "kernel": {"bandwidth": 7.0},
    "runtime": {"threads": None, "x64": None, "compile_cache": None},
    "by_scale": {"smoke": {"bandwidth": 2.0}},
}
INPUTS = {"train-images": "0" * 64}


def changed(path: str, value: object) -> dict:
    settings = copy.deepcopy(SETTINGS)
    *groups, key = path.split(".")
    node = settings
    for group in groups:
        node = node[group]
    node[key] = value
    return settings


@pytest.mark.parametrize(
    ("path", "value"),
    [("seed", 1), ("kernel.bandwidth", 7.5), ("data.samples_per_class", 5), ("runtime.x64", True), ("name", "other")],
)
def test_what_changes_a_number_makes_another_run(path: str, value: object) -> None:
    assert run_hash(changed(path, value), INPUTS) != run_hash(SETTINGS, INPUTS)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("title", "another"),
        ("output", "elsewhere"),
        ("origin", "/there"),
        ("resume", False),
        ("data.path", "/there/mnist"),
        ("runtime.threads", 1),
        ("runtime.compile_cache", "/there"),
        ("by_scale", {}),
    ],
)
def test_what_does_not_makes_the_same(path: str, value: object) -> None:
    assert run_hash(changed(path, value), INPUTS) == run_hash(SETTINGS, INPUTS)


def test_inputs_count_by_content() -> None:
    assert run_hash(SETTINGS, {"train-images": "1" * 64}) != run_hash(SETTINGS, INPUTS)
    assert run_hash(SETTINGS, {}) != run_hash(SETTINGS, INPUTS)
