"""How a command runs the core: precision, files, labels, batches with a progress bar."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    from fkeax.io import FeatureFile
    from fkeax.numerics.row_blocks import RowBlocks

GROUP_WORDS = ("files", "none")  # in the place of a file of labels


def precision(dtype: str) -> AbstractContextManager[Any]:
    """Return a context in which JAX computes in the dtype of the command line."""
    if dtype == "auto":
        return nullcontext()
    import jax

    return jax.enable_x64(dtype == "float64")


def naming_file(file: FeatureFile) -> AbstractContextManager[None]:
    """Return a context that turns what the core says about its argument `x` into a sentence about the file."""
    from fkeax.numerics import checks

    return checks.naming(x=repr(file.label))


def naming_pair(reference: FeatureFile, generated: FeatureFile, **others: FeatureFile) -> AbstractContextManager[None]:
    """Return a context that turns what the core says about samples into sentences about their files."""
    from fkeax.numerics import checks

    files = {"reference": reference, "generated": generated, **others}
    return checks.naming(**{argument: repr(file.label) for argument, file in files.items()})


def features(path: str) -> FeatureFile:
    """Open features that were named on the command line, and say on stderr how they were understood.

    Raises:
        OSError: A file is missing or cannot be read.
        ValueError: It holds no features.
    """
    from fkeax.io import load_features

    file = load_features(path)
    for notice in file.notices:
        print(f"note: {path}: {notice}.", file=sys.stderr)
    return file


def files_of(*words: str | None) -> list[Path]:
    """Return the files behind words of the command line: of features, of labels, of neither where none was given."""
    from fkeax.io import feature_paths

    return [path for word in words if word is not None and word not in GROUP_WORDS for path in feature_paths(word)]


def widened(array: np.ndarray | RowBlocks, dtype: str) -> np.ndarray | RowBlocks:
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

    other = features(reference)
    if other.array.shape[1] != file.array.shape[1]:
        raise ValueError(
            f"--bandwidth-from {reference!r} has {other.array.shape[1]} columns and {str(file.path)!r} has "
            f"{file.array.shape[1]}; a bandwidth belongs to one space."
        )
    family: Any = kernels.kernel_family(kernel)
    with naming_file(other):
        found = kernels.parse_bandwidth(bandwidth)(other.read(), kernel=family, key=jax.random.key(seed))
    return dataclasses.replace(found, source=f"{found.source}, of {other.path.name}")


def labels_of_rows(words: str | None, *files: FeatureFile) -> np.ndarray | None:
    """Return the labels of the rows of one file, or of several one after the other.

    Args:
        words: A file of labels; "files" for one label for each file of a folder or pattern; "none"; or None for the
            groups that the features bring with them, if any.
        files: The features.

    Raises:
        OSError: The file of labels cannot be read.
        ValueError: It holds no such labels.
    """
    import numpy as np

    num_rows = sum(len(file.array) for file in files)
    if words is None or words in GROUP_WORDS:
        found = [file.file_numbers if words == "files" else file.groups for file in files]
        if words == "none" or all(labels is None for labels in found):
            return None
        # Labels of two sets never mean one group; rows of a set without labels are groups of one.
        parts = [
            np.arange(len(file.array)) if labels is None else labels for file, labels in zip(files, found, strict=True)
        ]
        numbers = [np.unique(part, return_inverse=True)[1] for part in parts]
        firsts = np.cumsum([0, *(part.max() + 1 for part in numbers[:-1])])
        return np.concatenate([part + first for part, first in zip(numbers, firsts, strict=True)])
    return labels_from_file("--groups", words, num_rows)


def labels_from_file(option: str, path: str, num_rows: int) -> np.ndarray:
    """Return a label for each row from a file of labels.

    Raises:
        OSError: The file cannot be read.
        ValueError: It holds no such labels; the sentence names the option.
    """
    from fkeax.io import load_labels

    try:
        labels = load_labels(path)
    except ValueError as error:
        raise ValueError(f"{option} {path!r} must be a file of whole numbers or words: {error}") from None
    if labels.shape != (num_rows,) or labels.dtype.kind not in "iubUS":
        raise ValueError(
            f"{option} {path!r} must hold {num_rows} whole numbers or words, one for each row; it holds shape "
            f"{labels.shape}, dtype {labels.dtype}."
        )
    return labels


@contextmanager
def progress_bar(what: str, total: int) -> Iterator[Callable[[int, str], None]]:
    """Yield a function that says how many more are done, and of what, to a bar on stderr if that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(what, total=total)
        yield lambda count, now: progress.update(task, advance=count, description=now)


@contextmanager
def progress_batches(array: np.ndarray | RowBlocks, batch_size: int, dtype: str) -> Iterator[Iterator[np.ndarray]]:
    """Yield the rows of an array in batches, with a progress bar.

    Only one batch of a memory-mapped file is in memory at a time.
    """
    with progress_bar("samples", len(array)) as advance:

        def rows() -> Iterator[np.ndarray]:
            for start in range(0, len(array), batch_size):
                batch = array[start : start + batch_size]
                batch = batch.astype("float64", copy=False) if dtype == "float64" else batch
                yield batch
                advance(len(batch), "samples")
            advance(0, "samples read; eigenvalues ...")

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
