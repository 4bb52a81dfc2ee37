"""Steps of :mod:`benchmarks.gpu`: spectra and their alternatives, torch beside, tests, k-means, MMDAgg."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from benchmarks.device_steps import (
    ALGORITHMS,
    Row,
    Sizes,
    attempt,
    bandwidth_of,
    covariance,
    data,
    fourier_map,
    timed,
    vendi_of,
)


def _once(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    jax.block_until_ready(call())
    return time.perf_counter() - start


def spectrum_rows(sizes: Sizes, size: int, left: Callable[[], float]) -> list[Row]:
    """Time the eigenvalues of one covariance: on the device two ways, on the host, by quadrature, as two halves.

    Args:
        sizes: Of the data.
        size: 2r.
        left: Says how many seconds are left; the slow ways are skipped where they would not end.
    """
    from fkeax.diversity import moments
    from fkeax.diversity.samples import samples
    from fkeax.diversity.spectral_quadrature import quadrature_vendi
    from fkeax.kernels import Gaussian
    from fkeax.numerics import linalg

    x = data(sizes)
    run = jax.jit(partial(covariance, batch=sizes.batch, algorithms=(ALGORITHMS["HIGHEST"],) * 2))
    matrix = jax.block_until_ready(run(x, fourier_map(sizes, size // 2).frequencies))
    reference = vendi_of(matrix) if size <= 4_000 else None

    def score(values: object) -> str:
        spectrum = np.maximum(np.asarray(values, np.float64), 0)
        spectrum = spectrum[spectrum > 0] / spectrum.sum()
        value = float(np.exp(-np.sum(spectrum * np.log(spectrum))))
        beside = "" if reference is None else f", {value / reference - 1:+.1e} of float64 on the host"
        return f"VENDI-1 {value:.5g}{beside}"

    def by(name: str, find: Callable[[], object]) -> list[Row]:
        start = time.perf_counter()
        found = jax.block_until_ready(find())
        seconds, note = time.perf_counter() - start, ", compiling included"
        if seconds < 10:
            seconds, note = _once(find), ""
        return [Row(f"eigenvalues, {size:,}, {name}", seconds, score(found) + note)]

    def quadrature() -> list[Row]:
        kernel = Gaussian(bandwidth_of(sizes))
        _, draws = moments.fkea_moment(samples(x, sizes.batch), kernel, None, jax.random.key(0), None, size // 2, 1)
        quadrature_vendi(draws[0], (1.0,), key=jax.random.key(1), max_vectors=1)  # compiles
        seconds = _once(lambda: quadrature_vendi(draws[0], (1.0,), key=jax.random.key(2))[0].value)
        (found,) = quadrature_vendi(draws[0], (1.0,), key=jax.random.key(2))
        return [Row(f"eigenvalues, {size:,}, Lanczos quadrature", seconds, f"VENDI-1 {found.value} +- {found.stderr}")]

    def halves() -> list[Row]:
        r = size // 2
        index = np.r_[0 : r // 2, r : r + r // 2], np.r_[r // 2 : r, r + r // 2 : 2 * r]
        parts = [matrix[np.ix_(rows, rows)] * 2 for rows in index]
        seconds = _once(lambda: [linalg.eigenvalues(part) for part in parts])
        return [Row(f"eigenvalues, {size:,}, two half-size problems", seconds, "scores of r/2 frequencies each")]

    ways: list[tuple[str, Callable[[], list[Row]]]] = [
        ("device, tridiagonal", lambda: by("device, tridiagonal", lambda: linalg.eigenvalues(matrix))),
        ("device, eigvalsh", lambda: by("device, eigvalsh", lambda: jnp.linalg.eigvalsh(matrix))),
        ("Lanczos quadrature", quadrature),
        ("two half-size problems", halves),
        ("host LAPACK", lambda: _host_row(matrix, size, score)),
    ]
    rows: list[Row] = []
    for name, way in ways:
        if left() < 15 * (size / 8_000) ** 3:
            rows.append(Row(f"eigenvalues, {size:,}, {name}", None, "skipped: no time left"))
            continue
        rows += attempt(f"eigenvalues, {size:,}, {name}", way)
    return rows


def _host_row(matrix: jax.Array, size: int, score: Callable[[object], str]) -> list[Row]:
    from fkeax.numerics import linalg

    host = np.array(matrix)
    start = time.perf_counter()
    values = linalg.eigenvalues(host, overwrite=True)
    return [Row(f"eigenvalues, {size:,}, host LAPACK", time.perf_counter() - start, score(values))]


def torch_rows(sizes: Sizes) -> list[Row]:
    """Time an expert's torch on the same device: covariance with and without TF32, eigenvalues of the smallest size."""
    import torch  # pyright: ignore[reportMissingImports]

    from benchmarks.peers import torch_fkea

    on_gpu = torch.cuda.is_available()
    if not on_gpu and jax.default_backend() == "gpu":
        return [Row("torch", None, "it sees no GPU")]
    device = "cuda" if on_gpu else "cpu"

    def ready() -> None:
        if on_gpu:
            torch.cuda.synchronize()

    x = torch.from_numpy(np.array(data(sizes))).to(device)
    maps = torch.from_numpy(np.array(fourier_map(sizes, sizes.r).frequencies.T)).to(device)
    rows = []
    for allowed in (False, True):
        torch.backends.cuda.matmul.allow_tf32 = allowed
        torch_fkea.covariance(x, maps, sizes.batch)
        ready()
        start = time.perf_counter()
        matrix = torch_fkea.covariance(x, maps, sizes.batch)
        ready()
        name = "TF32" if allowed else "float32"
        value = 1 / float(matrix.double().square().sum())
        rows.append(Row(f"torch, features and covariance, {name}", time.perf_counter() - start, f"RKE {value:.6g}"))
    torch.backends.cuda.matmul.allow_tf32 = False
    size = sizes.spectra[0]
    small = torch_fkea.covariance(x, maps[:, : size // 2], sizes.batch)
    torch.linalg.eigvalsh(small)
    ready()
    start = time.perf_counter()
    torch.linalg.eigvalsh(small)
    ready()
    rows.append(Row(f"torch, eigenvalues, {size:,}", time.perf_counter() - start, ""))
    return rows


def whole_score_rows(sizes: Sizes) -> list[Row]:
    """Time fkeax's own state and RKE of rows that are on the device."""
    import fkeax

    x = data(sizes)

    def call() -> float:
        return float(
            fkeax.score(
                x,
                metrics=("rke",),
                bandwidth=bandwidth_of(sizes),
                method="fkea",
                num_frequencies=sizes.r,
                batch_size=sizes.batch,
                key=jax.random.key(0),
            )["rke"]
        )

    seconds, value = timed(call, repeats=1)
    return [Row(f"fkeax.score, RKE, 2r={2 * sizes.r:,}", seconds, f"RKE {value:.6g}")]


def test_rows(sizes: Sizes) -> list[Row]:
    """Time the permutation test, and check MMD^2 of some rows against NumPy in float64."""
    from fkeax.twosample import mmd, mmd_test

    n, d = sizes.n_test, sizes.d_test
    x, y = np.random.default_rng(0).standard_normal((2, n, d), dtype=np.float32)

    def call() -> float:
        return mmd_test(x, y, key=jax.random.key(0), num_permutations=sizes.permutations).p_value

    first = _once(call)
    seconds = _once(call)
    few, width = min(n, 1_000), d**0.5
    ours = float(mmd(x[:few], y[:few], kernel="gaussian", bandwidth=width))
    error = abs(ours - _numpy_mmd2(x[:few], y[:few], width))
    what = f"n=m={n:,}, d={d}, {sizes.permutations} permutations; first call {first:.1f} s; MMD^2 off by {error:.1e}"
    return [Row("permutation test", seconds, what)]


def _numpy_mmd2(x: np.ndarray, y: np.ndarray, bandwidth: float) -> float:
    n, z = len(x), np.concatenate([x, y]).astype(np.float64)
    norms = np.square(z).sum(axis=1)
    gram = np.exp((2 * z @ z.T - norms[:, None] - norms[None]) / (2 * bandwidth**2))
    np.fill_diagonal(gram, 0)
    within = gram[:n, :n].sum() + gram[n:, n:].sum()
    return float(within / (n * (n - 1)) - 2 * gram[:n, n:].mean())


def kmeans_rows(sizes: Sizes) -> list[Row]:
    """Time k-means from one start."""
    from fkeax.quantize import kmeans

    rows = np.array(data(sizes)[:40_000, :256])
    found = kmeans(rows, start=rows[: sizes.k])
    seconds = _once(lambda: kmeans(rows, start=rows[: sizes.k]).objective)
    distances = np.square(rows - found.centres[found.labels], dtype=np.float64).sum()
    error = abs(found.objective / float(distances) - 1)
    size = f"{rows.shape[0]:,} x {rows.shape[1]}, k={sizes.k}"
    what = f"{size}, {found.num_iterations} iterations; objective off by {error:.1e}"
    return [Row("k-means, one start", seconds, what)]


def mmdagg_rows(sizes: Sizes) -> list[Row]:
    """Time MMDAgg; it must reject a plain shift."""
    from fkeax.twosample import mmdagg

    x, y = np.random.default_rng(0).standard_normal((2, sizes.n_aggregated, 64), dtype=np.float32)
    y += 1.0
    found = mmdagg(x, y, key=jax.random.key(0))
    seconds = _once(lambda: mmdagg(x, y, key=jax.random.key(1)).p_value)
    return [Row("MMDAgg", seconds, f"n=m={sizes.n_aggregated}, d=64; rejects a shift: {found.reject}")]
