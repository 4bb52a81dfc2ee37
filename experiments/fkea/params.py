"""What only one experiment of the FKEA paper has."""

from __future__ import annotations

from dataclasses import dataclass, field

from omegaconf import MISSING

from experiments.schema import Params


@dataclass
class Fig01Params(Params):
    """Figure 1: one digit in how many hues, at how many the scores are taken, how many modes."""

    digit: int = field(default=8, metadata={"zero": True})
    num_hues: int = 8
    hue_counts: list[int] = MISSING
    num_modes: int = 4
    num_top_samples: int = 16


@dataclass
class Fig02Params(Params):
    """Figure 2: at how many digits the scores are taken, how many modes, and samples of a mode."""

    digit_counts: list[int] = field(default_factory=lambda: list(range(1, 11)))
    num_modes: int = 10
    num_top_samples: int = 25


@dataclass
class ImageModesParams(Params):
    """Figures 3 to 6: which classes, at how many the scores are taken (none: no curve), how many modes.

    `num_samples` is the same at every number of classes, as in the paper; null takes all samples of the classes.
    """

    stands_for: str = MISSING
    classes: list[str] = field(default_factory=list)
    class_counts: list[int] = field(default_factory=list)
    num_samples: int | None = None
    num_modes: int = 4
    num_top_samples: int = 9


@dataclass
class EncodersParams(Params):
    """Figures 14 and 15: under which encoders, and the RKE to which each one's bandwidth is set."""

    encoders: list[str] = MISSING
    classes: list[str] = field(default_factory=list)
    num_modes: int = 6
    num_top_samples: int = 9


@dataclass
class GeneratorParams(Params):
    """What experiments on generators trained here share: how they are trained, and what is drawn from them."""

    vae_steps: int = MISSING
    gan_steps: int = MISSING
    hidden: int = MISSING
    classifier_steps: int = MISSING
    num_samples: int = MISSING
    num_modes: int = 5
    num_top_samples: int = 16


@dataclass
class TruncationParams(GeneratorParams):
    """Figure 7: at which psi the scores are taken."""

    psis: list[float] = field(default_factory=lambda: [0.1, 0.25, 0.5, 0.75, 1.0, 1.25])


@dataclass
class TextModesParams(Params):
    """Figure 8 and Tables 2 to 5: texts, at how many classes the scores are taken, modes and their keywords."""

    num_texts: int | None = None
    topics: list[str] = field(default_factory=list)
    class_counts: list[int] = field(default_factory=list)
    num_modes: int = 5
    num_top_samples: int = 100
    num_keywords: int = 6
    num_titles: int = 8


@dataclass
class VideoParams(Params):
    """Figures 9 and 16: moving digits, in how many frames, and at how many classes the scores are taken."""

    clips_per_class: int = MISSING
    num_frames: int = 8
    canvas: int = MISSING
    class_counts: list[int] = MISSING
    num_modes: int = 6
    num_top_samples: int = 4


@dataclass
class ScalingParams(Params):
    """Section 4: at which n time and memory are measured, and up to which n those that grow faster."""

    sample_counts: list[int] = MISSING
    most_for_eigenvalues: int = MISSING
    most_for_pairs: int = MISSING
    dimension: int = 64
    repeats: int = 3


@dataclass
class ErrorParams(Params):
    """Section 5: at which r errors are measured, over how many draws."""

    frequency_counts: list[int] = MISSING
    num_draws: int = MISSING
    delta: float = 0.05


PARAMS: dict[str, type[Params]] = {
    "fkea_fig01_colours": Fig01Params,
    "fkea_fig02_mnist": Fig02Params,
    "fkea_fig03_06_images": ImageModesParams,
    "fkea_fig14_15_encoders": EncodersParams,
    "fkea_generators": GeneratorParams,
    "fkea_fig07_truncation": TruncationParams,
    "fkea_text_modes": TextModesParams,
    "fkea_fig09_16_video": VideoParams,
    "fkea_sec4_scaling": ScalingParams,
    "fkea_sec5_error": ErrorParams,
}
