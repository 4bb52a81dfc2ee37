"""``python -m benchmarks.child FAMILY CASE``: measure one case in this process and print one line of JSON."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys

from benchmarks.case import measure
from benchmarks.families import FAMILIES, family


def main() -> None:
    """Measure and print; what peers print goes to standard error."""
    parser = argparse.ArgumentParser(description="One case of one family of benchmarks")
    parser.add_argument("family", choices=list(FAMILIES))
    parser.add_argument("case")
    parser.add_argument("--scale", choices=["smoke", "cpu", "all"], default="cpu")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    cases = {case.name: case for case in family(arguments.family).cases(arguments.scale)}
    with contextlib.redirect_stdout(sys.stderr):
        found = measure(cases[arguments.case], arguments.rounds)
    print(json.dumps(found))


if __name__ == "__main__":
    main()
