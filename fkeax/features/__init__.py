"""Random feature maps: draw one, apply it to a point."""

from fkeax.features.fourier import FourierMap, featurize, featurize_parts, phases, sample_fourier_map
from fkeax.features.schemes import DESCRIPTIONS, SCHEMES, check_scheme, joint_frequencies

__all__ = [
    "DESCRIPTIONS",
    "SCHEMES",
    "FourierMap",
    "check_scheme",
    "featurize",
    "featurize_parts",
    "joint_frequencies",
    "phases",
    "sample_fourier_map",
]
