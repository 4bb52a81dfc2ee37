"""The words on the command line, checked and turned into values."""

from __future__ import annotations

import difflib
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

# The core's own lists, written again so that help and usage errors need no JAX; a contract test compares them.
METRICS = ("vendi", "vendi-debiased", "vendi-truncated", "rke")
METHODS = ("auto", "exact", "dual", "fkea", "nystrom")
KERNELS_WITH_BANDWIDTH = (
    "gaussian",
    "laplace-l1",
    "laplace-l2",
    "matern12",
    "matern32",
    "matern52",
    "rational-quadratic",
)
KERNELS = (*KERNELS_WITH_BANDWIDTH, "cosine", "linear", "polynomial")
SCHEMES = ("iid", "orthogonal", "stratified", "orthogonal-stratified", "sobol")
SPECTRA = ("dense", "lanczos")
DTYPES = ("auto", "float32", "float64")


def choose(option: str, word: str, allowed: Sequence[str]) -> str:
    """Return `word` if it is one of `allowed`.

    Raises:
        ValueError: It is not; the message suggests the closest one.
    """
    if word in allowed:
        return word
    close = difflib.get_close_matches(word.lower(), allowed, n=1)
    hint = f"; did you mean {close[0]!r}?" if close else "."
    raise ValueError(f"{option} must be one of {', '.join(allowed)}, got {word!r}{hint}")


def parse_metrics(
    words: str, allowed: Sequence[str] = METRICS, aliases: Mapping[str, Sequence[str]] = MappingProxyType({})
) -> tuple[str, ...]:
    """Read a list of metrics such as "vendi,rke"; an alias stands for one or several."""
    named = [choose("--metrics", word, (*allowed, *aliases)) for word in split_list("--metrics", words)]
    return tuple(dict.fromkeys(metric for name in named for metric in aliases.get(name, (name,))))


def parse_orders(words: str) -> tuple[float, ...]:
    """Read a list of orders such as "1,1.5,inf".

    Raises:
        ValueError: An entry is no number, NaN or negative.
    """
    orders = []
    for word in split_list("--orders", words):
        order = _to_float(word)
        if order is None or math.isnan(order) or order < 0:
            raise ValueError(f"--orders must be numbers of at least 0 or 'inf', such as 1,1.5,2,inf, got {word!r}.")
        orders.append(order)
    return tuple(dict.fromkeys(orders))


def parse_values(option: str, words: str) -> tuple[float, ...]:
    """Read a list of numbers such as "100,300,1000" or "1,1.5,inf".

    Raises:
        ValueError: An entry is no number, or not above or at 0.
    """
    numbers = [(word, _to_float(word)) for word in split_list(option, words)]
    for word, number in numbers:
        if number is None or math.isnan(number) or number < 0:
            raise ValueError(f"{option} must be numbers of at least 0, such as 100,300,1000; got {word!r}.")
    return tuple(dict.fromkeys(number for _, number in numbers if number is not None))


def as_words(value: Any) -> Any:
    """Write a list of metrics or orders as it is given on the command line, and a flag as what it is."""
    if isinstance(value, bool):
        return value or None
    if not isinstance(value, tuple):
        return value
    return ",".join(entry if isinstance(entry, str) else f"{entry:g}" for entry in value)


def parse_kernel(word: str) -> str:
    """Check the name of a kernel; its parameters are checked where it is built."""
    name, colon, parameters = word.partition(":")
    return choose("--kernel", name, KERNELS) + colon + parameters


def parse_bandwidth(word: str | None, kernel: str) -> float | str | None:
    """Read the bandwidth and check that the kernel wants one.

    Returns:
        A positive number, the words of a rule, or None for a kernel without a bandwidth.

    Raises:
        ValueError: It is missing, not wanted, or neither positive nor a rule.
    """
    name = kernel.partition(":")[0]
    if name not in KERNELS_WITH_BANDWIDTH:
        if word is not None:
            raise ValueError(f"--bandwidth has no meaning for the {name} kernel; leave it out.")
        return None
    if word is None:
        raise ValueError(
            f"the {name} kernel needs --bandwidth: a number as in '--bandwidth 7', or '--bandwidth median' for the "
            "median distance between samples; sets are comparable only at one shared bandwidth."
        )
    rule, equals, number = word.partition("=")
    value = _to_float(number)
    is_rule = word == "median" or (
        equals and value is not None and ((rule == "rke" and value > 1) or (rule == "mean-k2" and 0 < value < 1))
    )
    if is_rule:
        return word
    bandwidth = _to_float(word)
    if bandwidth is None or not math.isfinite(bandwidth) or bandwidth <= 0:
        raise ValueError(
            "--bandwidth must be a positive number, 'median', 'rke=NUMBER' above 1 or 'mean-k2=NUMBER' between 0 and "
            f"1; got {word!r}."
        )
    return bandwidth


def score_request(
    metrics: tuple[str, ...],
    *,
    orders: str,
    method: str,
    kernel: str,
    bandwidth: str | None,
    feature_scheme: str,
    needs_bandwidth: bool = True,
    **numbers: Any,
) -> dict[str, Any]:
    """Return the keyword arguments of a diversity score from the words of the command line.

    Args:
        metrics: Of :data:`METRICS`; may be empty where only a reference is compared with.
        orders: A list of numbers.
        method: The route.
        kernel: Name and parameters.
        bandwidth: A number, a rule, or None.
        feature_scheme: How frequencies are drawn.
        needs_bandwidth: Whether any of the scores asked for has one.
        numbers: Options that are numbers or flags already.

    Raises:
        ValueError: A word is none of the allowed ones, or one is missing.
    """
    if "vendi-truncated" in metrics and numbers["num_kept"] is None:
        raise ValueError("vendi-truncated needs --num-kept: how many eigenvalues to keep, as in '--num-kept 100'.")
    return {
        "metrics": metrics,
        "orders": parse_orders(orders),
        "method": choose("--method", method, METHODS),
        "kernel": parse_kernel(kernel),
        "bandwidth": parse_bandwidth(bandwidth, kernel) if needs_bandwidth else None,
        "features": choose("--features", feature_scheme, SCHEMES),
        **numbers,
    }


def parse_image_shape(words: str) -> tuple[int, ...]:
    """Read an image shape such as "28,28" or "28,28,1".

    Raises:
        ValueError: It is not two or three positive whole numbers.
    """
    sides = [int(word) if word.strip().isascii() and word.strip().isdigit() else 0 for word in words.split(",")]
    if len(sides) not in (2, 3) or min(sides) < 1:
        raise ValueError(f"--image-shape must be H,W or H,W,C such as 28,28,1, got {words!r}.")
    return tuple(sides)


def check_output(option: str, path: str | None, *others: str | None) -> Path | None:
    """Check before any computing that a file can be written, and that it is none of the inputs or other outputs.

    Raises:
        OSError: The file cannot be written.
        ValueError: It is one of the other files.
    """
    if path is None:
        return None
    if path == "-":
        raise ValueError(f"{option} must name a file; got '-', and the terminal has the table.")
    from fkeax.io import check_writable, feature_paths

    target = check_writable(path)
    for other in others:
        if other is None:
            continue
        if target.exists() and any(target.samefile(source) for source in feature_paths(other)):
            what = "the file of features itself" if other == others[0] else "a file that the command reads"
            raise ValueError(f"{option} {path!r} is {what}; give another name.")
        if target.absolute() == Path(other).absolute():
            raise ValueError(f"{option} {path!r} is another output of the command; give another name.")
    return target


def check_figure(path: str | None, *others: str | None) -> Path | None:
    """Check before any computing that a figure can be written, in a format that its name asks for."""
    target = check_output("--figure", path, *others)
    if target is not None:
        from fkeax.report import check_figure_path

        check_figure_path(target)
    return target


def split_list(option: str, words: str) -> list[str]:
    """Return the entries of a list separated by commas.

    Raises:
        ValueError: An entry is empty.
    """
    entries = [word.strip() for word in words.split(",")]
    if not all(entries):
        raise ValueError(f"{option} must be a list separated by commas without empty entries, got {words!r}.")
    return entries


def _to_float(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None


def command_words(name: str, features: str, options: dict[str, Any]) -> list[str]:
    """Return the full command, defaults included, so that it can be run again after a default has changed."""
    return ["fkeax", name, features, *option_words(options)]


def option_words(options: dict[str, Any]) -> list[str]:
    """Return options as they are given on the command line; None and a flag that is off are left out."""
    words: list[str] = []
    for option, value in options.items():
        if value is True:
            words.append(option)
        elif value is not None and value is not False:
            words += [option, str(value)]
    return words
