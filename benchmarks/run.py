"""``python -m benchmarks.run``: measure families of benchmarks and write their page, figures and JSON.

Families that are not measured now keep the numbers they had, so that the page can be made family by family:

    python -m benchmarks.run                                  # the CPU tier, some twelve minutes on two idle cores
    python -m benchmarks.run --family fkea exact --rounds 5
    python -m benchmarks.run --tier all                       # the long rows too: hours
    python -m benchmarks.run --page-only                      # the page again from the JSON
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks import figures, tables
from benchmarks.case import Scale
from benchmarks.families import FAMILIES, family
from benchmarks.timing import all_threads, machine, run_child
from fkeax.io import write_bytes, write_json

MODULES = ("roofline", "growth")
NAMES = (*FAMILIES, *MODULES)
DEFAULT_FOLDER = Path(__file__).resolve().parent.parent / "docs" / "benchmarks"


def run_family(name: str, scale: Scale, threads: Sequence[int], rounds: int) -> dict[str, Any]:
    """Return what all cases of a family found, each measured in a process of its own for each number of threads."""
    found: dict[str, Any] = {"family": name, "scale": scale, "rounds": rounds, "machine": machine(), "cases": []}
    for case in family(name).cases(scale):
        for number in threads if case.threads is None else [case.threads]:
            started = time.monotonic()
            words = [name, case.name, "--scale", scale, "--rounds", str(rounds)]
            measured: dict[str, Any] = run_child("benchmarks.child", words, number) | {"threads": number}
            found["cases"].append(measured)
            _say(f"{name}: {case.name}, {number} thread(s)", measured["rows"], time.monotonic() - started)
    return found


def run_module(name: str, scale: Scale, threads: int, rounds: int) -> dict[str, Any]:
    """Return what the roofline or the growth module found."""
    started = time.monotonic()
    found: dict[str, Any] = {"scale": scale, "rounds": rounds, "machine": machine(), "threads": threads}
    found |= run_child(f"benchmarks.{name}", ["--scale", scale, "--rounds", str(rounds)], threads)
    _say(name, [], time.monotonic() - started)
    return found


def _say(what: str, rows: Sequence[dict[str, Any]], seconds: float) -> None:
    ratios = ", ".join(f"{row['ratio']:.2f}x {row['name']}" for row in rows[1:])
    print(f"{what}: {ratios or 'done'} ({seconds:.0f} s)", flush=True)


def write_page(folder: Path) -> None:
    """Write the page and the figures from the JSON in the folder."""
    results: dict[str, dict[str, Any]] = {}
    for name in NAMES:
        path = folder / f"{name}.json"
        if path.exists():
            results[name] = json.loads(path.read_text())
    for name, result in results.items():
        if name == "roofline":
            figures.roofline_figure(folder / "roofline.png", result["kernels"])
        elif name == "growth":
            figures.growth_figure(folder / "growth.png", result["lines"])
        else:
            figures.family_figure(folder / f"{name}.png", family(name).title, result)
    write_bytes(folder / "index.md", tables.page(results).encode())


def main(words: Sequence[str] | None = None) -> int:
    """Measure what was asked for; return 1 if values of a peer disagree or a family failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tier", choices=["smoke", "cpu", "all"], default="cpu", help="how large, how long")
    parser.add_argument("--family", choices=NAMES, nargs="+", default=list(NAMES))
    parser.add_argument("--threads", default="1,all", help="1, all, or both as 1,all; whole numbers are fine too")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--page-only", action="store_true")
    arguments = parser.parse_args(words)
    threads = sorted({all_threads() if word == "all" else int(word) for word in arguments.threads.split(",")})
    arguments.out.mkdir(parents=True, exist_ok=True)
    failed = []
    for name in [] if arguments.page_only else arguments.family:
        try:
            if name in MODULES:
                found = run_module(name, arguments.tier, max(threads), arguments.rounds)
            else:
                found = run_family(name, arguments.tier, threads, arguments.rounds)
        except RuntimeError as error:
            print(f"{name} failed: {error}", file=sys.stderr)
            failed.append(name)
            continue
        write_json(arguments.out / f"{name}.json", found)
        failed += [f"{name}: {case['case']}" for case in found.get("cases", ()) if not case["agrees"]]
    write_page(arguments.out)
    if failed:
        print(f"failed, or values that do not agree: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
