"""`python -m experiments.reproduction`: docs/reproduction.md, a page for each paper, and figures, from result folders.

Every finished run at scale local or paper leaves a record in experiments/records, which is committed; the pages list
the records and nothing else. So they can be written where only some of the experiments were run, and never name one
that was not.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from experiments.outcome import RunFolder
from experiments.registry import EXPERIMENTS, experiment
from experiments.report import draw, newest_runs

REPOSITORY = Path(__file__).resolve().parents[1]
RECORDS = REPOSITORY / "experiments" / "records"
PAGE = REPOSITORY / "docs" / "reproduction.md"
IMAGES = REPOSITORY / "docs" / "images"
SCALES = ("local", "paper")  # smoke is a test of the machinery, on stand-ins of stand-ins

HEADER = """\
# Reproduction of the papers

Written by `python -m experiments.reproduction` from the result folders of `python -m experiments.run`; do not edit.
Only what was run is listed. Stand-ins for data that cannot be had are named. Run times are wall-clock, on a machine
that did other work too.

To run one again: a checkout, `pip install --editable '.[experiments]'`, the command of its section, and
`python -m experiments.report NAME` for the figures. Sizes: `scale=smoke` (seconds, for testing), `scale=local` (all
data that can be had without asking for it), `scale=paper` (the paper's, where the user brings the data).
"""
PAPERS = {"fkea": "the FKEA paper", "mauve": "the MAUVE paper", "sensitivity": "the sensitivity paper"}


def main(words: Sequence[str] | None = None) -> int:
    """Renew the records of finished runs, their figures, and the page."""
    parser = argparse.ArgumentParser(prog="python -m experiments.reproduction", description=__doc__)
    parser.add_argument("--runs", type=Path, default=Path("outputs"), help="where runs lie, at any depth (outputs)")
    options = parser.parse_args(words)
    from fkeax.io import write_json, write_text

    try:
        for name in EXPERIMENTS:
            for scale, run in newest_runs(options.runs, name).items():
                if scale not in SCALES:
                    continue
                figures = draw(run, experiment(name).draw(run), IMAGES, name, scale)
                RECORDS.mkdir(parents=True, exist_ok=True)
                path = RECORDS / f"{name.replace('/', '-')}-{scale}.json"
                write_json(path, record_of(name, scale, run, figures))
                print(path)
        for path, text in pages(read_records(RECORDS)).items():
            path.parent.mkdir(exist_ok=True)
            write_text(path, text)
    except (OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(PAGE)
    return 0


def record_of(name: str, scale: str, run: RunFolder, figures: Sequence[Path]) -> dict[str, Any]:
    """Return all that the page says about a run."""
    chosen = experiment(name)
    provenance = run.provenance
    return {
        "experiment": name,
        "scale": scale,
        "place": chosen.place,
        "title": run.title,
        "command": provenance["command"],
        "data": provenance["data"],
        "findings": [vars(finding) for finding in chosen.findings(run)],
        "tables": {name: vars(table) for name, table in chosen.tables(run).items()},
        "figures": [path.name for path in figures],
        "seconds": provenance["seconds"],
        "device": provenance["device"],
        "num_cpus": provenance["num_cpus"],
        "system": provenance["platform"].split("-")[0],
        "packages": provenance["packages"],
        "git": provenance["git"],
        "run_hash": run.run_hash,
    }


def read_records(folder: Path) -> list[dict[str, Any]]:
    """Return the committed records, in the order of their names.

    Raises:
        ValueError: A record is damaged.
    """
    from fkeax.results import loads

    records = []
    for path in sorted(folder.glob("*.json")):
        record = loads(path.read_text(encoding="utf-8"))
        if not isinstance(record, dict):
            raise ValueError(f"{str(path)!r} is not a record of a run.")
        records.append(record)
    return records


def pages(records: Sequence[Mapping[str, Any]]) -> dict[Path, str]:
    """Return the overview and a page for each paper of which something was run, in Markdown, by their paths."""
    papers = {paper: [record for record in records if record["experiment"].startswith(f"{paper}/")] for paper in PAPERS}
    papers = {paper: of_paper for paper, of_paper in papers.items() if of_paper}
    overview = [HEADER] if records else [HEADER, "Nothing has been run yet.\n"]
    found = {}
    for paper, of_paper in papers.items():
        overview += [f"## Claims of {PAPERS[paper]}\n", f"Tables and figures: [](reproduction/{paper}.md)\n"]
        overview.append(_overview(of_paper))
        parts = [f"# Tables and figures of {PAPERS[paper]}\n", "Commands and claims: [](../reproduction.md)\n"]
        found[PAGE.parent / "reproduction" / f"{paper}.md"] = "\n".join([*parts, *map(_section, of_paper)])
    if papers:
        listed = "\n".join(f"reproduction/{paper}" for paper in papers)
        overview.append(f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n")
    return {PAGE: "\n".join(overview), **found}


def _overview(records: Sequence[Mapping[str, Any]]) -> str:
    lines = ["| figure or table | claim of the paper | ours | agrees |", "| --- | --- | --- | --- |"]
    for record in records:
        for finding in record["findings"]:
            cells = (f"{record['place']} ({record['scale']})", finding["paper"], finding["ours"], finding["agrees"])
            lines.append(_row(cells))
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str | float | int | None]) -> str:
    return "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _cell(cell: str | float | int | None) -> str:
    if cell is None:
        return "-"
    text = f"{cell:.4g}" if isinstance(cell, float) else str(cell)
    return " ".join(text.split()).replace("|", "\\|")


def _table(table: Mapping[str, Any]) -> str:
    lines = [f"{table['caption']}\n", _row(table["header"]), _row(["---"] * len(table["header"]))]
    return "\n".join([*lines, *map(_row, table["rows"])]) + "\n"


def _section(record: Mapping[str, Any]) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in record["packages"].items() if version)
    device = record["device"]
    git = record["git"] or {}
    lines = [
        f"## {record['place']}, scale {record['scale']}",
        "",
        f"{record['title']}.",
        "",
        f"- command: `{record['command']}`",
        f"- data: {record['data']['source']} {record['data']['licence']}",
        f"- run time: {record['seconds']:.0f} s on {device['count']} x {device['kind']}, {record['num_cpus']} cores, "
        f"{record['system']}",
        f"- versions: {packages}",
        f"- run: `{record['run_hash'][:12]}`"
        + (f", commit `{git['commit'][:12]}`{'' if git['clean'] else ' with local changes'}" if git else ""),
        "",
        *(_table(table) for table in record["tables"].values()),
        *(f"![{record['place']}, {Path(name).stem}](../images/{name})\n" for name in record["figures"]),
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
