"""Tests over many kernels at once: MMDAgg, MMD-FUSE, and sweeps over bandwidths that keep their level."""

from __future__ import annotations

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax.typing import ArrayLike

from fkeax.inference import Groups, Units, permutation_outcome, row_labels
from fkeax.kernels import Bandwidth, Gaussian, Kernel, with_bandwidth
from fkeax.numerics import batching, checks
from fkeax.twosample.bandwidth_grids import GRIDS, aggregation_grid, fusion_grid
from fkeax.twosample.decisions import KernelReport, TwoSampleTest, checked_level, checked_test, single_test
from fkeax.twosample.kernel_choice import chosen_kernel, median_of_rows
from fkeax.twosample.kernel_families import Families, draws_first, family_forms, listed, num_kernels, wild_forms
from fkeax.twosample.level_correction import Correction, corrected_level
from fkeax.twosample.samples import TwoSamples
from fkeax.twosample.tiles import Points, pooled_points

SCHEMES = ("auto", "permutations", "wild")
WINDOW = tuple(2.0**k for k in range(-4, 3))  # multiples of the pooled median
FUSE_GRID_ROWS = 4000


def mmdagg(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    alpha: float = 0.05,
    groups: Groups | None = None,
    num_permutations: int = 2000,
    num_level_permutations: int | None = None,
    num_bandwidths: int = 10,
    grid: str = "package",
    weights: Sequence[float] | None = None,
    scheme: str = "auto",
    families: Families | None = None,
) -> TwoSampleTest:
    """Test with MMDAgg (Schrab et al. 2023): many bandwidths and kernels, one level, the loudest kernels named.

    10 Laplace kernels ``exp(-|.|_1 / b)`` and 10 Gaussian ``exp(-|.|_2^2 / b^2)`` as the package chooses them. The
    p-value is the smallest level at which the test rejects on the same draws, at least 1/(B2 + 1); ``z`` is the largest
    of the kernels' own z, not corrected for being the largest.

    Deviation from the package: its wild bootstrap pairs row i of one sample with row i of the other, and is blind to
    copies at the same index; rows are shuffled first here.

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows.
        key: Draws relabellings, or pairs and signs.
        alpha: The level.
        groups: Labels of dependent rows, the reference's rows first; they make the scheme permutations.
        num_permutations: B1, for the quantiles.
        num_level_permutations: B2, for the level correction; B1 by default.
        num_bandwidths: Of each kernel, at least 2.
        grid: "package", or "equivariant": the same test in any units; see
            :func:`fkeax.twosample.bandwidth_grids.aggregation_grid`.
        weights: One a kernel, positive, sum at most 1; all equal by default.
        scheme: "auto" (wild bootstrap where n = m and there are no groups, else permutations), "permutations" or
            "wild".
        families: Kernels of one's own instead of the grid, such as ``(Gaussian(jnp.asarray([1.0, 2.0])),)``.

    Raises:
        ValueError: If rows are unfit, an argument is out of range, or the wild bootstrap is asked for where n != m.

    Cost:
        ``1.2 n^2 (4 d + L B)`` flops with the wild bootstrap for n rows a side, L kernels and ``B = B1 + B2``; four
        times as many with permutations. Memory for ``(n + L) B`` numbers.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (60, 3))
        >>> y = jax.random.normal(jax.random.key(1), (60, 3)) + 1.0
        >>> result = mmdagg(x, y, key=jax.random.key(2), num_permutations=200)
        >>> result.reject, len(result.kernels)
        (True, 20)
    """
    checks.choice(grid, "grid", GRIDS)
    checks.choice(scheme, "scheme", SCHEMES)
    num_bandwidths = checks.count(num_bandwidths, "num_bandwidths", minimum=2)
    key, level, number, samples, units = checked_test(reference, generated, key, alpha, groups, num_permutations)
    level_number = number if num_level_permutations is None else checked_level(alpha, num_level_permutations)[1]
    if families is None:
        rows = samples.pooled()
        n = samples.num_reference
        families = aggregation_grid(rows[:n], rows[n:], num_bandwidths, grid)
    wild = _is_wild(samples, units, scheme)
    draws = _wild_draws if wild else _permuted_draws
    values = draws(key, samples, units, families, number + level_number)
    shares = _checked_weights(weights, num_kernels(families))
    found = corrected_level(values[:, 0], values[:, 1 : number + 1], values[:, number + 1 :], shares, level)
    reports = _reports(families, values[:, : number + 1], found.p_values, found.fired)
    settings = {"grid": grid, "weights": "uniform" if weights is None else [float(weight) for weight in shares]}
    how = "wild bootstrap of shuffled pairs" if wild else units.scheme
    return _corrected_test(samples, found, reports, (number, level_number), level, how, settings)


def _corrected_test(
    samples: TwoSamples,
    found: Correction,
    reports: tuple[KernelReport, ...],
    draws: tuple[int, int],
    alpha: float,
    scheme: str,
    settings: dict[str, object],
) -> TwoSampleTest:
    """Return the decision of an aggregated test."""
    # Equal rows throughout leave only rounding, whose spread means nothing.
    scores = [report.z for report in reports if report.z is not None and not samples.all_equal]
    return TwoSampleTest(
        method="mmdagg",
        reject=bool(found.fired.any()),
        p_value=found.p_value,
        p_stderr=(found.p_value * (1 - found.p_value) / draws[1]) ** 0.5,
        z=max(scores) if scores else None,
        alpha=alpha,
        statistic=float(np.max(1 - found.p_values)),
        null_sd=None,
        n_ref=samples.num_reference,
        n_gen=samples.num_generated,
        num_permutations=draws[0],
        scheme=scheme,
        kernels=reports,
        settings={
            "dimension": samples.dimension,
            "dtype": str(samples.dtype),
            "num_level_permutations": draws[1],
        }
        | settings,
        diagnostics=samples.diagnostics
        | {
            "corrected_level": found.level,
            "statistic_is": "1 - the smallest of the kernels' own p-values",
            "warnings": list(samples.warnings),
        },
    )


def mmd_fuse(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    alpha: float = 0.05,
    groups: Groups | None = None,
    num_permutations: int = 2000,
    num_bandwidths: int = 10,
    temperature: float = 1.0,
) -> TwoSampleTest:
    """Test with MMD-FUSE (Biggs, Schrab and Gretton 2023): a soft maximum of normalised MMDs over kernels.

    ``T = log mean_k exp(lambda T_k)``, ``T_k = (n (n - 1))^{3/2} MMD_u^2 / ||K||_F``, n the smaller sample, K the
    pooled kernel matrix without its diagonal; 10 Laplace and 10 Gaussian kernels as in the package. Exact at any B.
    Kernels that ``fired`` have a part T_k that at most a share alpha of labellings reaches in any kernel.

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows.
        key: Draws the relabellings (and, beyond 4,000 pooled rows, the rows whose distances set the bandwidths).
        alpha: The level.
        groups: Labels of dependent rows, the reference's rows first.
        num_permutations: B.
        num_bandwidths: Of each kernel, at least 2.
        temperature: lambda.

    Raises:
        ValueError: If rows are unfit, an argument is out of range, or most distances are 0.

    Cost:
        ``1.2 N^2 (2 d + L B)`` flops for N = n + m pooled rows and L kernels.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (60, 3))
        >>> y = jax.random.normal(jax.random.key(1), (60, 3)) + 1.0
        >>> mmd_fuse(x, y, key=jax.random.key(2), num_permutations=199).p_value
        0.005
    """
    num_bandwidths = checks.count(num_bandwidths, "num_bandwidths", minimum=2)
    temperature = checks.positive_number(temperature, "temperature")
    key, level, number, samples, units = checked_test(reference, generated, key, alpha, groups, num_permutations)
    key_labels, key_rows = jax.random.split(key)
    rows = samples.pooled()
    if len(rows) > FUSE_GRID_ROWS:
        random = np.random.default_rng(batching.key_seed(key_rows))
        rows = rows[random.choice(len(rows), FUSE_GRID_ROWS, replace=False)]
    families = fusion_grid(rows, num_bandwidths)
    points = _points(samples)
    labels = row_labels(key_labels, units, number, dtype=samples.dtype)
    normalised = fused_parts(families, points, labels)
    statistics = _log_mean_exp(temperature * normalised)
    outcome = permutation_outcome(statistics[0], statistics[1:], tie_tolerance=1e-5 * float(np.std(statistics)))
    own = np.mean(normalised >= normalised[:, :1], axis=1)
    loudest = normalised.max(axis=0)
    adjusted = np.asarray([permutation_outcome(part, loudest[1:]).p_value for part in normalised[:, 0]])
    return single_test(
        "fuse",
        outcome,
        samples,
        level,
        units.scheme,
        settings={"temperature": temperature},
        kernels=_reports(families, normalised, own, adjusted <= level),
    )


def bandwidth_sweep(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    alpha: float = 0.05,
    groups: Groups | None = None,
    num_permutations: int = 500,
    kernel: str = "gaussian",
    bandwidths: Sequence[float] | None = None,
) -> TwoSampleTest:
    """Test at many bandwidths of one kernel and keep the level: each kernel's p-value is adjusted for all.

    Every kernel's MMD^2 is standardised by mean and deviation over all labellings, the observed one included; the test
    statistic is the largest, and a kernel's adjusted p-value counts the labellings whose largest value reaches its own
    (Westfall and Young's single-step max-T). Exact at any B; ``fired`` means an adjusted p-value of at most alpha.

    Args:
        reference: (n, d) rows.
        generated: (m, d) rows.
        key: Draws the relabellings.
        alpha: The level.
        groups: Labels of dependent rows, the reference's rows first.
        num_permutations: B.
        kernel: A name with a bandwidth.
        bandwidths: In the units of the data; by default 2^-4 .. 2^2 times the median distance of the pooled rows.

    Raises:
        ValueError: If rows are unfit or an argument is out of range.

    Cost:
        ``1.2 N^2 (d + L B)`` flops for N pooled rows and L bandwidths.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (60, 3))
        >>> y = jax.random.normal(jax.random.key(1), (60, 3)) + 1.0
        >>> bandwidth_sweep(x, y, key=jax.random.key(2), num_permutations=199).p_value
        0.005
    """
    key, level, number, samples, units = checked_test(reference, generated, key, alpha, groups, num_permutations)
    key_labels, key_pairs = jax.random.split(key)
    if bandwidths is None:
        zero = np.zeros(samples.dimension)
        median = median_of_rows(samples.pooled(), zero, samples.dtype, "pooled rows", key_pairs)
        widths = [multiple * median.value for multiple in WINDOW]
    else:
        widths = [checks.positive_number(width, "bandwidths") for width in bandwidths]
    families = (_family(kernel, widths, samples.dtype),)
    labels = row_labels(key_labels, units, number, dtype=samples.dtype)
    forms = family_forms(families, _points(samples), labels).forms
    values = np.stack([form.unbiased_mmd2() for form in forms])
    spread = values.std(axis=1, keepdims=True)
    scores = (values - values.mean(axis=1, keepdims=True)) / np.where(spread > 0, spread, 1)
    loudest = scores.max(axis=0)
    outcome = permutation_outcome(loudest[0], loudest[1:], tie_tolerance=1e-5)
    adjusted = np.asarray([permutation_outcome(own, loudest[1:], tie_tolerance=1e-5).p_value for own in scores[:, 0]])
    return single_test(
        "sweep",
        outcome,
        samples,
        level,
        units.scheme,
        settings={"kernel": kernel},
        kernels=_reports(families, values, adjusted, adjusted <= level),
        diagnostics={"p_values_are": "adjusted for all"},
    )


def fused_parts(families: Families, points: Points, labels: jax.Array) -> np.ndarray:
    """Return ``T_k`` of MMD-FUSE, one row a kernel, one column a labelling."""
    found = family_forms(families, points, labels)
    rows = []
    for form, size in zip(found.forms, found.frobenius, strict=True):
        smaller = np.minimum(form.num_first, form.num_rows - form.num_first)
        rows.append((smaller * (smaller - 1)) ** 1.5 * form.unbiased_mmd2() / size if size > 0 else 0 * smaller)
    return np.stack(rows)


def _points(samples: TwoSamples) -> Points:
    return pooled_points(samples.reference, samples.generated, samples.centre, Gaussian(1.0), samples.dtype)


def _is_wild(samples: TwoSamples, units: Units, scheme: str) -> bool:
    paired = samples.num_reference == samples.num_generated
    if scheme == "wild" and (not paired or units.grouped):
        raise ValueError(
            "scheme 'wild' exchanges the rows of pairs: it needs as many generated as reference rows "
            f"and no groups; got {samples.num_reference} and {samples.num_generated}"
            + (" with groups." if units.grouped else ".")
        )
    return scheme == "wild" or (scheme == "auto" and paired and not units.grouped)


def _permuted_draws(key: jax.Array, samples: TwoSamples, units: Units, families: Families, number: int) -> np.ndarray:
    labels = row_labels(key, units, number, dtype=samples.dtype)
    return np.stack([form.unbiased_mmd2() for form in family_forms(families, _points(samples), labels).forms])


def _wild_draws(key: jax.Array, samples: TwoSamples, units: Units, families: Families, number: int) -> np.ndarray:
    del units
    key_pairs, key_signs = jax.random.split(key)
    random = np.random.default_rng(batching.key_seed(key_pairs))
    n = samples.num_reference
    signs = 1 - 2 * jax.random.bernoulli(key_signs, 0.5, (n, number + 1)).astype(samples.dtype)
    signs = signs.at[:, 0].set(1)
    return paired_statistics(
        families,
        samples.reference[random.permutation(n)],
        samples.generated[random.permutation(n)],
        samples.centre,
        np.asarray(signs),
    )


def paired_statistics(
    families: Families, x: np.ndarray, y: np.ndarray, centre: np.ndarray, signs: np.ndarray
) -> np.ndarray:
    """Return the wild bootstrap's statistics, one row a kernel, one column a draw of signs."""
    n = len(x)
    first, second = (pooled_points(rows, rows[:0], centre, Gaussian(1.0), signs.dtype) for rows in (x, y))
    forms = wild_forms(families, first, second, draws_first(signs, first))
    return np.asarray(forms, np.float64) / (n * (n - 1))


def _family(kernel: str, widths: Sequence[float], dtype: np.dtype) -> Kernel:
    """Return one kernel with an array of bandwidths."""
    one = chosen_kernel(kernel, Bandwidth(widths[0], "given", None)).kernel
    return with_bandwidth(one, jnp.asarray(widths, dtype))  # pyright: ignore[reportArgumentType]


def _checked_weights(weights: Sequence[float] | None, number: int) -> np.ndarray:
    if weights is None:
        return np.full(number, 1 / number)
    array = np.asarray(weights, np.float64)
    if array.shape != (number,) or not (array > 0).all() or not array.sum() <= 1 + 1e-9:
        raise ValueError(f"weights must be {number} positive numbers, one a kernel, that sum to at most 1.")
    return array


def _reports(
    families: Families, values: np.ndarray, p_values: np.ndarray, fired: np.ndarray
) -> tuple[KernelReport, ...]:
    means, spreads = values[:, 1:].mean(axis=1), values[:, 1:].std(axis=1, ddof=1)
    return tuple(
        KernelReport(
            name,
            width,
            float(p_values[k]),
            float((values[k, 0] - means[k]) / spreads[k]) if spreads[k] > 0 else None,
            bool(fired[k]),
        )
        for k, (name, width) in enumerate(listed(families))
    )


def _log_mean_exp(values: np.ndarray) -> np.ndarray:
    top = values.max(axis=0)
    return top + np.log(np.mean(np.exp(values - top), axis=0))
