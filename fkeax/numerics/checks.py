"""Input checks. Each raises one sentence that names the argument, what was expected and what came."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from fkeax.numerics.row_blocks import RowBlocks

NUM_ROWS_NAMED = 5
_CHUNK_ROWS = 4_096  # of an array that lies in blocks on the disk


@contextmanager
def naming(**names: str) -> Iterator[None]:
    """Turn what checks say about arguments into sentences about what the caller calls them.

    A sentence that starts with an argument's name starts with the other name instead; one about two arguments ("a and b
    must ...") stays as it is.

    Example:
        >>> with naming(x="'samples.npy'"):
        ...     raise ValueError("x must be 2-D.")
        Traceback (most recent call last):
        ValueError: 'samples.npy' must be 2-D.
    """
    try:
        yield
    except (TypeError, ValueError) as error:
        message = str(error)
        for argument, name in names.items():
            rest = message.removeprefix(f"{argument} ")
            if rest != message and not rest.startswith("and "):
                raise type(error)(f"{name} {rest}") from None
        raise


def positive_number(value: object, name: str) -> float:
    """Return ``value`` as a float after checking that it is a finite number above 0."""
    number = finite_number(value, name)
    if not number > 0:
        raise ValueError(f"{name} must be a positive number; got {value!r}.")
    return number


def finite_number(value: object, name: str) -> float:
    """Return ``value`` as a float after checking that it is one finite real number."""
    scalar = isinstance(value, (jax.Array, np.ndarray, np.generic)) and value.ndim == 0 and value.dtype.kind in "fiu"
    if isinstance(value, bool) or not (scalar or isinstance(value, numbers.Real)):
        raise TypeError(f"{name} must be a number; got {value!r} of type {type(value).__name__}.")
    try:
        number = float(value)  # pyright: ignore[reportArgumentType]
    except OverflowError as error:
        raise ValueError(f"{name} must be finite; got a whole number too large for a float.") from error
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite; got {number}.")
    return number


def count(value: object, name: str, *, minimum: int = 1) -> int:
    """Return ``value`` as an int after checking that it is a whole number of at least ``minimum``."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} must be a whole number; got {value!r} of type {type(value).__name__}.")
    if value < minimum:
        raise ValueError(f"{name} must be at least {minimum}; got {value}.")
    return int(value)


def order(value: object, name: str = "order") -> float:
    """Return an entropy order as a float in [0, inf]."""
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, np.generic)):
        raise TypeError(f"{name} must be a number from 0 to inf; got {value!r} of type {type(value).__name__}.")
    number = float(value)
    if math.isnan(number) or number < 0:
        raise ValueError(f"{name} must be a number from 0 to inf; got {value!r}.")
    return number


def choice(value: object, name: str, allowed: Sequence[str]) -> str:
    """Return ``value`` after checking that it is one of ``allowed``."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}; got {value!r}.")
    return str(value)


def typed_key(key: object, needed_for: str) -> jax.Array:
    """Return ``key`` after checking that it is one typed JAX key.

    Raises:
        ValueError: If it is absent; the sentence shows how to make one.
        TypeError: If it is anything else, a legacy ``uint32`` key included.
    """
    if key is None:
        raise ValueError(f"key is needed for {needed_for}: pass key=jax.random.key(0).")
    if not isinstance(key, jax.Array) or not jnp.issubdtype(key.dtype, jax.dtypes.prng_key) or key.ndim != 0:
        is_legacy = isinstance(key, jax.Array) and key.dtype == jnp.uint32
        came = "a legacy uint32 key" if is_legacy else type(key).__name__
        raise TypeError(f"key must be one typed key such as jax.random.key(0); got {came}.")
    return key


def own_array(x: object, name: str) -> object:
    """Return a tensor of another library, or a list of such, as a NumPy array, and anything else as it is.

    Tensors of PyTorch are known by their methods, so that nothing is imported: they are cut from their gradient and
    fetched from their device; bfloat16, which NumPy lacks, becomes float32.

    Raises:
        TypeError: If the tensor has no NumPy form, as sparse ones.
        ValueError: If a masked array has masked entries: no estimator here leaves them out.
    """
    if np.ma.is_masked(x) or (isinstance(x, (list, tuple)) and any(np.ma.is_masked(row) for row in x)):
        raise ValueError(f"{name} has masked entries; fill them, or drop their rows.")
    if isinstance(x, (list, tuple)) and len(x) > 0 and _is_tensor(x[0]):
        rows = [np.asarray(own_array(row, name)) for row in x]
        if len({row.shape for row in rows}) > 1:
            raise ValueError(f"{name} must be an (n, d) array of numbers; its rows differ in length.")
        return np.stack(rows)
    if not _is_tensor(x):
        return x
    tensor: Any = x
    try:
        tensor = tensor.detach().cpu()
        if str(tensor.dtype).endswith("bfloat16"):
            tensor = tensor.float()
        return np.asarray(tensor.numpy())
    except (TypeError, RuntimeError) as error:
        reason = str(error).splitlines()[0].rstrip(".")
        raise TypeError(f"{name} must be a tensor that has a NumPy form: {reason}.") from error


def _is_tensor(x: object) -> bool:
    return not isinstance(x, (np.ndarray, jax.Array)) and all(hasattr(x, name) for name in ("detach", "cpu", "numpy"))


def matrix(x: object, name: str = "x") -> np.ndarray | jax.Array:
    """Return ``x`` as an (n, d) array of real numbers, JAX or NumPy as it came, without a copy where possible.

    Lists, memory maps, tensors of PyTorch on any device and all that has ``__array__`` become NumPy arrays in the byte
    order of this machine.

    Raises:
        TypeError: If the entries are not real numbers.
        ValueError: If it is not two-dimensional, has no rows or no columns, or has masked entries.
    """
    if isinstance(x, jax.Array):
        array = x
    else:
        own = own_array(x, name)
        try:
            array = np.asarray(own)
        except ValueError as error:  # ragged nested lists
            raise ValueError(f"{name} must be an (n, d) array of numbers; its rows differ in length.") from error
    if not (
        jnp.issubdtype(array.dtype, jnp.floating) or jnp.issubdtype(array.dtype, jnp.integer) or array.dtype == bool
    ):
        raise TypeError(f"{name} must hold real numbers; got dtype {array.dtype}.")
    if array.ndim != 2:
        hint = "; one sample is a matrix of one row, x[None]" if array.ndim == 1 else ""
        raise ValueError(f"{name} must have two axes, (n, d) with samples as rows; got shape {array.shape}{hint}.")
    if 0 in array.shape:
        raise ValueError(f"{name} must have at least one row and one column; got shape {array.shape}.")
    if isinstance(array, np.ndarray) and not array.dtype.isnative:
        return array.astype(array.dtype.newbyteorder("="))
    return array


def real_array(x: object, name: str) -> jax.Array:
    """Return ``x`` as a JAX array of real numbers; traced arrays pass.

    Raises:
        TypeError: If the entries are not real numbers.
    """
    x = x if isinstance(x, jax.Array) else np.asarray(own_array(x, name))
    dtype = x.dtype
    if not (jnp.issubdtype(dtype, jnp.floating) or jnp.issubdtype(dtype, jnp.integer) or np.dtype(dtype).kind == "b"):
        raise TypeError(f"{name} must hold real numbers; got dtype {dtype}.")
    if isinstance(x, np.ndarray) and not x.dtype.isnative:
        x = x.astype(x.dtype.newbyteorder("="))
    return jnp.asarray(x)


LARGEST, SMALLEST = 1e15, 1e-15  # squares, and sums of them, are then ordinary numbers in single precision


def square_range(rows: np.ndarray, name: str, *, zeros: bool = True) -> None:
    """Raise if numbers are so large or so small that squares leave the range of single precision.

    Args:
        rows: Finite.
        name: Of the argument.
        zeros: Whether rows that are 0 everywhere are fine.
    """
    largest = max(abs(float(rows.max())), abs(float(rows.min())))
    if SMALLEST <= largest <= LARGEST or (zeros and largest == 0):
        return
    what = "only zeros" if largest == 0 else f"numbers too {'large' if largest > 1 else 'small'} to square"
    raise ValueError(f"{name} holds {what} (the largest is {largest:.3g}); scale both samples alike.")


def working_dtype(dtype: np.dtype | type) -> np.dtype:
    """Return the dtype that data of ``dtype`` is computed in: float64 where JAX allows it, else float32.

    Half precision and integers become float32; float64 stays float64 under ``jax.enable_x64`` and becomes float32
    without it.
    """
    wide = np.dtype(dtype) == np.float64 and jax.dtypes.canonicalize_dtype(np.float64) == np.float64
    return np.dtype(np.float64 if wide else np.float32)


def weight_vector(weights: ArrayLike | None, num_samples: int) -> np.ndarray | None:
    """Return sample weights as float64 after checking shape and sign; None stays None. They may all be 0."""
    if weights is None:
        return None
    array = np.asarray(own_array(weights, "weights"))
    if array.dtype.kind not in "fiub" or array.shape != (num_samples,):
        raise ValueError(
            f"weights must be {num_samples} numbers, one for each row; got shape {array.shape}, dtype {array.dtype}."
        )
    array = array.astype(np.float64)
    if not np.isfinite(array).all() or (array < 0).any():
        raise ValueError("weights must be finite and not negative.")
    return array


def finite_rows(rows: np.ndarray | jax.Array | RowBlocks, name: str = "x", *, first_row: int = 0) -> None:
    """Raise if any row holds a NaN or an infinity, naming the first few row numbers counted from ``first_row``."""
    if isinstance(rows, RowBlocks):
        for chunk in rows.chunks(_CHUNK_ROWS):
            finite_rows(chunk, name, first_row=first_row)
            first_row += len(chunk)
        return
    # The sum is finite only if all entries are (or overflow): one pass without a boolean matrix for the usual case.
    if isinstance(rows, np.ndarray):
        with np.errstate(over="ignore", invalid="ignore"):
            if rows.dtype.kind in "iub" or np.isfinite(np.sum(rows, dtype=np.float64)):
                return
        bad = np.flatnonzero(~np.isfinite(rows).all(axis=1))
    else:
        bad = np.flatnonzero(~np.asarray(jnp.isfinite(rows).all(axis=1)))
    if bad.size:
        shown = ", ".join(str(first_row + i) for i in bad[:NUM_ROWS_NAMED])
        more = f" and {bad.size - NUM_ROWS_NAMED} more" if bad.size > NUM_ROWS_NAMED else ""
        raise ValueError(f"{name} must be finite; NaN or infinity in row {shown}{more} (rows counted from 0).")
