"""How good are a generative model's samples? Diversity scores from embeddings, at any sample size.

Importing `fkeax` costs next to nothing: each public name is loaded when it is first used (PEP 562), so that no array is
made, no JAX backend started and no flag set before there is something to compute.

Example:
    >>> import jax, fkeax
    >>> x = jax.random.normal(jax.random.key(0), (200, 8))
    >>> result = fkeax.vendi(x, bandwidth=2.0)
    >>> 1.0 <= result.value <= 200.0
    True
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

# Public name -> the room that defines it. The typed twin of this table is __init__.pyi.
_HOMES = {
    "Cosine": "kernels",
    "Gaussian": "kernels",
    "LaplaceL1": "kernels",
    "LaplaceL2": "kernels",
    "Linear": "kernels",
    "Matern": "kernels",
    "Polynomial": "kernels",
    "RationalQuadratic": "kernels",
    "Result": "results",
    "apply_change": "sensitivity",
    "audit": "sensitivity",
    "cmmd": "twosample",
    "conditional_vendi": "diversity",
    "curve": "diversity",
    "finc": "diversity",
    "fkea": "diversity",
    "four_questions": "sensitivity",
    "frechet": "twosample",
    "inception_score": "diversity",
    "kad": "twosample",
    "ken": "diversity",
    "kid": "twosample",
    "load_features": "io",
    "mauve": "frontier",
    "mmd": "twosample",
    "mmd_fuse": "twosample",
    "mmdagg": "twosample",
    "modes": "diversity",
    "per_class": "diversity",
    "prdc": "twosample",
    "rke": "diversity",
    "rke_from_gram": "diversity",
    "rrke": "diversity",
    "samples_needed": "sensitivity",
    "scendi": "diversity",
    "score": "diversity",
    "smallest_detectable": "sensitivity",
    "spec": "diversity",
    "truncated_vendi": "diversity",
    "two_sample_test": "twosample",
    "vendi": "diversity",
    "vendi_from_gram": "diversity",
    "vendi_from_spectrum": "diversity",
}

_ROOMS = (
    "assets",
    "cli",
    "datasets",
    "diversity",
    "embed",
    "features",
    "frontier",
    "inference",
    "io",
    "kernels",
    "numerics",
    "quantize",
    "report",
    "results",
    "sensitivity",
    "twosample",
)

# pyright: reportUnsupportedDunderAll=false
# (The names appear when __getattr__ loads them.)
# The rooms are attributes too, but not part of `from fkeax import *`: `io` would hide the one of the standard library.
__all__ = [
    "Cosine",
    "Gaussian",
    "LaplaceL1",
    "LaplaceL2",
    "Linear",
    "Matern",
    "Polynomial",
    "RationalQuadratic",
    "Result",
    "__version__",
    "apply_change",
    "audit",
    "cmmd",
    "conditional_vendi",
    "curve",
    "finc",
    "fkea",
    "four_questions",
    "frechet",
    "inception_score",
    "kad",
    "ken",
    "kid",
    "load_features",
    "mauve",
    "mmd",
    "mmd_fuse",
    "mmdagg",
    "modes",
    "per_class",
    "prdc",
    "rke",
    "rke_from_gram",
    "rrke",
    "samples_needed",
    "scendi",
    "score",
    "smallest_detectable",
    "spec",
    "truncated_vendi",
    "two_sample_test",
    "vendi",
    "vendi_from_gram",
    "vendi_from_spectrum",
]


def __getattr__(name: str) -> Any:
    """Load the public name on its first use and keep it."""
    if name in _HOMES:
        value = getattr(importlib.import_module(f"fkeax.{_HOMES[name]}"), name)
    elif name in _ROOMS:
        value = importlib.import_module(f"fkeax.{name}")
    else:
        raise AttributeError(f"module 'fkeax' has no attribute {name!r}{_hint(name)}", name=name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the loaded and the loadable names."""
    return sorted({*globals(), *__all__, *_ROOMS})


def _hint(name: str) -> str:
    """Say which public name may have been meant; nothing for the dunder names that tools probe for."""
    if name.startswith("__"):
        return ""
    # Imported only on the way to an error.
    import difflib

    close = difflib.get_close_matches(name, (*__all__, *_ROOMS), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""
