"""Whether an array can be features, told by its shape and dtype before it is read, in one sentence."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

import ml_dtypes
import numpy as np

BFLOAT16 = np.dtype(ml_dtypes.bfloat16)
EXPECTED = "expected a 2-D numeric array, one row per sample"
_FAULTS_OF_THE_SYSTEM = (errno.EACCES, errno.EPERM, errno.ENOENT, errno.EIO, errno.EMFILE, errno.ENFILE, errno.ESTALE)
_OTHER_KINDS = {"U": "strings", "S": "byte strings", "c": "complex numbers", "M": "dates", "m": "time spans"}


class FeatureFault(ValueError):
    """A sentence about a file that needs nothing added."""


def understood(dtype: np.dtype) -> np.dtype:
    """Return the dtype that a stored one stands for: two untyped bytes are bfloat16, as numpy.save writes it."""
    return BFLOAT16 if dtype.kind == "V" and dtype.itemsize == 2 and dtype.names is None else dtype


def is_numeric(dtype: np.dtype) -> bool:
    """Whether features may have this dtype: bools, integers, floats up to float64, bfloat16."""
    return understood(dtype) == BFLOAT16 or (dtype.kind in "biuf" and dtype.itemsize <= 8)


def unit_axes(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes of length 1 without which the shape is (n, d); none if it is so already, or has more axes."""
    others = [axis for axis in range(1, len(shape)) if shape[axis] != 1]
    if len(shape) <= 2 or len(others) > 1:
        return ()
    kept = others[0] if others else 1
    return tuple(axis for axis in range(1, len(shape)) if axis != kept)


def could_be_features(shape: tuple[int, ...], dtype: np.dtype) -> bool:
    """Whether an array is 2-D and numeric, axes of length 1 aside."""
    return is_numeric(dtype) and len(shape) - len(unit_axes(shape)) == 2


def check_features(shape: tuple[int, ...], dtype: np.dtype, label: str) -> None:
    """Check that an array can be features.

    Args:
        shape: Its shape without axes of length 1.
        dtype: Its dtype.
        label: What the sentence names, quoted.

    Raises:
        ValueError: It cannot.
    """
    if dtype.hasobject:
        raise FeatureFault(f"{label} holds Python objects, which are never unpickled; {EXPECTED}.")
    if dtype.names is not None:
        raise FeatureFault(f"{label} holds records with the fields {', '.join(dtype.names)}; {EXPECTED}.")
    if not is_numeric(dtype):
        if dtype.kind == "V":
            raise FeatureFault(f"{label} holds untyped bytes (dtype {dtype}); save it as float32.")
        raise FeatureFault(
            f"{label} holds {_OTHER_KINDS.get(dtype.kind, 'values')} (dtype {dtype}); {EXPECTED}, of floats up to "
            "float64, integers or bools."
        )
    if len(shape) != 2:
        hint = "; reshape it to (n, 1) if every entry is a sample" if len(shape) == 1 else ""
        hint = "; flatten every sample to one row" if len(shape) > 2 else hint
        raise FeatureFault(f"{label} holds a {len(shape)}-D array of shape {shape}; {EXPECTED}{hint}.")
    if shape[0] < 1 or shape[1] < 1:
        missing = "rows (n = 0 samples)" if shape[0] < 1 else "columns (d = 0 features)"
        raise FeatureFault(f"{label} holds an array of shape {shape} without {missing}; {EXPECTED}.")


@contextmanager
def reading(label: str, what: str = "cannot be read") -> Iterator[None]:
    """Turn whatever a library makes of a damaged file into one sentence about it.

    A fault that the operating system reports (no permission, a broken disk) stays what it is.

    Args:
        label: The file, quoted.
        what: What is wrong with it.

    Raises:
        ValueError: The library failed.
    """
    try:
        yield
    except FeatureFault:
        raise
    except OSError as error:
        if error.errno in _FAULTS_OF_THE_SYSTEM:  # a library that seeks to nowhere has others
            raise
        raise FeatureFault(f"{label} {what}: {_reason(error)}.") from None
    except Exception as error:  # a damaged file can fail in any way that parsing can
        raise FeatureFault(f"{label} {what}: {_reason(error)}.") from None


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    text = lines[0] if lines else type(error).__name__
    return text[:200].rstrip(".: ")
