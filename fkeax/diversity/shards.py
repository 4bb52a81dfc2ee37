"""Scores of samples that lie in shards: sums are made where each shard is, and merge in any order.

A shard's state needs the shard and the settings, nothing of the other shards, so that any engine can make it: a Slurm
array, Ray, Spark. Frequencies follow from the key; the centre is the shard's own, and the sums of a merged state are
turned to one centre (:mod:`fkeax.diversity.recentre`). Every state knows which rows it has seen.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import reduce

import jax
import numpy as np

from fkeax import kernels
from fkeax.diversity import evidence as routes
from fkeax.diversity import moments
from fkeax.diversity.plan import NUM_SAMPLED_ROWS, plan
from fkeax.diversity.recentre import recentred
from fkeax.diversity.request import SPECTRA, Request, ScoreOptions, request
from fkeax.diversity.samples import Rows, Samples, samples
from fkeax.diversity.scores import DEFAULT_METRICS, ORDERS, checked_metrics, results_of, wanted
from fkeax.diversity.shard_records import Shard, ShardSettings, check_complete, check_new_rows, check_same_settings
from fkeax.diversity.streaming import FkeaState
from fkeax.kernels import Bandwidth, GivenRule, Kernel, SpectralKernel
from fkeax.numerics import accumulate, batching, checks
from fkeax.numerics.row_blocks import RowBlocks
from fkeax.results import Result

# Frequencies of one key may differ in the last bits between kinds of devices; another key's differ by about 1.
_SAME_FREQUENCIES = 1e-5
_FINGERPRINT_ROWS = 1_024  # rows that seed the row sample of a shard


@dataclass(frozen=True)
class ShardState:
    """What some shards contribute to the scores of all samples.

    Attributes:
        settings: Shared by all shards.
        state: The sums.
        sample: A uniform sample of the rows, on which standard errors are measured.
        shards: The rows seen.
    """

    settings: ShardSettings
    state: FkeaState
    sample: batching.RowSample
    shards: tuple[Shard, ...]

    @property
    def num_samples(self) -> int:
        """How many rows the state has seen."""
        return sum(shard.num_rows for shard in self.shards)


def shard_state(
    x: Rows,
    *,
    name: str,
    first_row: int = 0,
    file_rows: int | None = None,
    kernel: str | Kernel = "gaussian",
    bandwidth: float | str | Bandwidth | None = None,
    features: str = "iid",
    num_frequencies: int = 2000,
    batch_size: int = 4096,
    key: jax.Array,
) -> ShardState:
    """Return what one shard of the samples contributes to their scores, for :func:`merge_shards`.

    Args:
        x: The rows of the shard; as in :func:`fkeax.score`.
        name: What the rows are called where they are told apart.
        first_row: Where they begin within the file they are a part of.
        file_rows: Rows of that file; by default it ends with them.
        kernel: As in :func:`fkeax.score`; the same for all shards.
        bandwidth: A number, or what a rule found on one reference set; the same for all shards. None where the kernel
            brings its own.
        features: How frequencies are drawn.
        num_frequencies: The paper's r.
        batch_size: Rows of a batch; need not be the same for all shards.
        key: The same for all shards. That of :func:`fkeax.score` gives the numbers of that function.

    Raises:
        ValueError: On what :func:`fkeax.score` refuses, or a bandwidth rule, which would give each shard its own.

    Cost:
        That of :func:`fkeax.fkea` without eigenvalues; memory does not depend on the number of rows.

    Example:
        >>> import jax, numpy as np
        >>> x = np.repeat(np.eye(3) * 100, 40, axis=0)
        >>> options = dict(bandwidth=1.0, num_frequencies=50, key=jax.random.key(0))
        >>> states = [shard_state(part, name=f"part-{i}", **options) for i, part in enumerate((x[:70], x[70:]))]
        >>> merged = merge_shards(states)
        >>> merged.num_samples, abs(float(score_shards(merged)["rke-debiased"]) - 3) < 0.1
        (120, True)
    """
    if isinstance(bandwidth, str) and not isinstance(kernels.parse_bandwidth(bandwidth), GivenRule):
        raise ValueError(
            f"bandwidth must be one for all shards; the rule {bandwidth!r} would find another one on each: apply it "
            "once to a reference, as in fkeax.kernels.median_bandwidth(reference), and give what it finds."
        )
    seen = _Seen()
    options = ScoreOptions(
        kernel=kernel,
        bandwidth=bandwidth,
        method="fkea",
        features=features,
        num_frequencies=num_frequencies,
        batch_size=batch_size,
        key=key,
    )
    asked = request(seen.batches(samples(x, batch_size)), options, spectrum=True)
    if asked.key is None or asked.scheme is None or not isinstance(asked.kernel, SpectralKernel):
        raise AssertionError("the plan let a kernel without features, or no key, reach the fkea route")
    key_frequencies, key_rows = jax.random.split(asked.key)
    halving_seed = batching.key_seed(key_rows)
    # Priorities of rows of different shards must be independent: they are seeded by content.
    sample = batching.RowSample(NUM_SAMPLED_ROWS, np.concatenate([halving_seed, seen.fingerprint(first_row)]))
    maps, draws = moments.fkea_moment(
        asked.data, asked.kernel, None, key_frequencies, sample, num_frequencies, 1, asked.scheme
    )
    shard = Shard(name, first_row, seen.num_rows, file_rows or first_row + seen.num_rows, seen.sha256)
    settings = _settings(asked, halving_seed)
    return ShardState(settings, FkeaState(maps[0], moments.in_two_parts(draws[0])), sample, (shard,))


def _settings(asked: Request, halving_seed: np.ndarray) -> ShardSettings:
    parameters = kernels.kernel_parameters(asked.kernel)
    if asked.bandwidth is None or asked.scheme is None or asked.num_frequencies is None or asked.seed is None:
        raise AssertionError("the fkea route has a bandwidth, a scheme, frequencies and a seed")
    return ShardSettings(
        kernel=asked.kernel.name + (f":{parameters}" if parameters else ""),
        bandwidth=asked.bandwidth.value,
        bandwidth_source=asked.bandwidth.source,
        features=asked.scheme,
        num_frequencies=asked.num_frequencies,
        dimension=asked.data.dimension,
        seed=tuple(asked.seed),
        halving_seed=tuple(halving_seed.tolist()),
        dtype=str(asked.data.dtype),
    )


class _Seen:
    """Counts and hashes rows on their way to the sums."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._first: np.ndarray | None = None
        self.num_rows = 0

    def batches(self, data: Samples) -> Iterator[np.ndarray]:
        source = data.stream
        if data.matrix is not None:
            host = data.matrix if isinstance(data.matrix, RowBlocks) else np.asarray(data.matrix)
            source = batching.matrix_chunks(host, data.batch_size)
        for rows in source or ():
            if self._first is None:
                self._hash.update(f"{rows.dtype.str} {rows.shape[1]} ".encode())
                self._first = rows[:_FINGERPRINT_ROWS].copy()
            self._hash.update(np.ascontiguousarray(rows).data)
            self.num_rows += rows.shape[0]
            yield rows

    def fingerprint(self, first_row: int) -> np.ndarray:
        first = np.zeros((1, 1)) if self._first is None else self._first
        digest = hashlib.sha256(f"{first_row} ".encode() + np.ascontiguousarray(first).tobytes()).digest()
        return np.frombuffer(digest, np.uint32)

    @property
    def sha256(self) -> str:
        return self._hash.hexdigest()


def _precision(settings: ShardSettings) -> AbstractContextManager[object]:
    return jax.enable_x64(True) if settings.dtype == "float64" else contextlib.nullcontext()


def merge_shards(states: Sequence[ShardState]) -> ShardState:
    """Return the state of the rows of all, whatever their order.

    Args:
        states: At least one, made with one key and the same settings, of different rows.

    Raises:
        ValueError: If settings or frequencies differ, or rows were counted already: shards of equal content, or ranges
            of one file that overlap.

    Cost:
        ``O(r^2)`` for each state; two of them in memory beside those given.
    """
    if len(states) == 0:
        raise ValueError("states must hold at least one; got none.")
    merged, *others = states
    return reduce(_merged, others, merged)


def _merged(a: ShardState, b: ShardState) -> ShardState:
    names = f"{_named(a)} and {_named(b)}"
    check_same_settings(a.settings, b.settings, names)
    check_new_rows(a.shards, b.shards)
    with _precision(a.settings):
        ours, theirs = a.state.fourier_map, b.state.fourier_map
        left, right = np.asarray(ours.frequencies, np.float64), np.asarray(theirs.frequencies, np.float64)
        if np.abs(left - right).max() > _SAME_FREQUENCIES * np.abs(left).max():
            raise ValueError(
                f"the states of {names} do not merge: their frequencies differ though their seeds "
                "do not, as those of other versions of JAX might."
            )
        centre = np.asarray(ours.centre)
        moved = b.state if np.array_equal(centre, np.asarray(theirs.centre)) else recentred(b.state, centre)
        moment = accumulate.merge_moments(moments.in_two_parts(a.state.moment), moments.in_two_parts(moved.moment))
    return ShardState(a.settings, FkeaState(ours, moment), a.sample.merge(b.sample), (*a.shards, *b.shards))


def _named(state: ShardState) -> str:
    more = f" and {len(state.shards) - 1} more" if len(state.shards) > 1 else ""
    return f"{next(iter(state.shards))}{more}"


def score_shards(
    state: ShardState,
    *,
    metrics: Sequence[str] = DEFAULT_METRICS,
    orders: Sequence[float] = ORDERS,
    num_kept: int | None = None,
    spectrum: str = "dense",
) -> dict[str, Result]:
    """Return the scores of the rows that a state has seen: those of ``fkeax.score(..., method="fkea")`` at its key.

    Values differ by rounding only. Standard errors that are measured on sampled rows come from other rows where there
    are more than 1,000, and differ by their own noise.

    Args:
        state: From :func:`shard_state` or :func:`merge_shards`.
        metrics: As in :func:`fkeax.score`.
        orders: Of VENDI, in [0, inf].
        num_kept: Eigenvalues that "vendi-truncated" keeps.
        spectrum: "dense" or "lanczos", as in :func:`fkeax.score`.

    Raises:
        ValueError: If rows of a file that was cut into ranges are missing.
    """
    names, alphas = checked_metrics(metrics, orders, num_kept)
    check_complete(state.shards)
    with _precision(state.settings):
        asked = _request_of(state, quadrature=checks.choice(spectrum, "spectrum", SPECTRA) == "lanczos")
        sums = moments.FkeaSums((state.state.moment,), (), state.sample, list(state.settings.halving_seed))
        found = routes.fkea_evidence(asked, wanted(names, alphas), sums)
        results = results_of(asked, found, names, alphas, num_kept)
    told = {"num_shards": len(state.shards)}
    return {name: _with_diagnostics(result, told) for name, result in results.items()}


def _with_diagnostics(result: Result, more: Mapping[str, int]) -> Result:
    """Return a result with more diagnostics."""
    return Result(result.name, result.value, result.stderr, result.settings, {**result.diagnostics, **more})


def _request_of(state: ShardState, *, quadrature: bool) -> Request:
    settings = state.settings
    family = kernels.kernel_family(settings.kernel)
    if not isinstance(family, SpectralKernel):
        raise AssertionError("a state has a shift-invariant kernel")
    chosen = plan(
        state.num_samples,
        settings.dimension,
        kernel=family,
        method="fkea",
        num_frequencies=settings.num_frequencies,
        dtype=settings.dtype,
    )
    return Request(
        data=Samples(None, None, state.num_samples, settings.dimension, np.dtype(settings.dtype), batch_size=4096),
        kernel=kernels.with_bandwidth(family, settings.bandwidth),
        bandwidth=Bandwidth(settings.bandwidth, settings.bandwidth_source, None),
        plan=chosen,
        scheme=settings.features,
        num_frequencies=settings.num_frequencies,
        num_draws=1,
        num_landmarks=None,
        weights=None,
        groups=None,
        intervals=False,
        quadrature=quadrature,
        key=None,
        seed=list(settings.seed),
    )
