"""Appendix A.20 and Table 11: spectral summaries of a real generator's samples across temperatures."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from experiments.experiment import Experiment, Finding, Table
from experiments.outcome import Outcome, RunFolder
from experiments.sensitivity.params import TemperatureParams
from experiments.supported import UNUSED, checked_params

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure

    from experiments.schema import Config
    from fkeax.datasets import LabelledImages
    from fkeax.results import Result

SUMMARIES = {
    "covariance-effective-dimension": "effective dimension",
    "covariance-n90": "n90",
    "covariance-vendi": "VENDI of the covariance",
}
TRACE = "covariance-trace"
TURNED = "change-under-rotation"


def params_of(config: Config) -> TemperatureParams:
    """Return the parameters.

    Raises:
        ValueError: A group was chosen that this experiment does not heed, or the data are unknown.
    """
    params = checked_params(config, TemperatureParams, UNUSED)
    if params.data not in ("mnist_5k", "digits"):
        raise ValueError(f"params.data must be 'mnist_5k' or 'digits'; got {params.data!r}.")
    if min(params.temperatures, default=-1.0) < 0:
        raise ValueError(f"params.temperatures must be numbers of at least 0, one or more; got {params.temperatures}.")
    return params


def digits_of(name: str) -> LabelledImages:
    """Return the pictures that the generator is trained on."""
    from fkeax.datasets import load_digits, load_mnist_5k

    return load_digits() if name == "digits" else load_mnist_5k()


def run(config: Config) -> Outcome:
    """Return the summaries of the data and of the generator at every temperature."""
    import jax
    import numpy as np

    from experiments.fkea.generators import Training, trained_generator
    from fkeax.sensitivity import named_key

    params = params_of(config)
    digits = digits_of(params.data)
    sample = trained_generator(config, "vae", digits.images, Training(num_steps=params.generator_steps))
    results: list[Result] = _summaries(digits.features[: params.num_samples], {"temperature": None, "draw": 0})
    for temperature in params.temperatures:
        for number in range(params.num_draws):
            key = named_key(jax.random.key(config.seed), "temperature", temperature, number)
            rows = sample(key, params.num_samples, psi=temperature).reshape(params.num_samples, -1)
            results += _summaries(rows, {"temperature": temperature, "draw": number})
            if number == 0:
                results.append(_turned(np.asarray(rows, np.float64), temperature, config.seed))
    title = f"{config.title} (stand-in for the paper's music models: a VAE of {len(digits.labels):,} digits, in pixels)"
    return Outcome(title, results, {}, None, {"source": digits.source, "licence": digits.licence})


def _summaries(rows: np.ndarray, settings: dict[str, Any]) -> list[Result]:
    import dataclasses

    from fkeax.results import Result
    from fkeax.sensitivity import spectral_summaries

    found = spectral_summaries(rows)
    kept = [dataclasses.replace(found[name], settings=found[name].settings | settings) for name in SUMMARIES]
    trace = found["covariance-vendi"].diagnostics["trace"]
    assert isinstance(trace, float)
    return [*kept, Result(TRACE, trace, None, settings, {"stderr_reason": "compared over draws"})]


def _turned(rows: np.ndarray, temperature: float, seed: int) -> Result:
    """Return the largest relative change of the summaries under a random rotation of the rows."""
    import numpy as np

    from fkeax.results import Result
    from fkeax.sensitivity import spectral_summaries

    axes = np.linalg.qr(np.random.default_rng(seed).standard_normal((rows.shape[1], rows.shape[1])))[0]
    before, after = spectral_summaries(rows), spectral_summaries(rows @ axes)
    changes = [abs(float(after[name]) / float(before[name]) - 1) for name in SUMMARIES]
    return Result(TURNED, max(changes), None, {"temperature": temperature}, {"stderr_reason": "rounding"})


def means(run: RunFolder, name: str) -> dict[float | None, float]:
    """Return the mean of a summary over draws by temperature; None stands for the data."""
    values: dict[float | None, list[float]] = {}
    for result in run.results:
        if result.name == name:
            temperature: Any = result.settings["temperature"]
            values.setdefault(temperature, []).append(float(result.value or 0))
    return {temperature: sum(found) / len(found) for temperature, found in values.items()}


def tables(run: RunFolder) -> dict[str, Table]:
    """Return Table 11: a row a temperature."""
    names = [*SUMMARIES, TRACE]
    found = {name: means(run, name) for name in names}
    rows = [
        ["the data" if temperature is None else temperature, *(found[name][temperature] for name in names)]
        for temperature in found[TRACE]
    ]
    header = ["temperature", *SUMMARIES.values(), "trace"]
    return {"temperature": Table("Spectral summaries, means over independent sets of samples.", header, rows)}


def findings(run: RunFolder) -> list[Finding]:
    """Return what the run says about the claims of A.20."""
    words, rising = [], []
    for name, word in SUMMARIES.items():
        path = [value for temperature, value in means(run, name).items() if temperature is not None]
        up = _rises(path)
        rising.append(up)
        words.append(f"{word} {', '.join(f'{value:.3g}' for value in path)}")
    trace = [value for temperature, value in means(run, TRACE).items() if temperature is not None]
    monotonic = _rises(trace)
    turned = max(means(run, TURNED).values())
    return [
        Finding(
            "effective dimension, n90 and VENDI rise with temperature across five settings",
            "; ".join(words),
            "yes" if all(rising) else f"{sum(rising)} of {len(rising)} summaries rise at every step",
        ),
        Finding(
            "the trace is not monotonic in temperature",
            ", ".join(f"{value:.3g}" for value in trace),
            "no: here it rises throughout, as a decoder's pictures spread with z" if monotonic else "yes",
        ),
        Finding(
            "spectral summaries do not respond to rotations",
            f"largest relative change under a random rotation {turned:.1e}",
            "yes" if turned < 1e-6 else "no",
        ),
    ]


def _rises(path: list[float]) -> bool:
    return all(later > earlier for earlier, later in pairwise(path))


def draw(run: RunFolder) -> dict[str, Figure]:
    """Return the summaries against temperature."""
    import matplotlib.pyplot as plt

    names = {**SUMMARIES, TRACE: "trace"}
    figure, axes = plt.subplots(1, len(names), figsize=(2.5 * len(names), 2.5), dpi=80)
    for axis, (name, word) in zip(axes, names.items(), strict=True):
        found = {key: value for key, value in means(run, name).items() if key is not None}
        axis.plot(list(found), list(found.values()), "o-", ms=4)
        axis.axhline(means(run, name)[None], color="black", lw=0.6, ls=":")
        axis.set_title(word, fontsize=8)
        axis.set_xlabel("temperature", fontsize=8)
        axis.tick_params(labelsize=7)
    figure.tight_layout()
    return {"temperature": figure}


EXPERIMENT = Experiment(
    place="Sensitivity paper, A.20 and Table 11",
    run=run,
    draw=draw,
    findings=findings,
    tables=tables,
)
