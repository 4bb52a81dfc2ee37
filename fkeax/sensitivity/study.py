"""A corpus made ready for an audit: rows checked and set aside, moments, modes and bandwidths found."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.inference import Groups
from fkeax.numerics import checks
from fkeax.sensitivity.cells import named_key
from fkeax.sensitivity.changed import InfeasibleChange
from fkeax.sensitivity.changes import CHANGES, apply_change
from fkeax.sensitivity.corpus import describe_corpus
from fkeax.sensitivity.detectors import WINDOW_MULTIPLE, Scales, find_scales
from fkeax.sensitivity.draws import make_pool
from fkeax.sensitivity.power import Study
from fkeax.twosample.aggregated import WINDOW, bandwidth_sweep

WINDOW_DRAWS = 5
WINDOW_STRENGTH = 0.1
WINDOW_PERMUTATIONS = 99
OWN_STRENGTHS = {"null": 0.0, "drop": 0.5, "copies": 0.25}
"""Of changes whose strength is not a transport distance, by the first word of their names."""


def arms_of(changes: Sequence[str], strengths: Sequence[float]) -> tuple[tuple[str, float], ...]:
    """Return pairs of change and strength: each change at all strengths, or at its own one.

    Args:
        changes: Names of :data:`fkeax.sensitivity.CHANGES`; "NAME=NUMBER" fixes a strength. The null, drops (0.5: half
            of a mode) and copies (0.25 of the rows) have one of their own, for theirs is no transport distance.
        strengths: For all others, in units of rho.

    Raises:
        ValueError: A name is unknown, or a number is no number.

    Example:
        >>> arms_of(["null", "shift", "contraction=0.3"], [0.1, 0.5])
        (('null', 0.0), ('shift', 0.1), ('shift', 0.5), ('contraction', 0.3))
    """
    arms: list[tuple[str, float]] = []
    for word in changes:
        name, equals, number = word.partition("=")
        checks.choice(name, "changes", tuple(CHANGES))
        if equals:
            arms.append((name, _strength(number, word)))
        elif name.partition("-")[0] in OWN_STRENGTHS:
            arms.append((name, OWN_STRENGTHS[name.partition("-")[0]]))
        else:
            arms += [(name, checks.positive_number(strength, "strengths")) for strength in strengths]
    return tuple(dict.fromkeys(arms))


def _strength(number: str, word: str) -> float:
    try:
        return float(number)
    except ValueError:
        raise ValueError(f"changes must be names, or NAME=NUMBER such as shift=0.2; got {word!r}.") from None


def prepare_study(
    key: jax.Array,
    reference: ArrayLike,
    *,
    num_samples: int,
    groups: Groups | None = None,
    changes: Collection[str] = (),
    tests: Collection[str] = (),
) -> Study:
    """Return a corpus ready for :func:`fkeax.sensitivity.power_cells`.

    Moments come from all rows. Modes come from rows that no draw takes, where the corpus has 4 n rows, else from all;
    so does the narrow Gaussian's multiple of the median, else 0.25.

    Args:
        key: The root of all keys of the audit.
        reference: (N, d) rows, N at least twice ``num_samples``.
        num_samples: n, rows of either side of a draw.
        groups: A label for each row; draws then take whole groups.
        changes: That will be asked for: modes are found where one needs them.
        tests: Likewise: a bandwidth is chosen for "window".

    Raises:
        ValueError: If rows are unfit or too few, or groups do not match.

    Cost:
        ``2 N d^2`` flops, d^3, k-means on 2 n rows; for the choice of a bandwidth, 5 sweeps over 7 bandwidths.
    """
    rows = np.asarray(checks.matrix(reference, "reference"))
    if rows.dtype not in (np.float32, np.float64):
        rows = rows.astype(np.float32)
    checks.finite_rows(rows, "reference")
    pool = make_pool(key, rows, num_samples, groups)
    corpus = describe_corpus(named_key(key, "corpus"), rows, num_modes=0)
    if any(CHANGES[change].affine is None for change in changes):
        corpus = corpus.with_modes_of(
            named_key(key, "modes", num_samples), pool.spare_rows if pool.spare.size else rows
        )
    study = Study(key, pool, corpus, find_scales(key, rows))
    return dataclasses.replace(study, scales=choose_window(study)) if "window" in tests else study


def choose_window(study: Study) -> Scales:
    """Return the scales with the multiple of the median that sees the weak rotation best, on rows never tested."""
    scales, pool = study.scales, study.pool

    def default(reason: str) -> Scales:
        return dataclasses.replace(scales, window_multiple=WINDOW_MULTIPLE, window_source=f"the default: {reason}")

    if not pool.spare.size:
        return default("fewer than 4 n rows, none to choose it on")
    scores = []
    for number in range(WINDOW_DRAWS):
        drawn = pool.spare_draw(study.key, number)
        key = named_key(study.key, "window", pool.num_samples, number)
        try:
            changed = apply_change("rotation", key, study.corpus, drawn.generated, WINDOW_STRENGTH)
        except InfeasibleChange:
            return default(f"this corpus has no rotation at strength {WINDOW_STRENGTH:g} to choose it by")
        found = bandwidth_sweep(
            drawn.reference,
            changed.samples,
            key=named_key(key, "labels"),
            groups=drawn.groups,
            num_permutations=WINDOW_PERMUTATIONS,
        )
        scores.append([report.z or 0.0 for report in found.kernels])
    best = int(np.argmax(np.mean(scores, axis=0)))
    source = f"largest mean z on rotation {WINDOW_STRENGTH:g}, {WINDOW_DRAWS} draws of rows never tested"
    return dataclasses.replace(scales, window_multiple=WINDOW[best], window_source=source)
