"""What is wrong with a command is said in one sentence, and the exit code is 1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from experiments import status
from tests.experiments.conftest import NAME


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["kernel.bandwith=3"], "Key 'bandwith' not in 'Kernel' full_key: kernel.bandwith"),
        (["params.num_mode=3"], "Key 'num_mode' not in 'Fig02Params'"),
        (
            ["kernel.bandwidth=wide"],
            "Value 'wide' of type 'str' could not be converted to Float full_key: kernel.bandw",
        ),
        (["features.num_frequencies=2.5"], "Value '2.5' of type 'float' could not be converted to Integer"),
        (["runtime.platform=gpuu"], "Invalid value 'gpuu', expected one of [cpu, cuda, rocm, tpu]"),
        (["scale=huge"], "Could not find 'scale/huge' Available options in 'scale': local paper smoke"),
    ],
)
def test_wrong_keys_and_types_stop_before_anything_runs(
    command: Callable, one_line: Callable, tmp_path: Path, words: list[str], expected: str
) -> None:
    ended = command(f"experiment={NAME}", *words)
    assert ended.code == 1
    assert expected in one_line(ended.error)
    assert not (tmp_path / "outputs").exists()


@pytest.mark.parametrize("key", ["foo", "kernel.foo"])
def test_added_keys_are_refused_too(command: Callable, computed: list[float], key: str) -> None:
    ended = command(f"experiment={NAME}", "scale=smoke", f"+{key}=3")
    assert ended.code == 1
    assert f"there is no setting '{key}'" in ended.error
    assert computed == []


def test_no_experiment(command: Callable) -> None:
    ended = command("scale=smoke")
    assert ended.code == 1
    assert "no experiment was chosen; give experiment=NAME with one of fkea/" in ended.error
    assert NAME in ended.error


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], "data.path is not set: data=mnist reads the user's idx files; give data.path=FOLDER."),
        (["data.path=nowhere"], "nowhere' does not exist; expected the folder of MNIST's idx files."),
    ],
)
def test_missing_data(command: Callable, tmp_path: Path, words: list[str], expected: str) -> None:
    ended = command(f"experiment={NAME}", "scale=paper", *words)
    assert ended.code == 1
    assert "data.path" in ended.error
    assert expected in ended.error
    assert "Traceback" not in ended.error
    found = status.read(tmp_path / "outputs" / NAME / "0001")
    assert found.status == status.FAILED
    assert found.error is not None
    assert found.error["traceback"].startswith("Traceback")


def test_relative_paths_count_from_the_folder_of_the_command(command: Callable, tmp_path: Path) -> None:
    ended = command(f"experiment={NAME}", "scale=paper", "data.path=nowhere", "output=there")
    assert f"'{tmp_path / 'nowhere'}'" in ended.error
    assert (tmp_path / "there" / NAME / "0001" / "status.json").is_file()
