"""Commands in this process, and an experiment that computes in no time."""

from __future__ import annotations

import importlib.util
import logging
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from fkeax.results import Result

# The tests that need Hydra are left out where it is not installed, and the header of the report says so.
HAS_HYDRA = importlib.util.find_spec("hydra") is not None
collect_ignore_glob = [] if HAS_HYDRA else ["test_*.py"]
NAME = "fkea/fig02_mnist"  # a real name, so that its configuration composes; `toy` puts other functions behind it


def pytest_report_header() -> list[str]:
    """Say what is left out."""
    return (
        []
        if HAS_HYDRA
        else ["tests/experiments is left out: hydra-core is not installed (pip install '.[experiments]')"]
    )


@dataclass(frozen=True)
class Finished:
    """How a command ended."""

    code: int
    output: str
    error: str


@pytest.fixture
def command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Callable]:
    """Give `python -m experiments.run` in a folder of its own, in this process."""
    from hydra.core.global_hydra import GlobalHydra

    from experiments import run, runtime

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(runtime, "_applied", None)
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level

    def give(*words: str) -> Finished:
        monkeypatch.setattr(sys, "argv", ["run.py", *words])
        _keep_captured_stream_open()
        code = 0
        try:
            run.main()
        except SystemExit as error:
            code = int(error.code or 0)
        finally:
            for handler in set(root.handlers) - set(handlers):  # Hydra configured the logging of the whole process
                handler.close()
            root.handlers, root.level = list(handlers), level
        captured = capsys.readouterr()
        return Finished(code, captured.out, captured.err)

    yield give
    GlobalHydra.instance().clear()


def _keep_captured_stream_open() -> None:
    """Give absl's log handler, which optax brings, a stream that it does not close.

    Hydra closes every handler of the process before it configures its own, and absl's closes its stream unless it is
    the standard one: here that would be the file in which pytest captures the output.
    """
    absl_logging = sys.modules.get("absl.logging")
    if absl_logging is not None:
        absl_logging.get_absl_handler().python_handler.stream = sys.__stderr__


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Put an experiment behind the name that hands back its bandwidth; the list holds what was computed."""
    from experiments import registry
    from experiments.experiment import Experiment
    from experiments.outcome import Outcome
    from experiments.schema import Config

    done: list[float] = []

    def compute(config: Config) -> Outcome:
        bandwidth = float(config.kernel.bandwidth or 0)
        if bandwidth < 0:
            raise ValueError(f"bandwidth must be a positive number; got {bandwidth}.")
        done.append(bandwidth)
        settings = {"bandwidth": bandwidth, "num_samples": 5, "num_frequencies": config.features.num_frequencies}
        results = [Result("rke", bandwidth, None, settings, {}), Result("rke", None, None, settings, {"reason": "toy"})]
        return Outcome("a toy", results, {"numbers": np.arange(3)}, bandwidth, {"source": "made up", "licence": "none"})

    toy = Experiment(
        place="nowhere",
        run=compute,
        inputs=lambda config: {"file": "0" * 64},
        files=lambda config: [],
        draw=lambda run: {},
        findings=lambda run: [],
    )
    monkeypatch.setitem(registry.EXPERIMENTS, NAME, lambda: toy)
    return done


@pytest.fixture
def one_line() -> Callable[[str], str]:
    """Text with all white space made one blank, for messages that are wrapped."""
    return lambda text: re.sub(r"\s+", " ", text)
