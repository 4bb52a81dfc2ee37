"""Table 1 of the FKEA paper as printed, and how its scores read once the bias of the features is taken out.

The paper's setting: 50,000 samples a model (100,000 of the data set), DINOv2 features, bandwidth 25, 2r = 16,000.
Covariances through random frequencies have E||C||^2 = m2 + (1 - 2 m2 + m4) / (2r), with m2 and m4 the means of k^2 and
k^4 over all pairs; RKE is 1 / ||C||^2, so the printed value reads low. As m2^2 <= m4 <= m2, the true value lies in an
interval that needs nothing but the printed one (up to the spread over frequencies, which is not printed).
"""

from __future__ import annotations

NUM_FREQUENCIES = 8000
COLUMNS = ("IS", "FID", "precision", "recall", "density", "coverage", "VENDI-1", "RKE")
ROWS: dict[str, tuple[float | None, ...]] = {
    "Dataset (100k)": (None, None, None, None, None, None, 9176.9, 996.7),
    "ADM": (542.6, 11.12, 0.78, 0.79, 0.88, 0.89, 8360.3, 633.4),
    "ADMG": (659.3, 5.63, 0.87, 0.84, 0.80, 0.85, 8524.2, 811.5),
    "ADMG-ADMU": (701.6, 4.78, 0.90, 0.73, 1.20, 0.96, 8577.6, 839.8),
    "BigGAN": (696.4, 7.91, 0.81, 0.44, 0.99, 0.57, 7120.5, 492.4),
    "DiT-XL-2": (743.2, 3.56, 0.92, 0.84, 1.16, 0.97, 8626.5, 855.8),
    "GigaGAN": (678.8, 4.29, 0.89, 0.74, 0.74, 0.70, 8432.5, 671.6),
    "LDM": (734.4, 4.75, 0.93, 0.76, 1.04, 0.93, 8573.7, 811.9),
    "Mask-GIT": (717.4, 5.66, 0.91, 0.72, 1.01, 0.82, 8557.4, 759.5),
    "RQ-Transformer": (558.3, 9.57, 0.80, 0.76, 0.77, 0.59, 8078.4, 512.1),
    "StyleGAN-XL": (675.4, 4.34, 0.89, 0.74, 1.18, 0.96, 8171.9, 703.5),
}


def debiased_rke(plain: float, num_frequencies: int = NUM_FREQUENCIES) -> tuple[float, float]:
    """Return the smallest and largest RKE that a plain one can stand for, by the mean over frequencies.

    Example:
        >>> [round(value, 1) for value in debiased_rke(996.7)]
        [1062.8, 1062.8]
    """
    r, inverse = num_frequencies, 1 / plain
    # m4 = m2: inverse = m2 + (1 - m2) / (2r).  m4 = m2^2: inverse = m2 + (1 - m2)^2 / (2r), a quadratic in m2.
    high = (inverse - 1 / (2 * r)) / (1 - 1 / (2 * r))
    b, c = 2 * r - 2, 1 - 2 * r * inverse
    low = (-b + (b * b - 4 * c) ** 0.5) / 2
    found = sorted((1 / high, 1 / low))
    return found[0], found[1]


def saturation(score: float, num_frequencies: int = NUM_FREQUENCIES) -> float:
    """Return a score over the most that the features can show, 2r.

    Example:
        >>> round(saturation(9176.9), 2)
        0.57
    """
    return score / (2 * num_frequencies)
