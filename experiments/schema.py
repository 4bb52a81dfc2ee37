"""The types of the configuration: an unknown key or a wrong type stops a run before it starts."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from hydra.core.config_store import ConfigStore
from omegaconf import MISSING


class Platform(Enum):
    """Where JAX computes."""

    cpu = "cpu"
    cuda = "cuda"
    rocm = "rocm"
    tpu = "tpu"


class MatmulPrecision(Enum):
    """JAX's default precision of products; fkeax names the precision of its own."""

    default = "default"
    high = "high"
    highest = "highest"


@dataclass
class Data:
    """Samples with labels: which, where, and how many of each class."""

    name: str = MISSING
    path: str | None = None
    split: str = "train"
    samples_per_class: int | None = None


@dataclass
class Encoder:
    """From a sample to the row that is compared."""

    name: str = MISSING


@dataclass
class Kernel:
    """The kernel; its bandwidth in the units of the encoded samples, or the rule that finds it on all of them."""

    name: str = MISSING
    bandwidth: float | None = None
    bandwidth_rule: str | None = None  # median, rke=10 or mean-k2=0.05


@dataclass
class Features:
    """Random Fourier features."""

    name: str = MISSING
    num_frequencies: int = MISSING
    num_draws: int = 1
    batch_size: int = 4096


@dataclass
class Estimator:
    """Which scores, and up to how many samples the exact ones are computed beside them.

    With `num_kept`, VENDI of so many eigenvalues too; with `num_landmarks`, scores by Nystrom features too.
    """

    name: str = MISSING
    orders: list[float] = field(default_factory=list)
    max_exact_samples: int = 0
    num_kept: int | None = None
    num_landmarks: int | None = None


@dataclass
class Inference:
    """Error bars beyond those that an estimator brings itself."""

    name: str = MISSING


@dataclass
class Runtime:
    """Settings of JAX and of the machine that hold for a whole process; null leaves them as they are."""

    platform: Platform | None = None
    x64: bool | None = None
    threads: int | None = None
    matmul_precision: MatmulPrecision | None = None
    xla_flags: str | None = None
    compile_cache: str | None = None


@dataclass
class Scale:
    """How large an experiment runs: smoke (seconds), local (all data that can be had here) or paper."""

    name: str = MISSING


@dataclass
class Params:
    """What only one experiment has; each has a type of its own.

    Whole numbers count something and are at least 1; a field whose metadata have `zero` may be 0. A list whose
    metadata have `filled` has an entry at least. `experiments.supported.checked_params` sees to both.
    """


@dataclass
class Config:
    """One run.

    Attributes:
        name: Of the experiment, in the registry.
        title: What figures and tables say.
        seed: Of all that is random.
        origin: The folder in which the command was given; relative paths count from there.
        output: The root of all result folders.
        resume: Whether a sweep skips runs that an earlier one finished.
        data: Samples.
        encoder: From samples to rows.
        kernel: Kernel and bandwidth.
        features: Random features.
        estimator: Scores.
        inference: Error bars.
        runtime: Of the process.
        scale: How large.
        by_scale: What the experiment changes with the scale; its own file refers to it, where types are checked.
        params: What only this experiment has.
        experiment: Filled by Hydra's choice `experiment=...`; always null.
    """

    name: str = MISSING
    title: str = MISSING
    seed: int = 0
    origin: str = MISSING
    output: str = "outputs"
    resume: bool = True
    data: Data = field(default_factory=Data)
    encoder: Encoder = field(default_factory=Encoder)
    kernel: Kernel = field(default_factory=Kernel)
    features: Features = field(default_factory=Features)
    estimator: Estimator = field(default_factory=Estimator)
    inference: Inference = field(default_factory=Inference)
    runtime: Runtime = field(default_factory=Runtime)
    scale: Scale = field(default_factory=Scale)
    by_scale: dict[str, Any] = field(default_factory=dict)
    params: Params = field(default_factory=Params)
    experiment: Any = None


def register() -> None:
    """Make the schema known to Hydra; may be called again."""
    from experiments.fkea import params as fkea
    from experiments.mauve import params as mauve
    from experiments.sensitivity import params as sensitivity

    store = ConfigStore.instance()
    store.store(name="base_config", node=Config)
    store.store(group="params", name="none", node=Params)
    for name, kind in {**fkea.PARAMS, **mauve.PARAMS, **sensitivity.PARAMS}.items():
        store.store(group="params", name=name, node=kind)
