"""Help, the version and the complaint about a wrong word come without loading JAX, so they come at once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import typer

from fkeax.cli.main import app

COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]

# None in sys.modules makes `import jax` fail.
RUN = """
import sys
for name in ("jax", "jaxlib", "sklearn", "matplotlib"):
    sys.modules[name] = None
from fkeax.cli.main import main
codes = []
for words in WORDS:
    print("RUN", *words, flush=True)
    codes.append(main(words))
print("CODES", codes)
"""


def test_the_commands_are_there() -> None:
    assert {"demo", "modes", "score"} <= set(COMMANDS)


def test_help_needs_no_jax(run_python: Callable[..., str]) -> None:
    words = [["--help"], ["--version"], *([command, "--help"] for command in COMMANDS)]
    output = run_python(f"WORDS = {words!r}\n{RUN}")
    assert output.rstrip().endswith(f"CODES {[0] * len(words)}")
    pages = output.split("RUN ")[1:]
    assert all(len(page.splitlines()) > 1 for page in pages), "a command printed nothing"
    assert all(command in pages[0] for command in COMMANDS)


@pytest.mark.parametrize("words", [["scroe"], ["score", "x.npy", "--no-such-option"]])
def test_usage_errors_need_no_jax(words: list[str], run_python: Callable[..., str]) -> None:
    assert "CODES [2]" in run_python(f"WORDS = {[words]!r}\n{RUN}")
