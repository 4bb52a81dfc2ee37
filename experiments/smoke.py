"""`python -m experiments.smoke`: every experiment at scale=smoke, with its figures and a table; for CI."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from experiments.registry import EXPERIMENTS


def main(words: Sequence[str] | None = None) -> int:
    """Run all experiments in a temporary folder, stopping at none; return 1 if one failed."""
    parser = argparse.ArgumentParser(prog="python -m experiments.smoke", description=__doc__)
    parser.add_argument("--workers", type=int, default=2, help="experiments at a time (2)")
    options = parser.parse_args(words)
    failed = []
    with tempfile.TemporaryDirectory(prefix="fkeax-smoke-") as folder:
        with ThreadPoolExecutor(options.workers) as pool:
            running = {pool.submit(_smoke, name, folder): name for name in EXPERIMENTS}
            for done in as_completed(running):
                good, seconds, said = done.result()
                name = running[done]
                print(f"{said}{name}: {'passed' if good else 'FAILED'} in {seconds:.0f} s", flush=True)
                failed += [] if good else [name]
        good, said = _give("experiments.collect", folder)
        print(said, end="", flush=True)
        if not good:
            failed.append("the table")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def _smoke(name: str, folder: str) -> tuple[bool, float, str]:
    """Return whether an experiment and its figures were made, in how many seconds, and what they said."""
    started = time.monotonic()
    good, said = _give("experiments.run", f"experiment={name}", "scale=smoke", f"output={folder}")
    if good:
        good, more = _give("experiments.report", name, "--runs", folder)
        said += more
    return good, time.monotonic() - started, said


def _give(module: str, *words: str) -> tuple[bool, str]:
    command: Sequence[str] = [sys.executable, "-m", module, *words]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode == 0, done.stdout


if __name__ == "__main__":
    sys.exit(main())
