"""A small corpus of a law that is not Gaussian, and one draw of it."""

from __future__ import annotations

import jax
import numpy as np
import pytest
from numpy.typing import NDArray

from fkeax.sensitivity import Corpus, describe_corpus

SIZE, DIMENSION = 300, 12


@pytest.fixture(scope="session")
def rows() -> NDArray[np.float64]:
    """Three groups with axes of falling spread, far from the origin."""
    random = np.random.default_rng(0)
    axes = np.linalg.qr(random.standard_normal((DIMENSION, DIMENSION)))[0]
    spread = (random.exponential(size=(SIZE, DIMENSION)) - 1) / np.arange(1, DIMENSION + 1) ** 0.5
    groups = 4 * np.eye(DIMENSION)[random.choice(3, SIZE, p=[0.5, 0.3, 0.2])]
    return 7 + spread @ axes.T + groups


@pytest.fixture(scope="session")
def corpus(rows: NDArray[np.float64]) -> Corpus:
    return describe_corpus(jax.random.key(0), rows, num_modes=3)
