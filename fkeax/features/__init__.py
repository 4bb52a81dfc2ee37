"""Random feature maps: draw one, apply it to a point."""

from fkeax.features.fourier import FourierMap, SpectralKernel, featurize, featurize_parts, phases, sample_fourier_map

__all__ = ["FourierMap", "SpectralKernel", "featurize", "featurize_parts", "phases", "sample_fourier_map"]
