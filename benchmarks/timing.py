"""Time contenders in turn, in one process with a stated number of threads; its memory; what measured it.

Contenders run one after the other, round after round, and the least of the rounds counts: other work on the machine
only ever adds time.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import platform
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

Values = float | Sequence[float]

PACKAGES = (
    "fkeax",
    "jax",
    "jaxlib",
    "numpy",
    "scipy",
    "scikit-learn",
    "torch",
    "vendi-score",
    "mauve-text",
    "faiss-cpu",
    "kerneltests",
    "prdc",
)


@dataclass(frozen=True)
class Contender:
    """One way to do a piece of work.

    Attributes:
        name: In the table.
        call: Does the work once and returns the number or numbers it found.
        compiles: Whether the first call costs more than later ones; such a contender is called once before it is timed.
        compared: Whether its numbers ought to be those of the first contender.
    """

    name: str
    call: Callable[[], Values]
    compiles: bool = False
    compared: bool = True


@dataclass(frozen=True)
class Absent:
    """A contender that cannot run here, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class Timing:
    """What a contender took: the least seconds of all rounds, the most memory above where the process stood.

    Attributes:
        name: Of the contender.
        wall_s: Seconds on the clock.
        cpu_s: Seconds of all threads of this process and of the processes it waited for.
        peak_mb: Rise of the resident memory in MB; None where the system does not tell.
        values: What it found, last round.
        compared: As the contender says.
    """

    name: str
    wall_s: float
    cpu_s: float
    peak_mb: float | None
    values: list[float]
    compared: bool


def in_turn(contenders: Sequence[Contender], rounds: int) -> list[Timing]:
    """Return what each contender took, called in turn for so many rounds."""
    for contender in contenders:
        if contender.compiles:
            contender.call()
    best: dict[str, Timing] = {}
    for _ in range(rounds):
        for contender in contenders:
            new, old = _timed(contender), best.get(contender.name)
            if old is not None:
                peaks = [peak for peak in (old.peak_mb, new.peak_mb) if peak is not None]
                new = Timing(
                    new.name,
                    min(old.wall_s, new.wall_s),
                    min(old.cpu_s, new.cpu_s),
                    max(peaks) if peaks else None,
                    new.values,
                    new.compared,
                )
            best[contender.name] = new
    return list(best.values())


def _timed(contender: Contender) -> Timing:
    before = _forget_peak()
    wall, cpu = time.perf_counter(), cpu_seconds()
    found = contender.call()
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    after = status_mb("VmHWM")
    peak = None if before is None or after is None else max(0.0, after - before)
    values = [float(found)] if isinstance(found, (int, float)) else [float(value) for value in found]
    return Timing(contender.name, wall, cpu, peak, values, contender.compared)


def seconds_of(call: Callable[[], object]) -> float:
    """Return the wall seconds of one call."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def cpu_seconds() -> float:
    """Return the processor seconds of this process and of the children it has waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def status_mb(field: str) -> float | None:
    """Return a memory field of this process, such as VmRSS (now) or VmHWM (highest so far), in MB; None off Linux."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    for line in status.read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) / 1024
    return None


def _forget_peak() -> float | None:
    """Let the high-water mark of the resident memory start again from here, and return where that is."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return status_mb("VmRSS")


def all_threads() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def child_environment(threads: int) -> dict[str, str]:
    """Return the environment of a measuring process: its threads, the CPU, and BLAS free to choose its own kernels."""
    environment = {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")}
    environment |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), str(threads))
    environment |= {"JAX_PLATFORMS": "cpu", "MPLBACKEND": "Agg"}
    if threads == 1:
        environment["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    return environment


def run_child(module: str, arguments: Sequence[str], threads: int) -> dict[str, Any]:
    """Return the last line, JSON, of a module run in a process of its own.

    A run with one thread is pinned to one core where the system can, so that no library's helper adds a second.

    Raises:
        RuntimeError: The process failed; the end of what it said is in the message.
    """
    command = [sys.executable, "-m", module, *arguments]
    if threads == 1 and shutil.which("taskset") and hasattr(os, "sched_getaffinity"):
        command = ["taskset", "-c", str(min(os.sched_getaffinity(0))), *command]
    done = subprocess.run(command, env=child_environment(threads), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.splitlines()[-1])


def timings_as_json(timings: Sequence[Timing]) -> list[dict[str, Any]]:
    """Return timings as JSON takes them."""
    return [asdict(timing) for timing in timings]


def machine() -> dict[str, Any]:
    """Return what a reader needs to judge the numbers: processor, cores, load now, versions."""
    versions = {}
    for package in PACKAGES:
        try:
            versions[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            versions[package] = None
    if versions["fkeax"] is None:
        import fkeax

        versions["fkeax"] = fkeax.__version__
    return {
        "processor": _processor(),
        "cores": all_threads(),
        "load": [round(load, 1) for load in os.getloadavg()],
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": versions,
    }


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def blas_kernels() -> list[str]:
    """Return the matrix libraries this process has loaded, with the kernels they chose and their threads."""
    from threadpoolctl import threadpool_info

    return [
        " ".join(str(found.get(name) or "") for name in ("internal_api", "version", "architecture"))
        + f" x{found['num_threads']}"
        for found in threadpool_info()
    ]


def is_busy(description: Mapping[str, Any]) -> bool:
    """Return whether clearly more programs wanted to run than the machine has cores when it was described."""
    return description["load"][0] > 1.5 * description["cores"]
