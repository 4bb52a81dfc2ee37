"""`python -m experiments.smoke`: every experiment at scale=smoke, with its figures and a table; for CI."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from experiments.registry import EXPERIMENTS


def main() -> int:
    """Run all experiments in a temporary folder, stopping at none; return 1 if one failed."""
    failed = []
    with tempfile.TemporaryDirectory(prefix="fkeax-smoke-") as folder:
        for name in EXPERIMENTS:
            started = time.monotonic()
            good = _give("experiments.run", f"experiment={name}", "scale=smoke", f"output={folder}")
            good = good and _give("experiments.report", name, "--runs", folder)
            print(f"{name}: {'passed' if good else 'FAILED'} in {time.monotonic() - started:.0f} s", flush=True)
            failed += [] if good else [name]
        if not _give("experiments.collect", folder):
            failed.append("the table")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


def _give(module: str, *words: str) -> bool:
    command: Sequence[str] = [sys.executable, "-m", module, *words]
    return subprocess.run(command, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
