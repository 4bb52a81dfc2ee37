"""Four questions about generated samples, each with its own quantity and its own calibration.

After Table 2 of the sensitivity paper: a test of the whole law; where it lies and how it spreads; how concentrated its
spectrum is; whether training rows were copied. One number cannot answer all of them, nor one calibration.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import jax
import numpy as np
from jax.typing import ArrayLike

from fkeax.inference import Groups
from fkeax.numerics import checks
from fkeax.results import Result
from fkeax.sensitivity.cells import named_key
from fkeax.sensitivity.location_covariance import location_covariance
from fkeax.sensitivity.relabelled_moments import CalibratedMoments, calibrate_moments
from fkeax.sensitivity.spectral_summaries import spectral_summaries
from fkeax.twosample import TwoSampleTest, copying, two_sample_test
from fkeax.twosample.decisions import Checked, checked_test

QUESTIONS = ("distribution", "location and covariance", "spectrum", "copying")


@dataclass(frozen=True)
class Answer:
    """The answer to one question.

    Attributes:
        question: One of the four.
        results: Its quantities, each with ``p_value`` and ``calibration`` in its diagnostics where it has any.
        verdict: One line.
    """

    question: str
    results: tuple[Result, ...]
    verdict: str

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain Python, ready for JSON."""
        return {
            "question": self.question,
            "verdict": self.verdict,
            "results": [result.to_dict() for result in self.results],
        }


@dataclass(frozen=True)
class FourQuestions:
    """The four answers.

    Attributes:
        distribution: Do both samples come from one law?
        location: Do means and covariances agree?
        spectrum: Is the covariance as spread over directions?
        copying: Are generated rows copies of training rows?
        alpha: The level of every question; within one, its tests share it.
        warnings: What a reader should know of the samples.
    """

    distribution: Answer
    location: Answer
    spectrum: Answer
    copying: Answer
    alpha: float
    warnings: tuple[str, ...]

    @property
    def answers(self) -> tuple[Answer, Answer, Answer, Answer]:
        """All four, in order."""
        return self.distribution, self.location, self.spectrum, self.copying

    def to_results(self) -> list[Result]:
        """Return the quantities of all answers."""
        return [result for answer in self.answers for result in answer.results]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python, ready for JSON."""
        return {
            "alpha": self.alpha,
            "answers": [answer.to_dict() for answer in self.answers],
            "warnings": list(self.warnings),
        }


def four_questions(
    reference: ArrayLike,
    generated: ArrayLike,
    *,
    key: jax.Array | None = None,
    training: ArrayLike | None = None,
    alpha: float = 0.05,
    method: str = "mmdagg",
    groups: Groups | None = None,
    num_permutations: int = 199,
) -> FourQuestions:
    """Compare generated samples with a reference by four questions, each calibrated on its own.

    1. Distribution: a two-sample test (MMDAgg unless another is asked for).
    2. Location and covariance: ``||dmu|| / rho`` and the Bures distance over rho (with the traces' ratio), rho^2 the
       trace of the reference's covariance. Plain distances are above 0 for equal laws: p-values are by relabelling.
    3. Spectrum: effective dimension and VENDI of the covariance's spectrum, of either sample; their log ratio is
       calibrated by relabelling. They see concentration, not coverage: a rotation leaves them alone.
    4. Copying: C_T and authenticity against the training rows, the reference serving as held-out rows. Without training
       rows only duplicates of the reference are counted, which answers another question.

    Args:
        reference: (n, d) rows, at least 4.
        generated: (m, d) rows, at least 4.
        key: Draws relabellings.
        training: (l, d) rows that the model has seen, none of them in the reference.
        alpha: Level of each question; with two tests in a question, each is held to alpha / 2.
        method: Of the distribution test; see :func:`fkeax.two_sample_test`.
        groups: Labels of dependent rows, the reference's first; copying takes no notice of them.
        num_permutations: B of the calibrations of 2 and 3; the distribution test has its own number.

    Raises:
        ValueError: If rows are unfit, there is no key, or B is too small for alpha.

    Cost:
        The distribution test; B spectra of at most 256 axes, some 0.05 s each; the spectra of both samples, d^3.

    Example:
        >>> import jax
        >>> x = jax.random.normal(jax.random.key(0), (120, 4))
        >>> y = jax.random.normal(jax.random.key(1), (120, 4)) + 1.0
        >>> found = four_questions(x, y, key=jax.random.key(2), method="mmd", num_permutations=99)
        >>> found.distribution.verdict
        'different laws (mmd, p = 0.002)'
    """
    checked = checked_test(reference, generated, key, alpha, groups, num_permutations)
    samples = checked.samples
    if min(samples.num_reference, samples.num_generated) < 4:
        raise ValueError(
            f"reference and generated must have at least 4 rows each; got {samples.num_reference} and "
            f"{samples.num_generated}."
        )
    if training is not None:
        training = checks.matrix(training, "training")
        if training.shape[1] != samples.dimension:
            raise ValueError(
                f"training must have {samples.dimension} columns, as reference and generated have; "
                f"got {training.shape[1]}."
            )
    test = two_sample_test(
        samples.reference,
        samples.generated,
        method=method,
        key=named_key(checked.key, "distribution"),
        alpha=checked.level,
        groups=groups,
    )
    moments = calibrate_moments(named_key(checked.key, "moments"), samples.pooled(), checked.units, num_permutations)
    return FourQuestions(
        distribution=_distribution(test),
        location=_location(checked, moments),
        spectrum=_spectrum(checked, moments),
        copying=_copying(checked, training),
        alpha=checked.level,
        warnings=tuple(samples.warnings),
    )


def _distribution(test: TwoSampleTest) -> Answer:
    found = f"{test.method}, p = {test.p_value:.2g}"
    budget = f"{test.n_ref} and {test.n_gen} samples"
    verdict = f"different laws ({found})" if test.reject else f"no difference seen with {budget} ({found})"
    result = test.to_result()
    calibration = f"{test.num_permutations} {test.scheme}"
    return Answer(QUESTIONS[0], (_with(result, calibration=calibration),), verdict)


def _location(checked: Checked, moments: CalibratedMoments) -> Answer:
    samples = checked.samples
    found = location_covariance(samples.reference, samples.generated)
    statistics = {"mean-shift": "mean_shift", "bures": "bures", "trace-ratio": "log_trace"}
    results = tuple(_calibrated(found[name], statistic, checked, moments) for name, statistic in statistics.items())
    share = checked.level / 2  # of the level, for each of the two tests; the trace is part of the covariance
    words = []
    for what, result in zip(("means", "covariances"), results, strict=False):
        p = _number(result, "p_value")
        size = f"{float(result):.3g} rho apart"
        words.append(f"{what} {'differ' if p <= share else 'do not differ visibly'}: {size} (p = {p:.2g})")
    return Answer(QUESTIONS[1], results, "; ".join(words))


def _spectrum(checked: Checked, moments: CalibratedMoments) -> Answer:
    samples = checked.samples
    if not np.ptp(samples.generated, axis=0).any():
        return Answer(QUESTIONS[2], (), "no spectrum: all generated rows are equal")
    of_reference, of_generated = spectral_summaries(samples.reference), spectral_summaries(samples.generated)
    results, words = [], []
    for name, statistic in (("effective-dimension", "log_dimension"), ("vendi", "log_vendi")):
        ours, theirs = of_generated[f"covariance-{name}"], float(of_reference[f"covariance-{name}"])
        results.append(_with(_calibrated(ours, statistic, checked, moments), reference_value=theirs))
        p = _number(results[-1], "p_value")
        differs = "differs" if p <= checked.level / 2 else "no difference seen"
        words.append(f"{name} {float(ours):.3g} against {theirs:.3g} ({differs}, p = {p:.2g})")
    return Answer(QUESTIONS[2], tuple(results), "; ".join(words))


def _copying(checked: Checked, training: ArrayLike | None) -> Answer:
    samples = checked.samples
    counts = samples.diagnostics
    copies = counts["generated_equal_to_reference"]
    duplicates = Result(
        name="duplicates-of-reference",
        value=copies,
        stderr=None,
        settings=samples.settings,
        diagnostics={key: counts[key] for key in counts if "duplicates" in key or "reference" in key}
        | {"stderr_reason": "a count", "calibration": "none: rows of continuous features do not repeat by chance"},
    )
    if training is None:
        return Answer(
            QUESTIONS[3],
            (duplicates,),
            f"not answered without the training rows; {copies} generated rows equal a reference row",
        )
    found = copying(training, samples.reference, samples.generated)
    c_t, authentic = found["c-t"], found["authenticity"]
    held_out = _number(authentic, "held_out")
    spread = float(np.hypot(authentic.stderr or 0.0, _number(authentic, "held_out_stderr")))
    gap = float(authentic) - held_out
    tails = (
        NormalDist().cdf(float(c_t)),
        NormalDist().cdf(gap / spread) if spread > 0 else float(gap >= 0),
    )
    results = (
        _with(c_t, p_value=tails[0], calibration="standard normal without copying, held-out rows from the same law"),
        _with(authentic, p_value=tails[1], calibration="share of held-out rows, normal approximation of both shares"),
        duplicates,
    )
    copied = min(tails) <= checked.level / 2
    verdict = (
        f"{_COPIED if copied else 'no sign of copying'}: C_T {float(c_t):.2f} "
        f"(p = {tails[0]:.2g}), authenticity {float(authentic):.2f} against {held_out:.2f} of fresh data "
        f"(p = {tails[1]:.2g})"
    )
    return Answer(QUESTIONS[3], results, verdict)


_COPIED = "nearer to the training rows than fresh data (copies, or samples less spread than the data)"


def _number(result: Result, name: str) -> float:
    value = result.diagnostics[name]
    assert isinstance(value, float)
    return value


def _calibrated(result: Result, statistic: str, checked: Checked, moments: CalibratedMoments) -> Result:
    """Return a quantity with its p-value under relabelling."""
    calibration = moments.calibrations[statistic]
    sides = "two-sided" if statistic.startswith("log_") else "one-sided"
    return _with(
        result,
        p_value=calibration.p_value,
        z=calibration.z,
        num_permutations=moments.num_permutations,
        calibration=f"{moments.num_permutations} {checked.units.scheme}, {sides}, on {moments.num_axes} principal axes "
        f"of the pooled rows ({moments.explained:.1%} of the variance)",
    )


def _with(result: Result, **more: object) -> Result:
    return Result(result.name, result.value, result.stderr, result.settings, result.diagnostics | more)
