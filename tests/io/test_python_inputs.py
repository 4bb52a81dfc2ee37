"""Whatever holds the rows in Python, the public scores are the same number.

PyTorch itself is not needed: a class with the methods of a tensor stands for it, one that refuses what a tensor on a
graphics card, or one with a gradient, refuses. (Real tensors were compared by hand with torch 2.13.)
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

from fkeax.io import load_features
from fkeax.numerics import checks
from fkeax.numerics.row_blocks import Block, RowBlocks

X = np.random.default_rng(0).integers(-8, 9, (24, 3)).astype(np.float32)  # exact in every dtype


class Tensor:
    """What PyTorch does: NumPy gets neither a tensor with a gradient, nor one on a device, nor bfloat16."""

    def __init__(self, values: np.ndarray, *, device: str = "cpu", grad: bool = False, dtype: str = "torch.float32"):
        self.values, self.device, self.grad, self.dtype = values, device, grad, dtype
        self.shape, self.ndim = values.shape, values.ndim

    def detach(self) -> Tensor:
        return type(self)(self.values, device=self.device, dtype=self.dtype)

    def cpu(self) -> Tensor:
        return type(self)(self.values, grad=self.grad, dtype=self.dtype)

    def float(self) -> Tensor:
        return Tensor(self.values, device=self.device, grad=self.grad)

    def numpy(self) -> np.ndarray:
        if self.grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.\nUse tensor.detach().numpy() instead.")
        if self.device != "cpu" or self.dtype != "torch.float32":
            raise TypeError(f"can't convert {self.device} {self.dtype} type tensor to numpy.\nUse Tensor.cpu().")
        return self.values

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return self.numpy()

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Any:
        return (Tensor(row, device=self.device, grad=self.grad, dtype=self.dtype) for row in self.values)


def memory_map(folder: Path) -> np.ndarray:
    np.save(folder / "x.npy", X)
    return np.load(folder / "x.npy", mmap_mode="r")


def read_only(_: Path) -> np.ndarray:
    array = X.copy()
    array.flags.writeable = False
    return array


def shards(folder: Path) -> RowBlocks:
    np.save(folder / "x_1.npy", X[:10])
    np.save(folder / "x_2.npy", X[10:])
    array = load_features(folder).array
    assert isinstance(array, RowBlocks)
    return array


FORMS: dict[str, Callable[[Path], Any]] = {
    "jax": lambda _: jnp.asarray(X),
    "jax bfloat16": lambda _: jnp.asarray(X, jnp.bfloat16),
    "lists": lambda _: X.tolist(),
    "rows": lambda _: list(X),
    "memory map": memory_map,
    "shards": shards,
    "big-endian": lambda _: X.astype(">f4"),
    "big-endian integers": lambda _: X.astype(">i2"),
    "Fortran order": lambda _: np.asfortranarray(X),
    "every other row": lambda _: np.repeat(X, 2, axis=0)[::2],
    "float64": lambda _: X.astype(np.float64),
    "float16": lambda _: X.astype(np.float16),
    "bfloat16": lambda _: X.astype(ml_dtypes.bfloat16),
    "int8": lambda _: X.astype(np.int8),
    "int64": lambda _: X.astype(np.int64),
    "read-only": read_only,
    "tensor": lambda _: Tensor(X),
    "tensor with a gradient": lambda _: Tensor(X, grad=True),
    "tensor on a device": lambda _: Tensor(X, device="cuda:0", grad=True),
    "tensor of bfloat16": lambda _: Tensor(X, dtype="torch.bfloat16"),
    "list of tensors": lambda _: list(Tensor(X, device="cuda:0", grad=True)),
}


@pytest.mark.parametrize("form", FORMS)
def test_one_matrix_comes_out(form: str, tmp_path: Path) -> None:
    """All public functions take their rows through here."""
    rows = checks.matrix(FORMS[form](tmp_path))
    assert isinstance(rows, (np.ndarray, jax.Array))
    assert rows.dtype.isnative if isinstance(rows, np.ndarray) else True
    np.testing.assert_array_equal(np.asarray(rows, np.float64), X)


# Those whose dtype, order or class could matter behind that door.
SCORED = (
    *("jax", "jax bfloat16", "lists", "memory map", "shards", "big-endian", "Fortran order", "float16", "bfloat16"),
    *("int8", "read-only", "tensor on a device"),
)
SCORES = """
import sys
from pathlib import Path
import jax, numpy as np
import fkeax
from tests.io.test_python_inputs import FORMS, SCORED, X

settings = {"bandwidth": 4.0}
other = X[::-1] * 0.5 + 1
routes = {
    "vendi": lambda x: fkeax.vendi(x, **settings),
    "rke": lambda x: fkeax.rke(x, **settings),
    "fkea": lambda x: fkeax.rke(x, **settings, method="fkea", num_frequencies=16, key=jax.random.key(0)),
    "kid": lambda x: fkeax.kid(other, x),
    "mmd": lambda x: fkeax.mmd(x, other, **settings),
    "frechet": lambda x: fkeax.frechet(x, other),
}
expected = {name: float(score(X)) for name, score in routes.items()}
for form in SCORED:
    folder = Path(sys.argv[1]) / form.replace(" ", "_")
    folder.mkdir()
    for name, score in routes.items():
        found = float(score(FORMS[form](folder)))
        # The same values in another order of bytes or another dtype are the same float32 numbers; sums over strided
        # or JAX arrays may be taken in another order.
        if not abs(found - expected[name]) <= 2e-6 * abs(expected[name]):
            print(f"{form}: {name} is {found}, not {expected[name]}")
print("compared", len(SCORED) * len(routes))
"""


@pytest.mark.slow
def test_scores_are_the_same(tmp_path: Path) -> None:
    """In a process of its own: the checks of annotations that tests run under take arrays only."""
    import os
    import subprocess
    import sys

    environment = {
        **os.environ,
        "FKEAX_NO_TYPECHECK": "1",
        "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
    }
    command = [sys.executable, "-c", SCORES, str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split("\n")[:-1] == [f"compared {len(SCORED) * 6}"], done.stdout + done.stderr


class Sparse(Tensor):
    def numpy(self) -> np.ndarray:
        raise TypeError("can't convert Sparse layout tensor to numpy.\nUse Tensor.to_dense().")


@pytest.mark.parametrize(
    ("x", "error", "sentence"),
    [
        (
            Sparse(X),
            TypeError,
            "x must be a tensor that has a NumPy form: can't convert Sparse layout tensor to numpy.",
        ),
        (Tensor(X[0]), ValueError, r"x must have two axes, \(n, d\) with samples as rows; got shape \(3,\)"),
        ([Tensor(X[0]), Tensor(X[0, :2])], ValueError, "its rows differ in length"),
        ([[1.0, 2.0], [3.0]], ValueError, "its rows differ in length"),
        (np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 2.0), ValueError, "has masked entries; fill them, or drop"),
        (list(np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 2.0)), ValueError, "has masked entries; fill them, or drop"),
        (np.array([["a"]]), TypeError, "x must hold real numbers; got dtype <U1"),
        (X.astype(complex), TypeError, "x must hold real numbers"),
    ],
)
def test_other_inputs_are_refused_in_one_sentence(x: Any, error: type[Exception], sentence: str) -> None:
    with pytest.raises(error, match=sentence) as caught:
        checks.matrix(x)
    assert "\n" not in str(caught.value)


def test_not_finite_rows_of_shards_are_named(tmp_path: Path) -> None:
    rows = X.copy()
    rows[[3, 17], 1] = np.nan
    blocks = RowBlocks([Block(10, lambda: rows[:10]), Block(14, lambda: rows[10:])], 3, "float32")
    with pytest.raises(ValueError, match=r"NaN or infinity in row 3, 17|NaN or infinity in row 3 "):
        checks.finite_rows(blocks)


def test_spectra_may_be_tensors_in_any_order_of_bytes() -> None:
    spectrum = np.array([0.5, 0.5], np.float32)
    np.testing.assert_array_equal(checks.real_array(Tensor(spectrum, device="cuda:0"), "spectrum"), spectrum)
    np.testing.assert_array_equal(checks.real_array(np.array([0.5, 0.5], ">f8"), "spectrum"), [0.5, 0.5])
