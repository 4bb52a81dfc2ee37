"""How a command runs the core: precision, plan and estimate, batches with a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from fkeax.cli.tables import format_bytes, format_seconds

if TYPE_CHECKING:
    import numpy as np

    from fkeax.io import FeatureFile

LONG_FLOPS = 5e11
NOMINAL_FLOPS_PER_SECOND = 1e11


def precision(dtype: str) -> AbstractContextManager[Any]:
    """Return a context in which JAX computes in the dtype of the command line."""
    if dtype == "auto":
        return nullcontext()
    import jax

    return jax.enable_x64(dtype == "float64")


@contextmanager
def naming_file(file: FeatureFile) -> Iterator[None]:
    """Turn what the core says about its argument `x` into a sentence about the file."""
    try:
        yield
    except (TypeError, ValueError) as error:
        message = str(error)
        if not message.startswith("x "):
            raise
        label = str(file.path) if file.member is None else f"{file.path}:{file.member}"
        raise type(error)(f"{label!r} {message[2:]}") from None


@contextmanager
def naming_pair(reference: FeatureFile, generated: FeatureFile) -> Iterator[None]:
    """Turn what the core says about `reference` and `generated` into sentences about the two files."""
    try:
        yield
    except (TypeError, ValueError) as error:
        message = str(error)
        for word, file in (("reference", reference), ("generated", generated)):
            if message.startswith(f"{word} ") and not message.startswith("reference and generated"):
                message = f"{str(file.path)!r} {message.removeprefix(word + ' ')}"
                break
        raise type(error)(message) from None


def widened(array: np.ndarray, dtype: str) -> np.ndarray:
    """Return the array in float64 if that was asked for; JAX follows the dtype of the data."""
    return array.astype("float64", copy=False) if dtype == "float64" else array


def bandwidth_of_reference(bandwidth: Any, reference: str | None, kernel: str, seed: int, file: FeatureFile) -> Any:
    """Return the bandwidth that a rule finds on a reference file, with its source; without one, what was given.

    Raises:
        ValueError: A reference was given, but no rule that would look at it.
    """
    if reference is None:
        return bandwidth
    if not isinstance(bandwidth, str):
        raise ValueError("--bandwidth-from needs a rule as --bandwidth: median, rke=NUMBER or mean-k2=NUMBER.")
    import dataclasses

    import jax

    from fkeax import kernels
    from fkeax.io import open_features

    other = open_features(reference)
    if other.array.shape[1] != file.array.shape[1]:
        raise ValueError(
            f"--bandwidth-from {reference!r} has {other.array.shape[1]} columns and {str(file.path)!r} has "
            f"{file.array.shape[1]}; a bandwidth belongs to one space."
        )
    family: Any = kernels.kernel_family(kernel)
    with naming_file(other):
        found = kernels.parse_bandwidth(bandwidth)(other.array, kernel=family, key=jax.random.key(seed))
    return dataclasses.replace(found, source=f"{found.source}, of {other.path.name}")


def labels_of_rows(path: str | None, num_rows: int) -> np.ndarray | None:
    """Return the labels in a .npy file, one for each row.

    Raises:
        OSError: The file cannot be read.
        ValueError: It holds no such labels.
    """
    if path is None:
        return None
    import numpy as np

    try:
        labels = np.load(path, allow_pickle=False)
    except ValueError as error:
        raise ValueError(f"--groups {path!r} must be a .npy file of whole numbers or words: {error}") from None
    if not isinstance(labels, np.ndarray) or labels.shape != (num_rows,) or labels.dtype.kind not in "iubUS":
        came = f"shape {labels.shape}, dtype {labels.dtype}" if isinstance(labels, np.ndarray) else "an archive"
        raise ValueError(
            f"--groups {path!r} must hold {num_rows} whole numbers or words, one for each row; it holds {came}."
        )
    return labels


def announce(plan: Any, num_samples: int, dimension: int, num_frequencies: int, num_draws: int) -> None:
    """Print the memory and the time of a long job before it starts."""
    flops = _rough_flops(plan.route, num_samples, dimension, num_frequencies, num_draws)
    if flops > LONG_FLOPS:
        print(
            f"{plan.route} route: {num_samples} samples of dimension {dimension}, about "
            f"{format_bytes(plan.total_bytes)} of memory beside the data and {flops / 1e12:.2g} Tflop "
            f"(some {format_seconds(flops / NOMINAL_FLOPS_PER_SECOND)} at 100 Gflop/s, a few CPU cores).",
            file=sys.stderr,
        )


def _rough_flops(route: str, num_samples: int, dimension: int, num_frequencies: int, num_draws: int) -> float:
    n, d = float(num_samples), float(dimension)
    if route == "exact":
        return n * n * d + 4 / 3 * n**3
    if route in ("dual", "nystrom"):
        return n * d * d + 4 / 3 * d**3
    features = 2.0 * num_frequencies
    return num_draws * (n * features * (features + d) + 4 / 3 * features**3)


@contextmanager
def progress_batches(array: np.ndarray, batch_size: int, dtype: str) -> Iterator[Iterator[np.ndarray]]:
    """Yield the rows of an array in batches, with a progress bar on stderr if that is a terminal.

    Only one batch of a memory-mapped file is in memory at a time.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("samples", total=len(array))

        def rows() -> Iterator[np.ndarray]:
            for start in range(0, len(array), batch_size):
                batch = widened(array[start : start + batch_size], dtype)
                yield batch
                progress.update(task, advance=len(batch))
            progress.update(task, description="samples read; eigenvalues ...")

        yield rows()


@contextmanager
def spinner(text: str) -> Iterator[None]:
    """Show on a terminal that something is being computed whose progress is not known."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(text):
        yield
