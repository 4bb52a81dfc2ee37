"""First eight features and length of fixed inputs, from forward passes in PyTorch that share no code with fkeax.

Made once with torch 2.13 on a CPU: torch.load (aiSFX: a reader of its own), torch's convolutions, batch and layer
normalisation, attention, LSTM and STFT, and mel filters written filter by filter. torch is not needed for the tests.
"""

from __future__ import annotations

GOLDEN = {
    "efficientnet-lite0": (0, 0, 0.0953781, 0.144316, 0, 0, 0, 0.303319),
    "efficientnet-lite2": (0, 0.050453, 0.872213, 0.0343253, 0.236449, 1.3932, 0.137797, 0.235668),
    "all-minilm-l6-v2": (0.126535, -0.0328507, -0.0290596, 0.044407, -0.0434453, 0.0320969, 0.0481111, 0.027675),
    "musicnn-mtt": (-0.0799516, -0.0328787, 0.797669, -0.186058, -0.0787034, -0.170036, 1.02478, -0.225304),
    "musicnn-vgg-mtt": (-0.194781, -0.0908631, -0.147893, -0.154893, 0.28671, -0.273198, -0.0703361, -0.397598),
    "musicnn-msd": (-0.177176, 0.695677, -0.284826, -0.275121, 1.3028, 0.108719, 1.01747, 0.0286198),
    "musicnn-vgg-msd": (0.245302, -0.769176, -0.305292, -0.1921, -0.925454, -0.368469, 0.279573, -0.29314),
    "aisfx": (0.3512, 1.12079, 1.53949, 0.757437, 0.403654, 4.17769, 2.10196, 1.58495),
    "resemblyzer": (0, 0, 0, 0, 0.0837879, 0, 0.00241634, 0.0267485),
}
LENGTH = {
    "efficientnet-lite0": 22.3513,
    "efficientnet-lite2": 18.3189,
    "all-minilm-l6-v2": 1,
    "musicnn-mtt": 8.3203,
    "musicnn-vgg-mtt": 7.47934,
    "musicnn-msd": 12.4661,
    "musicnn-vgg-msd": 15.7552,
    "aisfx": 42.0369,
    "resemblyzer": 1,
}
