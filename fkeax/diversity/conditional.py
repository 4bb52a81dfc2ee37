"""Conditional diversity: how much of the diversity of one embedding is left when another one is known."""

from __future__ import annotations

import math
from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np

from fkeax.diversity import streaming
from fkeax.diversity.log_vendi import log_vendi
from fkeax.diversity.paired import BandwidthPair, KernelPair, Paired, paired
from fkeax.diversity.samples import Rows
from fkeax.features import FourierMap
from fkeax.kernels import SpectralKernel
from fkeax.numerics import checks, linalg
from fkeax.results import Result

SATURATED = 0.02  # of 2r, as for plain VENDI


def conditional_vendi(
    x: Rows,
    y: Rows,
    *,
    order: float = 1.0,
    kernels: KernelPair = ("gaussian", "gaussian"),
    bandwidths: BandwidthPair = (None, None),
    method: str = "auto",
    num_frequencies: int = 2000,
    batch_size: int = 4096,
    key: jax.Array | None = None,
) -> dict[str, Result]:
    """Return the conditional and the mutual information of two embeddings of the same items, as entropies and scores.

    With H the matrix-based Renyi entropy of order a of ``K / n``, and the joint kernel ``k_X k_Y`` (the Hadamard
    product of the matrices),

    * ``conditional-entropy-a`` is ``H(X|Y) = H(K_X o K_Y) - H(K_Y)``, in nats;
    * ``mutual-information-a`` is ``I(X;Y) = H(X) - H(X|Y)``;
    * ``conditional-vendi-a`` and ``information-vendi-a`` are their exponentials: the effective number of different x
      among items of like y, and how many of the modes of x the y tell apart. They multiply to VENDI of x.

    At order 1, ``0 <= H(X|Y) <= H(X)`` up to rounding, hence ``I >= 0``. At other orders I may be negative; H(X|Y) is
    never. Both depend on n: for n items that are all far apart in y, the conditional entropy is 0.

    Args:
        x: (n, d) rows, one an item: of what the diversity is asked for (images, say).
        y: (n, e) rows of the same items: what is known (their prompts).
        order: In [0, inf].
        kernels: One for each; each with k(x, x) = 1.
        bandwidths: One for each, in its own units: a number, or a rule that looks at that embedding.
        method: "exact" (n x n), "features" (shift-invariant kernels: frequencies drawn for the concatenation, each
            block at its own bandwidth, which has the product as its kernel), or "auto": exact when n <= 4r.
        num_frequencies: r, of the joint map; x and y alone use its columns, so that errors partly cancel.
        batch_size: Rows of a batch.
        key: Typed key, needed for features.

    Returns:
        The four results. Through features entropies read low, the joint one most: H(X|Y) reads low on average, by a
        term of order 1/r, and I is off either way (40 items, r = 25 and 400, order 1: -0.14 and -0.009 of H(X|Y), with
        a spread over frequencies of 0.10 and 0.02). No standard error is known.

    Raises:
        ValueError, TypeError: One sentence that names the argument, what was expected and what came.

    Cost:
        exact: ``2 n^2 (d + e) + 4 n^3`` flops and four n x n float64 matrices. features: three passes of
        O(n r (d + e + r)) and ``4 (2r)^3`` flops.

    Example:
        >>> import numpy as np
        >>> prompts = np.asarray([[0.0], [0.0], [100.0], [100.0]])
        >>> images = np.asarray([[0.0], [100.0], [200.0], [300.0]])  # two for each prompt, all different
        >>> found = conditional_vendi(images, prompts, bandwidths=(1.0, 1.0))
        >>> round(float(found["conditional-vendi-1"]), 4), round(float(found["information-vendi-1"]), 4)
        (2.0, 2.0)

    References:
        Sanchez Giraldo et al. (2015), "Measures of entropy from data using infinitely divisible kernels"; Jalali et al.
        (2024), "An information-theoretic approach to diversity evaluation of prompt-based generative models".
    """
    alpha = checks.order(order)
    asked = paired(
        (("x", x), ("y", y)),
        kernels=kernels,
        bandwidths=bandwidths,
        method=method,
        num_frequencies=num_frequencies,
        batch_size=batch_size,
        key=key,
    )
    spectra = _exact_spectra(asked) if asked.route == "exact" else _feature_spectra(asked)
    joint, own, known = (float(entropy) for (entropy,) in log_vendi(spectra, (alpha,)))
    diagnostics = {
        "plan": asked.plan.to_dict(),
        "entropies": {"joint": joint, "x": own, "y": known},
        "computed_in": str(spectra[0].dtype),
        "stderr_reason": "no standard error is known for this score",
        "warnings": [],
    }
    if asked.num_frequencies is not None:
        saturation = math.exp(joint) / (2 * asked.num_frequencies)
        diagnostics["saturation"] = saturation
        if saturation > SATURATED:
            diagnostics["warnings"] = [
                f"the joint score is above {SATURATED:.0%} of its ceiling 2r: its entropy, and H(X|Y), read low; "
                "take more frequencies"
            ]
    conditional, information = joint - known, own - (joint - known)
    values = {
        "conditional-entropy": conditional,
        "mutual-information": information,
        "conditional-vendi": math.exp(conditional),
        "information-vendi": math.exp(information),
    }
    settings = {**asked.settings(), "order": "inf" if alpha == math.inf else alpha}
    return {
        f"{name}-{alpha:.12g}": Result(f"{name}-{alpha:.12g}", value, None, settings, diagnostics)
        for name, value in values.items()
    }


def _exact_spectra(asked: Paired) -> list[np.ndarray]:
    """Return the eigenvalues of the kernel matrices of both embeddings together, of x, and of y."""
    first, second = asked.first.gram(), asked.second.gram()
    return [linalg.eigenvalues(matrix) for matrix in (first * second, first, second)]


def _feature_spectra(asked: Paired) -> list[np.ndarray]:
    """Return the same through features: those of the product kernel are Fourier features of ``[x, y]``."""
    for side in (asked.first, asked.second):
        if not isinstance(side.kernel, SpectralKernel):
            raise ValueError(
                f"method='features' needs shift-invariant kernels here; {side.name} has {side.kernel.name!r}: use "
                "method='exact'."
            )
    first, second = asked.maps()
    if not (isinstance(first, FourierMap) and isinstance(second, FourierMap)):
        raise AssertionError("a shift-invariant kernel has a Fourier map")
    joint = FourierMap(
        jnp.concatenate([first.frequencies, second.frequencies], axis=1),
        jnp.concatenate([first.centre, second.centre]),
    )

    def joined() -> Iterator[np.ndarray]:
        return (np.concatenate(chunk, axis=1) for chunk in asked.chunks())

    streams = (
        (joint, joined()),
        (first, (rows for rows, _ in asked.chunks())),
        (second, (rows for _, rows in asked.chunks())),
    )
    spectra = []
    for fourier_map, chunks in streams:
        (moment,) = streaming.stream_draws((fourier_map,), chunks, None, asked.batch_size)
        spectra.append(linalg.block_eigenvalues(moment.blocks))
    return spectra
