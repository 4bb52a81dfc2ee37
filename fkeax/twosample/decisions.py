"""What a two-sample test returns."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import jax
from jax.typing import ArrayLike

from fkeax.inference import Groups, PermutationOutcome, Units, permutation_units
from fkeax.numerics import checks
from fkeax.results import Result
from fkeax.twosample.samples import TwoSamples, two_samples

MIN_PERMUTATIONS = 19
MAX_PERMUTATIONS = 1_000_000  # p-values to 1e-6; labels of more would not fit the memory


@dataclass(frozen=True)
class KernelReport:
    """What one kernel of a test saw.

    Attributes:
        name: Of the kernel.
        bandwidth: None for a kernel without one.
        p: Its own p-value, not corrected for the other kernels.
        z: Its statistic over its null distribution.
        fired: Whether it rejects within the test: at the corrected level where there are several.
    """

    name: str
    bandwidth: float | None
    p: float
    z: float | None
    fired: bool


@dataclass(frozen=True)
class TwoSampleTest:
    """The decision of a two-sample test and what it rests on.

    Attributes:
        method: "mmd", "frechet", "mmdagg", "fuse" or "sweep".
        reject: Whether ``p_value <= alpha``.
        p_value: Valid at any number of permutations; for aggregated tests see their docstrings.
        p_stderr: Monte-Carlo error of the p-value: how much it would move with other random labels.
        z: The statistic over its null distribution, ``(T - mean) / sd``; None if that is constant. With several
            kernels, see their docstrings.
        alpha: The level.
        statistic: The observed statistic.
        null_sd: Its standard deviation under relabelling.
        n_ref: Reference rows.
        n_gen: Generated rows.
        num_permutations: Random relabellings.
        scheme: What one of them is.
        kernels: One report a kernel; empty for tests without kernels.
        settings: All else that defines the test.
        diagnostics: Duplicates, warnings, and what the method adds.
    """

    method: str
    reject: bool
    p_value: float
    p_stderr: float
    z: float | None
    alpha: float
    statistic: float
    null_sd: float | None
    n_ref: int
    n_gen: int
    num_permutations: int
    scheme: str
    kernels: tuple[KernelReport, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)
    diagnostics: dict[str, Any] = field(default_factory=dict)

    def to_result(self) -> Result:
        """Return the same as a result named ``METHOD-test``, whose value is the statistic; it goes to strict JSON."""
        whole = asdict(self)
        named = ("method", "alpha", "n_ref", "n_gen", "num_permutations", "scheme")
        found = ("reject", "p_value", "p_stderr", "z", "null_sd", "kernels")
        return Result(
            name=f"{self.method}-test",
            value=self.statistic,
            stderr=None,
            settings={key: whole[key] for key in named} | self.settings,
            diagnostics={key: whole[key] for key in found}
            | {"stderr_reason": "a test has a null distribution, not an error"}
            | self.diagnostics,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain Python, ready for JSON."""
        result = self.to_result().to_dict()
        named = {key: value for key, value in asdict(self).items() if key not in ("kernels", "settings", "diagnostics")}
        found = result["diagnostics"]
        return named | {
            "kernels": found["kernels"],
            "settings": {key: value for key, value in result["settings"].items() if key not in named},
            "diagnostics": {key: value for key, value in found.items() if key not in named and key != "kernels"},
        }


def checked_level(alpha: object, num_permutations: object) -> tuple[float, int]:
    """Return the level and the number of permutations after checking that the test can reject.

    Raises:
        ValueError: If alpha is not between 0 and 1, or even the smallest p-value, 1/(B + 1), lies above it.
    """
    level = checks.positive_number(alpha, "alpha")
    if level >= 1:
        raise ValueError(f"alpha must lie between 0 and 1; got {level}.")
    number = checks.count(num_permutations, "num_permutations", minimum=MIN_PERMUTATIONS)
    if number > MAX_PERMUTATIONS:
        raise ValueError(f"num_permutations must be at most {MAX_PERMUTATIONS}; got {number}.")
    if 1 / (number + 1) > level:
        needed = int(-(-1 // level)) - 1
        raise ValueError(
            f"num_permutations must be at least {needed} for a test at level {level:g}: the smallest p-value of "
            f"{number} permutations is {1 / (number + 1):.2g}."
        )
    return level, number


class Checked(NamedTuple):
    """The arguments that every test shares, checked."""

    key: jax.Array
    level: float
    num_permutations: int
    samples: TwoSamples
    units: Units


def checked_test(
    reference: ArrayLike,
    generated: ArrayLike,
    key: jax.Array | None,
    alpha: float,
    groups: Groups | None,
    num_permutations: int,
) -> Checked:
    """Return the samples, and what a relabelling moves, after checking everything that tests have in common.

    Raises:
        ValueError: If there is no key, rows are unfit, groups do not match, or B is too small for alpha.
    """
    typed = checks.typed_key(key, "random relabellings")
    level, number = checked_level(alpha, num_permutations)
    samples = two_samples(reference, generated)
    units = permutation_units(samples.num_reference, samples.num_generated, groups)
    return Checked(typed, level, number, samples, units)


def single_test(
    method: str,
    outcome: PermutationOutcome,
    samples: TwoSamples,
    alpha: float,
    scheme: str,
    *,
    settings: dict[str, Any],
    kernels: tuple[KernelReport, ...] = (),
    diagnostics: dict[str, Any] | None = None,
) -> TwoSampleTest:
    """Return the decision of a test whose one statistic, however many kernels it is made of, was relabelled."""
    return TwoSampleTest(
        method=method,
        reject=outcome.p_value <= alpha,
        p_value=outcome.p_value,
        p_stderr=outcome.p_stderr,
        z=outcome.z,
        alpha=alpha,
        statistic=outcome.observed,
        null_sd=outcome.null_sd,
        n_ref=samples.num_reference,
        n_gen=samples.num_generated,
        num_permutations=outcome.num_permutations,
        scheme=scheme,
        kernels=kernels,
        settings={"dimension": samples.dimension, "dtype": str(samples.dtype)} | settings,
        diagnostics=samples.diagnostics
        | {"null_mean": outcome.null_mean, "warnings": list(samples.warnings)}
        | (diagnostics or {}),
    )
