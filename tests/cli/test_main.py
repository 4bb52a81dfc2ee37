from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest

from fkeax.cli.main import app, main


@pytest.fixture
def boom(request: pytest.FixtureRequest) -> Any:
    """A command that raises what the test asks for."""
    before = list(app.registered_commands)

    def register(error: BaseException) -> None:
        @app.command("boom")
        def boom() -> None:
            raise error

    yield register
    app.registered_commands[:] = before


def test_a_bug_keeps_its_traceback(boom: Any, capsys: pytest.CaptureFixture[str]) -> None:
    boom(ZeroDivisionError("a bug"))
    assert main(["boom"]) == 1
    error = capsys.readouterr().err
    assert "Traceback (most recent call last)" in error
    assert "ZeroDivisionError: a bug" in error


def test_a_value_error_of_another_library_is_a_bug(boom: Any, capsys: pytest.CaptureFixture[str]) -> None:
    boom(ValueError("from this test, which is not fkeax"))
    assert main(["boom"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_a_wrong_call_within_fkeax_is_a_bug(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("fkeax.cli.options.choose", None)
    assert main(["score", "x.npy", "--bandwidth", "7"]) == 1
    assert "TypeError: 'NoneType' object is not callable" in capsys.readouterr().err


def test_ctrl_c_is_one_line_and_code_130(boom: Any, capsys: pytest.CaptureFixture[str]) -> None:
    boom(KeyboardInterrupt())
    assert main(["boom"]) == 130
    assert capsys.readouterr().err == "fkeax: interrupted; no half-written file is left.\n"


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (OSError(28, "No space left on device", "out.json"), "'out.json': No space left on device"),
        (OSError("several\nlines"), "several lines"),
        (MemoryError("no room"), "out of memory: no room; use --method fkea"),
        (RuntimeError("RESOURCE_EXHAUSTED: 9 GB"), "out of memory: RESOURCE_EXHAUSTED: 9 GB"),
    ],
)
def test_faults_of_the_machine_are_one_line(
    boom: Any, capsys: pytest.CaptureFixture[str], error: Exception, line: str
) -> None:
    boom(error)
    assert main(["boom"]) == 2
    captured = capsys.readouterr().err
    assert captured.startswith(f"fkeax: error: {line}")
    assert captured.count("\n") == 1


def test_help_and_version_succeed(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], ["-h"], ["score", "--help"], ["modes", "-h"], ["demo", "--help"], ["--version"]):
        assert main(words) == 0
        captured = capsys.readouterr()
        assert captured.out.strip()
        assert captured.err == ""


def test_help_loads_neither_numpy_nor_jax() -> None:
    code = (
        "import sys\n"
        "from fkeax.cli.main import main\n"
        "words = [['--help'], ['score', '--help'], ['score', 'x.npy'], ['score', '--nonsense']]\n"
        "codes = [main(line) for line in words]\n"
        "assert codes == [0, 0, 2, 2], codes\n"
        "assert not {'jax', 'numpy', 'matplotlib', 'sklearn'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)


def test_process_exit_codes() -> None:
    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "fkeax.cli.main", *words]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=dict(os.environ))

    assert run("--version").returncode == 0
    bad = run("score", "none.npy", "--bandwidth", "7")
    assert bad.returncode == 2
    assert bad.stdout == ""
    assert bad.stderr.startswith("fkeax: error: 'none.npy' does not exist; expected a file of features (.npy, .npz, ")
    assert bad.stderr.count("\n") == 1
