"""Rank-two rotations: the plane of two eigenvectors of the covariance turned by an angle in closed form."""

from __future__ import annotations

import math

import jax
import numpy as np

from fkeax.numerics import batching
from fkeax.sensitivity.affine import AffineMap
from fkeax.sensitivity.changed import InfeasibleChange, checked_strength
from fkeax.sensitivity.corpus import Corpus


def principal_plane(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return the rotation in the plane of the first eigenvector and the next one that can go as far as s rho.

    The Bures distance of S from its image is s rho: a lower bound on W2. Of the planes of the first eigenvector and
    another one it is the one with the largest second eigenvalue whose largest distance, at a right angle, suffices.

    Raises:
        InfeasibleChange: If no such plane goes as far.
    """
    del key, reference
    target = checked_strength(strength) * corpus.rho
    first = float(corpus.eigenvalues[0])
    reach = math.sqrt(2) * (math.sqrt(first) - np.sqrt(corpus.eigenvalues[1:]))
    enough = np.flatnonzero(reach >= target)
    if enough.size == 0:
        largest = float(reach.max(initial=0.0)) / corpus.rho
        raise InfeasibleChange(
            f"strength must be at most {largest:.3g} for a rank-two rotation of this spectrum; got {strength:g}."
        )
    second = int(enough[0]) + 1
    angle = plane_angle(first, float(corpus.eigenvalues[second]), target)
    matrix = plane_rotation(corpus.eigenvectors[:, 0], corpus.eigenvectors[:, second], angle)
    details = {"angle": angle, "eigenvectors": [0, second]}
    return AffineMap(np.zeros(corpus.dimension), matrix, target, "lower bound", 1.0, details)


def random_plane(key: jax.Array, strength: float, corpus: Corpus, reference: np.ndarray | None) -> AffineMap:
    """Return the control: a random plane, a new one for every key, turned by the same angle.

    Matched in angle and not in distance: a random plane holds 2/d of the trace in two nearly equal parts and cannot go
    as far. W2 is bounded from above by ``sqrt((2 - 2 cos t)(u'Su + v'Sv))``, the root mean square displacement.
    """
    angle = principal_plane(key, strength, corpus, reference).details["angle"]
    normal = np.random.default_rng(batching.key_seed(key)).standard_normal((corpus.dimension, 2))
    plane = np.linalg.qr(normal)[0]
    spread = float(np.einsum("da,de,ea->", plane, corpus.covariance, plane))
    return AffineMap(
        shift=np.zeros(corpus.dimension),
        matrix=plane_rotation(plane[:, 0], plane[:, 1], angle),
        w2=math.sqrt((2 - 2 * math.cos(angle)) * spread),
        w2_kind="upper bound",
        trace_ratio=1.0,
        details={"angle": angle},
    )


def plane_distance(first: float, second: float, angle: float) -> float:
    """Return the Bures distance of S from its image under a turn in the plane of eigenvectors with eigenvalues a, b.

    ``d_B^2 = 2 (a + b) - 2 sqrt((a^2 + b^2) cos^2 t + 2 a b sin^2 t + 2 a b)``, at most ``2 (sqrt a - sqrt b)^2``.

    Example:
        >>> import math
        >>> round(plane_distance(4.0, 1.0, math.pi / 2) ** 2, 12)
        2.0
    """
    cosine, sine = math.cos(angle) ** 2, math.sin(angle) ** 2
    crossed = (first**2 + second**2) * cosine + 2 * first * second * sine + 2 * first * second
    return max(2 * (first + second) - 2 * math.sqrt(crossed), 0.0) ** 0.5


def plane_angle(first: float, second: float, distance: float) -> float:
    """Return the angle between 0 and a right angle at which :func:`plane_distance` has a value it can have."""
    if distance == 0:
        return 0.0
    # With D = d_B^2: (a - b)^2 sin^2 t = (a + b)^2 - (a + b - D/2)^2 = D (a + b) - D^2/4, without cancellation.
    square = distance**2
    sine = (square * (first + second) - square**2 / 4) / (first - second) ** 2
    return math.asin(min(max(sine, 0.0), 1.0) ** 0.5)


def plane_rotation(first: np.ndarray, second: np.ndarray, angle: float) -> np.ndarray:
    """Return the rotation that turns the first of two orthonormal vectors toward the second and keeps the rest."""
    kept = np.outer(first, first) + np.outer(second, second)
    turned = np.outer(second, first) - np.outer(first, second)
    return np.eye(first.size) + (math.cos(angle) - 1) * kept + math.sin(angle) * turned
