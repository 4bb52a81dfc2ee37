"""`python -m experiments.report fkea/fig02_mnist`: the figures of an experiment, drawn from result folders only."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from experiments import status
from experiments.outcome import RunFolder, read_run
from experiments.registry import EXPERIMENTS, experiment


def main(words: Sequence[str] | None = None) -> int:
    """Draw the newest finished run of every scale; nothing is computed again."""
    parser = argparse.ArgumentParser(prog="python -m experiments.report", description=__doc__)
    parser.add_argument("name", metavar="EXPERIMENT", help=f"one of {', '.join(EXPERIMENTS)}")
    parser.add_argument("--runs", type=Path, default=Path("outputs"), help="where runs lie, at any depth (outputs)")
    parser.add_argument("--scale", help="only runs of this scale")
    parser.add_argument("--to", type=Path, help="where figures go; RUN/figures unless given")
    options = parser.parse_args(words)
    try:
        chosen = experiment(options.name)
        runs = newest_runs(options.runs, options.name)
        if options.scale is not None:
            runs = {scale: run for scale, run in runs.items() if scale == options.scale}
        if not runs:
            scale = "" if options.scale is None else f" scale={options.scale}"
            raise FileNotFoundError(
                f"{str(options.runs)!r} holds no finished run of {options.name}{scale}; first give "
                f"`python -m experiments.run experiment={options.name}{scale}`."
            )
        for scale, run in runs.items():
            for path in draw(run, chosen.draw(run), options.to or run.folder / "figures", options.name, scale):
                print(path)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def newest_runs(root: Path, name: str) -> dict[str, RunFolder]:
    """Return the newest finished run of an experiment below a folder, for each scale.

    Raises:
        ValueError: A result folder is damaged.
    """
    newest: dict[str, tuple[str, RunFolder]] = {}
    for folder, found in status.all_runs(root):
        if found.status != status.FINISHED or found.experiment != name:
            continue
        run = read_run(folder)
        scale = run.config["scale"]["name"]
        if scale not in newest or found.started >= newest[scale][0]:
            newest[scale] = (found.started, run)
    return {scale: run for scale, (_, run) in newest.items()}


def draw(run: RunFolder, figures: dict, to: Path, name: str, scale: str) -> list[Path]:
    """Write the figures of a run and return their paths, such as fkea-fig02_mnist-local-scores.png."""
    from fkeax.report import save_figure

    to.mkdir(parents=True, exist_ok=True)
    paths = []
    for part, figure in figures.items():
        path = to / f"{name.replace('/', '-')}-{scale}-{part}.png"
        save_figure(figure, path)
        paths.append(path)
    return paths


if __name__ == "__main__":
    sys.exit(main())
